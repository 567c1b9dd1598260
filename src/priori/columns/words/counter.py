"""What every engine does: `summarize` maps batches to a Summary, `+` combines two, and a Model is finished from one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from priori.corpus.sample import Sample
from priori.corpus.summary import Summary
from priori.errors import DataError
from priori.sources import Batch
from priori.statistics import Counts
from priori.statistics.counts import UNIT_BITS, refuse_overflow, to_units
from priori.statistics.forms import Forms
from priori.store import views
from priori.text import Analyzer
from priori.text.wordlists import WordLists, word_lists

Tokenizer = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Progress:
    """How far a pass over the data has come."""

    documents: int
    bytes_read: int
    bytes_total: int | None


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

    def add(self, batch: Batch) -> None:
        """Count one batch."""
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

    def _add_words(self, words: WordLists, labels: pa.Array, weights: Any) -> int:
        if words.counts is None:
            return self.counter.add_words(words.names, words.offsets, words.indices, labels, weights)
        self.analyzer.refuse_counts()
        return self.counter.add_counts(words.names, words.offsets, words.indices, words.counts, labels, weights)

    def _units(self, batch: Batch) -> Any:
        if batch.weight is not None:
            if not self.weighted:
                raise DataError("documents came with weights, but whole documents were announced; give weighted=True")
            return to_units(views.numbers(batch.weight))
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


def summarize(
    batches: Iterable[Batch], analyzer: Analyzer, keep_sample: bool = True, weighted: bool = False
) -> Summary:
    """Map: the summary of some batches. Any split of the data, in any order, adds up to the same."""
    accumulator = Accumulator(analyzer, None, keep_sample, weighted)
    for batch in batches:
        accumulator.add(batch)
    return accumulator.finish()
