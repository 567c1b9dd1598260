"""A sparse matrix of counts with the names of its columns, as a batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.errors import DataError
from priori.sources.batch import Batch


def is_sparse(value: object) -> bool:
    """Whether a value is one of scipy's sparse matrices, found without importing scipy."""
    return type(value).__module__.startswith("scipy.sparse") and hasattr(value, "tocsr")


def matrix_batch(
    matrix: Any,
    names: Sequence[str] | None,
    labels: list[str | None] | None,
    weights: npt.NDArray[np.float64] | None,
) -> Batch:
    """Rows are documents, columns terms: counts are whole numbers from 0."""
    if names is None:
        raise DataError("a matrix of counts needs the names of its columns; give TextClassifier(feature_names=...)")
    csr = matrix.tocsr()
    texts = [str(name) for name in names]
    if csr.shape[1] != len(texts):
        raise DataError(
            f"the matrix has {csr.shape[1]} columns, but there are {len(texts)} feature names; give one each"
        )
    if labels is not None and len(labels) != csr.shape[0]:
        raise DataError(
            f"there are {len(labels)} labels for {csr.shape[0]} documents; give one label for each document"
        )
    if weights is not None and weights.shape != (csr.shape[0],):
        raise DataError(
            f"there are {weights.size} weights for {csr.shape[0]} documents; give one weight for each document"
        )
    counts = np.asarray(csr.data)
    if not bool(np.all(np.isfinite(counts) & (counts >= 0) & (counts == np.rint(counts)))):
        raise DataError(
            "the matrix holds something else than whole counts from 0; give counts, not weights such as TF-IDF"
        )
    keys = pa.DictionaryArray.from_arrays(pa.array(csr.indices.astype(np.int32)), pa.array(texts, pa.string()))
    text = pa.MapArray.from_arrays(
        pa.array(csr.indptr.astype(np.int32)), keys, pa.array(counts.astype(np.int64), pa.int64())
    )
    label = None if labels is None else pa.array(labels, pa.string())
    weight = None if weights is None else pa.array(weights, pa.float64())
    return Batch(text, label, weight, {}, {}, 0, None)
