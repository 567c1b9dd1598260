"""Pictures of estimates show the very densities of scipy, with their marks where the estimates are."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.text import Text
from scipy import stats

import priori
from pictures import curve, on_paper, said
from priori.errors import EstimateError
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaPoisson,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
)
from priori.plots import estimate_figure, new_figure, save
from priori.plots.parameter_panel import Marginal, parameter

TORONTO = [-2.5, -9.9, -12.1, -8.9, -6.0, -4.8, 2.4]
HEADS = [1] * 55 + [0] * 45
RNG = np.random.default_rng(7)
WORDS = [f"value {k}" for k in RNG.integers(0, 12, 200)]
ROWS = RNG.multinomial(10, [0.2, 0.5, 0.3], 30)
CASES = {
    "bernoulli": (BetaBernoulli(2, 3), HEADS),
    "categorical": (DirichletCategorical([2, 3, 4], ("a", "b", "c")), list("abacab")),
    "many categories": (DirichletCategorical(0.5, [f"value {k}" for k in range(12)]), WORDS),
    "very many categories": (DirichletCategorical(2, [f"v{k}" for k in range(60)]), [f"v{k}" for k in range(60)]),
    "multinomial": (DirichletMultinomial([2, 3, 4], ("a", "b", "c")), ROWS),
    "poisson": (GammaPoisson(2.5, 0.5), [3, 1, 4, 1, 5]),
    "large counts": (GammaPoisson(2.5, 0.5), RNG.poisson(3000, 300)),
    "exponential": (GammaExponential(2.5, 3), [0.3, 2.1, 1.7]),
    "normal": (NormalInverseGamma(-5, 2, 3, 40), TORONTO),
    "known variance": (NormalKnownVariance(25, 1, 49), TORONTO),
    "flat normal": (NormalInverseGamma(0, 0, -1.5, 0), TORONTO),
    "flat rate": (GammaPoisson(1, 0), [2, 5]),
    "one number": (NormalInverseGamma(0, 1, 2, 3), [4.2]),
    "equal numbers": (NormalInverseGamma(0, 1, 2, 3), [4.2] * 6),
    "no parameter": (DirichletCategorical(1, ("a",)), ["a", "a"]),
    "pole": (BetaBernoulli(0.5, 0.5), [1] * 5),
    "missing": (GammaPoisson(2.5, 0.5), [3, None, 4]),
    "offset": (NormalInverseGamma(1e8, 0.1, 2, 3), 1e8 + RNG.normal(size=50)),
    "wide prior": (NormalInverseGamma(0, 1e-9, 0.01, 0.01), TORONTO),
    "tiny": (GammaExponential(1.5, 1e-9), RNG.exponential(3e-9, 50)),
    "two columns": (NormalInverseWishart([5, -3], 2, 5, [[4.0, 2.4], [2.4, 1.9]]), RNG.normal([5, -2], 2, (40, 2))),
    "three columns": (NormalInverseWishart([5, -3, 0], 2, 6, np.diag([4.0, 2.4, 1.0])), RNG.normal(5, 2, (40, 3))),
    "no data, hardly a prior": (NormalInverseGamma(0, 1, 0.02, 0.5), []),
    "improper": (NormalInverseGamma(0, 0, -1.5, 0), [1.0, 2.0]),
}  # fmt: skip


def drawn(prior, data, **options):
    return estimate_figure(priori.estimate(type(prior), data, prior, **options), data)


@pytest.mark.parametrize("case", CASES)
def test_every_family_is_drawn_on_the_paper_and_no_text_on_another(case):
    figure = drawn(*CASES[case])
    assert on_paper(figure)  # warnings are errors here
    for axes in figure.axes:
        assert all(np.isfinite([*axes.get_xlim(), *axes.get_ylim()]))
        labels = [tick.get_text() for tick in axes.get_xticklabels()]
        assert len(set(labels)) == len(labels) >= 2
        assert all(len(label) <= 10 for label in labels)
        for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
            assert not any(a.overlaps(b) for a, b in itertools.pairwise(tick.get_window_extent() for tick in ticks))
        title, *notes = (text.get_window_extent() for text in (axes.title, *axes.texts))
        assert not any(title.overlaps(note) for note in notes)
        if axes.get_legend() is not None:
            assert axes.get_legend().get_window_extent().y1 <= axes.xaxis.label.get_window_extent().y0 + 1
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.findobj(Text) if text.get_text())


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_it_is_saved_with_the_letters_of_mathematics(name, tmp_path, caplog):
    save(drawn(*CASES["normal"]), tmp_path / name)
    assert (tmp_path / name).stat().st_size > 10_000
    assert not caplog.records  # each letter, 𝒩 too, is in a font that comes with matplotlib


@pytest.mark.parametrize("case", CASES)
def test_curves_are_the_densities_of_scipy(case):
    prior, data = CASES[case]
    found = priori.estimate(type(prior), data, prior)
    figure = estimate_figure(found, data)
    if not found.posterior.proper:
        assert len(figure.axes) == 1
        return
    marginals = found.posterior.marginals()
    for axes in (axes for axes in figure.axes if curve(axes, "posterior") is not None):
        name = next(n for n in marginals if axes.get_xlabel().split(" − ")[0].split(", ")[0] == Marginal(n, None).of)
        x, y = curve(axes, "posterior")
        there = np.isfinite(y)
        np.testing.assert_allclose(y[there], marginals[name].pdf(x[there]), rtol=1e-12)
        assert marginals[name].cdf(x[-1]) - marginals[name].cdf(x[0]) > 0.95
        assert (curve(axes, "prior") is None) == (not prior.proper)


def test_likelihood_is_scaled_to_integrate_to_one():
    """Against the likelihood itself, by quadrature."""
    for prior, data, log_likelihood in (
        (BetaBernoulli(2, 3), HEADS, lambda t: stats.binom(100, t).logpmf(55)),
        (GammaPoisson(2.5, 0.5), [3, 1, 4], lambda t: sum(stats.poisson(t).logpmf(k) for k in (3, 1, 4))),
    ):
        x, y = curve(drawn(prior, data).axes[0], "likelihood, scaled")
        grid = np.linspace(1e-9, 1 - 1e-9 if x[-1] <= 1 else 60, 200_001)
        whole = np.trapezoid(np.exp(log_likelihood(grid)), grid)
        inside = (x > 0) & (x < 1 if x[-1] <= 1 else x > 0)
        np.testing.assert_allclose(y[inside], np.exp(log_likelihood(x[inside])) / whole, rtol=1e-5, atol=1e-12)


def test_mode_mean_and_interval_are_marked():
    axes = drawn(BetaBernoulli(2, 3), HEADS).axes[0]
    beta = stats.beta(57, 48)
    for name, value in (("mode (MAP)", 56 / 103), ("mean", 57 / 105)):
        (x,), (y,) = curve(axes, name)
        assert x == pytest.approx(value, rel=1e-12)
        assert y == pytest.approx(beta.pdf(value), rel=1e-12)
    shaded = next(c for c in axes.collections if c.get_label() == "95 % of the posterior").get_paths()[0].vertices
    assert (shaded[:, 0].min(), shaded[:, 0].max()) == pytest.approx((beta.ppf(0.025), beta.isf(0.025)))


def test_titles_carry_the_numbers():
    text = said(drawn(BetaBernoulli(2, 2), HEADS))
    for part in (
        "Bernoulli: 100 observations",
        "θ ~ Beta(2, 2)  →  θ ~ Beta(57, 47)",
        "Probability θ",
        f"mode {56 / 102:.3f} · mean {57 / 104:.3f}",
        f"95 % from {stats.beta(57, 47).ppf(0.025):.3f} to {stats.beta(57, 47).isf(0.025):.3f}",
        "Bernoulli(θ=0.55)",
        f"log evidence −{-(_log_beta(57, 47) - _log_beta(2, 2)):.2f}",
    ):
        assert part in text


def _log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def test_what_does_not_exist_is_said():
    assert "flat prior, which has no curve" in said(drawn(*CASES["flat rate"]))
    assert "no evidence" in said(drawn(*CASES["flat rate"]))
    assert "the likelihood does not integrate to 1: no curve" in said(drawn(*CASES["one number"]))
    assert "improper posterior" in said(drawn(*CASES["improper"]))
    assert "no mode · mean 0.917" in said(drawn(*CASES["pole"]))
    with pytest.raises(EstimateError, match="give a proper prior"):
        estimate_figure(priori.estimate(NormalInverseGamma, [1.0, 2.0], CASES["improper"][0]))
    with pytest.raises(EstimateError, match="give the data"):
        estimate_figure(priori.estimate(DirichletCategorical, ["a"], CASES["no parameter"][0]))


def test_a_curve_beyond_all_numbers_is_refused():
    with pytest.raises(EstimateError, match="narrower prior"):
        parameter(new_figure(4, 3).subplots(), Marginal("variance", stats.invgamma(1e-4), interval=(1.0, 2.0)))


def test_rows_of_two_are_drawn_with_the_modes_of_means_and_variances():
    prior, data = CASES["two columns"]
    figure = drawn(prior, data)
    mode = priori.estimate(type(prior), data, prior).map
    marked = [curve(axes, "joint mode (MAP)")[0][0] for axes in figure.axes[:3]]
    assert marked == pytest.approx([*mode.mean, mode.covariance[0, 0]])
    assert figure.axes[2].get_title(loc="left") == "Covariance Σ₀₀"
    np.testing.assert_array_equal(np.column_stack(curve(figure.axes[-1], "data")), data)
    assert [len(drawn(*CASES[case]).axes) for case in ("two columns", "three columns")] == [4, 4]


def test_of_many_parameters_the_largest_are_shown():
    prior, data = CASES["many categories"]
    figure = drawn(prior, data)
    assert "3 of 12 parameters" in said(figure)
    count = {name: data.count(name) for name in set(data)}
    fewest_shown = min(count[axes.get_xlabel().removeprefix("θ of ")] for axes in figure.axes[:3])
    assert fewest_shown >= sorted(count.values())[-3]
    assert len(estimate_figure(priori.estimate(type(prior), data, prior)).axes) == 4


def test_a_wide_prior_does_not_squeeze_the_posterior():
    prior, data = CASES["wide prior"]
    axes = drawn(prior, data).axes[0]
    low, high = axes.get_xlim()
    of = priori.estimate(type(prior), data, prior).interval["mean"]
    assert of[1] - of[0] > 0.2 * (high - low)


def test_a_far_likelihood_is_seen():
    axes = drawn(NormalKnownVariance(1, 0, 0.01), [50.0, 51.0]).axes[0]
    low, high = axes.get_xlim()
    assert low < 0.98
    assert high > 50.5


def test_data_are_drawn_with_what_was_fitted_and_is_predicted():
    for prior, fitted, predicted, density in (
        (GammaPoisson(2.5, 0.5), stats.poisson(14 / 5), stats.nbinom(16.5, 5.5 / 6.5), "pmf"),
        (GammaExponential(2.5, 3), stats.expon(scale=14 / 5), stats.lomax(7.5, scale=17), "pdf"),
    ):
        axes = drawn(prior, [3, 1, 4, 1, 5]).axes[-1]
        for name, wanted in (("maximum likelihood", fitted), ("predictive", predicted)):
            x, y = curve(axes, name)
            np.testing.assert_allclose(y, getattr(wanted, density)(x), rtol=1e-9)
            assert x[0] <= 1 < 5 <= x[-1]


def test_bars_are_weighted_shares():
    data, weights = [0, 1, 1, 3], [1.0, 2.0, 0.5, 1.5]
    found = priori.estimate(GammaPoisson, data, weights=weights)
    axes = estimate_figure(found, data, weights).axes[-1]
    shares = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in axes.patches}
    assert {k: v for k, v in shares.items() if v} == pytest.approx({0: 0.2, 1: 0.5, 3: 0.3})


def test_histogram_has_area_one():
    data = RNG.exponential(2, 300)
    axes = drawn(GammaExponential(2, 3), data).axes[-1]
    heights, edges, _ = next(patch.get_data() for patch in axes.patches if patch.get_label() == "data")
    assert heights @ np.diff(edges) == pytest.approx(1)


def test_categories_show_shares_and_both_predictions():
    prior = DirichletCategorical([2, 3, 4, 1], ("c", "b", "a", "never seen"))
    axes = drawn(prior, list("abacab")).axes[-1]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["c", "b", "a", "never seen"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 0])
    assert curve(axes, "maximum likelihood")[0] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 0])
    assert curve(axes, "predictive")[0] == pytest.approx(np.array([3, 5, 7, 1]) / 16)


def test_ticks_of_huge_offsets_are_differences():
    axes = drawn(*CASES["offset"]).axes[0]
    assert axes.get_xlabel() == "μ − 100,000,000"
    for place, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True):
        assert float(label.get_text().replace("−", "-")) == pytest.approx(place - 1e8, abs=1e-6)


def test_a_parameter_without_a_symbol_is_named():
    axes = new_figure(4, 3).subplots()
    parameter(axes, Marginal("intercept", stats.norm(3, 2)))
    assert axes.get_xlabel() == "intercept"
    assert axes.get_title(loc="left") == "Intercept"
    assert curve(axes, "mean") is None


@pytest.mark.parametrize(
    "name, symbol",
    [("mean", "μ"), ("probabilities[red]", "θ of red"), ("probabilities[12]", "θ₁₂"), ("covariance[0,1]", "Σ₀₁"),
     ("weights[age]", "w of age"), ("intercept", "intercept")],
)  # fmt: skip
def test_parameters_have_their_conventional_letters(name, symbol):
    assert Marginal(name, None).of == symbol
    assert Marginal("rate", None, beside=("shape",)).title == "Rate β"
    assert Marginal("rate", None).title == "Rate λ"
