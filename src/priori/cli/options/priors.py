"""Priors as the command line says them: unit, flat, or parameters by name."""

import inspect
from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import number_of

if TYPE_CHECKING:
    from priori.families import Family

Said = str | dict[str, float]
_SHAPE = "write unit, flat, or its parameters, as in alpha=2,beta=1/2"


def prior_of_text(ctx: click.Context, parameter: click.Parameter, value: str) -> Said:
    """`unit`, `flat`, or names with their numbers."""
    if value in ("unit", "flat"):
        return value
    found: dict[str, float] = {}
    for part in value.split(","):
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        if not (name and equals):
            raise click.BadParameter(f"{value!r} is no prior; {_SHAPE}")
        if name in found:
            raise click.BadParameter(f"{name} is given twice in {value!r}; give each parameter once")
        try:
            found[name] = number_of(number)
        except ValueError:
            raise click.BadParameter(f"{value!r} is no prior, for {number!r} is no number; {_SHAPE}") from None
    return found


def prior_of(
    family: "type[Family[Any]]", said: Said, known: dict[str, float], data: Any, columns: tuple[str, ...]
) -> "Family[Any] | str":
    """The prior of a family; one of categories has those of the data."""
    from priori.errors import DataError

    if isinstance(said, str):
        return said
    try:
        if "values" not in inspect.signature(family).parameters:
            return _by_name(family, said, known, len(columns))
        if family.support == "values":
            columns = tuple(sorted({value for value in data if value is not None}))
        same = set(said) == {"alpha"} and "alpha" not in columns
        return family(said["alpha"], columns) if same else family(said)  # type: ignore[call-arg]
    except DataError as error:
        raise click.BadParameter(str(error), param_hint="'--prior'") from error


def prior_of_regression(family: Any, said: Said, columns: tuple[str, ...]) -> Any:
    """The prior of a regression on these columns."""
    from priori.errors import DataError

    if isinstance(said, str):
        return said
    _refuse_names(family, said)
    try:
        return family(**said, names=columns)
    except DataError as error:
        raise click.BadParameter(str(error), param_hint="'--prior'") from error


def _by_name(
    family: "type[Family[Any]]", said: dict[str, float], known: dict[str, float], columns: int
) -> "Family[Any]":
    _refuse_names(family, said)
    said = {**said, **known}
    return family(**{name: _spread(family, name, value, columns) for name, value in said.items()})


def _refuse_names(family: Any, said: dict[str, float]) -> None:
    """Refuse parameters that the prior does not have, and a lack of any that it has: none has a value by itself."""
    known = getattr(family, "known", ())
    own = [
        name
        for name, parameter in inspect.signature(family).parameters.items()
        if name not in known and (parameter.default is parameter.empty or isinstance(parameter.default, float))
    ]
    if set(said) != set(own):
        twice = [name for name in said if name in known]
        beside = f"; --{twice[0]} says its {twice[0]}" if twice else ""
        raise click.BadParameter(
            f"a prior of {family.name} has {', '.join(own)}{beside}; write "
            f"{','.join(f'{name}=NUMBER' for name in own)}, or unit or flat",
            param_hint="'--prior'",
        )


def _spread(family: "type[Family[Any]]", name: str, value: float, columns: int) -> Any:
    """One number for each column, where an observation has several: alike, and without correlations."""
    import numpy as np

    if family.support != "vectors" or name not in ("location", "scale"):
        return value
    return np.full(columns, value) if name == "location" else value * np.eye(columns)
