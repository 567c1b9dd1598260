"""How much is said: -q and -v, before or after the command. Notes and what the library logs go to stderr."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from priori.cli.faults import say

Function = TypeVar("Function", bound=Callable[..., Any])
_level = 0  # -1 with -q, 1 with -v, 2 with -vv


def note(message: str) -> None:
    """Tell the user something, unless -q; from any thread."""
    if not quiet():
        say(message)


def warn(message: str) -> None:
    """Warn the user, unless -q."""
    note(f"warning: {message}")


def quiet() -> bool:
    """Whether only errors are to be said."""
    return _level < 0


def listen() -> None:
    """Show what the library logs, as far as -q and -v ask for it. Here, because `logging` is slow to import."""
    import logging

    from priori.log import logger

    class OnStderr(logging.Handler):
        """Records as lines; stderr is looked up each time, because tests exchange it."""

        def emit(self, record: logging.LogRecord) -> None:
            """Print one."""
            level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
            say(level + record.getMessage())

    logger.handlers = [handler for handler in logger.handlers if type(handler).__name__ != OnStderr.__name__]
    logger.addHandler(OnStderr())
    logger.setLevel({-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}.get(_level, logging.DEBUG))


def verbosity_options(function: Function) -> Function:
    """Add -q and -v to a command."""
    for names, text, settings in (
        (("-v", "--verbose"), "Say more on stderr (-vv: everything).", {"count": True}),
        (("-q", "--quiet"), "No notes, no progress, no summary: errors only.", {"is_flag": True}),
    ):
        option: Any = click.option(*names, **settings, expose_value=False, callback=_change, help=text)  # type: ignore[arg-type]
        function = option(function)
    return function


def _change(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    global _level  # noqa: PLW0603 - one process runs one command, and its threads speak too
    if value:
        _level = -1 if parameter.name == "quiet" else int(value)
    elif ctx.parent is None and parameter.name == "quiet":
        _level = 0
