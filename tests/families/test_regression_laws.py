"""The laws of linear regressions: algebra of statistics, conjugacy, chain rule, and the mode."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from families.asserts import assert_mode_is_best
from families.test_laws import assert_close
from priori.errors import DataError, EstimateError, PrioriError
from priori.families import LinearModel, NormalGammaRegression, NormalRegression

NAMES = ("age", "dose")
FAMILIES = [NormalRegression, NormalGammaRegression]
INTERCEPTS = ["flat", "penalised", None]
positive = st.floats(0.1, 20)
numbers = st.floats(-10, 10).map(lambda x: round(x, 3))
every_family = pytest.mark.parametrize("family", FAMILIES)
every_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


@st.composite
def pairs(draw, low=1, high=8):
    size = draw(st.integers(low, high))
    rows = draw(st.lists(st.tuples(numbers, numbers, numbers), min_size=size, max_size=size))
    table = np.array(rows).reshape(size, 3)
    return table[:, :2], table[:, 2]


def priors(family, intercept):
    if family is NormalRegression:
        return st.builds(lambda v, b: NormalRegression(v, b, intercept, names=NAMES), positive, positive)
    return st.builds(
        lambda p, a, b: NormalGammaRegression(p, a, b, intercept, names=NAMES), positive, positive, positive
    )


def some_prior(family, intercept="flat", names=()):
    if family is NormalRegression:
        return NormalRegression(2.0, 3.0, intercept, names=names)
    return NormalGammaRegression(2.0, 3.0, 0.5, intercept, names=names)


def close(first, second, tolerance=1e-9):
    return first == pytest.approx(second, rel=tolerance, abs=tolerance)


@every_family
@every_intercept
@given(data=st.data())
def test_the_chain_rule(family, intercept, data):
    """log p(t_1..n) is the sum of log p(t_i | t_<i). A flat intercept has a predictive from the second pair on."""
    (X, t), prior = data.draw(pairs()), data.draw(priors(family, intercept))
    steps, now = [], prior
    for i in range(len(t)):
        row = family.statistics(X[i : i + 1], t[i : i + 1])
        if i == 0 and intercept == "flat":
            steps.append(now.log_evidence(row))
        else:
            steps.append(float(now.predictive().log_prob(X[i : i + 1], t[i : i + 1])[0]))
        now = now.posterior(row)
    assert close(sum(steps), prior.log_evidence(family.statistics(X, t)), 1e-8)


@every_family
@every_intercept
@given(data=st.data())
def test_two_batches_are_one(family, intercept, data):
    (X, t), prior = data.draw(pairs(2)), data.draw(priors(family, intercept))
    at = data.draw(st.integers(1, len(t) - 1))
    first, second = family.statistics(X[:at], t[:at]), family.statistics(X[at:], t[at:])
    whole = prior.posterior(family.statistics(X, t))
    in_turn = prior.posterior(first).posterior(second)
    assert_close(in_turn, whole, 1e-9)
    assert_close(in_turn.mode(), whole.mode(), 1e-8)
    assert close(
        prior.log_evidence(first) + prior.posterior(first).log_evidence(second),
        prior.log_evidence(first + second),
        1e-8,
    )


@every_family
@every_intercept
@given(data=st.data())
def test_forgetting_leaves_the_rest(family, intercept, data):
    (X, t), prior = data.draw(pairs(2)), data.draw(priors(family, intercept))
    at = data.draw(st.integers(1, len(t) - 1))
    both, second = family.statistics(X, t), family.statistics(X[at:], t[at:])
    left = prior.posterior(both - second)
    assert_close(left.mode(), prior.posterior(family.statistics(X[:at], t[:at])).mode(), 1e-6)


@every_family
@every_intercept
@given(data=st.data())
def test_a_weight_of_two_is_a_row_twice(family, intercept, data):
    (X, t), prior = data.draw(pairs()), data.draw(priors(family, intercept))
    weights = np.array(data.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=len(t), max_size=len(t))))
    assume(weights.sum() > 0)
    weighted = family.statistics(X, t, weights)
    plain = family.statistics(np.repeat(X, weights, axis=0), np.repeat(t, weights))
    assert_close(prior.posterior(weighted).mode(), prior.posterior(plain).mode(), 1e-8)
    assert close(prior.log_evidence(weighted), prior.log_evidence(plain), 1e-8)


@every_family
@every_intercept
@given(data=st.data())
def test_the_mode_is_the_best(family, intercept, data):
    (X, t), prior = data.draw(pairs(2)), data.draw(priors(family, intercept))
    posterior = prior.posterior(family.statistics(X, t))
    assert_mode_is_best(posterior)


@every_family
@every_intercept
@given(data=st.data())
def test_prior_times_likelihood_is_posterior_times_evidence(family, intercept, data):
    """Bayes' rule at random parameters, which ties log_prob, log_likelihood and log_evidence together."""
    (X, t), prior = data.draw(pairs(2)), data.draw(priors(family, intercept))
    if intercept == "flat":  # the prior of the rest is the posterior of a first pair
        prior, X, t = prior.posterior(family.statistics(X[:1], t[:1])), X[1:], t[1:]
    stats = family.statistics(X, t)
    posterior = prior.posterior(stats)
    draws = prior.sample(5, np.random.default_rng(1))
    for i in range(5):
        values = {name: draw[i] for name, draw in draws.items()}
        precision = values.get("precision", prior.mean().precision)
        model = LinearModel(values["weights"], values.get("intercept"), precision)
        assert close(
            float(prior.log_prob(**values)) + model.log_likelihood(stats),
            float(posterior.log_prob(**values)) + prior.log_evidence(stats),
            1e-7,
        )
        assert close(model.score(X, t), model.log_likelihood(stats), 1e-9)


