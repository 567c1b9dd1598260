"""How statistics are read: estimate, priors, what a missing cell says. Changeable without retraining."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, TypeVar, cast, get_args

import numpy as np

from priori.data.labels import LabelType
from priori.errors import DataError, ModelFileError

Estimate: TypeAlias = Literal["ml", "map", "bayes", "integrated"]
TableEstimate: TypeAlias = Literal["ml", "unbiased", "map", "mean", "bayes"]
ClassPrior: TypeAlias = float | Literal["ml", "uniform"] | Mapping[str, float]

R = TypeVar("R")
LARGEST_PRIOR = 2.0**1000  # sums of many more stay finite


@dataclass(frozen=True)
class TableReadings:
    """One reading of the statistics of a table."""

    estimate: TableEstimate = "bayes"
    alpha: float = 1.0  # imagined count of each value of a discrete column: 1 is Laplace's
    class_prior: ClassPrior = "ml"
    unknown: Literal["ignore", "prior"] = "ignore"  # values never seen: say nothing, or get the mass of one more value
    missing: Literal["ignore", "evidence"] = "ignore"  # a missing cell is integrated out, or tells something itself
    label_type: LabelType = "str"
    temper: float | Literal["auto"] = 1.0  # the power of p(x | y); auto: fitted on rows that are left out
    target: str | None = None  # the column that had the labels, where they were one

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("estimate", self.estimate, get_args(TableEstimate)),
            ("unknown", self.unknown, ("ignore", "prior")),
            ("missing", self.missing, ("ignore", "evidence")),
            ("label_type", self.label_type, get_args(LabelType)),
        ):
            if value not in allowed:
                raise DataError(f"{name}={value!r} is unknown; choose {', '.join(allowed)}")
        if not isinstance(self.target, str | None):
            raise DataError(f"target={self.target!r} is no name of a column; give text")
        object.__setattr__(self, "alpha", prior_count(self.alpha))
        if self.temper != "auto":
            object.__setattr__(self, "temper", _power(self.temper))
        object.__setattr__(self, "class_prior", class_prior_of(self.class_prior))

    @property
    def pseudo_count(self) -> float:
        """What is added to each count of a discrete column: nothing for ML, alpha - 1 for the mode, else alpha."""
        if self.estimate in ("ml", "unbiased"):
            return 0.0
        return self.alpha - 1 if self.estimate == "map" else self.alpha

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file."""
        prior = self.class_prior
        return {
            "estimate": self.estimate,
            "alpha": self.alpha,
            "class_prior": dict(prior) if isinstance(prior, Mapping) else prior,
            "unknown": self.unknown,
            "missing": self.missing,
            "label_type": self.label_type,
            "temper": self.temper,
            "target": self.target,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; a damaged file gives a ModelFileError."""
        return read_plain(cls, values, lambda: values)


def _power(value: object) -> float:
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    if not 0 < number < float("inf"):
        raise DataError(f"temper={value!r} is no power of a probability; give 'auto' or a number above 0, such as 1")
    return number


def _number(value: object) -> float:
    """A number as a float, NaN for anything else (also True), infinity for integers beyond floats."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def prior_count(value: object) -> float:
    """A number as an imagined count."""
    number = _number(value)
    if not 0 <= number < LARGEST_PRIOR:
        raise DataError(f"alpha={value!r} is no prior count; give a finite number from 0")
    return number


def class_prior_of(prior: object) -> ClassPrior:
    """The class prior with its labels as text and its numbers as floats."""
    if isinstance(prior, Mapping):
        shares = {str(label): _share(label, share) for label, share in prior.items()}
        total = math.fsum(shares.values())
        if not math.isclose(total, 1, abs_tol=1e-9):
            raise DataError(f"the given class prior sums to {total:g}; give probabilities that sum to 1")
        return shares
    if isinstance(prior, str) and prior in ("ml", "uniform"):
        return cast(Literal["ml", "uniform"], prior)
    number = _number(prior)
    if math.isnan(number):
        raise DataError(f"class_prior={prior!r} is unknown; choose ml, uniform, a number or {{label: p}}")
    if not 0 <= number < LARGEST_PRIOR:
        raise DataError(f"class_prior={prior!r} is no prior count; give a finite number from 0")
    return number


def _share(label: object, share: object) -> float:
    number = _number(share)
    if not 0 <= number <= 1:
        raise DataError(f"the class prior gives {label!r} {share!r}, which is no probability; give numbers from 0 to 1")
    return number


def read_plain(cls: type[R], values: Mapping[str, Any], fields: Callable[[], Mapping[str, Any]]) -> R:
    """A reading from the plain values of a file; a ModelFileError where they are unknown or mean nothing."""
    names = set(cls.__dataclass_fields__)  # type: ignore[attr-defined]
    if not set(values) <= names:
        raise ModelFileError(
            f"the readings hold {sorted(set(values) - names)}, unknown to this version; upgrade priori"
        )
    try:
        return cls(**fields())
    except (DataError, TypeError) as error:
        raise ModelFileError(f"the readings of the file mean nothing ({error}); restore a copy") from error
