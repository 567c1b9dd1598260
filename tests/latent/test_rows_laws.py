"""EM over rows: its objective never falls, and on labelled rows it is the model that counting gives."""

from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rows_cases import hidden_rows, rounding

from priori.columns.bins import BinnedColumn
from priori.columns.joint.column import GaussianColumns
from priori.columns.joint.settings import NiwPrior
from priori.columns.readings import TableReadings
from priori.data.frames import table_batches
from priori.errors import EstimateError
from priori.latent import em_rows
from priori.latent.em_algorithm.row_iteration import HiddenModel
from priori.model.table_classifier import TableModel

LAWS = settings(derandomize=True, deadline=None, max_examples=100)
MIXED = {"c": "categorical", "b": "bernoulli", "g": "gaussian", "p": "poisson", "e": "exponential"}
TABLES = {
    "gaussian": {"g": "gaussian", "h": "gaussian"},
    "categorical": {"c": "categorical"},
    "bernoulli": {"b": "bernoulli"},
    "lognormal": {"e": "lognormal"},
    "student": {"g": "student"},
    "poisson": {"p": "poisson"},
    "exponential": {"e": "exponential"},
    "gamma": {"e": "gamma"},
    "bins": {"g": BinnedColumn(3)},
    "automatic": {"g": "binned", "c": "categorical"},
    "text": {"t": "text"},
    "multinomial": {("p", "q"): "multinomial"},
    "mixed": MIXED,
    **{
        f"joint {kind}": {("g", "h"): GaussianColumns(kind)}
        for kind in ("shared", "full", "diagonal", "shared_diagonal")
    },
}
ESTIMATES = ("bayes", "mean", "map", "ml")


def table(size, rng, gaps=0.15):
    """A column of each type, cells missing at random."""
    hidden = rng.integers(0, 3, size)
    columns = {
        "c": np.array(["u", "v", "w", "z"], object)[(hidden + rng.integers(0, 2, size)) % 4],
        "b": rng.random(size) < 0.2 + 0.3 * hidden,
        "g": rng.normal(2.0 * hidden, 1.0),
        "h": rng.normal(-hidden, 0.5),
        "p": rng.poisson(1 + 2 * hidden),
        "q": rng.poisson(5 - hidden),
        "e": rng.exponential(1.0 + hidden) + 0.01,
        "t": np.array(["free entry now", "see you at lunch", "free lunch", "now now see"], object)[
            (hidden + rng.integers(0, 2, size)) % 4
        ],
    }
    return {
        name: pa.array([None if rng.random() < gaps else value for value in column.tolist()])
        for name, column in columns.items()
    }


def chosen(data, columns):
    names = [name for key in columns for name in (key if isinstance(key, tuple) else (key,))]
    return {name: data[name] for name in names}


@pytest.mark.parametrize("name", TABLES)
@given(st.integers(0, 2**32), st.integers(4, 40), st.integers(2, 4), st.sampled_from(ESTIMATES), st.data())
@LAWS
def test_the_objective_never_falls(name, seed, size, classes, estimate, more):
    columns = TABLES[name]
    rng = np.random.default_rng(seed)
    known = more.draw(st.sampled_from([0.0, 0.3]))
    y = [str(rng.integers(classes) + 1) if rng.random() < known else None for _ in range(size)]
    weights = rng.choice([0.5, 1.0, 3.0], size)
    rows = hidden_rows(chosen(table(size, rng), columns), y, columns, classes, weights)
    readings = TableReadings(
        estimate,
        alpha=more.draw(st.sampled_from([1.0, 2.5])),
        class_prior=more.draw(st.sampled_from(["ml", "uniform", 1.5])),
        unknown=more.draw(st.sampled_from(["ignore", "prior"])),
        missing=more.draw(st.sampled_from(["ignore", "evidence"])),
    )
    start = rng.dirichlet(np.ones(classes), len(rows))
    steps = em_rows(rows, readings, start, unlabelled_weight=more.draw(st.sampled_from([0.2, 1.0])))
    try:
        found = list(islice(steps, 12))
    except EstimateError:  # a maximum that does not exist, or a mean of too few rows
        assume(False)
    for before, after in pairwise(found):
        assert after.objective >= before.objective - rounding(after)
    last = found[-1]
    np.testing.assert_allclose(last.responsibilities.sum(axis=1), 1, rtol=1e-12)
    for row in np.flatnonzero(rows.known):
        assert last.responsibilities[row].tolist() == [float(k == rows.group[row]) for k in range(classes)]


