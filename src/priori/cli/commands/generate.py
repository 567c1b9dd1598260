"""priori generate: documents drawn from a model of texts, or rows from one of a table."""

import io
import json
import sys
from typing import TYPE_CHECKING

import click

from priori.cli.messages import note
from priori.cli.models import is_of_table
from priori.cli.options.common import json_lines_options, refuse_text_options
from priori.cli.output.prediction_files import open_output, table_format
from priori.cli.output.terminal import plural
from priori.cli.output_paths import refuse_bad_places

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.random import Generator


@click.command("generate")
@click.argument("path", metavar="MODEL")
@click.option("-n", "size", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(min=0), help="The same seed draws the same.  [default: none]")
@click.option("--label", metavar="L", help="Only of this class.  [default: classes as often as the model says]")
@click.option(
    "--label-column", default="label", show_default=True, metavar="COL", help="What the column of classes is called."
)
@click.option(
    "--temperature",
    type=click.FloatRange(1e-6, 1e6),
    default=1.0,
    show_default=True,
    help="Of language models: below 1 prefers what is probable, above 1 what is not.",
)
@click.option("-o", "--output", metavar="FILE", help="Write .parquet, .csv, .tsv or .jsonl (.gz, .zst) instead.")
@json_lines_options
def generate_command(
    *,
    path: str,
    size: int,
    seed: int | None,
    label: str | None,
    label_column: str,
    temperature: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Draw documents or rows from a model: JSON lines on stdout, or a file.

    From p(y) p(x | y): a class as often as the model says (or --label); of a document a length that its class has had,
    and so many words from p(w | y), also such as the class has never had, in no order, for naive Bayes knows of none;
    of a language model words in order, to the end of the document; of a row each column.

    \b
      priori generate spam.priori --label spam -n 5 --seed 0
      priori generate adult.priori -n 1000 --label-column income -o rows.csv
    """
    refuse_bad_places()
    if output is not None:
        table_format(output)
    from numpy.random import default_rng

    of_table, rng = is_of_table(path), default_rng(seed)
    if of_table:
        refuse_text_options(f"{path} is a model of a table")
        table = _rows(path, size, rng, label, label_column)
    else:
        table = _documents(path, size, rng, label, label_column, temperature=temperature)
    if output is None:
        print_rows(table)
    else:
        write_rows(table, output)
        note(f"{output}: {plural(table.num_rows, 'row' if of_table else 'document')}")


def _rows(path: str, size: int, rng: "Generator", label: str | None, label_column: str) -> "pa.Table":
    from priori.model.sampling import sample_table
    from priori.model.table_classifier import TableModel

    model = TableModel.load(path)
    group, table = sample_table(model, size, rng, label)
    _refuse_taken(label_column, table.column_names, "table")
    return table.append_column(label_column, [[model.labels[k] for k in group]])


def _documents(
    path: str, size: int, rng: "Generator", label: str | None, label_column: str, *, temperature: float
) -> "pa.Table":
    import pyarrow as pa

    from priori.model.classifier import Model
    from priori.model.sampling import sample_texts

    model = Model.load(path)
    if model.is_language_model and label is not None:
        raise click.UsageError(f"{path} is a language model, which has no classes; leave --label out")
    _refuse_taken(label_column, ["text", *model.analyzer.fields], "model")
    group, texts = sample_texts(model, size, rng, label, temperature)
    if model.is_language_model:  # which tells no classes apart
        return pa.table({name: pa.array(column) for name, column in texts.items()})
    labels = [model.labels[k] for k in group]
    return pa.table({label_column: pa.array(labels, pa.string())} | {k: pa.array(v) for k, v in texts.items()})


def _refuse_taken(column: str, taken: list[str], whose: str) -> None:
    if column in taken:
        raise click.UsageError(
            f"the {whose} has a column {column!r} already; name another for the classes: --label-column COL"
        )


def print_rows(table: "pa.Table") -> None:
    """Write a table to stdout, as JSON lines."""
    sys.stdout.buffer.write(_json_lines(table))
    sys.stdout.buffer.flush()


def write_rows(table: "pa.Table", path: str) -> None:
    """Write a table as JSON lines, delimited text or Parquet, to a file that takes its place when it is whole."""
    with open_output(path) as (file, kind):
        if kind == "parquet":
            import pyarrow.parquet as pq

            pq.write_table(table, file, compression="zstd")
        else:
            file.write(_json_lines(table) if kind == "jsonl" else _delimited(table, "," if kind == "csv" else "\t"))


def _json_lines(table: "pa.Table") -> bytes:
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False, default=str) + "\n" for row in table.to_pylist())
    return "".join(lines).encode("utf-8", "replace")


def _delimited(table: "pa.Table", delimiter: str) -> bytes:
    import csv

    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    rows.writerow(table.column_names)
    rows.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return text.getvalue().encode("utf-8", "replace")
