"""The gamma distribution against scipy, numerical integrals and a numerical maximum, and where no estimate exists."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, special
from scipy import stats as scipy_stats

import priori
from priori.errors import DataError, EstimateError
from priori.families import Gamma, GammaGamma, NormalInverseGamma
from priori.families.numerics.special import log_minus_digamma, log_rising, stirling
from priori.statistics import Positives

PRIOR = GammaGamma(2.5, 0.8, 1.7, 0.6)
X = [0.7, 2.1, 3.3, 0.2]
POSTERIOR = PRIOR.posterior(GammaGamma.statistics(X))
FLAT = GammaGamma.flat(Positives.zero()).posterior(GammaGamma.statistics(X))


def joint(a, b, x=X):
    """p(a, b, x) under PRIOR, by scipy alone."""
    prior = scipy_stats.gamma.logpdf(a, 2.5, scale=1 / 0.8) + scipy_stats.gamma.logpdf(b, 1.7, scale=1 / 0.6)
    return np.exp(prior + scipy_stats.gamma.logpdf(np.reshape(x, (-1, 1, 1)), a, scale=1 / b).sum(axis=0))


def integral(f):
    """Over shape and rate: a plain trapezoid rule in both logarithms, of which doubling the nodes changes nothing."""
    u, v = np.linspace(-14, 5, 700), np.linspace(-20, 6, 700)
    a, b = np.exp(u)[:, None], np.exp(v)[None]
    return float((f(a, b) * a * b).sum() * (u[1] - u[0]) * (v[1] - v[0]))


EVIDENCE = integral(joint)


def test_special_functions_against_scipy_and_their_recurrences():
    for a in (1e-8, 0.01, 0.7, 3.0, 14.9, 15.1, 200.0):
        value, slope = log_minus_digamma(a)
        assert value == pytest.approx(math.log(a) - special.digamma(a), rel=1e-12)
        assert slope == pytest.approx(1 / a - special.zeta(2, a), rel=1e-11)
        assert float(stirling(np.array(a))) == pytest.approx(
            special.gammaln(a) - ((a - 0.5) * math.log(a) - a + 0.5 * math.log(2 * math.pi)), abs=1e-13 * max(1, a)
        )
        assert float(log_rising(a, np.array(2.5))) == pytest.approx(
            special.gammaln(a + 2.5) - special.gammaln(a), abs=1e-12 * (1 + a)
        )
    for a in (1e3, 1e8, 1e16):  # where plain differences have no digits left
        assert log_minus_digamma(a)[0] == pytest.approx(0.5 / a + 1 / (12 * a * a), rel=1e-15)
        assert log_minus_digamma(a)[1] == pytest.approx(-0.5 / a**2 - 1 / (6 * a**3), rel=1e-12)
        assert float(stirling(np.array(a))) == pytest.approx(1 / (12 * a) - 1 / (360 * a**3), rel=1e-14)
        assert float(log_rising(a, np.array(1.0))) == pytest.approx(math.log(a), rel=1e-15)


@pytest.mark.parametrize("shape", [0.01, 0.5, 1.0, 2.7, 300.0])
def test_the_density_is_scipys(shape):
    model = Gamma(shape, rate=0.4)
    x = np.array([1e-300, 1e-200, 1e-20, 0.1, 0.99, 1.0, 2.5, 6.5, 7.0, 700.0, 790.0, 1e5])
    np.testing.assert_allclose(model.log_prob(x), scipy_stats.gamma(shape, scale=2.5).logpdf(x), rtol=1e-11, atol=1e-12)
    assert model.log_prob([0.0, -1.0, np.inf, None]).tolist() == [-np.inf, -np.inf, -np.inf, 0.0]
    features = np.c_[np.log(x[3:]), x[3:]]
    left = model.log_prob(x[3:]) - features @ model.natural_parameters()
    np.testing.assert_allclose(left, left[0], atol=1e-9)
    assert model.freeze().mean() == pytest.approx(model.expected_statistics()[1])
    assert model.free_parameters == 2


@pytest.mark.parametrize(("shape", "size"), [(0.3, 50), (1.0, 2), (2.5, 20_000), (80.0, 500)])
def test_maximum_likelihood_is_scipys_and_its_gradient_is_zero(shape, size):
    x = np.random.default_rng(3).gamma(shape, 2.5, size)
    stats = GammaGamma.statistics(x)
    best = GammaGamma.maximum_likelihood(stats)
    theirs, _, scale = scipy_stats.gamma.fit(x, floc=0)
    assert best.shape == pytest.approx(theirs, rel=1e-9)
    assert best.rate == pytest.approx(1 / scale, rel=1e-9)
    slope = np.log(best.rate) - special.digamma(best.shape) + np.log(x).mean()
    assert slope == pytest.approx(0, abs=1e-12)
    assert best.shape / best.rate == pytest.approx(x.mean(), rel=1e-13)
    assert best.log_likelihood(stats) == pytest.approx(
        scipy_stats.gamma(theirs, scale=scale).logpdf(x).sum(), rel=1e-11
    )


def test_tiny_shapes():
    x = Gamma(0.01, 2.0).sample(3000, np.random.default_rng(4))
    assert (x > 0).all()
    best = GammaGamma.maximum_likelihood(GammaGamma.statistics(x))
    slope = np.log(best.shape / x.mean()) - special.digamma(best.shape) + np.log(x).mean()
    assert slope == pytest.approx(0, abs=1e-11)
    assert np.isfinite(best.log_prob(x)).all()


def test_a_huge_offset_costs_nothing():
    """At mean 1e8 and variance 1 the shape is near 1e16: 1/2a = gap/n to 1e-16, and the gap is Σ (x/mean - 1)² / 2."""
    x = np.random.default_rng(5).normal(size=5000) + 1e8
    exact = x - 1e8
    expected = (1e8 + exact.mean()) ** 2 / exact.var()
    best = GammaGamma.maximum_likelihood(GammaGamma.statistics(x))
    assert best.shape == pytest.approx(expected, rel=1e-6)
    normal = scipy_stats.norm(exact.mean(), exact.std()).logpdf(exact)
    np.testing.assert_allclose(best.log_prob(x), normal, rtol=1e-6)
    assert best.log_likelihood(GammaGamma.statistics(x)) == pytest.approx(normal.sum(), rel=1e-6)
    unit = GammaGamma.unit(GammaGamma.statistics(x)).posterior(GammaGamma.statistics(x))
    assert unit.mode().shape == pytest.approx(expected, rel=0.01)
    near = unit.predictive().log_prob(x[:50])
    np.testing.assert_allclose(near, normal[:50], atol=0.05)  # a t of 5000 degrees, nearly


def test_the_evidence_is_the_integral():
    assert PRIOR.log_evidence(GammaGamma.statistics(X)) == pytest.approx(math.log(EVIDENCE), rel=1e-11)
    planted = GammaGamma(2.5, 0.8, 1.7, 0.61).log_evidence(GammaGamma.statistics(X))
    assert abs(planted - math.log(EVIDENCE)) > 1e-4
    value, _ = integrate.dblquad(  # the other rule, to its own accuracy
        lambda v, u: float(np.squeeze(joint(math.exp(u), math.exp(v)))) * math.exp(u + v), -9, 4, -12, 4, epsrel=1e-6
    )
    assert value == pytest.approx(EVIDENCE, rel=1e-6)


@pytest.mark.parametrize("family", [POSTERIOR, FLAT, PRIOR], ids=["posterior", "flat", "prior"])
def test_densities_of_the_parameters_integrate_to_one(family):
    assert integral(lambda a, b: np.exp(family.log_prob(shape=a, rate=b))) == pytest.approx(1, rel=1e-10)
    assert family.log_prob(shape=[-1.0, 1.0], rate=[1.0, 0.0]).tolist() == [-np.inf, -np.inf]


def test_the_prior_density_and_the_mean_are_those_of_plain_integrals():
    a, b = np.array([0.3, 2.0]), np.array([1.1, 0.2])
    np.testing.assert_allclose(PRIOR.log_prob(shape=a, rate=b), np.log(joint(a, b, x=[])).reshape(-1), rtol=1e-12)
    mean = POSTERIOR.mean()
    assert mean.shape == pytest.approx(integral(lambda a, b: a * joint(a, b)) / EVIDENCE, rel=1e-10)
    assert mean.rate == pytest.approx(integral(lambda a, b: b * joint(a, b)) / EVIDENCE, rel=1e-10)
    assert PRIOR.mean() == Gamma(2.5 / 0.8, 1.7 / 0.6)


@pytest.mark.parametrize(
    "prior",
    [
        PRIOR,
        GammaGamma(0.2, 3.0, 1.0, 0.0),
        GammaGamma(1.0, 0.0, 40.0, 9.0),
        GammaGamma(9.0, 0.0, 1.5, 70.0),
        GammaGamma(1e5, 0.01, 2.4, 1e30),
    ],
    ids=str,
)
def test_the_mode_is_a_numerical_maximum(prior):
    posterior = prior.posterior(GammaGamma.statistics(X))
    mode = posterior.mode()

    def loss(logs):
        return -float(posterior.log_prob(shape=math.exp(logs[0]), rate=math.exp(logs[1])))

    start = np.log([mode.shape * 1.3, mode.rate * 0.8])
    found = optimize.minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13})
    assert [mode.shape, mode.rate] == pytest.approx(np.exp(found.x).tolist(), rel=1e-6)
    assert GammaGamma(2.5, 0.8, 1.7, 0.5).mode() == Gamma(1.5 / 0.8, 0.7 / 0.5)


def test_the_predictive_is_the_integral_and_scipys_methods_agree():
    predictive = POSTERIOR.predictive()
    frozen = predictive.freeze()
    for x in (0.01, 0.9, 2.0, 40.0):
        density = integral(lambda a, b, x=x: joint(a, b, [*X, x])) / EVIDENCE
        assert predictive.log_prob([x])[0] == pytest.approx(math.log(density), abs=1e-10)
        assert frozen.pdf(x) == pytest.approx(density, rel=1e-9)
        below, _ = integrate.quad(lambda u: float(frozen.pdf(math.exp(u))) * math.exp(u), -200, math.log(x), limit=400)
        assert frozen.cdf(x) == pytest.approx(below, abs=1e-7)
        assert frozen.cdf(x) + frozen.sf(x) == pytest.approx(1, abs=1e-13)
        assert frozen.ppf(frozen.cdf(x)) == pytest.approx(x, rel=1e-10)
    assert frozen.isf(frozen.sf([0.9, 40.0])) == pytest.approx([0.9, 40.0], rel=1e-10)
    np.testing.assert_allclose(PRIOR.predictive().log_prob(X[:1]), PRIOR.log_evidence(Positives.of(X[:1])), rtol=1e-12)
    with pytest.raises(DataError, match="no probability"):
        frozen.ppf(1.5)


def test_far_tails_are_exact_too():
    """A number far out moves the weight off the nodes; then it is a ratio of evidences."""
    known = GammaGamma.unit(stats := Positives(1000.0, 3.0, 100.0)).posterior(stats)
    for x in (1e-300, 1e-30, 1e-3, 3.0, 60.0, 1e6, 1e300):
        ratio = known.posterior(Positives(1.0, x, 0.0)).log_normalizer() - known.log_normalizer()
        assert known.predictive().log_prob([x])[0] == pytest.approx(ratio, rel=1e-10)
    assert known.predictive().log_prob([0.0, np.inf, np.nan]).tolist() == [-np.inf, -np.inf, 0.0]


def test_marginals_are_integrals_of_the_density():
    shape, rate = POSTERIOR.marginals().values()
    b = np.exp(v := np.linspace(-25, 8, 4000))
    for at in (0.2, 1.4, 5.0):
        of_shape = (np.exp(POSTERIOR.log_prob(shape=at, rate=b)) * b).sum() * (v[1] - v[0])
        assert shape.pdf(at) == pytest.approx(of_shape, rel=1e-10)
        of_rate = (np.exp(POSTERIOR.log_prob(shape=b, rate=at)) * b).sum() * (v[1] - v[0])
        assert rate.pdf(at) == pytest.approx(of_rate, rel=1e-10)
        for of in (shape, rate):
            below, _ = integrate.quad(lambda u, of=of: float(of.pdf(math.exp(u))) * math.exp(u), -40, math.log(at))
            assert of.cdf(at) == pytest.approx(below, abs=1e-8)
            assert of.ppf(of.cdf(at)) == pytest.approx(at, rel=1e-9)
            assert of.isf(of.sf(at)) == pytest.approx(at, rel=1e-9)
    assert shape.mean() == pytest.approx(POSTERIOR.mean().shape)
    assert rate.mean() == pytest.approx(POSTERIOR.mean().rate)
    assert shape.interval(0.9) == pytest.approx(POSTERIOR.interval(0.9)["shape"])
    assert shape.cdf([0.0, np.inf]) == pytest.approx([0, 1])
    assert shape.logpdf([0.0, -1.0]).tolist() == [-np.inf, -np.inf]
    assert PRIOR.interval(0.5)["rate"][0] == pytest.approx(scipy_stats.gamma(1.7, scale=1 / 0.6).ppf(0.25))


def test_draws_follow_the_marginals():
    """Kolmogorov-Smirnov at a false alarm in a million; a prior of another shape is seen."""
    draws = POSTERIOR.sample(40_000, np.random.default_rng(6))
    marginals = POSTERIOR.marginals()
    grid = np.exp(np.linspace(-6, 3, 3000))
    for name, values in draws.items():
        cdf = np.asarray(marginals[name].cdf(grid))
        assert scipy_stats.kstest(values, lambda x, cdf=cdf: np.interp(x, grid, cdf)).pvalue > 1e-6
    planted = GammaGamma(2.7, 0.8, 1.7, 0.6).posterior(GammaGamma.statistics(X)).marginals()["shape"].cdf(grid)
    assert scipy_stats.kstest(draws["shape"], lambda x: np.interp(x, grid, planted)).pvalue < 1e-6
    numbers = POSTERIOR.predictive().sample(40_000, np.random.default_rng(7))
    wide = np.exp(np.linspace(-30, 12, 6000))
    cdf = POSTERIOR.predictive().freeze().cdf(wide)
    assert scipy_stats.kstest(numbers, lambda x: np.interp(x, wide, cdf)).pvalue > 1e-6
    both = np.log(draws["shape"]) - np.log(draws["rate"])  # the two go together, as their mean is known
    assert both.std() < 0.75 * np.hypot(np.log(draws["shape"]).std(), np.log(draws["rate"]).std())
    assert marginals["rate"].rvs(5, np.random.default_rng(0)).shape == (5,)
    assert PRIOR.sample(0, np.random.default_rng(0))["shape"].shape == (0,)


def test_a_vague_prior_obeys_the_chain_rule():
    """Half of its mass is at shapes below all numbers."""
    vague = GammaGamma(0.001, 0.001, 0.001, 0.001)
    steps, now = 0.0, vague
    for x in X:
        steps += float(now.predictive().log_prob([x])[0])
        now = now.posterior(GammaGamma.statistics([x]))
    assert steps == pytest.approx(vague.log_evidence(GammaGamma.statistics(X)), rel=1e-10)
    assert (vague.predictive().sample(100, np.random.default_rng(8)) > 0).all()
    assert 0 < vague.predictive().freeze().cdf(1.0) < 1


def test_many_observations_leave_a_normal():
    """Bernstein and von Mises: mean and deviation come from the likelihood's curvature."""
    stats = Positives(1e10, 2.0, 3e9)
    best = GammaGamma.maximum_likelihood(stats)
    posterior = GammaGamma.unit(stats).posterior(stats)
    deviation = 1 / math.sqrt(1e10 * (special.zeta(2, best.shape) - 1 / best.shape))
    assert posterior.mean().shape == pytest.approx(best.shape, abs=0.01 * deviation)
    low, high = posterior.interval(0.95)["shape"]
    assert (high - low) / (2 * 1.959964) == pytest.approx(deviation, rel=1e-3)


