"""log p(x, y) of documents without themselves under language models: what refits would say of the classes left.

Without a block of documents only the n-grams that it has change: their counts, how many ways go on to the left, what
follows each history, the counts of counts that discounts are made of. They are laid out as nodes of their own, one
group for each block and class that loses something, and read by the very functions that read the whole. Where the block
takes tokens away that only it had, V changes for all classes, so all are read anew. Numbers that the counts were asked
for (mu, weights of shorter histories) stay as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.columns.words.event_models import weights_of
from priori.columns.words.left_out.closed_form import Scores
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.language_groups import Part
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading
from priori.language.ngrams import Chained
from priori.statistics import Counts
from priori.text import Grams

Floats = npt.NDArray[np.float64]

ENTRIES = 1 << 18  # of documents that are looked at together


@dataclass(frozen=True, eq=False)
class LanguageLeftOut:
    """Language models of some counts, and documents to leave out of them."""

    counts: Counts
    reading: Reading
    documents: Documents  # block by block
    order: npt.NDArray[np.intp]  # rows by block
    readings: Readings
    chained: Chained
    fixed: bool

    @classmethod
    def of(cls, counts: Counts, readings: Readings, documents: Documents, fixed: bool, grams: Grams) -> Self:
        """Gather."""
        reading = Reading.of(counts, replace(readings.prior, alpha=1.0), None, False)
        order = np.argsort(documents.block, kind="stable")
        rows = documents.rows(order)
        block = np.unique(rows.block, return_inverse=True)[1].astype(np.int32)
        return cls(counts, reading, replace(rows, block=block), order, readings, Chained.of(counts, grams), fixed)

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.reading.labels)

    def scores(self, readings: Readings, jobs: int = 1, most: int | None = None) -> Scores:
        """Under these readings; with `most` only of the first whole blocks, about so many rows."""
        rows = self.documents if most is None else self.documents.rows(np.arange(self.documents.whole_blocks(most)))
        weights = weights_of(self.counts, readings, None, self.chained)
        parts = [
            Part.of(weights, self.counts, part, readings, fixed=self.fixed, total=self._term_total).scores()
            for part in _in_parts(rows)
        ]
        parts.append((np.zeros((0, len(self.counts.labels))), np.zeros(0), np.zeros(0)))  # there may be none
        joint, features, known = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        if most is not None:
            return Scores(joint, features, known, self.order[: len(rows)])
        back = np.argsort(self.order)
        return Scores(joint[back], features[back], known[back], np.arange(len(back)))

    @cached_property
    def _term_total(self) -> Floats:
        return np.asarray(self.counts.term_totals() * self.counts.unit)


def _in_parts(rows: Documents) -> Iterator[Documents]:
    """Whole blocks, as many as have room."""
    starts = np.flatnonzero(np.append(True, rows.block[1:] != rows.block[:-1])) if len(rows) else np.zeros(0, int)
    ends = np.append(starts[1:], len(rows))
    first = 0
    for block, end in enumerate(ends):
        last = block + 1 == len(ends) or rows.offsets[ends[block + 1]] - rows.offsets[first] > ENTRIES
        if last:
            yield rows.rows(np.arange(first, end))
            first = int(end)
