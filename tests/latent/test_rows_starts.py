"""Where EM over rows begins: rows as points, starts far apart, and what is made ready once for all of them."""

import numpy as np
import pytest
from rows_cases import hidden_rows

from priori import NaiveBayes
from priori.errors import DataError
from priori.latent.distances import Plane
from priori.latent.em_algorithm import restarts, row_iteration
from priori.latent.em_algorithm.row_iteration import HiddenModel
from priori.latent.starts import several_starts
from priori.model.classifier import Model


def table(size=200, seed=0):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 3, size)
    return {
        "height": [None if rng.random() < 0.1 else value for value in rng.normal(1e6 + 5.0 * k, 1.0).tolist()],
        "kind": [None if rng.random() < 0.1 else f"kind {value}" for value in (k + rng.integers(0, 3, size)).tolist()],
        "code": [f"code {value}" for value in rng.geometric(0.03, size)],  # more than are told apart
        "words": [f"word{value} and {other}" for value, other in zip(k, rng.integers(0, 5, size), strict=True)],
    }


@pytest.fixture
def rows():
    data = table()
    return hidden_rows(
        data, [None] * 200, {"height": "gaussian", "words": "text"}, 3, np.r_[np.full(100, 2.0), np.ones(100)]
    )


def dense(plane):
    return np.hstack([plane.numbers, plane.values.toarray()])


def test_rows_are_points(rows):
    plane = Plane.of(rows)
    x, weight = dense(plane), np.r_[np.full(100, 2.0), np.ones(100)]
    assert x.shape == (200, 1 + 5 + 64) and plane.dimensions == 70  # the words are none
    there = np.array([cell is not None for cell in table()["height"]])
    assert (x[~there, 0] == 0).all()
    assert np.average(x[there, 0], weights=weight[there]) == pytest.approx(0, abs=1e-9)
    assert np.average(x[there, 0] ** 2, weights=weight[there]) == pytest.approx(1)
    assert x[:, 1:6].sum(axis=1).tolist() == [float(cell is not None) for cell in table()["kind"]]
    assert (x[:, 6:].sum(axis=0) > 0).all() and x[:, 6:].sum(axis=1).max() == 1


def test_distances_and_middles_equal_plain_ones(rows):
    plane = Plane.of(rows)
    x, groups = dense(plane), np.random.default_rng(1).integers(0, 3, 200).astype(np.int32)
    np.testing.assert_allclose(plane.distances(7), ((x - x[7]) ** 2).sum(axis=1), rtol=1e-12, atol=1e-12)
    middles = np.array([np.average(x[groups == k], axis=0, weights=plane.weight[groups == k]) for k in range(3)])
    found = plane.middles(groups, 3)
    np.testing.assert_allclose(np.hstack(found), middles, rtol=1e-12, atol=1e-12)
    away = ((x[:, None] - middles) ** 2).sum(axis=2)
    np.testing.assert_array_equal(plane.nearest(found), away.argmin(axis=1))
    within = plane.weight @ away[np.arange(200), groups]
    assert plane.tightness(groups, 3) + within == pytest.approx(plane.weight @ (x**2).sum(axis=1))


def test_copies_are_at_no_distance():
    """Else one of them could be the second start, and no error would tell that rows are too few."""
    rng = np.random.default_rng(0)
    numbers = {f"x{j}": np.repeat(rng.normal(size=5), 20) for j in range(7)}
    plane = Plane.of(hidden_rows(numbers | {"c": np.repeat(list("aabbc"), 20).tolist()}, [None] * 100, "auto", 2))
    assert (plane.distances(45)[40:60] == 0).all() and (plane.distances(45)[60:] > 0).all()


def test_the_tightest_start_places_priors(rows):
    starts = several_starts(rows, "spread", 4, np.random.default_rng(0))
    each, plane = list(starts.each), Plane.of(rows)
    assert all((start.sum(axis=1) == 1).all() and start.any(axis=0).all() for start in each)
    tight = [plane.tightness(start.argmax(axis=1).astype(np.int32), 3) for start in each]
    np.testing.assert_array_equal(starts.tightest, each[int(np.argmax(tight))])


def test_texts_alone_begin_at_random():
    rows = hidden_rows({"words": table()["words"]}, [None] * 200, {"words": "text"}, 3)
    starts = several_starts(rows, "spread", 3, np.random.default_rng(0))
    first, *others = starts.each
    assert starts.tightest is first and len(others) == 2
    np.testing.assert_array_equal(others[1], list(several_starts(rows, "random", 3, np.random.default_rng(0)).each)[2])


@pytest.mark.parametrize("labelled", [0, 60])
def test_words_are_counted_once(monkeypatch, labelled):
    """Not for every start, nor for every fold and weight that is tried."""
    calls = []
    encode = Model.encode
    monkeypatch.setattr(Model, "encode", lambda self, batch: calls.append(len(batch)) or encode(self, batch))
    data = table()
    y = [data["words"][row][4] if row < labelled else None for row in range(200)]
    columns = {"words": "text", "height": "gaussian"}
    NaiveBayes(columns=columns, temper=1, n_classes=None if labelled else 3).fit(data, y)
    assert calls == [200]


def test_a_start_of_no_kind_is_refused():
    with pytest.raises(DataError, match="start='far' is unknown; choose spread or random"):
        restarts.Search(start="far")


def test_the_model_is_made_once(monkeypatch, rows):
    made = []
    monkeypatch.setattr(row_iteration, "HiddenModel", lambda *given: made.append(given) or HiddenModel(*given))
    found = restarts.fit_rows(rows, restarts.TableReadings(), restarts.Search(6), np.random.default_rng(0))
    assert len(made) == 1 and len(found.objectives) == 6
