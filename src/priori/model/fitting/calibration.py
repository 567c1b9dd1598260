"""Calibration: how far a score may be believed, and how often a label has nothing to do with it.

Naive Bayes counts words that say the same as if each were news, so its evidence grows with the length n while what it
knows grows more slowly. The parameters that mend this are those of the least log loss of documents that were left out,
under normal priors that say what real corpora have in common and that matter where documents are few.
docs/maths/calibration.md has the figures.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.errors import ModelFileError

if TYPE_CHECKING:  # loaded where there is one: a message is classified without the package of decisions
    from priori.decisions.isotonic import MonotoneMap

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]

LENGTH = 50.0  # documents of this length have the scale b itself
# Normal priors of log b, g, the logit of e, and of each offset: centre and deviation.
PRIORS = ((-2.5, 0.8), (-0.75, 0.25), (-3.5, 1.0))
OFFSET = 1.0
_LARGEST = 1e300  # of the numbers in a file
_MEMORY, _STEPS = 10, 500  # of the descent: moves that it remembers, and at most so many of them
_ENOUGH = 1e-4  # share of the promised fall that a step must bring (Armijo)


@dataclass(frozen=True)
class Calibration:
    """Parameters by which scores become probabilities, and a monotone map on top where that was asked for.

        p(c | x) = (1 - e) q(c | x) + e / K,   q(c | x) proportional to exp(t s_c + n / (n + 5) d_c),
        t = 1 + n / (n + 1) (b ((n + 1) / 50)^g - 1)

    s_c is log p(x, c) with the class prior inside the power. b and g mend how the evidence grows with the length n. The
    offsets d mend classes whose counts are swollen (by uuencoded files, or headers); e is the share of labels that no
    text could tell, which bounds the loss. A document without words has the class prior, whatever was fitted: t is 1
    and the offsets are 0.
    """

    scale: float  # b
    power: float  # g
    noise: float  # e
    offsets: Mapping[str, float]  # d by label; a label without one has 0
    monotone: "MonotoneMap | None" = None

    @property
    def given(self) -> bool:
        """Whether it was given, as learning without labels does, and not fitted: what is fitted leaves some noise."""
        return self.noise == 0

    def offset_of(self, labels: tuple[str, ...]) -> Floats:
        """The offsets in the order of the labels."""
        return np.array([self.offsets.get(label, 0.0) for label in labels])

    def factors(self, features: Floats) -> Floats:
        """t of documents of so many features."""
        plain = self.scale * np.power((features + 1.0) / LENGTH, self.power)
        return np.asarray(1.0 + features / (features + 1.0) * (plain - 1.0))

    def log_posterior(
        self, joint: Floats, features: Floats, labels: tuple[str, ...], gone: npt.NDArray[np.bool_] | None = None
    ) -> Floats:
        """log p(c | x), (n, K), of log p(x, c). Classes that are gone, (n, K), are none of the K, and impossible."""
        below = joint - joint.max(axis=1, keepdims=True)
        log_q = log_normalized(
            self.factors(features)[:, None] * below + np.outer(features / (features + 5.0), self.offset_of(labels))
        )
        left: Any = joint.shape[1] if gone is None else joint.shape[1] - gone.sum(axis=1, keepdims=True)
        # subtle: without noise p may be too small for a float, and its logarithm is not
        log_p = np.log((1 - self.noise) * np.exp(log_q) + self.noise / left) if self.noise else log_q
        if self.monotone is not None:
            log_p = self.monotone.apply(log_p)
        if gone is None or not gone.any():
            return np.asarray(log_p)
        return log_normalized(np.where(gone, -np.inf, log_p))

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file."""
        return {
            "scale": self.scale,
            "power": self.power,
            "noise": self.noise,
            "offsets": dict(self.offsets),
            "monotone": None if self.monotone is None else self.monotone.to_json(),
        }

    @classmethod
    def from_json(cls, values: object) -> Self:
        """The inverse of `to_json`, checked."""
        if not isinstance(values, Mapping) or set(values) != {"scale", "power", "noise", "offsets", "monotone"}:
            raise ModelFileError("the calibration of the file means nothing; refit it with priori calibrate")
        offsets, monotone = values["offsets"], values["monotone"]
        if not isinstance(offsets, Mapping):
            raise _odd("offsets", offsets)
        for name, low, high in (("scale", 0.0, 1e6), ("power", -8.0, 8.0)):
            if not low < _number(name, values[name]) < high:
                raise _odd(name, values[name])
        if not 0 <= _number("noise", values["noise"]) < 1:
            raise _odd("noise", values["noise"])
        return cls(
            float(values["scale"]),
            float(values["power"]),
            float(values["noise"]),
            {str(label): _number("offsets", offset) for label, offset in offsets.items()},
            None if monotone is None else _monotone_of(monotone),
        )


