"""From responsibilities to a model like any other: each document counts in every class, for its share of it."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.classifier import Model
from priori.corpus.summary import Summary
from priori.errors import DataError
from priori.fitted import Fitted
from priori.latent.corpus import Corpus
from priori.readings import Readings
from priori.statistics import Counts
from priori.statistics.counts import UNIT_BITS, refuse_overflow, to_units

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


def counted_model(
    corpus: Corpus, classes: tuple[str, ...], shares: Floats, readings: Readings, fitted: Fitted | None = None
) -> Model:
    """The model of documents that count so much in each class, (n, K).

    It keeps no documents: they would be left out of counts that other documents' shares have come from.
    """
    counts = counts_of(corpus, classes, shares)
    summary = Summary(counts, None, len(corpus), int((~corpus.labelled).sum()), hidden=True, forms=corpus.forms)
    return Model(corpus.analyzer, summary, readings, tokenizer=corpus.tokenizer, stored=fitted)


def counts_of(corpus: Corpus, classes: tuple[str, ...], shares: Floats) -> Counts:
    """Fractional counts, exact: shares are cut to multiples of 2^-20, and a document's rest goes to its largest."""
    if not bool(((shares >= 0) & np.isfinite(shares)).all()):
        raise DataError("a share of a document is negative or not finite; give finite ones from 0")
    totals = to_units(shares.sum(axis=1))
    units = np.floor(shares * (1 << UNIT_BITS)).astype(np.int64)
    # subtle: whole shares can be a unit more than their sum, which is rounded too; the largest then gives it back
    units[np.arange(len(units)), shares.argmax(axis=1)] += totals - units.sum(axis=1)
    refuse_overflow(float(((corpus.length + 1.0) * totals).sum()))
    order = sorted(range(len(classes)), key=lambda c: classes[c].encode())  # canonical: labels sorted by their bytes
    units = np.ascontiguousarray(units[:, order])
    occurrences = _gathered(corpus, corpus.count, units)
    documents = _gathered(corpus, np.ones_like(corpus.count), units)
    term, cls = np.nonzero(occurrences)
    length_class, length, length_documents = _lengths(corpus.length, units)
    seen = np.flatnonzero(occurrences.any(axis=1))
    sizes = np.diff(corpus.term_offsets)
    kept = np.zeros(corpus.terms, bool)
    kept[seen] = True
    return Counts(
        labels=tuple(classes[c] for c in order),
        class_documents=units.sum(axis=0),
        term_offsets=np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64),
        term_bytes=corpus.term_bytes[np.repeat(kept, sizes)],
        pair_offsets=np.searchsorted(term, np.append(seen, corpus.terms)).astype(np.int64),
        pair_class=cls.astype(np.int32),
        pair_occurrences=occurrences[term, cls],
        pair_documents=documents[term, cls],
        length_class=length_class,
        length=length,
        length_documents=length_documents,
        unit_bits=UNIT_BITS,
    ).canonical()


def named_alphas(
    corpus: Corpus, classes: tuple[str, ...], table: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Priors of words by class, as `priori.readings.Prior` takes them: of classes and words that there are."""
    places = {word for words in table.values() for word in words}
    known = {word for word, at in zip(places, corpus.find(list(places)), strict=True) if at >= 0} if places else set()
    return {
        label: {word: value for word, value in words.items() if word in known}
        for label, words in table.items()
        if label in classes
    }


def _gathered(corpus: Corpus, count: npt.NDArray[np.int32], units: Int64s) -> Int64s:
    """sum over documents of count times units, (V, K): by floats, which are exact up to 2^53, else by integers."""
    if float((corpus.length * units.sum(axis=1)).sum()) < 2.0**53:
        table = np.empty((corpus.terms, units.shape[1]))
        rows = _core.BlockedRows.of(corpus.offsets, corpus.term, count, corpus.terms, 16_384)
        _core.m_pass(rows, units.astype(np.float64), table, 1)
        return table.astype(np.int64)
    whole = np.zeros((corpus.terms, units.shape[1]), np.int64)
    row = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    np.add.at(whole, corpus.term, units[row] * count[:, None])
    return whole


def _lengths(length: Int64s, units: Int64s) -> tuple[npt.NDArray[np.int32], Int64s, Int64s]:
    """How many documents of each class have so many features, by class and length."""
    lengths, place = np.unique(length, return_inverse=True)
    table = np.zeros((units.shape[1], len(lengths)), np.int64)
    np.add.at(table.T, place, units)
    cls, at = np.nonzero(table)
    return cls.astype(np.int32), lengths[at], table[cls, at]
