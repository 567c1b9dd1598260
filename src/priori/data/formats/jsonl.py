"""JSON lines: one object per line; its text is a string, a list of tokens or an object of counts."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from priori.data.arrays import count_array, string_array, token_array, whole_text
from priori.data.batch import Batch
from priori.data.options import ReadOptions, Selection, select
from priori.data.streams import ByteStream, refuse_binary
from priori.errors import DataError


class _Number(str):
    """A number as it was written, so that the label 1.50 stays "1.50"."""

    __slots__ = ()

    def value(self) -> int | float:
        """The number itself."""
        return int(self) if self.lstrip("-").isdigit() else float(self)


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number)
_Record = dict[str, Any]


def read_jsonl(stream: ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the documents of a stream of JSON lines (UTF-8, decompressed)."""
    refuse_binary(stream.name, stream.peek())
    selection: Selection | None = None
    row = 0
    for lines, records in _record_batches(stream, options.batch_bytes):
        if selection is None:
            # A missing key means null, so only a key that no record of the first batch has is taken for a mistake.
            available = list(dict.fromkeys(key for record in records for key in record))
            known = any(name in available for name in options.may_lack)
            optional = (
                [*options.keep, *options.fields] if options.text is not None else options.may_lack if known else []
            )
            optional = [name for name in optional if name not in available]
            selection = select(stream.name, options, [*available, *optional], label)
        columns = _columns(stream.name, selection, lines, records, options.typed)
        batch = selection.batch(columns, row, stream.raw_position)
        row += len(records)
        if len(batch):
            yield batch
    if selection is None:
        raise DataError(f"{stream.name} is empty. Give a file with one JSON object per line.")


def _record_batches(stream: ByteStream, batch_bytes: int) -> Iterator[tuple[list[int], list[_Record]]]:
    """Group the records by bytes; with the number of the line of each."""
    lines: list[int] = []
    records: list[_Record] = []
    size = 0
    for number, line in enumerate(stream.lines(), start=1):
        if line.isspace():
            continue
        records.append(_record(stream.name, number, line))
        lines.append(number)
        size += len(line)
        if size >= batch_bytes:
            yield lines, records
            lines, records, size = [], [], 0
    if records:
        yield lines, records


def _record(name: str, number: int, line: bytes) -> _Record:
    try:
        record = _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}, line {number}: not UTF-8 text. Give the encoding, such as --encoding cp1252."
        ) from error
    except (json.JSONDecodeError, RecursionError) as error:
        if number == 1 and line.lstrip().startswith(b"["):
            raise DataError(f"{name} is one JSON array, not one object per line. Turn it with jq -c '.[]'.") from error
        raise DataError(f"{name}, line {number}: not a JSON object ({error}). Every line must be one.") from error
    if not isinstance(record, dict):
        raise DataError(f'{name}, line {number}: not a JSON object. Every line must be one, such as {{"text": "..."}}.')
    return record


def _columns(
    name: str, selection: Selection, lines: list[int], records: list[_Record], typed: bool
) -> dict[str, pa.Array]:
    columns: dict[str, pa.Array] = {}
    for column in selection.columns:
        values = [record.get(column) for record in records]
        if column == selection.text:
            columns[column] = _documents(name, column, lines, values)
        elif selection.text is not None and column in selection.keep and column not in _text_roles(selection):
            columns[column] = _kept(name, column, values)
        elif typed and column not in _text_roles(selection):
            columns[column] = _typed(name, column, lines, values)
        else:
            columns[column] = string_array([_written(name, column, n, v) for n, v in zip(lines, values, strict=True)])
    return columns


def _text_roles(selection: Selection) -> set[str | None]:
    conditions = (name for name, _ in (*selection.where, *selection.but_where))
    return {selection.label, selection.weight, *selection.fields, *conditions}


def _written(name: str, column: str, line: int, value: Any) -> str | None:
    """A scalar as text, as it was written in the file."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    raise DataError(
        f"{name}, line {line}: {column!r} is a list or an object. It must be a text, a number or true/false."
    )


def _documents(name: str, column: str, lines: list[int], values: list[Any]) -> pa.Array:
    builders: dict[type, Callable[[list[Any]], pa.Array]] = {str: string_array, list: _tokens, dict: _counts}
    kind = type(values[0]) if type(values[0]) in builders else str
    build = builders[kind]
    for line, value in zip(lines, values, strict=True):
        if not isinstance(value, kind) or isinstance(value, _Number):
            raise DataError(
                f"{name}, line {line}: {column!r} is {_kind_of(value)}. It must be a string, a list of tokens or an "
                "object of counts, and the same in every line."
            )
    try:
        return build(values)
    except (ValueError, TypeError, AttributeError, pa.ArrowException) as error:
        raise DataError(
            f"{name}, lines {lines[0]} to {lines[-1]}: {column!r} is not a list of strings or an object of whole "
            f"counts ({error})."
        ) from error


def _kind_of(value: Any) -> str:
    kinds = ((_Number, "a number"), (bool, "true or false"), (str, "a string"), (list, "a list"), (dict, "an object"))
    return next((text for kind, text in kinds if isinstance(value, kind)), "missing")


def _tokens(values: list[list[Any]]) -> pa.Array:
    for tokens in values:
        for token in tokens:
            if not isinstance(token, str) or isinstance(token, _Number):
                raise TypeError(f"a token is {_kind_of(token)}")
    try:
        return token_array(values)
    except UnicodeEncodeError:
        return token_array([[whole_text(token) for token in tokens] for tokens in values])


def _counts(values: list[dict[str, Any]]) -> pa.Array:
    return count_array([{whole_text(token): int(count) for token, count in counts.items()} for counts in values])


def _kept(name: str, column: str, values: list[Any]) -> pa.Array:
    try:
        return pa.array([_value(value) for value in values])
    except (pa.ArrowException, UnicodeEncodeError, OverflowError) as error:
        raise DataError(
            f"{name}: column {column!r} has values of several kinds ({error}), so it cannot be kept."
        ) from error


def _value(value: Any) -> Any:
    """A JSON value with its numbers as numbers."""
    if isinstance(value, _Number):
        return value.value()
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    return value


def _typed(name: str, column: str, lines: list[int], values: list[Any]) -> pa.Array:
    """Scalars as what they are; all of them of one kind, or missing."""
    first: dict[str, tuple[int, Any]] = {}
    for line, value in zip(lines, values, strict=True):
        if value is not None:
            first.setdefault(_kind_of(value), (line, value))
    if not first.keys() <= {"a number", "true or false", "a string"}:
        (line, _) = first.get("a list") or first["an object"]
        raise DataError(f"{name}, line {line}: {column!r} is a list or an object, which no column holds; leave it out")
    if len(first) > 1:
        (line, value), (other_line, other) = list(first.values())[:2]
        raise DataError(
            f"{name}: column {column!r} mixes {_shown(value)} (line {line}) and {_shown(other)} (line {other_line}), "
            "and a column has one type; write all its values alike, or null where one is missing"
        )
    if "a number" not in first:
        return string_array(values) if "a string" in first else pa.array(values)
    try:
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    except (ValueError, OverflowError):  # a fraction, or beyond 64 bits: the nearest float
        return pa.array([None if value is None else float(value) for value in values], pa.float64())


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, _Number) else json.dumps(value)
