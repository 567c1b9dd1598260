"""The laws that every family obeys: algebra of statistics, conjugacy, chain rule, and the moments at the maximum."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from families.asserts import assert_mode_is_best
from families.cases import CASES, take
from priori.errors import EstimateError, PrioriError

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def assert_close(first, second, tolerance):
    """All fields of two statistics, priors or likelihoods agree, relative to their size."""
    assert type(first) is type(second)
    for field in fields(first):
        if not field.compare:
            continue
        a, b = getattr(first, field.name), getattr(second, field.name)
        if isinstance(a, int | float | np.ndarray):
            scale = max(1.0, float(np.max(np.abs(a), initial=0)))
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=field.name)
        elif hasattr(a, "__dataclass_fields__"):
            assert_close(a, b, tolerance)
        else:
            assert a == b


def split(data, at):
    return data[:at], data[at:]


@every_case
@given(data=st.data())
def test_statistics_add_up(case, data):
    """of(A) + of(B) is of(A ++ B), in any order; and taking B away leaves A."""
    X = data.draw(case.data)
    first, second = split(X, data.draw(st.integers(0, len(X))))
    a, b, both = (case.family.statistics(part) for part in (first, second, X))
    if len(first) and len(second):
        assert_close(a + b, sum([b, a]), case.tolerance)
        assert_close(case.family.flat(both).posterior(a + b), case.family.flat(both).posterior(both), case.tolerance)
        assert_close(
            case.family.flat(both).posterior(both - b), case.family.flat(both).posterior(a), 100 * case.tolerance
        )


@every_case
@given(data=st.data())
def test_a_weight_of_two_is_a_row_twice(case, data):
    X = data.draw(case.data)
    weights = data.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=len(X), max_size=len(X)))
    repeated = take(X, [i for i, weight in enumerate(weights) for _ in range(weight)])
    assume(len(repeated))
    prior = data.draw(case.prior)
    weighted, plain = case.family.statistics(X, weights), case.family.statistics(repeated)
    assert_close(prior.posterior(weighted), prior.posterior(plain), case.tolerance)
    assert prior.log_evidence(weighted) == pytest.approx(
        prior.log_evidence(plain), rel=case.tolerance, abs=case.tolerance
    )


@every_case
@given(data=st.data())
def test_two_batches_are_one(case, data):
    """Conjugacy: the posterior of a first batch is the prior of the second."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    first, second = split(X, data.draw(st.integers(0, len(X))))
    assume(len(first) and len(second))
    in_turn = prior.posterior(case.family.statistics(first)).posterior(case.family.statistics(second))
    assert_close(in_turn, prior.posterior(case.family.statistics(X)), case.tolerance)


@every_case
@given(data=st.data())
def test_the_chain_rule(case, data):
    """log p(x_1..n) is the sum of log p(x_i | x_<i): it ties posterior, predictive and evidence together."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    steps, now = [], prior
    for i in range(len(X)):
        row = take(X, [i])
        steps.append(float(now.predictive().log_prob(row)[0]))
        now = now.posterior(case.family.statistics(row))
    evidence = prior.log_evidence(case.family.statistics(X))
    assert sum(steps) == pytest.approx(evidence, rel=100 * case.tolerance, abs=100 * case.tolerance)


@every_case
@given(data=st.data())
def test_the_mode_is_the_best(case, data):
    """No parameters near the mode have a larger density; under the flat prior that is the likelihood."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    posterior = prior.posterior(case.family.statistics(X))
    assert_mode_is_best(posterior)


@every_case
@given(data=st.data())
def test_the_moments_match_at_the_maximum(case, data):
    """An exponential family's mean of the sufficient statistic equals the data's where the likelihood is largest."""
    X = data.draw(case.data)
    stats = case.family.statistics(X)
    try:
        model = case.family.maximum_likelihood(stats)
    except EstimateError:
        assume(False)
    average = case.average(stats)
    scale = max(1.0, float(np.abs(average).max()))
    np.testing.assert_allclose(model.expected_statistics(), average, rtol=1e-8, atol=1e-8 * scale)


@every_case
@given(data=st.data())
def test_statistics_suffice(case, data):
    """The log-likelihood from the statistics is the sum over the observations, missing ones and weights included."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    try:
        model = prior.posterior(case.family.statistics(X)).mean()
    except EstimateError:
        assume(False)
    weights = np.arange(1.0, len(X) + 1)
    from_statistics = model.log_likelihood(case.family.statistics(X, weights))
    assert from_statistics == pytest.approx(model.score(X, weights), rel=1e-9, abs=1e-9)


@every_case
@given(data=st.data())
def test_negative_statistics_give_no_estimate(case, data):
    X, prior = data.draw(case.data), data.draw(case.prior)
    stats = case.family.statistics(X)
    with pytest.raises(PrioriError, match="subtract only data that were added"):
        prior.posterior(-stats)
    with pytest.raises(PrioriError, match="make them with"):
        prior.posterior("statistics")


@every_case
@given(data=st.data())
def test_expectations_carry_their_error(case, data):
    """E[1] is 1 without error; draws have the shape of the parameters."""
    prior = data.draw(case.prior)
    rng = np.random.default_rng(1)
    one = prior.expect(lambda **parameters: np.ones(50), rng, 50)
    assert (one.value, one.error) == (1.0, 0.0)
    mode = prior.sample(3, rng)
    assert all(len(values) == 3 for values in mode.values())


@every_case
@given(data=st.data())
def test_they_print_as_mathematics(case, data):
    X, prior = data.draw(case.data), data.draw(case.prior)
    assert "~" in str(prior)
    assert "(" in str(prior.posterior(case.family.statistics(X)).predictive())
