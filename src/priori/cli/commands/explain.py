"""priori explain: why a text, or a row of a table, is put where it is."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.models import Asked, load_classifier
from priori.cli.options.common import common_options, read_options, unlabelled_source_options
from priori.cli.options.model import reading_options
from priori.cli.output.terminal import Table, is_terminal, plural, print_json, print_line, visible, visible_term
from priori.cli.output_paths import refuse_bad_places

if TYPE_CHECKING:
    from priori.model.explanation import Explanation


_WIDEST = 44  # letters of a feature on a terminal


@click.command("explain")
@click.argument("path", metavar="MODEL")
@click.argument("message", required=False, metavar="[TEXT|SOURCE]")
@click.option("--label", metavar="L", help="Explain this class.  [default: the most probable]")
@click.option("--against", metavar="M", help="Against this one.  [default: the next most probable]")
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Features shown one by one.")
@click.option("--plot", metavar="FILE", help="Draw it, as .svg, .png or .pdf.")
@click.option("--source", metavar="SOURCE", help="Explain a document or row of this source.")
@click.option(
    "--row",
    type=click.IntRange(min=0),
    metavar="N",
    help="Which one, counted from 0 (complaints count from 1).  [default: 0]",
)
@reading_options
@unlabelled_source_options
@common_options
def explain_command(
    *,
    path: str,
    message: str | None,
    label: str | None,
    against: str | None,
    top: int,
    plot: str | None,
    source: str | None,
    row: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Show what each feature of TEXT (- for standard input) adds to the log-odds; the sum is exact.

    For a model of a table, what each column of one row of SOURCE adds. With --row, the TEXT is a SOURCE, too.

    \b
      priori explain spam.priori "free entry, text WIN"
      priori explain spam.priori mail.csv --row 7
      priori explain adult.priori adult.csv --row 7
    """
    if (message is None) == (source is None):
        raise click.UsageError("give either a TEXT (or the SOURCE of a table) or --source")
    refuse_bad_places()
    if row is not None and source is None:  # a text has no rows
        message, source = None, message
    model = load_classifier(path, given)
    options = read_options(given)
    model.warn_if_stale()
    found = model.explanation(Asked(message, source, row or 0, label, against), options)
    if plot is not None:
        _draw(found, "" if message in (None, "-") or model.noun == "row" else message, plot)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found, top, model.noun == "row", getattr(model.readings, "select", None))


def _print(found: "Explanation", top: int, of_row: bool, select: str | None) -> None:
    rows = found.strongest(top)
    widest = _WIDEST if is_terminal() else 0
    table = Table(["column" if of_row else "feature", ">times", ">log-odds"], strong=frozenset({len(rows)}))
    for row in rows:
        times = "" if row.feature.startswith("(") or (of_row and row.count == 1) else f"{row.count:,}"
        table.rows.append((visible_term(row.name, widest), times, f"{row.log_odds:+z.4f}"))
    table.rows.append(("sum", "", f"{found.log_odds:+z.4f}"))
    if of_row and not any(times for _, times, _ in table.rows):  # only words can be there several times
        table = Table(["column", ">log-odds"], [(name, value) for name, _, value in table.rows], strong=table.strong)
    print_line(f"{visible(found.label)} ({found.probability:.2%}) against {visible(found.against)}")
    table.print()
    if found.unknown:
        why = "has never seen" if select is None else "has never seen, or does not read"
        print_line(f"{plural(found.unknown, 'value' if of_row else 'feature')} that the model {why}")


def _draw(found: "Explanation", text: str, path: str) -> None:
    from priori.plots import explanation, new_figure, save

    figure = new_figure(7.0, 5.0)
    rows = [(row.name, float(row.count), row.log_odds) for row in found.contributions]
    explanation(figure.subplots(), rows, found.label, found.against, text=text)
    save(figure, path)
