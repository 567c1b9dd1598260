"""A language model read off its counts: the log-probability of every n-gram, and what each leaves as a history.

log p(w | h) = log_prob(hw) where hw is there; else backoff(h) + log p(w | h less its first token).
"""

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.language.ngrams import Chained, Flags, Nodes, Tallied, Terms
from priori.language.probabilities import probabilities
from priori.language.smoothing import Resolved, Smoothing, resolve
from priori.statistics import Counts
from priori.text import Analyzer

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LanguageWeights:
    """N-gram language models of one class or of several: log-probabilities and back-offs, and what they are read off.

    See native/chain_scores.hpp.
    """

    chain: _core.Chain
    log_prob: Floats  # (P,) of the last token of each n-gram after the others
    backoff: Floats  # (P,) what each adds as a history that goes on in no way that was seen
    unseen: Floats  # (K,) of a token that a class has not seen, after no history
    nodes: Nodes
    terms: Terms
    tallied: Tallied
    resolved: Resolved
    order: int  # of the longest n-grams that are counted, whether there are any or not
    size: int  # V: how many tokens share what is left after no history
    fallback: Flags  # (K, N) where discounts are not those of the counts

    @classmethod
    def of(cls, chained: Chained, smoothing: Smoothing, alpha: float, *, unknown: bool) -> Self:
        """Every n-gram's log-probability and back-off. `unknown`: whether words never seen have a share."""
        nodes, terms = chained.nodes, chained.terms
        size = terms.tokens + unknown
        tallied = Tallied.of(nodes, smoothing.method == "kneser-ney")
        resolved = resolve(smoothing, nodes, tallied, alpha, size)
        found = probabilities(nodes, tallied, resolved, size)
        return cls(chained.chain, *found.log(), nodes, terms, tallied, resolved, chained.order, size, found.fallback)


