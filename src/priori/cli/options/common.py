"""Options that several commands share: how sources are read, what is for texts or tables only, and numbers."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from priori.cli.messages import verbosity_options

if TYPE_CHECKING:
    from priori.data.options import ReadOptions

Function = TypeVar("Function", bound=Callable[..., Any])
# As in priori.data.streams, which is too slow to import for a list of names.
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "mbox", "maildir", "eml", "txt", "fasttext", "folder")
# Options that are for texts only, or for tables only: given where they mean nothing, they are wrong usage.
_TEXT_ONLY = frozenset({
    "text", "fields", "event", "prior_file", "features", "ngrams", "min_length", "no_lowercase", "fold_accents",
    "binary", "compat", "vocabulary", "stop_words", "stem", "max_terms", "messages", "graph", "most",
    "calibrate", "select", "smoothing", "temperature",
})  # fmt: skip
_TABLE_ONLY = frozenset({
    "as_table", "columns", "classifier", "covariance", "shrinkage", "like", "missing", "temper",
})  # fmt: skip


def common_options(function: Function) -> Function:
    """--json, -q and -v, that every command has."""
    json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout, nothing else.")
    return json(verbosity_options(function))


def json_lines_options(function: Function) -> Function:
    """The same of a command that prints an object for each row."""
    json = click.option("--json", "as_json", is_flag=True, help="Print JSON lines on stdout, nothing else.")
    return json(verbosity_options(function))


def decorated(function: Function, options: list[Any]) -> Function:
    """A command with these options, in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def jobs_option(function: Function) -> Function:
    """--jobs."""
    text = "Threads; the result is the same for any number.  [default: PRIORI_NUM_THREADS, or all processors]"
    return click.option("--jobs", type=click.IntRange(min=1), metavar="N", help=text)(function)


# --- how sources are read ---------------------------------------------------------------------------------------------


def conditions(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """COLUMN=VALUE as pairs."""
    pairs = tuple(value.partition("=") for value in values)
    for (name, equals, _), value in zip(pairs, values, strict=True):
        if not equals or not name:
            raise click.BadParameter(f"{value!r} is no condition; write COLUMN=VALUE, as in split=train")
    return tuple((name, wanted) for name, _, wanted in pairs)


def source_options(function: Function) -> Function:
    """How labelled sources are read; gathered by `read_options`."""
    option = click.option
    labels = [
        option("--text", default="text", show_default=True, metavar="COL", help="The column with the text."),
        option("--label", default="label", show_default=True, metavar="COL", help="The column with the labels."),
        option("--weight", metavar="COL", help="A column with weights."),
    ]
    return decorated(function, [*labels, _field(), *_bytes_options()])


def unlabelled_source_options(function: Function) -> Function:
    """How sources are read whose labels do not matter; gathered by `read_options`."""
    text = click.option("--text", default="text", show_default=True, metavar="COL", help="The column with the text.")
    return decorated(function, [text, _field(), *_bytes_options()])


def plain_source_options(function: Function) -> Function:
    """How sources of single texts are read; gathered by `read_options`."""
    text = click.option("--text", default="text", show_default=True, metavar="COL", help="The column with the text.")
    return decorated(function, [text, *_bytes_options()])


def table_options(function: Function) -> Function:
    """How the columns of tables are read; all but --column and --weight are gathered by `read_options`."""
    option = click.option
    column = "The column with the data (repeatable where several make one observation).  [default: the only one]"
    weight = "A column with weights: 2 counts as the row twice."
    columns = [
        option("--column", "columns", multiple=True, metavar="COL", help=column),
        option("--weight", metavar="COL", help=weight),
    ]
    return decorated(function, [*columns, *_bytes_options()])


def labelled_table_options(function: Function) -> Function:
    """How tables with a column of labels are read; gathered by `read_options`."""
    label = click.option(
        "--label", default="label", show_default=True, metavar="COL", help="The column with the labels."
    )
    return decorated(function, [label, *_bytes_options()])


def _field() -> Any:
    return click.option(
        "--field", "fields", multiple=True, metavar="COL", help="A further column of text (repeatable)."
    )


def file_options(function: Function) -> Function:
    """How the bytes of a table are to be understood that is read as a whole; gathered by `read_options`."""
    return decorated(function, _format_options())


def _bytes_options() -> list[Any]:
    where = "Only rows whose column has this value (repeatable)."
    return [
        click.option("--where", multiple=True, metavar="COL=VALUE", callback=conditions, help=where),
        *_format_options(),
        click.option("--no-header", is_flag=True, help="The first row is data; columns are called 0, 1, ..."),
    ]


def _format_options() -> list[Any]:
    option = click.option
    return [
        option(
            "--format",
            type=click.Choice(FORMATS),
            metavar="FORMAT",
            help=f"One of {', '.join(FORMATS)}.  [default: by extension or content]",
        ),
        option("--encoding", default="utf-8", show_default=True, help="Of the text in files."),
        option("--delimiter", metavar="CHAR", help="Between columns.  [default: comma in csv, tab in tsv]"),
        option("--quote", metavar="CHAR", help="Around values; '' for none.  [default: \" in csv, none in tsv]"),
    ]


def read_options(given: dict[str, Any], keep: tuple[str, ...] = ()) -> "ReadOptions":
    """The source options of a command as one value; what they stand for is taken out of `given`."""
    from priori.data.options import ReadOptions

    delimiter = given.pop("delimiter")
    return ReadOptions(
        text=given.pop("text", None),
        label=given.pop("label", None),
        weight=given.pop("weight", None),
        fields=given.pop("fields", ()),
        keep=keep,
        where=given.pop("where", ()),
        format=given.pop("format"),
        encoding=given.pop("encoding"),
        delimiter="\t" if delimiter == "\\t" else delimiter,
        quote=given.pop("quote"),
        header=not given.pop("no_header", False),
    )


# --- options for texts only or tables only ----------------------------------------------------------------------------


def refuse_text_options(because: str) -> None:
    """Refuse what only texts have, such as --ngrams, if it was given on the command line."""
    refuse_options(_TEXT_ONLY, "texts", because)


def refuse_table_options(because: str) -> None:
    """Refuse what only tables have, such as --missing, if it was given on the command line."""
    refuse_options(_TABLE_ONLY, "tables", because)


def refuse_options(names: frozenset[str], what: str, because: str) -> None:
    """Refuse any of these options that was given on the command line: it is for `what`, and not here, `because`."""
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


# --- numbers ----------------------------------------------------------------------------------------------------------


def number_of(text: str) -> float:
    """A finite number, written as 0.25 or 1/4; a ValueError for what is none.

    >>> number_of("1/4")
    0.25
    """
    from fractions import Fraction

    try:
        number = float(Fraction(text.strip()) if "/" in text else text)
    except (ZeroDivisionError, OverflowError) as error:
        raise ValueError(text) from error
    if not math.isfinite(number) or "_" in text:  # Python has 1_000 for 1000
        raise ValueError(text)
    return number


def between(low: float, high: float = math.inf) -> Callable[[click.Context, click.Parameter, str | None], float | None]:
    """The callback of an option that is a number above `low` and below `high`."""

    def parsed(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        try:
            number = number_of(value)
        except ValueError:
            number = math.nan
        if not low < number < high:
            below = f" and below {high:g}" if high < math.inf else ""
            raise click.BadParameter(f"{value!r} cannot be; give a number above {low:g}{below}")
        return number

    return parsed
