"""Geweke's joint-distribution test (2004) in its independent form (Gandy & Scott 2020), with the bugs it catches.

Labels and words are drawn from the joint, many times over and independently; sweeps must leave their distribution as it
is. Each test function is compared with itself before the sweeps, copy by copy, so that the standard error is that of
independent differences.
"""

import numpy as np
import pytest
from gibbs_reference import BUGS, log_joint, sweep, tallies
from scipy.stats import norm
from toys import hidden_of, lopsided

SWEEPS = 8
LENGTH = 4


def test_functions(toy, labels, counts):
    """(R, functions): sizes and words of classes, the joint, and what depends on data and labels together."""
    words, documents = tallies(labels, counts, toy.shape[0])
    of_labels, of_words = log_joint(toy, labels, counts)
    return np.column_stack(
        [
            documents,
            documents**2,
            words[:, :, 0],
            of_labels,
            of_words,
            (words**2).sum(axis=(1, 2)),
            (words.max(axis=2) * documents).sum(axis=1),
        ]
    )


test_functions.__test__ = False


def largest_z(toy, before, after, counts):
    gap = test_functions(toy, after, counts) - test_functions(toy, before, counts)
    error = gap.std(axis=0, ddof=1) / np.sqrt(len(gap))
    return np.abs(gap.mean(axis=0) / error).max(), gap.shape[1]


def limit(functions):
    """Bonferroni: a false alarm in a million runs."""
    return norm.isf(1e-6 / 2 / functions)


def test_native_sweeps_leave_the_joint_as_it_is():
    toy, rng = lopsided(), np.random.default_rng(20)
    before, counts = toy.draw(6000, LENGTH, rng)
    after = before.copy()
    uniforms = rng.random((len(before), SWEEPS, before.shape[1]))
    for r in range(len(before)):
        chain = hidden_of(toy, counts[r]).chain(before[r].astype(np.int32))
        for u in uniforms[r]:
            chain.sweep(u)
        after[r] = chain.labels()
    z, functions = largest_z(toy, before, after, counts)
    assert z < limit(functions)
    assert (after != before).any(axis=1).mean() > 0.5  # and they do move


@pytest.mark.parametrize("bug", [None, *BUGS])
def test_the_plain_sampler_and_its_bugs(bug):
    toy, rng = lopsided(), np.random.default_rng(21)
    before, counts = toy.draw(20000, LENGTH, rng)
    after = before
    for _ in range(SWEEPS):
        after = sweep(toy, after, counts, rng.random(before.shape), bug=bug)
    z, functions = largest_z(toy, before, after, counts)
    assert (z > limit(functions)) == (bug is not None), z