@pytest.mark.parametrize("estimate", ["mean", "map"])
@pytest.mark.parametrize(
    "name", [name for name in TABLES if name not in ("student", "gamma")]
)  # which EM has otherwise
def test_of_labelled_rows_it_is_the_model_that_counting_gives(name, estimate):
    """The oracle of every M-step: statistics, priors and densities of the families as all other tests hold them."""
    columns = TABLES[name]
    if name == "automatic":
        columns = {"g": "gaussian", "c": "categorical"}  # as EM reads bins
    if name.startswith("joint"):  # where all is given, no prior is placed by other rows
        columns = {("g", "h"): GaussianColumns(name[6:], prior=NiwPrior(0.3, 5.0, [1.0, 0.0], [2.0, 1.0]))}
    rng = np.random.default_rng(5)
    data = chosen(table(40, rng, gaps=0.0 if "joint" in name or name == "multinomial" else 0.15), columns)
    y = rng.integers(1, 4, 40).astype(str).tolist()
    rows = hidden_rows(data, y, columns)
    readings = TableReadings(estimate, alpha=1.5, class_prior=2.0, unknown="prior")
    ones = rows.clamped(np.zeros((40, 3)))
    step = HiddenModel(rows, readings, 1.0, ones).step(ones, 1)
    batch = next(iter(table_batches(pa.table(data))))
    model = TableModel(batch.schema, rows.parts, rows.statistics(ones), readings)
    joint = model.log_joint(batch)
    norm = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(step.log_posterior, norm, rtol=1e-9, atol=1e-9)
    own = joint[np.arange(40), rows.group].sum()
    np.testing.assert_allclose(step.log_likelihood, own, rtol=1e-10)


def test_the_mean_is_the_mode_of_one_more():
    """Of counts: the posterior mean under alpha is the mode under alpha + 1, and EM takes the same way under both."""
    rng = np.random.default_rng(3)
    data = chosen(table(30, rng), {"c": 0, "b": 0})
    rows = hidden_rows(data, [None] * 30, {"c": "categorical", "b": "bernoulli"}, 3)
    start = rng.dirichlet(np.ones(3), 30)
    ways = [
        list(islice(em_rows(rows, TableReadings(estimate, alpha, prior), start), 8))
        for estimate, alpha, prior in (("mean", 0.7, 0.4), ("map", 1.7, 1.4))
    ]
    for one, other in zip(*ways, strict=True):
        np.testing.assert_allclose(one.responsibilities, other.responsibilities, rtol=1e-11, atol=1e-14)
        assert one.objective == pytest.approx(other.objective, rel=1e-12)


def test_a_wrong_step_is_noticed():
    """The planted bug: a mode whose objective is that of the mean falls, so the law above can fail."""
    rng = np.random.default_rng(2)
    rows = hidden_rows(chosen(table(12, rng), {"g": 0}), [None] * 12, {"g": "gaussian"}, 2)
    readings = TableReadings("map")
    start = rng.dirichlet(np.ones(2), 12)
    model = HiddenModel(rows, readings, 1.0, start)
    model.factors[0].prior = model.factors[0].prior._replace(scale=5 * model.factors[0].prior.scale)
    wrong = HiddenModel(rows, readings, 1.0, start)
    now, objectives = start, []
    for iteration in range(30):
        step = model.step(now, iteration)
        objectives.append(wrong_objective(wrong, step))
        now = step.responsibilities
    assert min(np.diff(objectives)) < -1e-6


def wrong_objective(model, step):
    """Of the same parameters under another prior."""
    means, variances = step.parameters[0]["means"], step.parameters[0]["variances"]
    return step.log_likelihood + model.factors[0]._log_prior(means, variances)


def test_statistics_are_fractional_adds():
    rng = np.random.default_rng(4)
    data = table(20, rng)
    rows = hidden_rows(chosen(data, MIXED), [None] * 20, MIXED, 2)
    step = next(em_rows(rows, TableReadings(), rng.dirichlet(np.ones(2), 20)))
    statistics = step.statistics()
    assert statistics.weight.sum() == 20 << 20  # no row is lost to rounding
    np.testing.assert_allclose(statistics.n, step.sizes, atol=20 * 2 * 2.0**-20)
    halves = replace(rows, weight=rows.weight // 2)
    assert (halves.statistics(step.responsibilities).weight.sum()) == 10 << 20
