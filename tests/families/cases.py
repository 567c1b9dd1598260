"""One case for each family: random data, random proper priors with asymmetric parameters."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from priori.families import DirichletCategorical, Family


@dataclass(frozen=True)
class Case:
    """What the laws in test_laws.py need to know of a family."""

    family: type[Family]
    data: st.SearchStrategy  # lists of observations, or arrays of rows
    prior: st.SearchStrategy  # proper priors that fit such data
    tolerance: float = 1e-9  # relative, of quantities that a float computation gives in a few operations

    def __str__(self):
        return self.family.__name__


positive = st.floats(0.1, 20)

VALUES = ("a", "b", "c")
CATEGORICAL = Case(
    DirichletCategorical,
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=12),
    st.lists(positive, min_size=3, max_size=3).map(lambda alpha: DirichletCategorical(alpha, VALUES)),
)

CASES = [CATEGORICAL]


def take(data, index):
    """Some observations of a list or an array, as the same kind."""
    return data[index] if isinstance(data, np.ndarray) else [data[i] for i in index]
