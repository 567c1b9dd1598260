"""Ticks and numbers that a reader can read, and that stand where they say."""

import numpy as np
import pytest

from priori.plots import new_figure
from priori.plots.style import linear, logarithmic, number


@pytest.mark.parametrize(
    "low, high, remark",
    [
        (0, 1, ""),
        (-3.2, 4.2, ""),
        (0, 250_000, ""),
        (1e8 - 0.5, 1e8 + 0.5, " − 100,000,000"),
        (-1e8 - 0.5, -1e8 + 0.5, " + 100,000,000"),
        (0, 3.2e-7, ", in units of 10⁻⁷"),
        (0, 4.5e9, ", in units of 10⁹"),
    ],
)
def test_linear_ticks_say_where_they_are(low, high, remark):
    axes = new_figure(4, 3).subplots()
    assert linear(axes, low, high) == remark
    assert axes.get_xlim() == (low, high)
    places, labels = (
        axes.get_xticks(),
        [t.get_text().replace("−", "-").replace(",", "") for t in axes.get_xticklabels()],
    )
    assert len(places) >= 3
    unit = next((10.0**power for power, text in ((-7, "⁻⁷"), (9, "⁹")) if remark.endswith(text)), 1.0)
    offset = round(low, -3) if "−" in remark[:3] or "+" in remark else 0.0
    np.testing.assert_allclose([offset + unit * float(label) for label in labels], places, rtol=1e-9, atol=1e-12)


def test_logarithmic_ticks_are_written_out():
    axes = new_figure(4, 3).subplots()
    logarithmic(axes, 1, 20_000)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["1", "10", "100", "1,000", "10,000"]


def test_numbers_are_told_apart():
    assert number(0.54901, 0.19) == "0.549"
    assert number(-1234567.891, 25_000) == "−1,234,600"
    assert number(1e8 + 0.25, 1) == "100,000,000.25"
    assert number(0.0, 0.1) == "0.000"
    assert number(5.0, 0.0) == "5.0000"
