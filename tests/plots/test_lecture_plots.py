"""The two pictures of the lectures, against scipy: relative frequency, and the central limit theorem."""

import numpy as np
import pytest
from matplotlib.text import Text
from scipy import stats

from priori.errors import DataError
from priori.plots import central_limit, central_limit_figure, frequency_figure, new_figure, relative_frequency, save


def lines(axes, name):
    return [line.get_data() for line in axes.lines if line.get_label() == name]


@pytest.mark.parametrize("probability", [0.02, 0.3, 0.95])
def test_frequency_runs_in_its_funnel(probability, tmp_path):
    figure = frequency_figure(probability, np.random.default_rng(1), trials=100_000, runs=40)
    save(figure, tmp_path / "a.png")
    (axes,) = figure.axes
    lower, upper = lines(axes, "p ± 2 √(p (1 − p) / n)")
    deviation = stats.binom(lower[0], probability).std() / lower[0]
    np.testing.assert_allclose(upper[1] - probability, 2 * deviation, rtol=1e-9)
    np.testing.assert_allclose(probability - lower[1], 2 * deviation, rtol=1e-9)
    runs = lines(axes, "a run")
    assert len(runs) == 40
    for n, share in runs:
        assert n[0] == 1
        assert n[-1] == 100_000
        events = share * n
        np.testing.assert_allclose(events, events.round(), atol=1e-6)
        assert (np.diff(events) >= -1e-6).all()
        assert (np.diff(events) <= np.diff(n) + 1e-6).all()
        assert abs(share[-1] - probability) < 6 * deviation[-1]  # one run in 500 million lies outside


def test_frequency_has_the_right_spread():
    """At the end the shares have the variance p (1 - p) / n; runs with another p would be seen."""
    axes = new_figure(5, 4).subplots()
    relative_frequency(axes, 0.3, np.random.default_rng(2), trials=1000, runs=400)
    z = np.array([(share[-1] - 0.3) / np.sqrt(0.21 / 1000) for _, share in lines(axes, "a run")])
    assert abs(z.sum()) / np.sqrt(400) < 6
    assert 1e-9 < stats.chi2(400).cdf(z @ z) < 1 - 1e-9


def test_same_randomness_same_picture(tmp_path):
    for name in ("1.svg", "2.svg"):
        save(frequency_figure(0.3, np.random.default_rng(5)), tmp_path / name)
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def test_sums_have_their_exact_density_beside_the_normal(tmp_path):
    figure = central_limit_figure(np.random.default_rng(1), size=5_000)
    save(figure, tmp_path / "a.png")
    for axes, n in zip(figure.axes, (1, 2, 5, 30), strict=True):
        ((z, density),) = lines(axes, "exact density (gamma)")
        np.testing.assert_allclose(density, stats.gamma(n, loc=-np.sqrt(n), scale=1 / np.sqrt(n)).pdf(z), rtol=1e-6)
        ((z, density),) = lines(axes, "standard normal")
        np.testing.assert_allclose(density, stats.norm.pdf(z), rtol=1e-12)
        skewness = float(stats.gamma(n).stats(moments="s"))
        assert any(f"2/√n = {skewness:.2f}" in text.get_text() for text in axes.texts)


@pytest.mark.parametrize("number", [1, 4, 50])
def test_simulated_sums_follow_the_exact_density(number):
    axes = new_figure(4, 4).subplots()
    size = 50_000
    central_limit(axes, number, np.random.default_rng(3), size=size)
    heights, edges, _ = axes.patches[0].get_data()
    share = np.diff(stats.gamma(number).cdf(number + np.sqrt(number) * edges))
    seen = heights * np.diff(edges)
    deviation = np.sqrt(share * (1 - share) / size)
    assert (np.abs(seen - share)[share > 1e-3] < 6 * deviation[share > 1e-3]).all()
    assert seen.sum() <= 1 + 1e-9


def test_nothing_to_draw_is_refused():
    rng, axes = np.random.default_rng(1), new_figure(4, 4).subplots()
    with pytest.raises(DataError, match="between 0 and 1"):
        relative_frequency(axes, 1.0, rng)
    with pytest.raises(DataError, match="at least 1 run"):
        relative_frequency(axes, 0.5, rng, runs=0)
    with pytest.raises(DataError, match="at least 1 of each"):
        central_limit(axes, 0, rng)
    with pytest.raises(DataError, match="give some"):
        central_limit_figure(rng, numbers=())


def test_every_number_of_panels_stays_on_the_paper():
    for numbers in ((3,), (1, 2), (1, 2, 3, 5, 10, 100)):
        figure = central_limit_figure(np.random.default_rng(1), numbers=numbers, size=100)
        figure.draw_without_rendering()
        widest = figure.bbox.x1
        assert all(text.get_window_extent().x1 <= widest for text in figure.findobj(Text) if text.get_text())
