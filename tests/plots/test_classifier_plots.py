"""Boundaries and densities of table models, against scipy and the algebra of Gaussian discriminant analysis."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

from pictures import curve, on_paper, said
from priori.errors import DataError
from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.naive_bayes import NaiveBayes
from priori.plots import decision_boundary, densities, new_figure, save


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer()
    return data.data[:, :3], np.where(data.target == 1, "benign", "malignant")


def contours(axes, width):
    """Points of the lines of a width."""
    found = [c for c in axes.collections if hasattr(c, "get_paths") and width in np.round(c.get_linewidths(), 3)]
    return np.concatenate([path.vertices for c in found for path in c.get_paths() if len(path.vertices)])


def test_densities_of_one_column_are_gaussians_and_their_posterior_is_the_sigmoid(tumours, tmp_path):
    X, y = tumours
    model = GaussianDiscriminant(estimate="ml").fit(X[:, :1], y)
    figure = new_figure(7, 5)
    axes = figure.subplots()
    densities(axes, model, X=X[:, :1], y=y)
    save(figure, tmp_path / "a.png")
    deviation = float(np.sqrt(np.ravel(model.covariances_)[0]))
    for k, name in enumerate(("benign", "malignant")):
        x, height = curve(axes, f"p(x | {name}) p({name})")
        share = (y == name).mean()
        np.testing.assert_allclose(height, share * stats.norm(model.means_[k, 0], deviation).pdf(x), rtol=1e-8)
    weights, intercept = model.to_logistic().binary()
    twin = figure.axes[1]
    x, p = twin.lines[0].get_data()
    np.testing.assert_allclose(p, expit(weights[0] * x + intercept), rtol=1e-8)
    (threshold,) = [line.get_xdata()[0] for line in axes.lines if len(set(line.get_xdata())) == 1]
    assert threshold == pytest.approx(-intercept / weights[0], rel=1e-9)
    assert f"{threshold:.2f}" in said(figure)
    assert on_paper(figure)


def test_the_boundary_of_two_gaussians_of_one_covariance_is_a_line(tumours):
    X, y = tumours
    model = GaussianDiscriminant().fit(X[:, :2], y)
    figure = new_figure(7, 5.6)
    axes = figure.subplots()
    decision_boundary(axes, model, X[:, :2], y)
    weights, intercept = model.to_logistic().binary()
    line = contours(axes, 1.8)
    # a line between places of the grid is straight where the sigmoid is; its error is of second order in their distance
    off = (line @ weights + intercept) / np.linalg.norm(weights)
    assert np.abs(off).max() < 0.01 * np.ptp(X[:, 0])
    levels = contours(axes, 0.6) @ weights + intercept
    expected = np.log([3, 9, 99])
    assert np.abs(np.abs(levels)[:, None] - expected).min(axis=1).max() < 0.1
    assert {"benign", "malignant", "x0", "x1"} <= set(said(figure).split("\n"))
    assert on_paper(figure)


def test_other_columns_are_integrated_out(tumours):
    """Naive Bayes of three columns, asked of two, is naive Bayes of the two; and a Gaussian's marginal is Gaussian."""
    X, y = tumours
    for of_three, of_two in (
        tuple(NaiveBayes(columns="gaussian", temper=1).fit(X[:, :d], y) for d in (3, 2)),
        (GaussianDiscriminant(estimate="ml").fit(X, y), GaussianDiscriminant(estimate="ml").fit(X[:, :2], y)),
    ):
        pictures = []
        for model, given in ((of_three, X), (of_two, X[:, :2])):
            axes = new_figure(7, 5.6).subplots()
            decision_boundary(axes, model, given, y, ("x0", "x1"))
            pictures.append(axes.images[0].get_array())
        np.testing.assert_allclose(pictures[0], pictures[1], atol=1e-6)


def test_any_estimator_with_probabilities_has_a_boundary(tumours):
    X, y = tumours
    figure = new_figure(7, 5.6)
    decision_boundary(figure.subplots(), LogisticRegression(max_iter=1000).fit(X[:, :2], y), X[:, :2], y)
    assert on_paper(figure)
    with pytest.raises(DataError, match="cannot draw rows"):
        decision_boundary(new_figure(7, 5).subplots(), LogisticRegression(max_iter=1000).fit(X[:, :2], y))
    with pytest.raises(DataError, match="has no densities"):
        densities(new_figure(7, 5).subplots(), LogisticRegression(max_iter=1000).fit(X[:, :2], y), "x0")


