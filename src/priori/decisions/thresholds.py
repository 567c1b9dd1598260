"""Thresholds on p(positive | x) that keep a promise, read off the scores of documents that were left out.

A document is called positive when its score is above the threshold. The promises hold as far as the scores are
exchangeable with those of new documents. Of n + m exchangeable negatives, as many of the m lie above the (k + 1)-th
largest of the n as a beta-binomial of (m, k + 1, n - k) says, whatever their distribution; for a precision the bounds
are exact binomial ones (Clopper & Pearson 1934).
"""

import math
from bisect import bisect_right
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]

_CANDIDATES = 50  # thresholds that are tried for a precision


@dataclass(frozen=True)
class Threshold:
    """Call positive what scores above `value`.

    "false positives": of n new negatives a share of at most `rate` lies above, with `confidence` (over samples; on
    average over them where that is None). n groups of negatives were left out, of which k lie above at most; `bound` is
    what their share is below in the long run, with the same confidence.
    "precision": among new documents above, a share of at least `rate` is positive, with `confidence`. n groups lay
    above, of which k held a negative; `bound` is the lower bound of the precision.
    """

    promise: Literal["false positives", "precision"]
    value: float
    rate: float
    confidence: float | None
    n: int
    k: int
    bound: float
    recall: float | None  # the share of positives above (of a precision: of groups that are); None where there are none

    def to_json(self) -> dict[str, Any]:
        """Plain values, by name."""
        return asdict(self)


def upper_bound(k: int, n: int, confidence: float) -> float:
    """The largest rate at which k or fewer of n happen with probability 1 - confidence (Clopper & Pearson 1934).

    >>> round(upper_bound(0, 59, 0.95), 4)  # 1 - 0.05^(1/59)
    0.0495
    """
    from scipy.special import betaincinv

    return 1.0 if k >= n else float(betaincinv(k + 1, n - k, confidence))


def threshold_for_false_positives(
    scores: Any, negative: Any, rate: float, *, confidence: float | None = 0.95, groups: Any = None
) -> Threshold:
    """The lowest threshold that calls at most this share of as many new negatives positive, with this confidence.

    It is the (k + 1)-th largest score of the n negatives, for the largest k under which more than rate n of n new ones
    lie above with probability 1 - confidence at most. (In the long run the share is then below the rate too: its bound,
    the quantile of Beta(k + 1, n - k), is the smaller.) confidence=None asks for the rate on average only,
    (k + 1) / (n + 1) ≤ rate (conformal; Vovk, Gammerman & Shafer 2005).
    groups: documents that stand or fall together (identical texts, threads) count once, by their largest score.

    >>> scores, negative = np.arange(100) / 100, np.arange(100) < 80
    >>> found = threshold_for_false_positives(scores, negative, 0.06)
    >>> found.value, found.n, found.k, found.recall
    (0.79, 80, 0, 1.0)
    """
    values, chosen = _scored(scores, negative, "negative")
    _refuse_share(rate, "rate")
    highest = _highest_of_groups(values, groups, chosen)
    n = len(highest)
    if confidence is not None:
        _refuse_share(confidence, "confidence")
    risk = _Risk(n, rate)
    if confidence is None:
        k = min(n, math.floor(rate * (n + 1) * (1 + 1e-12))) - 1
    else:
        k = bisect_right(range(n), 1 - confidence, key=risk) - 1  # subtle: the risk rises with k
    if k < 0:
        needed = _fewest(rate, confidence)
        raise DataError(
            f"{n:,} negatives cannot promise at most {100 * rate:g} % of false positives"
            f"{'' if confidence is None else f' with {100 * confidence:g} % confidence'}; give {needed:,}, or "
            "allow more"
        )
    value = float(np.sort(highest)[n - 1 - k])
    bound = (k + 1) / (n + 1) if confidence is None else upper_bound(k, n, confidence)
    return Threshold("false positives", value, rate, confidence, n, k, bound, _recall(values[~chosen], value))


