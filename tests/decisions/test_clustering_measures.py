"""Which class is which, against brute force and scikit-learn."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from priori.errors import DataError
from priori.latent import matched_accuracy, normalized_mutual_information

partitions = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n), st.lists(st.integers(0, 3), min_size=n, max_size=n)
    )
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(partitions)
def test_matched_accuracy_is_the_best_of_all_namings(pair):
    truth, found = (np.array(part) for part in pair)
    best = max(np.mean(np.array(naming)[found] == truth) for naming in permutations(range(5), 4))
    assert matched_accuracy(truth, found) == pytest.approx(best, abs=1e-15)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(partitions)
def test_mutual_information_is_scikit_learns(pair):
    truth, found = pair
    # sums of at most 20 rounded terms, each at most 1 in size, over an entropy of at least 0.07
    want = normalized_mutual_info_score(truth, found)
    assert normalized_mutual_information(truth, found) == pytest.approx(want, abs=1e-13)


def test_names_do_not_matter_and_bad_pairs_are_refused():
    assert matched_accuracy(["a", "b", "b", "c"], [5, 7, 7, 1]) == 1
    assert normalized_mutual_information(["a", "b", "b", "c"], [5, 7, 7, 1]) == pytest.approx(1)
    for bad in (([1, 2], [1]), ([], [])):
        with pytest.raises(DataError, match="cannot be compared"):
            matched_accuracy(*bad)
