"""Bytes of a file, stdin or a URL: decompressed, transcoded to UTF-8, with a look ahead and a position.

Which format a source has is seen from its name, or from its first bytes.
"""

import codecs
import io
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

import pyarrow as pa

from priori.errors import DataError

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "mbox", "maildir", "eml", "txt", "fasttext", "folder")
COMPRESSION_BY_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"))
COMPRESSION_SUFFIXES = frozenset({".gz", ".zst", ".bz2"})
HEAD_BYTES = 8192  # what is looked at to tell a format or a binary file

_FORMAT_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".mbox": "mbox",
    ".eml": "eml",
    ".txt": "txt",
    ".text": "txt",
}
_BINARY_MAGIC = (
    (b"PAR1", "a Parquet file", "--format parquet"),
    (b"ARROW1", "an Arrow file", "--format arrow"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"\x89PNG", "a PNG image", "give a text file"),
    (b"\xff\xd8\xff", "a JPEG image", "give a text file"),
    (b"GIF8", "a GIF image", "give a text file"),
    (b"%PDF-", "a PDF document", "extract its text first"),
    (b"\x7fELF", "a program", "give a text file"),
    (b"\xfd7zXZ", "an xz archive", "unpack it with xz -d first"),
)
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


# --- formats ----------------------------------------------------------------------------------------------------------


def format_of_name(name: str) -> str | None:
    """Tell the format from the extension, looking through .gz, .zst and .bz2; None if it says nothing."""
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    if suffix in COMPRESSION_SUFFIXES:
        suffix = PurePosixPath(path.stem).suffix.lower()
    return _FORMAT_BY_SUFFIX.get(suffix)


def format_of_bytes(head: bytes) -> str:
    """Tell the format from the first (decompressed) bytes."""
    head = head.removeprefix(codecs.BOM_UTF8)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head.startswith(b"From "):
        return "mbox"
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"


def compression_of(head: bytes) -> str | None:
    """Tell the compression from the first raw bytes; None if there is none."""
    return next((codec for magic, codec in COMPRESSION_BY_MAGIC if head.startswith(magic)), None)


def refuse_binary(name: str, head: bytes) -> None:
    """Raise if the first bytes cannot be those of a text file."""
    for mark in _UTF16_MARKS:
        if head.startswith(mark):
            raise DataError(f"{name} is UTF-16 text, but was read as UTF-8. Give its encoding: --encoding utf-16.")
    for magic, kind, remedy in _BINARY_MAGIC:
        if head.startswith(magic):
            raise DataError(f"{name} is not text: it begins like {kind}. Remedy: {remedy}.")
    if b"\0" in head:
        raise DataError(
            f"{name} is not text: it has NUL bytes near its start, so it is a binary file or in another encoding. "
            "Give a text file, or its encoding (--encoding utf-16)."
        )


# --- streams of bytes -------------------------------------------------------------------------------------------------


class Readable(Protocol):
    """The little that is asked of a binary file."""

    def readinto(self, buffer: Any, /) -> int | None:
        """Read at most one buffer full; 0 at the end."""

    def close(self) -> None:
        """Let go of the file."""


class ByteStream(io.RawIOBase):
    """A binary file that can be peeked into and counts what was read from it."""

    def __init__(self, name: str, file: Readable, origin: "ByteStream | None" = None) -> None:
        super().__init__()
        self.name = name
        self._file = file
        self._origin = origin  # the compressed stream below, whose position is the one that progress means
        self._ahead = b""
        self._count = 0

    @property
    def raw_position(self) -> int:
        """How many bytes of the raw (compressed) input have been read."""
        return self._origin.raw_position if self._origin is not None else self._count

    def readable(self) -> bool:
        """Say yes: io.BufferedReader asks."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read at most one buffer full; 0 at the end."""
        view = memoryview(buffer).cast("B")
        if self._ahead:
            size = min(len(view), len(self._ahead))
            view[:size] = self._ahead[:size]
            self._ahead = self._ahead[size:]
            return size
        try:
            size = self._file.readinto(view) or 0
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"{self.name} cannot be read: {error}. The file may be damaged or cut short.") from error
        self._count += size
        return size

    def fill(self, view: memoryview) -> int:
        """Read until the view is full or the input ends."""
        filled = 0
        while filled < len(view):
            size = self.readinto(view[filled:])
            if size == 0:
                break
            filled += size
        return filled

    def peek(self, size: int = HEAD_BYTES) -> bytes:
        """Return the next bytes without consuming them; fewer only at the end."""
        if len(self._ahead) < size:
            room = bytearray(size - len(self._ahead))
            ahead, self._ahead = self._ahead, b""
            filled = self.fill(memoryview(room))
            self._ahead = ahead + bytes(room[:filled])
        return self._ahead[:size]

    def lines(self) -> Iterator[bytes]:
        """Iterate over the lines with their line ends, however long they are."""
        return iter(io.BufferedReader(self, 1 << 18))

    def close(self) -> None:
        """Close what lies below, too."""
        if not self.closed:
            self._file.close()
            if self._origin is not None:
                self._origin.close()
        super().close()


