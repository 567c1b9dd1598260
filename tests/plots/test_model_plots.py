"""Pictures of models: compared on the same data, around a cloud, and as a line through points."""

import math

import numpy as np
import pytest
from scipy import stats

from pictures import curve, on_paper, said
from priori.errors import DataError
from priori.estimation.comparison import compare
from priori.families import GammaPoisson, NormalGammaRegression
from priori.plots import comparison, new_figure, regression, save
from priori.plots.data_panels import cloud, ellipse
from priori.plots.style import legend_below

RNG = np.random.default_rng(7)
MODELS = {"wide": GammaPoisson(1, 0.01), "narrow": GammaPoisson(32, 10), "flat": GammaPoisson(1, 0)}


def test_models_compared_are_bars_with_their_numbers(tmp_path):
    found = compare(MODELS, [3, 4, 2, 3, 5])
    figure = new_figure(9, 3.5)
    axes = figure.subplots()
    comparison(axes, found)
    assert on_paper(figure)
    save(figure, tmp_path / "a.png")
    assert [t.get_text() for t in axes.get_yticklabels()] == ["narrow", "wide", "flat"]
    evidence = [prior.log_evidence(GammaPoisson.statistics([3, 4, 2, 3, 5])) for prior in list(MODELS.values())[1::-1]]
    share = 1 / (1 + math.exp(evidence[1] - evidence[0]))
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([share, 1 - share, 0])
    text = said(figure)
    for part in ("Most probable: narrow", "3 models of 5 observations", f"{share:.1%}", f"−{-evidence[0]:.2f}", "AIC"):
        assert part in text


def test_models_without_evidence_are_said():
    axes = new_figure(9, 3.5).subplots()
    comparison(axes, compare({"flat": GammaPoisson(1, 0)}, [3, 4]))
    assert axes.get_title(loc="left") == "No model has evidence"


class Cloud:
    """A bivariate t, or with infinite degrees a normal."""

    def __init__(self, degrees, mean, spread):
        self.degrees, self.mean, self.scale, self.covariance = degrees, np.array(mean), np.array(spread), spread


@pytest.mark.parametrize("degrees", [math.inf, 3.5])
@pytest.mark.parametrize("mass", [0.5, 0.95])
def test_ellipses_hold_so_much_probability(degrees, mass):
    """Shares of a large sample of scipy's inside the ellipse; and its edge has one density."""
    mean, spread = [5.0, -3.0], [[4.0, 2.4], [2.4, 1.9]]
    of = stats.multivariate_normal(mean, spread) if math.isinf(degrees) else stats.multivariate_t(mean, spread, degrees)
    x, y = ellipse(Cloud(degrees, mean, spread), mass)
    density = of.logpdf(np.column_stack([x, y]))
    np.testing.assert_allclose(density, density[0], rtol=1e-9)
    inside = of.logpdf(of.rvs(40_000, random_state=np.random.default_rng(1))) > density[0]
    assert abs(inside.mean() - mass) < 6 * math.sqrt(mass * (1 - mass) / 40_000)


def test_rows_of_two_are_a_cloud(tmp_path):
    rows = RNG.normal([1e8, 0], size=(80, 2))
    figure = new_figure(5, 4.5)
    axes = figure.subplots()
    normal, t = (Cloud(degrees, [1e8, 0], np.eye(2)) for degrees in (math.inf, 5))
    cloud(axes, rows, [("maximum likelihood", normal), ("predictive", t)])
    legend_below(axes)
    assert on_paper(figure)
    save(figure, tmp_path / "a.png")
    np.testing.assert_array_equal(np.column_stack(curve(axes, "data")), rows)
    assert axes.get_xlabel() == "first column − 100,000,000"
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["data", "maximum likelihood", "predictive"]


class Straight:
    """t ~ 𝒩(2x + 1, 0.25 + x²)."""

    def predict(self, X):
        return 2 * X[:, 0] + 1

    def freeze(self, X):
        return stats.norm(self.predict(X), np.sqrt(0.25 + X[:, 0] ** 2))

    def __str__(self):
        return "t ~ 𝒩(2·x + 1, σ²=0.25)"


def test_a_line_with_its_band(tmp_path):
    figure = new_figure(6, 4.5)
    axes = figure.subplots()
    x = [[0.0], [1.0], [2.5], [math.nan]]
    regression(axes, x, [1.2, 2.8, None, 4.0], model=Straight(), predictive=Straight(), mass=0.8, names=("age", "cost"))
    assert on_paper(figure)
    save(figure, tmp_path / "a.png")
    np.testing.assert_array_equal(curve(axes, "data"), [[0.0, 1.0], [1.2, 2.8]])
    grid, line = curve(axes, "maximum likelihood")
    np.testing.assert_allclose(line, 2 * grid + 1, rtol=1e-12)
    assert (grid[0], grid[-1]) == pytest.approx((-0.15, 1.15))
    band = next(c for c in axes.collections if c.get_label() == "80 % band").get_paths()[0].vertices
    for at in (0, 100, 200):
        low, high = (2 * grid[at] + 1 + stats.norm.ppf(q) * math.hypot(0.5, grid[at]) for q in (0.1, 0.9))
        np.testing.assert_allclose(sorted({round(y, 9) for x, y in band if x == grid[at]}), [low, high], rtol=1e-6)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("age", "cost")
    assert "2 pairs; a new target lies in the band with probability 0.8" in said(figure)
    with pytest.raises(DataError, match="one input for each target"):
        regression(axes, [1.0], [1.0, 2.0], model=Straight(), predictive=Straight())


def test_the_band_of_a_regression_is_its_predictive():
    x, t = RNG.uniform(0, 10, (25, 1)), RNG.normal(size=25)
    found = NormalGammaRegression.statistics(x, t)
    predictive = NormalGammaRegression.unit(found).posterior(found).predictive()
    axes = new_figure(6, 4.5).subplots()
    regression(axes, x, t, model=NormalGammaRegression.maximum_likelihood(found), predictive=predictive)
    slope, intercept, *_ = stats.linregress(x[:, 0], t)
    grid, line = curve(axes, "maximum likelihood")
    np.testing.assert_allclose(line, intercept + slope * grid, rtol=1e-9, atol=1e-12)
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    low, high = predictive.freeze(grid[:, None]).interval(0.95)
    assert (band.min(), band.max()) == pytest.approx((low.min(), high.max()))
