"""Decisions: exact arithmetic as the oracle, the rules as special cases, and what a posterior may look like."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priori
from priori import Loss, decide
from priori.decisions import Decisions
from priori.errors import DataError

SIXTEENTHS = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 16), min_size=size - 1, max_size=size - 1).map(
            lambda cuts: np.diff([0, *sorted(cuts), 16]) / 16  # exact in floating point
        ),
        min_size=1,
        max_size=4,
    )
)


def by_hand(row, matrix):
    """The first action of least expected loss, in exact arithmetic."""
    losses = [sum(Fraction(cost) * Fraction(p) for cost, p in zip(costs, row, strict=True)) for costs in matrix]
    return losses.index(min(losses)), float(min(losses))


@given(posterior=SIXTEENTHS, data=st.data())
def test_the_least_expected_loss_in_exact_arithmetic(posterior, data):
    size = len(posterior[0])
    costs = st.lists(st.integers(-64, 64).map(lambda cost: cost / 8), min_size=size, max_size=size)
    matrix = data.draw(st.lists(costs, min_size=size, max_size=size))
    reject = data.draw(st.none() | st.integers(0, 64).map(lambda cost: cost / 8))
    found = decide(posterior, matrix, reject)
    rows = matrix if reject is None else [*matrix, [reject] * size]
    for row, index, action, loss, rejected in zip(
        posterior, found.index, found.actions, found.expected_loss, found.rejected, strict=True
    ):
        assert (index, loss) == by_hand(row, rows)
        assert action == ("reject" if index == size else index)
        assert rejected == (index == size)


@given(
    st.lists(st.lists(st.floats(0.01, 1), min_size=7, max_size=7).map(lambda p: np.divide(p, sum(p))), min_size=1),
    st.sampled_from([None, "map"]),
)
def test_without_a_loss_the_most_probable_class_wins_to_the_last_bit(posterior, rule):
    found = decide(posterior, **({} if rule is None else {"rule": rule}))
    assert found.index.tolist() == np.argmax(posterior, axis=1).tolist()
    np.testing.assert_allclose(found.expected_loss, 1 - np.max(posterior, axis=1), rtol=0, atol=1e-15)


@given(SIXTEENTHS, st.integers(0, 16))
def test_chow(posterior, sixteenths):
    """To refuse is best just where no class is more probable than 1 less its cost."""
    found = decide(posterior, reject=sixteenths / 16)
    assert found.rejected.tolist() == [max(row) < 1 - sixteenths / 16 for row in posterior]


@given(data=st.data(), size=st.integers(2, 5))
def test_maximum_likelihood_takes_the_prior_out(data, size):
    """From whole numbers p(x | c) and p(c): the class of the largest likelihood, the first of equals."""
    wholes = st.lists(st.integers(1, 9), min_size=size, max_size=size)
    likelihood, weights = np.array(data.draw(wholes)), np.array(data.draw(wholes))
    joint = likelihood * weights
    found = decide(joint / joint.sum(), rule="ml", prior=weights / weights.sum())
    # the classes that are as likely within the rounding of the posterior
    assert likelihood[found.index[0]] == likelihood.max()
    assert found.expected_loss[0] == pytest.approx(1 - likelihood.max() / likelihood.sum(), rel=1e-12)


def test_likelihood_and_posterior_disagree_where_the_prior_speaks():
    posterior = {"ham": 0.6, "spam": 0.4}  # the message is six times as likely for spam
    assert decide(posterior, rule="map").actions.tolist() == ["ham"]
    assert decide(posterior, rule="ml", prior={"spam": 0.1, "ham": 0.9}).actions.tolist() == ["spam"]


def test_a_dear_mistake_is_not_made_and_an_aside_is():
    loss = {"spam": {"ham": 100}, "aside": {"ham": 2, "spam": 0.2}}
    # p(ham): spam costs 100 p, aside 2 p + 0.2 (1 - p), ham 1 - p
    chances = [0.001, 0.1, 0.5]
    found = decide([[p, 1 - p] for p in chances], loss, labels=["ham", "spam"])
    assert found.actions.tolist() == ["spam", "aside", "ham"]
    np.testing.assert_allclose(found.expected_loss, [0.1, 0.38, 0.5], rtol=1e-12)
    assert not found.rejected.any()


@pytest.mark.parametrize(
    "posterior",
    [
        [0.25, 0.75],
        (0.25, 0.75),
        np.array([[0.25, 0.75]]),
        {"ham": 0.25, "spam": 0.75},
        [{"ham": 0.25, "spam": 0.75}],
        [{"spam": 0.75, "ham": 0.25}],
        {"label": "spam", "probability": 0.75, "probabilities": {"ham": 0.25, "spam": 0.75}},
        [{"label": "spam", "probability": 0.75, "probabilities": {"ham": 0.25, "spam": 0.75}}],
    ],
    ids=str,
)
def test_one_posterior_in_many_clothes(posterior):
    found = decide(posterior, {"spam": {"ham": 2}}, labels=["ham", "spam"])
    assert (found.actions.tolist(), found.expected_loss.tolist()) == (["spam"], [0.5])
    assert found.labels == ("ham", "spam")


def test_labels_are_those_of_the_mapping_or_numbers():
    assert decide({"x": 0.25, "y": 0.75}).labels == ("x", "y")
    assert decide([{"x": 0.25, "y": 0.75}, {"y": 1.0, "x": 0.0}]).actions.tolist() == ["y", "y"]
    assert decide([0.5, 0.25, 0.25]).labels == (0, 1, 2)
    assert decide([0.25, 0.75], labels=np.array([True, False])).actions.tolist() == [False]
    assert decide({"probabilities": 0.25, "y": 0.75}).actions.tolist() == ["y"]


def test_no_rows_are_no_decisions():
    found = decide(np.empty((0, 3)), reject=0.1)
    assert len(found) == 0
    assert found.to_json() == {"labels": [0, 1, 2], "actions": [], "expected_loss": [], "rejected": []}


def test_decisions_are_written_as_json():
    found = decide([[0.9, 0.1], [0.5, 0.5]], reject=0.25, labels=np.array(["ham", "spam"]))
    again = json.loads(json.dumps(found.to_json()))
    assert again["actions"] == ["ham", "reject"]
    assert again["rejected"] == [False, True]
    assert again["expected_loss"] == [0.1, 0.25]
    assert isinstance(found, Decisions)


def test_actions_may_be_anything_that_has_a_name():
    loss = Loss(((1, 2), "wait"), ("a", "b"), [[0, 1], [1, 0]])
    assert decide([[1.0, 0.0], [0.0, 1.0]], loss, labels="ab").actions.tolist() == [(1, 2), "wait"]


def test_the_package_has_the_function():
    assert priori.decide is decide
    assert priori.decisions.decide is decide


HALF = [0.5, 0.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: decide([0.5, np.nan]), "row 0 of the posterior is no distribution"),
        (lambda: decide([HALF, [0.5, 0.6]]), "row 1 of the posterior is no distribution"),
        (lambda: decide([0.5, 0.5 + 3e-6]), "no distribution"),
        (lambda: decide([1.5, -0.5]), "no distribution"),
        (lambda: decide([1e308, 1e308]), "no distribution"),
        (lambda: decide([np.inf, -np.inf]), "no distribution"),
        (lambda: decide([]), r"of shape \(0,\)"),
        (lambda: decide(0.5), r"of shape \(\)"),
        (lambda: decide(np.ones((1, 1, 1))), r"of shape \(1, 1, 1\)"),
        (lambda: decide("spam"), "no table of numbers"),
        (lambda: decide([[0.5, 0.5], [1.0]]), "no table of numbers"),
        (lambda: decide({"a": "much"}), "no table of numbers"),
        (lambda: decide({}), "of shape"),
        (lambda: decide(HALF, labels=["a"]), "2 columns and there are 1 labels"),
        (lambda: decide(HALF, labels=["a", "a"]), "none twice"),
        (lambda: decide([{"a": 1.0}, HALF]), r"row 1 of the posterior is \[0.5, 0.5\], but others are mappings"),
        (lambda: decide([{"a": 1.0}, {"b": 1.0}]), "row 1 of the posterior names 'b', which is no class"),
        (lambda: decide([{"a": 1.0}], labels="ab"), "row 0 of the posterior does not name class 'b'"),
        (lambda: decide({"0": 0.5, 0: 0.5}, labels=[0]), "names a class twice"),
        (lambda: decide(HALF, rule="best"), "rule='best' is none"),
        (lambda: decide(HALF, rule="ml"), "needs the class prior"),
        (lambda: decide(HALF, rule="map", prior=HALF), "rule='map' has no use for a prior"),
        (lambda: decide(HALF, prior=HALF), "rule='bayes' has no use for a prior"),
        (lambda: decide(HALF, [[0, 1], [1, 0]], rule="map"), "leave loss away"),
        (lambda: decide(HALF, rule="ml", prior=[1.0]), r"the class prior is of shape \(1,\) for 2 classes"),
        (lambda: decide(HALF, rule="ml", prior=[0.5, 0.6]), "the class prior .* is no distribution"),
        (lambda: decide(HALF, rule="ml", prior=[0.0, 1.0]), "the class prior gives class 0 probability 0"),
        (lambda: decide(HALF, rule="ml", prior={0: 0.5, 2: 0.5}), "the class prior names 2, which is no class"),
        (lambda: decide(HALF, reject=np.nan), "a cost is not finite"),
        (lambda: decide(HALF, reject="dear"), "the cost of 'reject' is 'dear', no number"),
        (lambda: decide(HALF, reject=0.1, labels=["reject", "a"]), "a class is called 'reject'"),
        (lambda: decide(HALF, {"reject": 1}, reject=0.1), "has the action 'reject' already"),
    ],
)
def test_what_cannot_be_decided(call, words):
    with pytest.raises(DataError, match=words) as found:
        call()
    assert "\n" not in str(found.value)
