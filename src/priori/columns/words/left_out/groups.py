"""Documents left out block by block under any reading, exactly, as refits would.

`left_out_of` takes the shortest way that a reading has. `ByBlock` serves every reading: it subtracts the counts of a
block and reads anew, choosing terms anew too. That costs a reading of all counts for each block, so it is for folds,
for few documents, and for what no shorter way knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns.words.event_models import SINGLE
from priori.columns.words.left_out.closed_form import LeftOut, Scores
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.language import LanguageLeftOut
from priori.columns.words.left_out.term_ranks import BY_PRESENCE, chosen_without
from priori.columns.words.readings import Readings
from priori.columns.words.term_selection import TermSelection, chosen_terms, only_selected
from priori.statistics.term_counts import Counts
from priori.text.analyzer import Grams

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_KEPT = 32  # blocks whose readings are kept for other priors


# --- counts read anew -------------------------------------------------------------------------------------------------


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


# --- the shortest way of a reading ------------------------------------------------------------------------------------


def left_out_of(
    counts: Counts,
    readings: Readings,
    vocabulary: tuple[str, ...] | None,
    documents: Documents,
    *,
    fixed: bool,
    grams: Grams = SINGLE,
) -> LeftOut | LanguageLeftOut | ByBlock:
    """What is left without each block of documents; of a fixed vocabulary, the terms that were chosen with it stay.

    grams: how language models take terms apart.
    """
    if readings.event == "language":
        return LanguageLeftOut.of(counts, readings, documents, fixed, grams)
    if readings.select is None:
        return LeftOut.of(counts, readings, vocabulary, documents, fixed)
    if fixed:
        chosen = only_selected(counts, readings.select)
        documents = documents.of_places(chosen.find(counts.term_texts()))
        return LeftOut.of(chosen, readings.of_all_terms(), None, documents, fixed=True)
    most = TermSelection.of(readings.select).most
    if most is None:
        raise AssertionError("how many terms are read was left to the documents, and nobody asked them")
    if not quick(readings):
        return ByBlock.of(counts, documents)
    return each_size(counts, readings, documents, [most])[0]


def quick(readings: Readings) -> bool:
    """Whether leaving out one document is cheap: only its own terms are ranked anew, and absences are not scored."""
    by = None if readings.select is None else TermSelection.of(readings.select).by
    return readings.event in ("multinomial", "complement") and (by is None or by in BY_PRESENCE)


def each_size(counts: Counts, readings: Readings, documents: Documents, sizes: Sequence[int]) -> list[LeftOut]:
    """The same for each number of terms, where it is quick: what blocks take away is gathered once."""
    counts.refuse_negative()
    left = LeftOut.of(counts, readings.of_all_terms(), None, documents, fixed=False)
    rows = documents.rows(left.order) if bool((np.diff(left.order) != 1).any()) else documents
    by = TermSelection.of(str(readings.select)).by
    some = [size for size in sizes if size < counts.terms]  # where there is room for all, all are read
    chosen = dict(zip(some, chosen_without(counts, rows, by, some) if some else [], strict=True))
    return [replace(left, chosen=chosen.get(size)) for size in sizes]
