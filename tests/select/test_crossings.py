"""Where curves cross, on curves whose crossing is known by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.errors import DataError
from priori.select.learning_curves import LearnerComparison, LearningCurve, Scores, crossing_size


def comparison(generative, discriminative, sizes=(10, 100, 1000), loss=(None, None)):
    def curve(name, of, losses, is_generative):
        return LearningCurve(
            name,
            is_generative,
            Scores(np.atleast_2d(np.asarray(of, float))),
            None if losses is None else Scores(np.atleast_2d(np.asarray(losses, float))),
            None,
        )

    curves = (curve("G", generative, loss[0], True), curve("D", discriminative, loss[1], False))
    return LearnerComparison(tuple(sizes), 1, 50, ("a", "b"), curves, ())


def test_the_crossing_lies_where_straight_lines_on_log_n_meet():
    found = comparison([0.6, 0.7, 0.75], [0.5, 0.65, 0.85]).crossing("G", "D")
    # between 100 and 1000 the lead goes from -0.05 to 0.1: a third of the way
    assert found.size == pytest.approx(100 * 10 ** (1 / 3), rel=1e-12)
    assert found.ahead == "discriminative"
    assert "at about 220 rows" in str(found)


def test_only_the_last_crossing_is_for_good():
    lead = [-1.0, 1.0, -1.0, 3.0]
    assert crossing_size([1, 10, 100, 1000], lead) == pytest.approx(100 * 10**0.25, rel=1e-12)


def test_no_crossing_is_said():
    behind = comparison([0.6, 0.7, 0.8], [0.5, 0.75, 0.8]).crossing("G", "D")
    assert behind.size is None and behind.ahead == "generative"
    assert "does not overtake" in str(behind) and "no crossing from 10 to 1,000 rows" in str(behind)
    ahead = comparison([0.6, 0.7, 0.8], [0.7, 0.8, 0.9]).crossing("G", "D")
    assert ahead.size is None and ahead.ahead == "discriminative" and "from 10 to 1,000" in str(ahead)


def test_a_smaller_log_loss_is_the_better_one():
    found = comparison([0] * 3, [0] * 3, loss=([0.5, 0.4, 0.4], [0.9, 0.4, 0.2]))
    assert found.crossing("G", "D", "log_loss").size == pytest.approx(100)
    assert [crossing.measure for crossing in found.crossings] == ["accuracy", "log_loss"]


def test_an_infinite_loss_crosses_at_the_first_size_that_is_finite():
    found = comparison([0] * 3, [0] * 3, loss=([0.5, 0.4, 0.4], [math.inf, math.inf, 0.2]))
    assert found.crossing("G", "D", "log_loss").size == 1000
    both = comparison([0] * 3, [0] * 3, loss=([math.inf, 0.4, 0.4], [math.inf, 0.3, 0.2]))
    assert both.crossing("G", "D", "log_loss").size == pytest.approx(10)  # up to there both are infinite, and equal
    assert both.to_json()["learners"][0]["log_loss"]["mean"] == [None, 0.4, 0.4]
    assert "∞" in str(both)


def test_a_learner_without_probabilities_has_no_log_loss_to_cross():
    found = comparison([0.5] * 3, [0.6] * 3)
    with pytest.raises(DataError, match="no log loss"):
        found.crossing("G", "D", "log_loss")
    with pytest.raises(DataError, match="there are G, D"):
        found["E"]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_after_the_crossing_the_lead_is_positive_and_just_before_it_is_not(lead):
    sizes = [2 ** (k + 1) for k in range(len(lead))]
    found = crossing_size(sizes, lead)
    if found is None:
        assert lead[-1] <= 0 or min(lead) > 0
        return
    after = [value for size, value in zip(sizes, lead, strict=True) if size > found * (1 + 1e-9)]
    assert min(after, default=1) > 0
    last = max(k for k, value in enumerate(lead) if value <= 0)
    assert sizes[last] * (1 - 1e-9) <= found <= sizes[last + 1] * (1 + 1e-9)


def test_certainty_is_that_of_paired_differences():
    rng = np.random.default_rng(1)
    shared = rng.normal(0, 0.1, (10, 1))
    sizes = (10, 100)
    generative = 0.7 + shared + np.zeros((10, 2))
    for lead, certain in ((0.01, True), (0.0, False)):
        discriminative = generative + lead + rng.normal(0, 0.002, (10, 2))
        curves = tuple(
            LearningCurve(name, name == "G", Scores(of), None, None)
            for name, of in (("G", generative), ("D", discriminative))
        )
        found = LearnerComparison(sizes, 10, 50, ("a", "b"), curves, ()).crossing("G", "D")
        assert found.certain is certain
        assert ("may be chance" in str(found)) is not certain
