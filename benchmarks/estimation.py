"""Estimation against its peers, in one process and in turns: `make bench-estimation`.

Statistics of numbers against numpy, the gamma distribution against scipy, linear regression against scikit-learn; each
at three sizes, for the growth. One core; `--write-docs` writes docs/benchmarks-estimation.md.
"""

import argparse
import os
from pathlib import Path

load = os.getloadavg()[0]
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])  # before numpy counts its threads

import numpy as np  # noqa: E402
from scipy.stats import gamma  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402

import machine  # noqa: E402
import report  # noqa: E402
from pairs import Bench  # noqa: E402
from priori.families import GammaGamma, NormalRegression  # noqa: E402
from priori.statistics import Moments  # noqa: E402

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks-estimation.md"


def moments(bench: Bench, sizes: list[int]) -> None:
    """Weight, mean and scatter of a column, against mean() and var()."""
    for size in sizes:
        values = np.random.default_rng(0).normal(1e3, 1, size)
        target = 1.0 if size == 10_000_000 else None
        bench.against(
            f"moments of {size:,} numbers / numpy mean + var",
            lambda values=values: Moments.of(values),
            lambda values=values: (values.mean(), values.var()),
            target,
        )


def gammas(bench: Bench, sizes: list[int]) -> None:
    """Maximum likelihood of a gamma distribution: from statistics, and from data."""
    for size in sizes:
        values = np.random.default_rng(1).gamma(2.5, 1.7, size)
        stats = GammaGamma.statistics(values)
        bench.alone(
            f"gamma ML from the statistics of {size:,} numbers",
            lambda stats=stats: GammaGamma.maximum_likelihood(stats),
            50,
        )
        bench.against(
            f"gamma ML from {size:,} numbers / scipy gamma.fit(floc=0)",
            lambda values=values: GammaGamma.maximum_likelihood(GammaGamma.statistics(values)),
            lambda values=values: gamma.fit(values, floc=0),
            1.0,
        )


def regressions(bench: Bench, sizes: list[int], columns: int = 50) -> None:
    """Least squares from statistics, against scikit-learn's on the data."""
    rng = np.random.default_rng(2)
    for size in sizes:
        X = rng.normal(size=(size, columns)) * rng.uniform(0.1, 10, columns) + rng.uniform(-5, 5, columns)
        t = X @ rng.normal(size=columns) + 3 + rng.normal(size=size)
        bench.against(
            f"linear regression, {size:,} x {columns} / LinearRegression",
            lambda X=X, t=t: NormalRegression.maximum_likelihood(NormalRegression.statistics(X, t)),
            lambda X=X, t=t: LinearRegression().fit(X, t),
            1.0 if size == 1_000_000 else None,
        )


def page(bench: Bench) -> str:
    """The figures as Markdown."""
    facts = {
        "machine": machine.machine(load),
        "commit": machine.commit(),
        "versions": machine.versions("numpy", "scipy", "scikit-learn"),
        "rounds": f"{bench.rounds}, ours and the peer in turns in each, one core, one process",
    }
    return "\n\n".join(
        [
            "# Benchmarks of estimation",
            "Written by `make bench-estimation BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
            "\n".join(f"- {name}: {fact}" for name, fact in facts.items()),
            "Values are best against best; beside them the lowest and highest of the rounds.",
            report.table(report.FIGURE_HEADS, [figure.cells() for figure in bench.figures]),
            report.table(["milliseconds", "ours", "peer"], bench.rows),
        ]
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, two rounds")
    parser.add_argument("--write-docs", action="store_true", help=f"write docs/{PAGE.name}")
    arguments = parser.parse_args()
    scale = 10 if arguments.quick else 1
    bench = Bench(2 if arguments.quick else 5)
    moments(bench, [size // scale for size in (1_000_000, 10_000_000, 100_000_000)])
    gammas(bench, [size // scale for size in (10_000, 1_000_000, 10_000_000)])
    regressions(bench, [size // scale for size in (10_000, 100_000, 1_000_000)])
    text = page(bench)
    print(text)
    if arguments.write_docs:
        PAGE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
