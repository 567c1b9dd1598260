"""priori draw: a model of a table over one of its columns, or over two."""

from typing import Any

import click

from priori.cli.messages import quiet
from priori.cli.options.common import common_options, labelled_table_options, read_options
from priori.cli.output.terminal import print_json, print_line
from priori.cli.output_paths import refuse_bad_places
from priori.errors import DataError


@click.command("draw")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--column", "columns", multiple=True, metavar="COL", help="One or two columns.  [default: the only ones]")
@click.option("-o", "--output", required=True, metavar="FILE", help="The picture: .svg, .png or .pdf.")
@labelled_table_options
@common_options
def draw_command(
    path: str, sources: tuple[str, ...], columns: tuple[str, ...], output: str, as_json: bool, **given: Any
) -> None:
    """Draw a table model: the densities of one column, or the decision boundary of two.

    All other columns are integrated out. The rows of SOURCE, if given, are drawn too.

    \b
        priori draw tumours.priori tumours.csv --label diagnosis --column radius -o radius.svg
        priori draw tumours.priori --column radius --column texture -o boundary.svg
    """
    from priori.estimators.loading import table_estimator
    from priori.model.table_classifier import TableModel
    from priori.plots import decision_boundary, densities, new_figure, picture_format, save

    refuse_bad_places()
    picture_format(output)
    model = table_estimator(TableModel.load(path))
    names = columns or model.model_.schema.names
    if len(names) > 2:
        raise DataError(
            f"a picture has one column or two, and there are {len(names)}: choose with --column among "
            f"{', '.join(model.model_.schema.names)}"
        )
    if len(set(names)) < len(names):
        raise DataError(f"column {names[0]!r} is named twice; name it once for its densities, or another beside it")
    options = read_options(given)
    X = y = None
    if sources:
        from priori.cli.table_sources import labelled_table

        X, y = labelled_table(sources, options, model.model_.schema)
    figure = new_figure(7.0, 5.6)
    if len(names) == 1:
        densities(figure.subplots(), model, names[0], X, y)
    else:
        decision_boundary(figure.subplots(), model, X, y, (names[0], names[1]))
    save(figure, output)
    if as_json:
        print_json({"model": path, "columns": list(names), "picture": output})
    elif not quiet():
        print_line(f"{output}: {' and '.join(names)}")
