"""Pictures of ranking, of leave-one-out and of candidates show the numbers they were given."""

import math

import numpy as np
import pytest
from sklearn import metrics

from pictures import curve, on_paper, said
from priori.decisions import Scorecard
from priori.errors import DataError
from priori.plots import leave_one_out_curve, new_figure, roc, save, selection, svg

ALPHAS = np.geomspace(1e-4, 10, 11)
LOSSES = 0.3 + np.log(ALPHAS / 0.03) ** 2 / 50


def ranked(labels, n=500, seed=2):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.3] * len(labels), size=n)
    truth = (rng.random((n, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)
    card = Scorecard(labels)
    card.add(p, [labels[k] for k in truth])
    return card.result(), p, truth


def drawn(draw, *arguments, width=5.5, height=5.0, **options):
    figure = new_figure(width, height)
    axes = figure.subplots()
    draw(axes, *arguments, **options)
    return figure, axes


def test_of_two_classes_the_curve_of_the_second_is_drawn_with_its_area():
    found, p, truth = ranked(["ham", "spam"])
    area = metrics.roc_auc_score(truth, p[:, 1])
    figure, axes = drawn(roc, found)
    x, y = curve(axes, f"spam  {area:.4f}")
    assert metrics.auc(x, y) == pytest.approx(area)
    assert f"area {area:.4f}" in said(figure) and "ham " not in said(figure)
    assert on_paper(figure)


def test_the_logarithmic_picture_has_what_a_threshold_can_reach():
    found, p, truth = ranked(["ham", "spam"])
    figure, axes = drawn(roc, found, low=True)
    x, y = curve(axes, f"spam  {found.auc:.4f}")
    allowed, reached, _ = metrics.roc_curve(truth, p[:, 1], drop_intermediate=False)
    for rate in (0.01, 0.1, 0.5):
        assert y[np.flatnonzero(x <= rate)[-1]] == reached[allowed <= rate].max()
    assert x.min() == axes.get_xlim()[0] == pytest.approx(0.5 / (truth == 0).sum())
    assert on_paper(figure)


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("count", [3, 8, 9, 30, 60])
def test_eight_classes_are_named_and_the_others_are_grey(count, low, tmp_path):
    labels = [f"$class_{k}" + "w" * k for k in range(count)]
    found, _, truth = ranked(labels)
    figure, axes = drawn(roc, found, low=low, height=6)
    save(figure, tmp_path / "a.png")
    names = [line.get_label() for line in axes.lines if not line.get_label().startswith("_")]
    assert len(names) == min(count, 9)
    others = "40 of 52 more" if count == 60 else f"{count - 8} more"
    assert (others in names) == (count > 8)
    largest = labels[np.bincount(truth, minlength=count).argmax()]
    assert names[0].split("  ")[0][:6] == largest[:6]
    assert len(axes.lines) == min(count, 48) + 1
    assert on_paper(figure)


def test_no_curve_is_said():
    card = Scorecard(["a", "b"])
    card.add(np.array([[0.5, 0.5]]), ["a"])
    figure, _ = drawn(roc, card.result())
    assert "no curve" in said(figure)


def test_the_leave_one_out_curve_has_its_points_and_a_ring_at_the_chosen_alpha():
    order = np.random.default_rng(0).permutation(len(ALPHAS))
    figure, axes = drawn(leave_one_out_curve, ALPHAS[order], LOSSES[order], float(ALPHAS[5]))
    x, y = curve(axes, "each document left out")
    np.testing.assert_array_equal(x, ALPHAS)
    np.testing.assert_array_equal(y, LOSSES)
    (at,), (loss,) = curve(axes, "_chosen")
    assert (at, loss) == (ALPHAS[5], pytest.approx(LOSSES[5]))
    assert f"alpha {ALPHAS[5]:.3g}\n{LOSSES[5]:.4f} nats" in said(figure)
    assert axes.get_xscale() == "log"
    assert on_paper(figure)


def test_the_ring_is_on_the_calibrated_curve_where_there_is_one():
    figure, axes = drawn(leave_one_out_curve, ALPHAS, LOSSES + 5, 0.02, calibrated=LOSSES, noun="row")
    assert curve(axes, "_chosen")[1][0] == pytest.approx(np.interp(np.log(0.02), np.log(ALPHAS), LOSSES))
    np.testing.assert_array_equal(curve(axes, "raw")[1], LOSSES + 5)
    assert "nats per row" in said(figure)
    assert on_paper(figure)


@pytest.mark.parametrize(
    ("alphas", "losses", "chosen"),
    [([1.0], [0.5], 1.0), ([0.1, 1.0], [math.inf, 0.2], 1.0), ([0.5, 0.7], [3.0, 3.0], 0.5), ([0.1], [math.inf], 0.1)],
)
def test_short_flat_and_infinite_curves_can_be_drawn(alphas, losses, chosen, tmp_path):
    figure, _ = drawn(leave_one_out_curve, alphas, losses, chosen)
    save(figure, tmp_path / "a.png")
    assert on_paper(figure)


def test_losses_far_above_the_valley_are_named_and_not_drawn():
    losses = LOSSES.copy()
    losses[0] = LOSSES.max() + 100
    figure, axes = drawn(leave_one_out_curve, ALPHAS, losses, float(ALPHAS[5]))
    x, y = curve(axes, "each document left out")
    np.testing.assert_array_equal(x, ALPHAS[1:])
    assert y.max() <= axes.get_ylim()[1]  # nothing runs out of its frame
    assert f"far above: alpha {ALPHAS[0]:.3g}" in said(figure)
    assert on_paper(figure)
    found, losses = [0.01, 0.1, 0.11, 0.13, 1.0], np.array([0.043, 0.0403, 0.0402, 0.0402, 0.0427])  # of a search
    _, axes = drawn(leave_one_out_curve, found, losses, 0.13)
    np.testing.assert_array_equal(curve(axes, "each document left out")[1], losses)
    assert losses.max() <= axes.get_ylim()[1]


def test_a_curve_without_a_logarithm_is_refused():
    with pytest.raises(DataError, match="logarithmic axis"):
        drawn(leave_one_out_curve, [0.0, 1.0], [1.0, 1.0], 1.0)
    with pytest.raises(DataError, match="one loss for each alpha"):
        drawn(leave_one_out_curve, [1.0], [1.0, 2.0], 1.0)


def test_candidates_stand_best_first_with_their_errors():
    names, values, errors = ["c", "a", "b"], [0.5, 0.3, 0.4], [0.02, 0.01, 0.05]
    figure, axes = drawn(selection, names, values, errors, ["x", "y", "x"])
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b", "c"]
    bars = [container.lines for container in axes.containers]
    assert [line.get_xdata()[0] for line, _, _ in bars] == [0.3, 0.4, 0.5]
    ends = [bar.get_paths()[0].vertices[:, 0].tolist() for _, _, (bar,) in bars]
    np.testing.assert_allclose(ends, [[0.29, 0.31], [0.35, 0.45], [0.48, 0.52]])
    assert {"0.300", "0.400", "0.500"} <= set(said(figure).split("\n"))
    assert on_paper(figure)


@pytest.mark.parametrize("count", [1, 2, 24, 60])
def test_any_number_of_candidates_stays_on_paper_and_infinite_ones_are_last(count, tmp_path):
    rng = np.random.default_rng(count)
    values = [*rng.gamma(2, 0.1, count - 1).tolist(), math.inf]
    names = ["$model_" + "w" * k for k in range(count)]
    figure, axes = drawn(selection, names, values, [0.01] * count, [f"group {k % 7}" for k in range(count)], height=7)
    save(figure, tmp_path / "a.png")
    assert len(axes.get_yticklabels()) == min(count, 24)
    assert ("∞" in said(figure)) == (count <= 24)
    assert (f"{count - 24} more" in said(figure)) == (count > 24)
    assert on_paper(figure)


def test_candidates_without_a_rank_are_refused():
    with pytest.raises(DataError, match="not a number"):
        drawn(selection, ["a"], [math.nan])
    with pytest.raises(DataError, match="lists alike"):
        drawn(selection, ["a"], [1.0, 2.0])


def test_pictures_inside_a_page_do_not_share_the_names_of_their_parts():
    found, _, _ = ranked(["ham", "spam"])
    first, second = (svg(drawn(roc, found)[0], name) for name in ("a", "b"))
    assert first.startswith("<svg") and first != second
    assert first == svg(drawn(roc, found)[0], "a")
