"""Powers of a table's columns: how far each p(x_j | y) may be believed, fitted on rows that are left out.

Columns that repeat each other are counted as if each were news, so p(y) Π p(x_j | y) is too sure of itself. Tempered
it is p(y) Π p(x_j | y)^t_j: naive Bayes with attribute weights (Zaidi, Cerquides, Carman & Webb 2013), here by the log
loss of rows that are left out one at a time, which the sums give without refits. t_j = 1 is naive Bayes itself. Where
no rows say more, a rule gives the powers by the number of columns.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar

from priori.errors import ModelFileError
from priori.families.numerics.special import log_sums
from priori.model.sample import RowSample
from priori.model.totals import TableStatistics
from priori.statistics.by_class import UNIT_BITS

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LEAST, MOST = 0.01, 2.0  # of the power for all columns
SPREAD = 0.5  # of log t
SPREADS = (0.125, 0.25, 0.5, 1.0)  # of the powers of the columns about t: that of the most evidence is taken
ROOM = 8_000_000  # scores of rows, classes and columns that are looked at


def rule(columns: int) -> float:
    """The power for so many columns where no rows say more."""
    return 2 / (1 + math.sqrt(max(columns, 1)))


def in_rows_of(powers: Floats, there: Bools) -> Floats:
    """The powers of the columns in each row, (n, d), by which cells are there.

    A column whose neighbours say the same may get the power 0, and must speak where they are missing. So in a row that
    has m of the d columns, the powers are f t_j + (1 - f) 2 / (1 + √m) with f = (m - 1) / (d - 1): the fitted ones
    where all is there, 1 where only one cell is.
    """
    share, common = _shares(there)
    return np.asarray(share[:, None] * powers + ((1 - share) * common)[:, None])


def _shares(there: Bools) -> tuple[Floats, Floats]:
    """f and 2 / (1 + √m) of each row."""
    present, columns = np.maximum(there.sum(axis=1), 1), there.shape[1]
    share = (present - 1) / (columns - 1) if columns > 1 else np.ones(len(there))
    return share, 2 / (1 + np.sqrt(present))


# --- fitting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows that were left out: log p(y) (n, K) and log p(x_j | y) (n, K, d), each without the row itself."""

    log_prior: Floats
    scores: Floats
    there: Bools  # (n, d): which cells are there
    group: npt.NDArray[np.int32]  # (n,)
    weight: Floats  # (n,): what each row's loss counts

    def possible(self) -> "LeftOut":
        """Those whose scores are numbers: what is impossible without a row says nothing of powers."""
        own = np.arange(len(self.group)), self.group
        kept = np.isfinite(self.scores).all(axis=(1, 2)) & np.isfinite(self.log_prior[own])
        return LeftOut(self.log_prior[kept], self.scores[kept], self.there[kept], self.group[kept], self.weight[kept])

    @cached_property
    def _own(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        return np.arange(len(self.group)), self.group

    @cached_property
    def _told(self) -> tuple[Floats, Floats]:
        """What is there whatever the powers are, (n, K), and what each power multiplies, (n, K, d)."""
        share, common = _shares(self.there)
        fixed = self.log_prior + ((1 - share) * common)[:, None] * self.scores.sum(axis=2)
        return fixed, share[:, None, None] * self.scores

    def loss(self, powers: Floats) -> tuple[float, Floats]:
        """Σ w log p(y | x), taken negative, and its gradient; convex in the powers."""
        fixed, scores = self._told
        joint = fixed + scores @ powers
        total = log_sums(joint)
        posterior = np.exp(joint - total) * self.weight[:, None]
        slope = np.einsum("nk,nkd->d", posterior, scores) - self.weight @ scores[self._own]
        return float(self.weight @ (total[:, 0] - joint[self._own])), slope

    def curvature(self, powers: Floats) -> Floats:
        """The second derivatives of the loss, (d, d): Σ w Cov[scores] under p(y | x)."""
        fixed, scores = self._told
        joint = fixed + scores @ powers
        posterior = np.exp(joint - log_sums(joint))
        mean = np.einsum("nk,nkd->nd", posterior, scores)
        centred = (scores - mean[:, None, :]) * np.sqrt(posterior * self.weight[:, None])[:, :, None]
        flat = centred.reshape(-1, scores.shape[2])
        return np.asarray(flat.T @ flat)

    def loss_of_one(self, power: float) -> float:
        """The same of one power for all columns."""
        joint = self._told[0] + power * self._together
        return float(self.weight @ (log_sums(joint)[:, 0] - joint[self._own]))

    @cached_property
    def _together(self) -> Floats:
        return np.asarray(self._told[1].sum(axis=2))


def fitted(rows: LeftOut) -> Floats:
    """The powers under which rows that were left out have the most probable labels, (d,).

    First one power t for all columns is fitted, log t normal about log 2 / (1 + √d) of d columns (what real tables had
    in common), of deviation ½, and t from 0.01 to 2; then those of the columns, normal about t, of the deviation for
    which there is the most evidence.
    """
    columns = rows.scores.shape[2]
    few = rows.possible()
    if len(np.unique(few.group)) < 2:  # rows of one class do not tell it from others
        return np.full(columns, rule(columns))
    t = _one_power(few, rule(columns))
    return max((_about(few, t, spread) for spread in SPREADS), key=lambda found: found[0])[1]


def _about(rows: LeftOut, t: float, spread: float) -> tuple[float, Floats]:
    """The powers under a normal prior of this deviation about t, and the evidence for it (Laplace's approximation)."""

    def loss(powers: Floats) -> tuple[float, Floats]:
        value, slope = rows.loss(powers)
        away = (powers - t) / spread**2
        return value + 0.5 * float(away @ (powers - t)), slope + away

    size = rows.scores.shape[2]
    found = minimize(loss, np.full(size, t), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * size)
    curvature = np.linalg.slogdet(np.eye(size) + spread**2 * rows.curvature(found.x))[1]
    return -float(found.fun) - 0.5 * float(curvature), found.x


def _one_power(rows: LeftOut, about: float) -> float:
    def loss(log_t: float) -> float:
        return rows.loss_of_one(math.exp(log_t)) + 0.5 * ((log_t - math.log(about)) / SPREAD) ** 2

    found = minimize_scalar(loss, bounds=(math.log(LEAST), math.log(MOST)), method="bounded", options={"xatol": 1e-6})
    return math.exp(float(found.x))


# --- the powers of a model --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tempers:
    """A power for each part, and how they came about: fitted on rows that were left out, or by the rule.

    By the rule, they are never stale: it asks for the number of parts only.
    """

    powers: tuple[float, ...]
    rows: int = 0  # that were left out; 0: by the rule
    stale: bool = False  # fitted on other statistics than those that are read now, or for another reading

    @classmethod
    def of(cls, powers: npt.NDArray[np.float64], rows: int) -> Self:
        """Fitted on so many rows; on none, where that gave the rule."""
        found = tuple(powers.tolist())
        return cls(found, 0 if set(found) == {rule(len(found))} else rows)

    @classmethod
    def by_rule(cls, parts: int) -> Self:
        """Where no rows say more."""
        return cls((rule(parts),) * parts)

    @property
    def fitted(self) -> bool:
        """Whether rows have said something."""
        return self.rows > 0

    def outdated(self) -> "Tempers | None":
        """As a model has them whose rows or reading have changed; None: nothing was fitted."""
        return replace(self, stale=True) if self.fitted else None

    def facts(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Plain values for people and programs, by the names of the parts."""
        return {
            "tempers": dict(zip(names, self.powers, strict=True)),
            "by": "rows" if self.fitted else "rule",
            "rows": self.rows,
            "stale": self.stale,
        }

    def __str__(self) -> str:
        if not self.fitted:
            return f"by rule, {self.powers[0]:.3g} each: no rows say more"
        rows = "1 row that was" if self.rows == 1 else f"{self.rows:,} different rows that were"
        return f"fitted on {rows} left out" + ("; stale: the model has changed since" if self.stale else "")

    def to_json(self) -> dict[str, Any]:
        """What a file holds beside the powers."""
        return {"rows": self.rows, "stale": self.stale}

    def told(self, values: object) -> Self:
        """With what `to_json` gave, checked."""
        if not isinstance(values, Mapping) or set(values) != {"rows", "stale"}:
            raise _meaningless(values)
        rows, stale = values["rows"], values["stale"]
        if type(rows) is not int or not 0 <= rows < 1 << 62 or type(stale) is not bool or (stale and not rows):
            raise _meaningless(values)
        return replace(self, rows=rows, stale=stale)


def left_out_rows(kept: RowSample, statistics: TableStatistics, held_out: bool = False) -> npt.NDArray[np.intp]:
    """The places of the rows that powers are fitted on: without the others their class would have no rows."""
    group = kept.rows(statistics.labels).group
    alone = statistics.weight[group] <= np.minimum(kept.weight, 1 << UNIT_BITS)
    places = np.arange(len(kept)) if held_out else np.flatnonzero(~alone)
    return places[: max(1, ROOM // (max(1, len(statistics.labels)) * len(kept.cells)))]


def _meaningless(values: object) -> ModelFileError:
    return ModelFileError(f"how the tempers were fitted, {values!r}, means nothing; refit them with priori calibrate")
