"""A monotone map from scores to probabilities: isotonic regression, read as a line through the means of its blocks.

min Σ w_i (right_i - f(score_i))² over f that never fall, by pooling adjacent violators (Ayer et al. 1955; for
calibration Zadrozny & Elkan 2002). Two outcomes are imagined, each of weight 1: a right one below the lowest score and
a wrong one above the highest. So no probability is 0 or 1, and the more data the less they matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError, ModelFileError

Floats = npt.NDArray[np.float64]

_SURE = -0.5  # log p of a class that no other of its row can equal


@dataclass(frozen=True, eq=False)
class MonotoneMap:
    """Probabilities at rising scores, straight lines between them, constant beyond.

    >>> found = MonotoneMap.fitted([-2, -1, 1, 2], [False, True, False, True])
    >>> found.knots.tolist(), found.probabilities.tolist(), found([-9.0, 0.5]).tolist()
    ([0.0], [0.5], [0.5, 0.5])
    """

    knots: Floats  # (m,), rising
    probabilities: Floats  # (m,), rising, between 0 and 1
    classes: int  # of the posteriors it is for: 2 read the log-odds of the second, others those of each

    def __post_init__(self) -> None:
        knots, probabilities = (np.array(given, dtype=np.float64) for given in (self.knots, self.probabilities))
        object.__setattr__(self, "knots", knots)
        object.__setattr__(self, "probabilities", probabilities)
        fits = knots.ndim == 1 and knots.shape == probabilities.shape and len(knots) > 0
        if not fits or not np.isfinite(knots).all() or not (np.diff(knots) > 0).all():
            raise DataError("the knots of a monotone map must be finite, rising, and as many as its probabilities")
        if not (np.diff(probabilities) >= 0).all() or not ((probabilities > 0) & (probabilities < 1)).all():
            raise DataError("the probabilities of a monotone map must lie between 0 and 1 and never fall")
        if isinstance(self.classes, bool) or not isinstance(self.classes, int) or self.classes < 1:
            raise DataError(f"a monotone map is for {self.classes!r} classes; give a whole number from 1")

    @classmethod
    def fitted(cls, scores: Any, right: Any, weights: Any = None, classes: int = 2) -> Self:
        """From scores, whether what was scored so turned out right, and how much each counts.

        A score of -inf counts as lower than all finite ones by 1, one of inf as higher by 1.
        """
        values, outcomes = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
        w = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        _refuse(values, outcomes, w)
        counted = w > 0
        values, outcomes, w = values[counted], outcomes[counted], w[counted]
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()) - 1, float(finite.max()) + 1) if len(finite) else (-1.0, 1.0)
        values = np.clip(values, low, high)
        order = np.argsort(values, kind="stable")
        return cls(*_pooled(values[order], outcomes[order], w[order]), classes)

    def __call__(self, scores: Any) -> Floats:
        """The probability at each score."""
        found: Floats = np.interp(np.asarray(scores, dtype=np.float64), self.knots, self.probabilities)
        return found

    def apply(self, log_posterior: Floats) -> Floats:
        """log p(c | x) mended, (n, K): finite and normalised.

        With two classes that of the second is mapped. With others that of each is, and they are normalised again: no
        class overtakes another, though some may become equal beyond the outer knots.
        """
        if log_posterior.shape[1:] != (self.classes,):
            raise EstimateError(
                f"the monotone map is for {self.classes} classes and the posterior is of shape {log_posterior.shape}; "
                "calibrate again"
            )
        odds = log_odds(log_posterior)
        if self.classes == 2:
            second = self(odds[:, 1])
            return np.stack([np.log1p(-second), np.log(second)], axis=1)
        mapped = self(odds)
        found: Floats = np.log(mapped) - np.log(mapped.sum(axis=1, keepdims=True))
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain values, by name."""
        return {"knots": self.knots.tolist(), "probabilities": self.probabilities.tolist(), "classes": self.classes}

    @classmethod
    def from_json(cls, values: object) -> Self:
        """The inverse of `to_json`; anything else is damage."""
        if not isinstance(values, Mapping) or set(values) != {"knots", "probabilities", "classes"}:
            raise ModelFileError("the monotone map of the file has other parts than it should; restore a copy")
        try:
            return cls(values["knots"], values["probabilities"], values["classes"])
        except (DataError, TypeError, ValueError) as error:
            raise ModelFileError(f"the monotone map of the file means nothing ({error}); restore a copy") from error


