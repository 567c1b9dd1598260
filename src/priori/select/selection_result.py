"""What model selection found: candidates by the loss of the labels, and what can be said within a representation."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from priori.columns.readings import Estimate
from priori.columns.words.readings import Alpha, Event, Readings
from priori.errors import DataError
from priori.select.candidates import name_of
from priori.select.evidence import Representation
from priori.select.label_loss import Average, LabelLoss
from priori.text import Analyzer

Criterion = Literal["leave-one-out", "k-fold", "holdout"]
LARGE = 0.2  # the share of one block above which a sum over blocks says little of how it varies
WHY_NOT_ACROSS = (
    "Evidence, AIC and BIC say how probable the texts are, as they were counted: they compare models of the same "
    "counts, never words with pairs of words or counts with presences. And they speak of all words, most of which say "
    "nothing of the class. The losses above are of the labels, which are the same for all."
)


@dataclass(frozen=True)
class Candidate:
    """One model: how texts are counted, how the counts are read, and what it is worth."""

    analyzer: Analyzer
    readings: Readings  # as asked for
    alpha: float | None  # as a number; None where no prior is read
    calibrated: bool
    leave_one_out: LabelLoss
    raw_log_loss: float  # leave-one-out, without calibration
    k_fold: LabelLoss | None
    holdout: LabelLoss | None
    behind: tuple[float, float]  # of the best by the criterion: its loss less the best's, and the standard error
    representation: Representation
    seconds: float

    @property
    def features(self) -> str:
        """What is counted, in short."""
        return name_of(self.analyzer)

    @property
    def event(self) -> Event:
        """The event model."""
        return self.readings.event

    @property
    def estimate(self) -> Estimate:
        """How parameters are estimated."""
        return self.readings.estimate

    @property
    def asked(self) -> Alpha | None:
        """Alpha as it was asked for."""
        return None if self.estimate == "ml" else self.readings.prior.alpha

    @property
    def name(self) -> str:
        """In short, unlike any other's."""
        smoothing = "" if self.asked is None else f" {alpha_text(self.asked)}"
        return f"{self.representation.name} {self.estimate}{smoothing}"

    @property
    def near(self) -> bool:
        """Whether it is behind the best by less than two standard errors of the difference, on the same documents."""
        loss, error = self.behind
        return math.isfinite(error) and loss <= 2 * error

    @property
    def log_evidence(self) -> float | None:
        """Of the texts under its prior; None where there is none."""
        return self.representation.evidence_at(self.alpha)

    def loss(self, criterion: Criterion) -> LabelLoss:
        """By one of the criteria, which must have been asked for."""
        found = {"leave-one-out": self.leave_one_out, "k-fold": self.k_fold, "holdout": self.holdout}[criterion]
        if found is None:
            raise DataError(f"the {criterion} loss was not measured; ask for it: criterion={criterion!r}")
        return found

    def settings(self) -> dict[str, Any]:
        """For `TextClassifier(**settings)`."""
        analyzer, readings = self.analyzer, self.readings
        return {
            "features": analyzer.features,
            "ngrams": analyzer.ngrams,
            "lowercase": analyzer.lowercase,
            "fold_accents": analyzer.fold_accents,
            "min_length": analyzer.min_length,
            "binary": analyzer.binary,
            "compat": analyzer.compat,
            "vocabulary": analyzer.vocabulary,
            "stop_words": analyzer.stop_words,
            "stem": analyzer.stem,
            "event": self.event,
            "estimate": self.estimate,
            "alpha": readings.prior.alpha,
            "class_prior": readings.class_prior,
            "calibrate": readings.calibrate,
        }

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where there is no such number, or it is infinite."""
        maximum = self.representation.own
        own: dict[str, Any] = dict.fromkeys(("parameters", "log_likelihood", "aic", "bic"))
        behind, error = self.behind
        return {
            "name": self.name,
            "representation": self.representation.name,
            "features": self.analyzer.features,
            "ngrams": list(self.analyzer.ngrams),
            "binary": self.analyzer.binary,
            "event": self.event,
            "estimate": self.estimate,
            "alpha": self.alpha,
            "alpha_asked": self.asked,
            "calibrate": self.readings.calibrate,
            "calibrated": self.calibrated,
            "leave_one_out": self.leave_one_out.to_json(),
            "raw_log_loss": _finite(self.raw_log_loss),
            "k_fold": None if self.k_fold is None else self.k_fold.to_json(),
            "holdout": None if self.holdout is None else self.holdout.to_json(),
            "behind": _finite(behind),
            "behind_standard_error": _finite(error),
            "log_evidence": self.log_evidence,
            **(own if maximum is None else maximum.to_json()),
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Selection:
    """Candidates, the best first by the criterion."""

    criterion: Criterion
    candidates: tuple[Candidate, ...]
    representations: tuple[Representation, ...]
    averages: tuple[Average, ...]
    labels: tuple[str, ...]
    documents: int  # learned from
    left_out: int  # of which so many were left out in turn
    alone: int  # of which so many were not judged: without them, their class is unknown
    folds: int | None
    held_out: int
    unknown: int  # of which so many were not judged: no text that was learned has their class
    unlabelled: int
    largest_block: float  # the share of the judged weight that one text with its copies, or one group, has
    seconds: float

    @property
    def best(self) -> Candidate:
        """The first."""
        return self.candidates[0]

    @property
    def unsure(self) -> bool:
        """Whether standard errors are unreliable: one block has more than a fifth of the weight."""
        return self.largest_block > LARGE

    @property
    def rivals(self) -> int:
        """How many others are near the best."""
        return sum(each.near for each in self.candidates[1:])

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "criterion": self.criterion,
            "documents": self.documents,
            "left_out": self.left_out,
            "alone": self.alone,
            "folds": self.folds,
            "held_out": self.held_out,
            "unknown": self.unknown,
            "unlabelled": self.unlabelled,
            "largest_block": self.largest_block,
            "labels": list(self.labels),
            "best": self.best.name,
            "rivals": self.rivals,
            "candidates": [each.to_json() for each in self.candidates],
            "representations": [each.to_json() for each in self.representations],
            "averages": [each.to_json() for each in self.averages],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        from priori.formatting import grid
        from priori.select.selection_tables import ranking

        head, *rows = ranking(self)
        return grid([[name.removeprefix(">") for name in head], *rows])


def criterion_of(value: object) -> Criterion:
    """Checked."""
    if value not in get_args(Criterion):
        raise DataError(f"criterion={value!r} is unknown; choose {', '.join(get_args(Criterion))}")
    return value  # type: ignore[return-value]


def alpha_text(alpha: Alpha) -> str:
    """A number in a few digits, or who chooses it."""
    return alpha if isinstance(alpha, str) else f"{alpha:.3g}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
