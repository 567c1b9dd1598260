"""EM over the rows of a table whose classes are hidden, in full or in part (lecture 001; Dempster, Laird & Rubin 1977).

A generator, as `em` is for documents. A missing cell is integrated out in both steps. docs/hidden_classes_tables.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, repeat

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Rows
from priori.columns.class_prior import log_class_prior
from priori.columns.em import Fitted, HiddenFactor
from priori.columns.missing import missing_factor
from priori.columns.readings import Estimate, TableReadings
from priori.columns.registry import hidden_factor
from priori.columns.specification import Part
from priori.errors import DataError, EstimateError
from priori.families.numerics.special import log_sums
from priori.latent.rows import HiddenRows
from priori.model.totals import TableStatistics
from priori.statistics.by_class import UNIT_BITS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowStep:
    """One iteration: the parameters of an M-step, and what they say of the rows."""

    iteration: int  # from 1
    objective: float  # at these parameters
    log_likelihood: float  # the same without the log prior
    log_posterior: Floats  # (n, K): log p(y | x), also of labelled rows
    responsibilities: Floats  # (n, K): the same of rows without a label; of labelled ones 1 for their class
    shares: Floats  # (K,): p(y)
    parameters: tuple[
        Mapping[str, Floats], ...
    ]  # (K, ...) of each part; then of its missing cells, if they are evidence
    rows: HiddenRows
    unlabelled_weight: float

    @property
    def sizes(self) -> Floats:
        """(K,): how many rows each class has."""
        return np.asarray(self.rows.counted(self.unlabelled_weight) @ self.responsibilities)

    def in_order(self, places: npt.NDArray[np.intp]) -> "RowStep":
        """The same with the class at places[k] as the k-th."""
        return replace(
            self,
            log_posterior=self.log_posterior[:, places],
            responsibilities=self.responsibilities[:, places],
            shares=self.shares[places],
            parameters=tuple({name: value[places] for name, value in each.items()} for each in self.parameters),
        )

    def statistics(self) -> TableStatistics:
        """What a model keeps: fractional adds, exact in units of 2^-20."""
        return self.rows.statistics(self.responsibilities, self.unlabelled_weight)


def em_rows(
    rows: HiddenRows, readings: TableReadings, responsibilities: Floats, *, unlabelled_weight: float = 1.0
) -> Iterator[RowStep]:
    """Steps of EM from these responsibilities, (n, K), for ever; the caller owns the loop. The objective never falls.

    unlabelled_weight: λ, what a row without a label counts. Priors of covariances are placed by the responsibilities,
    where they leave something open; to begin anew under the same prior, hand others to one `HiddenModel`.
    """
    return HiddenModel(rows, readings, unlabelled_weight, rows.clamped(responsibilities)).em(responsibilities)


class HiddenModel:
    """p(y) and one factor for each part, over the same rows: an M-step, and the E-step after it.

    What is ascended, λ the weight of rows without a label:

        Σ_labelled w log p(x, y) + λ Σ_unlabelled w log Σ_y p(x, y) + log prior of the parameters and of p(y)

    E-step: responsibilities p(y | x), those of labelled rows clamped. M-step: the statistics of K fractional copies of
    the rows, read at parameters that maximise the expected logarithm and the log prior together. A missing cell is
    integrated out in both. Weights are floats while EM runs: rounded to the units of a model's statistics, 2^-20,
    responsibilities would be off by so much, and the objective could fall by K w 2^-20 a row; as they are, it falls by
    rounding at most.

    placed_by: the responsibilities, (n, K), by which priors of covariances are placed where they leave something open.
    Objectives compare under the same prior only.
    """

    def __init__(self, rows: HiddenRows, readings: TableReadings, unlabelled_weight: float, placed_by: Floats) -> None:
        self.rows, self.readings, self.unlabelled_weight = rows, readings, unlabelled_weight
        self.weight = rows.counted(unlabelled_weight)
        placing = self.weight[:, None] * placed_by
        units = np.rint(self.weight * 2.0**UNIT_BITS).astype(np.int64)
        pooled = Rows(("",), np.zeros(len(units), np.int32), units)
        pairs = zip(rows.parts, rows.evidence, strict=True)
        self.factors = tuple(self._factor(part, cells, pooled, placing) for part, cells in pairs)
        if readings.missing == "evidence":
            self.factors += tuple(map(missing_factor, rows.parts, rows.cells, repeat(readings), repeat(pooled)))

    def _factor(self, part: Part, cells: Cells, pooled: Rows, placing: Floats) -> HiddenFactor:
        try:
            return hidden_factor(part, cells, self.readings, pooled, placing)
        except (DataError, EstimateError) as error:
            raise type(error)(f"column {part.name!r}: {error}") from error

    def em(self, responsibilities: Floats) -> Iterator[RowStep]:
        """Steps from these responsibilities, (n, K), for ever."""
        now = self.rows.clamped(responsibilities)
        for iteration in count(1):
            step = self.step(now, iteration)
            now = step.responsibilities
            yield step

    def step(self, responsibilities: Floats, iteration: int) -> RowStep:
        """The parameters that these responsibilities give, and the responsibilities that those give."""
        weights = self.weight[:, None] * responsibilities
        log_share, log_prior = self._classes(weights.sum(axis=0))
        joint = np.tile(log_share, (len(weights), 1))
        parameters = []
        for at, factor in enumerate(self.factors):
            found = self._fitted(factor, self.rows.parts[at % len(self.rows.parts)], weights)
            joint += found.scores
            log_prior += found.log_prior
            parameters.append(found.parameters)
        known = np.flatnonzero(self.rows.known)
        whole = log_sums(joint)
        evidence = whole[:, 0].copy()
        evidence[known] = joint[known, self.rows.group[known]]
        counts = self.weight > 0
        log_likelihood = float(self.weight[counts] @ evidence[counts])
        log_posterior = joint - np.where(np.isfinite(whole), whole, 0.0)
        now = self.rows.clamped(np.exp(log_posterior))
        return RowStep(
            iteration, log_likelihood + log_prior, log_likelihood, log_posterior, now, np.exp(log_share),
            tuple(parameters), self.rows, self.unlabelled_weight,
        )  # fmt: skip

    def _fitted(self, factor: HiddenFactor, part: Part, weights: Floats) -> Fitted:
        try:
            return factor.fit(weights)
        except EstimateError as error:
            raise EstimateError(f"column {part.name!r}: {error}") from error

    def _classes(self, sizes: Floats) -> tuple[Floats, float]:
        """log p(y), and its log prior: a Dirichlet's, unless p(y) is fixed or the maximum."""
        prior = self.readings.class_prior
        of: Estimate = "map" if self.readings.estimate == "map" else "bayes"
        log_share = log_class_prior(self.rows.labels, sizes, prior, of)
        pseudo = (prior - (of == "map")) if isinstance(prior, float) else 0.0
        return log_share, pseudo * float(log_share.sum()) if pseudo else 0.0
