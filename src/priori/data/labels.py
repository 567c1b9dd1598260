"""Labels are text inside; outside they are what the user gave: str, int, float or bool."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

LabelType = Literal["str", "int", "float", "bool"]
_TYPES: dict[LabelType, type] = {"str": str, "int": int, "float": float, "bool": bool}


def to_texts(labels: Any) -> tuple[list[str | None], LabelType]:
    """Labels as text, None where one is missing (None, NaN, null), and what they were."""
    values = _values(labels)
    kinds = {_kind(value) for value in values} - {None}
    if len(kinds) > 1:
        raise DataError(f"labels mix {' and '.join(sorted(map(str, kinds)))}; give them all as one type")
    kind: LabelType = kinds.pop() if kinds else "str"  # type: ignore[assignment]
    return [None if _kind(value) is None else _text(value, kind) for value in values], kind


def _text(value: Any, kind: LabelType) -> str:
    return str(float(value) + 0.0 if kind == "float" else _TYPES[kind](value))  # subtle: -0.0 + 0.0 is 0.0


def from_texts(labels: Sequence[str], kind: LabelType) -> npt.NDArray[Any]:
    """Labels as they were given, in the order of `labels`."""
    if kind == "str":
        return np.array(labels, dtype=object if not labels else None)
    if kind == "bool":
        return np.array([text == "True" for text in labels])
    try:
        return np.array([int(text) if kind == "int" else float(text) for text in labels])
    except ValueError as error:
        raise DataError(f"the model's labels {list(labels)} are not of type {kind}; read them as text") from error


def _values(labels: Any) -> list[Any]:
    if isinstance(labels, str | bytes):
        raise DataError("the labels came as one text; give one label for each document, in a list")
    labels = _with_holes(labels)
    if hasattr(labels, "to_pylist"):
        return list(labels.to_pylist())
    if library(labels) == "polars" and hasattr(labels, "to_list"):
        return list(labels.to_list())  # subtle: as an array, integers beside nulls would be floats
    array = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    if isinstance(array, np.ndarray):
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise DataError(
                f"the labels have {array.ndim} dimensions; give one label for each document (multi-label "
                "data is not supported)"
            )
        return list(array.tolist())
    return list(array)


def _with_holes(labels: Any) -> Any:
    """Integers of pandas that may be missing, as an Arrow array: as numpy's they would be floats. Others as they are.

    So are those of its nullable types, of Arrow's, and of categories that are integers.
    """
    if library(labels) != "pandas":
        return labels
    column = labels.iloc[:, 0] if getattr(labels, "ndim", 1) == 2 and labels.shape[1] == 1 else labels
    dtype = getattr(column, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype):
        return labels
    values = dtype.categories.dtype if hasattr(dtype, "categories") else dtype
    if getattr(values, "kind", "O") not in "iu":
        return labels
    import pyarrow as pa

    return pa.array(column, from_pandas=True)


def _kind(value: object) -> str | None:
    """The name of a label's type; None for a missing label."""
    if (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or type(value).__name__ in ("NAType", "NaTType")
    ):
        return None
    if isinstance(value, str):
        return "str"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | np.integer):
        return "int"
    if isinstance(value, float | np.floating):
        return "float"
    if isinstance(value, bytes):
        raise DataError(f"the label {value!r} is bytes; decode it first, for example with .decode('utf-8')")
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        raise DataError(
            f"the label {value!r} is several; give one label for each document (multi-label data is not supported)"
        )
    if isinstance(value, complex):
        raise DataError(f"Complex data not supported: the label {value!r} is a complex number; give str, int or bool")
    raise DataError(f"the label {value!r} is of type {type(value).__name__}; give str, int, float, bool or None")


def encoded(labels: Any) -> tuple[tuple[str, ...], npt.NDArray[np.int32], LabelType]:
    """The labels that occur, as text; the place of each row's among them (-1: none); and what they were.

    The same as `to_texts`, which looks at each label, but as fast as Arrow is where all of them have one plain type.
    """
    import pyarrow as pa

    array, kind = _plain_array(labels)
    if kind is not None:
        codes, values = _codes(array)
        return tuple(_text(value, kind) for value in values), codes, kind
    texts, kind = to_texts(labels)
    try:
        codes, values = _codes(pa.array(texts, pa.large_string()))
    except UnicodeEncodeError as error:
        raise DataError(f"the label {error.object!r} cannot be written as UTF-8; replace its surrogates") from error
    return tuple(values), codes, kind


def _codes(array: Any) -> tuple[npt.NDArray[np.int32], list[Any]]:
    """Which of the values each row has, -1 for null, and the values."""
    coded = array.dictionary_encode()
    indices = coded.indices.fill_null(-1) if coded.null_count else coded.indices
    codes = indices.to_numpy(zero_copy_only=False)
    return codes.astype(np.int32, copy=False), coded.dictionary.to_pylist()


def _plain_array(labels: Any) -> tuple[Any, LabelType | None]:
    """Labels of one plain type as an Arrow array without NaN, and which it is; None where they must be looked at."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _arrow_or_numpy(labels)
    if isinstance(values, np.ndarray):
        plain = values.dtype.kind in "iubfU" and values.dtype.isnative and values.dtype != np.longdouble
        if values.ndim != 1 or not plain:
            return None, None
        values = pa.array(values, from_pandas=True)  # NaN as null
    if not isinstance(values, pa.Array):
        return None, None
    if pa.types.is_dictionary(values.type):  # whose values need not all occur
        values = values.cast(values.type.value_type)
    kind = _arrow_kind(values.type)
    if kind == "float":
        values = pc.add(values.cast(pa.float64()), 0.0)  # subtle: -0.0 + 0.0 is 0.0, and they are one class
        values = pc.if_else(pc.is_nan(values), None, values)
    return values, kind


def _arrow_or_numpy(labels: Any) -> Any:
    """What holds the labels, in a form that has one type; as it came where it has none."""
    import pyarrow as pa

    labels = _with_holes(labels)
    if library(labels) == "polars" and hasattr(labels, "to_arrow"):
        labels = labels.to_arrow()
    elif library(labels) == "pandas" and hasattr(labels, "to_numpy"):
        labels = labels.to_numpy()
    if isinstance(labels, pa.ChunkedArray):
        labels = labels.combine_chunks()
    objects = isinstance(labels, np.ndarray) and labels.dtype.kind == "O" and labels.ndim == 1
    if (objects or isinstance(labels, list | tuple)) and set(map(type, labels)) <= {str, type(None)}:
        try:
            return pa.array(labels, pa.large_string())
        except UnicodeEncodeError:
            return None  # the slow way says which
    return labels


def _arrow_kind(kind: Any) -> LabelType | None:
    from pyarrow import types

    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "str"
    if types.is_boolean(kind):
        return "bool"
    if types.is_integer(kind):
        return "int"
    return "float" if types.is_floating(kind) else None


def library(data: Any) -> str:
    """The package that the type of an object comes from."""
    return type(data).__module__.partition(".")[0]
