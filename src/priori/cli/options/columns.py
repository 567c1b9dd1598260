"""Options for tables, and the values of the library that they stand for."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from priori.columns.base import ColumnFamily
    from priori.columns.readings import TableReadings
    from priori.columns.specification import Part
    from priori.data.schema import FieldType, Schema

Function = TypeVar("Function", bound=Callable[..., Any])
COVARIANCES = ("shared", "full", "diagonal", "shared_diagonal", "shrunk")


@dataclass(frozen=True)
class ColumnChoice:
    """What --columns says: a family for all columns, and others (None: left out) for some."""

    for_all: str
    by_name: Mapping[str, str | None]  # columns taken jointly have one name: A+B

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that are not to be read."""
        return tuple(name for name, family in self.by_name.items() if family is None)

    def types(self) -> "tuple[dict[str, FieldType | None], FieldType | None]":
        """Types by name, and that of all other columns, where a file has none: categories are as they are written."""
        by_name = {name: _type_for(family) for name, family in self.by_name.items() if family is not None}
        single = {name: kind for name, kind in by_name.items() if "+" not in name or kind is not None}
        return single, _type_for(self.for_all)

    def parts(self, schema: "Schema") -> "tuple[Part, ...]":
        """The factors of p(x | y)."""
        from priori.columns.specification import parts_of

        if not self.by_name:
            return parts_of(schema, self.for_all)
        chosen: dict[Any, Any] = {} if self.for_all == "auto" else dict.fromkeys(schema.names, self.for_all)
        for name, family in self.by_name.items():
            if family is None:  # not even read
                continue
            together = (name,) if name in schema.names or "+" not in name else tuple(name.split("+"))
            for column in together:
                chosen.pop(column, None)
            if family != "auto":
                chosen[together[0] if len(together) == 1 else together] = family
        return parts_of(schema, chosen)


def _type_for(family: str) -> "FieldType | None":
    return "string" if family in ("categorical", "text") else None


def _column_choice(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> ColumnChoice:
    for_all, by_name = "auto", {}
    for value in values:
        name, equals, family = value.rpartition("=")
        if (equals and not name) or not family:
            raise click.BadParameter(f"{value!r} chooses nothing; write COLUMN=FAMILY, as in age=gaussian")
        _refuse_unknown(family, equals)
        if equals:
            by_name[name] = None if family == "none" else family
        else:
            for_all = family
    return ColumnChoice(for_all, by_name)


def _refuse_unknown(family: str, equals: str) -> None:
    if family == "auto" or (equals and family == "none"):
        return
    from priori.columns.registry import family_of
    from priori.errors import DataError

    try:
        family_of(family)
    except DataError as error:
        raise click.BadParameter(f"{error}{', and none' * bool(equals)}") from error


def _temper(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | str | None:
    if value is None or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{value!r} is no exponent; give auto, or a number above 0 (1 changes nothing)")
    return number


def _shrinkage(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | str | None:
    if value is None or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise click.BadParameter(f"{value!r} is no share; give auto, or a number from 0 to 1")
    return number


def table_training_options(function: Function) -> Function:
    """What is learned from a table; gathered by `planned` in commands/table_train.py."""
    option = click.option
    families = "A family for a column: bernoulli, categorical, text, binned, gaussian, student, lognormal, poisson, "
    families += "exponential, gamma; none leaves it out; A+B=gaussian_joint (or multinomial) takes some together; "
    families += "a FAMILY alone is for all (repeatable).  [default: auto, by the types]"
    for each in reversed(
        [
            option("--table", "as_table", is_flag=True, help="Read all columns, also where one is called text."),
            option("--columns", multiple=True, callback=_column_choice, metavar="COL=FAMILY", help=families),
            option(
                "--model",
                "classifier",
                type=click.Choice(["naive-bayes", "gaussian"]),
                default="naive-bayes",
                show_default=True,
                help="Of a table: a family for each column, or one Gaussian of all numbers for each class.",
            ),
            option("--covariance", type=click.Choice(COVARIANCES), help="Of --model gaussian.  [default: shared]"),
            option(
                "--shrinkage",
                callback=_shrinkage,
                metavar="auto|NUMBER",
                help="Of its covariance towards a multiple of the identity, under ml or unbiased.",
            ),
            option(
                "--like",
                metavar="MODEL",
                help="Take columns, families and reading of this model: the two can be merged.",
            ),
        ]
    ):
        function = each(function)
    return function


def missing_option(function: Function) -> Function:
    """--missing."""
    return click.option(
        "--missing",
        type=click.Choice(["ignore", "evidence"]),
        help="A missing cell of a table says nothing, or something.  [default: ignore]",
    )(function)


def table_reading_options() -> list[Any]:
    """How the statistics of a table are read; gathered by `changed_table_readings`."""
    option = click.option
    return [
        missing_option,
        option(
            "--temper",
            callback=_temper,
            metavar="auto|NUMBER",
            help="The power of p(x | y) of a table; auto fits one for each column.  [default: auto]",
        ),
    ]


def changed_table_readings(readings: "TableReadings", given: dict[str, Any]) -> "TableReadings":
    """The readings with what was asked for changed, and all else as it was."""
    from priori.errors import DataError

    names = ("estimate", "alpha", "class_prior", "unknown", "missing", "temper")
    changes = {name: given.pop(name) for name in names}
    changes = {name: value for name, value in changes.items() if value is not None}
    if isinstance(changes.get("alpha"), str):
        raise click.UsageError(f"--alpha {changes['alpha']} is for texts; give a number for a table, such as 1")
    try:
        return replace(readings, **changes)
    except DataError as error:
        raise click.UsageError(str(error)) from error


def gaussian_of(given: dict[str, Any]) -> "ColumnFamily | None":
    """The Gaussian of --model gaussian; None if it was not asked for."""
    wanted = given.pop("classifier") == "gaussian"
    covariance, shrinkage = given.pop("covariance"), given.pop("shrinkage")
    if not wanted:
        for name, value in (("--covariance", covariance), ("--shrinkage", shrinkage)):
            if value is not None:
                raise click.UsageError(f"{name} is for --model gaussian; add that, or leave {name} out")
        return None
    from priori.columns.joint.column import GaussianColumns

    return GaussianColumns(covariance or "shared", shrinkage)
