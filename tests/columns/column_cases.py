"""One case for each family of columns: random cells with holes, in three classes, and how to take some of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from priori.columns.base import Codes, ColumnFamily, Rows
from priori.columns.bins import BinnedColumn
from priori.columns.categories import BernoulliColumn, Categorical
from priori.columns.joint.column import GaussianColumns
from priori.columns.joint.multinomial import MultinomialColumns
from priori.columns.joint.settings import NiwPrior
from priori.columns.normal import GaussianColumn, LognormalColumn, StudentColumn
from priori.columns.rates import ExponentialColumn, GammaColumn, PoissonColumn
from priori.columns.readings import TableReadings
from priori.columns.words.column import TextColumn
from priori.families import GammaExponential, GammaGamma, GammaPoisson, NormalInverseGamma

LABELS = ("a", "b", "c")
ESTIMATES = ("ml", "map", "mean", "bayes")
WORDS = ("the", "cat", "sat", "on", "a", "mat")


@dataclass(frozen=True)
class ColumnCase:
    """A family, what its settings are called, and cells for it."""

    name: str
    family: ColumnFamily
    cells: Callable
    fixed_prior: bool = False  # whether the prior does not depend on the rows

    def __str__(self):
        return self.name


def numbers(draw, holes=0.15):
    """Cells by class, some of them missing."""

    def cells(rng, group):
        values = np.array([draw(rng, k) for k in group], np.float64)
        values[rng.random(len(values)) < holes] = np.nan
        return values

    return cells


def codes(values, shares):
    def cells(rng, group):
        found = np.array([rng.choice(len(values), p=shares[k]) for k in group], np.int32)
        found[rng.random(len(found)) < 0.15] = -1
        return Codes(found, values)

    return cells


def texts(rng, group):
    sizes = rng.integers(0, 5, len(group))
    drawn = [
        " ".join(WORDS[(rng.integers(4) + k) % 6] for _ in range(size)) for size, k in zip(sizes, group, strict=True)
    ]
    gone = rng.random(len(drawn)) < 0.15
    return pa.array([None if lost else text for lost, text in zip(gone, drawn, strict=True)], pa.large_string())


def rows_of_numbers(draw):
    def cells(rng, group):
        found = np.array([draw(rng, k) for k in group], np.float64).reshape(len(group), -1)
        found[rng.random(found.shape) < 0.05] = np.nan
        return found

    return cells


real = numbers(lambda rng, k: rng.normal(k, 1 + k))
positive = numbers(lambda rng, k: rng.gamma(2 + k, 1.5))
counts = numbers(lambda rng, k: rng.poisson(1 + 2 * k))
values = codes(("x", "y", "z", "rare"), [[0.5, 0.3, 0.15, 0.05], [0.2, 0.2, 0.6, 0.0], [0.1, 0.8, 0.1, 0.0]])
truths = codes(("false", "true"), [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]])
three = rows_of_numbers(lambda rng, k: rng.normal([k, -k, 0], [1, 2, 0.5]))
bag = rows_of_numbers(lambda rng, k: rng.multinomial(5, [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2], [0.1, 0.1, 0.8]][k]))
NIW = NiwPrior(kappa=0.7, nu=5.5, location=[0.5, -0.2, 0.1], scale=[[2.0, 0.5, 0.0], [0.5, 3.0, 0.1], [0.0, 0.1, 1.0]])

CASES = [
    ColumnCase("bernoulli", BernoulliColumn(), truths, fixed_prior=True),
    ColumnCase("categorical", Categorical(), values),
    ColumnCase("categorical, stated", Categorical(("rare", "w", "x", "y", "z")), values, fixed_prior=True),
    ColumnCase("binned 4", BinnedColumn(4), real),
    ColumnCase("binned", BinnedColumn(), real),
    ColumnCase("binned counts", BinnedColumn(), counts),
    ColumnCase("gaussian", GaussianColumn(), real),
    ColumnCase("gaussian, prior", GaussianColumn(NormalInverseGamma(0.5, 0.7, 1.2, 2.0)), real, fixed_prior=True),
    ColumnCase("student", StudentColumn(), real),
    ColumnCase("student, prior", StudentColumn(NormalInverseGamma(0.5, 0.7, 1.2, 2.0)), real, fixed_prior=True),
    ColumnCase("lognormal", LognormalColumn(), positive),
    ColumnCase("lognormal, prior", LognormalColumn(NormalInverseGamma(0.5, 0.7, 1.2, 2.0)), positive, fixed_prior=True),
    ColumnCase("poisson", PoissonColumn(), counts),
    ColumnCase("poisson, prior", PoissonColumn(GammaPoisson(1.5, 0.5)), counts, fixed_prior=True),
    ColumnCase("exponential", ExponentialColumn(), positive),
    ColumnCase("exponential, prior", ExponentialColumn(GammaExponential(1.5, 0.5)), positive, fixed_prior=True),
    ColumnCase("gamma", GammaColumn(), positive),
    ColumnCase("text", TextColumn(), texts),
    ColumnCase("gaussian_joint, shared", GaussianColumns(), three),
    ColumnCase("gaussian_joint, full, prior", GaussianColumns("full", prior=NIW), three, fixed_prior=True),
    ColumnCase("multinomial", MultinomialColumns(), bag, fixed_prior=True),
]
GAMMA_PRIOR = GammaGamma


def take(cells, places):
    """Some of the cells, in this order."""
    places = np.asarray(places, np.intp)
    if isinstance(cells, Codes):
        return Codes(cells.codes[places], cells.values)
    return cells.take(pa.array(places)) if isinstance(cells, pa.Array) else cells[places]


def take_rows(rows, places):
    return Rows(rows.labels, rows.group[places], None if rows.weight is None else rows.weight[places])


def learned(case, n=40, seed=0, weighted=False, classes=3):
    """(cells, rows, statistics): every class occurs, and some rows have no label."""
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.repeat(np.arange(classes), 4), rng.integers(0, classes, n - 4 * classes)])
    cells = case.cells(rng, group)
    group = np.where(rng.random(n) < 0.1, -1, group).astype(np.int32)
    weight = (rng.integers(1, 5, n) << 19).astype(np.int64) if weighted else None
    rows = Rows(LABELS[:classes], group, weight)
    return cells, rows, case.family.count(cells, rows)


def readings(estimate, alpha=1.5, **others):
    return TableReadings(estimate, alpha, **others)
