"""The laws that every family of columns obeys: missing cells, leaving one out, the chain rule, and weights."""

from dataclasses import replace

import numpy as np
import pytest

from columns.column_cases import CASES, ESTIMATES, learned, readings, take, take_rows
from priori.columns.base import Rows
from priori.errors import EstimateError, PrioriError
from priori.statistics.by_class import UNIT_BITS

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_estimate = pytest.mark.parametrize("estimate", ESTIMATES)
either_weight = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])


def scored(call, *arguments):
    """The scores, or None where the family says that they do not exist."""
    try:
        return call(*arguments)
    except EstimateError:
        return None


@every_case
@every_estimate
def test_missing_cells_say_nothing(case, estimate):
    cells, _, stats = learned(case)
    gone = case.family.missing(cells)
    assert gone.any()
    scores = case.family.read(stats, readings(estimate)).log_prob(cells)
    assert scores.shape == (len(gone), 3)
    assert not np.isnan(scores).any()
    if case.family.cells_are != "rows":  # of these, what is there is scored
        assert (scores[gone] == 0).all()
        assert (scores[~gone] != 0).any()


@every_case
@every_estimate
@either_weight
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
@pytest.mark.parametrize("seed", range(3))
def test_leaving_one_out_is_reading_the_statistics_without_the_row(case, estimate, weighted, unknown, seed):
    cells, rows, stats = learned(case, 24, seed, weighted)
    reading = replace(readings(estimate), unknown=unknown)
    whole = case.family.read(stats, reading)
    refit = []
    for at in np.flatnonzero(rows.group >= 0):
        one = take(cells, [at])
        left = stats - case.family.count(one, take_rows(rows, [at]))
        refit.append(scored(case.family.read(left, reading).log_prob, one))
    found = scored(whole.without, cells, rows)
    if any(each is None for each in refit):
        assert found is None
    else:
        gone = case.family.missing(cells)[rows.group >= 0] & (case.family.cells_are != "rows")
        expected = np.where(gone[:, None], 0.0, np.concatenate(refit))
        np.testing.assert_allclose(found[rows.group >= 0], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case.name.startswith("binned")], ids=str)
def test_almost_leaving_one_out_is_near_it(case):
    """Edges, trees and shares of 200 rows hardly move without one of them, unless its value is the only one."""
    cells, rows, stats = learned(case, 200)
    reading = case.family.read(stats, readings("bayes"))
    known = rows.group >= 0
    exact, almost = reading.without(cells, rows)[known], reading.almost_without(cells, rows)[known]
    odds = [scores - scores.mean(axis=1, keepdims=True) for scores in (exact, almost)]
    assert np.median(np.abs(odds[0] - odds[1])) < 0.05
    full = reading.log_prob(cells)[known]
    own = rows.group[known]
    at = np.arange(len(own))
    gain = [(scores - scores.mean(axis=1, keepdims=True))[at, own].mean() for scores in (exact, almost, full)]
    assert gain[0] == pytest.approx(gain[1], abs=0.15)  # values seen once move the edges
    assert gain[1] < gain[2]  # a row speaks for its own class where it was learned


@pytest.mark.parametrize("case", [case for case in CASES if case.fixed_prior], ids=str)
@either_weight
@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_is_the_product_of_predictions(case, weighted, seed):
    """log p(x_1..n | y) = Σ log p(x_i | x_<i, y_i), under a prior that does not depend on the rows.

    A weight of w is w rows alike, so whole ones are taken apart.
    """
    cells, rows, stats = learned(case, 20, seed, False)
    if weighted:
        weight = np.random.default_rng(seed).integers(1, 4, 20)
        stats = case.family.count(cells, replace(rows, weight=weight.astype(np.int64) << UNIT_BITS))
        order = np.repeat(np.arange(20), weight)
    else:
        order = np.arange(20)
    whole = ~case.family.missing(cells)
    now = case.family.zero(rows.labels, np.shape(cells)[1] if case.family.cells_are == "rows" else 1)
    total = 0.0
    for at in order:
        if rows.group[at] < 0 or not whole[at]:
            continue
        one = take(cells, [at])
        if case.name == "multinomial":
            total += urn_of_words(now, one[0], rows.group[at])
        else:
            total += case.family.read(now, readings("bayes")).log_prob(one)[0, rows.group[at]]
        now = now + case.family.count(one, take_rows(rows, [at]))
    assert case.family.read(stats, readings("bayes")).log_evidence() == pytest.approx(total, rel=1e-9, abs=1e-9)


