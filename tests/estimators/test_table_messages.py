"""What the estimators of tables say when something is wrong, and how they show themselves."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mixed_table import columns

from priori import GaussianDiscriminant, NaiveBayes
from priori.errors import DataError, EstimateError, MergeError, NegativeCountError

X = np.arange(12.0).reshape(6, 2)
Y = ["a", "b"] * 3


def fitted():
    return NaiveBayes(columns="gaussian").fit(X, Y)


MISTAKES = {
    "y shorter": (lambda: fitted().fit(X, Y[:4]), DataError, "X has 6 rows and y has 4 labels; give one label"),
    "y longer": (lambda: fitted().learn(X, Y * 2), DataError, "X has 6 rows and y has 12 labels"),
    "y shorter to evaluate": (lambda: fitted().evaluate(X, Y[:3]), DataError, "X has 6 rows and y has 3 labels"),
    "no y": (lambda: fitted().fit(X, None), DataError, "the target y is None: learning needs a label for each row"),
    "no label": (lambda: fitted().fit(X, [None] * 6), DataError, "every label of y is missing"),
    "no rows": (lambda: fitted().fit(pd.DataFrame({"a": []}), []), DataError, "y has no labels"),
    "several labels": (lambda: fitted().fit(X, np.eye(6)), DataError, "the labels have 2 dimensions"),
    "a target": (lambda: fitted().fit(X, np.arange(6) / 7), DataError, "Unknown label type: continuous"),
    "an infinite target": (lambda: fitted().fit(X, np.full(6, np.inf)), DataError, "Input y contains infinity"),
    "other labels": (lambda: fitted().learn(X, [1] * 6), DataError, "labels are of type int, but str was learned"),
    "unknown family": (lambda: NaiveBayes(columns="bell").fit(X, Y), DataError, "no family 'bell'.*the families are"),
    "family of numbers": (
        lambda: NaiveBayes(columns={"job": "poisson"}).fit({"job": ["x"] * 6}, Y),
        DataError,
        "column 'job' holds string values, and poisson needs numbers; choose categorical or text",
    ),
    "text in a discriminant": (
        lambda: GaussianDiscriminant().fit({"job": ["x"] * 6}, Y),
        DataError,
        "column 'job' holds string values, and gaussian_joint needs numbers; leave it out",
    ),
    "a dict in a cell": (lambda: fitted().fit([[1, {}]] * 6, Y), TypeError, "column 'x1' has {} .dict., but a cell"),
    "unknown column": (
        lambda: NaiveBayes(columns={"no": None}).fit(X, Y),
        DataError,
        "no column 'no'; the columns are",
    ),
    "never learned": (lambda: fitted().forget(X[:1] + 99, ["a"]), NegativeCountError, "forgotten that were never"),
    "never learned, as many": (
        lambda: fitted().forget(X + 1, Y),
        NegativeCountError,
        "forgotten that were never learned",
    ),
    "category never learned": (
        lambda: NaiveBayes(columns="categorical").fit(X, Y).forget(X + 1, Y),
        NegativeCountError,
        "less than no times",
    ),
    "class never learned": (lambda: fitted().forget(X[:1], ["z"]), NegativeCountError, "class 'z' would have -1 rows"),
    "left out of no class": (lambda: fitted().leave_one_out(X[:1], ["z"]), DataError, "class 'z' was never learned"),
    "left out unlabelled": (lambda: fitted().leave_one_out(X[:1], [None]), DataError, "a row has no label"),
    "nothing left": (lambda: fitted().forget(X, Y).predict(X), EstimateError, "the model has no classes"),
    "costs": (lambda: fitted().set_params(cost=[[1, 2]]).predict(X), DataError, r"shape \(1, 2\) for 2 classes"),
    "costs of no class": (lambda: fitted().set_params(cost={"z": {"a": 1}}).predict(X), DataError, "'z', which is no"),
    "costs without truths": (lambda: fitted().set_params(cost={"a": 1}).predict(X), DataError, "the cost of 'a' is 1"),
    "costs in words": (lambda: fitted().set_params(cost=[["x"]]).predict(X), DataError, "no matrix of numbers"),
    "costs without end": (lambda: fitted().set_params(cost=[[0, np.inf], [1, 0]]).predict(X), DataError, "not finite"),
    "weights too few": (lambda: fitted().fit(X, Y, [1, 2]), DataError, "sample_weight has 2 numbers and y 6 labels"),
    "weights below zero": (lambda: fitted().fit(X, Y, [-1] * 6), DataError, "a weight is negative, not finite or over"),
    "weights missing": (
        lambda: fitted().fit(X, Y, [np.nan] * 6),
        DataError,
        "a weight is negative, not finite or over",
    ),
    "weights in columns": (lambda: fitted().fit(X, Y, [[1]] * 6), DataError, r"sample_weight has the shape \(6, 1\)"),
    "weights of zero": (lambda: fitted().fit(X, Y, [0] * 6), DataError, "at least one non-zero number"),
    "weights in words": (lambda: fitted().fit(X, Y, ["x"] * 6), DataError, "sample_weight holds what is no number"),
    "too few columns": (
        lambda: fitted().predict(X[:, :1]),
        DataError,
        "X has 1 features, but NaiveBayes is expecting 2",
    ),
    "one dimension": (lambda: fitted().predict(X[0]), ValueError, "Expected 2D array, got 1D array instead"),
    "sparse": (lambda: fitted().predict(sp.csr_array(X)), TypeError, "Sparse data was passed for X, but dense"),
    "infinite": (lambda: fitted().predict(X + np.inf), DataError, "column 'x0' has inf in row 1"),
    "other types": (lambda: fitted().predict([["k", "l"]]), DataError, "column 'x0' is of type string where real is"),
    "other columns": (lambda: fitted() + NaiveBayes(columns="gaussian").fit(X[:, :1], Y), MergeError, "differ in 'x1'"),
    "other families": (lambda: fitted() + NaiveBayes().fit(X, Y), MergeError, "another family"),
    "no estimator": (lambda: fitted() + 3, TypeError, "unsupported operand"),
    "prior of a class": (lambda: fitted().set_params(class_prior={"a": 1}).predict(X), DataError, "lacks 'b'"),
    "no such class": (lambda: fitted().explain(X[:1], "z"), DataError, "no class 'z'"),
    "sample": (lambda: fitted().sample(-1), DataError, "size=-1"),
    "constant": (
        lambda: NaiveBayes(columns="gaussian", estimate="ml").fit(np.ones((6, 1)), Y).predict([[1.0]]),
        EstimateError,
        "column 'x0': in a class the numbers are all equal.*; use estimate='bayes'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_cause(name):
    use, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message) as caught:
        use()
    if caught.type.__module__ == "priori.errors":
        assert "\n" not in str(caught.value)


def test_a_refused_change_changes_nothing():
    model = fitted()
    before = model.predict_proba(X)
    for name in ("never learned", "never learned, as many", "class never learned"):
        with pytest.raises(NegativeCountError):
            MISTAKES[name][0]()
    with pytest.raises(DataError):
        model.learn(X, Y[:3])
    with pytest.raises(NegativeCountError):
        model.forget(X + 1, Y)
    assert np.array_equal(model.predict_proba(X), before)


class Balance(HTMLParser):
    """Which elements are open, and what was said."""

    def __init__(self, text):
        super().__init__()
        self.open, self.said, self.seen = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


def test_the_card_of_a_model_names_its_classes_and_columns():
    table, labels = columns()
    table["<b>&"] = table.pop("age")
    model = NaiveBayes(alpha=0.5, cost=np.ones((3, 3)), columns={"income": "gaussian"})
    assert "not fitted" in model._repr_html_()
    card = Balance(model.fit(table, ["<i>" if label == "a" else label for label in labels])._repr_html_())
    assert not card.open
    assert "i" not in card.seen
    assert card.seen.count("table") == 2
    n = labels.count("a")
    at = card.said.index("<i>")
    assert card.said[at + 1 : at + 3] == [str(n), f"{n / 60:.1%}"]
    at = card.said.index("income")
    assert card.said[at + 1] == "gaussian"
    assert card.said[at + 2] == str(sum(cell is not None for cell in table["income"]))
    assert "<b>&" in card.said
    assert "alpha=0.5" in "".join(card.said)
    assert model._repr_mimebundle_()["text/html"] == model._repr_html_()


def test_a_card_of_many_columns_shows_some():
    model = GaussianDiscriminant().fit(np.arange(200.0).reshape(50, 4), [f"class {row % 40}" for row in range(50)])
    assert "and 10 more" in model._repr_html_()
    assert repr(model) == "<GaussianDiscriminant(): 40 classes, 50 rows, 4 columns>"
    assert "and 70 more" in NaiveBayes().fit(np.ones((2, 100)), [0, 1])._repr_html_()


def test_costs_decide():
    model = NaiveBayes().fit(X, Y)
    proba = model.predict_proba(X)
    model.set_params(cost={"a": {"b": 9}})
    # deciding a costs 9 p(b), deciding b costs p(a)
    assert model.predict(X).tolist() == ["a" if 9 * b < a else "b" for a, b in proba.tolist()]
    found = model.classify(X)
    assert found["label"].to_pylist() == model.predict(X).tolist()
    assert found["probability"].to_pylist() == [
        row["ab".index(k)] for row, k in zip(proba, model.predict(X), strict=True)
    ]
