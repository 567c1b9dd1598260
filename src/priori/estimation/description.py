"""What an estimate is made of, as plain values: priors, posteriors, models and predictives as JSON has them."""

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import singledispatch
from typing import Any

import numpy as np

from priori.errors import EstimateError
from priori.families.gamma import GammaGamma
from priori.families.gamma_predictive import GammaPredictive
from priori.families.laplace import LogisticPosterior, LogisticPredictive
from priori.families.linear_model import LinearPredictive
from priori.families.places import named_place
from priori.families.regression import Regression


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
