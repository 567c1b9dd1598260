"""Which format a source has: by its name, or by its first bytes."""

import codecs
from pathlib import PurePosixPath

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