def test_the_least_numbers_are_numbers_too():
    """A mean of 1e-310 under a prior of rates near 1: every quotient of the two is beyond the floats."""
    posterior = GammaGamma(2.0, 1.0, 2.0, 1e10).posterior(GammaGamma.statistics([1e-310, 3e-310, 5e-324]))
    readings = [
        *posterior.mode().parameters.values(),
        *posterior.mean().parameters.values(),
        posterior.log_normalizer(),
    ]
    assert np.isfinite(readings).all()
    assert np.isfinite(posterior.predictive().log_prob([1e-315, 1.0])).all()


def test_the_unit_prior_is_where_the_data_are():
    stats = GammaGamma.statistics(X)
    unit, best = GammaGamma.unit(stats), GammaGamma.maximum_likelihood(stats)
    assert unit.proper
    assert [unit.mode().shape, unit.mode().rate] == pytest.approx([best.shape, best.rate], rel=1e-12)
    assert unit.data.n == 1


def test_a_shape_of_which_nothing_is_known_is_refused():
    with pytest.raises(EstimateError, match="more data"):
        GammaGamma(1e-3, 1, 1, 1).log_evidence(Positives.of([2.0, 3.0], [1e-3, 1e-3]))


def test_unit_priors_rank_as_bic_does():
    """Priors of one observation's worth make evidences -½ BIC up to a term that does not grow (Kass & Wasserman 1995);
    so a gamma and a normal, each under its own, compare as their BICs do."""
    rng = np.random.default_rng(5)
    for size in (100, 10_000):
        for shape in (3.0, 100.0, 1e6):
            found = priori.compare({"gamma": GammaGamma, "normal": NormalInverseGamma}, rng.gamma(shape, 2.0, size))
            of = {row.name: row.estimate for row in found.rows}
            evidence = of["gamma"].log_evidence - of["normal"].log_evidence
            assert abs(evidence + (of["gamma"].bic - of["normal"].bic) / 2) < 1.5


