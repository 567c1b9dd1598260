"""Pictures of learning curves show the numbers of the comparison."""

import numpy as np
import pytest

from pictures import curve, on_paper, said
from priori.plots import learning_curves, learning_figure, new_figure, save
from priori.select.learning_curves import LearnerComparison, LearningCurve, Scores, about

SIZES = (4, 16, 64, 256, 1024)


def compared(repeats=4, classes=("a", "b"), optimum=(0.9, 0.0)):
    rng = np.random.default_rng(0)

    def scores(mean):
        return Scores(np.array(mean) + rng.normal(0, 0.005, (repeats, len(mean))))

    ours = LearningCurve(
        "naive Bayes", True, scores([0.6, 0.7, 0.75, 0.78, 0.79]), scores([50, 0.9, 0.5, 0.4, 0.4]), None
    )
    rival = LearningCurve("logistic", False, scores([0.5, 0.6, 0.74, 0.8, 0.88]), scores([1, 0.8, 0.5, 0.3, 0.2]), None)
    squares = LearningCurve("least squares", False, scores([0.5, 0.6, 0.7, 0.8, 0.8]), None, None)
    return LearnerComparison(SIZES, repeats, 100, classes, (ours, rival, squares), (), optimum)


def test_the_curves_are_the_means_and_the_crossing_is_on_them(tmp_path):
    found = compared()
    figure = learning_figure(found, "adult.csv")
    save(figure, tmp_path / "a.png")
    left, right = figure.axes
    for learner in found.curves:
        x, y = curve(left, learner.name)
        assert tuple(x) == SIZES
        np.testing.assert_array_equal(y, learner.accuracy.mean)
    assert curve(right, "least squares") is None
    crossing = found.crossing("naive Bayes", "logistic")
    (x,), (y,) = curve(left, "logistic overtakes naive Bayes for good")
    assert x == pytest.approx(crossing.size)
    for name in ("naive Bayes", "logistic"):
        assert y == pytest.approx(np.interp(np.log(x), np.log(SIZES), found[name].accuracy.mean), rel=1e-9)
    assert about(crossing.size) in said(figure) and figure.get_suptitle() == "adult.csv"
    assert set(curve(left, "Bayes-optimal")[1]) == {0.9}
    assert on_paper(figure)


def test_bands_are_two_standard_errors():
    found = compared()
    axes = new_figure(6, 5).subplots()
    learning_curves(axes, found)
    points = axes.collections[0].get_paths()[0].vertices
    scores = found.curves[0].accuracy
    expected = scores.values.std(axis=0, ddof=1) / np.sqrt(len(scores.values))
    for x, mean, error in zip(SIZES, scores.mean, expected, strict=True):
        at = points[points[:, 0] == x][:, 1]
        assert (at.min(), at.max()) == pytest.approx((mean - 2 * error, mean + 2 * error))


def test_a_loss_beyond_twice_guessing_leaves_the_picture():
    axes = new_figure(6, 5).subplots()
    learning_curves(axes, compared(), "log_loss")
    low, high = axes.get_ylim()
    assert low < 0.3
    assert high < 2 * np.log(2) + 0.2


def test_one_repeat_and_infinite_losses_can_be_drawn(tmp_path):
    found = compared(repeats=1, optimum=None)
    infinite = LearningCurve("x", False, found.curves[0].accuracy, Scores(np.full((1, 5), np.inf)), None)
    figure = learning_figure(LearnerComparison(SIZES, 1, 10, ("a", "b"), (*found.curves, infinite), ()))
    save(figure, tmp_path / "a.svg")
    assert "repeat" not in said(figure)
    assert on_paper(figure)
