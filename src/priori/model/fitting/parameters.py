"""What a model's readings leave to its documents: alpha and the calibration, as they were found and are kept."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from priori.columns.readings import LARGEST_PRIOR
from priori.columns.words.readings import Event, Readings
from priori.errors import ModelFileError
from priori.model.fitting.calibration import Calibration

_KEYS = (  # of what is stored
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


@dataclass(frozen=True)
class ChosenTerms:
    """How the terms were chosen that are read."""

    terms: int | None = None  # None: it was given
    curve: tuple[tuple[int, float], ...] = ()  # mean loss by number of terms
    folds: int | None = None  # None: each document was left out alone (with its copies)

    def __str__(self) -> str:
        said = [] if self.terms is None else [f"{self.terms:,} terms"]
        return "; ".join([*said, f"terms chosen anew in {self.folds} folds"] if self.folds else said)

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {"terms": self.terms, "curve": [list(point) for point in self.curve], "folds": self.folds}

    @classmethod
    def from_json(cls, value: object) -> "ChosenTerms":
        """The inverse of `to_json`, checked."""
        if not isinstance(value, dict) or set(value) != {"terms", "curve", "folds"}:
            raise _odd_terms(value)
        terms, curve, folds = value["terms"], value["curve"], value["folds"]
        numbers = [number for number in (terms, folds) if number is not None]
        if not isinstance(curve, list) or not all(isinstance(point, list) and len(point) == 2 for point in curve):
            raise _odd_terms(curve)
        if not all(_whole(number) for number in [*numbers, *(point[0] for point in curve)]):
            raise _odd_terms(value)
        for _, loss in curve:
            if isinstance(loss, bool) or not isinstance(loss, int | float) or not 0 <= loss < 2.0**1000:
                raise _odd_terms(loss)
        return cls(terms, tuple((number, float(loss)) for number, loss in curve), folds)


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number < 2**31


def _odd_terms(value: object) -> ModelFileError:
    return ModelFileError(f"what was fitted has terms {value!r}, which mean nothing; refit it with priori calibrate")


@dataclass(frozen=True)
class Curve:
    """Losses by alpha, in the order of alpha; and which was chosen."""

    alphas: tuple[float, ...]
    losses: tuple[float, ...]
    chosen: float


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
    proportional: bool = False  # whether the alpha that was found grows with the words of a class
    terms: ChosenTerms | None = None  # None: all are read, or a given number, each document left out alone

    @property
    def stale(self) -> bool:
        """Whether the statistics have changed since."""
        return self.digest is not None

    def resolved(self, readings: Readings) -> Readings:
        """The readings it was fitted for, as numbers."""
        readings = readings.inner()
        prior = readings.prior
        if self.terms is not None and self.terms.terms is not None:
            readings = readings.with_terms(self.terms.terms)
        if self.alpha is not None:
            prior = replace(prior, alpha=self.alpha, proportional=self.proportional or prior.proportional)
        return replace(readings, event=self.event or readings.event, prior=prior)

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
        } | ({} if self.terms is None else {"select": self.terms.to_json()})

    def __str__(self) -> str:
        said: list[str] = [] if self.event is None else [self.event]
        said += [] if self.terms is None or not str(self.terms) else [str(self.terms)]
        said += [] if self.alpha is None else [f"alpha {self.alpha:.3g}"]
        if self.log_loss is not None and self.accuracy is not None:
            said.append(f"accuracy {self.accuracy:.2%} and log loss {self.log_loss:.4f}")
            if self.calibration is not None and self.raw_log_loss is not None:
                said[-1] += f" ({self.raw_log_loss:.4f} before calibration)"
            how = "held-out documents" if self.held_out else "documents, each left out"
            said[-1] += f" on {self.documents:,} {how}"
        if self.calibration is not None and self.calibration.given:
            said.append("long texts are believed less, as they were in learning without labels")
        elif not self.documents and (self.calibration is not None or self.curve is not None):
            said.append("no document could be left out, so the priors' centres stand")
        if self.stale:
            said.append("stale: the model has changed since")
        return "; ".join(said)

    def to_json(self, digest: str) -> dict[str, Any]:
        """Plain values for the model file; `digest` is that of the statistics as they are."""
        facts = {name: value for name, value in self.facts().items() if name != "stale"}
        more = {"proportional": True} if self.proportional else {}
        return {"readings": self.readings.to_json(), **facts, "digest": self.digest or digest, **more}

    @classmethod
    def from_json(cls, values: object, digest: str) -> Self:
        """The inverse of `to_json`, checked."""
        if not isinstance(values, Mapping) or set(values) - {"proportional", "select"} != set(_KEYS):
            raise ModelFileError("what was fitted means nothing in this file; refit it with priori calibrate")
        alpha, curve, calibration = values["alpha"], values["curve"], values["calibration"]
        for name in ("alpha", "accuracy", "log_loss", "raw_log_loss"):
            _refuse_odd(name, values[name])
        if not isinstance(values["readings"], Mapping):
            raise _odd("readings", values["readings"])
        documents = values["documents"]
        if isinstance(documents, bool) or not isinstance(documents, int) or documents < 0:
            raise _odd("documents", documents)
        readings = Readings.from_json(values["readings"])
        if (alpha is None) == isinstance(readings.prior.alpha, str):  # it is there where it was left to the data
            raise _odd("alpha", alpha)
        terms = ChosenTerms.from_json(values["select"]) if "select" in values else None
        if (terms is not None and terms.terms is not None) != readings.selects_auto:
            raise _odd("select", values.get("select"))
        event = _event_of(values["event"])
        if (event is None) == (readings.event == "auto"):
            raise _odd("event", event)
        return cls(
            readings,
            None if alpha is None else float(alpha),
            None if calibration is None else Calibration.from_json(calibration),
            documents,
            _flag("held_out", values["held_out"]),
            values["accuracy"],
            values["log_loss"],
            values["raw_log_loss"],
            None if curve is None else _curve_of(curve, alpha),
            event,
            None if values["digest"] == digest else str(values["digest"]),
            _flag("proportional", values.get("proportional", False)),
            terms,
        )


def _refuse_odd(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, float | int) or not 0 <= value < LARGEST_PRIOR:
        raise _odd(name, value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _odd(name, value)
    return value


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
