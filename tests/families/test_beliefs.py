"""What every belief about parameters gives: intervals and expectations, and refusals that help."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

import priori
from families.asserts import assert_refused
from priori.errors import DataError
from priori.families import (
    BetaBernoulli,
    GammaPoisson,
    NormalGammaRegression,
    NormalInverseGamma,
    NormalInverseWishart,
    Poisson,
)


@pytest.mark.parametrize(
    ("belief", "mass"),
    [
        (NormalInverseGamma(0.0, 1.0, 0.001, 0.001), 0.95),
        (NormalInverseGamma(2.0, 3.0, 1e-5, 1e5), 0.5),
        (NormalInverseWishart([0.0, 1.0], 1.0, 1.001, [[1.0, 0.0], [0.0, 2.0]]), 0.95),
        (BetaBernoulli(0.001, 0.002), 0.95),
        (GammaPoisson(1e-6, 1e6), 0.95),
        (NormalGammaRegression(1.0, 1e-3, 1e-3, "penalised", names=("age",)), 0.95),
    ],
)
def test_intervals_beyond_all_numbers_are_rounded_outwards(belief, mass):
    """scipy's quantiles warn there, or are off by hundreds of orders of magnitude."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = belief.interval(mass)
    with np.errstate(all="ignore"):
        for name, of in belief.marginals().items():
            low, high = found[name]
            assert low < high
            assert of.cdf(low) <= 1.01 * (1 - mass) / 2 and of.sf(high) <= 1.01 * (1 - mass) / 2


def test_a_tail_that_no_number_reaches_is_infinite():
    """Student's t with ν degrees has the tail z^a / (2 a B(a, ½)) far out, with a = ν/2 and z = ν/x²."""
    belief, nu = NormalInverseGamma(0.0, 1.0, 0.001, 0.001), 0.002

    def log_x(tail):
        log_z = (math.log(2 * tail * nu / 2) + betaln(nu / 2, 0.5)) / (nu / 2)
        return 0.5 * (math.log(nu) - log_z)

    assert math.log(belief.interval(0.5)["mean"][1]) == pytest.approx(log_x(0.25), rel=1e-9)
    assert log_x(0.025) > math.log(np.finfo(np.float64).max)
    assert belief.interval(0.95)["mean"] == (-math.inf, math.inf)


@pytest.mark.parametrize("f", [lambda p: p, lambda probability, p: p, lambda p, /: p, np.log])
def test_an_expectation_of_what_there_is_not(f):
    assert_refused(DataError, lambda: BetaBernoulli(2, 3).expect(f, np.random.default_rng(0)), "probability")


def test_an_expectation_takes_what_it_names():
    found = BetaBernoulli(2, 3).expect(lambda probability, power=2: probability**power, np.random.default_rng(0))
    assert abs(found.value - stats.beta(2, 3).moment(2)) < 6 * found.error
    everything = BetaBernoulli(2, 3).expect(lambda **draws: draws["probability"], np.random.default_rng(0))
    assert abs(everything.value - 0.4) < 6 * everything.error


def test_what_has_no_weight_may_be_impossible():
    assert Poisson(2).score([1, -1], weights=[3, 0]) == 3 * Poisson(2).log_prob([1])[0]


def test_packages_show_what_they_offer_and_no_more():
    assert dir(priori.families) == sorted(priori.families.__all__)
    assert {name for name in dir(priori) if not name.startswith("__")} >= {"estimate", "families", "regress"}
    for module in (priori, priori.families):
        assert not {"Any", "import_module", "TYPE_CHECKING"} & set(dir(module))
        assert all(hasattr(module, name) for name in dir(module))
