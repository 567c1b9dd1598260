"""Documents ranked by the probability that their language model gives a query (lecture 004; Ponte & Croft 1998)."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError
from priori.estimators.collection import Collection
from priori.language.probabilities import LeftOutTokens, peak
from priori.language.smoothing import Smoothing
from priori.text.analyzer import Analyzer, Tokenizer
from priori.validation import whole_number

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]

_GRIDS = {  # mu and l, between which a peak is looked for
    "dirichlet": 4.0 ** np.arange(-3, 13),
    "jelinek-mercer": np.concatenate([2.0 ** np.arange(-20, -4), np.arange(1, 17) / 16]),
}
_CUSTOMARY = {"dirichlet": 2000.0, "jelinek-mercer": 0.5}  # where left-out words have no peak


class QueryLikelihood:
    """log p(q | d) = Σ_w c(w, q) log p(w | d), each document smoothed with all of them.

    dirichlet: p(w | d) = (c(w, d) + mu p(w)) / (|d| + mu); jelinek-mercer: (1 - l) c(w, d) / |d| + l p(w). Without a
    number mu (or l) is that of the largest likelihood of left-out words (Zhai & Lafferty 2002).

    >>> ranking = QueryLikelihood("dirichlet:3").fit(["the cat sat", "the dog and the cat", "a dog"])
    >>> [(number, round(score, 2)) for number, score in ranking.rank("dog cat")]
    [(1, -3.22), (2, -3.26), (0, -3.62)]
    """

    def __init__(
        self, smoothing: str | Smoothing = "dirichlet", *, analyzer: Analyzer | None = None,
        tokenizer: Tokenizer | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        if analyzer is not None and not isinstance(analyzer, Analyzer):
            raise DataError(f"analyzer={analyzer!r} is none; give a priori.Analyzer")
        self.analyzer = Analyzer(tokens="callable" if tokenizer else "text") if analyzer is None else analyzer
        self.tokenizer, self.n_jobs = tokenizer, n_jobs
        self.smoothing = smoothing
        self._take(Collection.empty())

    # --- the algebra -------------------------------------------------------------------------------------------------

    def fit(self, documents: Any) -> Self:
        """These documents and no others, numbered from 0: texts, or anything with a column `text`."""
        self._take(Collection.empty())
        return self.learn(documents)

    def learn(self, documents: Any) -> Self:
        """More documents, numbered after those that are there."""
        from priori.data.objects import read_objects
        from priori.data.options import ReadOptions

        if isinstance(documents, str):
            raise DataError("one text came where several are expected; put it in a list: [text]")
        return self.learn_batches(read_objects(documents, options=ReadOptions(label=None)))

    def learn_batches(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """The same from what `priori.data.read` yields. Options are those of `priori.model.learning.count`."""
        options = {"jobs": self.n_jobs, "tokenizer": self.tokenizer} | options
        self._take(self.collection + Collection.of(batches, self.analyzer, **options))
        return self

    def forget(self, numbers: Iterable[int]) -> Self:
        """Take documents back out, exactly; the others keep their numbers."""
        self._take(self.collection.without(numbers))
        return self

    def __add__(self, other: "QueryLikelihood") -> "QueryLikelihood":
        """The documents of both; the right one's are numbered after the left one's."""
        if self.analyzer != other.analyzer or self.tokenizer is not other.tokenizer:
            raise MergeError("the words of the two are not found alike; give both the same analyzer and tokenizer")
        both = QueryLikelihood(self.smoothing, analyzer=self.analyzer, tokenizer=self.tokenizer, n_jobs=self.n_jobs)
        both._take(self.collection + other.collection)
        return both

    def __repr__(self) -> str:
        return f"QueryLikelihood({self.smoothing!r}: {len(self):,} documents)"

    def __len__(self) -> int:
        return len(self.collection)

    def _take(self, collection: Collection) -> None:
        self.collection = collection
        self.__dict__.pop("_amount", None)

    # --- smoothing ---------------------------------------------------------------------------------------------------

    @property
    def smoothing(self) -> str:
        """As it was asked for; another one reads the same documents."""
        return str(self._smoothing)

    @smoothing.setter
    def smoothing(self, smoothing: str | Smoothing) -> None:
        self._smoothing = _smoothing_of(smoothing)
        self.__dict__.pop("_amount", None)

    @property
    def amount(self) -> float:
        """mu, or l: as given, or as chosen."""
        return self._amount[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the ranking should know, in lines."""
        return self._amount[1]

    @property
    def described(self) -> str:
        """The smoothing with its number, and who chose it."""
        chosen = "" if self._smoothing.parameter is not None or self.notes else ", of left-out words"
        return f"{self._smoothing.method}:{self.amount:.4g}{chosen}"

    @cached_property
    def _amount(self) -> tuple[float, tuple[str, ...]]:
        method, amount = self._smoothing.method, self._smoothing.parameter
        if amount is not None:
            return amount, ()
        collection, dirichlet = self.collection, method == "dirichlet"
        counts = collection.counts
        of_pairs = (collection.lengths[counts.pair_class], collection.share[counts.pair_term])
        left_out = LeftOutTokens.of(counts.pair_occurrences.astype(np.float64), *of_pairs)
        found = peak(*left_out.curve(dirichlet), _GRIDS[method])
        if found is not None:
            return found, ()
        name, customary = "mu" if dirichlet else "l", _CUSTOMARY[method]
        said = (
            f"left-out words find no best {name} (hardly one comes twice in a document), so it is {customary:g}; "
            f"another can be given, as in {method}:{customary / 5:g}"
        )
        return customary, (said,)

    # --- ranking -----------------------------------------------------------------------------------------------------

    def unknown(self, query: str) -> list[str]:
        """Words of the query that no document has: they say nothing of any, and are left out."""
        words = list(self._words(query))
        return [word for word, at in zip(words, self.collection.counts.find(words), strict=True) if at < 0]

    def log_prob(self, query: str) -> dict[int, float]:
        """{number: log p(q | d)} of every document."""
        scores = self._scores(query)
        return dict(sorted(zip(self.collection.numbers.tolist(), scores.tolist(), strict=True)))

    def rank(self, query: str, most: int | None = 10) -> list[tuple[int, float]]:
        """(number, log p(q | d)) of the best documents, best first; those of one score by their numbers."""
        most = None if most is None else whole_number(most, "most", 1)
        numbers, scores = self.collection.numbers, self._scores(query)
        if most is not None and most < len(scores):
            last = np.partition(scores, -most)[-most]
            best = np.flatnonzero(scores >= last)
            numbers, scores = numbers[best], scores[best]
        order = np.lexsort((numbers, -scores))[:most]
        return list(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))

    def _words(self, query: str) -> Counter[str]:
        if not isinstance(query, str):
            raise DataError(f"the query {query!r} is no text; give one")
        return Counter(self.tokenizer(query) if self.tokenizer else self.analyzer.features_of(query))

    def _scores(self, query: str) -> Floats:
        """(K,) What every document gets, and what the postings of the query's words add to that."""
        counts, lengths, amount = self.collection.counts, self.collection.lengths, self.amount
        if not len(self.collection):
            raise DataError("no documents were learned, so nothing can be ranked; call fit(documents) first")
        words = self._words(query)
        if not words:
            raise DataError(f"the query {query!r} has no words that count; ask for others")
        terms = counts.find(list(words))
        known = {int(at): times for at, times in zip(terms, words.values(), strict=True) if at >= 0}
        if not known:
            raise DataError(f"no document has a word of {query!r}, so nothing can be ranked; ask for other words")
        dirichlet = self._smoothing.method == "dirichlet"
        total = sum(known.values())
        if dirichlet:
            scores: Floats = total * (np.log(amount) - np.log(lengths + amount))
            scale = np.full(len(lengths), 1 / amount)
        else:  # without words of its own a document is as all are
            scores = np.where(lengths > 0, total * np.log(amount), 0.0)
            scale = (1 - amount) / amount / np.maximum(lengths, 1)
        for term, times in known.items():
            postings = slice(counts.pair_offsets[term], counts.pair_offsets[term + 1])
            own, share = counts.pair_class[postings], self.collection.share[term]
            scores += times * np.log(share)
            scores[own] += times * np.log1p(counts.pair_occurrences[postings] * scale[own] / share)
        return scores


def _smoothing_of(value: str | Smoothing) -> Smoothing:
    """A document is smoothed with all of them, so that no word of the query is impossible."""
    method = str(value).partition(":")[0]
    if method not in _GRIDS:
        raise DataError(f"smoothing={value!r} does not rank; choose {', '.join(_GRIDS)}, or one with a number after :")
    smoothing = Smoothing.of(value)
    amount = smoothing.parameter
    if amount is not None and (amount == 0 or (amount == 1 and method == "jelinek-mercer")):
        below = "" if method == "dirichlet" else " and below 1"
        raise DataError(f"smoothing={str(smoothing)!r} has no number that ranks; give one over 0{below}")
    return smoothing
