"""Counts by (term, class) as real numbers, for scores that look at one term at a time."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.statistics import Counts

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64] | npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PairTable:
    """Terms with their pairs, and the totals of the classes: of all terms, though some of them only may be here.

    subtle: a pair without counts adds exactly 0 to every score, and a class without documents too, so that a score is
    the same float whether they are here or not. Ties must be ties with a document left out, too.
    """

    terms: int
    pair_term: Ints  # (P,) ascending
    pair_class: Ints
    occurrences: Floats  # (P,) N_cj
    documents: Floats  # (P,) D_cj
    class_occurrences: Floats  # (K,) N_c
    class_documents: Floats  # (K,) D_c
    places: int  # V: how many terms there are in all

    @classmethod
    def of(cls, counts: Counts) -> Self:
        """All terms of some counts."""

        def real(values: Ints) -> Floats:
            return values.astype(np.float64) * counts.unit

        return cls(
            counts.terms,
            counts.pair_term,
            counts.pair_class,
            real(counts.pair_occurrences),
            real(counts.pair_documents),
            real(counts.class_occurrences),
            real(counts.class_documents),
            counts.terms,
        )

    def by_term(self, values: Floats) -> Floats:
        """Numbers by pair, summed by term, pair after pair."""
        return np.bincount(self.pair_term, values, self.terms).astype(np.float64, copy=False)
