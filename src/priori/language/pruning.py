"""A table without the n-grams that were seen seldom; what it lost is counted, and said.

The probabilities of the n-grams that stay are those of before; what a history leaves is made to fit, so that all still
sums to 1: (1 - sum of p(w | h)) / (1 - sum of p(w | h less its first token)), over the w that stay after h.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.language.ngrams import summed
from priori.language.scoring import OfTable, Speaking
from priori.language.table import NGramTable
from priori.statistics import Counts
from priori.validation import whole_number

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Lost:
    """What pruning took: n-grams of order 1, 2, ..., and how many bits a token surprises more.

    What was learned flatters the model that remembers it; texts that are held out say what new ones will lose.
    """

    ngrams: tuple[int, ...]
    of: tuple[int, ...]
    bits_before: float  # a token, over what was learned
    bits_after: float
    held_out: tuple[float, float] | None = None  # the same two of texts that were given apart

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where a text is impossible."""

        def finite(bits: float) -> float | None:
            return bits if math.isfinite(bits) else None

        held_out = None if self.held_out is None else [finite(bits) for bits in self.held_out]
        bits = {"bits_before": finite(self.bits_before), "bits_after": finite(self.bits_after)}
        return {"ngrams": list(self.ngrams), "of": list(self.of), **bits, "held_out": held_out}

    def __str__(self) -> str:
        orders = ", ".join(
            f"{lost:,} of {of:,} {order}-grams"
            for order, (lost, of) in enumerate(zip(self.ngrams, self.of, strict=True), 1)
            if order > 1
        )
        said = f"lost {orders or 'nothing'}; what was learned takes {_bits_said(self.bits_before, self.bits_after)}"
        return said if self.held_out is None else f"{said}; held-out texts {_bits_said(*self.held_out)}"


def _bits_said(before: float, after: float) -> str:
    return f"{after:.4f} bits a token" + (f", {after - before:+.4f}" if math.isfinite(after) else "")


class Pruned(OfTable):
    """A smaller language model: it scores, continues and draws texts, but learns and forgets no more.

    >>> from priori import LanguageModel
    >>> small = LanguageModel(order=2).fit(["to be or not to be", "to see or to be"]).pruned(min_count=2)
    >>> small.lost.ngrams
    (0, 6)
    """

    def __init__(
        self,
        table: NGramTable,
        lost: Lost,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(table, tokenizer, n_jobs)
        self.lost = lost

    def judged_on(self, whole: Speaking, batches: "Sequence[Batch]") -> None:
        """Say, too, what texts lose that were not learned by the whole model."""
        self.lost = replace(self.lost, held_out=(whole.scored_batches(batches).bits, self.scored_batches(batches).bits))

    def __repr__(self) -> str:
        return f"Pruned({sum(self.table.ngrams):,} n-grams; {self.lost})"


def pruned(
    table: NGramTable,
    counts: Counts,
    min_count: int,
    tokenizer: Callable[[str], Iterable[str]] | None,
    n_jobs: int | None,
) -> Pruned:
    """Without n-grams of order 2 and more that were seen less than `min_count` times; all words stay."""
    min_count = whole_number(min_count, "min_count", 1)
    seen = np.asarray(counts.pair_occurrences * counts.unit, np.float64)
    kept = (table.terms.order == 1) | (seen >= min_count)
    fitting = replace(table, backoff=_fitting(table, kept))
    small = fitting.only(kept)
    lost = np.array(table.ngrams)
    left = np.zeros(len(lost), np.int64)
    left[: len(small.ngrams)] = small.ngrams
    bits = (_bits(table, seen, np.ones(len(kept), bool)), _bits(fitting, seen, kept))
    return Pruned(small, Lost(tuple((lost - left).tolist()), tuple(lost.tolist()), *bits), tokenizer, n_jobs)


def _fitting(table: NGramTable, kept: npt.NDArray[np.bool_]) -> Floats:
    """What histories leave where only some n-grams stay."""
    terms, size = table.terms, len(table)
    stay = np.flatnonzero(kept & (terms.order > 1))
    history = terms.prefix[stay]
    seen = summed(history, np.exp(table.log_prob[stay]), size)
    shorter = summed(history, np.exp(table.log_prob[terms.suffix[stay]]), size)
    changed = np.zeros(size, bool)
    lost = np.flatnonzero(~kept)
    changed[terms.prefix[lost]] = True
    with np.errstate(divide="ignore"):
        fitted = np.log(np.maximum(1 - seen, 0.0)) - np.log(np.maximum(1 - shorter, np.finfo(float).tiny))
    return np.asarray(np.where(changed, fitted, table.backoff))


def _bits(table: NGramTable, seen: Floats, kept: npt.NDArray[np.bool_]) -> float:
    """Bits a token of what was learned, by the n-grams that stay: each token by the longest that ends there."""
    terms = table.terms
    log_prob = table.log_prob.copy()
    for order in range(2, table.order + 1):  # of those that went, by what is left of them
        gone = np.flatnonzero((terms.order == order) & ~kept)
        log_prob[gone] = table.backoff[terms.prefix[gone]] + log_prob[terms.suffix[gone]]
    log_p, tokens = replace(table, log_prob=log_prob).learned(seen)
    return 0.0 - log_p / tokens / math.log(2) if tokens else 0.0
