"""Quadrature as oracle of the evidence and of intervals: prior times likelihood, both as scipy has them, integrated."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaPoisson,
    NormalInverseGamma,
    NormalKnownVariance,
)

# A prior, data, its density, the likelihood of one observation at a parameter, and bounds of all mass that counts.
ONE_PARAMETER = [
    (BetaBernoulli(2.5, 1.7), [1, 0, 1, 1], stats.beta(2.5, 1.7).pdf, stats.bernoulli.pmf, (0, 1)),
    (
        GammaPoisson(3.2, 0.4),
        [2, 0, 5],
        stats.gamma(3.2, scale=2.5).pdf,
        stats.poisson.pmf,
        (0, 60),
    ),
    (
        GammaExponential(2.6, 1.7),
        [0.2, 3.1, 0.9],
        stats.gamma(2.6, scale=1 / 1.7).pdf,
        lambda x, rate: stats.expon.pdf(x, scale=1 / rate),
        (1e-12, 40),
    ),
    (
        NormalKnownVariance(4, 1, 0.5),
        [-2.5, 3.0, 0.4],
        stats.norm(1, np.sqrt(0.5)).pdf,
        lambda x, mean: stats.norm.pdf(x, mean, 2),
        (-9, 11),
    ),
]
PRIORS = [
    *(row[0] for row in ONE_PARAMETER),
    NormalInverseGamma(1, 0.5, 3.2, 3.7),
    DirichletCategorical([0.7, 2.5, 4], "abc"),
    DirichletMultinomial([0.7, 2.5, 4], "abc"),
]


@pytest.mark.parametrize(("prior", "data", "density", "of_one", "bounds"), ONE_PARAMETER, ids=lambda x: str(x)[:12])
def test_evidence_of_one_parameter(prior, data, density, of_one, bounds):
    weights = [2.0, *np.ones(len(data) - 1)]

    def joint(parameter):
        return density(parameter) * np.prod([of_one(x, parameter) ** w for x, w in zip(data, weights, strict=True)])

    expected = quad(joint, *bounds, epsabs=0, epsrel=1e-11, limit=200)[0]
    assert prior.log_evidence(prior.statistics(data, weights)) == pytest.approx(np.log(expected), abs=1e-9)


def test_evidence_of_mean_and_variance():
    """On a grid of Gauss and Legendre in μ and log σ², outside of which there is nothing."""
    prior, data = NormalInverseGamma(1, 0.5, 2.2, 3.7), np.array([-0.5, 2.0, 2.0, 4.4])
    nodes, weights = np.polynomial.legendre.leggauss(300)
    mean, log_variance = 1.5 + 40 * nodes[:, None], 1 + 8 * nodes[None, :]
    variance = np.exp(log_variance)
    log_joint = stats.norm.logpdf(mean, 1, np.sqrt(variance / 0.5)) + stats.invgamma.logpdf(variance, 2.2, scale=3.7)
    log_joint = log_joint + sum(stats.norm.logpdf(x, mean, np.sqrt(variance)) for x in data)
    expected = 40 * 8 * weights @ (np.exp(log_joint) * variance) @ weights
    assert prior.log_evidence(prior.statistics(data)) == pytest.approx(np.log(expected), abs=1e-9)


def test_evidence_of_probabilities():
    """On the triangle θ = (a, (1 - a) b, (1 - a)(1 - b)); a = sin²(s) makes the edges smooth."""
    alpha, rows = [1.5, 2.5, 4], [[2, 0, 1], [0, 3, 0], [1, 1, 1]]
    nodes, weights = np.polynomial.legendre.leggauss(60)
    angle = np.pi / 4 * (nodes + 1)
    share, step = np.sin(angle) ** 2, np.pi / 4 * weights * 2 * np.sin(angle) * np.cos(angle)
    a, b = (grid.ravel() for grid in np.meshgrid(share, share))
    theta = np.stack([a, (1 - a) * b, (1 - a) * (1 - b)])
    theta /= theta.sum(axis=0)
    joint = stats.dirichlet(alpha).pdf(theta) * np.outer(step, step).ravel() * (1 - a)
    of_rows = np.prod([stats.multinomial.pmf(row, sum(row), theta.T) for row in rows], axis=0)
    counts = DirichletMultinomial(alpha)
    assert counts.log_evidence(counts.statistics(rows)) == pytest.approx(np.log(joint @ of_rows), abs=1e-9)
    values = DirichletCategorical(alpha, "abc")
    single = values.log_evidence(values.statistics("aacbbbabc"))
    assert single == pytest.approx(np.log(joint @ (theta[0] ** 3 * theta[1] ** 4 * theta[2] ** 2)), abs=1e-9)


@pytest.mark.parametrize(("prior", "data", "density", "of_one", "bounds"), ONE_PARAMETER, ids=lambda x: str(x)[:12])
def test_an_interval_has_the_mass_it_claims(prior, data, density, of_one, bounds):
    """In the middle: as much below as above, by quadrature of our own density."""
    ((name, (low, high)),) = prior.interval(0.9).items()

    def mass(start, end):
        return quad(lambda value: np.exp(prior.log_prob(**{name: value})), start, end, epsabs=1e-12)[0]

    assert mass(low, high) == pytest.approx(0.9, abs=1e-9)
    assert mass(bounds[0], low) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_intervals_hold_their_share_of_draws(prior):
    draws = prior.sample(20_000, np.random.default_rng(0))
    columns = {}
    for name, values in draws.items():
        columns |= {name: values} if values.ndim == 1 else {f"{name}[{v}]": values[:, j] for j, v in enumerate("abc")}
    intervals = prior.interval(0.8)
    assert intervals.keys() == columns.keys()
    for name, (low, high) in intervals.items():
        for share, mass in (((columns[name] < low).mean(), 0.1), ((columns[name] > high).mean(), 0.1)):
            assert abs(share - mass) < 6 * np.sqrt(mass * (1 - mass) / 20_000)
    for name, (low, high) in prior.interval(0.7).items():  # the test does see an interval of another mass
        inside = ((columns[name] >= low) & (columns[name] <= high)).mean()
        assert abs(inside - 0.8) > 6 * np.sqrt(0.8 * 0.2 / 20_000)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_expectations_are_within_their_error(prior):
    """E of each parameter, and of a square, against the exact ones."""
    rng = np.random.default_rng(0)
    name = next(iter(prior.sample(1, rng)))
    first = next(iter(prior.marginals().values()))

    def value(**parameters):
        array = parameters[name]
        return array if array.ndim == 1 else array[:, 0]

    for power in (1, 2):
        estimate = prior.expect(lambda power=power, **parameters: value(**parameters) ** power, rng, 20_000)
        assert abs(estimate.value - first.moment(power)) < 6 * estimate.error
        assert abs(estimate.value * 1.2 - first.moment(power)) > 6 * estimate.error
