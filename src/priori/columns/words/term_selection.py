"""Which terms are read: so many of the highest rank, or as many as left-out documents want.

A reading, never stored with the counts. The scores that rank terms are sparse: each costs the pairs that have counts.
docs/maths/terms.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.term_counts import Counts

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64] | npt.NDArray[np.int32]
Ranking: TypeAlias = Literal["mi", "mi-words", "chi2", "log-odds", "count"]

RANKINGS: tuple[Ranking, ...] = get_args(Ranking)
_MOST = 2**31 - 1  # terms have ids of 31 bits


@dataclass(frozen=True)
class TermSelection:
    """The `most` terms that are ranked highest; None: their number is left to the documents.

    >>> TermSelection.of("mi:5000")
    TermSelection(by='mi', most=5000)
    """

    by: Ranking
    most: int | None

    @classmethod
    def of(cls, said: object) -> Self:
        """RANKING:NUMBER or RANKING:auto."""
        by, colon, most = said.partition(":") if isinstance(said, str) else ("", "", "")
        number = int(most) if most.isascii() and most.isdigit() and len(most) <= 10 else 0
        if not colon or by not in RANKINGS or not (most == "auto" or 1 <= number <= _MOST):
            raise DataError(
                f"select={said!r} says not which terms are read; give RANKING:NUMBER or RANKING:auto, such as "
                f"'mi:5000', with a ranking of {', '.join(RANKINGS)}"
            )
        return cls(by, None if most == "auto" else number)

    def __str__(self) -> str:
        return f"{self.by}:{'auto' if self.most is None else self.most}"


# --- scores -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairTable:
    """Terms with their counts by class, as real numbers, and the totals of the classes.

    The totals are of all terms, though some of them only may be here.

    subtle: a pair without counts adds exactly 0 to every score, and a class without documents too, so that a score is
    the same float whether they are here or not. Ties must be ties with a document left out, too.
    """

    terms: int
    pair_term: Ints  # (P,) ascending
    pair_class: Ints
    occurrences: Floats  # (P,) N_cj
    documents: Floats  # (P,) D_cj
    class_occurrences: Floats  # (K,) N_c
    class_documents: Floats  # (K,) D_c
    places: int  # V: how many terms there are in all

    @classmethod
    def of(cls, counts: Counts) -> Self:
        """All terms of some counts."""

        def real(values: Ints) -> Floats:
            return values.astype(np.float64) * counts.unit

        return cls(
            counts.terms,
            counts.pair_term,
            counts.pair_class,
            real(counts.pair_occurrences),
            real(counts.pair_documents),
            real(counts.class_occurrences),
            real(counts.class_documents),
            counts.terms,
        )

    def by_term(self, values: Floats) -> Floats:
        """Numbers by pair, summed by term, pair after pair."""
        return np.bincount(self.pair_term, values, self.terms).astype(np.float64, copy=False)


def mutual_information(table: PairTable) -> Floats:
    """I(presence; class) in nats, (V,): Σ p(x, c) log[p(x, c) / p(x) p(c)] over x in {present, absent}."""
    documents, present, cls = table.class_documents, table.documents, table.pair_class
    # Terms differ from "absent everywhere" only in the pairs that have counts, so the sum over the table stays sparse.
    cells = x_log_x(present) + x_log_x(documents[cls] - present) - x_log_x(documents)[cls]
    with_term, total = table.by_term(present), documents.sum()
    margins = x_log_x(with_term) + x_log_x(total - with_term) - x_log_x(total)
    information = (table.by_term(cells) - margins) / or_one(total)
    at_least_none: Floats = np.maximum(information, 0.0)  # rounding must not make it less
    return at_least_none


def word_information(table: PairTable, alpha: float = 0.0) -> Floats:
    """Lecture 004's I_j = Σ_k φ_jk π_k log[φ_jk / Σ_l φ_jl π_l], (V,).

    π by maximum likelihood, φ too, or as the posterior mean under a Dirichlet prior of `alpha` for each term.
    """
    words, documents = table.class_occurrences, table.class_documents
    share = documents / or_one(documents.sum())
    if not alpha:
        phi = table.occurrences / words[table.pair_class]
        joint = phi * share[table.pair_class]
        overall = table.by_term(joint)
        counted = joint > 0
        ratio = np.where(counted, phi, 1.0) / np.where(counted, overall[table.pair_term], 1.0)
        return table.by_term(joint * np.log(ratio))
    total = words + alpha * table.places
    never = share * (alpha / total)  # (K,) the joint probability of a term that the class has never seen
    phi = (table.occurrences + alpha) / total[table.pair_class]
    joint = phi * share[table.pair_class]
    overall = table.by_term(joint - never[table.pair_class]) + never.sum()
    # Σ_k φ π log φ less Σ_k φ π log Σ φ π: the first differs from that of no counts in the pairs only
    own, none = x_log_x(phi) * share[table.pair_class], share * x_log_x(alpha / total)
    return np.asarray(table.by_term(own - none[table.pair_class]) + none.sum() - x_log_x(overall))


def chi_square(table: PairTable) -> Floats:
    """Pearson's statistic of presence by class, (V,): Σ_c (D_cj - p D_c)² / (p (1 - p) D_c), with p = D_j / D."""
    documents = table.class_documents
    total = float(documents.sum())
    p = table.by_term(table.documents) / or_one(total)
    of_class = documents[table.pair_class]
    there = of_class > 0
    expected = p[table.pair_term] * of_class
    parts = np.where(there, (table.documents - expected) ** 2 / np.where(there, of_class, 1.0), 0.0)
    # subtle: classes without a pair, and pairs without documents, together: no sum depends on which of the two it is
    seen = table.documents > 0
    others = total - table.by_term(np.where(seen, of_class, 0.0))
    spread = p * (1 - p)
    some = spread > 0  # what is in all documents, or in none, tells nothing
    found = (table.by_term(np.where(seen, parts, 0.0)) + p * p * others) / np.where(some, spread, 1.0)
    return np.where(some, found, 0.0)


