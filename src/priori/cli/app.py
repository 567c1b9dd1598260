"""`priori` and its commands, each imported only when it is called; errors become one line and an exit code."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from priori._version import __version__
from priori.cli.messages import FAULTS, STOPPED, exit_code_of, silence_stdout, verbosity_options

_COMMANDS = {  # name: (module, what it does); here, so that `priori --help` imports none of them
    "train": ("commands.train", "Learn a model from labelled documents or rows."),
    "cluster": ("commands.cluster", "Find classes in documents or rows without labels."),
    "classify": ("commands.classify", "Give documents or rows their probabilities."),
    "evaluate": ("commands.evaluate", "Measure a model on labelled data."),
    "select": ("commands.select", "Choose among models of labelled documents."),
    "explain": ("commands.explain", "Show why a text or row is put where it is."),
    "inspect": ("commands.inspect", "Show what a model has learned."),
    "terms": ("commands.terms", "List the terms that tell classes apart."),
    "tokens": ("commands.terms", "Show what the analyzer sees in a text."),
    "update": ("commands.learn", "Learn more documents or rows."),
    "forget": ("commands.learn", "Forget documents or rows, exactly."),
    "merge": ("commands.learn", "Add models up."),
    "calibrate": ("commands.learn", "Fit smoothing and calibration again."),
    "read": ("commands.learn", "Store another reading of a model's counts."),
    "generate": ("commands.generate", "Draw documents or rows from a model."),
    "lm": ("commands.lm", "Count, score and continue texts: language models."),
    "rank": ("commands.rank", "Rank documents by how likely they make a query."),
    "estimate": ("commands.estimate", "Estimate a distribution by ML, MAP and Bayes."),
    "bayes": ("commands.bayes", "Turn prior and likelihood into a posterior."),
    "compare": ("commands.compare_methods", "Four estimation techniques on the same texts."),
    "compare-learners": ("commands.compare_learners", "Generative against discriminative learning curves."),
    "draw": ("commands.plot", "Draw a table model over one or two columns."),
    "demo": ("commands.demo", "Train on bundled messages and look around."),
}


class LazyGroup(click.Group):
    """Commands by name; a command's module is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of a first acquaintance."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"priori.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what is the user's to know becomes one line on stderr."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader of our output has seen enough, as head has
            silence_stdout()
            ctx.exit(0)
        except FAULTS as error:
            ctx.exit(exit_code_of(error))
        return result


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
@verbosity_options
def app() -> None:
    """Learn to classify texts and tables by counting.

    SOURCE is a file, a folder, - for standard input, several of them, or LABEL=PATH. Every command takes --json, which
    prints one JSON document and nothing else. Exit codes: 0 fine, 1 the data or the model is at fault, 2 wrong usage.
    """


def run() -> None:
    """The program. It leaves at once: threads that still count are not waited for, and memory is not tidied up."""
    try:
        app.main(prog_name="priori", standalone_mode=True)
    except SystemExit as end:
        if "matplotlib" in sys.modules and end.code != STOPPED:  # it may have a temporary folder to remove
            raise
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))
