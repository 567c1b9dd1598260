"""Priors worth many more observations than the data: evidence must not cancel to nonsense."""

import numpy as np
import pytest

from families.cases import take
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaPoisson,
    NormalGammaRegression,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalRegression,
)

NUMBERS = [0.4, 1.7, 0.9, 2.2]
PRIORS = {
    "bernoulli": lambda strength: (BetaBernoulli(strength, 2 * strength), [1, 0, 1, 1]),
    "categorical": lambda strength: (DirichletCategorical([strength, 3 * strength], "ab"), list("abab")),
    "multinomial": lambda strength: (DirichletMultinomial([strength, 3 * strength]), [[2, 1], [0, 4]]),
    "poisson": lambda strength: (GammaPoisson(3 * strength, strength), [2, 0, 5]),
    "exponential": lambda strength: (GammaExponential(strength, 2 * strength), NUMBERS),
    "normal": lambda strength: (NormalInverseGamma(1.0, strength, strength, 2 * strength), NUMBERS),
    "multivariate normal": lambda strength: (
        NormalInverseWishart([1.0, 0.0], strength, strength, strength * np.array([[2.0, 0.3], [0.3, 1.0]])),
        np.array([[0.4, 1.0], [1.7, -0.5], [0.9, 0.2]]),
    ),
}


@pytest.mark.parametrize("strength", [1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("case", PRIORS)
def test_evidence_is_the_sum_of_predictives_however_strong_the_prior(case, strength):
    """Each predictive is a plain density; rounding is that of a few hundred nats."""
    prior, X = PRIORS[case](strength)
    steps, now = 0.0, prior
    for place in range(len(X)):
        row = take(X, [place])
        steps += float(now.predictive().log_prob(row)[0])
        now = now.posterior(prior.statistics(row))
    assert prior.log_evidence(prior.statistics(X)) == pytest.approx(steps, abs=1e-11)


def test_a_fair_coin_is_as_probable_however_sure_we_are_of_it():
    """With ever stronger priors at 1/2 the evidence tends to that of a coin known to be fair, 2^-100."""
    stats = BetaBernoulli.statistics([1] * 55 + [0] * 45)
    for strength in (1e8, 1e12, 1e16):
        assert BetaBernoulli(strength, strength).log_evidence(stats) == pytest.approx(-100 * np.log(2), abs=1e-5)


@pytest.mark.parametrize("strength", [1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("kind", ["known noise", "unknown noise"])
def test_regressions_too(kind, strength):
    prior = (
        NormalRegression(1 / strength, 2.0, "penalised", names=("x",))
        if kind == "known noise"
        else NormalGammaRegression(strength / 2, strength, 2 * strength, "penalised", names=("x",))
    )
    X, t = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([1.0, 3.0, 4.5, 9.5])
    steps, now = 0.0, prior
    for place in range(len(t)):
        row = X[[place]], t[[place]]
        steps += float(now.predictive().log_prob(*row)[0])
        now = now.posterior(prior.statistics(*row))
    assert prior.log_evidence(prior.statistics(X, t)) == pytest.approx(steps, abs=1e-11)
