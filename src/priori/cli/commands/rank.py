"""priori rank: documents of a source by the probability that each one's language model gives a query."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import listen, note
from priori.cli.options.common import jobs_option, json_lines_options, plain_source_options, read_options
from priori.cli.options.features import analyzer_of, analyzer_options
from priori.cli.output.terminal import Table, is_terminal, plural, print_line, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.sources import text_of

if TYPE_CHECKING:
    import pyarrow as pa

    from priori.data.batch import Batch


@click.command("rank")
@click.argument("source", metavar="SOURCE")
@click.argument("query", metavar="QUERY")
@click.option("-n", "most", type=click.IntRange(min=1), default=10, show_default=True, help="How many documents.")
@click.option(
    "--smoothing",
    default="dirichlet",
    show_default=True,
    metavar="dirichlet[:MU]|jelinek-mercer[:L]",
    help="With all documents together: by MU imagined words, or a share L.  [without a number: of left-out words]",
)
@analyzer_options
@plain_source_options
@jobs_option
@json_lines_options
def rank_command(
    *, source: str, query: str, most: int, smoothing: str, jobs: int | None, as_json: bool, **given: Any
) -> None:
    """Rank the documents of SOURCE by log p(QUERY | document): JSON lines, best first.

    Each document's words are counted and smoothed with those of all; the index counts from 0, as --row does. Words of
    the query that no document has are left out, and a note says so.

    \b
      priori rank mails.mbox "meeting on friday" -n 5
      priori rank news.parquet "space shuttle" --smoothing dirichlet:500
    """
    refuse_bad_places()
    from priori.data.files import read
    from priori.errors import DataError
    from priori.estimators.query_likelihood import QueryLikelihood

    listen()
    asked, analyzer = text_of(query), analyzer_of(given)
    try:
        ranking = QueryLikelihood(smoothing, analyzer=analyzer, n_jobs=jobs)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    texts: list[pa.Array] = []
    with Bar("counting") as bar:
        ranking.learn_batches(_keeping(read([source], read_options(given)), texts), progress=bar)
    ranked = ranking.rank(asked, most)
    for word in ranking.unknown(asked):
        note(f"no document has {visible(word, 40)!r}: left out")
    for line in ranking.notes:
        note(line)
    note(f"{plural(len(ranking), 'document')}; {ranking.described}")
    rows = [(index, score, _text(texts, index)) for index, score in ranked]
    if is_terminal() and not as_json:
        _print(rows)
        return
    for index, score, text in rows:
        print_line(json.dumps({"index": index, "score": score, "text": text}, ensure_ascii=False, allow_nan=False))


def _keeping(batches: "Iterator[Batch]", texts: "list[pa.Array]") -> "Iterator[Batch]":
    for batch in batches:
        texts.append(batch.text)
        yield batch


def _text(texts: "list[pa.Array]", index: int) -> str:
    """A document as it came; words that came one by one are joined."""
    for part in texts:
        if index < len(part):
            text = part[index].as_py()
            return " ".join(text) if isinstance(text, list) else _decoded(text)
        index -= len(part)
    raise AssertionError("a ranked document was read")


def _decoded(text: Any) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _print(rows: list[tuple[int, float, str]]) -> None:
    table = Table([">index", ">score", "text"])
    table.rows += [(str(index), f"{score:.4f}", visible(" ".join(text.split()), 54)) for index, score, text in rows]
    table.print()
