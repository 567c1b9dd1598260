"""Why a document is put where it is: contributions to the log-odds that add up exactly."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError, EstimateError

if TYPE_CHECKING:
    from priori.sources import Batch

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Contribution:
    """What one feature says for `label` against `against`; positive is for."""

    feature: str
    count: int
    log_odds: float


@dataclass(frozen=True)
class Explanation:
    """log p(label | x) - log p(against | x) as a sum of contributions, strongest first, with their exact sum."""

    label: str
    against: str
    probability: float
    contributions: tuple[Contribution, ...]
    unknown: int  # features that the model has never seen

    @property
    def log_odds(self) -> float:
        """The sum of the contributions."""
        return math.fsum(row.log_odds for row in self.contributions)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [{"feature": r.feature, "count": r.count, "log_odds": r.log_odds} for r in self.contributions]
        return {
            "label": self.label,
            "against": self.against,
            "probability": self.probability,
            "log_odds": self.log_odds,
            "contributions": rows,
            "unknown": self.unknown,
        }


def explain(model: Model, batch: "Batch", label: str | None = None, against: str | None = None) -> Explanation:
    """Explain the one document of `batch`: the most probable label against the next, or the labels asked for."""
    if len(model.labels) < 2:
        raise DataError("a model of one class has nothing to explain; learn a second class first")
    posterior = model.posterior(batch)[0]
    order = np.argsort(-posterior, kind="stable")
    first = _index(model, label, int(order[0]))
    second = _index(model, against, int(order[0] if order[0] != first else order[1]))
    if first == second:
        raise DataError(f"{model.labels[first]!r} cannot be explained against itself; choose another label")
    encoded = model.encode(batch)
    rows, length = _features(model, encoded["term"], encoded["count"])
    if not np.isfinite(rows[:, [first, second]]).all():
        raise EstimateError(
            "a word is impossible in one of the classes, so its share is infinite; smooth with alpha > 0"
        )
    weights = model.weights
    texts = [_term(model, int(term)) for term in encoded["term"]]
    counts = np.ones_like(encoded["count"]) if weights.distinct else encoded["count"]
    found = [
        Contribution(text, int(n), float(row[first] - row[second]))
        for text, n, row in zip(texts, counts, rows, strict=True)
    ]
    found.sort(key=lambda row: -abs(row.log_odds))
    for name, values in (
        ("(class prior)", weights.log_prior),
        ("(absent words)", weights.base),
        ("(unknown words)", _unknown(model, int(encoded["unknown"][0]))),
        ("(length)", length),
    ):
        if values.any():
            found.append(Contribution(name, 1, float(values[first] - values[second])))
    return Explanation(
        model.labels[first], model.labels[second], float(posterior[first]), tuple(found), int(encoded["unknown"][0])
    )


def _index(model: Model, label: str | None, default: int) -> int:
    if label is None:
        return default
    if label not in model.labels:
        raise DataError(f"there is no class {label!r}; the model's are {', '.join(model.labels)}")
    return model.labels.index(label)


def _term(model: Model, index: int) -> str:
    reading = model.weights.reading
    start, end = reading.term_offsets[index], reading.term_offsets[index + 1]
    return reading.term_bytes[start:end].tobytes().decode("utf-8", "replace")


def _features(model: Model, terms: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]) -> tuple[Floats, Floats]:
    """What each feature adds to log p(x, y), (m, K); and what the length alone adds under the urn, (K,)."""
    weights, reading = model.weights, model.weights.reading
    classes = len(model.labels)
    once = weights.distinct or model.analyzer.binary
    times = np.ones(len(terms)) if once else counts.astype(np.float64)
    urn = weights.urn_total is not None
    default = (
        weights.term_default[terms] if len(weights.term_default) > 1 else np.full(len(terms), weights.term_default[0])
    )
    rows = np.empty((len(terms), classes))
    for i, term in enumerate(terms):
        pairs = slice(reading.pair_offsets[term], reading.pair_offsets[term + 1])
        here = reading.pair_class[pairs]
        if urn:
            alpha = reading.prior.term[term if len(reading.prior.term) > 1 else 0]
            rows[i] = _log_rising(alpha, int(times[i]))
            total = reading.occurrences[pairs] + reading.prior.pair[pairs]
            rows[i, here] = [_log_rising(x, int(times[i])) for x in total]
        else:
            row = np.full(classes, default[i])
            finite = np.isfinite(default[i])
            row[here] = (default[i] if finite else 0.0) + weights.pair_weight[pairs]
            rows[i] = times[i] * (row + weights.per_feature)
    length = np.zeros(classes)
    if urn:
        n = int(times.sum())
        length = np.array([-_log_rising(total, n) for total in weights.urn_total])  # type: ignore[union-attr]
    return rows, length


def _unknown(model: Model, unknown: int) -> Floats:
    default = model.weights.unknown_default
    if default is None or unknown == 0 or model.weights.urn_total is not None:
        return np.zeros(len(model.labels))
    return unknown * (default + model.weights.per_feature)


def _log_rising(x: float, n: int) -> float:
    return math.fsum(math.log(x + i) for i in range(n))
