"""The powers of a table's columns fitted again: on the rows that a model keeps, or on others that are given."""

from collections.abc import Iterable
from dataclasses import replace

from priori.columns.statistics import Labelled, TableStatistics
from priori.errors import DataError, NegativeCountError
from priori.table_classifier import TableModel


def recalibrated(model: TableModel) -> TableModel:
    """Fitted again on the kept rows, each left out."""
    _refuse_given_powers(model)
    model.statistics.refuse_hidden()
    if model.kept is None:
        raise DataError("the model keeps no rows to fit on; give some: those it has learned, or held-out ones")
    return replace(model, stored=None)


def recalibrated_on(
    model: TableModel, data: Iterable[Labelled], held_out: bool = False, jobs: int | None = None
) -> TableModel:
    """Fitted again on rows that the model has learned, each left out; or, `held_out`, on others as they are.

    At most as many as a model keeps are looked at, chosen by content.
    """
    _refuse_given_powers(model)
    if not held_out:
        model.statistics.refuse_hidden()
    # subtle: by itself, for a sample of the model's own threshold would be as thin as the one it keeps
    alone = TableModel.train(data, model.schema, model.parts, model.readings, keep_sample=True, jobs=jobs)
    _refuse_useless(model, alone.statistics, held_out)
    return model if alone.kept is None else model.fitted_on(alone.kept, held_out)


def _refuse_given_powers(model: TableModel) -> None:
    given = model.readings.temper
    if given != "auto":
        raise DataError(f"the powers of the columns are given, {given:g}, so none are fitted; choose temper 'auto'")


def _refuse_useless(model: TableModel, given: TableStatistics, held_out: bool) -> None:
    """Refuse rows that say nothing of the powers."""
    for label in given.labels:
        if label not in model.labels:
            raise DataError(
                f"class {label!r} was never learned; the model's are {', '.join(model.labels)}: learn it, or leave "
                "its rows out"
            )
    if len(given.labels) < 2:
        raise DataError(
            f"the rows are all of class {given.labels[0]!r}, so they do not say how far columns tell it from others; "
            "give rows of two classes or more"
        )
    if held_out:
        return
    try:
        (model.statistics - given).refuse_negative(model.parts)
    except NegativeCountError as error:
        raise DataError(
            "some of the rows were never learned with this label (and weight), so they cannot be left out; give "
            "learned ones, or say that they are held out (--held-out)"
        ) from error
