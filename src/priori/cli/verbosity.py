"""How much is said: -q and -v, before or after the command. All of it goes through the logger, to stderr."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import click

from priori.cli.faults import one_line

Function = TypeVar("Function", bound=Callable[..., Any])
NOTE = 25  # what a user wants to know: above INFO, below WARNING
_LEVELS = {-1: logging.ERROR, 0: NOTE, 1: logging.INFO}
_logger = logging.getLogger("priori")


class _OnStderr(logging.Handler):
    """Log records as lines; stderr is looked up each time, because tests exchange it."""

    def emit(self, record: logging.LogRecord) -> None:
        level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
        click.echo(f"priori: {level}{one_line(record.getMessage())}", err=True)


def note(message: str) -> None:
    """Tell the user something, unless -q."""
    _logger.log(NOTE, "%s", message)


def warn(message: str) -> None:
    """Warn the user, unless -q."""
    _logger.warning("%s", message)


def quiet() -> bool:
    """Whether only errors are to be said."""
    return _logger.level >= logging.ERROR


def say_as_much_as(level: int) -> None:
    """Show what is logged: -1 errors, 0 notes and warnings too, 1 more, 2 everything."""
    _logger.handlers = [handler for handler in _logger.handlers if not isinstance(handler, _OnStderr)]
    _logger.addHandler(_OnStderr())
    _logger.setLevel(_LEVELS.get(level, logging.DEBUG))


def verbosity_options(function: Function) -> Function:
    """Add -q and -v to a command."""
    for names, text, settings in (
        (("-v", "--verbose"), "Say more on stderr (-vv: everything).", {"count": True}),
        (("-q", "--quiet"), "No notes, no progress, no summary: errors only.", {"is_flag": True}),
    ):
        function = click.option(*names, **settings, expose_value=False, callback=_change, help=text)(function)  # type: ignore[arg-type]
    return function


def _change(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value:
        say_as_much_as(-1 if parameter.name == "quiet" else int(value))
    elif ctx.parent is None and parameter.name == "quiet":
        say_as_much_as(0)
