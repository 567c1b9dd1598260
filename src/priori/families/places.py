"""The numbers of a distribution by name: those of vectors and matrices by their places in them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def by_name(likelihood: Any, names: Sequence[str] = ()) -> dict[str, float]:
    """The numbers of a likelihood, those of vectors and matrices by their places: as `names` has them, if it can.

    >>> from priori.families import Categorical
    >>> by_name(Categorical([0.25, 0.75], values=("no", "yes")))
    {'probabilities[no]': 0.25, 'probabilities[yes]': 0.75}
    """
    found: dict[str, float] = {}
    parameters = likelihood.parameters if likelihood else {}  # an absent one is false
    for base, value in parameters.items():
        if isinstance(value, np.ndarray):
            numbers = value[np.triu_indices(len(value))] if base == "covariance" else value.ravel()
            labels = parameters.get("values") or _of_classes(value, parameters)
            found |= zip(_places(base, value, labels, names), numbers.tolist(), strict=True)
        elif isinstance(value, int | float):
            found[base] = float(value)
    return found


def named_place(name: str, columns: Sequence[str]) -> str:
    """`mean[1]` as `mean[height]`, where an observation has several columns and they have names.

    >>> named_place("covariance[0,1]", ["age", "height"]), named_place("mean", ["age", "height"])
    ('covariance[age, height]', 'mean')
    """
    base, bracket, places = name.removesuffix("]").partition("[")
    numbers = [int(place) if place.isdecimal() else len(columns) for place in places.split(",")]
    if len(columns) < 2 or not bracket or any(number >= len(columns) for number in numbers):
        return name
    return f"{base}[{', '.join(columns[number] for number in numbers)}]"


def _places(base: str, value: Any, labels: Any, names: Sequence[str]) -> list[str]:
    own = [f"{base}[{label}]" for label in (labels if labels is not None else _indices(base, value))]
    theirs = [name for name in names if name.partition("[")[0] == base]
    # subtle: one and the same values may stand in another order in the prior; other values are only names of places
    return own if set(own) <= set(theirs) or len(own) != len(theirs) else theirs


def _of_classes(value: Any, parameters: Mapping[str, Any]) -> list[str] | None:
    """Weights and intercepts of more than two classes by class; the first may be the one that others differ from."""
    classes = parameters.get("classes", ())
    if len(classes) <= 2:
        return None
    columns = parameters["names"] or range(parameters["weights"].shape[1])
    of = classes[len(classes) - len(value) :]
    return [str(name) for name in of] if value.ndim == 1 else [f"{name}, {column}" for name in of for column in columns]


def _indices(base: str, value: Any) -> list[str]:
    places = (place for place in np.ndindex(value.shape) if base != "covariance" or place[0] <= place[1])
    return [",".join(map(str, place)) for place in places]
