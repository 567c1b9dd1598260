"""Training on a table: what `priori train` does where the source has columns instead of a text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import listen, note, quiet, warn
from priori.cli.models import file_size, is_of_table
from priori.cli.options.columns import ColumnChoice, changed_table_readings, gaussian_of
from priori.cli.options.common import given_options
from priori.cli.options.unlabelled import Helped, Unlabelled, note_skipped
from priori.cli.output.terminal import plural, print_json, print_line, print_wrapped, size_of
from priori.cli.progress import Bar
from priori.cli.table_sources import labelled_rows, watched
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.columns.readings import TableReadings
    from priori.columns.specification import Part
    from priori.data.options import ReadOptions
    from priori.data.schema import Schema
    from priori.data.tables import LabelledBatch
    from priori.model.table_classifier import TableModel
    from priori.model.totals import Labelled


@dataclass(frozen=True)
class Plan:
    """What is to be learned: the columns, their families, and how they are read."""

    schema: "Schema"
    parts: "tuple[Part, ...]"
    readings: "TableReadings"
    kind: str


def train_table(
    sources: Sequence[str], options: "ReadOptions", given: dict[str, Any], *, output: str, keep_sample: bool,
    hidden: Unlabelled, jobs: int | None, provenance: dict[str, Any] | None, as_json: bool,
) -> None:  # fmt: skip
    """Learn a model of a table in one pass, write it, and say what it holds."""
    from priori.columns.specification import read_columns
    from priori.model.table_classifier import TableModel
    from priori.threads import read_ahead

    listen()
    helped = None
    plan, batches = planned(sources, replace(options, text=None), given)
    with Bar("training", noun="row") as bar:
        rows = labelled_rows(watched(read_ahead(batches), bar), some=hidden.em)
        schema, readings = plan.schema.only(read_columns(plan.parts)), replace(plan.readings, target=options.label)
        settings: dict[str, Any] = {
            "kind": plan.kind,
            "keep_sample": keep_sample and plan.kind == "naive_bayes",
            "jobs": jobs,
        }
        if hidden.em:
            model, helped = _half_labelled(rows, schema, plan.parts, readings, hidden, **settings)
        else:
            model = TableModel.train(rows, schema, plan.parts, readings, **settings)
        if provenance is not None:
            model = replace(
                model, provenance=provenance if helped is None else provenance | {"unlabelled": str(helped)}
            )
        model.save(output)
    _advise(model, plan.schema)
    _tell(model, output, bar, helped, as_json)


def _half_labelled(
    data: "Iterable[Labelled]", schema: "Schema", parts: "tuple[Part, ...]", readings: "TableReadings",
    hidden: Unlabelled, **settings: Any,
) -> "tuple[TableModel, Helped]":  # fmt: skip
    from priori.latent.semi_supervised import HiddenSettings, learn_rows

    asked = HiddenSettings(unlabelled_weight=hidden.weight, seed=hidden.seed)
    kept = list(data)
    labelled = sum(int((rows.group >= 0).sum()) for rows in kept)
    unlabelled = sum(len(rows.group) for rows in kept) - labelled
    if not labelled:
        raise DataError(
            f"none of the {plural(unlabelled, 'row')} has a label; name their column with --label, or find classes "
            "without any: priori cluster"
        )
    model, found = learn_rows(kept, schema, parts, readings, asked, **settings)
    if found is None:
        return model, Helped(labelled, unlabelled, 0.0, {})
    if found.advice is not None:
        note(found.advice)
    return model, Helped(labelled, unlabelled, found.unlabelled_weight, found.losses)


def planned(
    sources: Sequence[str], options: "ReadOptions", given: dict[str, Any]
) -> "tuple[Plan, Iterator[LabelledBatch]]":
    """The columns, families and reading that the options ask for, and the rows."""
    like, choice = given.pop("like"), given.pop("columns")
    if like is not None:
        return _planned_like(like, sources, options, given)
    from priori.columns.joint.settings import default_estimate
    from priori.columns.readings import TableReadings
    from priori.data.tables import read_table

    gaussian = gaussian_of(given)
    by_name, otherwise = choice.types()
    options = replace(options, leave_out=choice.left_out)
    schema, batches = read_table(list(sources), options, types=by_name, otherwise=otherwise)
    if gaussian is None:
        parts, kind, readings = choice.parts(schema), "naive_bayes", TableReadings(temper="auto")
    else:
        parts, kind = _gaussian_parts(schema, choice, gaussian), "gaussian_discriminant"
        readings = TableReadings(default_estimate(gaussian.covariance, gaussian.shrinkage))  # type: ignore[attr-defined]
    return Plan(schema, parts, changed_table_readings(readings, given), kind), batches


def _planned_like(
    path: str, sources: Sequence[str], options: "ReadOptions", given: dict[str, Any]
) -> "tuple[Plan, Iterator[LabelledBatch]]":
    from priori.data.tables import read_table
    from priori.model.table_classifier import TableModel

    for option in given_options(frozenset({"columns", "classifier", "covariance", "shrinkage"})):
        raise click.UsageError(f"--like takes the columns and families of {path}; leave {option} out")
    if not is_of_table(path):
        raise DataError(f"{path} is a model of texts, which has no columns to be like; give a model of a table")
    model = TableModel.load(path)
    readings = changed_table_readings(model.readings, given)
    schema, batches = read_table(list(sources), options, model.schema)
    return Plan(schema, model.parts, readings, model.kind), batches


def _gaussian_parts(schema: "Schema", choice: ColumnChoice, gaussian: Any) -> "tuple[Part, ...]":
    from priori.columns.specification import parts_of

    if choice.for_all != "auto" or len(choice.left_out) < len(choice.by_name):
        raise click.UsageError(
            "--model gaussian has one family for all columns; with it, --columns takes COL=none only"
        )
    try:
        return parts_of(schema, gaussian)
    except DataError as error:
        raise DataError(f"{error}: --columns COL=none") from error


def _advise(model: "TableModel", schema: "Schema") -> None:
    """What a user should know of these columns."""
    from priori.model.table_inspection import nearly_unique

    for column in nearly_unique(model):
        note(column.said(f"--columns {column.column}={{}}".format))
    empty = [field.name for field in schema.fields if field.type == "null" and field.name not in model.schema.names]
    if empty:
        note(f"{'columns' if len(empty) > 1 else 'column'} without a value left out: {', '.join(empty)}")


def _tell(model: "TableModel", output: str, bar: Bar, helped: Helped | None, as_json: bool) -> None:
    statistics = model.statistics
    if helped is None:
        note_skipped(statistics.unlabelled)
    if len(model.labels) == 1:
        warn(f"there is one class only, {model.labels[0]!r}; nothing can be told apart until another is learned")
    size, seconds = file_size(output), bar.seconds
    read = 0 if bar.last is None else bar.last.bytes_read
    rows = float(statistics.n.sum())
    columns = {part.name: part.family.name for part in model.parts}
    if as_json:
        print_json(
            {
                "model": output,
                "rows": int(rows) if rows.is_integer() else rows,
                "unlabelled": statistics.unlabelled if helped is None else helped.unlabelled,
                "half_labelled": None if helped is None else helped.to_json(),
                "labels": list(model.labels),
                "columns": columns,
                "kind": model.kind,
                "bytes_read": read,
                "seconds": round(seconds, 3),
                "file_bytes": size,
            }
        )
    elif not quiet():
        fields = len({column for part in model.parts for column in part.columns})
        print_line(
            f"{plural(rows, 'row')}, {plural(len(model.labels), 'class')}, {plural(fields, 'column')}; "
            f"{size_of(read)} in {seconds:.2f} s ({size_of(read / max(seconds, 1e-9))}/s)"
        )
        if helped is not None:
            print_wrapped(str(helped))
        print_line(f"{output}: {'written' if size is None else size_of(size)}")
