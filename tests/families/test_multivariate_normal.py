"""The multivariate normal against scipy, the univariate family, Monte Carlo integrals, and where no estimate exists."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from priori.errors import DataError, EstimateError
from priori.families import MultivariateNormal, MultivariateT, NormalInverseGamma, NormalInverseWishart
from priori.families.numerics.matrices import LEAST_SHARE, factored

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.6, -0.3], [0.6, 1.5, 0.2], [-0.3, 0.2, 0.7]])
PRIOR = NormalInverseWishart(MEAN, kappa=1.7, nu=5.3, scale=COVARIANCE)
ROWS = np.random.default_rng(0).normal(size=(40, 3)) @ np.array([[1.0, 0.4, 0], [0, 2.0, 0.3], [0, 0, 0.5]]) + 3
nan = np.nan


@pytest.mark.parametrize(
    ("ours", "scipys"),
    [
        (MultivariateNormal(MEAN, COVARIANCE), scipy_stats.multivariate_normal),
        (MultivariateT(4.5, MEAN, COVARIANCE), lambda m, c: scipy_stats.multivariate_t(m, c, 4.5)),
        (MultivariateT(1e7, MEAN, COVARIANCE), scipy_stats.multivariate_normal),
    ],
    ids=["normal", "t", "t of many degrees"],
)
def test_densities_are_scipys_and_so_are_their_marginals(ours, scipys):
    tolerance = 1e-5 if getattr(ours, "degrees", 0) > 1e6 else 1e-12
    np.testing.assert_allclose(ours.log_prob(ROWS), scipys(MEAN, COVARIANCE).logpdf(ROWS), rtol=tolerance)
    partly = ROWS.copy()
    partly[::2, 1] = nan
    partly[1::4, [0, 2]] = nan
    partly[3] = nan
    for row, score in zip(partly, ours.log_prob(partly), strict=True):
        there = ~np.isnan(row)
        if there.any():
            marginal = scipys(MEAN[there], COVARIANCE[np.ix_(there, there)])
            assert score == pytest.approx(float(marginal.logpdf(row[there])), rel=tolerance)
        else:
            assert score == 0.0
    frozen = ours.freeze()
    np.testing.assert_allclose(frozen.logpdf(ROWS), ours.log_prob(ROWS), rtol=1e-9)
    assert ours.log_prob([[np.inf, 0, 0], [0, -np.inf, nan]]).tolist() == [-np.inf, -np.inf]
    with pytest.raises(DataError, match="2 columns, where the distribution has 3"):
        ours.log_prob(ROWS[:, :2])


def test_the_prior_density_is_scipys():
    draws = PRIOR.sample(5, np.random.default_rng(1))
    expected = [
        scipy_stats.invwishart(5.3, COVARIANCE).logpdf(sigma)
        + scipy_stats.multivariate_normal(MEAN, sigma / 1.7).logpdf(mu)
        for mu, sigma in zip(draws["mean"], draws["covariance"], strict=True)
    ]
    np.testing.assert_allclose(PRIOR.log_prob(**draws), expected, rtol=1e-10)
    assert PRIOR.log_prob(mean=MEAN, covariance=np.ones((3, 3))) == -np.inf
    assert PRIOR.log_prob(mean=MEAN, covariance=-COVARIANCE) == -np.inf


def test_one_column_is_the_univariate_family():
    x = ROWS[:7, 0]
    wide = NormalInverseWishart([0.7], 1.3, 4.4, [[2.6]])
    narrow = NormalInverseGamma(0.7, 1.3, 2.2, 1.3)
    ours, theirs = NormalInverseWishart.statistics(x), NormalInverseGamma.statistics(x)
    assert wide.log_evidence(ours) == pytest.approx(narrow.log_evidence(theirs), rel=1e-12)
    wide, narrow = wide.posterior(ours), narrow.posterior(theirs)
    for reading in ("mode", "mean"):
        one, other = getattr(wide, reading)(), getattr(narrow, reading)()
        assert float(one.mean[0]) == pytest.approx(other.mean, rel=1e-12)
        assert float(one.covariance[0, 0]) == pytest.approx(other.variance, rel=1e-12)
    np.testing.assert_allclose(wide.predictive().log_prob(x), narrow.predictive().log_prob(x), rtol=1e-12)
    for mine, name in (("mean[0]", "mean"), ("covariance[0,0]", "variance")):
        assert wide.interval(0.9)[mine] == pytest.approx(narrow.interval(0.9)[name], rel=1e-9)


def log_likelihoods(draws, rows):
    """Of rows under each draw of the parameters, in plain numpy."""
    away = rows[None] - draws["mean"][:, None]
    squares = np.einsum("sni,sij,snj->s", away, np.linalg.inv(draws["covariance"]), away)
    log_determinants = np.linalg.slogdet(draws["covariance"])[1]
    return -0.5 * (squares + len(rows) * (log_determinants + rows.shape[1] * np.log(2 * np.pi)))


def test_the_evidence_is_the_integral():
    """The mean likelihood of draws from the prior; six standard errors would see a lost 2π, or ν off by one."""
    prior = NormalInverseWishart([0.5, 1.0], 1.5, 6.0, [[3.0, 1.0], [1.0, 2.0]])
    rows = np.array([[0.3, 1.4], [1.1, 0.2]])
    likelihoods = np.exp(log_likelihoods(prior.sample(400_000, np.random.default_rng(2)), rows))
    error = likelihoods.std() / np.sqrt(len(likelihoods))
    evidence = np.exp(prior.log_evidence(prior.statistics(rows)))
    assert abs(likelihoods.mean() - evidence) < 6 * error
    planted = NormalInverseWishart([0.5, 1.0], 1.5, 7.0, [[3.0, 1.0], [1.0, 2.0]])
    assert abs(likelihoods.mean() - np.exp(planted.log_evidence(prior.statistics(rows)))) > 6 * error


def test_maximum_likelihood_is_the_mean_and_the_covariance_of_the_rows():
    stats = NormalInverseWishart.statistics(ROWS)
    best = NormalInverseWishart.maximum_likelihood(stats)
    np.testing.assert_allclose(best.mean, ROWS.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(best.covariance, np.cov(ROWS.T, bias=True), rtol=1e-12)
    assert best.log_likelihood(stats) == pytest.approx(best.freeze().logpdf(ROWS).sum(), rel=1e-12)
    assert best.free_parameters == 3 + 6
    flat = NormalInverseWishart.flat(stats).posterior(stats)
    assert (flat.kappa, flat.nu) == (40.0, 35.0)


def test_natural_parameters_give_the_density():
    model = MultivariateNormal(MEAN, COVARIANCE)
    features = np.array([np.concatenate([row, np.outer(row, row).ravel()]) for row in ROWS])
    difference = model.log_prob(ROWS) - features @ model.natural_parameters()
    np.testing.assert_allclose(difference, difference[0], rtol=1e-11)


def test_draws_follow_the_marginals():
    """Kolmogorov-Smirnov at a false alarm in a million for each; one degree too many is seen."""
    draws = PRIOR.sample(20_000, np.random.default_rng(3))
    columns = {f"mean[{j}]": draws["mean"][:, j] for j in range(3)}
    columns |= {f"covariance[{j},{j}]": draws["covariance"][:, j, j] for j in range(3)}
    marginals = PRIOR.marginals()
    assert list(marginals) == list(columns)
    for name, values in columns.items():
        assert scipy_stats.kstest(values, marginals[name].cdf).pvalue > 1e-6, name
    planted = NormalInverseWishart(MEAN, 1.7, 6.3, COVARIANCE).marginals()["covariance[0,0]"]
    assert scipy_stats.kstest(columns["covariance[0,0]"], planted.cdf).pvalue < 1e-6


@pytest.mark.parametrize(
    ("of", "variance", "first"),
    [
        (MultivariateNormal(MEAN, COVARIANCE), COVARIANCE, scipy_stats.norm(1, 2**0.5)),
        (MultivariateT(9.0, MEAN, COVARIANCE), COVARIANCE * 9 / 7, scipy_stats.t(9, 1, 2**0.5)),
    ],
    ids=["normal", "t"],
)
def test_draws_of_rows_have_their_moments(of, variance, first):
    rows = of.sample(100_000, np.random.default_rng(4))
    away = rows - MEAN
    products = np.einsum("ni,nj->nij", away, away)
    for values, expected in ((away, np.zeros(3)), (products, variance)):
        z = (values.mean(axis=0) - expected) / (values.std(axis=0) / np.sqrt(len(rows)))
        assert (np.abs(z) < 6).all()
    assert scipy_stats.kstest(rows[:, 0], first.cdf).pvalue > 1e-6


def test_posterior_covariances_have_their_mean():
    sigma = NormalInverseWishart(MEAN, 1.7, 12.5, COVARIANCE)
    draws = sigma.sample(100_000, np.random.default_rng(5))["covariance"]
    z = (draws.mean(axis=0) - sigma.mean().covariance) / (draws.std(axis=0) / np.sqrt(len(draws)))
    assert (np.abs(z) < 6).all()


def test_a_huge_offset_costs_nothing():
    shifted = ROWS + 1e8  # rounded to 1.5e-8
    exact = shifted - 1e8
    near, far = (
        NormalInverseWishart.maximum_likelihood(NormalInverseWishart.statistics(rows)) for rows in (exact, shifted)
    )
    np.testing.assert_allclose(far.covariance, near.covariance, rtol=1e-6)
    np.testing.assert_allclose(far.log_prob(shifted), near.log_prob(exact), rtol=1e-6)
    stats = NormalInverseWishart.statistics(shifted)
    assert far.log_likelihood(stats) == pytest.approx(near.log_prob(exact).sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ([[1.0, 2.0, 3.0]], 0),
        ([[1.0, 2.0, 0.5], [2.0, 1.0, 7.0]], 1),
        ([[1.0, 2.0, 0.5], [2.0, 1.0, 7.0], [0.3, 0.2, 0.9]], 2),
        (np.c_[ROWS[:, :2], ROWS[:, 0] - 3 * ROWS[:, 1]], 2),
        (np.c_[ROWS[:, 0], np.full(40, 0.1), ROWS[:, 2]], 1),
        (np.c_[ROWS[:, 0], 1e-9 * ROWS[:, 0] + 5, ROWS[:, 2]], 1),
    ],
    ids=["one row", "two rows", "as many rows as columns", "collinear", "constant", "collinear, of another size"],
)
def test_singular_data_have_no_maximum_and_the_remedy_works(rows, column):
    stats = NormalInverseWishart.statistics(rows)
    with pytest.raises(EstimateError, match=rf"singular: column {column} .*NormalInverseWishart\.unit"):
        NormalInverseWishart.maximum_likelihood(stats)
    assert np.isfinite(PRIOR.posterior(stats).mode().log_prob(rows)).all()
    if len(rows) > 1 and np.ptp(np.asarray(rows), axis=0).all():
        assert np.isfinite(NormalInverseWishart.unit(stats).posterior(stats).mode().log_prob(rows)).all()


def test_the_limit_of_singular_is_a_share_of_the_variance():
    """The second column is the first but for a share of δ² of its variance: 1 - R², whatever the units are."""
    first, other = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    for unit in (1.0, 1e-100, 1e100):
        for delta, fine in ((2.0**-20, True), (2.0**-24, False)):
            assert (delta**2 > 2 * LEAST_SHARE) is fine
            stats = NormalInverseWishart.statistics(np.c_[first, unit * (first + delta * other)])
            if fine:
                model = NormalInverseWishart.maximum_likelihood(stats)
                lower, _ = factored(model.covariance)
                # the share is known to about 1e-16 of the whole, so to 1e-16 / δ² of itself
                assert (lower[1, 1] / unit) ** 2 == pytest.approx(delta**2, rel=10 * 2.0**-52 / delta**2)
            else:
                with pytest.raises(EstimateError, match="singular"):
                    NormalInverseWishart.maximum_likelihood(stats)


def test_the_unit_prior_is_where_the_data_are():
    stats = NormalInverseWishart.statistics(ROWS)
    unit = NormalInverseWishart.unit(stats)
    assert unit.proper
    assert (unit.kappa, unit.nu) == (1.0, 5.0)
    np.testing.assert_allclose(unit.mean().covariance, stats.covariance(), rtol=1e-12)
    few = NormalInverseWishart.unit(NormalInverseWishart.statistics(ROWS[:3]))
    np.testing.assert_allclose(few.scale, np.diag(ROWS[:3].var(axis=0)), rtol=1e-12)
    with pytest.raises(EstimateError, match="column 1 has no variance"):
        NormalInverseWishart.unit(NormalInverseWishart.statistics([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]]))
    with pytest.raises(EstimateError, match="no variance"):
        NormalInverseWishart.unit(NormalInverseWishart.statistics(np.empty((0, 2))))


def test_improper_priors_refuse_what_they_cannot_give():
    stats = NormalInverseWishart.statistics(ROWS)
    flat = NormalInverseWishart.flat(stats)
    assert not flat.proper
    assert flat.posterior(stats).proper
    with pytest.raises(EstimateError, match="without data the flat prior has no mode"):
        flat.mode()
    rng = np.random.default_rng(0)
    for asked in (flat.predictive, flat.mean, flat.marginals, flat.log_normalizer, lambda: flat.sample(1, rng)):
        with pytest.raises(EstimateError, match="does not integrate to 1"):
            asked()
    with pytest.raises(EstimateError, match="the mean of Σ is infinite"):
        NormalInverseWishart([0, 0], 1, 2.5, np.eye(2)).mean()
    with pytest.raises(EstimateError, match="the evidence does not exist"):
        flat.log_evidence(stats)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0], [[1, 2], [2, 4]]), "singular: column 1"),
        (([0, 0], [[1, 0.5], [0.2, 1]]), "not symmetric"),
        (([0, 0], np.eye(3)), r"shape \(3, 3\)"),
        (([0, 0], [[1, 0], [0, -1]]), "none below 0 on the diagonal"),
        (([0, nan], np.eye(2)), "mean="),
    ],
)
def test_parameters_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        MultivariateNormal(*arguments)


def test_partly_missing_rows_are_no_statistics_and_missing_ones_none():
    with pytest.raises(DataError, match=r"row 1 is missing column 0 .*complete_rows"):
        NormalInverseWishart.statistics([[1.0, 2.0], [nan, 3.0]])
    assert NormalInverseWishart.statistics([[1.0, 2.0], [nan, nan]]).n == 1.0