@dataclass(frozen=True, eq=False)
class NGramTable:
    """N-grams in the order of their bytes, closed: without its first or its last token each is there too."""

    analyzer: Analyzer
    term_offsets: Int64s
    term_bytes: npt.NDArray[np.uint8]
    log_prob: Floats  # (T,) of the last token after the others
    backoff: Floats  # (T,)
    unknown: float | None  # log p of a word never seen, after no history; None: unknown words are passed over
    lengths: tuple[Int64s, Floats] | None = None  # of documents without marks: lengths, and how many
    linked: tuple[_core.Chain, Terms] | None = None  # how they hang together, where that is known already

    @classmethod
    def of_one(cls, counts: Counts, analyzer: Analyzer, language: LanguageWeights, unknown: bool) -> Self:
        """The model of counts of one class, whose pairs are its terms."""
        return cls(
            analyzer,
            counts.term_offsets,
            counts.term_bytes,
            language.log_prob,
            language.backoff,
            float(language.unseen[0]) if unknown else None,
            lengths_of(counts, analyzer, 0),
            (language.chain, language.terms),
        )

    def only(self, kept: npt.NDArray[np.bool_]) -> Self:
        """Some of the n-grams, which must be closed."""
        sizes = np.diff(self.term_offsets)
        return type(self)(
            self.analyzer,
            np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64),
            self.term_bytes[np.repeat(kept, sizes)],
            self.log_prob[kept],
            self.backoff[kept],
            self.unknown,
            self.lengths,
        )

    def __len__(self) -> int:
        return len(self.log_prob)

    @property
    def words(self) -> bool:
        """Whether tokens are words, or else characters."""
        return self.analyzer.features == "words"

    @cached_property
    def _chained(self) -> tuple[_core.Chain, Terms]:
        if self.linked is not None:
            return self.linked
        grams = self.analyzer.grams
        chain = _core.Chain.of(self.term_offsets, self.term_bytes, *grams)
        begin, end = _core.find_terms(self.term_offsets, self.term_bytes, list(grams.marks)).tolist() or (-1, -1)
        return chain, Terms(**chain.take_links(), begin=begin, end=end)

    @property
    def chain(self) -> _core.Chain:
        """By which documents look n-grams up."""
        return self._chained[0]

    @property
    def terms(self) -> Terms:
        """How the n-grams hang together."""
        return self._chained[1]

    @property
    def order(self) -> int:
        """Of the longest n-gram."""
        return int(self.terms.order.max(initial=1))

    @cached_property
    def ngrams(self) -> tuple[int, ...]:
        """How many n-grams there are of order 1, 2, ..."""
        return tuple(np.bincount(self.terms.order, minlength=self.order + 1)[1:].tolist())

    def text(self, index: int) -> str:
        """An n-gram as it stands."""
        start, end = self.term_offsets[index], self.term_offsets[index + 1]
        return self.term_bytes[start:end].tobytes().decode("utf-8", "replace")

    def shown(self, index: int) -> str:
        """A token as people read it: the marks are <s> and </s> among characters too."""
        terms = self.terms
        return "<s>" if index == terms.begin else "</s>" if index == terms.end else self.text(index)

    @cached_property
    def followers(self) -> tuple[Int64s, npt.NDArray[np.intp]]:
        """Offsets by history, and the n-grams that go on from each."""
        prefix = self.terms.prefix
        order: npt.NDArray[np.intp] = np.argsort(prefix, kind="stable")
        starts = np.searchsorted(prefix[order], np.arange(len(prefix) + 1))
        return starts.astype(np.int64), order

    def following(self, history: int) -> npt.NDArray[np.intp]:
        """The n-grams that go on from a history."""
        starts, order = self.followers
        found: npt.NDArray[np.intp] = order[starts[history] : starts[history + 1]]
        return found

    @cached_property
    def tokens(self) -> npt.NDArray[np.intp]:
        """The terms that can follow: single tokens, less the mark at the beginning."""
        single = np.flatnonzero(self.terms.order == 1)
        found: npt.NDArray[np.intp] = single[single != self.terms.begin]
        return found

    @cached_property
    def scorer(self) -> _core.ChainScorer:
        """The compiled scorer of documents."""
        return _core.ChainScorer(self.chain, self.analyzer.native, self.log_prob, self.backoff, self.unknown)

    def learned(self, seen: Floats) -> tuple[float, float]:
        """log p of texts that have each n-gram so often, and how many tokens these predict."""
        whole = self.terms.whole
        return math.fsum(seen[whole] * self.log_prob[whole]), float(seen[whole].sum())

    def histories(self, tokens: list[str]) -> list[int]:
        """The n-grams that end a list of tokens, the shortest first, as far as they go on."""
        joiner = self.analyzer.grams.joiner
        ends = [joiner.join(tokens[-n:]) for n in range(1, min(len(tokens), self.order - 1) + 1)]
        found = _core.find_terms(self.term_offsets, self.term_bytes, ends).tolist() if ends else []
        return found[: found.index(-1)] if -1 in found else found

    @cached_property
    def alone(self) -> Floats:
        """p of each of `tokens` after no history."""
        return np.asarray(np.exp(self.log_prob[self.tokens]))

    @cached_property
    def place(self) -> npt.NDArray[np.intp]:
        """Of a term that is a token, its place among `tokens`."""
        place = np.full(int(self.tokens.max(initial=-1)) + 1, -1, np.intp)
        place[self.tokens] = np.arange(len(self.tokens))
        return place

    def next_probabilities(self, histories: list[int]) -> Floats:
        """p of each of `tokens` after the histories; what is missing to 1 is an unknown word's."""
        prob = self.alone.copy()
        for history in histories:
            prob *= np.exp(self.backoff[history])
            goes_on = self.following(history)
            prob[self.place[self.terms.last[goes_on]]] = np.exp(self.log_prob[goes_on])
        return prob

    def __getstate__(self) -> dict[str, Any]:
        """What is found again from the n-grams is left out: compiled parts cannot be copied."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"linked": None}


def lengths_of(counts: Counts, analyzer: Analyzer, index: int) -> tuple[Int64s, Floats] | None:
    """Lengths of a class's documents, and how many have each; None where n-grams tell them by predicting the end."""
    if analyzer.ngrams[1] > 1:  # the end of a document is predicted, which tells how long it is
        return None
    own = counts.length_class == index
    return counts.length[own], counts.length_documents[own] * counts.unit