@every_family
@every_intercept
def test_missing_targets_tell_nothing(family, intercept):
    X, t = [[1.0, 2.0], [2.0, 5.0], [4.0, 4.0], [5.0, 1.0]], [1.0, None, 3.0, 2.0]
    kept = family.statistics([X[0], X[2], X[3]], [1.0, 3.0, 2.0])
    assert_close(family.statistics(X, t), kept, 1e-12)
    X[1][0] = None  # inputs of a pair without a target may be missing too
    assert_close(family.statistics(X, t, [1, 1, 1, 1]), kept, 1e-12)
    predictive = some_prior(family, intercept).posterior(kept).predictive()
    scores = predictive.log_prob([[1.0, 2.0], [2.0, 5.0]], [1.0, np.nan])
    assert scores[0] != 0 and scores[1] == 0
    assert (predictive.log_prob([[1.0, 2.0]], [np.inf]) == -np.inf).all()


@every_family
def test_what_cannot_be_is_refused(family):
    stats = family.statistics([[1.0, 2.0], [2.0, 5.0], [4.0, 4.0]], [1.0, 2.0, 3.0])
    prior = some_prior(family)
    with pytest.raises(DataError, match="row 1 is missing column 0"):
        family.statistics([[1.0, 2.0], [None, 5.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="2 and 3 rows"):
        family.statistics([[1.0], [2.0], [3.0]], [1.0, 2.0])
    with pytest.raises(PrioriError, match="subtract only data that were added"):
        prior.posterior(-stats)
    with pytest.raises(PrioriError, match="make them with"):
        prior.posterior("statistics")
    with pytest.raises(EstimateError, match="the predictive does not exist"):
        prior.predictive()
    with pytest.raises(DataError, match="name them"):
        prior.mode()
    with pytest.raises(DataError, match="3 columns, the model 2"):
        prior.posterior(stats).predictive().log_prob([[1.0, 2.0, 3.0]], [1.0])
    with pytest.raises(DataError, match="row 0 has an input that is missing"):
        prior.posterior(stats).mode().predict([[1.0, np.nan]])
    with pytest.raises(DataError, match="2 targets for 1 rows"):
        prior.posterior(stats).mode().log_prob([[1.0, 2.0]], [1.0, 2.0])
    with pytest.raises(EstimateError, match="without data every intercept"):
        prior.posterior(family.statistics(np.zeros((0, 2)), [])).mode()
    with pytest.raises(DataError, match="give 'flat', 'penalised' or None"):
        NormalRegression(1.0, 1.0, "none")


@every_family
def test_the_flat_prior_without_data_gives_nothing(family):
    stats = family.statistics(np.zeros((0, 2)), [])
    assert not NormalGammaRegression.flat(stats).proper
    with pytest.raises(EstimateError, match="without data"):
        family.maximum_likelihood(stats)


@every_family
@every_intercept
def test_draws_follow_the_marginals(family, intercept):
    """Each coefficient's draws pass a Kolmogorov-Smirnov test against its marginal, and would not if shifted."""
    from scipy.stats import kstest

    rng = np.random.default_rng(2)
    X = rng.normal(3, [1, 2], (12, 2))
    t = X @ [1, -0.5] + 2 + rng.normal(0, 0.7, 12)
    posterior = some_prior(family, intercept).posterior(family.statistics(X, t))
    draws = posterior.sample(4000, rng)
    columns = {f"weights[{j}]": draws["weights"][:, j] for j in range(2)}
    columns |= {name: values for name, values in draws.items() if name != "weights"}
    assert columns.keys() == posterior.marginals().keys() == posterior.interval().keys()
    for name, of in posterior.marginals().items():
        assert kstest(columns[name], of.cdf).pvalue > 1e-6
        assert kstest(columns[name] + 0.2 * of.std(), of.cdf).pvalue < 1e-6
    mean = posterior.expect(lambda weights: weights @ [1.0, 2.0], rng)
    assert abs(mean.value - posterior.mean().weights @ [1, 2]) < 6 * mean.error


@every_family
def test_they_print_as_mathematics(family):
    stats = family.statistics([[1.0, 2.0], [2.0, 5.0], [4.0, 4.0]], [1.0, 2.0, 3.5])
    prior = some_prior(family, names=NAMES)
    assert "w ~ 𝒩(0, " in str(prior) and "±" in str(prior.posterior(stats))
    assert "·age" in str(prior.posterior(stats).mode()) and "·dose" in str(prior.posterior(stats).predictive())
    assert list(prior.posterior(stats).interval())[:3] == ["weights[age]", "weights[dose]", "intercept"]


@every_family
def test_flat_priors_and_factors_of_one_print_as_such(family):
    stats = family.statistics([[1.0, 2.0], [2.0, 5.0], [4.0, 4.0], [5.0, 4.0]], [1.0, 2.0, 3.5, 3.0])
    assert str(family.flat(stats)).startswith("w ~ flat, β")
    one = NormalRegression(1.0, 3.0) if family is NormalRegression else NormalGammaRegression(1.0, 2.0, 3.0)
    assert str(one) == ("w ~ 𝒩(0, I), β=3" if family is NormalRegression else "w ~ 𝒩(0, I / β), β ~ Gamma(2, 3)")


@every_family
@every_intercept
def test_predictives_score_pairs(family, intercept):
    """Against scipy's densities at each pair, weights, missing targets and impossible ones of no weight included."""
    rng = np.random.default_rng(3)
    X = rng.normal(3, [1, 2], (12, 2))
    t = X @ [1, -0.5] + 2 + rng.normal(0, 0.7, 12)
    posterior = some_prior(family, intercept).posterior(family.statistics(X, t))
    weights = np.arange(12.0) % 4
    for of in (posterior.mode(), posterior.predictive()):
        log_pdf = of.freeze(X).logpdf(t)
        assert close(of.score(X, t), log_pdf.sum())
        assert close(of.score(X, t, weights), weights @ log_pdf)
        assert close(of.score(X, [*t[:-1], np.nan]), log_pdf[:-1].sum())
        assert close(of.score(X, [np.inf, *t[1:]], weights), weights @ log_pdf)