def fit_monotone(log_posterior: Floats, truth: Any, weights: Any = None) -> MonotoneMap:
    """The map that mends log p(c | x), (n, K), of documents that were left out, given their true classes, (n,).

    Two classes: the log-odds of the second, so that what favours one of them is mended too. Others: the log-odds of
    every class of every document, pooled, right where it is the true one.

    >>> shy = np.log([[0.6, 0.4]] * 50 + [[0.4, 0.6]] * 50)  # and always right
    >>> np.exp(fit_monotone(shy, [0] * 50 + [1] * 50).apply(shy)).round(2)[[0, -1]].tolist()
    [[0.98, 0.02], [0.02, 0.98]]
    """
    n, size = log_posterior.shape
    own = np.asarray(truth)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if own.shape != (n,) or w.shape != (n,):
        raise DataError(f"{n:,} rows have truths of shape {own.shape} and weights of shape {w.shape}; give one each")
    if n and not (own.dtype.kind in "iu" and 0 <= own.min() <= own.max() < size):
        raise DataError(f"a true class is none of the {size}; give their places, from 0")
    odds, right = log_odds(log_posterior), own[:, None] == np.arange(size)
    if size == 2:
        return MonotoneMap.fitted(odds[:, 1], right[:, 1], w)
    return MonotoneMap.fitted(odds.ravel(), right.ravel(), np.repeat(w, size), size)


def log_odds(log_posterior: Floats) -> Floats:
    """log p_c - log Σ_{k≠c} p_k, (n, K), with all its digits; infinite where a class is certain or impossible.

    >>> log_odds(np.log([[0.2, 0.8]])).round(6).tolist()  # ± log 4
    [[-1.386294, 1.386294]]
    """
    from scipy.special import logsumexp

    if not (np.max(log_posterior, axis=1, initial=-np.inf) > -np.inf).all() or not (log_posterior < np.inf).all():
        raise DataError("a row of the log posterior holds no probability, NaN or infinity; give natural logarithms")
    logs = log_posterior - logsumexp(log_posterior, axis=1, keepdims=True)
    odds: Floats = logs - np.log1p(-np.exp(np.minimum(logs, _SURE)))
    # subtle: 1 - p loses digits where p is near 1: there the others are summed. One formula serves all classes that may
    # be equally probable, so that equals stay equal to the last bit
    sure = logs.max(axis=1, initial=-np.inf) > _SURE
    top = logs[sure].argmax(axis=1)
    others = logs[sure]
    others[np.arange(len(top)), top] = -np.inf
    odds[sure, top] = logs[sure, top] - logsumexp(others, axis=1)
    return odds


def _pooled(scores: Floats, right: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean score and probability of each block, both rising, of data in rising order of their scores."""
    first = _starts(scores)
    hits, real = np.add.reduceat(weights * right, first), np.add.reduceat(weights, first)
    mass = real.copy()
    # subtle: an imagined 1 below all is never lower than its neighbour, so it is pooled with it; likewise the 0 above
    hits[0] += 1
    mass[0] += 1
    mass[-1] += 1
    # runs that never rise are pooled at once, so that the loop is over the right answers at most
    runs = np.flatnonzero(np.append(True, np.diff(hits / mass) > 0))
    starts: list[int] = []
    blocks: list[tuple[float, float]] = []
    for start, block_hits, block_mass in zip(
        runs.tolist(), np.add.reduceat(hits, runs).tolist(), np.add.reduceat(mass, runs).tolist(), strict=True
    ):
        at, h, m = start, block_hits, block_mass
        while blocks and blocks[-1][0] / blocks[-1][1] >= h / m:
            at, (before, more) = starts.pop(), blocks.pop()
            h, m = h + before, m + more
        starts.append(at)
        blocks.append((h, m))
    begin = first[starts]
    end = np.append(begin[1:], len(scores)) - 1
    mean = np.add.reduceat(weights * scores, begin) / np.add.reduceat(weights, begin)
    # subtle: rounding must not move a mean out of its block, or knots could meet
    return np.clip(mean, scores[begin], scores[end]), np.array([h / m for h, m in blocks])


def _starts(ordered: Floats) -> npt.NDArray[np.intp]:
    """Where each of the distinct values begins."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _refuse(scores: Floats, right: Floats, weights: Floats) -> None:
    if scores.ndim != 1 or not scores.shape == right.shape == weights.shape:
        raise DataError(
            f"scores of shape {scores.shape}, outcomes of {right.shape} and weights of {weights.shape} do not fit; "
            "give one of each"
        )
    if np.isnan(scores).any() or not np.isin(right, (0, 1)).all():
        raise DataError("a score is not a number, or an outcome neither right nor wrong; give numbers, and 0 or 1")
    if not ((weights >= 0) & (weights < np.inf)).all() or not (weights > 0).any():
        raise DataError("no weight is above 0, or one is negative or not finite; give positive numbers")
