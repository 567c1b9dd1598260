"""Learning curves of classifiers on the same rows: accuracy, log loss and joint likelihood by labelled rows.

Log loss is minus the conditional log-likelihood, -E[log p(y | x)], which discriminative learners maximise; generative
ones maximise the joint, E[log p(x, y)] (lecture 002; Ng & Jordan 2002). Each number is of rows held out. A crossing is
where one curve overtakes another for good.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.formatting import grid

Floats = npt.NDArray[np.float64]
Measure: TypeAlias = Literal["accuracy", "log_loss"]
_NAMES: dict[Measure, str] = {"accuracy": "accuracy", "log_loss": "log loss"}


@dataclass(frozen=True, eq=False)
class Scores:
    """What held-out rows say of one learner, (repeats, sizes)."""

    values: Floats

    @property
    def mean(self) -> Floats:
        """Over the repeats, (sizes,); infinite where one is."""
        found: Floats = self.values.mean(axis=0)
        return found

    @property
    def standard_error(self) -> Floats | None:
        """Of the mean over the repeats; None for a single one, and NaN never: infinite where the mean is.

        The repeats share rows, so that it is of the split and the subset, not of a new table.
        """
        repeats = len(self.values)
        if repeats < 2:
            return None
        finite = np.isfinite(self.mean)
        spread = np.where(finite, self.values, 0.0).std(axis=0, ddof=1) / math.sqrt(repeats)
        return np.where(finite, spread, np.inf)

    def to_json(self) -> dict[str, Any]:
        """Means and standard errors; null for what is infinite or does not exist."""
        error = self.standard_error
        return {
            "mean": _finite(self.mean),
            "standard_error": None if error is None else _finite(error),
        }


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """One learner by the number of labelled rows."""

    name: str
    generative: bool
    accuracy: Scores
    log_loss: Scores | None  # None for a learner without probabilities
    log_joint: Scores | None  # None for a discriminative learner: log p(x, y) of a held-out row

    def of(self, measure: Measure) -> Scores | None:
        """The curve of a measure."""
        return self.accuracy if measure == "accuracy" else self.log_loss

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "generative": self.generative,
            "accuracy": self.accuracy.to_json(),
            "log_loss": None if self.log_loss is None else self.log_loss.to_json(),
            "log_joint": None if self.log_joint is None else self.log_joint.to_json(),
        }


@dataclass(frozen=True)
class Crossing:
    """From which number of labelled rows on the discriminative learner is the better one (Ng & Jordan 2002)."""

    generative: str
    discriminative: str
    measure: Measure
    size: float | None  # None where it is not ahead at the end, and where it is ahead from the start
    ahead: Literal["generative", "discriminative"]  # at the largest size
    certain: bool  # whether the lead at the largest size is more than chance
    sizes: tuple[int, int]  # the smallest and the largest that were tried

    def __str__(self) -> str:
        low, high = self.sizes
        doubt = "" if self.certain else f" (at {high:,} rows the difference may be chance)"
        by = f"in {_NAMES[self.measure]}"
        if self.size is not None:
            return f"{self.discriminative} overtakes {self.generative} {by} at about {about(self.size)} rows{doubt}"
        if self.ahead == "discriminative":
            return f"{self.discriminative} is ahead of {self.generative} {by} from {low:,} to {high:,} rows{doubt}"
        never = f"no crossing from {low:,} to {high:,} rows{doubt}"
        return f"{self.discriminative} does not overtake {self.generative} {by}: {never}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "generative": self.generative,
            "discriminative": self.discriminative,
            "measure": self.measure,
            "size": self.size,
            "ahead": self.ahead,
            "certain": self.certain,
        }


@dataclass(frozen=True, eq=False)
class LearnerComparison:
    """Learning curves on the same subsets and the same held-out rows."""

    sizes: tuple[int, ...]
    repeats: int
    test_rows: int
    classes: tuple[str, ...]
    curves: tuple[LearningCurve, ...]
    notes: tuple[str, ...]  # what is left out, and why
    optimum: tuple[float, float] | None = None  # Bayes-optimal accuracy and its standard error, where truth is known

    def __getitem__(self, name: str) -> LearningCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise DataError(f"there is no learner {name!r}; there are {', '.join(curve.name for curve in self.curves)}")

    def crossing(self, generative: str, discriminative: str, measure: Measure = "accuracy") -> Crossing:
        """From which size on one learner overtakes another, by the means over the repeats."""
        first, second = self[generative].of(measure), self[discriminative].of(measure)
        if first is None or second is None:
            lacking = generative if first is None else discriminative
            raise DataError(f"{lacking} has no probabilities, so no log loss; compare the accuracy")
        sign = 1 if measure == "accuracy" else -1
        lead = sign * _difference(second.mean, first.mean)
        ends = sign * _difference(second.values[:, -1], first.values[:, -1])
        return Crossing(
            generative,
            discriminative,
            measure,
            crossing_size(self.sizes, lead.tolist()),
            "discriminative" if lead[-1] > 0 else "generative",
            _certain(ends),
            (self.sizes[0], self.sizes[-1]),
        )

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Of every generative learner with the first discriminative one (logistic regression, if none are named)."""
        rival = next((curve for curve in self.curves if not curve.generative), None)
        if rival is None:
            return ()
        measures: tuple[Measure, ...] = ("accuracy", "log_loss")
        return tuple(
            self.crossing(curve.name, rival.name, measure)
            for curve in self.curves
            for measure in measures
            if curve.generative and curve.of(measure) is not None and rival.of(measure) is not None
        )

    def to_json(self) -> dict[str, Any]:
        """All curves with their crossings; null for what is infinite or does not exist."""
        return {
            "sizes": list(self.sizes),
            "repeats": self.repeats,
            "test_rows": self.test_rows,
            "classes": list(self.classes),
            "learners": [curve.to_json() for curve in self.curves],
            "crossings": [crossing.to_json() for crossing in self.crossings],
            "bayes_optimal": None
            if self.optimum is None
            else {"accuracy": self.optimum[0], "standard_error": self.optimum[1]},
            "notes": list(self.notes),
        }

    def blocks(self) -> list[tuple[str, list[list[str]]]]:
        """Tables of accuracy, log loss and joint log-likelihood: their titles, and their rows of cells with a head."""
        measured: list[tuple[str, list[tuple[str, Scores | None]]]] = [
            ("accuracy", [(c.name, c.accuracy) for c in self.curves]),
            ("log loss, -log p(y | x) per row", [(c.name, c.log_loss) for c in self.curves]),
            ("joint log-likelihood, log p(x, y) per row", [(c.name, c.log_joint) for c in self.curves]),
        ]
        found = []
        for title, columns in measured:
            there = [(name, scores) for name, scores in columns if scores is not None]
            if there:
                lines = [["rows", *(name for name, _ in there)]]
                for at, size in enumerate(self.sizes):
                    lines.append([f"{size:,}", *(_cell(scores, at) for _, scores in there)])
                found.append((title, lines))
        return found

    def sentences(self) -> list[str]:
        """The crossings, the Bayes-optimal accuracy, and what is left out."""
        said = [str(crossing) for crossing in self.crossings]
        if self.optimum is not None:
            best, error = self.optimum
            exact = "" if error == 0 else f" ± {error:.4f}"
            nearest = max(self.curves, key=lambda curve: curve.accuracy.mean[-1])
            last = len(self.sizes) - 1
            reached = f"{nearest.name} comes nearest, with {_cell(nearest.accuracy, last)} at {self.sizes[-1]:,} rows"
            said.append(f"nothing can be more accurate than {best:.4f}{exact} here (Bayes-optimal); {reached}")
        return [*said, *self.notes]

    def __str__(self) -> str:
        tables = [f"{title}\n{grid(lines)}" for title, lines in self.blocks()]
        return "\n\n".join([*tables, "\n".join(self.sentences())])


