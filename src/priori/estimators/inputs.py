"""Tables as scikit-learn's users bring them: with labels beside the rows or in a column, with names or without."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_array

from priori.data.batch import TableBatch
from priori.data.conversion import Place, fitted
from priori.data.frames import table_batches
from priori.data.labels import LabelType, encoded, from_texts, library
from priori.data.schema import Field, Schema, listed
from priori.errors import DataError
from priori.model.totals import Labelled
from priori.statistics.term_counts import to_units


def split_label(X: Any, y: Any) -> tuple[Any, Any]:
    """A table and its labels, where y may be the name of one of the table's columns."""
    if not isinstance(y, str):
        return X, y
    if is_unnamed(X):
        raise DataError(f"y is the name {y!r}, and X has no names of columns; give a frame, or the labels themselves")
    if isinstance(X, list | tuple):
        _refuse_unknown(y, list(dict.fromkeys(str(name) for row in X for name in row)))
        rows = [{name: cell for name, cell in row.items() if name != y} for row in X]
        return rows, [row.get(y) for row in X]
    if library(X) == "pandas" or isinstance(X, Mapping):
        _refuse_unknown(y, [str(name) for name in X])
        return (X.drop(columns=y) if library(X) == "pandas" else {k: v for k, v in X.items() if k != y}), X[y]
    if not hasattr(X, "__arrow_c_stream__") and hasattr(X, "collect"):
        X = X.collect()  # a lazy frame
    table = pa.RecordBatchReader.from_stream(X).read_all()
    _refuse_unknown(y, table.column_names)
    return table.drop_columns([y]), table[y]


def _refuse_unknown(name: str, names: list[str]) -> None:
    if name not in names:
        raise DataError(f"y is {name!r}, which is no column of X; its columns are {listed(names)}")


def is_unnamed(X: Any) -> bool:
    """Whether X is an array, or a list of rows: columns without names."""
    if isinstance(X, list | tuple):
        return not (X and isinstance(X[0], Mapping))
    if library(X) in ("pandas", "polars", "narwhals") or isinstance(X, Mapping):
        return False
    return isinstance(X, np.ndarray) or hasattr(X, "tocsr") or not hasattr(X, "__arrow_c_stream__")


def names_as(X: Any, names: tuple[str, ...]) -> bool:
    """Whether a frame calls its columns so, as one that was sampled from a model without names does."""
    said = X.columns if library(X) == "pandas" else getattr(X, "column_names", ())
    return tuple(said) == names


def heading(X: Any, names: tuple[str, ...]) -> Any:
    """An empty table of as many columns, with those names if X has some that scikit-learn would keep: texts."""
    if is_unnamed(X):
        return np.empty((0, len(names)))
    if library(X) == "pandas" and not all(isinstance(name, str) for name in X.columns):
        return X.iloc[:0]  # numbers are no names; numbers beside texts are refused
    return pa.table({name: pa.array([], pa.null()) for name in names})


def batches_of(
    X: Any, schema: Schema | None, estimator: str, *, by_place: bool, least_rows: int
) -> Iterator[TableBatch]:
    """A table in batches: columns go by their names, or by their places where the model was learned without names."""
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):  # a list goes as it is, for an array has but one type
        X = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=least_rows, input_name="X")
    if schema is None or not by_place or is_unnamed(X):
        return table_batches(X, schema, estimator=estimator)
    return _renamed(table_batches(X, estimator=estimator), schema, estimator)


def _renamed(batches: Iterator[TableBatch], schema: Schema, estimator: str) -> Iterator[TableBatch]:
    for batch in batches:
        found = batch.schema.fields
        if len(found) != len(schema.fields):
            raise DataError(
                f"X has {len(found)} features, but {estimator} is expecting {len(schema.fields)} features as input; it "
                "was fitted without names, so columns go by their places"
            )
        fields = zip(schema.names, found, strict=True)
        schema.check(Schema(tuple(Field(name, field.type) for name, field in fields)), "X")
        columns = dict(zip(schema.names, (batch.columns[field.name] for field in found), strict=True))
        columns = fitted(schema, columns, Place(batch.source, batch.first_row, batch.condition))
        yield replace(batch, schema=schema, columns=columns)


class Targets:
    """Labels and weights, one for each row of a table that comes in batches."""

    def __init__(self, y: Any, sample_weight: Any) -> None:
        if y is None:
            raise DataError(
                "requires y to be passed, but the target y is None: learning needs a label for each row (None among "
                "them means unlabelled), or for fit the number of classes to be found without any: n_classes=K"
            )
        _warn_of_column_vector(y)
        self.labels, self.group, self.kind = encoded(y)
        _refuse_targets(self.labels, self.kind)
        self.weight = None if sample_weight is None else _weights(sample_weight, len(self.group))

    @property
    def hidden(self) -> npt.NDArray[np.bool_]:
        """(n,): which rows have no label."""
        return np.asarray(self.group < 0)

    def refuse_empty(self, may_be_hidden: bool = False) -> None:
        """Refuse what nothing can be learned from; all labels may be missing where classes are found without."""
        known = np.ones(len(self.group), bool) if may_be_hidden and self.hidden.all() else ~self.hidden
        if not len(known):
            raise DataError(
                "y has no labels, so nothing can be learned; give a table with rows, and a label for each (or "
                "n_classes=K, to find classes without labels)"
            )
        if not known.any():
            raise DataError(
                "every label of y is missing, so nothing can be learned; give some rows a label, or the number of "
                "classes to be found without any: n_classes=K"
            )
        if self.weight is not None and not self.weight[known].any():
            raise DataError(
                "Sample weights must contain at least one non-zero number: every weight of a labelled row is zero, so "
                "nothing can be learned; give some rows a weight"
            )

    def beside(self, batches: Iterator[TableBatch]) -> Iterator[Labelled]:
        """The batches with their labels; lengths that differ are refused."""
        at, size = 0, len(self.group)
        for batch in batches:
            rows = slice(at, at + len(batch))
            at += len(batch)
            if at <= size:
                weight = None if self.weight is None else self.weight[rows]
                yield Labelled(batch, self.labels, self.group[rows], weight)
        if at != size:
            raise DataError(f"X has {at:,} rows and y has {size:,} labels; give one label for each row")


def _weights(sample_weight: Any, rows: int) -> npt.NDArray[np.int64]:
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight holds what is no number ({error}); give one number for each row") from error
    if weights.ndim != 1:
        raise DataError(f"sample_weight has the shape {weights.shape}; give one number for each row, in one dimension")
    if len(weights) != rows:
        raise DataError(
            f"sample_weight has {len(weights):,} numbers and y {rows:,} labels; give one weight for each row"
        )
    return to_units(weights)


def _refuse_targets(labels: tuple[str, ...], kind: LabelType) -> None:
    """Refuse real numbers that are no classes, in scikit-learn's words."""
    from sklearn.utils.multiclass import check_classification_targets

    if kind != "float":
        return
    values = from_texts(labels, kind)
    if np.isinf(values).any():
        raise DataError("Input y contains infinity, which is no class; give labels, or None where there is none")
    try:
        check_classification_targets(values)
    except ValueError as error:
        raise DataError(str(error)) from error


def _warn_of_column_vector(y: Any) -> None:
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
