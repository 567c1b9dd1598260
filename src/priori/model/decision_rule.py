"""How a model is to be used: a loss, thresholds read off its kept documents, the class prior of the place of use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from priori.columns.class_prior import log_class_prior
from priori.data.labels import from_texts
from priori.decisions import Loss, Policy, Threshold
from priori.decisions.decide import Rule
from priori.decisions.losses import places, plain_labels
from priori.errors import DataError
from priori.model.classifier import Model

if TYPE_CHECKING:  # what columns need is slow to import, and a message is decided without it
    from priori.model.table_classifier import TableModel

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
AnyModel: TypeAlias = "Model | TableModel"

# as they are called on the command line, and in Python
_FEW, _PRECISE = "--max-false-positive (max_false_positive=)", "--min-precision (min_precision=)"
_POSITIVE, _PRIOR = "--positive (positive=)", "--shift (class_prior=)"


@dataclass(frozen=True)
class Wanted:
    """What decisions are asked to keep to.

    loss, reject, rule: as in `priori.decide`.
    max_false_positive: of documents that are not `positive`, at most this share is called so; or {label: share}.
    min_precision:      of documents that are called `positive`, at least this share is.
    positive:           the class of these promises; the second of two, as scikit-learn has it.
    confidence:         of the promise, over the documents that it is read off; None: the rate on average over them.
    class_prior:        at the place of use: {label: p}, "uniform", or "estimate", by EM from the documents themselves.
    """

    loss: Any = None
    reject: float | None = None
    max_false_positive: float | Mapping[Any, float] | None = None
    min_precision: float | Mapping[Any, float] | None = None
    positive: Any = None
    confidence: float | None = 0.95
    class_prior: Any = None
    rule: Rule = "bayes"

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise DataError(f"rule={self.rule!r} is none; give 'bayes', 'map' or 'ml'")
        if self.rule != "bayes" and self.loss is not None:
            raise DataError(f"rule={self.rule!r} is that of the 0/1 loss; leave loss away, or decide by 'bayes'")
        if self.rule == "ml" and (self.class_prior is not None or self.promises):
            raise DataError("rule='ml' is that of equal class priors; leave class_prior= and thresholds away")
        if self.max_false_positive is not None and self.min_precision is not None:
            raise DataError(f"a threshold keeps one promise; give {_FEW}, or {_PRECISE}")
        if self.min_precision is not None and self.class_prior is not None:
            raise DataError(
                f"a precision holds for the class mix that was learned, and {_PRIOR} is another; ask for {_FEW} instead"
            )
        if isinstance(self.class_prior, str) and self.class_prior not in ("uniform", "estimate"):
            raise DataError(f"class_prior={self.class_prior!r} is none; give {{label: p}}, 'uniform' or 'estimate'")
        if self.positive is not None and not self.promises:
            raise DataError(
                f"{_POSITIVE} is {self.positive!r}, the class of a promise, and there is none; give {_FEW} with it"
            )

    @property
    def promises(self) -> bool:
        """Whether a threshold is asked for."""
        return self.max_false_positive is not None or self.min_precision is not None

    @property
    def estimates(self) -> bool:
        """Whether the class prior is to be found from the documents."""
        return _is(self.class_prior, "estimate")

    @property
    def decides(self) -> bool:
        """Whether more is asked for than the most probable class."""
        return self.promises or self.loss is not None or self.reject is not None


def policy_of(model: AnyModel, wanted: Wanted, classes: Iterable[Any] | None = None) -> Policy:
    """The policy for p(c | x) with columns in the order of `classes` (those of the model, as text).

    class_prior="estimate" is left to the caller, who has the documents: `Policy.estimated`.
    """
    names = plain_labels(model.labels if classes is None else classes)
    column = np.array(places(names, plain_labels(_labels_of(model, classes))), np.intp)  # of each label of the model
    old = np.zeros(len(names))
    old[column] = posterior_prior(model)
    loss = Loss.of(wanted.loss, names)
    if wanted.reject is not None:
        loss = loss.with_reject(wanted.reject)
    policy = Policy(loss, old, thresholds=_thresholds(model, wanted, names, column))
    if wanted.rule == "ml" or _is(wanted.class_prior, "uniform"):
        return policy.under((old > 0) / (old > 0).sum())
    return policy if wanted.class_prior is None or wanted.estimates else policy.under(wanted.class_prior)


def posterior_prior(model: AnyModel) -> Floats:
    """The class prior inside p(c | x), (K,): that which was given, or that of the documents learned."""
    if not isinstance(model, Model):
        return np.exp(model.log_prior)
    readings, documents = model.readings, model.counts.class_documents.astype(np.float64)
    prior = readings.class_prior
    if not readings.prior_is_given:
        if model.calibration is not None:
            prior = "ml"  # subtle: whatever was imagined, calibrated probabilities are those of the documents
        elif readings.event == "complement":
            prior = "uniform"  # its scores know of no class prior
    return np.exp(log_class_prior(model.labels, documents, prior, readings.estimate))


def _is(value: Any, name: str) -> bool:
    return isinstance(value, str) and value == name


def _labels_of(model: AnyModel, classes: Iterable[Any] | None) -> Any:
    return model.labels if classes is None else from_texts(model.labels, model.readings.label_type)


def _promised(wanted: Wanted, names: tuple[Any, ...]) -> dict[int, float]:
    """The share that is promised for each class, by its column."""
    given = wanted.max_false_positive if wanted.min_precision is None else wanted.min_precision
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        positive = wanted.positive
        if positive is None:
            if len(names) != 2:
                raise DataError(f"a promise is about one class, and there are {len(names)}; name it with {_POSITIVE}")
            positive = names[1]
        given = {positive: given}
    elif wanted.positive is not None:
        raise DataError("the classes of the promise are named twice; give {label: share}, or positive= and a number")
    if not given:
        raise DataError("a promise is about one class or more, and none is named; give {label: share}, or a number")
    found = dict(zip(places(names, given), given.values(), strict=True))
    if -1 in found:
        other = next(name for name in given if places(names, [name]) == [-1])
        raise DataError(
            f"{other!r} is no class, so nothing can be promised of it; the classes are {', '.join(map(str, names))}"
        )
    if wanted.min_precision is not None and len(found) > 1:
        raise DataError("a precision can be promised of one class; name one")
    return found


def _thresholds(model: AnyModel, wanted: Wanted, names: tuple[Any, ...], column: Places) -> dict[Any, Threshold]:
    """By the name of the class."""
    promised = _promised(wanted, names)
    if not promised:
        return {}
    from priori.model.evaluation import Promise, kept_of

    if wanted.class_prior is not None and len(names) > 2:
        raise DataError(
            "of more than two classes the share of false positives depends on the mix of the others, and "
            f"{_PRIOR} is not the one that was learned; leave it away"
        )
    text = dict(zip(column.tolist(), model.labels, strict=True))
    for k in promised:
        if k not in text:
            raise DataError(f"class {names[k]!r} was never learned, so nothing can be promised of it; learn it first")
    kept = kept_of(model)
    promise: Promise = "precision" if wanted.max_false_positive is None else "false positives"
    return {names[k]: kept.threshold(text[k], promise, share, wanted.confidence) for k, share in promised.items()}
