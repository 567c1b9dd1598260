"""The M-step of words: a prior's pseudo-counts, and the parameters of a mixture laid out for the compiled pass.

Multinomial: theta_cj = (N_cj + a_cj) / (N_c + a_c0). Bernoulli: phi_cj = (D_cj + a_cj) / (D_c + a_cj + a). a are the
pseudo-counts of an estimate, so the M-step is the mode under Dirichlet(a + 1) and EM ascends the log of that posterior:
the posterior mean under alpha is the mode under alpha + 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.readings import Estimate
from priori.errors import DataError, EstimateError

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
HiddenEvent = Literal["multinomial", "bernoulli"]

_ROWS = 4096  # of the table at a time, so that a piece stays in the cache


# --- pseudo-counts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class WordPrior:
    """alpha_cj: one number for every pair of component and term, and more for some pairs (seed words).

    `shares`: a component has so much of that number; None: all of it.
    """

    alpha: float
    component: Int32s  # (S,) of the pairs that have more
    term: Int32s  # (S,)
    more: Floats  # (S,) what they have more than alpha
    shares: Floats | None = None  # (C,)

    def __post_init__(self) -> None:
        if not np.isfinite(self.alpha) or not (np.isfinite(self.more).all() and (self.more >= 0).all()):
            raise DataError(
                f"alpha={self.alpha} and what seed words have more are no counts; give finite numbers from 0"
            )

    @classmethod
    def even(cls, alpha: float) -> Self:
        """The same for every pair."""
        none = np.zeros(0, np.int32)
        return cls(float(alpha), none, none, np.zeros(0))

    def less(self, number: float) -> Self:
        """The same with so much less everywhere: the mode's pseudo-counts are alpha - 1."""
        return replace(self, alpha=self.alpha - number)

    def proportional(self, words: Floats) -> Self:
        """alpha for the component of the mean number of words, and for the others as their words, (C,), are to that.

        A component without words has no share to go by, and gets alpha.
        """
        mean = float(words.mean())
        return replace(self, shares=np.where(words > 0, words / mean, 1.0)) if mean > 0 else self

    def alphas(self, components: int) -> Floats:
        """(C,) what every term has in a component."""
        return self.alpha * (np.ones(components) if self.shares is None else self.shares)

    def totals(self, components: int, terms: int) -> Floats:
        """alpha_c0, (C,): the sum over the vocabulary."""
        return np.asarray(self.alphas(components) * terms + np.bincount(self.component, self.more, components))

    def dense(self, components: int, terms: int) -> Floats:
        """alpha as a table, (terms, components)."""
        table = np.tile(self.alphas(components), (terms, 1))
        np.add.at(table, (self.term, self.component), self.more)
        return table


def pseudo_counts(prior: WordPrior, estimate: Estimate) -> WordPrior:
    """What an estimate adds to the counts: nothing (ml), alpha - 1 (map, the mode), alpha (bayes, the mean)."""
    if estimate == "ml":
        return WordPrior.even(0.0)
    if prior.alpha < 0:
        raise DataError(f"alpha={prior.alpha} is no imagined count; give a number from 0")
    added = prior.less(1.0) if estimate == "map" else prior
    if added.alpha < 0:
        raise EstimateError(
            "the posterior has no mode: with alpha < 1 a word without counts pulls it to the edge; use alpha >= 1 with "
            "estimate='map', or estimate='bayes'"
        )
    return added


# --- parameters -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sums:
    """What responsibilities add up to: expected counts by term, and documents and features by component."""

    gathered: Floats  # (V, C)
    weight: Floats  # (C,)
    length: Floats  # (C,)


