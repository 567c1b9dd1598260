"""Fixed buckets of numbers, and how they are merged into bins when they are read.

A bucket is a number's sign, exponent and first ten bits of the mantissa: 1024 an octave, at most 0.1 % wide, one for
each whole number up to 2048. It does not depend on data, so counts in buckets add and subtract.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SHIFT = 42  # bits of a number below its bucket
_SIGN = np.uint64(1 << 63)


def bucket_of(numbers: Floats) -> Ints:
    """The bucket of each number, in the order of the numbers; of NaN, whatever it is.

    >>> bucket_of(np.array([-1.0, 0.0, 1.0, 1.0005, 17.0])).tolist()
    [-1047553, 0, 1047552, 1047552, 1051712]
    """
    bits = (numbers + 0.0).view(np.uint64)  # -0 and 0 are one number
    size = ((bits & ~_SIGN) >> np.uint64(_SHIFT)).astype(np.int64)
    return np.where(bits >= _SIGN, -size - 1, size)


def edges_of(buckets: Ints) -> tuple[Floats, Floats]:
    """Where each bucket begins and ends, the one nearer to 0 first."""
    size = np.where(buckets < 0, -buckets - 1, buckets).astype(np.uint64)
    sign = np.where(buckets < 0, -1.0, 1.0)
    near, far = ((s << np.uint64(_SHIFT)).view(np.float64) for s in (size, size + np.uint64(1)))
    return sign * near, sign * np.minimum(far, np.finfo(np.float64).max)  # the last one ends where numbers do


def middle_of(buckets: Ints) -> Floats:
    """A number in the middle of each bucket; 0 for the one that it is in."""
    near, far = edges_of(buckets)
    return np.where(buckets == 0, 0.0, near + (far - near) / 2)


def quantile_bins(totals: Floats, most: int) -> npt.NDArray[np.intp]:
    """The bin of each bucket: at most `most` of about equal weight, by the middle of its rank; all are used.

    >>> quantile_bins(np.array([1.0, 1.0, 6.0, 1.0, 1.0]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    ranks = (np.cumsum(totals) - totals / 2) / totals.sum()
    bins = np.minimum((most * ranks).astype(np.intp), most - 1)
    return np.unique(bins, return_inverse=True)[1].reshape(-1).astype(np.intp)


def merged(counts: Floats, bins: npt.NDArray[np.intp]) -> Floats:
    """Counts of buckets (B, K) added up by bin."""
    total = np.zeros((int(bins[-1]) + 1 if len(bins) else 0, counts.shape[1]))
    np.add.at(total, bins, counts)
    return total
