"""One observation, equal ones, none, huge offsets, the boundary: a right answer or a clear error, never NaN."""

import math
from functools import partial

import numpy as np
import pytest

from families.asserts import assert_refused
from priori.errors import DataError, EstimateError, MergeError, NegativeCountError
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaPoisson,
    NormalInverseGamma,
    NormalKnownVariance,
    Poisson,
)
from priori.statistics import Durations, EventCounts, Moments, Successes

PRIORS = [
    BetaBernoulli(2.5, 1.5),
    DirichletCategorical([2.0, 3.5], "ab"),
    DirichletMultinomial([2.0, 3.5]),
    GammaPoisson(2.5, 1.5),
    GammaExponential(2.5, 1.5),
    NormalInverseGamma(1, 0.5, 2.5, 3.5),
    NormalKnownVariance(4, 1, 0.5),
]
SOME = {
    "bernoulli": [1, 0, 0],
    "categorical": ["a", "b", "b"],
    "multinomial": [[1, 2], [0, 3]],
    "poisson": [3, 0, 4],
    "exponential": [0.1, 0.2, 0.7],
    "normal": [0.1, 0.2, 0.7],
    "normal-mean": [0.1, 0.2, 0.7],
}
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)


def missing(prior):
    """Two observations that are not there."""
    return [[None, None], [np.nan, np.nan]] if prior.name == "multinomial" else [None, float("nan")]


def flat(prior, data):
    known = {"variance": prior.variance} if prior.name == "normal-mean" else {}
    return prior.flat(data, **known)


@every_prior
def test_without_data_the_posterior_is_the_prior(prior):
    some = prior.statistics(SOME[prior.name])
    ones, weights = SOME[prior.name], [0.0] * len(SOME[prior.name])
    for none in ([], missing(prior)):
        data = prior.statistics(none)
        assert data.n == 0
        assert str(prior.posterior(data)) == str(prior)
        assert prior.log_evidence(data) == 0
        assert str(prior.posterior(some + data)) == str(prior.posterior(some))
    for data in (prior.statistics(ones, weights), some - some, (some + some) - some - some):
        assert data.n == 0
        np.testing.assert_allclose(prior.posterior(data).log_normalizer(), prior.log_normalizer(), rtol=1e-12)
        assert prior.log_evidence(data) == pytest.approx(0, abs=1e-12)
        assert_refused(EstimateError, flat(prior, data).posterior(data).mode, "without data")


@every_prior
def test_a_missing_observation_changes_nothing(prior):
    X = SOME[prior.name]
    more = [*X, *missing(prior)]
    assert prior.log_evidence(prior.statistics(more)) == prior.log_evidence(prior.statistics(X))
    predictive = prior.predictive()
    assert predictive.log_prob(more).tolist() == [*predictive.log_prob(X), 0, 0]
    assert predictive.score(more, [2.0] * len(X) + [9.0] * 2) == pytest.approx(2 * predictive.score(X), rel=1e-12)


@every_prior
def test_more_taken_away_than_was_there(prior):
    some, one = prior.statistics(SOME[prior.name]), prior.statistics(SOME[prior.name][:1])
    assert_refused(NegativeCountError, lambda: prior.posterior(one - some), "subtract only data that were added")
    assert_refused(MergeError, lambda: some + "text", "use one kind")
    with pytest.raises(TypeError):
        1 + some


@pytest.mark.parametrize("data", [[4.25], [4.25] * 5, [0.1] * 3, [1e8 + 0.1] * 40_000, [-1e-3] * 7])
def test_numbers_without_variance(data):
    """No maximum exists, rounding or not; a proper prior gives an answer, and so does a known variance."""
    moments = NormalInverseGamma.statistics(data)
    twice = moments + NormalInverseGamma.statistics(data, [0.3] * len(data))
    for equal in (moments, twice):
        assert_refused(
            EstimateError, lambda equal=equal: NormalInverseGamma.maximum_likelihood(equal), "all equal", "scale > 0"
        )
        assert_refused(EstimateError, lambda equal=equal: NormalInverseGamma.unit(equal), "all equal", "scale > 0")
    posterior = NormalInverseGamma(data[0], 1, 2, 3).posterior(moments)
    assert posterior.mode().mean == pytest.approx(data[0], rel=1e-15)
    assert posterior.mode().variance == pytest.approx(3 / (2 + len(data) / 2 + 1.5), rel=1e-9)
    known = NormalKnownVariance.maximum_likelihood(moments, variance=4)
    assert known.mean == pytest.approx(data[0], rel=1e-15)
    assert (known.variance, known.free_parameters) == (4, 1)


def test_few_numbers_under_the_flat_prior():
    """Improper until four observations are there: what it cannot give is refused, the maximum is not."""
    for n in (2, 3):
        posterior = NormalInverseGamma.flat(None).posterior(NormalInverseGamma.statistics(np.arange(n)))
        assert posterior.mode().variance == pytest.approx(np.var(np.arange(n)), rel=1e-15)
        for call in (posterior.mean, posterior.predictive, posterior.interval, posterior.log_normalizer):
            assert_refused(EstimateError, call, "does not integrate to 1")
        draw = partial(posterior.sample, 1, np.random.default_rng(0))
        assert_refused(EstimateError, draw, "a proper prior, or more data")
    enough = NormalInverseGamma.flat(None).posterior(NormalInverseGamma.statistics(np.arange(4)))
    assert enough.proper
    assert_refused(EstimateError, enough.mean, "the mean of σ² is infinite", "or the mode")


