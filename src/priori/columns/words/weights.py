"""Counts laid out to be read: real numbers, every word that has a place in the model, and the prior of each pair."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.words.readings import Prior
from priori.errors import DataError
from priori.statistics import Counts

if TYPE_CHECKING:  # few models are language models
    from priori.language.table import LanguageWeights

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TermPrior:
    """alpha_cj: by pair, by term (one number when all are equal) and summed by class."""

    pair: Floats  # (P,)
    term: Floats  # (V,) or (1,)
    total: Floats  # (K,) over the vocabulary
    unknown: float  # of the slot for words never seen
    share: Floats | None = None  # (K,) what a class has of `term` and `unknown`; None: all of it

    def minus(self, number: float, terms: int) -> Self:
        """The same with `number` less everywhere: the mode's pseudo-counts are alpha - 1."""
        return replace(
            self,
            pair=self.pair - number,
            term=self.term - number,
            total=self.total - number * terms,
            unknown=self.unknown - number,
        )


@dataclass(frozen=True, eq=False)
class Reading:
    """Counts of all terms that have a place: those seen, those of a given vocabulary, those the prior names."""

    labels: tuple[str, ...]
    terms: int
    term_offsets: Int64s
    term_bytes: npt.NDArray[np.uint8]
    pair_offsets: Int64s
    pair_class: Int32s
    pair_term: Int64s
    occurrences: Floats  # (P,) N_cj
    documents: Floats  # (P,) D_cj
    class_occurrences: Floats  # (K,) N_c
    class_documents: Floats  # (K,) D_c
    prior: TermPrior
    seen: Int64s | None = None  # ids of the counts' terms among these; None: they are the same
    named: Int64s | None = None  # ids of terms that the prior names, which have a place whatever their counts

    def stays(self, all_terms: bool) -> npt.NDArray[np.uint8] | None:
        """Which terms have a place even without counts, (V,); None: none has."""
        if not all_terms and self.named is None:
            return None
        stays = np.full(self.terms, all_terms, np.uint8)
        stays[self.named if self.named is not None else []] = 1
        return stays

    @classmethod
    def of(cls, counts: Counts, prior: Prior, vocabulary: tuple[str, ...] | None, dense: bool) -> "Reading":
        """Lay counts out. `dense`: words with their own prior get a pair in every class, as the Bernoulli needs."""
        counts.refuse_negative()
        named = {*prior.terms, *(word for table in prior.classes.values() for word in table)}
        _refuse_outside(named, vocabulary)
        unseen = {*named, *(vocabulary or ())}
        arrays = counts.term_arrays()
        if unseen:
            wanted = sorted(unseen, key=str.encode)
            further = [word for word, at in zip(wanted, counts.find(wanted), strict=True) if at < 0]
            arrays["term_offsets"], arrays["term_bytes"], arrays["pair_offsets"] = _core.insert_terms(arrays, further)
        reading = _lay_out(counts, arrays, prior, dense)
        if not unseen:
            return reading
        seen = np.flatnonzero(np.diff(arrays["pair_offsets"]))  # every counted term has a pair, the others none yet
        return replace(reading, seen=seen, named=_find(arrays, dict.fromkeys(named, 0.0)))


def _refuse_outside(named: set[str], vocabulary: tuple[str, ...] | None) -> None:
    outside = sorted(named - set(vocabulary)) if vocabulary is not None else []
    if outside:
        raise DataError(
            f"the prior names {outside[0]!r}, which the given vocabulary lacks; add it there or leave it out"
        )


