"""Documents left out block by block, the counts subtracted and read anew: exact for every reading, as refits are.

It costs a reading of all counts for each block, so it is for folds, for few documents, and for what no shorter way
knows.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.left_out.documents import Documents
from priori.left_out.scores import LeftOut, Scores
from priori.rankings.chosen import chosen_terms
from priori.readings import Readings
from priori.statistics import Counts
from priori.term_selection import TermSelection

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_KEPT = 32  # blocks whose readings are kept for other priors


@dataclass(frozen=True, eq=False)
class ByBlock:
    """What is left of some counts without each block of documents, gathered when it is asked for."""

    counts: Counts
    rows: Documents  # in the terms of the counts
    _known: dict[Any, tuple[LeftOut, Places]] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Counts, documents: Documents) -> Self:
        """Of documents that were learned, or not (class -1)."""
        return cls(counts, documents)

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.counts.labels)

    def scores(self, readings: Readings, jobs: int = 1, most: int | None = None) -> Scores:
        """As `LeftOut.scores`, for any readings."""
        order = np.argsort(self.rows.block, kind="stable")
        if most is not None:
            order = order[: self.rows.rows(order).whole_blocks(most, within=True)]
        else:
            order = np.arange(len(self.rows))
        joint = np.full((len(order), self.classes), -np.inf)
        features, known = np.zeros(len(order)), np.zeros(len(order))
        block = self.rows.block[order]
        for number in np.unique(block).tolist():
            here = np.flatnonzero(block == number)
            left, classes = self._without(number, order[here], readings)
            if not len(classes):
                features[here] = _lengths(self.rows.rows(order[here]))
                continue
            found = left.scores(readings.of_all_terms(), jobs)
            joint[np.ix_(here, classes)] = found.joint
            features[here], known[here] = found.features, found.known
        return Scores(joint, features, known, order)

    def _without(self, number: int, rows: Places, readings: Readings) -> tuple[LeftOut, Places]:
        key = (number, len(rows), readings.select, readings.event)
        if key in self._known:
            return self._known[key]
        some = self.rows.rows(rows)
        left, ids = subtracted(self.counts, some)
        chosen, place = left, np.full(self.counts.terms, -1, np.int64)
        if readings.select is not None:
            kept = chosen_terms(left, TermSelection.of(readings.select))
            chosen, ids = left.only(kept), ids[kept]
        place[ids] = np.arange(len(ids))
        of_class = {label: k for k, label in enumerate(self.counts.labels)}
        classes = np.array([of_class[label] for label in chosen.labels], np.intp)
        strangers = replace(some.of_places(place), cls=np.full(len(some), -1, np.int32))  # nothing more to take away
        found = LeftOut.of(chosen, readings.of_all_terms(), None, strangers, fixed=False)
        if len(self._known) < _KEPT:
            self._known[key] = found, classes
        return found, classes


def _lengths(rows: Documents) -> Floats:
    """All features of each."""
    before = np.concatenate([[0.0], np.cumsum(rows.count, dtype=np.float64)])
    known = np.diff(before[rows.offsets])
    return known if rows.unknown is None else known + rows.unknown


def subtracted(counts: Counts, rows: Documents) -> tuple[Counts, npt.NDArray[np.intp]]:
    """The counts without some documents, but for the lengths, which no reading needs; and the terms that stay."""
    units = np.rint(rows.weight / counts.unit).astype(np.int64)
    row = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    row_class = rows.cls[row]
    learned = np.flatnonzero((row_class >= 0) & (units[row] != 0))
    keys = counts.pair_term.astype(np.int64) * len(counts.labels) + counts.pair_class
    pair = np.searchsorted(keys, rows.term[learned].astype(np.int64) * len(counts.labels) + row_class[learned])
    occurrences, documents = counts.pair_occurrences.copy(), counts.pair_documents.copy()
    np.subtract.at(occurrences, pair, units[row[learned]] * rows.count[learned])
    np.subtract.at(documents, pair, units[row[learned]])
    class_documents = counts.class_documents.copy()
    known = rows.cls >= 0
    np.subtract.at(class_documents, rows.cls[known], units[known])
    stays = (occurrences != 0) | (documents != 0)
    ends = np.concatenate([[0], np.cumsum(stays)])
    none64, none32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
    left = replace(
        counts,
        class_documents=class_documents,
        pair_offsets=ends[counts.pair_offsets].astype(np.int64),
        pair_class=counts.pair_class[stays],
        pair_occurrences=occurrences[stays],
        pair_documents=documents[stays],
        length_class=none32,
        length=none64,
        length_documents=none64,
    )
    stay = np.diff(left.pair_offsets) > 0
    return left.only(stay).canonical(), np.flatnonzero(stay)
