"""The container file: named sections, each an Arrow table or JSON, every byte of it accounted for.

    magic (8) · version (u32) · header length (u32) · SHA-256 of the header (32) · header · sections

docs/format.md describes it byte by byte. A file is read in place: every process that reads it shares its memory.
"""

import hashlib
import mmap
import os
import stat
import struct
import sys
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any, ClassVar, TypeAlias

from priori.errors import DataError, ModelFileError
from priori.store.arrow_reader import read_table
from priori.store.atomic import atomic_output
from priori.store.canonical_json import Json, decode, encode
from priori.store.damage import REMEDY, damaged, in_one_line, naming_file
from priori.store.table_types import Schema, Table

if TYPE_CHECKING:  # only writing needs it
    import pyarrow as pa

    from priori.store.arrow_writer import Sink

Section: TypeAlias = "Table | pa.Table | Json"  # read as our Table; written from either

MAGIC = b"\x89PRI\r\n\x1a\n"  # as PNG's: a high bit, CR LF, end-of-text and LF each catch a kind of text-mode damage
VERSION = 1
ALIGNMENT = 64
MAX_HEADER = 2**20
_PREAMBLE = struct.Struct("<8sII32s")
_HEX = frozenset("0123456789abcdef")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_IN_NAMES = _LETTERS | frozenset("0123456789_")
# Before 3.13 Python keeps a descriptor open for as long as a map lives; since then it need not.
_MAP_ONLY: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}


class Sections(dict[str, Section]):
    """The sections of a file by name, with the SHA-256 that each was stored under."""

    def __init__(self, sections: Mapping[str, Section], digests: Mapping[str, str]) -> None:
        super().__init__(sections)
        self.digests = dict(digests)


class _Entry:
    """One line of the header; the offset counts from the first section."""

    FIELDS: ClassVar = {"kind": str, "length": int, "name": str, "offset": int, "sha256": str}
    __slots__ = tuple(FIELDS)

    def __init__(self, kind: str, length: int, name: str, offset: int, sha256: str) -> None:
        self.kind = kind
        self.length = length
        self.name = name
        self.offset = offset
        self.sha256 = sha256


class _Checksum:
    """A sink that keeps the length and SHA-256 of what is poured into it."""

    closed = False

    def __init__(self) -> None:
        self.length = 0
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self.sha256.update(data)
        self.length += size
        return size


def write(target: str | os.PathLike[str] | IO[bytes], sections: Mapping[str, Section]) -> None:
    """Write sections, in the order given, to a path (whole or not at all) or to a binary file object."""
    contents = {name: _canonical(name, section) for name, section in sections.items()}
    if isinstance(target, str | os.PathLike):
        with atomic_output(target) as file:
            _write_contents(file, contents)
    else:
        _write_contents(target, contents)


def read(path: str | os.PathLike[str], schemas: Mapping[str, Schema] | None = None) -> Sections:
    """Map a file and give its sections, all checked; tables are views of the map and keep it alive.

    A section named in `schemas` must be a table with exactly that schema.
    """
    with naming_file(path):
        file = map_file(path)
        base, entries = _read_header(file)
        sections = {}
        for entry in entries:
            try:
                start = base + entry.offset
                sections[entry.name] = _read_section(file[start : start + entry.length], entry, schemas or {})
            except ModelFileError as error:
                raise ModelFileError(f"section {entry.name!r} cannot be used: {error}") from error.__cause__
        return Sections(sections, {entry.name: entry.sha256 for entry in entries})


def names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the sections, from the header alone: what a file holds, without reading it."""
    with naming_file(path):
        return tuple(entry.name for entry in _read_header(map_file(path))[1])


def table_digest(tables: Mapping[str, Section]) -> str:
    """The identity of some sections, whatever their order: equal exactly when all their bytes are."""
    return combined_digest(
        {name: _measure(_canonical(name, table)).sha256.hexdigest() for name, table in tables.items()}
    )


def combined_digest(digests: Mapping[str, str]) -> str:
    """The table_digest of sections whose SHA-256 are known, for instance from `Sections.digests`."""
    return hashlib.sha256(encode(dict(digests))).hexdigest()


def _canonical(name: str, section: Section) -> "pa.RecordBatch | bytes":
    if not _is_name(name):
        raise DataError(f"{name!r} cannot name a section: use lower-case letters, digits and underscores")
    import pyarrow as pa

    from priori.store.arrow_writer import canonical_batch

    try:
        return canonical_batch(section) if isinstance(section, Table | pa.Table) else encode(section)
    except DataError as error:
        raise DataError(f"section {name!r}: {error}") from error.__cause__


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 64 and text[0] in _LETTERS and _IN_NAMES.issuperset(text)


def _pour(content: "pa.RecordBatch | bytes", sink: "Sink") -> None:
    if isinstance(content, bytes):
        sink.write(content)
    else:
        from priori.store.arrow_writer import write_batch

        write_batch(content, sink)


def _measure(content: "pa.RecordBatch | bytes") -> _Checksum:
    checksum = _Checksum()
    _pour(content, checksum)
    return checksum


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT


def _write_contents(file: IO[bytes], contents: "Mapping[str, pa.RecordBatch | bytes]") -> None:
    """Pour every section twice, first into its checksum and then into the file, so that none is held in memory."""
    entries: list[_Entry] = []
    end = 0
    for name, content in contents.items():
        measured = _measure(content)
        kind = "json" if isinstance(content, bytes) else "arrow"
        entries.append(_Entry(kind, measured.length, name, _aligned(end), measured.sha256.hexdigest()))
        end = entries[-1].offset + measured.length
    header = encode({"sections": [{field: getattr(entry, field) for field in _Entry.FIELDS} for entry in entries]})
    if len(header) > MAX_HEADER:
        raise DataError(f"{len(entries)} sections do not fit into one file: put them into fewer tables")
    file.write(_PREAMBLE.pack(MAGIC, VERSION, len(header), hashlib.sha256(header).digest()) + header)
    position = _PREAMBLE.size + len(header)
    for content, entry in zip(contents.values(), entries, strict=True):
        file.write(bytes(_aligned(position) - position))
        _pour(content, file)
        position = _aligned(position) + entry.length


def map_file(path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file in place; whatever views them keeps the map alive."""
    try:
        _refuse_no_file(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ, **_MAP_ONLY) if size else b"")
    except (OSError, ValueError) as error:  # ValueError: it shrank meanwhile
        reason = in_one_line(getattr(error, "strerror", None) or error)
        raise ModelFileError(f"the file cannot be opened ({reason}): check its permissions") from error