def test_three_classes_and_thresholds_between_them(tmp_path):
    iris = load_iris()
    names = [str(iris.target_names[k]) for k in iris.target]
    model = GaussianDiscriminant(covariance="full").fit(iris.data, names)
    figure = new_figure(12, 5)
    left, right = figure.subplots(1, 2)
    decision_boundary(left, model, iris.data, names, ("x2", "x3"))
    densities(right, model, "x2", iris.data, names)
    save(figure, tmp_path / "iris.svg")
    assert "2 other columns integrated out" in said(figure)
    thresholds = [line.get_xdata()[0] for line in right.lines if len(line.get_xdata()) == 2]
    assert len(thresholds) == 2
    for place in thresholds:
        rows = np.array([[place if j == 2 else np.nan for j in range(4)]])
        top, second = np.sort(model.predict_proba(rows)[0])[::-1][:2]
        assert top == pytest.approx(second, abs=1e-9)
    assert on_paper(figure)


def test_counts_are_asked_at_whole_numbers_only():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    counts = rng.poisson(np.array([[2, 5], [5, 6]])[y])
    table = {"goals": counts[:, 0], "shots": counts[:, 1]}
    model = NaiveBayes(columns="poisson", estimate="ml").fit(table, y)
    figure = new_figure(12, 5)
    left, right = figure.subplots(1, 2)
    decision_boundary(left, model, columns=("goals", "shots"))
    densities(right, model, "goals", table, y)
    x, height = curve(right, "p(x | 1) p(1)")
    assert (x == np.rint(x)).all()
    np.testing.assert_allclose(
        height, (y == 1).mean() * stats.poisson(counts[y == 1, 0].mean()).pmf(x), rtol=1e-8, atol=1e-12
    )
    assert on_paper(figure)


def test_bins_are_drawn_as_steps_that_hold_all_probability(tumours):
    X, y = tumours
    model = NaiveBayes().fit(X, y)
    axes = new_figure(7, 5).subplots()
    densities(axes, model, "x0")
    total = 0.0
    for patch in axes.patches:
        if patch.get_label().startswith("p(x"):
            heights, edges, _ = patch.get_data()
            total += heights @ np.diff(edges)
    assert total == pytest.approx(1, abs=0.02)  # but for buckets never seen, and those beyond the rows that were drawn


@pytest.mark.parametrize(
    ("columns", "said"),
    [(("x0",), "two columns"), (("x0", "x0"), "two columns"), (("x0", "x9"), "no column 'x9'"), (None, "two columns")],
)
def test_boundaries_need_two_columns(tumours, columns, said):
    model = GaussianDiscriminant().fit(*tumours)
    with pytest.raises(DataError, match=said):
        decision_boundary(new_figure(5, 5).subplots(), model, *tumours, columns)


def test_what_cannot_be_drawn_is_refused(tumours):
    X, y = tumours
    axes = new_figure(5, 5).subplots()
    mixed = NaiveBayes().fit({"a": X[:, 0], "b": ["u", "v", "w"] * 189 + ["u"] * 2}, y)
    with pytest.raises(DataError, match="needs columns of numbers"):
        decision_boundary(axes, mixed, {"a": X[:, 0], "b": X[:, 1]}, y, ("a", "b"))
    with pytest.raises(DataError, match="name the one to draw"):
        densities(axes, mixed)
    model = GaussianDiscriminant().fit(X[:, :2], y)
    with pytest.raises(DataError, match="give one for each"):
        decision_boundary(axes, model, X[:, :2], y[:5])
    with pytest.raises(DataError, match="give one for each"):
        densities(axes, model, "x0", X[:, :2])
    many = GaussianDiscriminant().fit(X[:70, :2], np.repeat(np.arange(7), 10))
    with pytest.raises(DataError, match="7 classes"):
        decision_boundary(axes, many, X[:70, :2], np.repeat(np.arange(7), 10))


def test_the_same_model_is_the_same_picture(tumours, tmp_path):
    X, y = tumours
    model = GaussianDiscriminant().fit(X[:, :2], y)
    for name in ("1.svg", "2.svg"):
        figure = new_figure(7, 5)
        decision_boundary(figure.subplots(), model)
        save(figure, tmp_path / name)
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def test_powers_and_holes_of_other_columns_are_not_drawn():
    """A column whose twin took its power, and a hole that tells the class: of one column alone they are no matter."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    x = rng.normal(y * 3.0, 1.0)
    table = {"a": x, "twin": x, "hole": np.where(y == 1, np.nan, 1.0)}
    model = NaiveBayes(columns="gaussian", missing="evidence").fit(table, y)
    axes = new_figure(7, 5).subplots()
    densities(axes, model, "a")
    single = NaiveBayes(columns="gaussian", temper=1).fit({"a": x}, y)
    (threshold,) = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
    assert single.predict_proba({"a": [threshold]})[0, 1] == pytest.approx(0.5, abs=1e-6)
    assert model.missing == "evidence"