def _monotone_of(values: object) -> "MonotoneMap":
    from priori.decisions.isotonic import MonotoneMap

    return MonotoneMap.from_json(values)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise _odd(name, value)
    return float(value)


def _odd(name: str, value: object) -> ModelFileError:
    return ModelFileError(f"the calibration has {name} {value!r}, which means nothing; refit it with priori calibrate")


def log_normalized(scores: Floats) -> Floats:
    """Rows of scores as logarithms of probabilities; a class of -inf stays impossible."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


# --- fitting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LeftOutLabels:
    """Documents that were left out: log p(x, y) without each, (n, K), its features, its class, and what it counts."""

    joint: Floats
    features: Floats
    cls: Int32s
    weight: Floats


@dataclass(frozen=True)
class Found:
    """The parameters of least loss (log b, g, logit e, offsets), with the priors' part in the loss."""

    parameters: Floats
    loss: float

    def calibration(self, labels: tuple[str, ...]) -> Calibration:
        """As a value to keep."""
        log_scale, power, logit, *offsets = self.parameters.tolist()
        noise = 1 / (1 + math.exp(-logit))
        return Calibration(math.exp(log_scale), power, noise, dict(zip(labels, offsets, strict=True)))


def prior_centre(classes: int) -> Floats:
    """The parameters before any document was looked at."""
    return np.array([centre for centre, _ in PRIORS] + [0.0] * classes)


def fit_calibration(
    labels: LeftOutLabels, start: Found | None = None, tolerance: float = 1e-7, offsets: bool = True
) -> Found:
    """The parameters under which the left-out documents have the most probable labels; offsets may be held at 0."""
    classes = labels.joint.shape[1]
    centre = prior_centre(classes)
    spread = np.array([deviation for _, deviation in PRIORS] + [OFFSET if offsets else 0.0] * classes)
    length = np.log((labels.features + 1.0) / LENGTH)
    joint = np.ascontiguousarray(labels.joint)
    loss = partial(_core.calibrated_loss, joint, labels.cls, labels.weight, length)

    def whitened(z: Floats) -> tuple[float, Floats]:
        """In units of the priors' deviations, about their centres: all directions are then alike."""
        value, slope = loss(centre + spread * z)
        return value + 0.5 * float(z @ z), spread * slope + z

    first = np.zeros(classes + len(PRIORS))
    if start is not None:
        np.divide(start.parameters - centre, spread, out=first, where=spread > 0)
    z, value = minimized(whitened, first, tolerance)
    return Found(centre + spread * z, value)


# --- descent ----------------------------------------------------------------------------------------------------------


def minimized(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, tolerance: float
) -> tuple[Floats, float]:
    """Where the function (value and gradient) is least, and that value; it never gives back more than it was given.

    Limited-memory quasi-Newton steps (Nocedal 1980), with backtracking. It ends when a step promises to gain less than
    `tolerance` times 1 + the value. Our own few lines, because scipy's take longer to import than most models to train.
    """
    x = start
    value, slope = function(x)
    moves: list[tuple[Floats, Floats, float]] = []
    for _ in range(_STEPS):
        direction = _direction(slope, moves)
        promised = -float(slope @ direction)
        if promised <= tolerance * (1.0 + abs(value)):
            break
        size = 1.0 if moves else min(1.0, 1.0 / float(np.abs(slope).max()))
        while True:
            tried = x + size * direction
            tried_value, tried_slope = function(tried)
            if tried_value <= value - _ENOUGH * size * promised:
                break
            size *= 0.5
            if size < 1e-12:  # rounding hides what is left to gain
                return x, value
        step, change = tried - x, tried_slope - slope
        bend = float(step @ change)
        if bend > 1e-10 * float(np.sqrt((step @ step) * (change @ change))):  # else the curvature would not be positive
            moves = [*moves[-_MEMORY + 1 :], (step, change, bend)]
        x, value, slope = tried, tried_value, tried_slope
    return x, value


def _direction(slope: Floats, moves: list[tuple[Floats, Floats, float]]) -> Floats:
    """Minus the inverse curvature, as the last moves show it, times the slope (the two loops)."""
    q = slope.copy()
    shares = []
    for step, change, bend in reversed(moves):
        share = float(step @ q) / bend
        shares.append(share)
        q -= share * change
    if moves:
        step, change, bend = moves[-1]
        q *= bend / float(change @ change)
    for (step, change, bend), share in zip(moves, reversed(shares), strict=True):
        q += (share - float(change @ q) / bend) * step
    return -q
