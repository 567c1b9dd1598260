"""Which families could have made some data, by what the data are, and which of them did so most probably."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.named import FAMILIES
from priori.select.compare import Comparison, compare
from priori.statistics.categories import present
from priori.statistics.observations import as_numbers

Kind = Literal["values", "counts", "real"]
FEW = 20  # distinct whole numbers that may as well be names of things


def auto(X: Any, weights: Any = None, kind: Kind | None = None) -> Comparison:
    """Compare the families that fit the support of the data, under their unit priors.

    Whole numbers from 0 are counts, and are compared by probabilities; kind="real" compares them by densities.

    >>> print(auto([3, 1, 4, 1, 5, 9, 2, 6]).best.name)
    poisson
    """
    return compare({name: FAMILIES[name] for name in fitting(X, kind)}, X, weights)


def fitting(X: Any, kind: Kind | None = None) -> list[str]:
    """The names of the families whose support has all the data.

    >>> fitting([0.5, 2.5]), fitting([0, 1, 1]), fitting(["red", "blue"])
    (['normal', 'exponential'], ['bernoulli', 'poisson'], ['categorical'])
    """
    values = _numbers(X)
    if values is None:
        if kind in ("counts", "real"):
            raise DataError(f"the data are text, so they cannot be {kind} numbers; leave the kind out")
        return ["categorical"]
    if not len(values):
        raise DataError("there are no observations, so no family can be chosen; add data")
    counts = bool((values >= 0).all() and (values == np.rint(values)).all())
    if kind == "counts" and not counts:
        raise DataError("the data are no whole numbers from 0, so they cannot be counts; leave the kind out")
    found = _discrete(values) if kind == "counts" or (kind is None and counts) else _continuous(values)
    return ["categorical"] if kind == "values" else [name for name in found if name in FAMILIES]


def _discrete(values: npt.NDArray[np.float64]) -> list[str]:
    distinct = len(np.unique(values))
    binary = values.max() <= 1
    return ["bernoulli"] * bool(binary) + ["poisson"] + ["categorical"] * bool(not binary and distinct <= FEW)


def _continuous(values: npt.NDArray[np.float64]) -> list[str]:
    low = values.min()
    return ["normal"] + ["exponential"] * bool(low >= 0) + ["gamma"] * bool(low > 0)


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
