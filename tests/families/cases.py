"""One case for each family: random data, random proper priors with asymmetric parameters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    Family,
    GammaExponential,
    GammaGamma,
    GammaPoisson,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
)


@dataclass(frozen=True)
class Case:
    """What the laws in test_laws.py need to know of a family."""

    family: type[Family]
    data: st.SearchStrategy  # lists of observations, or arrays of rows
    prior: st.SearchStrategy  # proper priors that fit such data
    tolerance: float = 1e-9  # relative, of quantities that a float computation gives in a few operations
    average: Callable = lambda stats: stats.average()  # the part of it that the free parameters decide

    def __str__(self):
        return self.family.__name__


positive = st.floats(0.1, 20)

VALUES = ("a", "b", "c")
CATEGORICAL = Case(
    DirichletCategorical,
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=12),
    st.lists(positive, min_size=3, max_size=3).map(lambda alpha: DirichletCategorical(alpha, VALUES)),
)

BERNOULLI = Case(
    BetaBernoulli,
    st.lists(st.sampled_from([0, 1, True, False, 1.0]), min_size=1, max_size=12),
    st.builds(BetaBernoulli, positive, positive),
)

MULTINOMIAL = Case(
    DirichletMultinomial,
    st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=8).map(np.array),
    st.lists(positive, min_size=3, max_size=3).map(DirichletMultinomial),
)

POISSON = Case(
    GammaPoisson,
    st.lists(st.sampled_from([0, 2, 2, 7]) | st.integers(0, 1000), min_size=1, max_size=12),
    st.builds(GammaPoisson, positive, positive),
)

EXPONENTIAL = Case(
    GammaExponential,
    st.lists(st.sampled_from([0.0, 0.25, 3.5]) | st.floats(0, 1000), min_size=1, max_size=12),
    st.builds(GammaExponential, positive, positive),
)

numbers = st.builds(
    lambda offset, values: [offset + value for value in values],
    st.sampled_from([0.0, 50.0, -1000.0]),
    st.lists(st.sampled_from([0.5, -1.25]) | st.floats(-10, 10), min_size=1, max_size=12),
)
NORMAL = Case(
    NormalInverseGamma, numbers, st.builds(NormalInverseGamma, st.floats(-100, 100), positive, positive, positive)
)


class NormalOfVariance(NormalKnownVariance):
    """The variance is known to be 2.25."""

    @classmethod
    def flat(cls, stats):
        return super().flat(stats, variance=2.25)

    @classmethod
    def maximum_likelihood(cls, stats):
        return cls.flat(stats).posterior(stats).mode()


NORMAL_MEAN = Case(
    NormalOfVariance,
    numbers,
    st.builds(NormalOfVariance, st.just(2.25), st.floats(-100, 100), positive),
    average=lambda stats: stats.average()[:1],
)


def covariance(first, second, correlation):
    """A matrix of two variances and a correlation."""
    both = correlation * (first * second) ** 0.5
    return [[first, both], [both, second]]


MULTIVARIATE_NORMAL = Case(
    NormalInverseWishart,
    st.lists(
        st.tuples(st.floats(-10, 10), st.sampled_from([0.5, -2.25]) | st.floats(90, 110)), min_size=1, max_size=10
    ).map(np.array),
    st.builds(
        NormalInverseWishart,
        st.tuples(st.floats(-20, 20), st.floats(-20, 20)),
        positive,
        positive.map(lambda above: 1 + above),
        st.builds(covariance, positive, positive, st.floats(-0.9, 0.9)),
    ),
)

GAMMA = Case(
    GammaGamma,
    st.lists(st.sampled_from([0.25, 3.5]) | st.floats(0.01, 50), min_size=1, max_size=10),
    st.builds(GammaGamma, positive, positive, positive, positive),
)

CASES = [
    CATEGORICAL,
    BERNOULLI,
    MULTINOMIAL,
    POISSON,
    EXPONENTIAL,
    NORMAL_MEAN,
    NORMAL,
    MULTIVARIATE_NORMAL,
    GAMMA,
]


def take(data, index):
    """Some observations of a list or an array, as the same kind."""
    return data[index] if isinstance(data, np.ndarray) else [data[i] for i in index]