def urn_of_words(now, bag, k, alpha=1.5):
    """One word after the other, each remembered: what integrating out θ means for several draws of it."""
    counts = np.array([now.total(k, j) for j in range(len(bag))]) + alpha
    total = 0.0
    for j, times in enumerate(bag):
        for _ in range(int(times)):
            total += np.log(counts[j] / counts.sum())
            counts[j] += 1
    return total


@every_case
def test_a_weight_of_two_is_a_row_twice(case):
    cells, rows, _ = learned(case)
    twice = np.repeat(np.arange(40), 2)
    double = replace(rows, weight=np.full(40, 2 << UNIT_BITS, np.int64))
    weighted, repeated = case.family.count(cells, double), case.family.count(take(cells, twice), take_rows(rows, twice))
    if case.name == "text":  # in units of a weight, or whole: the same numbers
        assert weighted.weight.tolist() == repeated.weight.tolist()
    else:
        assert weighted == repeated
    for estimate in ESTIMATES:
        scores = [case.family.read(stats, readings(estimate)).log_prob(cells) for stats in (weighted, repeated)]
        np.testing.assert_allclose(scores[0], scores[1], rtol=1e-12)


@every_case
@either_weight
def test_statistics_add_up_exactly(case, weighted):
    cells, rows, stats = learned(case, weighted=weighted)
    order = np.random.default_rng(5).permutation(40)
    first, second = (case.family.count(take(cells, part), take_rows(rows, part)) for part in (order[:13], order[13:]))
    zero = case.family.zero(rows.labels, np.shape(cells)[1] if case.family.cells_are == "rows" else 1)
    assert first + second == second + first == stats == stats + zero
    assert stats - second == first
    assert first + second - second == first
    assert (stats - stats).weight.tolist() == [0, 0, 0]
    wider = stats.placed([2, 0, 3], ("b", "bb", "a", "c"))
    assert wider.weight.tolist() == [stats.weight[1], 0, stats.weight[0], stats.weight[2]]


@every_case
@every_estimate
def test_a_class_without_cells_is_refused_or_scored(case, estimate):
    """Under a prior it says what the prior says; without one the estimate does not exist, and the message says so."""
    cells, rows, _ = learned(case)
    rows = Rows(rows.labels, np.where(rows.group == 1, -1, rows.group).astype(np.int32))
    stats = case.family.count(cells, rows)
    try:
        scores = case.family.read(stats, readings(estimate)).log_prob(cells)
    except EstimateError as error:
        assert estimate in ("ml", "map", "mean")  # a mode may lie where no distribution is, a mean be infinite
        assert "bayes" in str(error) or "mean" in str(error)
    else:
        assert not np.isnan(scores).any()


@every_case
def test_no_cells_at_all(case):
    """A column that is empty in every row: nothing is said, or an error of ours."""
    cells, rows, _ = learned(case)
    empty = case.family.count(take(cells, []), take_rows(rows, []))
    for estimate in ESTIMATES:
        try:
            scores = case.family.read(empty, readings(estimate)).log_prob(cells)
        except PrioriError as error:
            assert not case.fixed_prior or estimate == "ml", str(error)
            assert "\n" not in str(error)
        else:
            assert not np.isnan(scores).any()


@every_case
def test_one_class_alone(case):
    cells, rows, _ = learned(case, classes=1)
    stats = case.family.count(cells, rows)
    for estimate in ESTIMATES:
        scores = case.family.read(stats, readings(estimate)).log_prob(cells)
        assert scores.shape == (40, 1)
        assert not np.isnan(scores).any()
