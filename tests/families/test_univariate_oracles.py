"""scipy as oracle of densities and draws; each statistical test also rejects the bug it is there for."""

import numpy as np
import pytest
from scipy import stats

from priori.errors import DataError, EstimateError
from priori.families import (
    Bernoulli,
    BetaBernoulli,
    DirichletMultinomial,
    Exponential,
    GammaExponential,
    GammaPoisson,
    Lomax,
    Multinomial,
    NegativeBinomial,
    Normal,
    NormalInverseGamma,
    NormalKnownVariance,
    Poisson,
    PolyaUrn,
    StudentT,
)
from priori.families.numerics.special import log_rising

TINY = 1e-9  # level of the tests of draws
DRAWS = 20_000

# Each distribution, scipy's with parameters written down anew, and what a usual slip would make of it.
COUNTED = [
    (Bernoulli(0.3), stats.bernoulli(0.3), Bernoulli(0.7)),
    (Poisson(2.7), stats.poisson(2.7), Poisson(1 / 2.7)),
    (NegativeBinomial(3.2, 0.4), stats.nbinom(3.2, 0.4 / 1.4), NegativeBinomial(3.2, 1 / 0.4)),
    (GammaPoisson(3.2, 0.4).predictive(), stats.nbinom(3.2, 1 - 1 / 1.4), GammaPoisson(3.2, 0.4).mean()),
]
MEASURED = [
    (Exponential(0.35), stats.expon(scale=1 / 0.35), Exponential(1 / 0.35)),
    (Lomax(2.6, 1.7), stats.lomax(2.6, scale=1.7), Lomax(1.7, 2.6)),
    (GammaExponential(2.6, 1.7).predictive(), stats.lomax(2.6, scale=1.7), GammaExponential(2.6, 1.7).mean()),
    (Normal(-1.5, 0.49), stats.norm(-1.5, 0.7), Normal(-1.5, 0.7)),
    (
        NormalKnownVariance(4, 1, 2.5).predictive(),
        stats.norm(1, np.sqrt(6.5)),
        NormalKnownVariance(4, 1, 2.5).mean(),
    ),
    (StudentT(4.5, 2, 0.3), stats.t(4.5, 2, 0.3), StudentT(4.5, 2, 0.3**0.5)),
    (
        NormalInverseGamma(1, 0.5, 2.2, 3.7).predictive(),
        stats.t(4.4, 1, np.sqrt(3.7 * 1.5 / (2.2 * 0.5))),
        NormalInverseGamma(1, 0.5, 2.2, 3.7).mean(),
    ),
]
PRIORS = [  # a prior, and its parameters one by one as scipy has them
    (BetaBernoulli(2.5, 0.7), {"probability": stats.beta(2.5, 0.7)}),
    (GammaPoisson(3.2, 0.4), {"rate": stats.gamma(3.2, scale=1 / 0.4)}),
    (GammaExponential(2.6, 1.7), {"rate": stats.gamma(2.6, scale=1 / 1.7)}),
    (NormalKnownVariance(4, 1, 0.5), {"mean": stats.norm(1, np.sqrt(0.5))}),
    (
        NormalInverseGamma(1, 0.5, 2.2, 3.7),
        {"mean": stats.t(4.4, 1, np.sqrt(3.7 / 2.2 / 0.5)), "variance": stats.invgamma(2.2, scale=3.7)},
    ),
]
ids = [str(row[0]) for row in COUNTED], [str(row[0]) for row in MEASURED], [str(row[0]) for row in PRIORS]


def p_of_counts(draws, oracle):
    """The p-value of a chi-square test, the counts above a rare one taken together."""
    top = int(oracle.isf(5e-3))
    seen = np.bincount(np.minimum(draws, top), minlength=top + 1)
    expected = np.append(oracle.pmf(np.arange(top)), oracle.sf(top - 1)) * len(draws)
    return stats.chisquare(seen[expected > 0], expected[expected > 0]).pvalue


@pytest.mark.parametrize(("ours", "oracle", "slip"), COUNTED, ids=ids[0])
def test_probabilities(ours, oracle, slip):
    X = np.arange(12)
    for theirs in (oracle, ours.freeze()):
        np.testing.assert_allclose(ours.log_prob(X), theirs.logpmf(X), rtol=1e-12)
    assert ours.log_prob([None, np.nan, -1, 0.5, np.inf]).tolist() == [0, 0, -np.inf, -np.inf, -np.inf]
    assert not np.allclose(slip.log_prob(X), oracle.logpmf(X))


@pytest.mark.parametrize(("ours", "oracle", "slip"), MEASURED, ids=ids[1])
def test_densities(ours, oracle, slip):
    X = np.array([-31.7, -2.0, -0.1, 0, 0.25, 1, 7.5, 1e4])
    for theirs in (oracle, ours.freeze()):
        np.testing.assert_allclose(ours.log_prob(X), theirs.logpdf(X), rtol=1e-12)
    assert ours.log_prob([None, np.nan, np.inf, -np.inf]).tolist() == [0, 0, -np.inf, -np.inf]
    assert not np.allclose(slip.log_prob(X), oracle.logpdf(X))


@pytest.mark.parametrize(("ours", "oracle", "slip"), COUNTED, ids=ids[0])
def test_draws_of_counts(ours, oracle, slip):
    assert p_of_counts(ours.sample(DRAWS, np.random.default_rng(0)), oracle) > TINY
    assert p_of_counts(slip.sample(DRAWS, np.random.default_rng(0)), oracle) < TINY