class _Transcoder:
    """Bytes of another encoding as UTF-8."""

    def __init__(self, stream: ByteStream, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._pending = b""
        self._ended = False

    def readinto(self, buffer: Any, /) -> int:
        while not self._pending and not self._ended:
            raw = self._stream.read(1 << 20) or b""
            self._ended = not raw
            try:
                self._pending = self._decoder.decode(raw, final=self._ended).encode("utf-8", "replace")
            except UnicodeError as error:
                raise DataError(
                    f"{self._stream.name} is not {self._encoding} text ({error}). Give the encoding it was saved in."
                ) from error
        size = min(len(buffer), len(self._pending))
        buffer[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size

    def close(self) -> None:
        self._stream.close()


def open_stream(name: str) -> ByteStream:
    """Open a path, a URL or "-" (stdin), and undo a compression that its first bytes show."""
    raw = ByteStream(name, _open_raw(name))
    codec = compression_of(raw.peek(8))
    if codec is None:
        return raw
    return ByteStream(name, pa.CompressedInputStream(raw, codec), origin=raw)


def open_text(name: str, encoding: str) -> ByteStream:
    """Open a stream of UTF-8 text, transcoded if it is in another encoding; a byte order mark is dropped."""
    return as_text(open_stream(name), encoding)


def as_text(stream: ByteStream, encoding: str) -> ByteStream:
    """Make a stream UTF-8 without a byte order mark."""
    if codec_name(encoding) not in {"utf-8", "utf-8-sig"}:
        stream = ByteStream(stream.name, _Transcoder(stream, encoding), origin=stream)
    if stream.peek(3) == codecs.BOM_UTF8:
        stream.read(3)
    return stream


def codec_name(encoding: str) -> str:
    """The canonical name of an encoding."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise DataError(
            f"There is no encoding {encoding!r}. Use a name that Python knows, such as utf-8 or cp1252."
        ) from error


def _open_raw(name: str) -> Readable:
    if name == "-":
        # subtle: the raw file, because a thread that still reads from the buffered one holds its lock at shutdown.
        stdin: Any = sys.stdin.buffer
        return _Unclosed(getattr(stdin, "raw", stdin))
    if is_url(name):
        filesystem, path = open_filesystem(name)
        try:
            opened: Readable = filesystem.open_input_stream(path, compression=None)
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"{name} cannot be opened: {error}.") from error
        return opened
    try:
        return Path(name).open("rb", buffering=0)
    except OSError as error:
        raise DataError(f"{name} cannot be opened: {error.strerror}. Check the path.") from error


class _Unclosed:
    """A file that is not ours to close."""

    def __init__(self, file: Readable) -> None:
        self._file = file

    def readinto(self, buffer: Any, /) -> int | None:
        return self._file.readinto(buffer)

    def close(self) -> None:
        pass


def is_url(name: str) -> bool:
    """Say whether a name has a scheme, as s3://bucket/file has."""
    return "://" in name


def open_filesystem(url: str) -> tuple[Any, str]:
    """The pyarrow filesystem of a URL, and the path in it."""
    from pyarrow.fs import FileSystem

    try:
        filesystem, path = FileSystem.from_uri(url)
    except (OSError, pa.ArrowException) as error:
        raise DataError(
            f"{url} cannot be opened: {error}. Download it first, or pipe it in (curl ... | priori ... -)."
        ) from error
    return filesystem, path
