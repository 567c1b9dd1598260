"""Leave-one-out, automatic smoothing, calibration and promised thresholds: what they cost, and what they are worth.

`make bench-calibration`; on one processor. `--write-docs` writes docs/benchmarks-calibration.md.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

load = os.getloadavg()[0]
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy counts its threads

import calibration_data  # noqa: E402
import calibration_promise  # noqa: E402
import calibration_quality  # noqa: E402
import calibration_speed  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks-calibration.md"

QUALITY = """\
Texts that were not learned: the official test part of newsgroups20 and ag_news_sample, else predictions out of fold
({folds} folds, seed 0, copies of a text in one), pooled. Mails of spamassassin without their headers. The peers are
CalibratedClassifierCV (5 folds) around MultinomialNB at alpha 1 and at its best alpha, that of the lowest log loss of
the calibrated classifier over 5 folds of what is learned, of .001, .003, .01, .03, .1, .3, 1 and 3. All have the same
features: CountVectorizer is given our analyzer, which is also faster than its own pattern. ECE: expected calibration
error, 15 bins of equal mass; its floor is what perfect calibration would show on as many rows. A probability of 0 costs
the peers what `sklearn.metrics.log_loss` makes it. Seconds are those of learning and classifying, of all folds
together, on one thread; of the peers' the search of alpha is also shown apart, ours has it within."""
SPEED = """\
{name}, {documents:,} documents for learning, as strings in memory unless a file is named; one thread. "Train" is one
pass with plain readings that keeps a sample of the documents; "by default" chooses alpha and calibrates besides. "From
texts": encoded, gathered and scored; "kept documents": those of the sample, already encoded. 20 alphas: gathered once,
scored 20 times. The peer by itself neither smooths by itself nor calibrates; from a file it is timed from inside, while
ours starts and saves its model. "Fit alone": what alpha and the calibration add to a pass, on more and more documents,
all different (halves of two documents of a class). Values are best against best; beside them the lowest and highest of
the rounds."""
PROMISE = """\
{name}: half of the texts are learned (copies of a text on one side) by the default classifier, a threshold for `spam`
is read off their left-out probabilities, and the false positives are counted among the good mails of the other half.
"By chance": how often the promise would be exceeded if the halves differed by chance alone; whole numbers of mails keep
it below what is stated."""


@contextmanager
def one_processor() -> Iterator[None]:
    """On the last of ours."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(ours)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, ours)


def page(facts: dict[str, str], figures: list[report.Figure], sections: list[str]) -> str:
    """The figures as Markdown."""
    return "\n\n".join(
        [
            "# Benchmarks of leave-one-out, calibration and thresholds",
            "Written by `make bench-calibration BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
            "\n".join(f"- {name}: {fact}" for name, fact in facts.items()),
            "## Figures and targets",
            report.table(
                [*report.FIGURE_HEADS[:2], "lowest .. highest", *report.FIGURE_HEADS[3:]],
                [figure.cells() for figure in figures],
            ),
            *sections,
        ]
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds, three folds, 20 splits, less growth")
    parser.add_argument("--write-docs", action="store_true", help=f"write docs/{PAGE.name}")
    arguments = parser.parse_args()
    rounds, folds, splits = (2, 3, 20) if arguments.quick else (5, 10, 200)
    growth = calibration_speed.GROWTH[: 3 if arguments.quick else None]
    timed, mails = calibration_data.first_of("newsgroups20"), calibration_data.first_of("spamassassin")
    with one_processor():
        speed = calibration_speed.measured(timed, rounds, growth, HERE / "data" / "calibration")
        quality = calibration_quality.measure(folds)
        promises = calibration_promise.measure(mails, splits)
    facts = {
        "machine": machine.machine(load),
        "commit": machine.commit(),
        "versions": machine.versions("numpy", "scikit-learn", "scipy", "pyarrow"),
        "texts": ", ".join(calibration_data.names()),
        "rounds": f"{rounds}, all contenders in turns in each, on one processor, OPENBLAS_NUM_THREADS=1",
    }
    figures = [*speed.figures, *calibration_quality.figures(quality), *calibration_promise.figures(promises)]
    sections = [
        "## Speed",
        SPEED.format(name=timed.name, documents=len(timed.learned()[0])),
        report.table(["seconds", "best", "longest", "of the processor"], speed.rows),
        "## Quality",
        QUALITY.format(folds=folds),
        *calibration_quality.sections(quality),
        "## Promised thresholds",
        PROMISE.format(name=mails.name),
        *calibration_promise.sections(promises),
    ]
    text = page(facts, figures, sections)
    print(text)
    if arguments.write_docs:
        PAGE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
