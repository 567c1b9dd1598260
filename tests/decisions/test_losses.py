"""Losses: what they may look like, against every decision tried; and the estimators that decide by them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.estimators import naive_bayes
from priori import Loss
from priori.decisions import Scorecard
from priori.errors import DataError
from priori.estimators.naive_bayes import NaiveBayes

LABELS = ["a", "b", "c"]
prices = st.integers(-20, 20)


@given(data=st.data(), size=st.integers(1, 4), rows=st.integers(0, 5))
def test_the_decision_is_the_cheapest_of_all(data, size, rows):
    """In whole numbers, so that ties are ties: the first of them is taken."""
    costs = np.array(data.draw(st.lists(prices, min_size=size**2, max_size=size**2)), float).reshape(size, size)
    chances = np.array(data.draw(st.lists(st.integers(0, 9), min_size=rows * size, max_size=rows * size)), float)
    posterior = chances.reshape(rows, size)
    loss = Loss.of(costs.tolist(), [str(k) for k in range(size)])
    for row, decision, losses in zip(posterior, loss.best(posterior), loss.expected(posterior), strict=True):
        expected = [sum(costs[d, c] * row[c] for c in range(size)) for d in range(size)]
        assert losses.tolist() == expected
        assert decision == min(range(size), key=lambda d: expected[d])


@given(given=st.dictionaries(st.sampled_from(LABELS), st.dictionaries(st.sampled_from(LABELS), prices)))
def test_what_a_mapping_does_not_name_costs_nothing_if_right_and_one_if_wrong(given):
    loss = Loss.of(given, LABELS)
    assert loss.actions == loss.labels == tuple(LABELS)
    for d, decision in enumerate(LABELS):
        for c, truth in enumerate(LABELS):
            assert loss.matrix[d, c] == given.get(decision, {}).get(truth, float(d != c))


def test_nothing_is_the_loss_of_one_for_a_wrong_answer():
    assert Loss.of(None, LABELS).matrix.tolist() == Loss.of({}, LABELS).matrix.tolist() == (1 - np.eye(3)).tolist()


def test_mapping_matrix_and_loss_say_the_same():
    matrix = Loss.of({"b": {"a": 10, "b": -1}}, LABELS).matrix
    for same in (matrix, matrix.tolist(), Loss(LABELS, LABELS, matrix)):
        np.testing.assert_array_equal(Loss.of(same, LABELS).matrix, matrix)
    assert matrix.tolist() == [[0, 1, 1], [10, -1, 1], [1, 1, 0]]


def test_a_decision_that_is_no_label_is_a_further_action():
    loss = Loss.of({"aside": {"c": 3, "a": 1, "b": 2}, "reject": 0.5, "a": {"b": 7}}, LABELS)
    assert loss.actions == ("a", "b", "c", "aside", "reject")
    assert loss.matrix.tolist() == [[0, 7, 1], [1, 0, 1], [1, 1, 0], [1, 2, 3], [0.5, 0.5, 0.5]]
    assert loss.rejects.tolist() == [False, False, False, False, True]


def test_to_refuse_may_cost_more_for_some_classes():
    loss = Loss.of({"reject": {"a": 0.1, "b": 0.2, "c": 0.3}}, LABELS)
    assert loss.matrix[3].tolist() == [0.1, 0.2, 0.3]
    assert loss.rejects.tolist() == [False, False, False, True]


def test_a_class_called_reject_is_a_class():
    loss = Loss.of({"reject": {"a": 7}}, ["a", "reject"])
    assert loss.matrix.tolist() == [[0, 1], [7, 0]]
    assert not loss.rejects.any()


def test_a_loss_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Loss.of(None, LABELS).matrix[0, 0] = 1


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], ["0", "1"], np.array([0, 1])], ids=str)
@pytest.mark.parametrize("name", [int, float, str, np.int64])
def test_labels_are_named_as_they_are_or_by_their_text(labels, name):
    if name is float and isinstance(labels[0], str):
        pytest.skip("'0.0' is another text than '0'")
    key = name if name is not str else lambda k: str(labels[k])
    np.testing.assert_array_equal(Loss.of({key(1): {key(0): 7}}, labels).matrix, [[0, 1], [7, 0]])


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), Fraction(2)], ids=repr)
def test_costs_are_numbers_of_any_kind(value):
    assert Loss.of({"a": {"b": value}}, "ab").with_reject(value).matrix.tolist() == [[0, 2], [1, 0], [2, 2]]


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ({"d": {"a": 1}}, "the costs name 'd', which is no class; the classes are .* give that for 'b'"),
        ({"a": {"d": 1}}, "the costs name 'd', which is no class; the classes are"),
        ({"a": 3}, "the cost of 'a' is 3; give"),
        ({"a": {"b": float("nan")}}, "a cost is not finite"),
        ({"a": {"b": 10**400}}, "the cost of 'a' where it is 'b' is too large; give numbers up to 1e[+]300"),
        ({"a": {"b": 1e308}}, r"a cost of 1e\+308 is too large; give numbers up to 1e\+300"),
        ({"a": {"b": -1e308}}, r"a cost of 1e\+308 is too large"),
        ({"reject": -0.5}, "the cost of 'reject' is -0.5, so refusing would be a gain; give a number from 0"),
        ({"a": {"b": "much"}}, "the cost of 'a' where it is 'b' is 'much', no number"),
        ({"a": {"b": None}}, "the cost of 'a' where it is 'b' is None"),
        ({"a": {"b": "1"}}, "the cost of 'a' where it is 'b' is '1', no number"),
        ({"a": {"b": True}}, "the cost of 'a' where it is 'b' is True, no number"),
        ({"reject": "dear"}, "the cost of 'reject' is 'dear', no number"),
        ({"reject": float("inf")}, "a cost is not finite"),
        ([[0, 1], [1, 0]], r"of shape \(2, 2\) for 3 classes"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, np.inf]], "a cost is not finite"),
        ([[0, 1], [1]], "no matrix of numbers"),
        ("costs", "no matrix of numbers"),
        (7, r"of shape \(\) for 3 classes"),
        (Loss.of(None, "ab"), "the loss is about the classes"),
    ],
    ids=str,
)
def test_what_a_loss_cannot_be(loss, words):
    with pytest.raises(DataError, match=words) as found:
        Loss.of(loss, LABELS)
    assert "\n" not in str(found.value)


def test_a_cost_is_given_once():
    with pytest.raises(DataError, match="the cost of '0' where it is 1 is given twice"):
        Loss.of({0: {1: 7}, "0": {1: 8}}, [0, 1])
    with pytest.raises(DataError, match="the loss has the action 'reject' already"):
        Loss.of({"reject": 1}, LABELS).with_reject(1)
    with pytest.raises(DataError, match="a class is called 'reject'"):
        Loss.of(None, ["a", "reject"]).with_reject(1)


@pytest.mark.parametrize("labels", [[], ["a", "a"], [0, False]], ids=str)
def test_classes_are_distinct(labels):
    with pytest.raises(DataError, match="give one or more, and none twice"):
        Loss.of(None, labels)


TOML = """
reject = 0.5