@pytest.mark.parametrize("prior", [GammaPoisson(1, 0), GammaExponential(1, 0), NormalKnownVariance(4)], ids=str)
def test_an_improper_prior_refuses(prior):
    stats = prior.statistics([1, 2])
    rng = np.random.default_rng(0)
    for call in (prior.predictive, prior.interval, prior.marginals, prior.log_normalizer, prior.mode, prior.mean):
        assert_refused(EstimateError, call)
    assert_refused(EstimateError, lambda: prior.sample(1, rng), "a sample")
    assert_refused(EstimateError, lambda: prior.log_evidence(stats), "the evidence")
    assert prior.posterior(stats).proper


def test_a_huge_offset():
    """At mean 1e8 the variance, evidence and predictive are those of the same data about 0."""
    near = np.random.default_rng(0).normal(size=1000)
    near = (near + 1e8) - 1e8  # what the sum can hold of it
    far, here = NormalInverseGamma.statistics(near + 1e8), NormalInverseGamma.statistics(near)
    assert NormalInverseGamma.maximum_likelihood(far).variance == pytest.approx(np.var(near), rel=1e-9)
    batches = sum(NormalInverseGamma.statistics(batch) for batch in np.split(near + 1e8, 20))
    weighted = NormalInverseGamma.statistics(near + 1e8, np.ones(1000))
    for moments in (far, batches, weighted, (far + far) - far):
        assert moments.variance() == pytest.approx(np.var(near), rel=1e-6)
    at = np.array([-2.0, 0.25, 3.0])
    for prior, shifted in (
        (NormalInverseGamma(0.5, 0.7, 2.5, 1.5), NormalInverseGamma(0.5 + 1e8, 0.7, 2.5, 1.5)),
        (NormalKnownVariance(1.3, 0.5, 4), NormalKnownVariance(1.3, 0.5 + 1e8, 4)),
    ):
        assert shifted.log_evidence(far) == pytest.approx(prior.log_evidence(here), rel=1e-9)
        scores = shifted.posterior(far).predictive().log_prob(at + 1e8)
        np.testing.assert_allclose(scores, prior.posterior(here).predictive().log_prob(at), rtol=1e-6)
        model = shifted.posterior(far).mean()
        assert model.log_likelihood(far) == pytest.approx(model.score(near + 1e8), rel=1e-9)


@pytest.mark.parametrize(("offset", "tolerance"), [(0, 1e-14), (1e6, 1e-9), (1e8, 1e-7)])
def test_taking_away_and_giving_back(offset, tolerance):
    """10,000 rounds of - and + move the variance by what rounding of the mean can."""
    X = np.random.default_rng(0).normal(size=200) + offset
    now = Moments.of(X)
    for i in range(10_000):
        row = Moments.of(X[i % 200 : i % 200 + 1])
        now = (now - row) + row
    assert now.n == 200
    assert now.variance() == pytest.approx(np.var(X - offset), rel=tolerance)


def test_all_heads():
    heads = BetaBernoulli.statistics([1, 1, 1])
    model = BetaBernoulli.maximum_likelihood(heads)
    assert model.probability == 1
    assert model.log_likelihood(heads) == 0
    assert model.log_prob([1, 0]).tolist() == [0, -math.inf]
    assert model.natural_parameters() == [math.inf]
    assert BetaBernoulli(1, 3).mode().probability == 0
    assert_refused(EstimateError, BetaBernoulli(0.5, 1.5).posterior(Successes(0, 9)).mode, "or the mean")
    assert BetaBernoulli(0.5, 1.5).posterior(Successes(0, 9)).mean().probability == pytest.approx(0.5 / 11)


def test_no_events():
    """The rate 0 is a right answer: a point mass at 0."""
    model = GammaPoisson.maximum_likelihood(GammaPoisson.statistics([0, 0, 0]))
    assert model == Poisson(0)
    assert model.log_prob([0, 1]).tolist() == [0, -math.inf]
    assert model.sample(5, np.random.default_rng(0)).tolist() == [0] * 5
    assert model.freeze().pmf(0) == 1
    assert GammaPoisson.unit(EventCounts(3, 0, 0)) == GammaPoisson(0.5, 1)
    assert_refused(EstimateError, GammaPoisson(0.5, 1).posterior(EventCounts(3, 0, 0)).mode, "shape >= 1, or the mean")


def test_no_time():
    """No rate is the best for waits of 0: a larger one always is."""
    for zero in ([0.0, 0.0], [5e-324]):
        waits = GammaExponential.statistics(zero)
        assert_refused(EstimateError, partial(GammaExponential.maximum_likelihood, waits), "with rate > 0")
    assert_refused(EstimateError, lambda: GammaExponential.unit(Durations(2, 0)), "with rate > 0")
    assert GammaExponential(2, 3).posterior(Durations(2, 0)).mode().rate == 1
    assert_refused(EstimateError, GammaExponential(1, 3).mode, "use the mean")


def test_counts_that_were_never_seen():
    model = DirichletMultinomial.maximum_likelihood(DirichletMultinomial.statistics([[3, 0], [2, 0]]))
    assert model.probabilities.tolist() == [1, 0]
    assert model.log_prob([[4, 0], [4, 1]]).tolist() == [0, -math.inf]
    assert_refused(EstimateError, DirichletMultinomial([2, 0.5]).mode, "alpha >= 1, or the mean")
    zeros = DirichletMultinomial.statistics([[0, 0], [0, 0]])
    assert_refused(EstimateError, lambda: DirichletMultinomial.maximum_likelihood(zeros), "add data, or use the mean")
    assert_refused(DataError, zeros.average, "no average")
