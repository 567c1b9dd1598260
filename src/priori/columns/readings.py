"""How the statistics of a table are read: estimate, priors, what a missing cell says. Changeable without retraining."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

from priori.errors import DataError
from priori.readings import ClassPrior, LabelType, class_prior_of, prior_count, read_plain

TableEstimate: TypeAlias = Literal["ml", "unbiased", "map", "mean", "bayes"]


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
