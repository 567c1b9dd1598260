"""Thresholds, losses and class priors together: brute force row by row, and the laws that tie them to `decide`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.decisions import Loss, Policy, Threshold, decide, reweighted
from priori.errors import DataError

LABELS = ("a", "b", "c")


def posteriors(seed, n=40, classes=3):
    return np.random.default_rng(seed).dirichlet(np.ones(classes), n)


def at(value):
    return Threshold("false positives", value, 0.1, 0.95, 100, 3, 0.09, 0.5)


def policy(loss=None, reject=None, **thresholds):
    table = Loss.of(loss, LABELS)
    table = table if reject is None else table.with_reject(reject)
    return Policy(
        table, np.array([0.5, 0.3, 0.2]), thresholds={label: at(value) for label, value in thresholds.items()}
    )


def best_of(loss, row, actions):
    return min(actions, key=lambda action: float(loss.matrix[loss.actions.index(action)] @ row))


@given(st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1), st.sampled_from([None, 0.2, 0.6]))
def test_a_class_is_called_above_its_threshold_and_nowhere_else(seed, low, high, reject):
    rule = policy(reject=reject, b=low, c=high)
    rows = posteriors(seed)
    made = rule.decisions(rows)
    for row, action in zip(rows, made.actions, strict=True):
        above = [label for label, value in (("b", low), ("c", high)) if row[LABELS.index(label)] > value]
        others = [name for name in rule.loss.actions if name not in ("b", "c")]
        assert action == best_of(rule.loss, row, above or others)
    assert set(made.thresholds) == {"b", "c"}


@given(st.integers(0, 10**6))
def test_without_thresholds_and_priors_a_policy_decides_as_decide(seed):
    rows, loss = posteriors(seed), {"a": {"b": 3}, "aside": {"a": 0.5, "b": 0.2, "c": 0.4}}
    made, plain = policy(loss, 0.45).decisions(rows), decide(rows, loss, 0.45, labels=LABELS)
    assert made.actions.tolist() == plain.actions.tolist()
    assert made.expected_loss.tolist() == plain.expected_loss.tolist()
    assert made.rejected.tolist() == plain.rejected.tolist()


@given(st.integers(0, 10**6))
def test_a_class_prior_moves_the_posterior_and_not_the_thresholds(seed):
    rows, prior = posteriors(seed), {"a": 0.1, "b": 0.1, "c": 0.8}
    moved = policy(b=0.4).under(prior)
    shifted = reweighted(rows, [0.5, 0.3, 0.2], [0.1, 0.1, 0.8])
    assert moved.shifted(rows) == pytest.approx(shifted)
    made = moved.decisions(rows)
    assert ((made.actions == "b") == (rows[:, 1] > 0.4)).all()
    assert made.expected_loss == pytest.approx(1 - shifted[np.arange(len(rows)), made.index])


def test_a_class_that_was_never_learned_stays_impossible():
    rule = Policy(Loss.of(None, LABELS), np.array([0.5, 0.5, 0.0]))
    rows = np.array([[0.5, 0.5, 0.0]] * 30)
    assert rule.under([0.9, 0.1, 0.0]).shifted(rows)[0].tolist() == pytest.approx([0.9, 0.1, 0])
    assert rule.estimated(rows).new.tolist() == pytest.approx([0.5, 0.5, 0])
    with pytest.raises(DataError, match="never learned"):
        rule.under([0.4, 0.3, 0.3])


def test_what_cannot_be_is_refused():
    with pytest.raises(DataError, match="every class has a threshold"):
        policy(a=0.5, b=0.5, c=0.5)
    assert policy(reject=0.1, a=0.5, b=0.5, c=0.5).decisions(np.array([[0.4, 0.3, 0.3]])).rejected.all()
    with pytest.raises(DataError, match="too few to estimate"):
        policy().estimated(posteriors(0, 29))


def test_decisions_tell_what_they_rest_on():
    rows = posteriors(1)
    document = policy(b=0.4).estimated(rows).decisions(rows).to_json()
    assert document["thresholds"]["b"]["value"] == 0.4
    assert sum(document["prior"]["prior"]) == pytest.approx(1)
    assert not {"thresholds", "prior"} & set(policy().decisions(rows).to_json())
