"""Numbers that users give, refused with a line that names the argument and its value."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]
MOST = 1e150  # imagined observations: sums of such numbers, and their products with logarithms, are numbers still


def number(value: Any, name: str, low: float = -math.inf, *, above: bool = False, high: float = math.inf) -> float:
    """A finite number from `low` (above it, if so said) to `high`."""
    if type(value) is float and low < value < high:  # nearly always
        return value
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    fits = math.isfinite(result) and low <= result <= high and not (above and result == low)
    if not fits:
        raise DataError(f"{name}={value!r} cannot be; give a finite number{_bounds(low, above, high)}")
    return result


def vector(values: Any, name: str, low: float = -math.inf, *, above: bool = False, high: float = math.inf) -> Floats:
    """Finite numbers in one row, each from `low` (above it, if so said) to `high`."""
    try:
        array = np.array(values, dtype=np.float64)  # a copy: a value does not change when its maker's array does
    except (TypeError, ValueError, OverflowError):
        array = np.array(math.nan)
    fits = array.ndim == 1 and np.isfinite(array).all() and ((array >= low) & (array <= high)).all()
    if not fits or (above and (array == low).any()):
        raise DataError(f"{name}={values!r} cannot be; give a list of finite numbers{_bounds(low, above, high)}")
    array.setflags(write=False)
    return array


def whole_number(value: object, name: str, least: int) -> int:
    """A setting that counts something."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DataError(f"{name}={value!r} is no number of them; give a whole number from {least}")
    return int(value)


def seed_of(value: object, name: str = "seed") -> int:
    """A whole number from 0, so that the same draws come again."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise DataError(f"{name}={value!r} is no seed; give a whole number from 0")
    return int(value)


def state_of(random_state: object) -> int:
    """A seed as scikit-learn calls it, where the same settings are to find the same; None is 0."""
    return 0 if random_state is None else seed_of(random_state, "random_state")


def _bounds(low: float, above: bool, high: float) -> str:
    bounds = f" {'above' if above else 'from'} {low:g}" if low > -math.inf else ""
    return bounds + (f" to {high:g}" if high < math.inf else "")