def threshold_for_precision(
    scores: Any, positive: Any, precision: float, *, confidence: float = 0.95, groups: Any = None
) -> Threshold:
    """The lowest of at most 50 thresholds above which this share is positive, with this confidence.

    Candidates call m documents positive, for m on a fixed grid; that of the lowest is taken whose lower bound of the
    precision, at confidence 1 - (1 - confidence) / candidates (Bonferroni), is at least what is wanted: then all that
    pass are right together. "Learn then test", Angelopoulos, Bates, Candès, Jordan & Lei 2021.
    groups: documents that stand or fall together (identical texts, threads) count once, by their largest score, and are
    right if all are: the promise is about texts, not their copies, and one that is found in both classes is not right,
    in whatever order its copies come.

    >>> scores = np.arange(1000) / 1000
    >>> found = threshold_for_precision(scores, scores > 0.6, 0.9)
    >>> found.bound >= 0.9, found.recall > 0.97
    (True, True)
    """
    from scipy.special import betaincinv

    values, right = _scored(scores, positive, "positive")
    _refuse_share(precision, "precision")
    _refuse_share(confidence, "confidence")
    if groups is not None:
        # subtle: neither the score nor whether it is right may be chosen in the favour of the promise
        values, right = (
            _highest_of_groups(values, groups, np.ones(len(values), dtype=bool)),
            _all_of_groups(right, groups),
        )
    n, doubt = len(values), 1 - confidence
    # fewer than `fewest` above cannot promise it though all be right: precision^m ≤ doubt / candidates
    fewest = math.ceil(math.log(doubt / _CANDIDATES) / math.log(precision))
    if n <= fewest:
        raise DataError(
            f"{n:,} documents cannot promise a precision of {100 * precision:g} % with {100 * confidence:g} % "
            f"confidence; give {fewest + 1:,} or more, or ask for less"
        )
    order = np.argsort(-values, kind="stable")
    # the same for every precision, so that a higher one never has the lower threshold; the fewest could promise a half
    least = min(math.ceil(math.log(doubt / _CANDIDATES) / math.log(0.5)), n - 1)
    sizes = np.unique(np.rint(np.geomspace(least, n - 1, _CANDIDATES)).astype(np.intp))
    # subtle: chosen by rank, never by truth: given such a score, those above it are a sample of all that lie above it
    candidates = np.unique(values[order][sizes])
    above = n - np.searchsorted(values[order][::-1], candidates, side="right")
    hits = np.concatenate([[0], np.cumsum(right[order])])[above]
    level = doubt / len(candidates)
    # subtle: no lower bound but 0 where nothing is right, also where nothing is above
    bounds = np.where(hits > 0, betaincinv(np.maximum(hits, 1), above - hits + 1, level), 0.0)
    if not (bounds >= precision).any():
        raise DataError(
            f"no threshold promises a precision of {100 * precision:g} % with {100 * confidence:g} % confidence, the "
            f"best promises {bounds.max():.2%}; ask for less, or give more documents"
        )
    at = int((bounds >= precision).argmax())
    value, called = float(candidates[at]), int(above[at])
    wrong = called - int(hits[at])
    return Threshold(
        "precision", value, precision, confidence, called, wrong, float(bounds[at]), _recall(values[right], value)
    )


@dataclass(frozen=True)
class _Risk:
    """The probability that more than rate n of n new negatives lie above the (k + 1)-th largest of n."""

    n: int
    rate: float

    def __call__(self, k: int) -> float:
        from scipy.stats import betabinom

        most = math.floor(
            self.rate * self.n * (1 + 1e-12)
        )  # subtle: 0.07 * 100 is 7.000000000000001, and 7 are allowed
        return float(betabinom.sf(most, self.n, k + 1, self.n - k))


def _fewest(rate: float, confidence: float | None) -> int:
    """The fewest negatives that can promise the rate, with none of them above."""
    if confidence is None:
        return math.ceil(1 / rate) - 1
    allowed = 0
    while _Risk(fewest := math.ceil(allowed / rate), rate)(0) > 1 - confidence or fewest == 0:
        allowed += 1
    return fewest


def _recall(positives: Floats, value: float) -> float | None:
    return float((positives > value).mean()) if len(positives) else None


def _highest_of_groups(values: Floats, groups: Any, chosen: npt.NDArray[np.bool_]) -> Floats:
    if groups is None:
        return values[chosen]
    names, place = np.unique(_names(groups, len(values))[chosen], return_inverse=True)
    highest = np.full(len(names), -np.inf)
    np.maximum.at(highest, place.ravel(), values[chosen])
    return highest


def _all_of_groups(right: npt.NDArray[np.bool_], groups: Any) -> npt.NDArray[np.bool_]:
    """Whether all of each group are right, the groups in the order of `_highest_of_groups`."""
    names, place = np.unique(_names(groups, len(right)), return_inverse=True)
    whole = np.ones(len(names), dtype=bool)
    whole[place.ravel()[~right]] = False
    return whole


def _names(groups: Any, n: int) -> npt.NDArray[Any]:
    names = np.asarray(groups)
    if names.shape != (n,):
        raise DataError(f"groups are of shape {names.shape} for {n:,} scores; give the group of each document")
    return names


def _scored(scores: Any, mask: Any, what: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the scores are no numbers ({error}); give one for each document") from error
    chosen = np.asarray(mask)
    if values.ndim != 1 or chosen.shape != values.shape:
        raise DataError(
            f"scores of shape {values.shape} do not fit {what} of shape {chosen.shape}; give one of each for a document"
        )
    if chosen.dtype.kind != "b":
        if not np.isin(chosen, (0, 1)).all():
            raise DataError(f"{what} holds other values than true and false; give which documents are")
        chosen = chosen.astype(bool)
    if not np.isfinite(values).all():
        raise DataError("a score is not finite; give probabilities, or finite log-odds")
    return values, chosen


def _refuse_share(share: Any, what: str) -> None:
    number = float(share) if isinstance(share, Real) else math.nan
    if not 0 < number < 1:  # subtle: written so that a NaN fails
        raise DataError(f"{what}={share!r} is no share that can be promised; give a number between 0 and 1")
