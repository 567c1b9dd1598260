"""What a pass over documents leaves; summaries add and subtract."""

from dataclasses import dataclass
from typing import Self

from priori.corpus.sample import Sample
from priori.statistics import Counts
from priori.statistics.forms import Forms


@dataclass(frozen=True)
class Summary:
    """What a pass over some documents leaves: counts, a sample, and how many rows were seen and skipped.

    hidden: some documents had no label and count where the others' words have put them.
    forms: the words as they were written, where their stems are counted.
    """

    counts: Counts
    sample: Sample | None
    rows: int = 0
    unlabelled: int = 0
    hidden: bool = False
    forms: Forms | None = None

    def __add__(self, other: Self) -> Self:
        return self.combined(other, 1)

    def __sub__(self, other: Self) -> Self:
        return self.combined(other, -1)

    def combined(self, other: Self, sign: int) -> Self:
        """self + sign * other; the samples follow the counts, and rows seen are rows seen."""
        counts, my_terms, their_terms, my_classes, their_classes = self.counts.combined(other.counts, sign)
        sample = None
        if self.sample is not None and other.sample is not None:
            bits = max(self.counts.unit_bits, other.counts.unit_bits)
            mine, theirs = 1 << (bits - self.counts.unit_bits), sign << (bits - other.counts.unit_bits)
            left = self.sample.renamed(my_terms, my_classes, mine)
            right = other.sample.renamed(their_terms, their_classes, theirs)
            sample = (left + right).in_units(bits - counts.unit_bits)
        rows, unlabelled = self.rows + other.rows, self.unlabelled + other.unlabelled
        forms = None
        if self.forms is not None or other.forms is not None:
            these, those = self.forms or Forms.empty(), other.forms or Forms.empty()
            forms = these + those if sign > 0 else these - those
        return type(self)(counts, sample, rows, unlabelled, self.hidden or other.hidden, forms)
