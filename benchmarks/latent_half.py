"""Texts of which a few are labelled: what the others are worth, and whether they ever do harm.

Everything is left to the classifier, which sees no label of the texts that it is judged by.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.semi_supervised import SelfTrainingClassifier

import latent_data
import report
from latent_data import NEWSGROUPS
from priori.decisions import Evaluation
from priori.estimators.text_classifier import TextClassifier
from priori.text import Analyzer

CURVE = (1, 2, 5, 15, 50)  # labels of each class, on newsgroups20
GRID = (1, 2, 5, 10, 20, 50, 100)
ASKED = {15: 66.0, 5: 57.0}  # percent of the official test part, with so many labels of each class
MOST_LOST = -1.0  # points
ALPHAS = (1.0, 0.01)  # of the peer: its default, and one that suits these texts better

CURVE_HEADS = [
    "labels a class", "seeds", "accuracy", "labelled alone", "gain", "log loss", "labelled alone", "ECE",
    "labelled alone", "weight above 0", "seconds", "labelled alone", *(f"peer, alpha {alpha:g}" for alpha in ALPHAS),
    "its seconds",
]  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One set of texts, so many labels of each class, one draw of them; with the peer or without."""

    name: str
    per_class: int
    seed: int
    peer: bool


@dataclass(frozen=True)
class Scored:
    """What a classifier is worth, and the seconds it learned."""

    accuracy: float
    log_loss: float
    ece: float
    seconds: float

    @classmethod
    def of(cls, found: Evaluation, seconds: float) -> "Scored":
        """The measures that are shown."""
        return cls(found.accuracy, found.log_loss, found.ece, seconds)


@dataclass(frozen=True)
class Outcome:
    """With the unlabelled texts, without them, and the peer with them."""

    cell: Cell
    helped: Scored
    alone: Scored
    weight: float
    peer: tuple[float, ...] = ()  # its accuracy at each of ALPHAS
    peer_seconds: float = 0.0

    @property
    def gain(self) -> float:
        """Points of accuracy."""
        return 100 * (self.helped.accuracy - self.alone.accuracy)


Found = Mapping[tuple[str, int], Sequence[Outcome]]  # by texts and labels of each class


def cells(quick: bool) -> list[Cell]:
    """The largest first, so that both processes end about together."""
    seeds = range(1 if quick else 5)
    wanted = []
    for name in latent_data.names():
        curve = name == NEWSGROUPS
        grid = sorted({*GRID, *(CURVE if curve else ())})
        if quick:
            grid = [5, 15] if curve else [1, 20]
        wanted += [Cell(name, n, seed, curve and n in CURVE) for n in grid for seed in seeds]
    return sorted(wanted, key=lambda cell: (cell.name != NEWSGROUPS, not cell.peer))


def measure(quick: bool, processes: int) -> Found:
    """The whole grid."""
    found = defaultdict(list)
    wanted = cells(quick)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for done, outcome in enumerate(pool.map(outcome_of, wanted), 1):
            cell = outcome.cell
            found[cell.name, cell.per_class].append(outcome)
            print(f"half-labelled: {done} of {len(wanted)}, {cell.name}, {cell.per_class} a class", file=sys.stderr)
    return found


def outcome_of(cell: Cell) -> Outcome:
    """One of them, on one thread."""
    texts = latent_data.texts(cell.name)
    labels = texts.shown(cell.per_class, cell.seed)
    model, helped = _scored(TextClassifier(n_jobs=1), texts, labels)
    _, alone = _scored(TextClassifier(n_jobs=1, unlabelled="skip"), texts, labels)
    weight = 0.0 if model.hidden_ is None else model.hidden_.unlabelled_weight
    if not cell.peer:
        return Outcome(cell, helped, alone, weight)
    return Outcome(cell, helped, alone, weight, *_self_trained(cell, labels))


def _scored(model: TextClassifier, texts: latent_data.Texts, labels: list[str | None]) -> tuple[TextClassifier, Scored]:
    start = perf_counter()
    model.fit(texts.learned, labels)
    seconds = perf_counter() - start
    return model, Scored.of(model.evaluate(texts.judged, texts.truth), seconds)


@lru_cache(1)
def _counted(name: str) -> tuple[Any, Any, float]:
    """The words of all texts to learn, those of the texts to be judged by, and the seconds that the former took."""
    texts = latent_data.texts(name)
    start = perf_counter()
    vectorizer = CountVectorizer(analyzer=Analyzer().features_of)
    X = vectorizer.fit_transform(texts.learned)
    seconds = perf_counter() - start
    return X, vectorizer.transform(texts.judged), seconds


