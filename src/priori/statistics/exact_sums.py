"""Exact sums of floating-point numbers: integers times a power of two, so that nothing is ever rounded.

Every finite float is an integer times 2^-1074, and every product of two an integer times 2^-2148. So their sums are
integers too: any order and any batches give the same bits, and what is added and taken away leaves no trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.object_]

OF_NUMBERS, OF_PRODUCTS = -1074, -2148  # the exponents that make any float, and any product of two, an integer


@dataclass(frozen=True, eq=False)
class Dyadics:
    """An array of numbers `integers * 2**exponent`, added and subtracted exactly.

    >>> (Dyadics.of([0.1, 3]) + Dyadics.of([1e300, 0]) - Dyadics.of([1e300, 1])).floats().tolist()
    [0.1, 2.0]
    """

    integers: Integers  # Python integers, of any shape
    exponent: int

    @classmethod
    def zeros(cls, *shape: int) -> Self:
        """Nothing added up yet."""
        integers = np.empty(shape, dtype=object)
        integers.fill(0)
        return cls(integers, 0)

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Self:
        """Floats as they are."""
        ratios = [float(number).as_integer_ratio() for number in numbers]
        bits = max((denominator.bit_length() - 1 for _, denominator in ratios), default=0)
        integers = [numerator << (bits + 1 - denominator.bit_length()) for numerator, denominator in ratios]
        return cls(_objects(integers), -bits)

    @classmethod
    def of_digits(cls, words: npt.NDArray[np.int64], width: int, exponent: int) -> Self:
        """From rows of `width` digits of 32 bits, the lowest first, the last with the sign: what the core sums up."""
        data = words.astype("<u4").tobytes()
        step = 4 * width
        return cls(
            _objects(
                [int.from_bytes(data[at : at + step], "little", signed=True) for at in range(0, len(data), step or 1)]
            ),
            exponent,
        )

    def reshape(self, *shape: int) -> Self:
        """The same numbers in another shape."""
        return type(self)(self.integers.reshape(shape), self.exponent)

    def __getitem__(self, at: Any) -> Self:
        return type(self)(_objects(self.integers[at]), self.exponent)

    def __add__(self, other: Self) -> Self:
        exponent = min(self.exponent, other.exponent)
        return type(self)(self.in_units(exponent) + other.in_units(exponent), exponent)

    def __neg__(self) -> Self:
        return type(self)(-self.integers, self.exponent)

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dyadics):
            return NotImplemented
        exponent = min(self.exponent, other.exponent)
        mine, theirs = self.in_units(exponent), other.in_units(exponent)
        return mine.shape == theirs.shape and bool((mine == theirs).all())

    __hash__ = None  # type: ignore[assignment]

    def in_units(self, exponent: int) -> Integers:
        """The integers at a lower exponent."""
        return self.integers if exponent == self.exponent else self.integers << (self.exponent - exponent)

    def floats(self) -> Floats:
        """The nearest floats; a DataError beyond the largest."""
        numbers = [ratio(integer, 1, self.exponent) for integer in self.integers.ravel().tolist()]
        return np.array(numbers, dtype=np.float64).reshape(self.integers.shape)


def _objects(values: Any) -> Integers:
    array = np.empty(np.shape(values), dtype=object)
    array[...] = values
    return array


def ratio(integer: int, divisor: int, exponent: int) -> float:
    """The float nearest to integer / divisor * 2^exponent; a DataError beyond the largest."""
    # subtle: Python's division of integers is rounded once, to the nearest float, however long they are
    try:
        return (integer << max(exponent, 0)) / (divisor << max(-exponent, 0))
    except OverflowError:
        raise DataError("the sums of the data exceed the largest floating-point number; scale the data down") from None
