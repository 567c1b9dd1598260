"""Weights, sums and sums of products of numbers in each class, exact."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.statistics.by_class import UNIT, UNIT_BITS, ByClass, Ints, below_zero, placed_counts
from priori.statistics.exact_sums import OF_NUMBERS, OF_PRODUCTS, Dyadics, ratio
from priori.statistics.moments import Moments
from priori.statistics.vector_moments import VectorMoments


@dataclass(frozen=True, eq=False)
class ClassMoments(ByClass):
    """Σw, Σwx and Σw x xᵀ of rows (x_1 ... x_d) in each class, as exact numbers: forgetting equals never learning.

    >>> both = ClassMoments.of([[1.0, 2.0, 1e8]], [0, 0, 1])
    >>> (both - ClassMoments.of([[1e8]], [1], classes=2)).moments(0)
    Moments(n=2.0, mean=1.5, scatter=0.5)
    """

    weight: Ints  # (K,), in units
    missing: Ints
    sums: Dyadics  # (K, d), of weights in units
    products: Dyadics  # (K, d (d + 1) / 2), j <= k, by rows; (K, 0) where only sums are kept

    @classmethod
    def zero(cls, classes: int, dimensions: int, products: bool = True) -> Self:
        """Of no rows."""
        pairs = dimensions * (dimensions + 1) // 2 if products else 0
        nothing = np.zeros(classes, np.int64)
        return cls(nothing, nothing, Dyadics.zeros(classes, dimensions), Dyadics.zeros(classes, pairs))

    @classmethod
    def of(
        cls, columns: Sequence[Any], groups: Any, weights: Ints | None = None, *, classes: int | None = None,
        products: bool = True,
    ) -> Self:  # fmt: skip
        """Of d columns of finite numbers, NaN where missing; groups: the class of each row, below 0 for none.

        Weights are in units. A row in which something is missing counts as missing.
        """
        arrays = [np.ascontiguousarray(column, dtype=np.float64) for column in columns]
        group = np.ascontiguousarray(groups, dtype=np.int32)
        k = classes if classes is not None else int(group.max(initial=-1)) + 1
        weight, missing, origin, width, digits, origins, widths, squares = _core.exact_moments(
            arrays, group, weights, k, products
        )
        shift = UNIT_BITS if weights is None else 0
        sums = Dyadics.of_digits(digits, width, origin + OF_NUMBERS + shift)
        pairwise = Dyadics.of_digits(squares, widths, origins + OF_PRODUCTS + shift)
        pairs = len(arrays) * (len(arrays) + 1) // 2 if products else 0
        return cls(weight << shift, missing << shift, sums.reshape(k, len(arrays)), pairwise.reshape(k, pairs))

    @property
    def dimensions(self) -> int:
        """d."""
        return int(self.sums.integers.shape[1])

    def placed(self, places: Sequence[int], labels: tuple[str, ...]) -> Self:
        """The same with class k at places[k] among `labels`."""
        wider = type(self).zero(len(labels), self.dimensions, bool(self.products.integers.shape[1]))
        for theirs, mine in ((wider.sums, self.sums), (wider.products, self.products)):
            theirs.integers[list(places)] = mine.integers
        return type(self)(
            placed_counts(self.weight, places, len(labels)),
            placed_counts(self.missing, places, len(labels)),
            Dyadics(wider.sums.integers, self.sums.exponent),
            Dyadics(wider.products.integers, self.products.exponent),
        )

    def kept(self, places: npt.NDArray[np.intp], labels: tuple[str, ...]) -> Self:
        """Only the classes at these places."""
        return type(self)(self.weight[places], self.missing[places], self.sums[places], self.products[places])

    def __add__(self, other: Self) -> Self:
        self.refuse_other(other)
        return type(self)(
            self.weight + other.weight,
            self.missing + other.missing,
            self.sums + other.sums,
            self.products + other.products,
        )

    def __neg__(self) -> Self:
        return type(self)(-self.weight, -self.missing, -self.sums, -self.products)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassMoments):
            return NotImplemented
        same = np.array_equal(self.weight, other.weight) and np.array_equal(self.missing, other.missing)
        return same and self.sums == other.sums and self.products == other.products

    __hash__ = None  # type: ignore[assignment]

    def held(self) -> npt.NDArray[np.bool_]:
        """(K,): whether anything is left of a class; a sum may be, where other rows were taken away than were there."""
        sums, products = ((each.integers != 0).any(axis=1) for each in (self.sums, self.products))
        held: npt.NDArray[np.bool_] = super().held() | sums | products
        return held

    def refuse_negative(self, column: str) -> None:
        """Refuse weights and variances below zero, and sums of nothing."""
        if (self.weight < 0).any() or (self.missing < 0).any():
            raise below_zero(column, "less than no rows")
        for k in range(self.classes):
            if not self.weight[k]:
                if self.sums.integers[k].any() or self.products.integers[k].any():
                    raise below_zero(column, "a sum of no numbers")
            elif any(
                self._exact_scatter(k, j, j)[0] < 0 for j in range(self.dimensions) if self.products.integers.size
            ):
                raise below_zero(column, "a variance below zero")

    def pooled(self) -> Self:
        """All classes as one."""
        return type(self)(
            self.weight.sum(keepdims=True),
            self.missing.sum(keepdims=True),
            Dyadics(self.sums.integers.sum(axis=0, keepdims=True), self.sums.exponent),
            Dyadics(self.products.integers.sum(axis=0, keepdims=True), self.products.exponent),
        )

    def total(self, k: int, j: int = 0) -> float:
        """Σwx of a class, rounded once."""
        return ratio(self.sums.integers[k, j], 1 << UNIT_BITS, self.sums.exponent)

    def moments(self, k: int, j: int = 0) -> Moments:
        """Weight, mean and scatter of one column in a class, each rounded once."""
        if self.weight[k] == 0:
            return Moments.zero()
        return Moments(int(self.weight[k]) * UNIT, self.mean(k, j), self._scatter(k, j, j))

    def vector_moments(self, k: int) -> VectorMoments:
        """Weight, mean and scatter matrix of a class, each rounded once."""
        d = self.dimensions
        if self.weight[k] == 0:
            return VectorMoments.zero(d)
        scatter = np.zeros((d, d))
        for i in range(d):
            for j in range(i, d):
                scatter[i, j] = scatter[j, i] = self._scatter(k, i, j)
        return VectorMoments(int(self.weight[k]) * UNIT, np.array([self.mean(k, j) for j in range(d)]), scatter)

    def mean(self, k: int, j: int = 0) -> float:
        """Σwx / Σw of a class, which has some, rounded once."""
        return ratio(self.sums.integers[k, j], int(self.weight[k]), self.sums.exponent)

    def _scatter(self, k: int, i: int, j: int) -> float:
        """Σw x_i x_j - Σw x_i Σw x_j / Σw."""
        return ratio(*self._exact_scatter(k, i, j))

    def _exact_scatter(self, k: int, i: int, j: int) -> tuple[int, int, int]:
        """The same as an integer, what it is to be divided by, and the exponent of both."""
        weight = int(self.weight[k])
        pair = i * self.dimensions - i * (i - 1) // 2 + j - i
        exponent = min(self.products.exponent, 2 * self.sums.exponent)
        square = self.sums.integers[k, i] * self.sums.integers[k, j] << (2 * self.sums.exponent - exponent)
        product = self.products.integers[k, pair] << (self.products.exponent - exponent)
        return weight * product - square, weight << UNIT_BITS, exponent
