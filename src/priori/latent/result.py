"""What clustering has found: classes in order, a model like any other, and p(y | x) of every document.

The model comes from responsibilities: each document counts in every class, for its share of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.readings import Estimate
from priori.columns.words.counter import Summary
from priori.columns.words.readings import Prior, Readings
from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.seed_words import Seeds
from priori.model.classifier import Model
from priori.model.fitting.parameters import Fitted
from priori.model.posterior import component_names
from priori.statistics.term_counts import UNIT_BITS, Counts, refuse_overflow, to_units

if TYPE_CHECKING:
    from priori.columns.words.term_ranking import Term
    from priori.latent.em_algorithm.iteration import Temper

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """The classes that were found. Those without a name are "1", "2", ... from the largest to the smallest."""

    classes: tuple[str, ...]
    sizes: Floats  # (K,) expected documents, in the order of the classes
    probabilities: Floats  # (n, K) p(y | x), in the order of the classes; 1 for the label of a labelled document
    model: Model
    log_likelihood: float  # of EM untempered, of Gibbs the mean log joint after burn-in
    named: tuple[str, ...] = ()  # classes that labels or seed words have named
    unseen: tuple[str, ...] = ()  # seed words that no document has
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the method has to say of itself
    by_class: Counts | None = None  # where classes have several components, of which the model has the counts

    def __repr__(self) -> str:
        named = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        classes = "1 class" if len(self.classes) == 1 else f"{len(self.classes)} classes"
        return (
            f"<Found: {classes} ({named}), {len(self.probabilities):,} documents, "
            f"log-likelihood {self.log_likelihood:,.2f}>"
        )

    @property
    def shares(self) -> Floats:
        """(K,) of the documents."""
        return np.asarray(self.sizes / self.sizes.sum())

    @property
    def assigned(self) -> npt.NDArray[np.intp]:
        """(n,) the place of each document's most probable class."""
        return np.asarray(self.probabilities.argmax(axis=1))

    def telling(self, most: int = 10) -> dict[str, list["Term"]]:
        """The words of each class against the rest, by the z-score of their log-odds."""
        from priori.columns.words.term_ranking import rank

        counts = self.model.counts if self.by_class is None else self.by_class
        empty: dict[str, list[Term]] = {name: [] for name in self.classes}
        return empty | {name: rank(counts, "log-odds", name, most) for name in self.classes if name in counts.labels}


def by_size(names: tuple[str, ...], known: tuple[str, ...], sizes: Floats) -> npt.NDArray[np.intp]:
    """order[k]: the place that takes place k, so that of the classes without a name the largest come first.

    >>> by_size(("ham", "1", "2"), ("ham",), np.array([5.0, 2.0, 9.0]))
    array([0, 2, 1])
    """
    order = np.arange(len(names))
    free = np.array([k for k, name in enumerate(names) if name not in known], np.intp)
    order[free] = free[np.argsort(-sizes[free], kind="stable")]
    return order


def model_of(
    corpus: Corpus,
    classes: tuple[str, ...],
    shares: Floats,
    *,
    event: str,
    estimate: Estimate,
    alpha: float,
    documents: float,
    seeds: Seeds | None,
    temper: "Temper | None" = None,
) -> Model:
    """The model of documents that belong to components of classes by these shares, (n, C), times their weights.

    It is read as EM has read the expected counts: by the same estimate, alpha and imagined documents. Under a temper
    its p(y | x) is p(x, y)^t, as the responsibilities were.
    """
    if estimate == "ml":  # the mean with nothing imagined; a reading called ml cannot be tempered
        estimate, alpha, documents, seeds = "bayes", 0.0, 0.0, None
    components = shares.shape[1] // len(classes)
    parts = {part: label for label in classes for part in component_names(label, components)}
    words = {} if seeds is None else named_alphas(corpus, classes, seeds.words)
    more = {
        part: {word: alpha + value for word, value in words[label].items()}
        for part, label in parts.items()
        if label in words
    }
    tempered = temper is not None and not temper.plain
    readings = Readings(
        event=event,  # type: ignore[arg-type]  # one of the two that have a mixture
        estimate=estimate,
        prior=Prior(alpha, classes={label: table for label, table in more.items() if table}),
        class_prior=documents,
        calibrate=tempered,
        components=parts if components > 1 else {},
    )
    fitted = Fitted(readings, None, temper.calibration()) if temper is not None and tempered else None
    return counted_model(corpus, tuple(parts), np.ascontiguousarray(shares), readings, fitted)


# --- responsibilities as counts ---------------------------------------------------------------------------------------


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
    """Priors of words by class, as `priori.Prior` takes them: of classes and words that there are."""
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
