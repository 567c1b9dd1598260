"""log p(x, y) of documents without themselves, under any reading and any prior.

What a block of documents takes away is gathered once (native/left_out.hpp); every further prior only reads it. With
`fixed` the vocabulary stays; without, words that only the block had are unknown, as they
would be had it never been learned. docs/maths/leave_one_out.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.class_prior import log_class_prior
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.term_ranks import Chosen
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading
from priori.errors import EstimateError
from priori.statistics import Counts

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scores:
    """log p(x, y) of each document without its block, (n, K); its features, and those that still have a place."""

    joint: Floats
    features: Floats
    known: Floats
    rows: npt.NDArray[np.intp]  # which documents they are


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What is left of some counts without each block of documents."""

    reading: Reading  # at alpha 0
    slope: Reading | None  # at alpha 1, where some terms have a prior of their own
    core: _core.LeftOut
    order: npt.NDArray[np.intp]  # rows by block
    readings: Readings
    once: bool  # whether a feature counts once in a document
    chosen: Chosen | None = None  # terms chosen without each block; None: all are read

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.reading.labels)

    @classmethod
    def of(
        cls, counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, documents: Documents, fixed: bool
    ) -> Self:
        """Gather. The event model and the named priors are those of the readings; alpha and the rest may change."""
        dense = readings.event == "bernoulli"
        prior = readings.prior
        if prior.proportional:
            raise EstimateError(
                "a proportional prior moves with every document that is left out; leave out with proportional=False"
            )
        named = bool(prior.terms or prior.classes)
        reading = Reading.of(counts, replace(prior, alpha=0.0), vocabulary, dense)
        slope = Reading.of(counts, replace(prior, alpha=1.0), vocabulary, dense) if named else None
        documents = documents.of_reading(reading.seen)
        order = np.argsort(documents.block, kind="stable")
        rows = documents if bool((order == np.arange(len(order))).all()) else documents.rows(order)
        core = _core.LeftOut.of(
            reading.pair_offsets,
            reading.pair_class,
            reading.occurrences,
            reading.documents,
            reading.class_occurrences,
            reading.class_documents,
            reading.stays(vocabulary is not None),
            fixed,
            rows.offsets,
            rows.term,
            rows.count,
            rows.cls,
            rows.weight,
            rows.block,
            rows.unknown,
            order.astype(np.int64),
        )
        return cls(reading, slope, core, order, readings, documents.once)

    def scores(self, readings: Readings, jobs: int = 1, most: int | None = None) -> Scores:
        """Under these readings, which may differ from those gathered for in all but event and named priors.

        With `most` only of the first whole blocks that have at most so many rows, block by block.
        """
        event = "urn" if readings.event == "multinomial" and readings.estimate == "integrated" else readings.event
        alpha, total, pair, term = self._pseudo(readings)
        if event == "urn" and (alpha <= 0 or (pair is not None and pair.min(initial=1) <= 0)):
            raise EstimateError("integrating the parameters out needs a proper prior; use alpha > 0")
        if event == "complement" and (alpha <= 0 or (pair is not None and pair.min(initial=1) <= 0)):
            raise EstimateError(
                "the complement of a word's only class has count 0, whose logarithm is infinite; use alpha > 0"
            )
        log_prior, documents = self._class_prior(readings)
        joint, features, known = self.core.scores(
            event, alpha, readings.unknown == "prior", self.once, total, pair, term, log_prior, documents,
            *self._histogram(alpha, readings), *self._chosen(), len(self.order) if most is None else most, jobs,
        )  # fmt: skip
        if most is not None or bool((self.order[1:] > self.order[:-1]).all()):
            return Scores(joint, features, known, self.order[: len(joint)])
        back = np.argsort(self.order)
        return Scores(joint[back], features[back], known[back], np.arange(len(back)))

    def _chosen(self) -> tuple[Any, Any, Any]:
        chosen = self.chosen
        return (None, None, None) if chosen is None else (chosen.out, chosen.total, chosen.places)

    def _pseudo(self, readings: Readings) -> tuple[float, Floats, Floats | None, Floats | None]:
        """What is added to the counts: of other terms and of unknown words, by class, by pair and by term."""
        classes = len(self.reading.labels)
        if readings.estimate == "ml":
            return 0.0, np.zeros(classes), None, None
        less = 1.0 if readings.estimate == "map" else 0.0
        alpha = _number(readings.prior.alpha)
        if self.slope is None:
            return alpha - less, np.full(classes, (alpha - less) * self.reading.terms), None, None
        at0, at1 = self.reading.prior, self.slope.prior
        pair = at0.pair + alpha * (at1.pair - at0.pair) - less
        term = np.broadcast_to(at0.term + alpha * (at1.term - at0.term) - less, (self.reading.terms,))
        total = at0.total + alpha * (at1.total - at0.total) - less * self.reading.terms
        return alpha - less, total, pair[self.core.pair_ids()], term[self.core.term_ids()]

    def _class_prior(self, readings: Readings) -> tuple[Floats | None, float | None]:
        labels, prior = self.reading.labels, readings.class_prior
        if readings.event == "complement" and len(labels) > 1 and not readings.calibrated:
            return np.zeros(len(labels)), None
        if isinstance(prior, Mapping):
            return log_class_prior(labels, self.reading.class_documents, prior, readings.estimate), None
        if prior == "uniform":
            return None, None
        pseudo = 0.0 if prior == "ml" else float(prior) - (1.0 if readings.estimate == "map" else 0.0)
        return None, pseudo

    def _histogram(self, alpha: float, readings: Readings) -> tuple[Any, Any, Any, Any]:
        """Pairs by class, documents and prior, for the Bernoulli's absent words."""
        if readings.event != "bernoulli":
            return np.zeros(1, np.int64), np.zeros(0), np.zeros(0), np.zeros(0)
        offsets, documents, times = self._document_counts
        if self.slope is None or readings.estimate == "ml":
            return offsets, documents, np.full(len(documents), alpha), times
        less = 1.0 if readings.estimate == "map" else 0.0
        at0, at1 = self.reading.prior.pair, self.slope.prior.pair
        own = at0 + _number(readings.prior.alpha) * (at1 - at0) - less
        order = np.argsort(self.reading.pair_class, kind="stable")
        counts = np.bincount(self.reading.pair_class, minlength=len(self.reading.labels))
        whole = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return whole, self.reading.documents[order], own[order], np.ones(len(order))

    @cached_property
    def _document_counts(self) -> tuple[Int64s, Floats, Floats]:
        """How many pairs of each class have so many documents."""
        classes, documents = self.reading.pair_class, self.reading.documents
        order = np.lexsort((documents, classes))
        cls, values = classes[order], documents[order]
        first = np.ones(len(order), bool)
        first[1:] = (cls[1:] != cls[:-1]) | (values[1:] != values[:-1])
        starts = np.flatnonzero(first)
        times = np.diff(np.append(starts, len(order))).astype(np.float64)
        offsets = np.searchsorted(cls[starts], np.arange(len(self.reading.labels) + 1)).astype(np.int64)
        return offsets, values[starts], times


def _number(alpha: object) -> float:
    if not isinstance(alpha, float):
        raise EstimateError("alpha is still to be chosen; give a number")
    return alpha