@pytest.mark.parametrize("values", [[2.0], [0.1] * 7, [3.0, 3.0]], ids=["one", "seven equal", "two equal"])
def test_equal_data_have_no_maximum_and_the_remedy_works(values):
    stats = GammaGamma.statistics(values)
    with pytest.raises(EstimateError, match=r"all equal, or there are no two.*use a prior with shape_rate > 0"):
        GammaGamma.maximum_likelihood(stats)
    with pytest.raises(EstimateError, match="all equal"):
        GammaGamma.unit(stats)
    flat = GammaGamma.flat(stats).posterior(stats)
    with pytest.raises(EstimateError, match="the mean does not exist"):
        flat.mean()
    assert GammaGamma(1.0, 0.1, 1.0, 0.0).posterior(stats).mode().shape > 0


def test_what_has_no_mode_or_does_not_integrate_is_refused():
    stats = GammaGamma.statistics(X)
    with pytest.raises(EstimateError, match="rate_shape"):
        GammaGamma(2.0, 1.0, 0.5, 1.0).posterior(stats).mode()
    with pytest.raises(EstimateError, match="shape_shape"):
        GammaGamma(0.2, 1.0, 2.0, 1.0).posterior(GammaGamma.statistics([2.0])).mode()
    flat = GammaGamma.flat(stats)
    assert not flat.proper
    assert flat.posterior(stats).proper
    rng = np.random.default_rng(0)
    for asked in (flat.predictive, flat.mean, flat.marginals, flat.log_normalizer, lambda: flat.sample(1, rng)):
        with pytest.raises(EstimateError, match="does not integrate to 1"):
            asked()
    with pytest.raises(EstimateError, match="no mode"):
        flat.mode()
    with pytest.raises(DataError, match="shape_rate=-1"):
        GammaGamma(1.0, -1.0, 1.0, 1.0)
    with pytest.raises(DataError, match="shape=0"):
        Gamma(0, 1)