def _lay_out(counts: Counts, arrays: Mapping[str, Any], prior: Prior, dense: bool) -> Reading:
    classes = len(counts.labels)
    terms = len(arrays["term_offsets"]) - 1
    unit = counts.unit
    term = np.repeat(np.arange(terms), np.diff(arrays["pair_offsets"]))
    pair_class, offsets = arrays["pair_class"], arrays["pair_offsets"]
    occurrences, documents = arrays["pair_occurrences"] * unit, arrays["pair_documents"] * unit
    alpha = np.full(1, float(prior.alpha))
    if prior.terms:
        alpha = np.full(terms, float(prior.alpha))
        alpha[_find(arrays, prior.terms)] = list(prior.terms.values())
    # subtle: a vocabulary of one word may have a prior of its own, so alpha of one element is not always prior.alpha
    total = np.full(classes, alpha[0] * terms if len(alpha) == 1 else alpha.sum())
    own = _own_pairs(counts, arrays, prior, dense)  # pairs that must exist whatever their counts
    if len(own):
        keys = term * classes + pair_class
        merged = np.union1d(keys, own)
        place = np.searchsorted(merged, keys)
        occurrences, documents = _spread(occurrences, place, len(merged)), _spread(documents, place, len(merged))
        term, pair_class = merged // classes, (merged % classes).astype(np.int32)
        offsets = np.searchsorted(term, np.arange(terms + 1)).astype(np.int64)
    pair = alpha[term] if len(alpha) > 1 else np.full(len(term), alpha[0])
    share = _share_of_classes(counts) if prior.proportional else None
    if share is not None:
        pair, total = pair * share[pair_class], total * share
    for label, table in prior.classes.items():
        index = counts.labels.index(label)
        words = _find(arrays, table)
        at = np.searchsorted(term * classes + pair_class, words * classes + index)
        total[index] += np.sum(np.array(list(table.values())) - pair[at])
        pair[at] = list(table.values())
    return Reading(
        counts.labels,
        terms,
        arrays["term_offsets"],
        arrays["term_bytes"],
        offsets,
        pair_class,
        term,
        occurrences,
        documents,
        counts.class_occurrences.astype(np.float64) * unit,
        counts.class_documents.astype(np.float64) * unit,
        TermPrior(pair, alpha, total, float(prior.alpha), share),
    )


def _share_of_classes(counts: Counts) -> Floats:
    """(K,) words of a class over those of the mean class; a class without words has no share to go by, and gets 1."""
    words = counts.class_occurrences.astype(np.float64)
    return np.where(words > 0, words / (words.mean() or 1.0), 1.0)


def _own_pairs(counts: Counts, arrays: Mapping[str, Any], prior: Prior, dense: bool) -> Int64s:
    classes = len(counts.labels)
    keys: list[Int64s] = []
    if dense and prior.terms:
        keys.append((_find(arrays, prior.terms)[:, None] * classes + np.arange(classes)).ravel())
    for label, table in prior.classes.items():
        if label not in counts.labels:
            raise DataError(
                f"the prior names class {label!r}, unknown to the model; its classes are {list(counts.labels)}"
            )
        keys.append(_find(arrays, table) * classes + counts.labels.index(label))
    return np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)  # only then: np.unique imports numpy.ma


def _find(arrays: Mapping[str, Any], words: Mapping[str, float]) -> Int64s:
    found: Int64s = _core.find_terms(arrays["term_offsets"], arrays["term_bytes"], list(words))
    return found


def _spread(values: Floats, place: npt.NDArray[np.intp], size: int) -> Floats:
    spread = np.zeros(size)
    spread[place] = values
    return spread


@dataclass(frozen=True, eq=False)
class Weights:
    """A reading turned into numbers that the scorer adds up; see native/scorer.hpp."""

    reading: Reading
    log_prior: Floats  # (K,) log p(y); zero where the event model leaves it out
    base: Floats  # (K,) what every document gets, whatever its words (the Bernoulli's absent words)
    per_feature: Floats  # (K,) for each feature counted
    term_default: Floats  # (V,) or (1,) for each feature, in the classes without a pair
    pair_weight: Floats  # (P,) what a pair adds to that
    distinct: bool = False  # features count once per document
    unknown_default: float | None = None  # of words never seen; None ignores them
    pair_certain: Floats | None = None  # 1 where a term has probability 1 in a class
    urn_total: Floats | None = None  # (K,) N_c + alpha_0, for the Polya urn
    language: "LanguageWeights | None" = None  # of n-gram language models

    def arrays(self) -> dict[str, Any]:
        """What the compiled scorer takes."""
        reading = self.reading
        arrays = {
            "term_offsets": reading.term_offsets,
            "term_bytes": reading.term_bytes,
            "pair_offsets": reading.pair_offsets,
            "pair_class": reading.pair_class,
            "pair_weight": self.pair_weight,
            "term_default": self.term_default,
            "constant": self.log_prior + self.base,
            "per_feature": self.per_feature,
        }
        if self.pair_certain is not None:
            arrays["pair_certain"] = self.pair_certain
            arrays["certain"] = np.bincount(reading.pair_class, self.pair_certain, len(reading.labels))
        if self.urn_total is not None:
            arrays["urn_pair"] = reading.occurrences + reading.prior.pair
            arrays["urn_default"] = reading.prior.term
            arrays["urn_total"] = self.urn_total
        return arrays
