"""priori generate: rows drawn from a model of a table."""

import click

from priori.cli.models import is_of_table
from priori.cli.options import json_lines_options
from priori.cli.places import refuse_bad_places
from priori.cli.show import plural
from priori.cli.verbosity import note


@click.command("generate")
@click.argument("path", metavar="MODEL")
@click.option("-n", "size", type=click.IntRange(min=1), default=10, show_default=True, help="How many rows.")
@click.option("--seed", type=click.IntRange(min=0), help="The same seed draws the same rows.  [default: none]")
@click.option("--label", default="label", show_default=True, metavar="COL", help="The column for the classes.")
@click.option("-o", "--output", metavar="FILE", help="Write .parquet, .csv, .tsv or .jsonl (.gz, .zst) instead.")
@json_lines_options
def generate_command(*, path: str, size: int, seed: int | None, label: str, output: str | None, as_json: bool) -> None:
    """Draw rows from p(y) p(x | y) of a model of a table: JSON lines on stdout, or a file."""
    refuse_bad_places()
    if output is not None:
        from priori.cli.outputs import table_format

        table_format(output)
    if not is_of_table(path):
        raise click.UsageError(f"{path} is a model of texts; drawing texts comes with language models")
    from numpy.random import default_rng

    from priori.cli.rows import print_rows, write_rows
    from priori.table_classifier import TableModel
    from priori.table_sample import sample_table

    model = TableModel.load(path)
    group, table = sample_table(model, size, default_rng(seed))
    if label in table.column_names:
        raise click.UsageError(f"the table has a column {label!r} already; name another for the classes: --label COL")
    table = table.append_column(label, [[model.labels[k] for k in group]])
    if output is None:
        print_rows(table)
    else:
        write_rows(table, output)
        note(f"{output}: {plural(table.num_rows, 'row')}")
