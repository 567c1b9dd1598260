"""How counts are read: event model, estimate, priors. Small, outside the statistics, changeable without retraining."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias, cast, get_args

from priori.columns.readings import ClassPrior, Estimate, class_prior_of, prior_count, read_plain
from priori.columns.words.term_selection import TermSelection
from priori.data.labels import LabelType
from priori.errors import DataError
from priori.language.smoothing import Smoothing

Event: TypeAlias = Literal["multinomial", "bernoulli", "complement", "language", "auto"]  # auto: of least left-out loss
Alpha: TypeAlias = float | Literal["auto", "evidence"]  # a number; that of the least left-out loss; of most evidence
Calibrate: TypeAlias = bool | Literal["monotone"]


@dataclass(frozen=True)
class Prior:
    """Imagined counts: one number for every word, others for some words, others again for some words of a class.

    Dirichlet for the multinomial, Beta(alpha, alpha) for each word of the Bernoulli model. The one for every word may
    be left to the data: "auto", or "evidence". `proportional`: it is that of a class of the mean number of words, and
    grows with the words of a class, so that classes of many words and of few are smoothed alike.
    """

    alpha: Alpha = 1.0
    terms: Mapping[str, float] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    proportional: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.proportional, bool):
            raise DataError(f"proportional={self.proportional!r} says neither; give True or False")
        # Plain floats and texts, whatever they came as (numpy's numbers, labels that are numbers).
        if self.alpha not in ("auto", "evidence"):
            object.__setattr__(self, "alpha", prior_count(self.alpha))
        object.__setattr__(self, "terms", _prior_table(self.terms))
        classes = {str(label): _prior_table(table) for label, table in self.classes.items()}
        object.__setattr__(self, "classes", classes)

    @classmethod
    def of(cls, alpha: "Alpha | Prior | Mapping[str, Any]") -> "Prior":
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
    def from_toml(cls, path: str | os.PathLike[str]) -> "Prior":
        """`alpha = 0.5`, a table `[terms]` of word = alpha, and tables `[classes.LABEL]` of word = alpha."""
        import tomllib
        from pathlib import Path

        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"the prior file {path} cannot be read: {error}") from error
        unknown = set(values) - {"alpha", "proportional", "terms", "classes"}
        if unknown:
            raise DataError(
                f"the prior file {path} has {sorted(unknown)}; it holds alpha, proportional, [terms], [classes.LABEL]"
            )
        return cls.from_json(values)

    def to_json(self) -> Alpha | dict[str, Any]:
        """A number (or who chooses it) where that says it all."""
        if not self.terms and not self.classes and not self.proportional:
            return self.alpha
        classes = {label: dict(table) for label, table in self.classes.items()}
        values = {"alpha": self.alpha, "terms": dict(self.terms), "classes": classes}
        return values | ({"proportional": True} if self.proportional else {})

    @classmethod
    def from_json(cls, value: object) -> "Prior":
        """The inverse of `to_json`."""
        if isinstance(value, int | float):
            return cls(float(value))
        if value in ("auto", "evidence"):
            return cls(cast(Alpha, value))
        if not isinstance(value, Mapping):
            raise DataError(f"{value!r} is no prior; give a number or tables")
        terms, classes = value.get("terms", {}), value.get("classes", {})
        if not isinstance(terms, Mapping) or not isinstance(classes, Mapping):
            raise DataError("the prior's terms and classes must be tables of word = alpha")
        if not all(isinstance(table, Mapping) for table in classes.values()):
            raise DataError("the prior's classes must be tables of word = alpha, one for each label")
        return cls(value.get("alpha", 1.0), terms, classes, value.get("proportional", False))


def _prior_table(table: Mapping[str, Any]) -> dict[str, float]:
    for word in table:
        if not isinstance(word, str):
            raise DataError(f"the prior names {word!r}, which is no word; give {{word: alpha}} with words as text")
    return {word: prior_count(value) for word, value in table.items()}


@dataclass(frozen=True)
class Readings:
    """One reading of the counts."""

    event: Event = "multinomial"
    estimate: Estimate = "bayes"
    prior: Prior = field(default_factory=Prior)
    class_prior: ClassPrior = "ml"  # relative frequencies; uniform; a Dirichlet's alpha; or given by label
    unknown: Literal["ignore", "prior"] = "ignore"  # words never seen: left out, or one slot with the prior's mass
    label_type: LabelType = "str"  # what the labels were in Python
    calibrate: Calibrate = False  # probabilities as they are; or scaled by left-out documents, or a monotone map on top
    components: Mapping[str, str] = field(default_factory=dict)  # the class of each label that is but a part of one
    smoothing: Smoothing = field(default_factory=Smoothing)  # of the event model "language"
    select: str | None = None  # RANKING:NUMBER or RANKING:auto, the only terms that are read; None: all

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("event", self.event, get_args(Event)),
            ("estimate", self.estimate, get_args(Estimate)),
            ("unknown", self.unknown, ("ignore", "prior")),
            ("label_type", self.label_type, get_args(LabelType)),
        ):
            if value not in allowed:
                raise DataError(f"{name}={value!r} is unknown; choose {', '.join(allowed)}")
        if self.prior.proportional and (self.event != "multinomial" or self.estimate != "bayes"):
            raise DataError("a proportional prior is one of the multinomial's posterior mean; use estimate='bayes'")
        if self.event == "language":
            self._check_language()
        if self.event == "auto" and (self.calibrate is False or self.estimate == "ml"):
            raise DataError("event='auto' compares calibrated losses; leave calibrate on and estimate not 'ml'")
        if not isinstance(self.calibrate, bool) and self.calibrate != "monotone":
            raise DataError(f"calibrate={self.calibrate!r} is unknown; choose True, False or 'monotone'")
        object.__setattr__(self, "class_prior", class_prior_of(self.class_prior))
        for part, whole in self.components.items():
            if not isinstance(part, str) or not isinstance(whole, str):
                raise DataError(f"components={dict(self.components)!r} are not texts; give {{component: class}}")
        if self.components and (self.prior_is_given or self.calibrate == "monotone"):
            raise DataError("classes of several components have a counted prior and no monotone map; leave those out")
        if self.select == "all":
            object.__setattr__(self, "select", None)
        if self.select is not None:
            self._check_selection(TermSelection.of(self.select))

    def _check_selection(self, selection: TermSelection) -> None:
        object.__setattr__(self, "select", str(selection))
        if self.prior.terms or self.prior.classes or self.prior.proportional:
            raise DataError("select chooses words by their counts, and the prior has its own for some; give one alpha")
        if self.components:
            raise DataError("select chooses words by their classes, and some are components; leave it out")
        if self.event == "language":
            raise DataError(
                "an n-gram cannot stand without the shorter ones in it, so none are selected; leave select out"
            )
        if selection.most is None and self.estimate == "ml":
            raise DataError("select=...:auto compares losses that maximum likelihood has not; give a number of terms")

    def _check_language(self) -> None:
        prior = self.prior
        if self.estimate != "bayes" or prior.terms or prior.classes or prior.proportional or prior.alpha == "evidence":
            raise DataError(
                "a language model is read by its smoothing; leave out estimate, priors of words and 'evidence'"
            )
        if self.smoothing.method == "dirichlet":
            return
        if prior.alpha not in ("auto", 1.0):
            raise DataError(
                f"alpha={prior.alpha!r} is of smoothing='dirichlet'; {self.smoothing.method!r} has none: leave it out"
            )
        object.__setattr__(self, "prior", Prior(1.0))  # nothing is left to the documents

    @classmethod
    def automatic(cls) -> Self:
        """What is used unless something else is asked for: smoothing and calibration fitted on left-out documents."""
        return cls(prior=Prior("auto"), calibrate=True)

    @property
    def left_to_documents(self) -> bool:
        """Whether something is to be fitted before the counts can be read: nothing of maximum likelihood."""
        return self.estimate != "ml" and (isinstance(self.prior.alpha, str) or self.needs_documents)

    @property
    def needs_documents(self) -> bool:
        """Whether that needs documents to leave out: the evidence is a matter of counts alone."""
        wanted = self.prior.alpha == "auto" or self.calibrate is not False or self.event == "auto"
        return self.estimate != "ml" and (wanted or self.selects_auto)

    @property
    def selects_auto(self) -> bool:
        """Whether how many terms are read is left to the documents."""
        return self.select is not None and TermSelection.of(self.select).most is None

    @property
    def prior_is_given(self) -> bool:
        """Whether p(y) is not counted: it is that of other documents than those learned."""
        return isinstance(self.class_prior, Mapping) or self.class_prior == "uniform"

    @property
    def calibrated(self) -> bool:
        """Whether there will be a calibration: what maximum likelihood calls impossible cannot be calibrated."""
        return self.calibrate is not False and self.estimate != "ml"

    def inner(self) -> Self:
        """The readings that scores are made with, where they are calibrated on documents as they came.

        A class prior that is not counted is one for other documents: it re-weights what was calibrated.
        """
        return replace(self, class_prior="ml") if self.calibrated and self.prior_is_given else self

    def fits(self, other: Self) -> bool:
        """Whether what was fitted for one serves the other: labels may be of other types, and a given prior another."""
        mine, theirs = (replace(readings.inner(), label_type="str") for readings in (self, other))
        return mine == theirs

    def with_alpha(self, alpha: float) -> Self:
        """With a number where alpha was left to the data."""
        return replace(self, prior=replace(self.prior, alpha=alpha))

    def with_terms(self, most: int) -> Self:
        """With a number where that of the terms was left to the data."""
        return self if self.select is None else replace(self, select=f"{TermSelection.of(self.select).by}:{most}")

    def of_all_terms(self) -> Self:
        """The same where every term is read."""
        return replace(self, select=None)

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file."""
        prior = self.class_prior
        return {
            "event": self.event,
            "estimate": self.estimate,
            "prior": self.prior.to_json(),
            "class_prior": dict(prior) if isinstance(prior, Mapping) else prior,
            "unknown": self.unknown,
            "label_type": self.label_type,
            "calibrate": self.calibrate,
            **({"components": dict(self.components)} if self.components else {}),
            **({} if self.select is None else {"select": self.select}),
            **({"smoothing": str(self.smoothing)} if self.event == "language" else {}),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`; a damaged file gives a ModelFileError."""
        return read_plain(
            cls,
            values,
            lambda: {
                **values,
                "prior": Prior.from_json(values.get("prior", 1.0)),
                "smoothing": Smoothing.of(values.get("smoothing", "kneser-ney")),
            },
        )
