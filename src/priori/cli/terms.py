"""priori terms: the terms that tell classes apart."""

from typing import TYPE_CHECKING

import click

from priori.cli.models import load_texts
from priori.cli.options import common_options
from priori.cli.show import print_json, print_line, said_count, visible
from priori.cli.table import Table

if TYPE_CHECKING:
    from priori.classifier import Model

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
@click.option(
    "--stop-words",
    "share",
    type=click.FloatRange(min=0, max=1, max_open=True),
    metavar="SHARE",
    help="Instead, the words in more than this share of the documents, one per line: a file for train --stop-words.",
)
@common_options
def terms_command(*, path: str, by: str, label: str | None, most: int, share: float | None, as_json: bool) -> None:
    """List the terms that tell classes apart, most telling first.

    \b
      priori terms spam.priori --by log-odds --label spam
      priori terms spam.priori --stop-words 0.5 > stop.txt
    """
    from priori.select.terms import rank, with_forms

    model = load_texts(path)
    if share is not None:
        _stop_words(model, share, as_json)
        return
    found = rank(model.counts, by, label, most)  # type: ignore[arg-type]
    found = with_forms(found, model.summary.forms, model.analyzer.fields)
    if as_json:
        print_json([term.to_json() for term in found])
        return
    table = Table(["term", "speaks for", f">{_HEADS[by]}", ">log-odds", ">documents", ">occurrences"])
    for term in found:
        score = said_count(term.score) if by == "count" else f"{term.score:.4f}" if "mi" in by else f"{term.score:.2f}"
        numbers = (score, f"{term.log_odds:+.2f}", said_count(term.documents), said_count(term.occurrences))
        table.rows.append((visible(term.name, 40), visible(term.label, 24), *numbers))
    table.print()


def _stop_words(model: "Model", share: float, as_json: bool) -> None:
    """The words of a corpus that are in so many documents that they tell little of any."""
    from priori.errors import DataError
    from priori.select.terms import frequent_words

    analyzer = model.analyzer
    if analyzer.features != "words" or analyzer.stem is not None or analyzer.ngrams[0] > 1:
        raise DataError("the model does not count words as they are written; train one of single words, without --stem")
    words = frequent_words(model.counts, share)
    words = [word for word in words if not any(word.startswith(f"{name}:") for name in analyzer.fields)]
    if as_json:
        print_json(words)
    else:
        for word in words:
            print_line(word)
