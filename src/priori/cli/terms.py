"""priori terms: the terms that tell classes apart."""

import click

from priori.cli.models import load_texts
from priori.cli.options import common_options
from priori.cli.show import print_json, said_count, visible
from priori.cli.table import Table

_HEADS = {"mi": "information", "mi-words": "information", "log-odds": "z-score", "count": "count"}


@click.command("terms")
@click.argument("path", metavar="MODEL")
@click.option(
    "--by",
    type=click.Choice(["mi", "mi-words", "log-odds", "count"]),
    default="mi",
    show_default=True,
    help="Mutual information of presence and class, or of words and class (lecture 004), in nats; log-odds of a class "
    "against the rest, by their z-score; or occurrences.",
)
@click.option("--label", metavar="L", help="This class, against the rest.")
@click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")
@common_options
def terms_command(path: str, by: str, label: str | None, most: int, as_json: bool) -> None:
    """List the terms that tell classes apart, most telling first."""
    from priori.select.terms import rank

    found = rank(load_texts(path).counts, by, label, most)  # type: ignore[arg-type]
    if as_json:
        print_json([term.to_json() for term in found])
        return
    table = Table(["term", "speaks for", f">{_HEADS[by]}", ">log-odds", ">documents", ">occurrences"])
    for term in found:
        score = said_count(term.score) if by == "count" else f"{term.score:.4f}" if "mi" in by else f"{term.score:.2f}"
        numbers = (score, f"{term.log_odds:+.2f}", said_count(term.documents), said_count(term.occurrences))
        table.rows.append((visible(term.term, 40), visible(term.label, 24), *numbers))
    table.print()
