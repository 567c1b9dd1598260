"""Data and parameters that do not fit are refused with a line that names them and the remedy."""

import math

import pytest

from families.asserts import assert_refused
from priori.errors import DataError, MergeError
from priori.families import (
    BetaBernoulli,
    DirichletMultinomial,
    GammaExponential,
    GammaPoisson,
    NormalInverseGamma,
    NormalKnownVariance,
)
from priori.statistics import CountVectors


@pytest.mark.parametrize(
    ("family", "data", "words"),
    [
        (BetaBernoulli, [0, 2], "2 is neither 0 nor 1"),
        (BetaBernoulli, ["yes"], "no numbers"),
        (GammaPoisson, [1, 2.5], "2.5 is no count"),
        (GammaPoisson, [-3], "-3 is no count"),
        (GammaPoisson, [[1], [2]], "2 dimensions"),
        (GammaExponential, [1, -0.5], "-0.5 is below 0"),
        (GammaExponential, [math.inf], "infinite"),
        (NormalInverseGamma, [math.inf], "infinite"),
        (DirichletMultinomial, [[1, 0.5]], "0.5 is no count"),
        (DirichletMultinomial, [1, 2], "dimension 1"),
        (DirichletMultinomial, [[1, 2], [3, None]], "row 1 lacks some"),
    ],
)
def test_data_that_do_not_fit(family, data, words):
    assert_refused(DataError, lambda: family.statistics(data), words)


@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (lambda: BetaBernoulli(0, 1), "give a finite number"),
        (lambda: GammaPoisson(0, 1), "give a finite number"),
        (lambda: GammaPoisson(1, -1), "give a finite number"),
        (lambda: GammaExponential(math.nan, 1), "give a finite number"),
        (lambda: NormalInverseGamma(0, -1, 1, 1), "give a finite number"),
        (lambda: NormalInverseGamma(0, 1, -1.6, 1), "give a finite number"),
        (lambda: NormalInverseGamma(math.inf, 1, 1, 1), "give a finite number"),
        (lambda: NormalKnownVariance(0), "give a finite number"),
        (lambda: NormalKnownVariance(1, 0, -math.inf), "give a finite number"),
        (lambda: DirichletMultinomial([1, 0]), "give a list of finite numbers above 0"),
        (lambda: DirichletMultinomial(1), "name each value"),
    ],
)
def test_parameters_that_cannot_be(make, remedy):
    assert_refused(DataError, make, remedy)


def test_rows_of_two_widths():
    two, three = CountVectors.of([[1, 2]]), CountVectors.of([[1, 2, 3]])
    assert_refused(MergeError, lambda: two + three, "do not add up")
    assert_refused(MergeError, lambda: DirichletMultinomial([1, 2]).posterior(three), "3 counts, and the model 2")
    assert_refused(DataError, lambda: DirichletMultinomial([1, 2]).predictive().log_prob([[1, 2, 3]]), "3 counts")
