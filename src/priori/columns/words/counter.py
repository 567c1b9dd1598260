"""A pass over documents: batches are added to a counter, which leaves a summary.

Summaries add and subtract.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from priori.columns.words.encoded import Sample
from priori.errors import DataError
from priori.statistics import Counts
from priori.statistics.term_counts import UNIT_BITS, refuse_overflow, to_units
from priori.statistics.word_forms import Forms
from priori.text.analyzer import Analyzer, Tokenizer

if TYPE_CHECKING:  # what reads data is loaded when there is some: a message is classified without it
    import pyarrow as pa

    from priori.data.batch import Batch
    from priori.text.token_lists import WordLists


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


class Accumulator:
    """A running summary: add batches, then read it off. One thread at a time."""

    def __init__(self, analyzer: Analyzer, tokenizer: Tokenizer | None, keep_sample: bool, weighted: bool) -> None:
        self.analyzer = analyzer
        self.tokenizer = tokenizer
        self.keep_sample = keep_sample
        self.weighted = weighted
        self.counter = analyzer.counter(keep_sample)
        self.rows = 0
        self.unlabelled = 0
        self.weight = 0.0  # in units, as a float, so that it cannot overflow

    def add(self, batch: "Batch") -> None:
        """Count one batch."""
        from priori.text.token_lists import word_lists

        if batch.label is None:
            raise DataError("the data has no labels to learn from; name their column with --label (label=)")
        weights = self._units(batch)
        self.weight += len(batch) if weights is None else float(weights.sum(dtype=np.float64))
        refuse_overflow(self.weight)
        words = word_lists(batch.text, self.tokenizer)
        if words is None:
            fields = self.analyzer.columns(batch.fields)
            self.unlabelled += self.counter.add(batch.text, batch.label, weights, fields)
        else:
            self.unlabelled += self._add_words(words, batch.label, weights)
        self.rows += len(batch)

    def _add_words(self, words: "WordLists", labels: "pa.Array", weights: Any) -> int:
        if words.counts is None:
            return self.counter.add_words(words.names, words.offsets, words.indices, labels, weights)
        self.analyzer.refuse_counts()
        return self.counter.add_counts(words.names, words.offsets, words.indices, words.counts, labels, weights)

    def _units(self, batch: "Batch") -> Any:
        from priori.store import arrow_views

        if batch.weight is not None:
            if not self.weighted:
                raise DataError("documents came with weights, but whole documents were announced; give weighted=True")
            return to_units(arrow_views.numbers(batch.weight))
        return np.full(len(batch), 1 << UNIT_BITS, np.int64) if self.weighted else None

    def finish(self) -> Summary:
        """What has been counted so far."""
        arrays = self.counter.finish()
        # subtle: the weights did not overflow (see add), so the histogram is right, and it bounds every other sum
        refuse_overflow(float(((arrays["length"] + 1.0) * arrays["length_documents"]).sum()))
        counts = Counts.from_core(arrays, UNIT_BITS if self.weighted else 0)
        sample = Sample.from_core(arrays["sample"]) if self.keep_sample else None
        if sample is not None and self.weighted:
            sample = sample.in_units(UNIT_BITS - counts.unit_bits)
        forms = Forms.from_core(arrays["forms"], UNIT_BITS if self.weighted else 0) if "forms" in arrays else None
        return Summary(counts, sample, self.rows, self.unlabelled, forms=forms)
