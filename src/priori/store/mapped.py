"""A file as memory: its bytes in place, shared with every process that reads it."""

import mmap
import os
import stat
import sys
from typing import Any

from priori.errors import ModelFileError
from priori.store.faults import in_one_line

# Before 3.13 Python keeps a descriptor open for as long as a map lives; since then it need not.
_MAP_ONLY: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}


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
