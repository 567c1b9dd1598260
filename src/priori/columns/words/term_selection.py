"""Scores by which terms are ranked, sparse: each costs the pairs that have counts. docs/maths/terms.md."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.rankings.table import PairTable
from priori.term_selection import Ranking

Floats = npt.NDArray[np.float64]


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
