"""Estimators for the tests of tables: without the exponent on the likelihood, where there is one."""

from inspect import signature

import numpy as np

from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.naive_bayes import NaiveBayes


def naive_bayes(**settings):
    """NaiveBayes as the formulas have it: p(y) Π p(x_j | y)."""
    if "temper" in signature(NaiveBayes.__init__).parameters:
        settings = {"temper": 1, "unlabelled": "skip", **settings}
    return NaiveBayes(**settings)


def discriminant(**settings):
    return GaussianDiscriminant(**{"unlabelled": "skip", **settings})


def mixed_table(n, seed=0, holes=0.15):
    """Columns of every kind with holes, and labels; a dict of lists."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, n) + 200 * y
    words = np.array(["the", "cat", "sat", "on", "a", "mat"])
    columns = {
        "age": rng.integers(18, 60, n) + 5 * y,
        "income": rng.lognormal(10 + y / 2, 0.5, n),
        "job": rng.choice(["clerk", "nurse", "pilot", "cook"], n),
        "smokes": rng.random(n) < 0.2 + 0.2 * y,
        "born": [day.item() for day in days],
        "text": [" ".join(rng.choice(np.roll(words, k)[:4], rng.integers(0, 5))) for k in y],
        "visits": rng.poisson(1 + y),
    }
    table = {}
    for name, values in columns.items():
        kept = [value.item() if isinstance(value, np.generic) else value for value in values]
        table[name] = [None if rng.random() < holes else value for value in kept]
    return table, [("no", "perhaps", "yes")[k] for k in y]


def rows_of(table, places):
    return {name: [column[i] for i in places] for name, column in table.items()}
