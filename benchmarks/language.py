"""Language models: counting against nltk.lm, scoring against kenlm, perplexity, and which language a line is in.

`make bench-language`, with PRIORI_DATA; `--only speed` or `--only quality` measures one half. `--write-docs` writes
docs/benchmarks-language.md; a half that is not measured stays there as it was last, with its own machine and commit.
"""

import os
import sys
from pathlib import Path

load = os.getloadavg()[0]
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["PRIORI_NUM_THREADS"] = "1"  # before anything counts its threads

import halves  # noqa: E402
import language_data  # noqa: E402
import language_quality  # noqa: E402
import language_speed  # noqa: E402
import report  # noqa: E402

FOLDER = Path(__file__).parent / "data" / "language"

READ = """\
How to read this page. Speed and quality were measured apart, each on the machine and the commit that it names. Ratios
are best against best, beside them the lowest and highest of the rounds; all contenders took turns on one core. What
is above 1 is in our favour, but for growth."""
SPEED = """\
Order 3, Kneser-Ney, texts of newsgroups20 with headers. Counting: NLTK is given lists of the tokens that our analyzer
finds and pads them itself; we are given the texts and find them, too. Scoring: the lines of the official test part
that have three words or more, as words between single spaces, by a model of the whole training part; kenlm by a list
comprehension over `Model.score`, ours in one call, and one by one. {binary} Memory: resident bytes
of a process that has loaded the model and scored 1,000 sentences, over those before; n-grams of all orders together."""
PERPLEXITY = """\
By number of words of history + 1, each smoothing at its defaults. newsgroups20 (headers left in) by its official
split, movie_reviews without a tenth (seed 0). Order 1 has no ends of documents to predict, so its figures are of
other tokens than those beside it."""
LANGUAGES = """\
80 % of the lines to learn, 20 % to be judged (seed 0). Ours: `TextClassifier(event="language", features="chars",
ngrams=(1, 5))`, all else by default. scikit-learn: `CountVectorizer(analyzer="char_wb", ngram_range=(1, 5))` and
`MultinomialNB`, at four alphas. fastText: supervised, characters 1 to 5, dim 16, lr 0.5, 25 epochs. Lines a second: the
best of {rounds} passes (peers: 2) from texts to probabilities, one core."""


def speed(quick: bool) -> list[str]:
    """The half that an idle machine is needed for."""
    rounds = 2 if quick else 5
    bench = language_speed.measured(rounds, quick, FOLDER)
    binary = any("binary" in row[0] for row in bench.rows)
    said = "" if binary else "kenlm's build_binary was not at hand, so it reads our ARPA alone."
    return [
        "## Speed",
        facts({"rounds": str(rounds)}),
        halves.figures(bench.figures),
        SPEED.format(binary=said),
        report.table(language_speed.HEADS, bench.rows),
    ]


def quality(quick: bool) -> list[str]:
    """The half that is the same on any machine, but for its rates."""
    rounds, orders = (1, (1, 2, 3)) if quick else (5, language_quality.ORDERS)
    figures, tables, languages = [], [], []
    for name in ("movie_reviews",) if quick else ("newsgroups20", "movie_reviews"):
        found = language_quality.perplexities(name, orders)
        figures += language_quality.falls(name, found)
        rows = [[smoothing, *(f"{value:,.1f}" for value in values)] for smoothing, values in found.items()]
        tables.append(report.table([name, *(f"order {order}" for order in orders)], rows))
    for name in language_quality.LANGUAGES:
        if not language_quality.have(name):
            continue
        identified = language_quality.identify(name, rounds, FOLDER)
        figures += language_quality.language_figures(name, identified)
        lines = f"### {name}: {len(language_data.divided(name).judged):,} lines judged"
        languages += [lines, report.table(language_quality.HEADS, [one.cells() for one in identified])]
    return [
        "## Quality",
        facts({}),
        halves.figures(figures),
        "## Perplexity",
        PERPLEXITY,
        *tables,
        "## Languages",
        LANGUAGES.format(rounds=rounds),
        *languages,
    ]


def facts(more: dict[str, str]) -> str:
    """What a reader must know to judge figures."""
    return halves.facts(load, ("numpy", "scikit-learn", "nltk", "kenlm", "fasttext"), more)


if __name__ == "__main__":
    if "PRIORI_DATA" not in os.environ:
        sys.exit("PRIORI_DATA names no folder with newsgroups20.parquet and movie_reviews.parquet; set it")
    halves.run(
        "language", "Benchmarks of language models", READ, speed=speed, quality=quality, doc=__doc__,
        quick="few texts, orders and rounds",
    )  # fmt: skip
