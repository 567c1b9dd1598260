"""The log loss of left-out labels, -log p(y | x), with its standard error: of one model, or of several averaged."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelLoss:
    """The mean log loss in nats with its standard error, and the share of labels that were the most probable."""

    log_loss: float
    standard_error: float  # 0 for a single block: nothing can be said
    accuracy: float
    documents: int

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where a label was impossible, so that the loss is infinite."""
        return {name: value if math.isfinite(value) else None for name, value in asdict(self).items()}


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss of each document, (n,), whether its label was the most probable, what it counts, and its block."""

    loss: Floats
    right: npt.NDArray[np.bool_]
    weight: Floats
    block: npt.NDArray[Any]

    @classmethod
    def of(cls, log_posterior: Floats, classes: npt.NDArray[Any], weight: Floats, block: npt.NDArray[Any]) -> "Losses":
        """Of log p(y | x), (n, K); a row that is impossible in every class is -inf everywhere."""
        own = log_posterior[np.arange(len(classes)), classes]
        possible = log_posterior.max(axis=1) > -np.inf
        right = possible & (log_posterior.argmax(axis=1) == classes)
        return cls(-np.minimum(own, 0.0) + 0.0, right, weight, block)

    @property
    def largest_block(self) -> float:
        """The share of the weight that the largest block has: where it is large, a standard error says little."""
        sums = np.bincount(np.unique(self.block, return_inverse=True)[1], self.weight)
        return float(sums.max() / sums.sum())

    def told(self) -> LabelLoss:
        """Summed up."""
        mean, error = weighted_mean(self.loss, self.weight, self.block)
        return LabelLoss(mean, error, float(np.average(self.right, weights=self.weight)), len(self.loss))

    def behind(self, other: "Losses") -> tuple[float, float]:
        """How much more this loses than another on the same documents, and the standard error of that."""
        if not (np.isfinite(self.loss).all() and np.isfinite(other.loss).all()):
            return (0.0 if self is other else math.inf), math.inf
        return weighted_mean(self.loss - other.loss, self.weight, self.block)


def weighted_mean(values: Floats, weight: Floats, block: npt.NDArray[Any]) -> tuple[float, float]:
    """The mean, and its standard error from the sums of whole blocks, which alone are independent.

    m = Σ w x / W;  s² = B / (B - 1) Σ_b (Σ_{i in b} w_i (x_i - m))² / W²
    """
    total = float(weight.sum())
    mean = float(weight @ values) / total
    if not math.isfinite(mean):
        return mean, math.inf
    sums = np.bincount(np.unique(block, return_inverse=True)[1], weight * (values - mean))
    blocks = len(sums)
    if blocks < 2:
        return mean, 0.0
    return mean, math.sqrt(blocks / (blocks - 1) * float(sums @ sums)) / total


@dataclass(frozen=True)
class Average:
    """Bayesian model averaging within one representation: p(y | x) = Σ_m p(m | texts) p(y | x, m).

    p(m | texts) is proportional to the evidence, for equal prior probabilities (lecture 004). With thousands of words
    the evidences differ by hundreds of nats, so the weights nearly always collapse onto one model; they are reported.

    The evidence is that of all texts: the weights have seen the documents that are left out, and the members have not.
    The leave-one-out loss of an average is so a little too kind, as it is to alpha and calibration.
    """

    representation: str
    members: tuple[str, ...]
    weights: tuple[float, ...]
    leave_one_out: LabelLoss

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "representation": self.representation,
            "members": [{"name": n, "weight": w} for n, w in zip(self.members, self.weights, strict=True)],
            "leave_one_out": self.leave_one_out.to_json(),
        }


def average(
    representation: str,
    members: Sequence[str],
    log_evidence: Sequence[float],
    log_posteriors: Sequence[Floats],
    *,
    losses: Losses,
    classes: npt.NDArray[Any],
) -> Average:
    """The mixture of the members' posteriors, (n, K) each, of the same documents as `losses`."""
    log_weights = evidence_weights(log_evidence)
    mixed = log_mean_exp(list(log_posteriors), log_weights)
    told = Losses.of(mixed, classes, losses.weight, losses.block).told()
    return Average(representation, tuple(members), tuple(np.exp(log_weights).tolist()), told)


def evidence_weights(log_evidence: Sequence[float]) -> Floats:
    """log p(m | texts) of equally probable models."""
    log = np.array(log_evidence, np.float64)
    log = log - log.max()
    return np.asarray(log - math.log(float(np.exp(log).sum())))


def log_mean_exp(parts: list[Floats], log_weights: Floats) -> Floats:
    """log Σ_m w_m exp(parts_m): a mixture of posteriors."""
    mixed = np.full_like(parts[0], -np.inf)
    for part, log_weight in zip(parts, log_weights.tolist(), strict=True):
        if log_weight > -np.inf:
            mixed = np.logaddexp(mixed, part + log_weight)
    return mixed
