"""What choosing terms is worth: accuracy, log loss, calibration error and seconds, on texts that were not learned.

`make bench-selection`; `--write-docs` writes docs/benchmarks-selection.md. The texts come from the folder PRIORI_DATA;
without it there is the bundled SMS Spam Collection alone. Splits are official where there is one, else 10 folds of the
seed 0, no copies parted, their predictions pooled.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import calibration_data
import machine
import report
from calibration_data import Corpus
from priori import TextClassifier
from priori.decisions.measures import Scorecard

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks-selection.md"
NAMES = ("newsgroups20", "movie_reviews", "mr", "sms_spam")
WAYS = (None, "mi:1000", "mi:5000", "mi:auto", "chi2:auto", "log-odds:auto", "count:auto")
AGAIN = "mi:auto"  # which is also chosen a second time, at the alpha that was found for the first
HEADS = ["select", "terms read", "alpha", "accuracy", "log loss", "ECE", "seconds to train"]


@dataclass(frozen=True)
class Outcome:
    """One way on one corpus."""

    way: str
    terms: list[int]
    alphas: list[float]
    accuracy: float
    log_loss: float
    ece: float
    seconds: float

    def cells(self) -> list[str]:
        """A line of the table."""
        return [
            self.way, _between(self.terms, ",d"), _between(self.alphas, ".2g"), f"{self.accuracy:.2%}",
            f"{self.log_loss:.4f}", f"{self.ece:.2%}", f"{self.seconds:.2f}",
        ]  # fmt: skip


def _between(values: list, form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} .. {high}"


def outcome(corpus: Corpus, folds: int, select: str | None, again: bool = False) -> Outcome:
    """Trained on every part for learning, judged on all that is left, together."""
    card = Scorecard(sorted(set(corpus.labels)))
    terms, alphas, seconds = [], [], []
    for learned, judged in corpus.splits(folds):
        texts, labels = [corpus.texts[row] for row in learned], [corpus.labels[row] for row in learned]
        began = perf_counter()
        model = TextClassifier(select=select).fit(texts, labels)
        model.predict(texts[:1])  # what is read off the counts is read by then
        if again:
            model.set_params(alpha=model.model_.plain_readings.prior.alpha)
            model.predict(texts[:1])
        seconds.append(perf_counter() - began)
        terms.append(model.model_.weights.reading.terms)
        alphas.append(float(model.model_.plain_readings.prior.alpha))
        rest = [corpus.texts[row] for row in judged]
        card.add(model.predict_proba(rest), [corpus.labels[row] for row in judged], model.predict_log_proba(rest))
    found = card.result()
    way = f"{select or 'all terms'}{', again at the alpha found' if again else ''}"
    return Outcome(way, terms, alphas, found.accuracy, found.log_loss, found.ece, min(seconds))


def page(found: dict[str, list[Outcome]], sizes: dict[str, str], load: float) -> str:
    """The whole page."""
    parts = [
        "# Benchmarks of choosing terms",
        "Written by `make bench-selection BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
        f"- machine: {machine.machine(load)}\n- commit: {machine.commit()}\n- versions: "
        f"{machine.versions('numpy', 'scikit-learn')}",
        "`TextClassifier(select=...)`, everything else by default: alpha and calibration are fitted on left-out "
        "training documents, each of which chooses its terms anew. Seconds: the least of the folds, of one fit.",
    ]
    for name, outcomes in found.items():
        parts += [f"## {name}", sizes[name], report.table(HEADS, [each.cells() for each in outcomes])]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 folds")
    parser.add_argument("--write-docs", action="store_true", help=f"write docs/{PAGE.name}")
    arguments = parser.parse_args()
    load, folds = os.getloadavg()[0], 3 if arguments.quick else 10
    found, sizes = {}, {}
    for name in (name for name in NAMES if name in calibration_data.names()):
        corpus = calibration_data.corpus(name)
        split = f"{folds} folds" if corpus.official is None else "official split"
        sizes[name] = f"{len(corpus.texts):,} texts, {len(set(corpus.labels))} classes, {split}."
        found[name] = []
        for way, again in [*((way, False) for way in WAYS), (AGAIN, True)]:
            found[name].append(outcome(corpus, folds, way, again))
            print(name, *found[name][-1].cells(), sep="  ", file=sys.stderr)
    text = page(found, sizes, load)
    print(text)
    if arguments.write_docs:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
