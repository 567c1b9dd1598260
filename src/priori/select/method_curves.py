"""How good each technique is by the number of labels, from none to all: where labels begin to matter, and how far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from priori.errors import DataError
from priori.latent.corpus import Bools, Corpus
from priori.select.learning_curves import Scores
from priori.select.method_comparison import WAYS, Row, measured
from priori.select.methods import USUAL, Effort
from priori.select.splits import parted

Size: TypeAlias = int | None  # labels of each class; None: all there are


@dataclass(frozen=True, eq=False)
class TechniqueCurve:
    """One technique. Its sizes are those at which it can be had: without labels there is no supervised one."""

    name: str
    supervised: bool
    sizes: tuple[Size, ...]
    accuracy: Scores
    undecided: Scores  # share of the documents
    nmi: Scores
    log_loss: Scores

    def to_json(self) -> dict[str, Any]:
        """Plain values; null for what is infinite."""
        return {
            "technique": self.name,
            "supervised": self.supervised,
            "labels_per_class": ["all" if size is None else size for size in self.sizes],
            "accuracy": self.accuracy.to_json(),
            "undecided": self.undecided.to_json(),
            "nmi": self.nmi.to_json(),
            "log_loss": self.log_loss.to_json(),
        }


@dataclass(frozen=True, eq=False)
class TechniqueCurves:
    """All techniques on the same labels and the same held-out documents."""

    sizes: tuple[Size, ...]
    repeats: int
    test_documents: int
    classes: tuple[str, ...]
    curves: tuple[TechniqueCurve, ...]
    notes: tuple[str, ...]  # such as chains that do not agree

    def __getitem__(self, name: str) -> TechniqueCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise DataError(f"there is no technique {name!r}; there are {', '.join(curve.name for curve in self.curves)}")

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "labels_per_class": ["all" if size is None else size for size in self.sizes],
            "repeats": self.repeats,
            "test_documents": self.test_documents,
            "techniques": [curve.to_json() for curve in self.curves],
            "notes": list(self.notes),
        }


def label_sizes(cls: Sequence[int] | np.ndarray[Any, Any]) -> tuple[Size, ...]:
    """0, 1, 2, 5, 10, 20, 50, ... below the documents of the largest class, and all.

    >>> label_sizes([0] * 12 + [1] * 3 + [-1])
    (0, 1, 2, 5, 10, None)
    """
    known = np.asarray(cls)
    largest = int(np.bincount(known[known >= 0], minlength=1).max())
    steps = [factor * 10**power for power in range(len(str(largest))) for factor in (1, 2, 5)]
    return (0, *(step for step in steps if step < largest), None)


def technique_curves(
    corpus: Corpus,
    test: Bools | None = None,
    *,
    sizes: Sequence[Size] | None = None,
    classes: int | None = None,
    repeats: int = 3,
    seed: int = 0,
    effort: Effort = USUAL,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TechniqueCurves:
    """Measure every technique at every size. Each repeat has its own seed: other labels, and another part held out."""
    if repeats < 1:
        raise DataError(f"repeats={repeats} measures nothing; give a number from 1")
    places: tuple[Size, ...] = _ordered(sizes) if sizes is not None else ()
    rows: dict[tuple[str, Size], list[Row]] = {}
    documents = 0
    for repeat in range(repeats):
        parts = parted(corpus, test, seed + repeat)
        documents = len(parts.test)
        places = places or label_sizes(parts.train.cls)
        for place, size in enumerate(places):
            for number, way in enumerate(WAYS):
                if progress is not None:
                    done = (repeat * len(places) + place) * len(WAYS) + number
                    progress(done, repeats * len(places) * len(WAYS))
                row = measured(way, parts, size, classes=classes, seed=seed + repeat, effort=effort, jobs=jobs)
                rows.setdefault((way.name, size), []).append(row)
    curves = tuple(_curve(way.name, way.supervised, places, rows) for way in WAYS)
    return TechniqueCurves(places, repeats, documents, corpus.labels, curves, _notes(rows, repeats))


def _ordered(sizes: Sequence[Size]) -> tuple[Size, ...]:
    if not sizes or any(size is not None and size < 0 for size in sizes):
        raise DataError("sizes are numbers of labels of each class, from 0; None is for all of them")
    return tuple(sorted(dict.fromkeys(sizes), key=lambda size: np.inf if size is None else size))


def _curve(
    name: str, supervised: bool, sizes: tuple[Size, ...], rows: dict[tuple[str, Size], list[Row]]
) -> TechniqueCurve:
    had = tuple(size for size in sizes if all(row.judgement is not None for row in rows[name, size]))
    judged = [[row.judgement for row in rows[name, size] if row.judgement is not None] for size in had]

    def scores(of: Callable[[Any], float]) -> Scores:
        return Scores(np.array([[of(one) for one in column] for column in judged]).reshape(len(had), -1).T)

    return TechniqueCurve(
        name,
        supervised,
        had,
        scores(lambda one: one.accuracy),
        scores(lambda one: one.undecided / one.documents),
        scores(lambda one: one.nmi),
        scores(lambda one: one.log_loss),
    )


def _notes(rows: dict[tuple[str, Size], list[Row]], repeats: int) -> tuple[str, ...]:
    """Where chains disagreed, at which numbers of labels; and what else is said of every row."""
    disagreed = {}
    others = dict.fromkeys(
        row.note for found in rows.values() for row in found if row.note is not None and "do not agree" not in row.note
    )
    for (name, size), found in rows.items():
        number = sum(row.note is not None and "do not agree" in row.note for row in found)
        if number:
            disagreed[name, size] = number
    if not disagreed:
        return tuple(others)
    places = ", ".join(
        f"{'all' if size is None else size}" + (f" ({number} of {repeats})" if repeats > 1 else "")
        for (_, size), number in disagreed.items()
    )
    told = f"Gibbs chains did not agree (R-hat above 1.1) at labels {places}: there the one with the largest log joint"
    return (*others, told)