@pytest.mark.parametrize(("ours", "oracle", "slip"), MEASURED, ids=ids[1])
def test_draws_of_numbers(ours, oracle, slip):
    assert stats.kstest(ours.sample(DRAWS, np.random.default_rng(0)), oracle.cdf).pvalue > TINY
    assert stats.kstest(slip.sample(DRAWS, np.random.default_rng(0)), oracle.cdf).pvalue < TINY


@pytest.mark.parametrize(("prior", "oracles"), PRIORS, ids=ids[2])
def test_parameters_one_by_one(prior, oracles):
    """Marginals, draws and the mean of each parameter; those of the neighbour prior do not pass."""
    draws = prior.sample(DRAWS, np.random.default_rng(0))
    assert draws.keys() == oracles.keys() == prior.marginals().keys()
    for name, oracle in oracles.items():
        shares = np.array([0.01, 0.3, 0.9])
        np.testing.assert_allclose(prior.marginals()[name].ppf(shares), oracle.ppf(shares), rtol=1e-12)
        assert prior.mean().parameters[name] == pytest.approx(oracle.mean(), rel=1e-12)
        assert stats.kstest(draws[name], oracle.cdf).pvalue > TINY
        assert stats.kstest(1.1 * draws[name], oracle.cdf).pvalue < TINY


@pytest.mark.parametrize(("prior", "oracles"), PRIORS[:-1], ids=ids[2][:-1])
def test_densities_of_one_parameter(prior, oracles):
    ((name, oracle),) = oracles.items()
    inside = oracle.ppf([0.001, 0.2, 0.7, 0.999])
    np.testing.assert_allclose(prior.log_prob(**{name: inside}), oracle.logpdf(inside), rtol=1e-12, atol=1e-13)
    assert prior.log_prob(**{name: -1e5}) == oracle.logpdf(-1e5)


def test_the_density_of_mean_and_variance_together():
    prior = NormalInverseGamma(1, 0.5, 2.2, 3.7)
    mean, variance = np.array([-4.0, 0.5, 3.0]), np.array([0.2, 2.0, 40.0])
    expected = stats.norm(1, np.sqrt(variance / 0.5)).logpdf(mean) + stats.invgamma(2.2, scale=3.7).logpdf(variance)
    np.testing.assert_allclose(prior.log_prob(mean=mean, variance=variance), expected, rtol=1e-12)
    assert prior.log_prob(mean=0, variance=[0, -1]).tolist() == [-np.inf, -np.inf]
    draws = prior.sample(DRAWS, np.random.default_rng(0))
    standard = (draws["mean"] - 1) / np.sqrt(draws["variance"])
    assert stats.kstest(standard * np.sqrt(0.5), stats.norm.cdf).pvalue > TINY
    assert stats.kstest(standard / np.sqrt(0.5), stats.norm.cdf).pvalue < TINY


def test_rows_of_counts():
    rows = np.array([[3, 0, 2], [0, 0, 5], [1, 3, 1]])
    theta, alpha = [0.2, 0.5, 0.3], [0.6, 2.5, 1.4]
    model, urn = Multinomial(theta, "abc", trials=5), DirichletMultinomial(alpha, "abc").predictive(trials=5)
    for ours, oracle in ((model, stats.multinomial(5, theta)), (urn, stats.dirichlet_multinomial(alpha, 5))):
        for theirs in (oracle, ours.freeze()):
            np.testing.assert_allclose(ours.log_prob(rows), theirs.logpmf(rows), rtol=1e-12)
        assert ours.log_prob([[None] * 3, [0, 0, 0], [1, -1, 2], [0.5, 0, 0]]).tolist() == [0, 0, -np.inf, -np.inf]
    np.testing.assert_allclose(urn.log_prob([[0, 9, 4]]), stats.dirichlet_multinomial(alpha, 13).logpmf([0, 9, 4]))


def test_draws_of_rows():
    """The first count of an urn is beta-binomial; that of a multinomial with the same mean varies less."""
    oracle = stats.betabinom(7, 0.6, 3.9)
    urn = PolyaUrn([0.6, 2.5, 1.4], "abc", trials=7)
    draws = urn.sample(DRAWS, np.random.default_rng(0))
    assert (draws.sum(axis=1) == 7).all()
    assert p_of_counts(draws[:, 0], oracle) > TINY
    mean = Multinomial(urn.alpha / urn.alpha.sum(), "abc", trials=7)
    plain = mean.sample(DRAWS, np.random.default_rng(0))[:, 0]
    assert p_of_counts(plain, stats.binom(7, 0.6 / 4.5)) > TINY
    assert p_of_counts(plain, oracle) < TINY


def test_trials_are_needed_only_to_draw():
    for model in (Multinomial([0.2, 0.8], "ab"), PolyaUrn([0.2, 0.8], "ab")):
        for draw in (lambda model=model: model.sample(1, np.random.default_rng(0)), model.freeze):
            with pytest.raises(EstimateError, match=r"give trials, as in predictive\(trials=10\)"):
                draw()
    with pytest.raises(DataError, match="trials=-1 cannot be; give a whole number"):
        PolyaUrn([1, 2], "ab", trials=-1)


@pytest.mark.parametrize("base", [0.3, 7.0, 1e5, 3e8])
def test_rising_products_do_not_cancel(base):
    """Against the product itself: a difference of two log-gammas is off by 7e-7 where the base is 3e8."""
    steps = np.array([0, 1, 2, 11])
    product = [np.log(base + np.arange(k)).sum() for k in steps]
    np.testing.assert_allclose(log_rising(base, steps), product, rtol=1e-10, atol=1e-10)