def delta_and_z(words: Any, totals: Any, own: Any, all_words: float, strength: float) -> tuple[Floats, Floats]:
    """Monroe's log-odds and z of some terms; own and all_words count all terms, strength is the prior's total."""
    prior = strength * totals / or_one(all_words)
    rest = totals - words
    mine, others = own + strength - words - prior, all_words - own + strength - rest - prior
    one = totals >= all_words  # the only term of a model has no other words beside it, so no odds: it tells nothing
    mine, others = np.where(one, 1.0, mine), np.where(one, 1.0, others)
    delta = np.where(one, 0.0, np.log(words + prior) - np.log(mine) - np.log(rest + prior) + np.log(others))
    return delta, delta / np.sqrt(1 / (words + prior) + 1 / (rest + prior))


def highest_z(table: PairTable) -> Floats:
    """The z-score of the log-odds for the class that a term speaks for most, (V,), with one imagined count per term."""
    counted = np.flatnonzero(table.occurrences > 0)
    term, words = table.pair_term[counted], table.occurrences[counted]
    totals, all_words = table.by_term(table.occurrences), float(table.class_occurrences.sum())
    own = table.class_occurrences[table.pair_class[counted]]
    z = delta_and_z(words, totals[term], own, all_words, float(table.places))[1]
    highest = np.full(table.terms, -np.inf)
    np.maximum.at(highest, term, z)
    return highest


def occurrences(table: PairTable) -> Floats:
    """How often each term comes, (V,)."""
    return table.by_term(table.occurrences)


SCORES: dict[Ranking, Callable[[PairTable], Floats]] = {
    "mi": mutual_information,
    "mi-words": word_information,
    "chi2": chi_square,
    "log-odds": highest_z,
    "count": occurrences,
}


def or_one(total: Any) -> Any:
    """A total to divide by; of nothing at all, any number will do."""
    return total if total > 0 else 1.0


def x_log_x(x: Any) -> Any:
    """x log x, 0 at 0."""
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0)


# --- the terms that are chosen ----------------------------------------------------------------------------------------


def ranked(scores: Floats) -> npt.NDArray[np.intp]:
    """Places by falling score; equal ones in the order they have, which is that of their texts."""
    return np.argsort(-scores, kind="stable")


def chosen_terms(counts: Counts, selection: TermSelection) -> npt.NDArray[np.bool_]:
    """Which terms are chosen, (V,): the most telling ones, ties by text."""
    if selection.most is None:
        raise AssertionError("how many terms are read was left to the documents, and nobody asked them")
    keep = np.zeros(counts.terms, bool)
    if selection.most >= counts.terms:
        keep[:] = True
    else:
        keep[ranked(SCORES[selection.by](PairTable.of(counts)))[: selection.most]] = True
    return keep


def only_selected(counts: Counts, select: str | None) -> Counts:
    """The counts of the chosen terms alone, as they are now; classes and documents stay."""
    if select is None:
        return counts
    counts.refuse_negative()
    selection = TermSelection.of(select)
    if selection.most is not None and selection.most >= counts.terms:
        return counts
    return counts.only(chosen_terms(counts, selection))
