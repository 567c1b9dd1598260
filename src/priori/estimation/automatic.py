"""Which families could have made some data, by what the data are, and which of them did so most probably."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.estimation.comparison import Candidate, Comparison, compare
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    GammaExponential,
    GammaGamma,
    GammaPoisson,
    NormalInverseGamma,
)
from priori.statistics.categories import present
from priori.statistics.observations import as_numbers

Kind = Literal["values", "counts", "real"]
FEW = 20  # whole numbers from 0 up to the largest, that may as well be names of things


def auto(X: Any, weights: Any = None, kind: Kind | None = None) -> Comparison:
    """Compare the families that fit the support of the data, under their unit priors.

    Whole numbers from 0 are counts, and are compared by probabilities; kind="real" compares them by densities.

    >>> print(auto([3, 1, 4, 1, 5, 9, 2, 6]).best.name)
    poisson
    """
    return compare(fitting(X, kind), X, weights)


def fitting(X: Any, kind: Kind | None = None) -> dict[str, Candidate]:
    """The families whose support has all the data.

    >>> list(fitting([-0.5, 2.5])), list(fitting([0, 1, 1])), list(fitting(["red", "blue"]))
    (['normal'], ['bernoulli', 'poisson'], ['categorical'])
    """
    values = _numbers(X)
    if kind == "values" or (values is None and kind is None):
        return {"categorical": DirichletCategorical}
    if values is None:
        raise DataError(f"the data are text, so they cannot be {kind} numbers; leave the kind out")
    if not len(values):
        raise DataError("there are no observations, so no family can be chosen; add data")
    counts = bool((values >= 0).all() and (values == np.rint(values)).all())
    if kind == "counts" and not counts:
        raise DataError("the data are no whole numbers from 0, so they cannot be counts; leave the kind out")
    return _of_counts(values.max()) if counts and kind != "real" else _of_reals(values.min())


def _of_counts(largest: float) -> dict[str, Candidate]:
    if largest <= 1:
        return {"bernoulli": BetaBernoulli, "poisson": GammaPoisson}
    found: dict[str, Candidate] = {"poisson": GammaPoisson}
    if largest < FEW:
        # subtle: values that no data had are possible too; a prior of those seen alone would have peeked
        values = range(int(largest) + 1)
        found["categorical"] = DirichletCategorical(1 / len(values), tuple(values))
    return found


def _of_reals(smallest: float) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {"normal": NormalInverseGamma}
    if smallest >= 0:
        found["exponential"] = GammaExponential
    if smallest > 0:
        found["gamma"] = GammaGamma
    return found


def _numbers(X: Any) -> npt.NDArray[np.float64] | None:
    """The numbers that are there; None for text."""
    try:
        array = as_numbers(X).astype(np.float64, copy=False)
    except DataError:
        if any(not isinstance(value, str) for value in present(X, np.ones(len(X)))[0]):
            raise
        return None
    if array.ndim != 1:
        raise DataError(f"the data have {array.ndim} dimensions, where one is wanted; give one column")
    return array[~np.isnan(array)]