@dataclass(frozen=True, eq=False)
class Mixture:
    """s_c = constant_c + n per_feature_c + sum_j n_j table_jc, and the log of the prior density at these parameters."""

    table: Floats  # (V, C)
    constant: Floats  # (C,)
    per_feature: Floats  # (C,)
    log_weight: Floats  # (C,) log pi
    log_prior: float

    @classmethod
    def of(
        cls,
        sums: Sums,
        words: WordPrior,
        documents: Floats,
        *,
        event: HiddenEvent,
        out: Floats,
        jobs: int = 1,
    ) -> Self:
        """M: the parameters that these sums ask for, the table written to `out`."""
        pi = sums.weight + documents
        if not pi.sum() > 0:
            raise EstimateError("no document counts, so no class has a probability; give documents a weight")
        log_pi = _log(pi) - np.log(pi.sum())
        log_prior = float(_times_log(documents, log_pi).sum())
        if event == "bernoulli":
            return cls._bernoulli(sums, words, log_pi, log_prior, out)
        return cls._multinomial(sums, words, log_pi, log_prior, out=out, jobs=jobs)

    @classmethod
    def _multinomial(
        cls,
        sums: Sums,
        words: WordPrior,
        log_pi: Floats,
        log_prior: float,
        *,
        out: Floats,
        jobs: int,
    ) -> Self:
        terms, components = sums.gathered.shape
        total = sums.length + words.totals(components, terms)
        empty = total <= 0
        logs = _log_counts(sums.gathered, words, out, jobs)
        per_feature = -_log(np.where(empty, 1.0, total))
        log_prior += float(_times_log(words.alphas(components), logs + terms * per_feature).sum())
        of_pair = out[words.term, words.component] + per_feature[words.component]
        log_prior += float(_times_log(words.more, of_pair).sum())
        # a component without words, under maximum likelihood, can make no document, where others have words
        constant = np.where(empty & ~empty.all(), -np.inf, log_pi)
        return cls(out, constant, per_feature, log_pi, log_prior)

    @classmethod
    def _bernoulli(cls, sums: Sums, words: WordPrior, log_pi: Floats, log_prior: float, out: Floats) -> Self:
        absent = np.zeros_like(log_pi)
        for rows, present, prior in _pieces(sums.gathered, words):
            log_with = _log(present + prior)
            log_without = _log(np.maximum(sums.weight - present, 0.0) + words.alpha)
            with np.errstate(invalid="ignore"):
                log_total = np.logaddexp(log_with, log_without)
            log_total = np.where(np.isfinite(log_total), log_total, 0.0)
            absent += (log_without - log_total).sum(axis=0)
            log_prior += float(_times_log(prior, log_with - log_total).sum())
            log_prior += float(_times_log(np.full_like(prior, words.alpha), log_without - log_total).sum())
            out[rows] = log_with - log_without
        if not np.isfinite(absent).all():
            raise EstimateError(
                "a word is in every document of a class, so its absence has probability 0; smooth with alpha > 0"
            )
        return cls(out, log_pi + absent, np.zeros_like(log_pi), log_pi, log_prior)

    def log_joint(self, offsets: Int64s, term: Int32s, count: Int32s, length: Int64s) -> Floats:
        """(n, C) of documents as rows of (term, count): log p(x, c), up to what the words' order adds.

        -inf where a class cannot produce a word.
        """
        row = np.repeat(np.arange(len(length)), np.diff(offsets))
        columns = [np.bincount(row, count * column[term], len(length)) for column in self.table.T]
        return np.stack(columns, axis=1) + self.constant + length[:, None] * self.per_feature


def _log_counts(counts: Floats, words: WordPrior, out: Floats, jobs: int) -> Floats:
    """out = log(counts + what is imagined); gives the sums of its columns, (C,), the same for any number of threads."""
    added = words.alphas(counts.shape[1])
    sums = _core.log_table(counts, added, out, jobs)
    if not len(words.term):
        return sums
    keys, place = np.unique(words.term.astype(np.int64) * len(added) + words.component, return_inverse=True)
    term, component = np.divmod(keys, len(added))  # a word may be a seed of a class twice
    own = _log(counts[term, component] + added[component] + np.bincount(place, words.more))
    if np.isfinite(sums).all():
        np.add.at(sums, component, own - out[term, component])
    out[term, component] = own
    return sums


def _pieces(counts: Floats, words: WordPrior) -> Iterator[tuple[slice, Floats, Floats]]:
    """Some rows of the counts at a time, with the prior of each pair."""
    for first in range(0, len(counts), _ROWS):
        rows = slice(first, first + _ROWS)
        prior = np.full_like(counts[rows], words.alpha)
        inside = (words.term >= first) & (words.term < first + _ROWS)
        np.add.at(prior, (words.term[inside] - first, words.component[inside]), words.more[inside])
        yield rows, counts[rows], prior


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def _times_log(pseudo: Floats, log_value: Floats) -> Floats:
    """0 times log 0 is 0: what is not imagined says nothing."""
    return np.where(pseudo > 0, pseudo * np.where(pseudo > 0, log_value, 0.0), 0.0)
