"""Terms by what they tell of the classes: mutual information, log-odds, counts. docs/maths/terms.md; lecture 004."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.words import term_selection
from priori.columns.words.term_selection import RANKINGS, PairTable, Ranking, ranked
from priori.errors import DataError
from priori.statistics import Counts
from priori.statistics.word_forms import Forms, without_prefix

Floats = npt.NDArray[np.float64]
_MOST_FORMS = 3  # shown of a term


@dataclass(frozen=True)
class Term:
    """A term with its score, and the class that it speaks for."""

    term: str
    label: str
    score: float  # nats of information; the z-score of the log-odds; or occurrences
    log_odds: float  # for its class against the rest
    documents: float  # in all classes, or in the class asked for when counts are ranked
    occurrences: float
    forms: tuple[tuple[str, float], ...] = ()  # as it was written, most often first, where words count as stems

    @property
    def name(self) -> str:
        """The term, and the most frequent words that are more than it."""
        words = [word for word, _ in self.forms[:_MOST_FORMS]]
        return self.term if words in ([], [self.term]) else f"{self.term}: {', '.join(words)}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        values = asdict(self)
        forms = [{"word": word, "occurrences": times} for word, times in values.pop("forms")]
        return values | ({"forms": forms} if forms else {})


def with_forms(terms: Sequence[Term], forms: Forms | None, fields: Sequence[str] = ()) -> list[Term]:
    """The terms with the words they were written as; an n-gram with the most frequent word of each of its stems.

    How often that sequence was written is not known, so an n-gram's occurrences are those of the term.
    """
    if forms is None:
        return list(terms)
    found = []
    for term in terms:
        words = [forms.of(without_prefix(word, fields)) for word in term.term.split(" ")]
        if len(words) > 1:
            written = " ".join(each[0][0] if each else "?" for each in words)
            found.append(replace(term, forms=((written, term.occurrences),)))
        else:
            found.append(replace(term, forms=tuple(words[0])))
    return found


def frequent_words(counts: Counts, share: float) -> list[str]:
    """The words in more than a share of the documents, sorted: stop words of such texts, for `stop_words`.

    >>> from priori import TextClassifier
    >>> model = TextClassifier().fit(["the cat", "the dog", "a dog and the cat"], ["x", "y", "x"])
    >>> frequent_words(model.model_.counts, 0.5)
    ['cat', 'dog', 'the']
    """
    counts.refuse_negative()
    if not 0 <= share < 1:
        raise DataError(f"{share!r} is no share of the documents that words could exceed; give one from 0 to below 1")
    documents = np.zeros(counts.terms, np.int64)
    np.add.at(documents, counts.pair_term, counts.pair_documents)
    many = np.flatnonzero(documents > share * counts.class_documents.sum())
    return [word for word in (counts.term(int(index)) for index in many) if " " not in word]


def mutual_information(counts: Counts, label: str | None = None) -> Floats:
    """I(presence; class) of each term in nats, (V,): documents with and without it, by class.

    Σ p(x, c) log[p(x, c) / p(x) p(c)] over x in {present, absent}. With a label: that class against the rest.
    """
    return term_selection.mutual_information(_table(counts, label))


def chi_square(counts: Counts, label: str | None = None) -> Floats:
    """Pearson's chi-square of presence by class, (V,): of the same table, 2 × K, or 2 × 2 with a label."""
    return term_selection.chi_square(_table(counts, label))


def word_information(counts: Counts, alpha: float = 0.0) -> Floats:
    """Lecture 004's I_j = Σ_k φ_jk π_k log[φ_jk / Σ_l φ_jl π_l], (V,); π by maximum likelihood, and φ.

    With an alpha φ is the posterior mean under that many imagined counts of each term.
    """
    if not 0 <= alpha < np.inf:
        raise DataError(f"alpha={alpha!r} is no prior count; give a finite number from 0")
    return term_selection.word_information(_table(counts, None), alpha)


def log_odds(counts: Counts, label: str, alpha: float = 1.0) -> tuple[Floats, Floats]:
    """The log-odds of each term in a class against the rest, and their z-scores, (V,) each.

    δ = log[(y + a) / (n + a_0 - y - a)] of the class less that of the rest, variance 1/(y + a) + 1/(y' + a): Monroe,
    Colaresi & Quinn (2008). The prior is alpha imagined counts per term, spread as all classes together spread theirs.
    """
    counts.refuse_negative()
    if not 0 < alpha < np.inf:
        raise DataError(f"alpha={alpha!r} leaves log-odds infinite; give a finite number over 0")
    own = counts.pair_class == _index(counts, label)
    totals = counts.term_totals() * counts.unit
    words = np.zeros(counts.terms)
    words[counts.pair_term[own]] = counts.pair_occurrences[own] * counts.unit
    return term_selection.delta_and_z(words, totals, words.sum(), totals.sum(), alpha * counts.terms)


