"""Learning without labels: what unlabelled texts are worth, what is found without any label, and what it all takes.

`make bench-latent`; `--only speed` or `--only quality` measures one half. `--write-docs` writes
docs/benchmarks-latent.md; a half that is not measured stays there as it was last, with its own machine and commit.
"""

import os
from pathlib import Path

load = os.getloadavg()[0]
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy counts its threads

import halves  # noqa: E402
import latent_data  # noqa: E402
import latent_half  # noqa: E402
import latent_none  # noqa: E402
import latent_speed  # noqa: E402
import report  # noqa: E402

FOLDER = Path(__file__).parent / "data" / "latent"

READ = """\
How to read this page. Speed and quality were measured apart, each on the machine and the commit that it names; seconds
are comparable within a half only. Figures of speed are ratios: both sides ran in turns in the same minutes, so a
ratio says more than the milliseconds below it; its value is best against best, beside it are the lowest and highest of
the rounds. Figures of quality are means over draws of the labels or of the starts, beside them the lowest and highest.
No choice was made by a look at the labels of texts that are judged: weight, smoothing and calibration come from the
shown labels, the best start from the objective."""
SPEED = """\
{classes} classes, every term, raw counts, float64, every responsibility, however small. An iteration is the E-step,
the M-step and the objective. {scipy} does the same on one core with two products of a sparse and a dense matrix, X
times the table and X.T times the responsibilities; laying X.T out by rows beforehand makes it faster and takes
another X of memory. Objectives must be the same all along. A Gibbs sweep draws every document's class once, by the
exact predictive; the loops in plain Python are given the same uniform numbers, and must draw the same labels. One
multiplies the urn's factors as the formula has them, the other takes two log-Gammas for each product. "With its log
joint": what a chain tells after each sweep besides, on all documents. One thread is pinned to one core. More
documents: the same again and again. Memory: the most that was resident in a process of its own, over what was
before the first iteration, when the encoded documents had been loaded. The last lines are whole fits from texts in
memory: EM of two classes from random starts, and `TextClassifier().fit` with 15 labels a class."""
HALF = """\
So many labels of each class, or all there are; the other texts for learning have none. `TextClassifier()`
against `TextClassifier(unlabelled="skip")`, which learns from the labelled texts alone; both leave every choice to
the defaults. Official test parts of newsgroups20 (with headers) and ag_news_sample; of the others 30 % are held out
(seed 0, copies of a text on one side). Mails of spamassassin without their headers. Labels are drawn with the seeds
0 to {last}; more labels of a seed include its fewer. "Weight above 0": in how many draws unlabelled texts were given
one. The peer is scikit-learn's SelfTrainingClassifier around MultinomialNB, at its default alpha and at a better
one, on the words of all texts for learning, counted by our analyzer; its seconds are those of the better alpha. Seconds
of learning, on one thread, with {processes} processes at work."""
NONE = """\
No text has a label. Default recipe: words counted once in a text, terms in at least 3 texts and at most 20 % of
them, tempered by the root of the length, the best objective of 20 random starts; seeds {seeds}. Raw counts: every
term, every occurrence, not tempered, as many starts. Classes are matched so that most texts are right (Hungarian
method); with seed words they have names, and nothing is matched. Gibbs: {chains} chains, {burn_in} sweeps and
{samples} snapshots of each, averaged; without seed words the likelihood's power rises to 1 over the first
{burn_in}, and the chain with the higher log joint is taken. Seconds after the texts were encoded, on one thread."""


def speed(quick: bool) -> list[str]:
    """The half that an idle machine is needed for."""
    rounds = 2 if quick else 7
    bench = latent_speed.measured(rounds, quick, FOLDER)
    note = f"{rounds}, all contenders in turns in each (Gibbs and whole fits: 3 at most); OPENBLAS_NUM_THREADS=1"
    return [
        "## Speed",
        facts({"texts": bench.texts, "rounds": note}),
        halves.figures(bench.figures),
        SPEED.format(classes=latent_speed.CLASSES, scipy=latent_speed.SCIPY),
        report.table(latent_speed.HEADS, bench.rows),
    ]


def quality(quick: bool) -> list[str]:
    """The half that is the same on any machine, but for its seconds."""
    processes = min(2, len(os.sched_getaffinity(0)))
    none = latent_none.measure(quick, processes)
    half = latent_half.measure(quick, processes)
    last = max(one.cell.seed for ones in half.values() for one in ones)
    options = {"chains": latent_none.CHAINS, "burn_in": latent_none.BURN_IN, "samples": latent_none.SAMPLES}
    return [
        "## Quality",
        facts({"texts": ", ".join(latent_data.names())}),
        halves.figures([*latent_half.figures(half), *latent_none.figures(none)]),
        "## A few labels",
        HALF.format(last=last, processes=processes),
        *latent_half.sections(half),
        "## No labels",
        NONE.format(seeds=f"0 to {last}", **options),
        *latent_none.sections(none),
    ]


def facts(more: dict[str, str]) -> str:
    """What a reader must know to judge figures."""
    return halves.facts(load, ("numpy", "scipy", "scikit-learn", "pyarrow"), more)


if __name__ == "__main__":
    halves.run(
        "latent", "Benchmarks of learning without labels", READ, speed=speed, quality=quality, doc=__doc__,
        quick="two rounds, one seed, fewer labels and restarts",
    )  # fmt: skip
