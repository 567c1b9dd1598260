"""The benchmark: `make bench`, or `make bench QUICK=1` for a first look at a tenth of the sizes.

Standard library only in this process: the memory of a parent counts towards the peak of its children.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import contenders
import machine
import report
from measure import Contender, Run, best, in_turns, peak, run

HERE = Path(__file__).parent
FORBIDDEN = ("sklearn", "matplotlib", "rich", "scipy", "pandas", "polars", "fastapi", "uvicorn")


@dataclass(frozen=True)
class Plan:
    """How much of everything."""

    size: int = 1_000_000_000
    peer_size: int = 42_000_000
    small_size: int = 200_000_000
    large_size: int = 2_000_000_000
    rounds: int = 5
    start_rounds: int = 10


QUICK = Plan(100_000_000, 5_000_000, 20_000_000, 200_000_000, 2, 5)


class Bench:
    """Measurements as they come in."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.runs: dict[str, list[Run]] = {}
        self.contenders: list[Contender] = []
        self.figures: list[report.Figure] = []

    def measure(self, who: list[Contender], rounds: int) -> None:
        """Run contenders in turns and keep what they took. Their files were just written: they are in the cache."""
        os.sync()  # what is still to be written must not disturb the first of them
        self.runs |= in_turns(who, rounds, note)
        self.contenders += who

    def ratio(self, name: str, ours: str, theirs: str, target: float | None = None) -> None:
        """A figure of two contenders: bytes per second."""
        size = {contender.name: contender.size for contender in self.contenders}
        self.figures.append(report.ratio(name, self.runs[ours], size[ours], self.runs[theirs], size[theirs], target))

    def speed(self, classes: int) -> None:
        """Training and classifying against the limits and the peers."""
        folder, whole = self.folder, self.folder / "all.tsv"
        model, pairs = folder / "unigrams.priori", folder / "bigrams.priori"
        settings = [contenders.hashing(folder / "peer.tsv", *setting) for setting in contenders.HASHING_SETTINGS]
        tried = in_turns(settings, 1, note)
        hashing = min(settings, key=lambda contender: best(tried[contender.name]))
        self.measure(
            [
                *contenders.limits(whole),
                contenders.training("train", whole, model),
                contenders.training("train, two threads", whole, folder / "two.priori", jobs=2, processors=2),
                contenders.training("train, one thread on two cores", whole, folder / "one.priori", processors=2),
                contenders.classifying("classify", whole, model),
                contenders.training("train, bigrams", whole, pairs, ngrams=2),
                contenders.training("train, a tenth", folder / "tenth.tsv", folder / "tenth.priori"),
                contenders.training("train, a hundredth", folder / "hundredth.tsv", folder / "hundredth.priori"),
                hashing,
                *contenders.peers(folder, classes),
            ],
            self.plan.rounds,
        )
        self.ratio("train / wc -w (aim 1.5)", "train", "wc -w", 1)
        self.ratio("train / CountVectorizer + MultinomialNB", "train", "CountVectorizer + MultinomialNB", 25)
        self.ratio("train / HashingVectorizer + partial_fit", "train", hashing.name, 15)
        self.ratio("train / fastText, one epoch", "train", "fastText, one epoch", 12)
        self.ratio("train / Vowpal Wabbit", "train", "Vowpal Wabbit, one pass", 4)
        self.ratio(
            "train, bigrams / CountVectorizer + MultinomialNB", "train, bigrams",
            "CountVectorizer + MultinomialNB, bigrams", 30,
        )  # fmt: skip
        self.ratio("classify / train", "classify", "train", 1)
        self.ratio("two threads / one", "train, two threads", "train", 1.6)
        self.ratio(
            "two threads / one that may read ahead on the other core", "train, two threads",
            "train, one thread on two cores",
        )  # fmt: skip
        self.ratio("growth: train / a tenth of it", "train", "train, a tenth")
        self.ratio("growth: a tenth / a hundredth", "train, a tenth", "train, a hundredth")

    def size(self) -> None:
        """The memory on a small and on a large file; neither stays."""
        file, model = self.folder / "repeated.tsv", self.folder / "repeated.priori"
        try:
            sizes = {"train, small file": self.plan.small_size, "train, large file": self.plan.large_size}
            for name, size in sizes.items():
                self.repeat(file, size)
                self.measure([contenders.training(name, file, model)], 1)
        finally:
            file.unlink(missing_ok=True)
        growth = peak(self.runs["train, large file"]) - peak(self.runs["train, small file"])
        name = f"peak memory, {self.plan.large_size / 1e6:.0f} MB over {self.plan.small_size / 1e6:.0f} MB"
        self.figures.append(report.Figure(name, growth / 1e6, " MB", target=64, at_least=False))

    def repeat(self, target: Path, size: int) -> None:
        """A larger file."""
        note(f"writing {size / 1e6:.0f} MB")
        code = "import sys, data, pathlib; data.repeat(*map(pathlib.Path, sys.argv[1:3]), int(sys.argv[3]))"
        source = self.folder / "all.tsv"
        subprocess.run([sys.executable, "-c", code, str(source), str(target), str(size)], check=True, cwd=HERE)

    def latency(self) -> None:
        """One message in a running process."""
        note("one message at a time")
        output = subprocess.check_output(contenders.script("latency.py", self.plan.rounds), text=True)
        ours, theirs = (
            [Run(seconds, seconds, 0) for seconds in json.loads(output)[name]] for name in ("ours", "scikit-learn")
        )
        self.figures += [
            report.ratio("one predict_proba / scikit-learn pipeline", ours, 1, theirs, 1, 40),
            report.Figure("one predict_proba", best(ours) * 1e6, " us"),
        ]

    def lean(self) -> None:
        """Cold starts and imports."""
        run(contenders.training("sms", self.folder / "sms.tsv", self.folder / "sms.priori"))
        starts = contenders.starts(self.folder)
        self.measure(starts, self.plan.start_rounds)
        numpy = self.runs["import numpy"]
        cold, large = "one message, cold", "one message, cold, large model"
        self.figures += [
            report.slowdown(f"{cold} / import numpy", self.runs[cold], numpy, 2),
            report.slowdown(f"{large} / import numpy", self.runs[large], numpy),
            report.slowdown("import priori / import numpy", self.runs["import priori"], numpy),
        ]
        heavy = [name for name in imported() if name in FORBIDDEN]
        name = f"heavy packages in `import priori`{': ' * bool(heavy)}{', '.join(heavy)}"
        self.figures.append(report.Figure(name, len(heavy), "", target=0, at_least=False))