def z_scores(table: Floats) -> Floats:
    """(V, K): the z-scores of `log_odds` with alpha 1, of expected occurrences by term and class, (V, K)."""
    totals = table.sum(axis=1)
    seen = totals > 0
    found = np.zeros_like(table)
    for column in range(table.shape[1]):
        words = table[seen, column]
        found[seen, column] = term_selection.delta_and_z(
            words, totals[seen], words.sum(), totals.sum(), float(seen.sum())
        )[1]
    return found


def rank(
    counts: Counts, by: Ranking = "mi", label: str | None = None, most: int = 20, but: Sequence[str] = ()
) -> list[Term]:
    """The `most` terms with the highest scores, ties by text; for log-odds without a label, so many of each class.

    but: terms that are not listed, such as the marks of documents.
    """
    if by not in RANKINGS:
        raise DataError(f"terms cannot be ranked by {by!r}; choose {', '.join(RANKINGS)}")
    unlisted = {int(at) for at in counts.find(but)}
    if by == "log-odds":
        return _by_log_odds(counts, counts.labels if label is None else (label,), most, unlisted)
    documents, occurrences = _totals(counts, label if by == "count" else None)
    values = occurrences if by == "count" else _values(counts, by, label)
    first = (int(i) for i in ranked(values)[: most + len(unlisted)])
    best = [i for i in first if i not in unlisted and (by != "count" or values[i] > 0)][:most]
    speaks = {i: label if label is not None else _speaks_for(counts, i) for i in best}
    odds = {each: log_odds(counts, each)[0] for each in {*speaks.values()}}
    return [
        Term(
            counts.term(i), speaks[i], float(values[i]), float(odds[speaks[i]][i]), documents[i], float(occurrences[i])
        )
        for i in best
    ]


def _values(counts: Counts, by: Ranking, label: str | None) -> Floats:
    if by == "mi":
        return mutual_information(counts, label)
    if by == "chi2":
        return chi_square(counts, label)
    if label is not None:
        raise DataError("lecture 004's information is of all classes together; leave the label out, or rank by mi")
    return word_information(counts)


def _by_log_odds(counts: Counts, labels: Sequence[str], most: int, unlisted: set[int]) -> list[Term]:
    """Of the terms that a class has; all others speak against it."""
    counts.refuse_negative()
    documents, occurrences = _totals(counts, None)
    all_words = occurrences.sum()
    found = []
    for label in labels:
        pairs = np.flatnonzero(counts.pair_class == _index(counts, label))
        terms, words = counts.pair_term[pairs], counts.pair_occurrences[pairs] * counts.unit
        delta, z = term_selection.delta_and_z(words, occurrences[terms], words.sum(), all_words, float(counts.terms))
        first = np.argsort(-z, kind="stable")[: most + len(unlisted)]
        best = [k for k in first if z[k] > 0 and int(terms[k]) not in unlisted][:most]
        found += [
            Term(counts.term(i), label, float(z[k]), float(delta[k]), documents[i], float(occurrences[i]))
            for k, i in ((k, int(terms[k])) for k in best)
        ]
    return found


def _totals(counts: Counts, label: str | None) -> tuple[list[float], Any]:
    """Documents and occurrences of each term, in all classes or one."""
    chosen = slice(None) if label is None else counts.pair_class == _index(counts, label)
    term = counts.pair_term[chosen]
    documents = np.bincount(term, counts.pair_documents[chosen], counts.terms) * counts.unit
    occurrences = np.bincount(term, counts.pair_occurrences[chosen], counts.terms) * counts.unit
    return documents.tolist(), occurrences


def _speaks_for(counts: Counts, term: int) -> str:
    """The class in which the largest share of the documents has the term."""
    pairs = slice(counts.pair_offsets[term], counts.pair_offsets[term + 1])
    classes = counts.pair_class[pairs]
    share = counts.pair_documents[pairs] / counts.class_documents[classes]
    return counts.labels[int(classes[np.argmax(share)])]


def _index(counts: Counts, label: str) -> int:
    if label not in counts.labels:
        raise DataError(f"there is no class {label!r}; the model's are {', '.join(counts.labels)}")
    return counts.labels.index(label)


def _table(counts: Counts, label: str | None) -> PairTable:
    """The counts by term and class; with a label, by that class and the rest."""
    counts.refuse_negative()
    table = PairTable.of(counts)
    if label is None:
        return table
    own = _index(counts, label)
    keys = table.pair_term.astype(np.int64) * 2 + (table.pair_class == own)
    found, place = np.unique(keys, return_inverse=True)

    def two(values: Floats) -> Floats:
        return np.array([values.sum() - values[own], values[own]])

    return PairTable(
        table.terms,
        found // 2,
        found % 2,
        np.bincount(place, table.occurrences, len(found)).astype(np.float64, copy=False),
        np.bincount(place, table.documents, len(found)).astype(np.float64, copy=False),
        two(table.class_occurrences),
        two(table.class_documents),
        table.places,
    )
