"""A factor under missing="evidence" is a column of truth values, missing or not, times the column itself."""

import numpy as np
import pytest
from scipy.special import betaln

from columns.column_cases import CASES, LABELS, take, take_rows
from priori.columns.base import Codes, Rows
from priori.columns.categories import BernoulliColumn
from priori.columns.missing import Factor
from priori.columns.readings import TableReadings
from priori.columns.specification import Part
from priori.errors import DataError, EstimateError
from priori.statistics.by_class import UNIT_BITS

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def drawn(case, n=60, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n).astype(np.int32)
    weight = rng.integers(1, 5, n).astype(np.int64) << (UNIT_BITS - 1) if weighted else None
    return case.cells(rng, group), Rows(LABELS, group, weight)


def factor_of(case, cells, rows, **readings):
    width = cells.shape[1] if isinstance(cells, np.ndarray) and cells.ndim == 2 else 1
    part = Part(tuple(f"x{j}" for j in range(width)), case.family)
    return Factor(part, case.family.count(cells, rows), TableReadings(**readings))


def as_column(case, cells):
    """Whether each cell is missing, as a column of truth values."""
    return Codes(case.family.missing(cells).astype(np.int32), ("false", "true"))


def pair(case, cells, rows, **readings):
    """The factor with evidence, that without, and the column of missingness."""
    plain = factor_of(case, cells, rows, **readings)
    missing = BernoulliColumn()
    gone = missing.read(missing.count(as_column(case, cells), rows), TableReadings(**readings))
    return factor_of(case, cells, rows, missing="evidence", **readings), plain, gone


@every_case
@pytest.mark.parametrize("readings", [{}, {"estimate": "map", "alpha": 1.5}, {"alpha": 0.3}], ids=str)
def test_it_is_the_product_of_the_two(case, readings):
    cells, rows = drawn(case, weighted=True)
    evident, plain, gone = pair(case, cells, rows, **readings)
    column = as_column(case, cells)
    for call in ("log_prob", "log_scores"):
        expected = getattr(plain, call)(cells) + gone.log_prob(column)
        np.testing.assert_allclose(getattr(evident, call)(cells), expected, rtol=1e-12, atol=1e-12)
    expected = plain.without(cells, rows) + gone.without(column, rows)
    np.testing.assert_allclose(evident.without(cells, rows), expected, rtol=1e-12, atol=1e-12)
    expected = plain.without(cells, rows, almost=True) + gone.without(column, rows)
    np.testing.assert_allclose(evident.without(cells, rows, almost=True), expected, rtol=1e-12, atol=1e-12)
    assert evident.free_parameters == plain.free_parameters + gone.free_parameters


def test_its_evidence_is_that_of_two_urns():
    case = next(case for case in CASES if case.name == "poisson, prior")
    cells, rows = drawn(case)
    for alpha in (1.0, 0.4):
        evident, plain, gone = pair(case, cells, rows, alpha=alpha)
        assert evident.log_evidence() == pytest.approx(plain.log_evidence() + gone.log_evidence(), rel=1e-12)
        lost = np.bincount(rows.group[np.isnan(cells)], minlength=3)
        there = np.bincount(rows.group[~np.isnan(cells)], minlength=3)
        urns = (betaln(lost + alpha, there + alpha) - betaln(alpha, alpha)).sum()
        assert evident.log_evidence() == pytest.approx(plain.log_evidence() + urns, rel=1e-12)
        evident, plain, gone = pair(case, cells, rows, alpha=alpha + 1, estimate="map")
        assert evident.log_likelihood() == pytest.approx(plain.log_likelihood() + gone.log_likelihood(), rel=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "text"], ids=str)
@pytest.mark.parametrize("missing", ["ignore", "evidence"])
def test_leaving_one_out_is_refitting(case, missing):
    cells, rows = drawn(case, n=30, seed=2, weighted=True)
    whole = factor_of(case, cells, rows, missing=missing)
    found = whole.without(cells, rows)
    for i in range(0, 30, 3):
        others = np.array([j for j in range(30) if j != i])
        refit = factor_of(case, take(cells, others), take_rows(rows, others), missing=missing)
        np.testing.assert_allclose(found[i], refit.log_prob(take(cells, [i]))[0], rtol=1e-8, atol=1e-8)


def test_missing_cells_are_drawn_as_often_as_they_were():
    """20,000 draws in each class: a share is met to 5 of its deviations, √(p (1 - p) / n) < 0.0036."""
    case = next(case for case in CASES if case.name == "gaussian")
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(3), 200).astype(np.int32)
    cells = rng.normal(size=600)
    cells[rng.random(600) < np.array([0.0, 0.2, 0.9])[group]] = np.nan
    evident = factor_of(case, cells, Rows(LABELS, group), missing="evidence")
    many = np.repeat(np.arange(3), 20_000).astype(np.int32)
    drawn_missing = evident.sample_missing(many, rng).reshape(3, -1).mean(axis=1)
    lost = np.isnan(cells).reshape(3, -1).sum(axis=1)
    np.testing.assert_allclose(drawn_missing, (lost + 1) / 202, atol=5 * 0.0036)
    plain = factor_of(case, cells, Rows(LABELS, group))
    assert not plain.sample_missing(many, rng).any()


def test_complaints_name_the_column():
    case = next(case for case in CASES if case.name == "gaussian")
    one = factor_of(case, np.array([1.0, 2.0, 3.0]), Rows(("a", "b"), np.array([0, 0, 1], np.int32)), estimate="ml")
    with pytest.raises(EstimateError, match=r"^column 'x0': "):
        one.log_prob(np.array([1.0]))
    categories = next(case for case in CASES if case.name == "categorical")
    cells = Codes(np.array([0, 1], np.int32), ("u", "v"))
    two = factor_of(categories, cells, Rows(("a", "b"), np.array([0, 1], np.int32)))
    with pytest.raises(DataError, match=r"^column 'x0': the value 'w' was never learned"):
        two.without(Codes(np.array([0], np.int32), ("w",)), Rows(("a", "b"), np.array([0], np.int32)))
    readings = {"estimate": "map", "alpha": 0.5, "missing": "evidence"}
    low = factor_of(case, np.array([1.0, 2.0]), Rows(("a",), np.zeros(2, np.int32)), **readings)
    with pytest.raises(EstimateError, match="the share of missing cells has no mode"):
        low.log_scores(np.array([1.0]))


def test_nothing_is_missed_under_ml_where_nothing_was():
    """log 0 of a missing cell, as the estimate has it; 0 of one that is there."""
    case = next(case for case in CASES if case.name == "gaussian")
    rows = Rows(("a", "b"), np.array([0, 0, 1, 1], np.int32))
    evident = factor_of(case, np.array([1.0, 2.0, 3.0, np.nan]), rows, missing="evidence", estimate="bayes")
    assert np.isfinite(evident.log_scores(np.array([np.nan, 1.0]))).all()
    ml = factor_of(case, np.array([1.0, 2.0, 3.0, 5.0]), rows, missing="evidence", estimate="ml")
    found = ml.log_scores(np.array([np.nan, 1.0]))
    assert (found[0] == -np.inf).all()
    assert np.isfinite(found[1]).all()
