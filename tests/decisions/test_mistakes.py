"""The worst mistakes are those that sorting everything finds, whatever the batches."""

import doctest
import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import priori.decisions.mistakes
from priori.decisions import Worst

CLASSES = ["b", "a", "c"]


@st.composite
def scored(draw):
    n = draw(st.integers(1, 40))
    weights = draw(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=n, max_size=n))
    p = np.array(weights, dtype=np.float64)
    truth = draw(st.lists(st.sampled_from([*CLASSES, "never", None]), min_size=n, max_size=n))
    return p / p.sum(axis=1, keepdims=True), truth


@given(scored(), st.integers(1, 12), st.data())
def test_they_are_those_that_sorting_finds(data, most, choices):
    p, truth = data
    wrong = [
        (row[CLASSES.index(label)], at)
        for at, (row, label) in enumerate(zip(p, truth, strict=True))
        if label in CLASSES and row.argmax() != CLASSES.index(label)
    ]
    cuts = sorted(choices.draw(st.sets(st.integers(0, len(truth)))) | {0, len(truth)})
    worst = Worst(CLASSES, most)
    for start, stop in itertools.pairwise(cuts):
        worst.add(p[start:stop], truth[start:stop], lambda row, start=start: f"document {start + row}")
    found = worst.result()
    assert [(mistake.probability, mistake.position) for mistake in found] == sorted(wrong)[:most]
    for mistake in found:
        assert mistake.document == f"document {mistake.position}"
        assert mistake.truth == truth[mistake.position]
        assert mistake.predicted == CLASSES[p[mistake.position].argmax()]
        assert mistake.predicted_probability == p[mistake.position].max()


def test_logarithms_tell_apart_what_has_no_probability_left():
    worst = Worst(["a", "b"], most=2)
    p = np.array([[1.0, 0.0], [1.0, 0.0], [0.9, 0.1]])
    logs = np.array([[0.0, -800.0], [0.0, -900.0], [math.log(0.9), math.log(0.1)]])
    worst.add(p, ["b", "b", "b"], lambda row: row, logs)
    assert [mistake.document for mistake in worst.result()] == [1, 0]


def test_few_documents_are_asked_for():
    asked = []
    worst = Worst(["a", "b"], most=3)
    p = np.column_stack([np.linspace(0.6, 0.99, 1000), np.linspace(0.4, 0.01, 1000)])
    worst.add(p, ["b"] * 1000, asked.append)
    worst.add(p, ["b"] * 1000, asked.append)
    assert asked == [999, 998, 997, 999, 998]  # the last is as bad as one that came before


def test_docstring_example():
    assert doctest.testmod(priori.decisions.mistakes).failed == 0