def _self_trained(cell: Cell, labels: list[str | None]) -> tuple[tuple[float, ...], float]:
    """The peer: naive Bayes that learns what it is sure of. Accuracy at each alpha, and seconds of the last."""
    X, unseen, counting = _counted(cell.name)
    texts = latent_data.texts(cell.name)
    classes, numbers = np.unique(texts.labels, return_inverse=True)
    known = np.array([label is not None for label in labels])
    found, seconds = [], 0.0
    for alpha in ALPHAS:
        start = perf_counter()
        model = SelfTrainingClassifier(MultinomialNB(alpha=alpha)).fit(X, np.where(known, numbers, -1))
        seconds = perf_counter() - start
        found.append(float((classes[model.predict(unseen)] == np.array(texts.truth)).mean()))
    return tuple(found), counting + seconds


def figures(found: Found) -> list[report.Figure]:
    """The targets."""
    figures = []
    for n, asked in ASKED.items():
        if (NEWSGROUPS, n) in found:
            accuracies = [100 * one.helped.accuracy for one in found[NEWSGROUPS, n]]
            for name, value in (("seed 0", accuracies[0]), (f"mean of {len(accuracies)}", fmean(accuracies))):
                said = f"accuracy on {NEWSGROUPS}, {n} labels a class, {name}"
                figures.append(report.Figure(said, value, " %", min(accuracies), max(accuracies), asked))
    gains = {cell: fmean(one.gain for one in ones) for cell, ones in found.items()}
    (name, n), worst = min(gains.items(), key=lambda item: item[1])
    said = f"points gained by unlabelled texts: lowest mean ({name}, {n} a class)"
    figures.append(report.Figure(said, worst, "", min(gains.values()), max(gains.values()), MOST_LOST))
    by_name = {name: fmean(gains[cell] for cell in gains if cell[0] == name) for name, _ in gains}
    worst_name = min(by_name, key=by_name.__getitem__)
    said = f"points gained by unlabelled texts: lowest mean of a set of texts ({worst_name})"
    figures.append(report.Figure(said, by_name[worst_name], "", *_range(by_name.values()), MOST_LOST))
    lost = [gain for ones in found.values() for gain in (one.gain for one in ones)]
    figures.append(report.Figure("points gained by unlabelled texts: lowest of single draws", min(lost), ""))
    return figures


def sections(found: Found) -> list[str]:
    """The learning curve, then the grid."""
    curve = [_curve_row(n, found[NEWSGROUPS, n]) for n in CURVE if (NEWSGROUPS, n) in found]
    counts = sorted({n for _, n in found if n in GRID})
    names = list(dict.fromkeys(name for name, _ in found))
    names.sort(key=latent_data.NAMES.index)
    heads = ["points gained", *(f"{n}" for n in counts), "mean"]
    every = [["accuracy", *(f"{n}" for n in counts)]]
    for name in names:
        here = [found.get((name, n)) for n in counts]
        every.append([name, *("" if ones is None else _both(ones) for ones in here)])
    parts = [] if not curve else [f"### {NEWSGROUPS}", report.table(CURVE_HEADS, curve)]
    return [
        *parts,
        "### Do no harm",
        report.table(heads, [_gain_row(name, [found.get((name, n)) for n in counts]) for name in names]),
        "Mean accuracy in percent, without the unlabelled texts and with them; in brackets, of how many draws the "
        "weight was chosen above 0:",
        report.table(every[0], every[1:]),
    ]


def _curve_row(n: int, ones: Sequence[Outcome]) -> list[str]:
    def means(name: str, scale: float, form: str) -> list[str]:
        both = [[getattr(one.helped, name) for one in ones], [getattr(one.alone, name) for one in ones]]
        return [form.format(scale * fmean(values)) for values in both]

    peer = [f"{100 * fmean(one.peer[place] for one in ones):.1f} %" for place in range(len(ALPHAS))]
    weighed = sum(one.weight > 0 for one in ones)
    return [
        f"{n}", f"{len(ones)}", *means("accuracy", 100, "{:.1f} %"), f"{fmean(one.gain for one in ones):+.1f}",
        *means("log_loss", 1, "{:.3f}"), *means("ece", 1, "{:.3f}"), f"{weighed} of {len(ones)}",
        *means("seconds", 1, "{:.2f}"), *peer, f"{fmean(one.peer_seconds for one in ones):.2f}",
    ]  # fmt: skip


def _gain_row(name: str, here: Sequence[Sequence[Outcome] | None]) -> list[str]:
    gains = [None if ones is None else fmean(one.gain for one in ones) for ones in here]
    known = [gain for gain in gains if gain is not None]
    return [name, *("" if gain is None else f"{gain:+.2f}" for gain in gains), f"{fmean(known):+.2f}"]


def _both(ones: Sequence[Outcome]) -> str:
    alone, helped = (100 * fmean(getattr(one, who).accuracy for one in ones) for who in ("alone", "helped"))
    return f"{alone:.1f} -> {helped:.1f} ({sum(one.weight > 0 for one in ones)})"


def _range(values: Iterable[float]) -> tuple[float, float]:
    known = list(values)
    return min(known), max(known)
