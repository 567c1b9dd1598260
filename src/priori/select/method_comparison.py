"""Relative frequencies, EM, Bayesian estimation and Gibbs sampling side by side, on documents that none has seen."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.settings import class_names
from priori.select.method_scores import Judgement, judge
from priori.select.methods import (
    USUAL,
    Effort,
    Task,
    Technique,
    bayesian,
    em_as_in_the_lecture,
    em_tuned,
    gibbs_sampling,
    hidden_text_classifier,
    integrated,
    relative_frequencies,
    text_classifier,
)
from priori.select.splits import Parts, parted


@dataclass(frozen=True)
class Way:
    """A technique by name."""

    name: str
    run: Technique
    needs_labels: bool
    uses_unlabelled: bool
    without_labels: Technique | None = None  # what is run instead where no label is left

    @property
    def supervised(self) -> bool:
        """Whether it learns from labels alone."""
        return not self.uses_unlabelled


WAYS = (
    Way("relative frequencies", relative_frequencies, True, False),
    Way("EM", em_as_in_the_lecture, False, True),
    Way("EM, tuned", em_tuned, False, True),
    Way("Bayesian", bayesian, True, False),
    Way("Bayesian, integrated", integrated, True, False),
    Way("Gibbs", gibbs_sampling, False, True),
    Way("TextClassifier", text_classifier, True, True, hidden_text_classifier),
)


@dataclass(frozen=True)
class Row:
    """One technique: what it learned from, how, and what held-out documents say of it (None: it cannot be had)."""

    name: str
    supervised: bool
    labelled: int
    unlabelled: int
    matched: bool  # whether classes without names were matched with the true ones
    settings: str
    judgement: Judgement | None
    seconds: float
    note: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        judged = None if self.judgement is None else self.judgement.to_json()
        return {
            "technique": self.name,
            "supervised": self.supervised,
            "labelled": self.labelled,
            "unlabelled": self.unlabelled,
            "matched": self.matched,
            "settings": self.settings,
            **({"available": judged is not None} | (judged or {})),
            "seconds": self.seconds,
            "note": self.note,
        }


@dataclass(frozen=True)
class TechniqueComparison:
    """The techniques on one data set. labels: of each class that keep theirs; None: the lecture's table."""

    classes: tuple[str, ...]
    components: int
    labels: int | None
    train_documents: int
    test_documents: int
    terms: int
    official: bool  # whether the test part was given
    copies: int  # documents not learned from, for they are the same as one to measure on
    never_learned: tuple[str, ...]  # labels to measure on that no document to learn from has
    seed: int
    rows: tuple[Row, ...]

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise DataError(f"there is no technique {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "classes": list(self.classes),
            "components": self.components,
            "labels_per_class": self.labels,
            "train_documents": self.train_documents,
            "test_documents": self.test_documents,
            "test": "given" if self.official else "held out",
            "copies_left_out": self.copies,
            "never_learned": list(self.never_learned),
            "terms": self.terms,
            "seed": self.seed,
            "techniques": [row.to_json() for row in self.rows],
        }


def compare_techniques(
    corpus: Corpus,
    test: npt.ArrayLike | None = None,
    *,
    labels: int | None = None,
    classes: int | None = None,
    seed: int = 0,
    effort: Effort = USUAL,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TechniqueComparison:
    """Learn by every technique and measure each on the same documents.

    test: which documents to measure on, as True and False (None: three tenths of the labelled ones, drawn); copies
    of them are not learned from. labels: of each class that keep their label; the others are unlabelled for EM and
    Gibbs, and unused by the supervised techniques. None is the lecture's table: all labels for those that need them,
    none for the others.
    """
    parts = parted(corpus, test, seed)
    rows = []
    for done, way in enumerate(WAYS):
        if progress is not None:
            progress(done, len(WAYS))
        kept = labels if labels is not None else (None if way.needs_labels else 0)
        rows.append(measured(way, parts, kept, classes=classes, seed=seed, effort=effort, jobs=jobs))
    return TechniqueComparison(
        corpus.labels,
        len(class_names(corpus.labels, None, classes)),
        labels,
        len(parts.train),
        len(parts.test),
        parts.train.terms,
        parts.official,
        parts.copies,
        parts.never_learned,
        seed,
        tuple(rows),
    )


def measured(
    way: Way,
    parts: Parts,
    labels: int | None,
    *,
    classes: int | None = None,
    seed: int = 0,
    effort: Effort = USUAL,
    jobs: int | None = None,
) -> Row:
    """One technique with so many labels of each class (None: all)."""
    train = parts.kept(labels, seed)
    known = int(train.labelled.sum())
    run = way.run if known or way.without_labels is None else way.without_labels
    only_named = way.needs_labels and run is way.run
    names = train.labels if only_named else class_names(train.labels, None, classes)
    unlabelled = len(train) - known if way.uses_unlabelled else 0
    if only_named and not known:
        told = "learns from labels, and none is left"
        return Row(way.name, way.supervised, 0, 0, False, told, None, 0.0, None)
    if not known:
        train = train.with_classes(train.cls, ())  # no class has a name, so all of them can change places
    started = time.perf_counter()
    scored = run(Task(train, parts.test, names, seed, effort, jobs))
    seconds = time.perf_counter() - started
    judgement = judge(
        scored.log_joint,
        parts.test.cls,
        len(parts.test.labels),
        length=scored.length,
        temper=scored.temper,
        named=known > 0,
    )
    return Row(
        way.name, way.supervised, known, unlabelled, known == 0, scored.settings, judgement, seconds, scored.note
    )
