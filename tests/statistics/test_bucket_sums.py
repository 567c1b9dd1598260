"""`add_bucket_counts` adds two sorted tables of counts: against dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori import _core

counts = st.integers(-(2**62), 2**62 - 1) | st.integers(-2, 2)


def tables(groups):
    return st.dictionaries(
        st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3), st.lists(counts, min_size=groups, max_size=groups)
    )


def arrays(table, groups):
    buckets = sorted(table)
    cells = np.array([table[bucket] for bucket in buckets], np.int64).reshape(len(buckets), groups)
    return np.array(buckets, np.int32), cells.ravel()


@given(data=st.data(), groups=st.integers(1, 3))
def test_sums_are_those_of_dictionaries(data, groups):
    a, b = data.draw(tables(groups)), data.draw(tables(groups))
    if a and data.draw(st.booleans()):  # some buckets of one table vanish in the sum
        b |= {bucket: [-count for count in row] for bucket, row in list(a.items())[::2]}
    total = {}
    for table in (a, b):
        for bucket, row in table.items():
            total[bucket] = [x + y for x, y in zip(total.get(bucket, [0] * groups), row, strict=True)]
    total = {bucket: row for bucket, row in total.items() if any(row)}
    found, cells = _core.add_bucket_counts(*arrays(a, groups), *arrays(b, groups), groups)
    expected = arrays(total, groups)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(cells, expected[1])


def test_tables_of_other_sizes_are_refused():
    one = np.zeros(1, np.int32)
    with pytest.raises((ValueError, TypeError)):
        _core.add_bucket_counts(one, np.zeros(3, np.int64), one, np.zeros(2, np.int64), 2)
