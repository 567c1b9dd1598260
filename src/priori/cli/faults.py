"""Errors as the user reads them: one line on stderr, and an exit code."""

import errno
import os
import sys

import click

from priori.cli.show import wrapped
from priori.errors import PrioriError

AT_FAULT = 1  # the data or the model
STOPPED = 130  # by Ctrl-C
FAULTS = (PrioriError, OSError, UnicodeError, MemoryError, KeyboardInterrupt)  # all else is a mistake of ours


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