def imported() -> list[str]:
    """The top-level packages outside the standard library that `import priori` loads."""
    code = "import sys; import priori; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    names = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    return [name for name in names if name not in sys.stdlib_module_names and not name.startswith("_")]


def facts(corpus: dict[str, str], plan: Plan, load: float) -> dict[str, str]:
    """What a reader must know to judge the figures."""
    return {
        "machine": machine.machine(load),
        "commit": machine.commit(),
        "versions": machine.versions("numpy", "scikit-learn", "fasttext", "vowpalwabbit"),
        "text": f"{corpus['names']}; {corpus['classes']} classes",
        "sizes": f"{int(corpus['distinct_bytes']) / 1e6:.0f} MB of distinct text in random order, cut or repeated to "
        f"{plan.size / 1e6:.0f} MB; peers on the first {plan.peer_size / 1e6:.0f} MB of it",
        "rounds": f"{plan.rounds}, all contenders in turns in each",
        "imported by `import priori`": ", ".join(imported()),
    }


def note(text: str) -> None:
    """Say what is being done."""
    print(f"\033[2K\r{text}" if sys.stderr.isatty() else text, end="" if sys.stderr.isatty() else "\n", file=sys.stderr)


def main() -> None:
    """Prepare, measure, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, two rounds, no verdicts")
    parser.add_argument("--write-docs", action="store_true", help="write docs/benchmarks.md")
    arguments = parser.parse_args()
    plan = QUICK if arguments.quick else Plan()
    folder = HERE / "data" / ("quick" if arguments.quick else "full")
    load = os.getloadavg()[0]
    note("writing the data")
    subprocess.run(contenders.script("data.py", folder, plan.size, plan.peer_size), check=True)
    corpus = json.loads((folder / "corpus.json").read_text())
    bench = Bench(plan, folder)
    bench.speed(corpus["classes"])
    bench.size()
    bench.latency()
    bench.lean()
    if arguments.quick:  # start-up weighs too much at these sizes to judge by
        bench.figures = [replace(figure, target=None) for figure in bench.figures]
    note("")
    known = facts(corpus, plan, load)
    text = report.page(known, bench.figures, report.measured(bench.contenders, bench.runs))
    print(text)
    results = {
        "facts": known,
        "figures": [asdict(figure) | {"met": figure.met} for figure in bench.figures],
        "runs": {name: [asdict(one) for one in runs] for name, runs in bench.runs.items()},
    }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if arguments.write_docs:
        (HERE.parent / "docs" / "benchmarks.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
