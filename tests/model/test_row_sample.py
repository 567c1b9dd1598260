"""The kept rows of a table: the same whatever the order, the batches and the threads; never too many, never too few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import content, plain, sample_of, small_limit, tables  # noqa: F401 (the limit is that of these tests)

from priori.errors import NegativeCountError
from priori.model import file  # noqa: F401 (before LIMIT is another)


@given(table=tables, data=st.data())
def test_any_order_and_any_batches_give_one_sample(table, data):
    whole = sample_of(table)
    mixed = data.draw(st.permutations(table))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    total = sample_of(())
    for shift, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(table)], strict=True)):
        total = total + sample_of(mixed[start:end], shift, data.draw(st.sampled_from([0, total.bits])))
    assert total == whole
    for mine, theirs in zip(total.cells, whole.cells, strict=True):
        if isinstance(mine, np.ndarray):
            assert mine.tobytes() == theirs.tobytes()  # -0 and 0 are not only equal


@given(table=tables)
def test_the_rows_are_those_of_small_hash_with_all_their_weight(table):
    """Against dictionaries: equal rows are one, and the threshold is the smallest that leaves at most LIMIT."""
    expected = {}
    for row in table:
        if row[0] >= 0 and row[1]:
            expected[plain(row)] = expected.get(plain(row), 0) + row[1]
    sample = sample_of(table)
    assert content(sample).items() <= expected.items()
    assert len(sample) == len(np.unique(sample.hashes)) == len(content(sample)) <= 6
    assert (np.diff(sample.hashes.astype(object)) > 0).all()
    assert len(sample) == len(expected) or sample.bits > 0
    alone = [
        sample_of([row]).hashes[0] for row in {plain(row): row for row in table if row[0] >= 0 and row[1]}.values()
    ]
    zeros = [64 - int(value).bit_length() for value in alone]
    fewest = next(bits for bits in range(65) if sum(each >= bits for each in zeros) <= 6)
    assert sample.bits == fewest
    assert sorted(sample.hashes.tolist()) == sorted(
        int(value) for value, zero in zip(alone, zeros, strict=True) if zero >= fewest
    )


@given(first=tables, second=tables)
def test_merging_commutes_and_subtracting_undoes_it(first, second):
    a, b = sample_of(first), sample_of(second, 1)
    both = a + b
    assert both == b + a == sample_of(first + second)
    left = both - b
    if both.bits == a.bits:
        assert left == a
    assert left == a.at_bits(both.bits)
    assert content(left).items() <= content(a).items()
    assert len(both - both) == 0
    if len(left):
        with pytest.raises(NegativeCountError):
            b - both


@given(table=tables.filter(lambda table: any(group >= 0 and weight for group, weight, *_ in table)))
def test_a_row_of_weight_two_is_that_row_twice(table):
    halves = [(group, weight // 2, *rest) for group, weight, *rest in table for _ in range(2)]
    assert sample_of(halves) == sample_of(table)
    assert len(sample_of(table) - sample_of(halves)) == 0
