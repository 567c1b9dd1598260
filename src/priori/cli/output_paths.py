"""Where results go: what cannot be written there, or would take the place of what is read, is said before the work."""

import errno
import os
from pathlib import Path
from typing import Any

import click

_WRITTEN = ("output", "assignments", "plot", "html", "graph")
_READ = (
    "path",
    "model",
    "paths",
    "message",
    "seed_file",
    "vocabulary",
    "stop_words",
    "prior_file",
    "like",
    "loss_file",
)
_SOURCES = ("sources", "tests", "source", "held_out_source")  # which may be folders, and have a label in front


def refuse_bad_places(changed: str | None = None) -> None:
    """Look at every output of the running command, beside each other and beside all that it reads.

    changed: a model that the command is there to change; its file may be the output, and is where none is named.
    """
    ctx = click.get_current_context()
    options = {each.name: min(each.opts, key=len) for each in ctx.command.params if each.name in _WRITTEN}
    written = {option: ctx.params[name] for name, option in options.items() if ctx.params[name] is not None}
    if options.get("graph") is not None and written.get(options["graph"]) == "-":  # drawn in characters
        del written[options["graph"]]
    if changed is not None and "-o" not in written:
        written["MODEL"] = changed
    for option, path in written.items():
        refuse_bad_place(path)
        for name in _read(ctx.params, Path(path)):
            if _same(path, name) and name != changed:
                raise click.UsageError(
                    f"{option} {path} would take the place of {name}, which is read; name another file"
                )
    pairs = list(written.items())
    for place, (option, path) in enumerate(pairs):
        for other, second in pairs[:place]:
            if _same(path, second):
                raise click.UsageError(f"{other} and {option} name the same file, {path}; name another for one of them")


def refuse_bad_place(path: str) -> None:
    """Say before long work, not after it, that its result could not be written there."""
    if path == "-":
        raise click.UsageError("- is no name of a file to write; name one, such as /dev/stdout for a pipe")
    place = Path(path)
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", path)
    folder = place.parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "cannot be written, its folder does not exist: create it first", path)
    if not os.access(place if place.exists() and not place.is_file() else folder, os.W_OK):
        raise PermissionError(errno.EACCES, "cannot be written: choose a folder you may write to", path)


def _read(given: dict[str, Any], output: Path) -> list[str]:
    """What the command reads, by the names of files; of a folder only where the output is a file in it."""
    files = [name for option in _READ for name in _listed(given.get(option))]
    for source in (name for option in _SOURCES for name in _listed(given.get(option))):
        files += _files_of(source, output, given.get("format"))
    return files


def _listed(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _files_of(source: str, output: Path, format: str | None) -> list[str]:
    from priori.data.files import locate, split_label
    from priori.data.options import ReadOptions

    place = Path(split_label(source)[1]).expanduser()
    if not place.is_dir():
        return [str(place)]
    if not output.exists() or not output.resolve().is_relative_to(place.resolve()):
        return []
    pieces = locate([source], ReadOptions(format=format))
    return [str(file) for piece in pieces for file in piece.files or (piece.name,)]


def _same(one: str, other: str) -> bool:
    """Whether both are one file, there or yet to be written; what is written to a pipe or device replaces nothing."""
    if os.path.exists(one) and os.path.exists(other):  # noqa: PTH110 - which a text may be asked, however long
        return Path(one).is_file() and Path(one).samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)
