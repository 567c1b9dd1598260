"""Pictures of techniques show the numbers of the comparison."""

from dataclasses import replace

import numpy as np

from pictures import curve, on_paper, said
from priori.plots import save, technique_figure
from priori.select.learning_curves import Scores
from priori.select.method_curves import TechniqueCurve, TechniqueCurves


def scores(values, repeats=3):
    return Scores(np.array(values) + np.linspace(-0.01, 0.01, repeats)[:, None])


def compared():
    nothing = scores([0.0, 0.0])
    ml = TechniqueCurve(
        "relative frequencies", True, (5, None), scores([0.5, 0.8]), nothing, nothing, scores([np.inf, np.inf])
    )
    more = scores([0.0, 0.0, 0.0])
    em = TechniqueCurve("EM", False, (0, 5, None), scores([0.7, 0.8, 0.9]), more, more, scores([np.inf, 0.4, 0.2]))
    return TechniqueCurves((0, 5, None), 3, 100, ("a", "b"), (ml, em), ())


def test_the_curves_are_the_means_at_their_sizes(tmp_path):
    found = compared()
    figure = technique_figure(found, "mail.csv")
    save(figure, tmp_path / "a.png")
    left, right = figure.axes
    x, y = curve(left, "relative frequencies")
    assert x.tolist() == [1, 2]
    np.testing.assert_array_equal(y, found["relative frequencies"].accuracy.mean)
    assert curve(right, "relative frequencies") is None
    x, y = curve(right, "EM")
    assert x.tolist() == [1, 2]  # at no labels it is infinite
    np.testing.assert_array_equal(y, found["EM"].log_loss.mean[1:])
    assert [tick.get_text() for tick in left.get_xticklabels()] == ["0", "5", "all"]
    assert "not drawn there: relative frequencies; EM" in said(figure)
    assert on_paper(figure)


def test_a_curve_that_leaves_the_picture_is_marked_and_told():
    flat = scores([0.5, 0.5, 0.5])
    far = TechniqueCurve("Bayesian, integrated", True, (0, 5, None), flat, flat, flat, scores([300.0, 9.0, 0.3]))
    near = TechniqueCurve("Gibbs", False, (0, 5, None), flat, flat, flat, scores([0.3, 0.2, 0.1]))
    figure = technique_figure(TechniqueCurves((0, 5, None), 3, 100, ("a", "b"), (far, near), ()))
    left, right = figure.axes
    assert right.get_ylim()[1] < 2
    marks = [line.get_xdata() for line in right.lines if line.get_marker() == "^"]
    assert [x.tolist() for x in marks] == [[0.0], [1.0]] and not [
        line for line in left.lines if line.get_marker() == "^"
    ]
    assert "▲ goes on above the picture: Bayesian, integrated" in said(figure) and "Gibbs;" not in said(figure)
    assert on_paper(figure)


def test_two_repeats_have_no_bars_and_all_names_stand_in_one_legend():
    three = technique_figure(compared())
    two = technique_figure(replace(compared(), repeats=2))
    assert "± 2 standard errors" in said(three) and "± 2 standard errors" not in said(two)
    assert [len(axes.collections) for axes in two.axes] == [0, 0] and three.axes[0].collections
    (legend,) = three.legends
    assert [text.get_text() for text in legend.get_texts()] == ["relative frequencies", "EM", "guessing"]
    assert not [axes for axes in three.axes if axes.get_legend()]