[spam]
ham = 10

[quarantine]
ham = 2
spam = 0.1
"""


def test_a_file_says_what_a_mapping_says(tmp_path):
    path = tmp_path / "loss.toml"
    path.write_text(TOML)
    loss = Loss.from_toml(path, ["ham", "spam"])
    assert loss.actions == ("ham", "spam", "quarantine", "reject")
    assert loss.matrix.tolist() == [[0, 1], [10, 0], [2, 0.1], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[spam]\negg = 1", "the costs name 'egg', which is no class"),
        ("[spam]\nham = '1'", "is '1', no number"),
        ("[aside]\nham = 1", "give that for 'spam'"),
        ("spam = 1", "the cost of 'spam' is 1; give"),
        ("reject = nan", "a cost is not finite"),
        ("reject = true", "is True, no number"),
        ("[spam", "cannot be read"),
    ],
)
def test_what_a_file_cannot_say(tmp_path, text, words):
    path = tmp_path / "loss.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=words) as found:
        Loss.from_toml(path, ["ham", "spam"])
    assert str(found.value).startswith(f"the loss file {path}")
    assert "\n" not in str(found.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        Loss.from_toml(tmp_path / "none.toml", LABELS)


def test_an_estimator_decides_by_its_costs():
    table, y = {"c": ["x", "x", "x", "y"]}, ["no", "no", "yes", "yes"]
    model = NaiveBayes(temper=1).fit(table, y)
    assert model.predict({"c": ["x"]}).tolist() == ["no"]
    chance = model.predict_proba({"c": ["x"]})[0, 1]
    for price, expected in ((0.99 * chance / (1 - chance), "yes"), (1.01 * chance / (1 - chance), "no")):
        # a wrong yes costs the price times 1 - chance, a wrong no costs the chance
        assert model.set_params(cost={"yes": {"no": price}}).predict({"c": ["x"]}).tolist() == [expected]


def test_costs_decide_between_numbers():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    dear = naive_bayes(columns="gaussian", cost={1: {0: 1e9}}).fit(X, [0.0, 0.0, 1.0, 1.0])
    assert dear.predict(X).tolist() == [0.0] * 4


def test_an_estimator_predicts_classes_only():
    model = NaiveBayes(cost={"reject": 0.1}).fit({"c": ["x", "y"]}, ["no", "yes"])
    with pytest.raises(DataError, match=r"the costs name 'reject', which is no class to predict; use \.decide"):
        model.predict({"c": ["x"]})


def mirrored(rng, rows):
    """Probabilities that read the same from behind, and a loss of which two actions mirror each other: ties, all."""
    halves = rng.random((rows, 4))
    posterior = np.concatenate([halves, halves[:, 2::-1]], axis=1)
    costs = rng.random(7)
    return posterior / posterior.sum(axis=1, keepdims=True), np.array([costs, costs[::-1], *np.full((5, 7), 2.0)])


def test_ties_fall_alike_in_every_batch():
    posterior, matrix = mirrored(np.random.default_rng(0), 500)
    loss = Loss.of(matrix, "abcdefg")
    together = loss.best(posterior)
    assert set(together.tolist()) == {0, 1}  # rounding decides
    for size in (1, 3, 64):
        parts = [loss.best(posterior[at : at + size]) for at in range(0, len(posterior), size)]
        assert (np.concatenate(parts) == together).all()
    assert (loss.best(np.asfortranarray(posterior)) == together).all()


def test_evaluation_decides_as_the_loss_does():
    posterior, matrix = mirrored(np.random.default_rng(1), 300)
    card = Scorecard(tuple("abcdefg"), matrix)
    card.add(posterior, ["a"] * len(posterior), None)
    best = Loss.of(matrix, "abcdefg").best(posterior)
    assert card.result().cost == pytest.approx(matrix[best, 0].mean(), rel=1e-12)


def test_a_negative_cost_is_a_gain():
    loss = Loss.of({"spam": {"spam": -3}}, ["ham", "spam"])
    p = np.array([[0.8, 0.2], [0.9, 0.1]])
    np.testing.assert_allclose(loss.expected(p), [[0.2, 0.8 - 3 * 0.2], [0.1, 0.9 - 3 * 0.1]], rtol=1e-15)
    assert loss.best(np.array([[0.7, 0.3], [0.9, 0.1]])).tolist() == [1, 0]
