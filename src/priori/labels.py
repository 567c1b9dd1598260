"""Labels are text inside; outside they are what the user gave: str, int, float or bool."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.readings import LabelType

_TYPES: dict[LabelType, type] = {"str": str, "int": int, "float": float, "bool": bool}


def to_texts(labels: Any) -> tuple[list[str | None], LabelType]:
    """Labels as text, None where one is missing (None, NaN, null), and what they were."""
    values = _values(labels)
    kinds = {_kind(value) for value in values} - {None}
    if len(kinds) > 1:
        raise DataError(f"labels mix {' and '.join(sorted(map(str, kinds)))}; give them all as one type")
    kind: LabelType = kinds.pop() if kinds else "str"  # type: ignore[assignment]
    return [None if _kind(value) is None else str(_TYPES[kind](value)) for value in values], kind


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
    if hasattr(labels, "to_pylist"):
        return list(labels.to_pylist())
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
    raise DataError(f"the label {value!r} is of type {type(value).__name__}; give str, int, float, bool or None")


def encoded(labels: Any) -> tuple[tuple[str, ...], npt.NDArray[np.int32], LabelType]:
    """The labels that occur, as text; the place of each row's among them (-1: none); and what they were."""
    import pyarrow as pa

    fast = _fast_array(labels)
    if fast is None:
        texts, kind = to_texts(labels)
        array = pa.array(texts, pa.large_string()).dictionary_encode()
        return tuple(array.dictionary.to_pylist()), _codes(array), kind
    array, kind = fast
    coded = array.dictionary_encode()
    values = [str(_TYPES[kind](value)) for value in coded.dictionary.to_pylist()]
    return tuple(values), _codes(coded), kind


def _fast_array(labels: Any) -> Any:
    """Labels as an Arrow array where a numpy array of one plain type makes that safe; else None."""
    import pyarrow as pa

    values = labels.to_numpy() if type(labels).__module__.partition(".")[0] in ("pandas", "polars") else labels
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return None
    kinds: dict[str, LabelType] = {"i": "int", "u": "int", "b": "bool", "U": "str"}
    kind = kinds.get(values.dtype.kind)
    return None if kind is None else (pa.array(values), kind)


def _codes(array: Any) -> npt.NDArray[np.int32]:
    codes: npt.NDArray[np.int32] = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return codes
