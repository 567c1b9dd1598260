"""Messages on stderr, exit codes and signals.

An error becomes one line and an exit code. Notes, warnings and what the library logs are shown as far as -q and -v
allow, before or after the command. Ctrl-C, SIGTERM and SIGHUP ask long work to stop where it can resume.
"""

import errno
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, TypeVar

import click

from priori.errors import PrioriError

Function = TypeVar("Function", bound=Callable[..., Any])
AT_FAULT = 1  # the data or the model
STOPPED = 130  # by Ctrl-C
FAULTS = (PrioriError, OSError, UnicodeError, MemoryError, KeyboardInterrupt)  # all else is a mistake of ours
_level = 0  # -1 with -q, 1 with -v, 2 with -vv


def exit_code_of(error: BaseException) -> int:
    """Say in one line what went wrong, and give the exit code."""
    if isinstance(error, KeyboardInterrupt):
        click.echo("\npriori: stopped", err=True)
        return STOPPED
    if isinstance(error, OSError) and not isinstance(error, PrioriError):
        if error.errno == errno.ENOSPC and error.filename is None:
            silence_stdout()
        say(_of_the_system(error))
    elif isinstance(error, MemoryError):
        say("the memory does not suffice; close other programs, or use a larger machine")
    else:
        say(str(error))
    return AT_FAULT


def say(message: str) -> None:
    """One line on stderr, whatever the message holds; on a terminal, broken between words where that is too narrow."""
    from priori.cli.output.terminal import wrapped

    line = f"priori: {one_line(message)}"
    click.echo("\n".join(wrapped(line)) if sys.stderr.isatty() else line, err=True)


def one_line(message: str) -> str:
    """Without line ends, and without what would confuse a terminal."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))


def silence_stdout() -> None:
    """Nobody reads stdout any more: let what is still buffered go nowhere when the program ends."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a real file, as under a test
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _of_the_system(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"input or output failed: {reason}; check the disk and the place you write to"
    name = os.fsdecode(error.filename)
    if isinstance(error, FileNotFoundError) and reason == os.strerror(errno.ENOENT):
        return f"{name}: there is no such file; check the path"
    return f"{name}: {reason}"


# --- notes and warnings -----------------------------------------------------------------------------------------------


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


# --- signals ----------------------------------------------------------------------------------------------------------


class Stopping:
    """While entered, the first signal is taken note of; the second stops at once."""

    def __init__(self) -> None:
        self.by: int | None = None  # the signal that asked to stop
        self._before: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """As a shell has it: 130 after Ctrl-C, 143 after SIGTERM."""
        import signal

        return 128 + (signal.SIGINT if self.by is None else self.by)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.by is not None:
            raise KeyboardInterrupt
        self.by = number

    def __enter__(self) -> Self:
        import signal

        if threading.current_thread() is threading.main_thread():  # nobody else hears signals
            numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
            heard = (number for number in numbers if signal.getsignal(number) != signal.SIG_IGN)  # nohup, and others
            self._before = {number: signal.signal(number, self._asked) for number in heard}
        return self

    def __exit__(self, *problem: object) -> None:
        import signal

        for number, handler in self._before.items():
            signal.signal(number, handler)
