"""Why a document is put where it is: contributions to the log-odds that add up exactly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError, EstimateError
from priori.families.say import grid

if TYPE_CHECKING:
    from priori.sources import Batch

Floats = npt.NDArray[np.float64]


_NO_FEATURES = frozenset({"(class prior)", "(absent words)", "(unknown words)", "(length)", "(calibration)"})


@dataclass(frozen=True)
class Contribution:
    """What one feature says for `label` against `against`; positive is for."""

    feature: str
    count: int
    log_odds: float
    words: tuple[str, ...] = ()  # as they are written in the document, where the feature is their stem

    @property
    def name(self) -> str:
        """The feature, and the words that are more than it.

        >>> Contribution("comput", 2, 0.5, ("computer", "computing")).name
        'comput: computer, computing'
        """
        return self.feature if self.words in ((), (self.feature,)) else f"{self.feature}: {', '.join(self.words)}"


@dataclass(frozen=True)
class Explanation:
    """log p(label | x) - log p(against | x) as a sum of contributions, strongest first, with their exact sum."""

    label: str
    against: str
    probability: float
    contributions: tuple[Contribution, ...]
    unknown: int  # features that the model has never seen, or does not read

    @property
    def log_odds(self) -> float:
        """The sum of the contributions."""
        return math.fsum(row.log_odds for row in self.contributions)

    def strongest(self, top: int) -> list[Contribution]:
        """At most `top` features one by one and the others together, then what is no feature, like the class prior."""
        features = [row for row in self.contributions if row.feature not in _NO_FEATURES]
        others = [row for row in self.contributions if row.feature in _NO_FEATURES]
        if len(features) > top + 1:
            rest = features[top:]
            more = Contribution(f"({len(rest):,} more)", len(rest), math.fsum(row.log_odds for row in rest))
            features = [*features[:top], more]
        return features + others

    def __str__(self) -> str:
        lines = [("", "log-odds")]
        for row in self.strongest(20):
            times = f" ×{row.count:,}" if row.count > 1 and not row.feature.startswith("(") else ""
            lines.append((row.name + times, f"{row.log_odds:+z.4f}"))
        lines.append(("sum", f"{self.log_odds:+z.4f}"))
        wide = max(len(number) for _, number in lines)
        table = grid([(name, number.rjust(wide)) for name, number in lines])
        return f"{self.label} ({self.probability:.2%}) against {self.against}\n{table}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [
            {"feature": r.feature, "count": r.count, "log_odds": r.log_odds} | ({"words": r.words} if r.words else {})
            for r in self.contributions
        ]
        return {
            "label": self.label,
            "against": self.against,
            "probability": self.probability,
            "log_odds": self.log_odds,
            "contributions": rows,
            "unknown": self.unknown,
        }


def explain(model: Model, batch: "Batch", label: str | None = None, against: str | None = None) -> Explanation:
    """Explain the one document of `batch`: the most probable label against the next, or the labels asked for.

    A calibrated model believes every feature by the same factor; what else the calibration does comes last.
    """
    posterior = model.posterior(batch)[0]
    if model.readings.components:
        raise DataError("a class of several components has no log-odds that add up word by word; explain another model")
    first, second = chosen(model.labels, posterior, label, against)
    if not np.isfinite(model.log_joint(batch)[0, [first, second]]).all():
        raise EstimateError(
            "one of the two classes is impossible for this text, so the log-odds are infinite; smooth with alpha > 0 "
            "and a class prior without zeros"
        )
    if model.plain_readings.event == "language":
        return _of_tokens(model, batch, posterior, first, second)
    weights = model.weights
    encoded = model.encode(batch)
    once = weights.distinct or model.analyzer.binary
    unknown = int(encoded["unknown"][0])
    in_slot = 0 if weights.unknown_default is None else min(unknown, 1) if once else unknown
    counts = np.ones_like(encoded["count"]) if once else encoded["count"]
    factor = _factor(model, int(counts.sum()) + (0 if model.counts_known_only else unknown))
    rows = factor * _features(model, encoded["term"], counts)
    texts = [_term(model, int(term)) for term in encoded["term"]]
    written = _written(model, batch)
    found = [
        Contribution(text, int(n), float(row[first] - row[second]), written.get(text, ()))
        for text, n, row in zip(texts, counts, rows, strict=True)
    ]
    found.sort(key=lambda row: -abs(row.log_odds))
    for name, values in (
        ("(class prior)", factor * weights.log_prior + (0.0 if model.prior_shift is None else model.prior_shift)),
        ("(absent words)", factor * weights.base),
        ("(unknown words)", factor * _unknown(model, in_slot)),
        ("(length)", factor * _length(model, int(counts.sum()) + in_slot)),
    ):
        if values[first] != values[second]:
            found.append(Contribution(name, 1, float(values[first] - values[second])))
    found += _rest(model, batch, found, first, second)
    return Explanation(model.labels[first], model.labels[second], float(posterior[first]), tuple(found), unknown)


def _of_tokens(model: Model, batch: "Batch", posterior: Floats, first: int, second: int) -> Explanation:
    """Token by token, each after those before it."""
    from priori.explain_language import UNKNOWN, token_rows

    encoded = model.encode(batch)
    factor = _factor(model, int(encoded["count"].sum() + encoded["unknown"][0]))
    rows = token_rows(model, batch)
    unknown = sum(times for name, times, _ in rows if name == UNKNOWN)
    named = [(name, times, factor * row) for name, times, row in rows]
    prior = factor * model.weights.log_prior + (0.0 if model.prior_shift is None else model.prior_shift)
    found = [Contribution(name, times, float(row[first] - row[second])) for name, times, row in named]
    found.sort(key=lambda row: (row.feature == UNKNOWN, -abs(row.log_odds)))
    if prior[first] != prior[second]:
        found.append(Contribution("(class prior)", 1, float(prior[first] - prior[second])))
    return Explanation(
        model.labels[first], model.labels[second], float(posterior[first]),
        (*found, *_rest(model, batch, found, first, second)), unknown,
    )  # fmt: skip


def _rest(
    model: Model, batch: "Batch", found: Sequence[Contribution], first: int, second: int
) -> tuple[Contribution, ...]:
    """What else the calibration does."""
    if model.calibration is None:
        return ()
    logs = model.log_posterior(batch)[0]
    rest = float(logs[first] - logs[second]) - math.fsum(row.log_odds for row in found)
    return (Contribution("(calibration)", 1, rest),)


def _written(model: Model, batch: "Batch") -> dict[str, tuple[str, ...]]:
    """The words of the document by their stems, in order; nothing where words are not counted as stems."""
    if model.analyzer.stem is None:
        return {}
    from priori.text.wordlists import word_lists

    lists = word_lists(batch.text, model.tokenizer)
    if lists is None:
        columns = [("", batch.text), *model.analyzer.columns(batch.fields)]
        pairs = [pair for name, texts in columns for pair in model.analyzer.written(texts[0].as_py() or "", name)]
    else:
        names = [str(name) for name in lists.names]
        pairs = model.analyzer.written([names[index] for index in lists.indices])
    words: dict[str, dict[str, None]] = {}
    for feature, word in pairs:
        words.setdefault(feature, {})[word] = None
    return {feature: tuple(found) for feature, found in words.items()}


def _factor(model: Model, features: int) -> float:
    """How far each feature is believed."""
    if model.calibration is None:
        return 1.0
    return float(model.calibration.factors(np.array([float(features)]))[0])


def chosen(labels: Sequence[str], posterior: Floats, label: str | None, against: str | None) -> tuple[int, int]:
    """The places of the two classes to tell apart: those asked for, or the most probable and the next."""
    if len(labels) < 2:
        raise DataError("a model of one class has nothing to explain; learn a second class first")
    order = np.argsort(-posterior, kind="stable")
    first = _index(labels, label, int(order[0]))
    second = _index(labels, against, int(order[0] if order[0] != first else order[1]))
    if first == second:
        raise DataError(f"{labels[first]!r} cannot be explained against itself; choose another label")
    return first, second


def _index(labels: Sequence[str], label: str | None, default: int) -> int:
    if label is None:
        return default
    if label not in labels:
        raise DataError(f"there is no class {label!r}; the model's are {', '.join(labels)}")
    return labels.index(label)


def _term(model: Model, index: int) -> str:
    reading = model.weights.reading
    start, end = reading.term_offsets[index], reading.term_offsets[index + 1]
    return reading.term_bytes[start:end].tobytes().decode("utf-8", "replace")


def _features(model: Model, terms: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]) -> Floats:
    """What each feature adds to log p(x, y), (m, K)."""
    weights, reading = model.weights, model.weights.reading
    rows = np.empty((len(terms), len(model.labels)))
    for i, (term, times) in enumerate(zip(terms, counts, strict=True)):
        pairs = slice(reading.pair_offsets[term], reading.pair_offsets[term + 1])
        here = reading.pair_class[pairs]
        if weights.urn_total is not None:
            alpha = reading.prior.term[term if len(reading.prior.term) > 1 else 0]
            rows[i] = _log_rising(alpha, int(times))
            total = reading.occurrences[pairs] + reading.prior.pair[pairs]
            rows[i, here] = [_log_rising(x, int(times)) for x in total]
        else:
            default = weights.term_default[term if len(weights.term_default) > 1 else 0]
            rows[i] = default
            rows[i, here] = (default if np.isfinite(default) else 0.0) + weights.pair_weight[pairs]
            rows[i] = times * (rows[i] + weights.per_feature)
    return rows


def _unknown(model: Model, times: int) -> Floats:
    """What words never seen add, beyond the length: under the urn their slot is the same in every class."""
    weights = model.weights
    if weights.unknown_default is None or times == 0 or weights.urn_total is not None:
        return np.zeros(len(model.labels))
    return times * (weights.unknown_default + weights.per_feature)


def _length(model: Model, features: int) -> Floats:
    """What the number of features alone adds under the urn, (K,)."""
    total = model.weights.urn_total
    if total is None:
        return np.zeros(len(model.labels))
    return np.array([-_log_rising(x, features) for x in total])


def _log_rising(x: float, n: int) -> float:
    return math.fsum(math.log(x + i) for i in range(n))
