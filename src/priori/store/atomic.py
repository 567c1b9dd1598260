"""Files appear whole or not at all: written beside their place, flushed to the disk, then renamed."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Literal

_REMEDIES = {
    errno.ENOSPC: "free some space or choose another place",
    errno.EDQUOT: "free some space or choose another place",
    errno.EFBIG: "raise the limit on file sizes or choose another place",
    errno.EIO: "check the disk or choose another place",
    errno.EACCES: "choose a folder you may write to",
    errno.EPERM: "choose a folder you may write to",
    errno.EROFS: "choose a folder you may write to",
    errno.ENOENT: "create the folder first",
    errno.ENOTDIR: "create the folder first",
    errno.EISDIR: "give the name of a file, not of a folder",
}


@contextmanager
def atomic_output(path: str | os.PathLike[str], mode: Literal["wb", "w"] = "wb") -> Iterator[IO[Any]]:
    """A file to write that takes its place when the block ends, and vanishes when the block fails.

    Whoever has the old file open or mapped goes on reading the old one. A pipe or device is written as it is.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', not {mode!r}")
    try:
        permissions = _permissions_of(path)
        if permissions is not None and not stat.S_ISREG(permissions):
            with _open(os.open(path, os.O_WRONLY), mode) as file:
                yield file
            return
        # subtle: a link stays a link, and the file it leads to is the one replaced
        target = os.path.realpath(os.fsdecode(path))
        folder = os.path.dirname(target)
        temporary = os.path.join(folder, f".priori-{os.urandom(8).hex()}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with _open(descriptor, mode) as file:
                if permissions is not None:
                    os.fchmod(descriptor, stat.S_IMODE(permissions))
                yield file
                file.flush()
                os.fsync(descriptor)
            os.replace(temporary, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        _flush_folder(folder)
    except OSError as error:
        if error.errno not in _REMEDIES or not _is_about(path, error):
            raise
        fact = f"cannot be written, {os.strerror(error.errno).lower()}: {_REMEDIES[error.errno]}"
        raise OSError(error.errno, fact, os.fspath(path)) from error


def _is_about(path: str | os.PathLike[str], error: OSError) -> bool:
    """Whether an error concerns the file written, and not some other file that the block has touched."""
    if error.filename is None:  # a write names no file, but of those without a name only writes fill a disk
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    named = os.fsdecode(error.filename)
    return named == os.fsdecode(path) or ".priori-" in named


def _permissions_of(path: str | os.PathLike[str]) -> int | None:
    """The mode of what stands there now, or None when nothing does."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return mode


def _open(descriptor: int, mode: Literal["wb", "w"]) -> IO[Any]:
    if mode == "w":
        return os.fdopen(descriptor, mode, encoding="utf-8", newline="\n")
    return os.fdopen(descriptor, mode)


def _flush_folder(folder: str) -> None:
    """Make the new name itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network file systems cannot flush a folder; the file is in place
            raise
    finally:
        os.close(descriptor)
