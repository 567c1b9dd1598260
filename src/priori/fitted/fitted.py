"""What a model's readings leave to its documents: alpha and the calibration, fitted on documents that are left out."""

import math
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError, ModelFileError
from priori.fitted.calibration import Calibration, Found, LeftOutLabels, fit_calibration, log_normalized
from priori.fitted.evidence import alpha_of_most_evidence
from priori.fitted.smoothing import Curve, choose
from priori.left_out import Documents, LeftOut, Scores
from priori.readings import LARGEST_PRIOR, Event, Readings
from priori.statistics import Counts
from priori.threads import threads

Floats = npt.NDArray[np.float64]

# How much is looked at. 2,000 documents nearly sufficed on real corpora and 4,000 were comfortable; 32 a class tell of
# its offset. Long documents say more each, so what bounds the work is their entries.
ENTRIES, DOCUMENTS, BY_CLASS = 1 << 19, 4_096, 32
ROOM = 1 << 21  # scores of documents and classes
SEARCHED_ENTRIES, SEARCHED, SEARCHED_ROOM = 1 << 17, 1_024, 1 << 19  # to choose alpha by
TOLERANCE, SEARCH_TOLERANCE = 1e-6, 1e-4  # of the loss, and while alpha is searched


@dataclass(frozen=True)
class Fitted:
    """Alpha, calibration, and what the left-out documents say of them."""

    readings: Readings  # those that left something to the documents
    alpha: float | None  # None: it was given, or there is none
    calibration: Calibration | None
    documents: int = 0  # how many were left out
    held_out: bool = False  # whether they had never been learned, and so were scored as they are
    accuracy: float | None = None  # of the left-out documents, each text once; their log loss, calibrated and not
    log_loss: float | None = None
    raw_log_loss: float | None = None
    curve: Curve | None = None
    event: Event | None = None  # None: it was given
    digest: str | None = None  # of the statistics it was fitted on, where those have changed since

    @property
    def stale(self) -> bool:
        """Whether the statistics have changed since."""
        return self.digest is not None

    def resolved(self, readings: Readings) -> Readings:
        """The readings it was fitted for, as numbers."""
        readings = readings.inner()
        if self.event is not None:
            readings = replace(readings, event=self.event)
        return readings if self.alpha is None else readings.with_alpha(self.alpha)

    def facts(self) -> dict[str, Any]:
        """What was found, as plain values for people and programs."""
        calibration, curve = self.calibration, self.curve
        return {
            "event": self.event,
            "alpha": self.alpha,
            "calibration": None if calibration is None else calibration.to_json(),
            "documents": self.documents,
            "held_out": self.held_out,
            "accuracy": self.accuracy,
            "log_loss": self.log_loss,
            "raw_log_loss": self.raw_log_loss,
            "curve": None if curve is None else [[a, b] for a, b in zip(curve.alphas, curve.losses, strict=True)],
            "stale": self.stale,
        }

    def __str__(self) -> str:
        said: list[str] = [] if self.event is None else [self.event]
        said += [] if self.alpha is None else [f"alpha {self.alpha:.3g}"]
        if self.log_loss is not None and self.accuracy is not None:
            said.append(f"accuracy {self.accuracy:.2%} and log loss {self.log_loss:.4f}")
            if self.calibration is not None and self.raw_log_loss is not None:
                said[-1] += f" ({self.raw_log_loss:.4f} before calibration)"
            how = "held-out documents" if self.held_out else "documents, each left out"
            said[-1] += f" on {self.documents:,} {how}"
        if not self.documents and (self.calibration is not None or self.curve is not None):
            said.append("no document could be left out, so the priors' centres stand")
        if self.stale:
            said.append("stale: the model has changed since")
        return "; ".join(said)

    def to_json(self, digest: str) -> dict[str, Any]:
        """Plain values for the model file; `digest` is that of the statistics as they are."""
        facts = {name: value for name, value in self.facts().items() if name != "stale"}
        return {"readings": self.readings.to_json(), **facts, "digest": self.digest or digest}

    @classmethod
    def from_json(cls, values: object, digest: str) -> Self:
        """The inverse of `to_json`, checked."""
        if not isinstance(values, Mapping) or set(values) != set(_KEYS):
            raise ModelFileError("what was fitted means nothing in this file; refit it with priori calibrate")
        alpha, curve, calibration = values["alpha"], values["curve"], values["calibration"]
        for name in ("alpha", "accuracy", "log_loss", "raw_log_loss"):
            _refuse_odd(name, values[name])
        if not isinstance(values["readings"], Mapping):
            raise _odd("readings", values["readings"])
        documents = values["documents"]
        if isinstance(documents, bool) or not isinstance(documents, int) or documents < 0:
            raise _odd("documents", documents)
        if not isinstance(values["held_out"], bool):
            raise _odd("held_out", values["held_out"])
        readings = Readings.from_json(values["readings"])
        if (alpha is None) == isinstance(readings.prior.alpha, str):  # it is there where it was left to the data
            raise _odd("alpha", alpha)
        event = _event_of(values["event"])
        if (event is None) == (readings.event == "auto"):
            raise _odd("event", event)
        return cls(
            readings,
            None if alpha is None else float(alpha),
            None if calibration is None else Calibration.from_json(calibration),
            documents,
            values["held_out"],
            values["accuracy"],
            values["log_loss"],
            values["raw_log_loss"],
            None if curve is None else _curve_of(curve, alpha),
            event,
            None if values["digest"] == digest else str(values["digest"]),
        )


