"""Files read as one stream of batches: what a user names is listed as pieces, and each piece is read by its format.

A user names files, folders, LABEL=PATH, "-" and URLs.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from priori.data.arrays import plain
from priori.data.batch import Batch
from priori.data.formats.columnar import read_arrow, read_parquet
from priori.data.formats.delimited import read_delimited
from priori.data.formats.jsonl import read_jsonl
from priori.data.formats.mail import read_mail_files, read_mbox, read_single_mail
from priori.data.formats.text_files import read_documents, read_fasttext, read_lines
from priori.data.numeric_columns import Column
from priori.data.options import ReadOptions
from priori.data.streams import (
    COMPRESSION_SUFFIXES,
    FORMATS,
    ByteStream,
    as_text,
    format_of_bytes,
    format_of_name,
    is_url,
    open_filesystem,
    open_stream,
)
from priori.errors import DataError
from priori.log import logger

Source = str | Path
_WHOLE_FILES = frozenset({"csv", "tsv", "jsonl", "parquet", "arrow", "mbox", "fasttext"})


@dataclass(frozen=True)
class Piece:
    """One thing to read: a stream with a format, or the files of one class."""

    name: str
    format: str  # "" for stdin and files without a telling name: to be seen from the first bytes
    label: str | None
    size: int | None
    files: tuple[Path, ...] = ()  # for "folder", "maildir" and folders of "eml"


def locate(sources: Sequence[Source], options: ReadOptions) -> list[Piece]:
    """List the pieces of all sources, in the order given; inside folders sorted by name."""
    if options.format is not None and options.format not in FORMATS:
        raise DataError(f"There is no format {options.format!r}. The formats are {', '.join(FORMATS)}.")
    if not sources:
        raise DataError("No source was given. Name a file, a folder, or - for standard input.")
    pieces: list[Piece] = []
    for source in sources:
        named = options.names_label or split_label(source)[0] is not None
        found = _pieces(source, options.format)
        pieces += found if named else [replace(piece, label=None) for piece in found]
    return pieces


def _pieces(source: Source, format: str | None) -> Iterator[Piece]:
    label, name = split_label(source)
    if name == "-":
        yield Piece("-", format or "", label, None)
    elif is_url(name):
        yield Piece(name, format or format_of_name(name) or "", label, _url_size(name))
    else:
        path = Path(name).expanduser()
        if path.is_dir():
            yield from _folder(path, format, label)
        elif path.exists():
            yield _file(path, format, label)
        else:
            raise DataError(f"{name}: there is no such file or folder. Check the path.")


def split_label(source: str | Path) -> tuple[str | None, str]:
    """Take LABEL=PATH apart; a path that exists as it stands, and a URL, have no label in front."""
    name = str(source)
    label, equals, rest = name.partition("=")
    if isinstance(source, Path) or not equals or not label or not rest or is_url(label) or Path(name).exists():
        return None, name
    return label, rest


def _file(path: Path, format: str | None, label: str | None) -> Piece:
    if format in {"folder", "maildir"}:
        raise DataError(f"{path} is a file, not a folder. Leave --format away, or name the folder.")
    found = format or format_of_name(path.name) or ""
    if not path.is_file():  # a pipe: it has no size, and a look at its first bytes would lose them
        return Piece(str(path), found, label, None)
    if not found:
        with open_stream(str(path)) as stream:
            found = format_of_bytes(stream.peek())
    if found == "mbox" and label is None:
        label = _stem(path)
    return Piece(str(path), found, label, path.stat().st_size)


def _stem(path: Path) -> str:
    return Path(path.stem).stem if path.suffix in COMPRESSION_SUFFIXES else path.stem


def _folder(path: Path, format: str | None, label: str | None) -> Iterator[Piece]:
    if _is_maildir(path):
        yield _maildir(path, label or path.resolve().name)
        return
    entries = _entries(path)
    folders = [entry for entry in entries if entry.is_dir()]
    files = [entry for entry in entries if not entry.is_dir()]
    tables = [entry for entry in files if (format or format_of_name(entry.name)) in _WHOLE_FILES]
    if label is not None and not tables:
        yield from _class_folder(path, format, label)
    elif tables and (not folders or any(format_of_name(entry.name) == "mbox" for entry in tables)):
        _note_skipped(path, len(files) - len(tables))
        for entry in tables:
            yield _file(entry, format, label)
        for entry in folders:
            yield from _class_folder(entry, format, label or entry.name)
    elif folders:
        _note_skipped(path, len(files))
        for entry in folders:
            yield from _class_folder(entry, format, label or entry.name)
    elif files:
        yield from _class_folder(path, format, label)
    else:
        raise DataError(f"The folder {path} is empty. Put one subfolder per class into it, with a file per document.")


def _note_skipped(path: Path, count: int) -> None:
    if count:
        logger.warning("%s: %d files beside the classes are not read", path, count)


def _class_folder(path: Path, format: str | None, label: str | None) -> Iterator[Piece]:
    """The files of one class: mailboxes, mails (.eml, or if the format says so), and any other file a document."""
    if _is_maildir(path):
        yield _maildir(path, label or path.name)
        return
    groups: dict[str, list[Path]] = {"mbox": [], "eml": [], "folder": []}
    for file in _files_below(path):
        found = format or format_of_name(file.name)
        groups[found if found in groups else "folder"].append(file)
    for file in groups["mbox"]:
        yield _file(file, "mbox", label)
    for kind, files in (("maildir", groups["eml"]), ("folder", groups["folder"])):
        if files:
            yield Piece(str(path), kind, label, _total(files), tuple(files))


def _maildir(path: Path, label: str | None) -> Piece:
    files = tuple(entry for part in ("cur", "new") if (path / part).is_dir() for entry in _entries(path / part))
    return Piece(str(path), "maildir", label, _total(files), files)


def _is_maildir(path: Path) -> bool:
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _entries(path: Path) -> list[Path]:
    return sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))


def _files_below(path: Path) -> Iterator[Path]:
    """Every file at any depth, in a fixed order; hidden ones are skipped."""
    for entry in _entries(path):
        if entry.is_dir():
            yield from _files_below(entry)
        else:
            yield entry


def _total(files: Sequence[Path]) -> int:
    return sum(os.stat(file).st_size for file in files)  # noqa: PTH116 - a million files: without building a Path


def _url_size(url: str) -> int | None:
    filesystem, path = open_filesystem(url)
    size: int | None = filesystem.get_file_info(path).size
    return size


# --- reading ----------------------------------------------------------------------------------------------------------


def read(source: Source | Sequence[Source], options: ReadOptions | None = None) -> Iterator[Batch]:
    """Yield the documents of one or several sources in batches, in order; memory does not grow with the corpus.

    A source is a file, a folder, "-" for stdin, a URL that pyarrow opens, or LABEL=PATH, which labels all of PATH.
    """
    options = options or ReadOptions()
    pieces = locate([source] if isinstance(source, str | Path) else list(source), options)
    if options.label_required and options.label_of_some and len(pieces) > 1:
        return _some_labelled(_read_pieces(pieces, replace(options, label_required=False)), options.label)
    return _read_pieces(pieces, options)


def _some_labelled(batches: Iterator[Batch], column: str | None) -> Iterator[Batch]:
    labelled = False
    for batch in batches:
        labelled |= batch.label is not None
        yield batch
    if not labelled:
        raise DataError(f"no source has labels or a column {column!r}. Name the one with the labels: --label COLUMN.")


def _read_pieces(pieces: Sequence[Piece], options: ReadOptions) -> Iterator[Batch]:
    sizes = [piece.size for piece in pieces]
    known = [size for size in sizes if size is not None]
    total = sum(known) if len(known) == len(sizes) else None
    before = 0
    for piece in pieces:
        position = 0
        for batch in _read_piece(piece, options):
            position = batch.bytes_read
            yield replace(batch, bytes_read=before + position, bytes_total=total)
        before += position if piece.size is None else piece.size


def _read_piece(piece: Piece, options: ReadOptions) -> Iterator[Batch]:
    match piece.format:
        case "folder":
            yield from read_documents(piece.name, piece.files, options, piece.label)
        case "maildir":
            yield from read_mail_files(piece.name, piece.files, options, piece.label)
        case "parquet" if piece.name != "-":
            yield from read_parquet(piece.name, options, piece.label)
        case "arrow" if piece.name != "-":
            yield from read_arrow(piece.name, options, piece.label)
        case _:
            with open_stream(piece.name) as stream:
                yield from _read_stream(stream, piece, options)


def _read_stream(stream: ByteStream, piece: Piece, options: ReadOptions) -> Iterator[Batch]:
    format = piece.format or format_of_bytes(stream.peek())
    match format:
        case "mbox":
            yield from read_mbox(stream, options, piece.label)
        case "eml":
            yield from read_single_mail(stream, options, piece.label)
        case "jsonl":
            yield from read_jsonl(as_text(stream, options.encoding), options, piece.label)
        case "txt":
            yield from read_lines(as_text(stream, options.encoding), options, piece.label)
        case "fasttext":
            yield from read_fasttext(as_text(stream, options.encoding), options, piece.label)
        case "parquet":
            yield from read_parquet(stream, options, piece.label)
        case "arrow":
            yield from read_arrow(stream, options, piece.label)
        case _:
            yield from read_delimited(as_text(stream, options.encoding), format, options, piece.label)


def read_columns(
    sources: Source | Sequence[Source], columns: Sequence[str] = (), options: ReadOptions | None = None
) -> Iterator[dict[str, Column]]:
    """Yield the wanted columns of tables in batches, in order; none named: all that there are.

    Plain lines are a column `value`; a table whose first row is all numbers has no header, and columns 0, 1, ...
    """
    options = replace(options or ReadOptions(), text=None, label=None, fields=(), keep=tuple(columns))
    named = [sources] if isinstance(sources, Source) else list(sources)
    condition = "".join(f" of those with {name}={value}" for name, value in options.where)
    rows = 0
    for source in named:
        first = rows
        for batch in read(source, options):
            if not batch.keep:
                raise DataError(f"{source} is no table; give a CSV, TSV, JSONL, Parquet or Arrow file, or plain lines")
            place = rows - first
            yield {name: Column(str(source), name, place, condition, plain(a)) for name, a in batch.keep.items()}
            rows += len(batch)
    if not rows:
        said = ", ".join(str(source) for source in named)
        raise DataError(f"{said} has no rows{condition}; give a table with at least one row")
