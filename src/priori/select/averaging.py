"""Bayesian model averaging within one representation: p(y | x) = Σ_m p(m | texts) p(y | x, m).

p(m | texts) is proportional to the evidence, for equal prior probabilities (lecture 004). With thousands of words the
evidences differ by hundreds of nats, so the weights nearly always collapse onto one model; they are told.

The evidence is that of all texts: the weights have seen the documents that are left out, and the members have not. The
leave-one-out loss of an average is so a little too kind, as it is to alpha and calibration.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.select.label_loss import LabelLoss, Losses, log_mean_exp

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Average:
    """Members by name with their weights, and the leave-one-out loss of the averaged posterior."""

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


def evidence_weights(log_evidence: Sequence[float]) -> Floats:
    """log p(m | texts) of equally probable models."""
    log = np.array(log_evidence, np.float64)
    log = log - log.max()
    return np.asarray(log - math.log(float(np.exp(log).sum())))


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
