"""How far a score may be believed: p(c | x) proportional to exp(t s_c), with t = b (n + 1)^g of n features.

Naive Bayes counts words that say the same as if each were news, so its evidence grows with n while what it knows grows
more slowly. Two numbers mend it: b and g, those of the least log loss of documents that were left out. s_c is
log p(x, c), the class prior inside the power (measured better than outside; METHODS 3).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.decisions.monotone import MonotoneMap
from priori.errors import ModelFileError

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]

# What real corpora have in common, as a normal prior of (log b, g): it counts where documents are few.
CENTRE = (0.0, -0.6)
SPREAD = (1.0, 0.3)
_STEPS = 60


@dataclass(frozen=True)
class Calibration:
    """Two numbers, and a monotone map on top where that was asked for."""

    scale: float  # b
    power: float  # g
    monotone: MonotoneMap | None = None

    def factors(self, counted: Floats) -> Floats:
        """t of documents that were scored by so many features."""
        return self.scale * np.power(counted + 1.0, self.power)

    def log_posterior(self, joint: Floats, counted: Floats) -> Floats:
        """log p(c | x), (n, K)."""
        log_p = log_normalized(self.factors(counted)[:, None] * joint)
        return log_p if self.monotone is None else self.monotone.apply(log_p)

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file."""
        monotone = None if self.monotone is None else self.monotone.to_json()
        return {"scale": self.scale, "power": self.power, "monotone": monotone}

    @classmethod
    def from_json(cls, values: object) -> Self:
        """The inverse of `to_json`, checked."""
        if not isinstance(values, Mapping) or set(values) != {"scale", "power", "monotone"}:
            raise ModelFileError("the calibration of the file means nothing; refit it with priori calibrate")
        scale, power = values["scale"], values["power"]
        fine = all(isinstance(x, float | int) and not isinstance(x, bool) and math.isfinite(x) for x in (scale, power))
        if not fine or not scale > 0 or abs(power) > 8:
            raise ModelFileError(
                f"the calibration of the file, scale {scale!r} and power {power!r}, means nothing; refit it with "
                "priori calibrate"
            )
        monotone = values["monotone"]
        return cls(float(scale), float(power), None if monotone is None else MonotoneMap.from_json(monotone))


def log_normalized(scores: Floats) -> Floats:
    """Rows of scores as logarithms of probabilities; a class of -inf stays impossible."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


@dataclass(frozen=True)
class Scaled:
    """The scale of least loss, and that loss: the sum over documents, the prior's part not counted."""

    log_scale: float
    power: float
    loss: float
    penalized: float


def fit_scale(joint: Floats, counted: Floats, cls: Int32s, weight: Floats, start: Scaled | None = None) -> Scaled:
    """The scale under which the left-out documents have the most probable labels; Newton's steps, damped."""
    features = np.column_stack([np.ones(len(joint)), np.log(counted + 1.0)])
    centre, spread = np.array(CENTRE), np.array(SPREAD)
    joint = np.ascontiguousarray(joint)

    def at(theta: Floats) -> tuple[float, float, Floats, Floats]:
        loss, slope, bend = _core.scaled_loss(joint, cls, weight, features, theta)
        away = (theta - centre) / spread
        penalized = loss + 0.5 * float(away @ away)
        return loss, penalized, slope + away / spread, bend.reshape(2, 2) + np.diag(spread**-2.0)

    theta = centre.copy() if start is None else np.array([start.log_scale, start.power])
    loss, penalized, slope, bend = at(theta)
    damping = 0.0
    for _ in range(_STEPS):
        step = -np.linalg.solve(bend + damping * np.diag(np.diag(bend)), slope)
        if float(np.abs(step / spread).max()) < 1e-7:
            break
        tried = at(theta + step)
        if tried[1] <= penalized:
            theta, (loss, penalized, slope, bend) = theta + step, tried
            damping /= 8
        else:
            damping = max(8 * damping, 1e-3)
    return Scaled(float(theta[0]), float(theta[1]), loss, penalized)


def raw_loss(joint: Floats, cls: Int32s, weight: Floats) -> float:
    """The loss of scores that are believed as they are."""
    features = np.zeros((len(joint), 1))
    return float(_core.scaled_loss(np.ascontiguousarray(joint), cls, weight, features, np.zeros(1))[0])