def crossing_size(sizes: Sequence[int], lead: Sequence[float]) -> float | None:
    """Where a lead becomes positive for good, interpolated on log n; None where it never does, or always was.

    lead: by how much the second curve is better at each size. Where it jumps to or from infinity, the size at which it
    is first positive.

    >>> f"{crossing_size([10, 100, 1000], [-1.0, -1.0, 1.0]):.1f}"
    '316.2'
    """
    behind = [place for place, value in enumerate(lead) if not value > 0]
    if not behind or behind[-1] == len(sizes) - 1:
        return None
    last = behind[-1]
    below, above = lead[last], lead[last + 1]
    if not (math.isfinite(below) and math.isfinite(above)):
        return float(sizes[last + 1])
    start, end = math.log(sizes[last]), math.log(sizes[last + 1])
    return math.exp(start + (end - start) * below / (below - above))


def about(size: float) -> str:
    """A number of rows to two digits: so far are interpolated sizes to be believed.

    >>> about(1843.2)
    '1,800'
    """
    return f"{float(f'{size:.2g}'):,.0f}"


def _cell(scores: Scores, at: int) -> str:
    """Mean ± standard error, in few characters."""
    value, error = float(scores.mean[at]), scores.standard_error
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    places = 3 if abs(value) < 10 else 1
    return f"{value:.{places}f}" + ("" if error is None else f" ±{error[at]:.{places}f}".replace("±0.", "±."))


def _finite(values: Floats) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _difference(a: Floats, b: Floats) -> Floats:
    """a - b, and 0 where both are infinite alike."""
    same = a == b
    return np.where(same, 0.0, np.where(same, 0.0, a) - np.where(same, 0.0, b))


def _certain(ends: Floats) -> bool:
    """Whether the mean of paired differences is not 0, by Student's t test at 1 %.

    Repeats on one table share rows, so that the test errs more often than that; simulated ones do not.
    """
    if len(ends) < 2 or not np.isfinite(ends).all():
        return False
    from scipy.stats import t

    return bool(abs(ends.mean()) > t.ppf(0.995, len(ends) - 1) * ends.std(ddof=1) / math.sqrt(len(ends)))
