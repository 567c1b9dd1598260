"""Trees of bins: against a sum over every pruning, and what holds for all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from priori.columns.bin_tree import STRENGTH, BinTree

counts = st.integers(1, 3).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=1, max_size=7)
).map(lambda rows: np.array(rows, np.float64)).filter(lambda table: (table.sum(axis=1) > 0).all())  # fmt: skip


def prunings(tree):
    """Every set of nodes that divide by class: a node can only if all nodes above it do."""
    for chosen in product([False, True], repeat=len(tree.nodes)):
        own = {node for node, is_own in zip(tree.nodes, chosen, strict=True) if is_own}
        above = {
            node: [up for up in tree.nodes if up.low <= node.low and node.high <= up.high and up != node]
            for node in tree.nodes
        }
        if all(set(above[node]) <= own for node in own):
            yield own, np.prod([0.5 for node in tree.nodes if set(above[node]) <= own])


def by_hand(tree, table):
    """(Σ prior x evidence ratio, Σ the same x ratios of the classes) over all prunings, from the counts alone."""
    total, ratios = 0.0, np.zeros_like(table)
    for own, prior in prunings(tree):
        log_ratio, ratio = 0.0, np.ones_like(table)
        for low, cut, high in own:
            left, right = table[low:cut].sum(axis=0), table[cut:high].sum(axis=0)
            p = left.sum() / (left + right).sum()
            a, b = STRENGTH * p, STRENGTH * (1 - p)
            log_ratio += (betaln(left + a, right + b) - betaln(a, b)).sum()
            log_ratio -= left.sum() * np.log(p) + right.sum() * np.log1p(-p)
            ratio[low:cut] *= (left + a) / ((left + right + STRENGTH) * p)
            ratio[cut:high] *= (right + b) / ((left + right + STRENGTH) * (1 - p))
        weight = prior * np.exp(log_ratio)
        total += weight
        ratios += weight * ratio
    return total, ratios / total


@given(counts)
def test_all_prunings_are_averaged_exactly(table):
    tree = BinTree.of(table)
    evidence, ratios = by_hand(tree, table)
    assert tree.log_evidence == pytest.approx(np.log(evidence), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(np.exp(tree.log_ratios()), ratios, rtol=1e-9)


@given(counts)
def test_the_priors_of_all_prunings_sum_to_one(table):
    assert sum(prior for _, prior in prunings(BinTree.of(table))) == pytest.approx(1, rel=1e-12)


@given(counts)
def test_ratios_average_to_one(table):
    """Σ p(bin) p(bin | class) / p(bin) = 1: it is a distribution in each class, also in one without rows."""
    ratios = np.exp(BinTree.of(table).log_ratios())
    np.testing.assert_allclose(table.sum(axis=1) / table.sum() @ ratios, 1, rtol=1e-12)


@given(counts)
def test_nodes_divide_every_bin_from_every_other(table):
    tree = BinTree.of(table)
    assert len(tree.nodes) == len(table) - 1
    assert sorted(node.cut for node in tree.nodes) == list(range(1, len(table)))
    assert ((tree.own >= 0) & (tree.own <= 1)).all()


@given(counts, st.sampled_from([0.5, 1.0, 2.0]))
def test_without_a_row_the_counts_are_fewer_and_the_weights_stay(table, weight):
    tree = BinTree.of(table)
    left = np.exp(tree.log_ratios_without(weight))
    for at, k in zip(*np.nonzero(table >= weight), strict=True):
        ratio = 1.0
        for (low, cut, high), p, own in reversed(list(zip(tree.nodes, tree.share, tree.own, strict=True))):
            if low <= at < high:
                side = slice(low, cut) if at < cut else slice(cut, high)
                chance = p if at < cut else 1 - p
                here, all_of_it = table[side, k].sum() - weight, table[low:high, k].sum() - weight
                ratio = 1 - own + own * ratio * (here + STRENGTH * chance) / ((all_of_it + STRENGTH) * chance)
        assert left[at, k] == pytest.approx(ratio, rel=1e-9)


@pytest.mark.parametrize("table", [[[5.0, 5.0]], np.zeros((0, 2))], ids=["one bin", "no bins"])
def test_one_bin_says_nothing(table):
    tree = BinTree.of(np.array(table))
    assert tree.log_evidence == 0
    assert (tree.log_ratios() == 0).all()


def test_one_class_says_nothing():
    """Its own shares are the common ones, so every ratio is 1, up to what the Beta prior moves."""
    tree = BinTree.of(np.array([[5.0], [2.0], [9.0]]))
    np.testing.assert_allclose(tree.log_ratios(), 0, atol=1e-12)


def test_alike_classes_stay_together_and_unlike_ones_part():
    alike, unlike = BinTree.of(np.full((16, 2), 50.0)), BinTree.of(np.repeat([[90.0, 10.0], [10.0, 90.0]], 8, axis=0))
    assert alike.log_evidence < 0
    np.testing.assert_allclose(alike.log_ratios(), 0, atol=1e-12)
    assert unlike.log_evidence > 100
    assert unlike.own[0] > 0.999999
    np.testing.assert_allclose(np.exp(unlike.log_ratios()[0]), [1.8, 0.2], rtol=0.02)
