"""How counts are read: event model, estimate, priors. Small, outside the statistics, changeable without retraining."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

from priori.errors import DataError, ModelFileError

Event: TypeAlias = Literal["multinomial", "bernoulli", "complement"]
Estimate: TypeAlias = Literal["ml", "map", "bayes", "integrated"]
ClassPrior: TypeAlias = float | Literal["ml", "uniform"] | Mapping[str, float]
LabelType: TypeAlias = Literal["str", "int", "float", "bool"]


@dataclass(frozen=True)
class Prior:
    """Imagined counts: one number for every word, others for some words, others again for some words of a class.

    Dirichlet for the multinomial, Beta(alpha, alpha) for each word of the Bernoulli model.
    """

    alpha: float = 1.0
    terms: Mapping[str, float] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [self.alpha, *self.terms.values(), *(a for table in self.classes.values() for a in table.values())]
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf:
                raise DataError(f"alpha={number!r} is no prior count; give a finite number from 0")

    @classmethod
    def of(cls, alpha: "float | Prior | Mapping[str, Any]") -> "Prior":
        """A number; {word: alpha}; {class: {word: alpha}}; or a Prior."""
        if isinstance(alpha, Prior):
            return alpha
        if not isinstance(alpha, Mapping):
            return cls(alpha)
        nested = [isinstance(value, Mapping) for value in alpha.values()]
        if any(nested) and not all(nested):
            raise DataError("the prior mixes words and classes; give {word: alpha}, {class: {word: alpha}} or a Prior")
        return cls(classes=dict(alpha)) if any(nested) else cls(terms=dict(alpha))

    @classmethod
    def from_toml(cls, path: str | Path) -> "Prior":
        """`alpha = 0.5`, a table `[terms]` of word = alpha, and tables `[classes.LABEL]` of word = alpha."""
        import tomllib

        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"the prior file {path} cannot be read: {error}") from error
        unknown = set(values) - {"alpha", "terms", "classes"}
        if unknown:
            raise DataError(f"the prior file {path} has {sorted(unknown)}; it may hold alpha, [terms], [classes.LABEL]")
        return cls.from_json(values)

    def to_json(self) -> float | dict[str, Any]:
        """A number where that says it all."""
        if not self.terms and not self.classes:
            return float(self.alpha)
        classes = {label: dict(table) for label, table in self.classes.items()}
        return {"alpha": float(self.alpha), "terms": dict(self.terms), "classes": classes}

    @classmethod
    def from_json(cls, value: object) -> "Prior":
        """The inverse of `to_json`."""
        if isinstance(value, int | float):
            return cls(float(value))
        if not isinstance(value, Mapping):
            raise DataError(f"{value!r} is no prior; give a number or tables")
        terms, classes = value.get("terms", {}), value.get("classes", {})
        if not isinstance(terms, Mapping) or not isinstance(classes, Mapping):
            raise DataError("the prior's terms and classes must be tables of word = alpha")
        if not all(isinstance(table, Mapping) for table in classes.values()):
            raise DataError("the prior's classes must be tables of word = alpha, one for each label")
        return cls(value.get("alpha", 1.0), terms, classes)


@dataclass(frozen=True)
class Readings:
    """One reading of the counts."""

    event: Event = "multinomial"
    estimate: Estimate = "bayes"
    prior: Prior = field(default_factory=Prior)
    class_prior: ClassPrior = "ml"  # relative frequencies; uniform; a Dirichlet's alpha; or given by label
    unknown: Literal["ignore", "prior"] = "ignore"  # words never seen: left out, or one slot with the prior's mass
    label_type: LabelType = "str"  # what the labels were in Python

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("event", self.event, get_args(Event)),
            ("estimate", self.estimate, get_args(Estimate)),
            ("unknown", self.unknown, ("ignore", "prior")),
            ("label_type", self.label_type, get_args(LabelType)),
        ):
            if value not in allowed:
                raise DataError(f"{name}={value!r} is unknown; choose {', '.join(allowed)}")
        if isinstance(self.class_prior, str) and self.class_prior not in ("ml", "uniform"):
            raise DataError(
                f"class_prior={self.class_prior!r} is unknown; choose ml, uniform, a number or {{label: p}}"
            )
        if isinstance(self.class_prior, Mapping):
            total = math.fsum(self.class_prior.values())
            if not all(0 <= p <= 1 for p in self.class_prior.values()) or not math.isclose(total, 1, abs_tol=1e-9):
                raise DataError(f"the given class prior sums to {total:g}; give probabilities that sum to 1")
        elif not isinstance(self.class_prior, str) and not 0 <= self.class_prior < math.inf:
            raise DataError(f"class_prior={self.class_prior!r} is no prior count; give a finite number from 0")

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file."""
        prior = self.class_prior
        return {
            "event": self.event,
            "estimate": self.estimate,
            "prior": self.prior.to_json(),
            "class_prior": dict(prior)
            if isinstance(prior, Mapping)
            else prior
            if isinstance(prior, str)
            else float(prior),
            "unknown": self.unknown,
            "label_type": self.label_type,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; a damaged file gives a ModelFileError."""
        names = set(cls.__dataclass_fields__)
        if not set(values) <= names:
            raise ModelFileError(
                f"the readings hold {sorted(set(values) - names)}, unknown to this version; upgrade priori"
            )
        try:
            return cls(**{**values, "prior": Prior.from_json(values.get("prior", 1.0))})
        except (DataError, TypeError) as error:
            raise ModelFileError(f"the readings of the file mean nothing: {error}") from error
