"""Options that are for texts only, or for tables only: given where they mean nothing, they are wrong usage."""

import click
from click.core import ParameterSource

_TEXT_ONLY = frozenset({
    "text", "fields", "event", "prior_file", "features", "ngrams", "min_length", "no_lowercase", "fold_accents",
    "binary", "compat", "vocabulary", "stop_words", "stem", "max_terms", "messages", "graph", "most",
    "calibrate", "select", "smoothing", "temperature",
})  # fmt: skip
_TABLE_ONLY = frozenset({
    "as_table", "columns", "classifier", "covariance", "shrinkage", "like", "missing", "temper",
})  # fmt: skip


def refuse_text_options(because: str) -> None:
    """Refuse what only texts have, such as --ngrams, if it was given on the command line."""
    _refuse(_TEXT_ONLY, "texts", because)


def refuse_table_options(because: str) -> None:
    """Refuse what only tables have, such as --missing, if it was given on the command line."""
    _refuse(_TABLE_ONLY, "tables", because)


def _refuse(names: frozenset[str], what: str, because: str) -> None:
    for option in given_options(names):
        raise click.UsageError(f"{option} is for {what}, and {because}")


def given_options(names: frozenset[str]) -> list[str]:
    """The options among these that the user has given, as they are written: --fresh, not --resume."""
    ctx = click.get_current_context()
    return [
        max((ctx.params[parameter.name] is False and parameter.secondary_opts) or parameter.opts, key=len)
        for parameter in ctx.command.params
        if parameter.name in names and ctx.get_parameter_source(parameter.name) == ParameterSource.COMMANDLINE
    ]
