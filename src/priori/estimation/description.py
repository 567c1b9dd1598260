"""Estimates as plain values: priors, posteriors, models and predictives as JSON has them, and their numbers by name."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from typing import Any

import numpy as np

from priori.errors import EstimateError
from priori.families.gamma import GammaGamma
from priori.families.gamma_predictive import GammaPredictive
from priori.families.regression.base import Regression
from priori.families.regression.laplace import LogisticPosterior, LogisticPredictive
from priori.families.regression.linear_model import LinearPredictive


def described(value: Any) -> dict[str, Any]:
    """A prior, a model or a predictive: the line that prints it, and its own numbers.

    >>> from priori.families import NormalKnownVariance
    >>> described(NormalKnownVariance(variance=4))
    {'says': 'μ ~ 𝒩(0, inf), σ² = 4', 'variance': 4.0, 'location': 0.0, 'mean_variance': 'Infinity'}
    """
    return {"says": str(value), **plain({name: of for name, of in numbers(value).items() if of is not None})}


def described_posterior(posterior: Any, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """The same of a posterior, and mean and standard deviation of each parameter by itself, by name."""
    try:
        marginals: dict[str, Any] = posterior.marginals() if posterior.proper else {}
    except EstimateError:
        marginals = {}
    return {
        **described(posterior),
        "parameters": {named_place(name, names): _moments(of) for name, of in marginals.items()},
    }


@singledispatch
def numbers(value: Any) -> dict[str, Any]:
    """The numbers that make a distribution what it is, by name: its fields, where they are that."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


@numbers.register
def _(prior: GammaGamma) -> dict[str, Any]:
    # subtle: once it has seen data, its fields are the prior's still
    return {} if prior.data.n else _fields_but(prior, "data")


@numbers.register
def _(prior: Regression) -> dict[str, Any]:
    return {} if prior.seen is not None else _fields_but(prior, "seen")


@numbers.register
def _(posterior: LogisticPosterior) -> dict[str, Any]:
    return {"classes": posterior.best.classes}


@numbers.register
def _(predictive: LinearPredictive) -> dict[str, Any]:
    best = predictive.best
    centre = {"weights": best.weights, "intercept": best.intercept, "names": predictive.names}
    return {**centre, "noise": predictive.noise, "degrees": predictive.degrees}


@numbers.register
def _(predictive: LogisticPredictive) -> dict[str, Any]:
    return numbers(predictive.posterior.best)  # around which it is averaged


@numbers.register
def _(predictive: GammaPredictive) -> dict[str, Any]:
    return _moments(predictive.freeze())


def _fields_but(value: Any, name: str) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != name}


def _moments(marginal: Any) -> dict[str, Any]:
    """Mean and standard deviation; None where there is none, as for Student's t of one degree of freedom."""
    mean, deviation = float(marginal.mean()), float(marginal.std())
    exist = not math.isnan(deviation)  # scipy has a mean of such a t, at infinity
    return {"mean": plain(mean) if exist else None, "standard_deviation": plain(deviation) if exist else None}


def plain(value: Any) -> Any:
    """A value as JSON has it; it has no infinity, so that is said as every language reads it."""
    if isinstance(value, Mapping):
        return {str(name): plain(of) for name, of in value.items()}
    if isinstance(value, np.ndarray | tuple | list):
        return [plain(of) for of in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value):
        raise AssertionError("NaN is no value of an estimate")
    return "Infinity" if value > 0 else "-Infinity"


# --- the numbers of a distribution by name ----------------------------------------------------------------------------


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