def _refuse_no_file(path: str | os.PathLike[str]) -> None:
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:  # ValueError: a path with a NUL
        raise ModelFileError("there is no such file: check the path or train a model first") from error
    if stat.S_ISDIR(mode):
        raise ModelFileError("this is a folder and not a model file: give the path of the file inside")
    if not stat.S_ISREG(mode):
        raise ModelFileError("this is a pipe or device, which cannot be mapped into memory: save it to a file first")


def _read_header(file: memoryview) -> tuple[int, list[_Entry]]:
    """Where the sections begin, and what they are; the entries are known to fill the file exactly."""
    start = bytes(file[: _PREAMBLE.size])
    _refuse_foreign(start)
    if len(start) < _PREAMBLE.size:
        raise damaged(f"only {len(start)} bytes are left of it")
    _, version, length, checksum = _PREAMBLE.unpack(start)
    if version > VERSION:
        raise ModelFileError(f"the file has format version {version} and this Priori reads {VERSION}: upgrade priori")
    if version != VERSION:
        raise damaged(f"its format version is {version}, which never existed")
    if length > min(MAX_HEADER, len(file) - _PREAMBLE.size):
        raise damaged(f"its header of {length} bytes does not fit into {len(file)} bytes")
    header = bytes(file[_PREAMBLE.size : _PREAMBLE.size + length])
    if hashlib.sha256(header).digest() != checksum:
        raise damaged("its header does not match its checksum")
    entries = _read_entries(decode(header, "its header"))
    _check_extent(file, _PREAMBLE.size + length, entries)
    return _aligned(_PREAMBLE.size + length), entries


def _refuse_foreign(start: bytes) -> None:
    if start[: len(MAGIC)] == MAGIC:
        return
    if not start:
        raise ModelFileError(f"the file is empty, perhaps because writing was cut short: {REMEDY}")
    if start.startswith((MAGIC[:4], b"\xef\xbf\xbdPRI", b"\xc2\x89PRI")):
        raise ModelFileError("the file was changed by a transfer as text: transfer it again in binary mode")
    raise ModelFileError(
        "this is not a Priori model file, for it begins otherwise: give a file that priori has written"
    )


def _read_entries(header: Json) -> list[_Entry]:
    if not (isinstance(header, dict) and header.keys() == {"sections"} and isinstance(header["sections"], list)):
        raise damaged("its header is no list of sections")
    entries = []
    for fields in header["sections"]:
        if not (isinstance(fields, dict) and fields.keys() == _Entry.FIELDS.keys()):
            raise damaged("its header describes a section incompletely")
        if any(type(value) is not _Entry.FIELDS[field] for field, value in fields.items()):
            raise damaged("its header has a value of the wrong type")
        entry = _Entry(**fields)  # type: ignore[arg-type]  # the line above has seen to it
        checksum = len(entry.sha256) == 64 and _HEX.issuperset(entry.sha256)
        if not (_is_name(entry.name) and checksum and entry.kind in ("arrow", "json")):
            raise damaged("its header has a name, kind or checksum of the wrong form")
        entries.append(entry)
    if len({entry.name for entry in entries}) != len(entries):
        raise damaged("its header has two sections of the same name")
    return entries


def _check_extent(file: memoryview, position: int, entries: list[_Entry]) -> None:
    """Sections must follow one another, aligned, with zeros between and nothing after."""
    base = _aligned(position)
    for entry in entries:
        if entry.length < 0 or base + entry.offset != _aligned(position):
            raise damaged(f"its header puts section {entry.name!r} in the wrong place")
        if _aligned(position) + entry.length > len(file):
            raise damaged(f"it ends inside section {entry.name!r}")
        if any(file[position : _aligned(position)]):
            raise damaged("there is something between its sections")
        position = _aligned(position) + entry.length
    if position != len(file):
        raise damaged(f"it goes on for {len(file) - position} bytes after its last section")


def _read_section(data: memoryview, entry: _Entry, schemas: Mapping[str, Schema]) -> Section:
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise damaged("it does not match its checksum")
    if entry.kind == "arrow":
        return read_table(data, schemas.get(entry.name))
    if entry.name in schemas:
        raise damaged("it holds JSON where a table is expected")
    return decode(bytes(data), "its JSON")
