"""p(y): relative frequencies, a Dirichlet's posterior mean or mode, uniform, or given."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from priori.columns.readings import ClassPrior, Estimate
from priori.errors import DataError, EstimateError

Floats = npt.NDArray[np.float64]


def log_class_prior(labels: tuple[str, ...], documents: Floats, prior: ClassPrior, estimate: Estimate) -> Floats:
    """log p(y), (K,). A number is a Dirichlet's alpha: its mode under MAP, its mean otherwise (lecture 001)."""
    classes = len(labels)
    if classes == 0:
        raise EstimateError("the model has no classes, so p(y) does not exist; learn something first")
    if isinstance(prior, Mapping):
        missing = sorted(set(labels) - set(prior))
        if missing:
            raise DataError(
                f"the given class prior lacks {missing[0]!r}; give a probability for each of {list(labels)}"
            )
        share = np.array([float(prior[label]) for label in labels])
    elif prior == "uniform":
        share = np.full(classes, 1 / classes)
    else:
        pseudo = 0.0 if prior == "ml" else float(prior) - (1.0 if estimate == "map" else 0.0)
        share = documents + pseudo
        if pseudo < 0 and bool((share < 0).any()):
            raise EstimateError("the class prior has no mode: alpha < 1 and a class without documents; use alpha >= 1")
        if share.sum() <= 0:
            raise EstimateError("no documents, so p(y) does not exist; learn some, or use class_prior='uniform'")
        share = share / share.sum()
    with np.errstate(divide="ignore"):
        log_share: Floats = np.log(share)
    return log_share
