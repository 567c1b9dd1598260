"""Scores of every family of columns against scipy and priori.families, sums and integrals of 1, and linear scores."""

import numpy as np
import pytest
from scipy import integrate, stats

from columns.column_cases import CASES, ESTIMATES, learned, readings
from priori.columns.base import Codes, Rows
from priori.columns.bin_tree import middle_of
from priori.columns.bins import BinnedColumn
from priori.columns.categories import BernoulliColumn
from priori.errors import EstimateError
from priori.families import GammaExponential, GammaGamma, GammaPoisson, NormalInverseGamma

BY_NAME = {case.name: case for case in CASES}
NUMBERS = np.array([0.0, 0.3, 1.0, 2.0, 5.0, 17.0])
POSITIVE = NUMBERS[1:]
FAMILIES = {
    "gaussian": NormalInverseGamma,
    "student": NormalInverseGamma,
    "poisson": GammaPoisson,
    "exponential": GammaExponential,
    "gamma": GammaGamma,
}
DENSITIES = ["gaussian", "gaussian, prior", "student", "lognormal", "lognormal, prior", "exponential", "gamma"]
every_estimate = pytest.mark.parametrize("estimate", ESTIMATES)


def of_class(cells, rows, k):
    """The numbers of a class that are there."""
    return cells[(rows.group == k) & ~np.isnan(cells)]


@pytest.mark.parametrize("name", FAMILIES)
@every_estimate
def test_numbers_score_as_their_families_do(name, estimate):
    """One family of priori.families for each class, under the unit prior of all numbers."""
    case, family = BY_NAME[name], FAMILIES[name]
    cells, rows, statistics = learned(case)
    reading = case.family.read(statistics, readings(estimate))
    at = np.rint(NUMBERS) if name == "poisson" else POSITIVE
    prior = family.unit(family.statistics(cells[~np.isnan(cells) & (rows.group >= 0)]))
    for k in range(3):
        found = family.statistics(of_class(cells, rows, k))
        if estimate == "ml" and name != "student":
            expected = family.maximum_likelihood(found)
        else:
            posterior = prior.posterior(found)
            plugged = {"map": posterior.mode, "mean": posterior.mean}
            expected = (posterior.predictive if name == "student" else plugged.get(estimate, posterior.predictive))()
        np.testing.assert_allclose(reading.log_prob(at)[:, k], expected.log_prob(at), rtol=1e-8, atol=1e-10)


def test_maxima_are_scipys():
    """Each of the families at its maximum of the likelihood, in scipy's own parameters."""
    peers = {
        "gaussian": lambda x: stats.norm(x.mean(), x.std()).logpdf,
        "lognormal": lambda x: stats.lognorm(np.log(x).std(), scale=np.exp(np.log(x).mean())).logpdf,
        "exponential": lambda x: stats.expon(scale=x.mean()).logpdf,
        "poisson": lambda x: stats.poisson(x.mean()).logpmf,
        "gamma": lambda x: stats.gamma(*stats.gamma.fit(x, floc=0)).logpdf,
    }
    for name, peer in peers.items():
        cells, rows, statistics = learned(BY_NAME[name])
        at = np.rint(NUMBERS) if name == "poisson" else POSITIVE
        scores = BY_NAME[name].family.read(statistics, readings("ml")).log_prob(at)
        for k in range(3):
            expected = peer(of_class(cells, rows, k))(at)
            np.testing.assert_allclose(scores[:, k], expected, rtol=1e-5 if name == "gamma" else 1e-9)


@pytest.mark.parametrize("name", ["lognormal", "lognormal, prior"])
@pytest.mark.parametrize("estimate", ["map", "bayes"])
def test_a_lognormal_is_the_normal_of_logarithms(name, estimate):
    cells, _, statistics = learned(BY_NAME[name])
    normal = BY_NAME[name.replace("log", "").replace("normal", "gaussian")].family
    logs = learned(BY_NAME[name])[1], np.log(cells)
    reading = BY_NAME[name].family.read(statistics, readings(estimate))
    other = normal.read(normal.count(logs[1], logs[0]), readings(estimate))
    np.testing.assert_allclose(
        reading.log_prob(POSITIVE), other.log_prob(np.log(POSITIVE)) - np.log(POSITIVE)[:, None], rtol=1e-12
    )
    jacobian = np.nansum(np.log(cells)[logs[0].group >= 0])
    assert reading.log_evidence() == pytest.approx(other.log_evidence() - jacobian, rel=1e-12)


@pytest.mark.parametrize("name", DENSITIES)
@every_estimate
def test_densities_integrate_to_one(name, estimate):
    """By quadrature in t, x = eᵗ, on both sides of 0; the tails beyond e^±60 weigh less than the tolerance."""
    case = BY_NAME[name]
    reading = case.family.read(learned(case)[2], readings(estimate))
    sides = [1.0] if np.nanmin(learned(case)[0]) >= 0 and not name.startswith(("gauss", "stud")) else [1.0, -1.0]
    for k in range(3):
        total = sum(
            integrate.quad(
                lambda t, side=side, k=k: np.exp(reading.log_prob(np.array([side * np.exp(t)]))[0, k] + t),
                -60, 60, points=[-2, 0, 1, 2, 3, 4], limit=500,
            )[0]
            for side in sides
        )  # fmt: skip
        assert total == pytest.approx(1, abs=2e-6)


@every_estimate
@pytest.mark.parametrize("name", ["poisson", "poisson, prior"])
def test_counts_of_events_sum_to_one(name, estimate):
    case = BY_NAME[name]
    scores = case.family.read(learned(case)[2], readings(estimate)).log_prob(np.arange(3000.0))
    np.testing.assert_allclose(np.exp(scores).sum(axis=0), 1, rtol=1e-9)


