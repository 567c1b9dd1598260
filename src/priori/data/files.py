"""What a user names (files, folders, LABEL=PATH, "-", URLs) as the list of pieces to read."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from priori.errors import DataError
from priori.log import logger
from priori.sources.options import ReadOptions
from priori.sources.sniff import COMPRESSION_SUFFIXES, FORMATS, format_of_bytes, format_of_name
from priori.sources.streams import is_url, open_filesystem, open_stream

_WHOLE_FILES = frozenset({"csv", "tsv", "jsonl", "parquet", "arrow", "mbox", "fasttext"})


@dataclass(frozen=True)
class Piece:
    """One thing to read: a stream with a format, or the files of one class."""

    name: str
    format: str  # "" for stdin and files without a telling name: to be seen from the first bytes
    label: str | None
    size: int | None
    files: tuple[Path, ...] = ()  # for "folder", "maildir" and folders of "eml"


def locate(sources: Sequence[str | Path], options: ReadOptions) -> list[Piece]:
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


def _pieces(source: str | Path, format: str | None) -> Iterator[Piece]:
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
