"""Whether a threshold keeps its promise: read off one half of the mails, counted on the other, over many splits.

With k + 1 of the n good mails of one half at or above the threshold, those above it in the other half follow a negative
hypergeometric distribution: how often chance alone exceeds the promise is known.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import report
from calibration_data import Corpus
from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.data.folds import folds
from priori.decisions import Threshold
from priori.model.classifier import Model
from priori.model.evaluation import kept_of
from priori.text import Analyzer

POSITIVE = "spam"
# The share that is asked for, with which confidence; None asks for it on average over the halves. A half has about
# 2,000 good mails: too few to promise 0.1 % with a confidence of 0.9.
PROMISES: tuple[tuple[float, float | None], ...] = (
    (0.005, 0.95),
    (0.005, 0.9),
    (0.01, 0.95),
    (0.005, None),
    (0.001, None),
)
HEADS = [
    "at most", "confidence", "splits", "exceeded", "share", "stated", "by chance", "mean rate", "highest rate",
    "mean recall",
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """One promise in one split."""

    asked: float
    confidence: float | None
    rate: float  # of false positives among the good mails of the other half
    recall: float
    chance: float  # of exceeding it where the halves differ by chance alone

    @property
    def exceeded(self) -> bool:
        """Whether more than that was called positive."""
        return self.rate > self.asked


def measure(corpus: Corpus, splits: int) -> list[Outcome]:
    """Every promise in every split: halves of the texts, copies of a text on one side."""
    found: list[Outcome] = []
    for seed in range(splits):
        if seed % 20 == 0:
            print(f"promise: split {seed} of {splits}", file=sys.stderr)
        half = folds(len(corpus.texts), 2, seed=seed, groups=corpus.texts) == 0
        found += _of_split(corpus, half)
    return found


def _of_split(corpus: Corpus, half: np.ndarray) -> Iterator[Outcome]:
    texts, labels = np.array(corpus.texts, dtype=object), np.array(corpus.labels)
    batches = read_objects(texts[half].tolist(), labels[half].tolist())
    model = Model.train(batches, Analyzer(), Readings.automatic(), jobs=1)
    kept = kept_of(model)
    new = model.posterior_of_texts(texts[~half].tolist(), 1)[:, model.labels.index(POSITIVE)]
    spam = labels[~half] == POSITIVE
    others = len(set(texts[~half][~spam].tolist()))
    for asked, confidence in PROMISES:
        found = kept.threshold(POSITIVE, "false positives", asked, confidence)
        above = new > found.value
        yield Outcome(asked, confidence, above[~spam].mean(), above[spam].mean(), _chance(found, others))


def _chance(found: Threshold, others: int) -> float:
    """Of more than the share among as many others: fewer than k + 1 of the first half in the top k + 1 + allowed."""
    from scipy.stats import hypergeom

    allowed = int(np.floor(found.rate * others))
    return float(hypergeom.cdf(found.k, found.n + others, found.n, found.k + 1 + allowed))


def figures(found: list[Outcome]) -> list[report.Figure]:
    """The promise of 0.5 % with confidence 0.95."""
    asked, confidence = PROMISES[0]
    those = _those(found, asked, confidence)
    name = f"splits of {len(those)} with more than {100 * asked:g} % false positives, in percent"
    share = 100 * sum(one.exceeded for one in those) / len(those)
    return [report.Figure(name, share, " %", target=100 * (1 - (confidence or 0)), at_least=False)]


def sections(found: list[Outcome]) -> list[str]:
    """All promises."""
    return [report.table(HEADS, [_row(_those(found, *promise)) for promise in PROMISES])]


def _those(found: list[Outcome], asked: float, confidence: float | None) -> list[Outcome]:
    return [one for one in found if (one.asked, one.confidence) == (asked, confidence)]


def _row(those: list[Outcome]) -> list[str]:
    first, n = those[0], len(those)
    exceeded = sum(one.exceeded for one in those)
    rates = [one.rate for one in those]
    stated = "on average" if first.confidence is None else f"{100 * (1 - first.confidence):.0f} %"
    return [
        f"{100 * first.asked:g} %", "" if first.confidence is None else f"{first.confidence:g}", f"{n:,}",
        f"{exceeded:,}", f"{100 * exceeded / n:.1f} %", stated, f"{100 * sum(one.chance for one in those) / n:.1f} %",
        f"{100 * sum(rates) / n:.3f} %", f"{100 * max(rates):.3f} %",
        f"{100 * sum(one.recall for one in those) / n:.1f} %",
    ]  # fmt: skip
