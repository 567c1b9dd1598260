"""Tables against scikit-learn's naive Bayes and discriminants: speed, memory and quality: `make bench-tables`.

Ours may use every processor, as by default; `--write-docs` writes docs/benchmarks-tables.md.
"""

import argparse
import os
from pathlib import Path

load = os.getloadavg()[0]
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy counts its threads

import machine  # noqa: E402
import report  # noqa: E402
import table_memory  # noqa: E402
import table_quality  # noqa: E402
import table_speed  # noqa: E402
from pairs import Bench  # noqa: E402

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks-tables.md"

SPEED = """\
15 reals, 15 categories of 10 values, 3 classes. Ours takes a pandas frame with category columns, or an Arrow table with
plain strings; GaussianNB takes the reals and CategoricalNB the codes, already split and encoded, in arrays of the type
they work with; where OrdinalEncoder is named, it encodes the strings first. "Train" is `fit`: ours counts there, and
reads the counts when first asked, so "and classify a row" is what one waits for in all. Values are best against best;
beside them the lowest and highest of the rounds."""
MEMORY = """\
Processes of their own: (peak of one that makes the table, labels with it, and does what is named - peak of one that
does the same with 1,000 rows) / bytes of the table's columns. So 1.00 is the table itself and nothing besides; the
labels and what making the table takes are counted against us."""
QUALITY = """\
Predictions out of fold ({folds} folds, stratified, seed 0) of the automatic choice and of single-type naive Bayes of
scikit-learn behind imputation and encoding, all of it fitted within each training fold. Holes: the median for numbers,
the most frequent value for categories (ours leaves them out of the product). GaussianNB: categories as ordinal codes;
CategoricalNB: numbers in 5 or 10 bins of equal mass; BernoulliNB: the same, one-hot; MultinomialNB: numbers scaled to
[0, 1], categories one-hot. "Mixed with holes": by turns a column stays a number, becomes a category (low, middle, high)
or a boolean, and 10 % of all cells are taken out at random. ECE: expected calibration error, 15 bins; its floor is what
perfect calibration would show on as many rows. The standard error is that of the difference on the same rows."""


def page(bench: Bench, memory: list[report.Figure], quality: list[str], folds: int) -> str:
    """The figures as Markdown."""
    facts = {
        "machine": machine.machine(load),
        "commit": machine.commit(),
        "versions": machine.versions("numpy", "scikit-learn", "pandas", "pyarrow"),
        "rounds": f"{bench.rounds}, ours and the peer in turns in each, one process",
        "processors": f"{len(os.sched_getaffinity(0))}: ours uses all unless one is named, the peers one; "
        "OPENBLAS_NUM_THREADS=1 for both",
    }
    heads = [report.FIGURE_HEADS[0], report.FIGURE_HEADS[1], *report.FIGURE_HEADS[3:]]
    cells = [figure.cells() for figure in memory]
    return "\n\n".join(
        [
            "# Benchmarks of tables",
            "Written by `make bench-tables BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
            "\n".join(f"- {name}: {fact}" for name, fact in facts.items()),
            "## Speed",
            SPEED,
            report.table(report.FIGURE_HEADS, [figure.cells() for figure in bench.figures]),
            report.table(["milliseconds", "ours", "peer"], bench.rows),
            "## Memory",
            MEMORY,
            report.table(heads, [[name, value, *rest] for name, value, _, *rest in cells]),
            "## Quality",
            QUALITY.format(folds=folds),
            *quality,
        ]
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, two rounds, three folds")
    parser.add_argument("--write-docs", action="store_true", help=f"write docs/{PAGE.name}")
    arguments = parser.parse_args()
    scale = 10 if arguments.quick else 1
    memory = table_memory.figures(1_000_000 // scale)
    bench = Bench(2 if arguments.quick else 5)
    table_speed.training(bench, [size // scale for size in (10_000, 100_000, 1_000_000)])
    table_speed.predicting(bench, 100_000 // scale)
    table_speed.discriminants(bench, [size // scale for size in (100_000, 1_000_000)])
    folds = 3 if arguments.quick else 10
    text = page(bench, memory, table_quality.sections(folds), folds)
    print(text)
    if arguments.write_docs:
        PAGE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