@every_estimate
@pytest.mark.parametrize("name", ["bernoulli", "categorical", "categorical, stated"])
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
def test_values_sum_to_one(name, estimate, unknown):
    """Over those that are known and, where what is unknown has a share, over one more."""
    case = BY_NAME[name]
    reading = case.family.read(learned(case)[2], readings(estimate, unknown=unknown))
    values = (*reading.keys.tolist(), *(["never seen"] if unknown == "prior" and name != "bernoulli" else []))
    scores = reading.log_prob(Codes(np.arange(len(values), dtype=np.int32), values))
    if unknown == "ignore" or name != "bernoulli":
        np.testing.assert_allclose(np.exp(scores).sum(axis=0), 1, rtol=1e-12)


@every_estimate
def test_values_are_counted_and_smoothed(estimate):
    case = BY_NAME["categorical"]
    cells, rows, statistics = learned(case)
    scores = np.exp(case.family.read(statistics, readings(estimate)).log_prob(cells))
    pseudo = {"ml": 0.0, "map": 0.5}.get(estimate, 1.5)
    seen = {code for code, k in zip(cells.codes, rows.group, strict=True) if code >= 0 and k >= 0}
    for at, code in enumerate(cells.codes):
        for k in range(3):
            inside = (rows.group == k) & (cells.codes >= 0)
            count, total = (inside & (cells.codes == code)).sum(), inside.sum()
            if code in seen:
                expected = (count + pseudo) / (total + pseudo * len(seen))
                assert scores[at, k] == pytest.approx(expected, rel=1e-12)


@every_estimate
@pytest.mark.parametrize("name", ["binned 4", "binned", "binned counts"])
def test_buckets_sum_to_one(name, estimate):
    """Over the buckets that were seen, each with its share of all rows: the ratios average to 1 in every class."""
    case = BY_NAME[name]
    reading = case.family.read(learned(case, 200)[2], readings(estimate))
    middles = middle_of(reading.stats.keys.astype(np.int64))
    shares = reading.totals / reading.totals.sum()
    near = 1e-12 if name == "binned 4" else 0.1  # an average of p(class | x) has not just the classes' shares
    np.testing.assert_allclose(shares @ np.exp(reading.log_ratio(middles)), 1, rtol=near)


def test_bins_are_counted_and_smoothed():
    """p(bin | class) as categories have it, by numpy's own quantiles."""
    case = BY_NAME["binned 4"]
    cells, rows, statistics = learned(case, 200)
    reading = BinnedColumn(4).read(statistics, readings("bayes"))
    known = ~np.isnan(cells) & (rows.group >= 0)
    edges = np.quantile(cells[known], [0.25, 0.5, 0.75])
    bins = np.searchsorted(edges, cells[known])
    counts = np.array([[((bins == b) & (rows.group[known] == k)).sum() for k in range(3)] for b in range(4)])
    p = (counts + 1.5) / (counts.sum(axis=0) + 6)
    expected = np.log(p / (counts.sum(axis=1) / counts.sum())[:, None])
    inner = np.abs(cells[known][:, None] - edges).min(axis=1) > 0.02  # a bucket that an edge divides goes one way
    np.testing.assert_allclose(reading.log_ratio(cells[known])[inner], expected[bins][inner], atol=0.1)


@pytest.mark.parametrize("name", ["bernoulli", "poisson", "exponential", "gaussian_joint, shared", "multinomial"])
@pytest.mark.parametrize("estimate", ["ml", "map"])
def test_linear_scores_are_the_differences_of_the_scores(name, estimate):
    case = BY_NAME[name]
    _, _, statistics = learned(case, 120)
    reading = case.family.read(statistics, readings(estimate))
    linear = reading.linear()
    rng = np.random.default_rng(1)
    if name == "bernoulli":
        rows = np.array([[0.0], [1.0]])
        scores = reading.log_prob(Codes(np.array([0, 1], np.int32), ("false", "true")))
    else:
        d = 1 if name in ("poisson", "exponential") else 3
        rows = rng.poisson(3.0, (20, d)).astype(np.float64)
        scores = reading.log_prob(rows[:, 0] if d == 1 else rows)
    found = linear.log_posterior(rows)
    np.testing.assert_allclose(found - found[:, :1], scores - scores[:, :1], rtol=1e-9, atol=1e-9)


def test_a_probability_of_zero_has_no_weight():
    family = BernoulliColumn()
    cells = Codes(np.array([0, 1, 0, 0], np.int32), ("false", "true"))
    statistics = family.count(cells, Rows(("a", "b"), np.array([0, 0, 1, 1], np.int32)))
    with pytest.raises(EstimateError, match="so its weight is infinite; use estimate='map'"):
        family.read(statistics, readings("ml")).linear()


@pytest.mark.parametrize("name", ["gaussian", "binned", "categorical", "gamma", "text", "student"])
def test_what_is_not_linear_says_so(name):
    case = BY_NAME[name]
    with pytest.raises(EstimateError, match="is not linear in x, so no logistic regression equals it"):
        case.family.read(learned(case)[2], readings("ml")).linear()


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("estimate", ["ml", "map"])
def test_the_likelihood_is_the_sum_over_the_rows(case, estimate):
    cells, rows, statistics = learned(case)
    reading = case.family.read(statistics, readings(estimate))
    known = (rows.group >= 0) & ~case.family.missing(cells)
    if case.name.startswith(("student", "binned")):
        return  # parameters are integrated out, or cells are scored by their buckets' middles
    scores = reading.log_prob(cells)[known, rows.group[known]]
    assert reading.log_likelihood() == pytest.approx(scores.sum(), rel=1e-9)