_KEYS = (
    "readings",
    "event",
    "alpha",
    "calibration",
    "documents",
    "held_out",
    "accuracy",
    "log_loss",
    "raw_log_loss",
    "curve",
    "digest",
)


def fit_readings(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, documents: Documents, known_only: bool
) -> Fitted:
    """Alpha and the calibration of the least loss of documents that are left out, copies of a text together.

    `known_only`: words without a place do not make a document longer.
    """
    if readings.event == "auto":
        return _best_event(counts, readings, vocabulary, documents, known_only)
    classes = max(1, len(counts.labels))
    enough = max(documents.rows_within(ENTRIES), DOCUMENTS, BY_CLASS * classes)
    documents = documents.first(min(enough, most_looked_at(classes)))
    left = LeftOut.of(counts, readings.inner(), vocabulary, documents, fixed=False)
    return fit_left_out(
        left, counts, readings, documents, vocabulary=vocabulary, known_only=known_only, jobs=threads(None)
    )[0]


def most_looked_at(classes: int) -> int:
    """How many documents have room."""
    return max(1, ROOM // max(1, classes))


def fit_left_out(
    left: LeftOut,
    counts: Counts,
    readings: Readings,
    documents: Documents,
    *,
    vocabulary: tuple[str, ...] | None,
    known_only: bool,
    jobs: int,
) -> tuple[Fitted, Scores]:
    """The same with what the documents take away gathered before; with their scores under what was found."""
    plain = readings.inner()
    calibrated = readings.calibrated
    alpha: float | None = None
    if readings.prior.alpha == "evidence":
        alpha = alpha_of_most_evidence(counts, plain, vocabulary)
    curve = None
    start: Found | None = None
    if readings.prior.alpha == "auto" and alpha is None:
        curve, start = _searched(left, documents, plain, calibrated=calibrated, known_only=known_only, jobs=jobs)
        alpha = curve.chosen
    final = plain if alpha is None else plain.with_alpha(alpha)
    scores = left.scores(final, jobs)
    possible = _possible(scores, documents, known_only)
    found = fit_calibration(possible, start, TOLERANCE) if calibrated else None
    fitted = Fitted(readings, alpha, None, held_out=documents.counts is not None, curve=curve)
    return _told(fitted, possible, found, counts.labels), scores


def _best_event(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, documents: Documents, known_only: bool
) -> Fitted:
    """The event model of the least loss, each with the alpha and the calibration that suit it best."""
    events: tuple[Event, ...] = ("multinomial", "bernoulli")
    if readings.estimate != "integrated" and readings.prior.alpha != "evidence":  # the complement is no likelihood
        events += ("complement",)
    tried = []
    for event in events:
        with suppress(EstimateError) if event == "complement" else nullcontext():  # which wants a prior for every word
            one = replace(readings, event=event)
            tried.append(fit_readings(counts, one, vocabulary, documents, known_only))
    best = min(tried, key=lambda fitted: math.inf if fitted.log_loss is None else fitted.log_loss)
    return replace(best, readings=readings, event=best.readings.event)


def _searched(
    left: LeftOut, documents: Documents, readings: Readings, *, calibrated: bool, known_only: bool, jobs: int
) -> tuple[Curve, Found]:
    """The curve of losses by alpha, and the calibration at the lowest point.

    Scores that will not be calibrated are scaled here too, though without offsets: judged as they are, overconfident
    ones would be smoothed until they are vague, which costs accuracy.
    """
    least = 1.0 if readings.estimate == "map" else 0.0
    calibrations: dict[float, Found] = {}
    total = 0.0
    room = max(SEARCHED // 2, SEARCHED_ROOM // max(1, len(left.reading.labels)))
    most = documents.whole_blocks(min(room, max(documents.rows_within(SEARCHED_ENTRIES), SEARCHED)))

    def loss(alpha: float) -> float:
        nonlocal total
        possible = _possible(left.scores(readings.with_alpha(alpha), jobs, most), documents, known_only)
        total = float(possible.weight.sum())
        near = min(calibrations, key=lambda other: abs(math.log(other / alpha)), default=None)
        start = None if near is None else calibrations[near]
        calibrations[alpha] = fit_calibration(possible, start, SEARCH_TOLERANCE, offsets=calibrated)
        return calibrations[alpha].loss

    curve = choose(loss, least)
    mean = replace(curve, losses=tuple(value / max(total, 1.0) for value in curve.losses))
    return mean, calibrations[curve.chosen]


def _possible(scores: Scores, documents: Documents, known_only: bool) -> LeftOutLabels:
    """Those whose own class is there without them, and possible: the others say nothing of alpha or calibration."""
    cls, weight = documents.cls[scores.rows], documents.loss_weight[scores.rows]
    kept = np.flatnonzero(np.isfinite(scores.joint[np.arange(len(cls)), cls]))
    features = scores.known if known_only else scores.features
    return LeftOutLabels(scores.joint[kept], features[kept], cls[kept], weight[kept])


def _told(fitted: Fitted, left: LeftOutLabels, found: Found | None, labels: tuple[str, ...]) -> Fitted:
    """With the calibration, and what the left-out documents say of it."""
    calibration = None if found is None else found.calibration(labels)
    if not len(left.cls) or not float(left.weight.sum()) > 0:
        return replace(fitted, calibration=calibration)
    own = np.arange(len(left.cls)), left.cls
    log_p = raw = log_normalized(left.joint)
    if calibration is not None:
        log_p = calibration.log_posterior(left.joint, left.features, labels)
        if fitted.readings.calibrate == "monotone":
            from priori.decisions.monotone import fit_monotone

            calibration = replace(calibration, monotone=fit_monotone(log_p, left.cls, left.weight))
            log_p = calibration.log_posterior(left.joint, left.features, labels)
    return replace(
        fitted,
        calibration=calibration,
        documents=len(left.cls),
        accuracy=float((log_p.argmax(axis=1) == left.cls).mean()),
        log_loss=0.0 - float(log_p[own].mean()),
        raw_log_loss=0.0 - float(raw[own].mean()),
    )


def _refuse_odd(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, float | int) or not 0 <= value < LARGEST_PRIOR:
        raise _odd(name, value)


def _event_of(value: object) -> Event | None:
    if value not in (None, "multinomial", "bernoulli", "complement"):
        raise _odd("event", value)
    return value


def _odd(name: str, value: object) -> ModelFileError:
    return ModelFileError(f"what was fitted has {name} {value!r}, which means nothing; refit it with priori calibrate")


def _curve_of(points: object, chosen: object) -> Curve:
    if not isinstance(points, list) or not isinstance(chosen, float):
        raise _odd("curve", points)
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise _odd("curve", point)
        for value in point:
            _refuse_odd("curve", "null" if value is None else value)
    return Curve(tuple(float(p[0]) for p in points), tuple(float(p[1]) for p in points), chosen)
