"""How the store says what is wrong with a model file: one line of fact, cause and remedy, with the path in front."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from priori.errors import ModelFileError

REMEDY = "restore it from a copy or train the model again"


class NotCanonicalError(Exception):
    """A fact about a table that no file may hold: the writer's fault, or the file's."""


def damaged(fact: str) -> ModelFileError:
    """The error for contents that no version of Priori writes."""
    return ModelFileError(f"{fact}, so the file is damaged: {REMEDY}")


def in_one_line(words: object, limit: int = 200) -> str:
    """What a library or a file says, at a bearable length and without what would confuse a terminal."""
    text = "".join(c if c.isprintable() else "?" for c in " ".join(str(words).split())) or type(words).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"


@contextmanager
def naming_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the path in front of every ModelFileError raised inside: what is deep in a file need not know its name."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)!r}: {error}") from error.__cause__
