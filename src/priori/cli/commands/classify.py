"""priori classify: probabilities for documents or rows, one row for each and in order."""

import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note
from priori.cli.models import load_classifier
from priori.cli.options.common import jobs_option, json_lines_options, read_options, unlabelled_source_options
from priori.cli.options.decisions import decided, decision_options, wanted_of
from priori.cli.options.model import reading_options
from priori.cli.output.predictions import Columns, Predictions, json_lines
from priori.cli.output.terminal import is_terminal, plural, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.sources import text_of

if TYPE_CHECKING:
    from priori.cli.models import Loaded
    from priori.data.options import ReadOptions


@click.command("classify")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--message", "messages", multiple=True, metavar="TEXT", help="Classify this text (repeatable).")
@click.option("--top", type=click.IntRange(min=1), metavar="K", help="Only the K most probable classes of each row.")
@click.option("--keep", multiple=True, metavar="COL", help="Copy this column into the output (repeatable).")
@click.option("-o", "--output", metavar="FILE", help="Write .parquet, .csv, .tsv or .jsonl (.gz, .zst) instead.")
@click.option("--label", hidden=True, help="Accepted and not used: labels do not matter here.")
@click.option("--weight", hidden=True, help="Accepted and not used.")
@decision_options
@reading_options
@unlabelled_source_options
@jobs_option
@json_lines_options
def classify_command(
    *,
    path: str,
    sources: tuple[str, ...],
    messages: tuple[str, ...],
    top: int | None,
    keep: tuple[str, ...],
    output: str | None,
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Give documents, or the rows of a table, their probabilities: JSON lines on stdout, in their order.

    A kept column that is called label, probability or probabilities is written as source_label and so on.

    Where decisions are asked for (--loss, --reject, --max-false-positive, --min-precision), each row also has a
    "decision", and with a loss its "expected_loss"; then "label" is the class decided for, null where it is none.

    \b
      priori classify spam.priori new.csv --keep id -o out.parquet
      priori classify spam.priori --message "free entry, text WIN"
      priori classify spam.priori new.csv --max-false-positive 0.001 --positive spam
    """
    if not sources and not messages:
        raise click.UsageError("give a SOURCE, or a text with --message")
    if keep and messages:
        raise click.UsageError("--message has no columns to --keep")
    given["label"] = given["weight"] = None
    refuse_bad_places()
    if output is not None:
        from priori.cli.output.prediction_files import table_format

        table_format(output)
    model = load_classifier(path, given)
    model.warn_if_stale()
    wanted = wanted_of(given, model.labels)
    decides = wanted is not None and wanted.decides
    columns = Columns(keep, top, decides, decides and wanted is not None and wanted.loss is not None)
    texts = [text_of(message) for message in messages]
    predicted = iter([model.messages(texts)] if texts else [])
    if sources:
        hidden = output is None and is_terminal()
        predicted = chain(predicted, _of_sources(model, sources, read_options(given, keep), jobs, hidden))
    if wanted is not None:
        predicted = decided(model, wanted, predicted)
    if output is not None:
        _write(predicted, output, model.labels, columns)
    elif messages and not sources and is_terminal() and not as_json:
        _chart(model, messages, next(predicted), columns)
    else:
        for part in predicted:
            sys.stdout.buffer.write(json_lines(part, model.labels, columns))
            sys.stdout.buffer.flush()


def _write(predicted: "Iterator[Predictions]", path: str, labels: tuple[str, ...], columns: Columns) -> None:
    from priori.cli.output.prediction_files import open_table

    rows = 0
    with open_table(path, labels, columns) as table:
        for part in predicted:
            table.write(part)
            rows += len(part.posterior)
    note(f"{path}: {plural(rows, 'row')}")


def _of_sources(
    model: "Loaded", sources: tuple[str, ...], options: "ReadOptions", jobs: int | None, hidden: bool
) -> "Iterator[Predictions]":
    with Bar("classifying", hidden, model.noun) as bar:
        yield from model.predictions(sources, options, jobs, bar)


def _chart(model: "Loaded", messages: tuple[str, ...], found: Predictions, columns: Columns) -> None:
    """Bars, for a person who tries a message."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    best, _ = found.chosen()
    for row, (message, posterior) in enumerate(zip(messages, found.posterior.tolist(), strict=True)):
        order = sorted(range(len(posterior)), key=lambda k: -posterior[k])[: columns.top or 10]
        names = [visible(model.labels[k], 24) for k in order]
        width = max(len(name) for name in names)
        if len(messages) > 1:
            console.print(Text(visible(message, 72), style="dim"))
        for k, name in zip(order, names, strict=True):
            bar = "█" * round(40 * posterior[k]) or "▏"
            style = "bold green" if k == best[row] else ""
            console.print(Text(f"{name:{width}}  {bar:40}  {posterior[k]:.2%}", style=style), soft_wrap=True)
        if found.decided is not None:
            cost = f", expected loss {found.decided.expected_loss[row]:.4g}" if columns.loss else ""
            action = visible(str(found.decided.actions[row]), 40)
            console.print(Text(f"decision: {action}{cost}", style="bold"), soft_wrap=True)
