"""Why a document or a row is put where it is: contributions to the log-odds that add up exactly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.columns.words.explanation import (
    UNKNOWN,
    feature_rows,
    length_row,
    term_text,
    token_rows,
    unknown_row,
    written_words,
)
from priori.errors import DataError, EstimateError
from priori.formatting import grid
from priori.model.classifier import Model

if TYPE_CHECKING:  # tables are loaded when a row of one is explained
    from priori.columns.specification import Part
    from priori.data.batch import Batch, TableBatch
    from priori.model.table_classifier import TableModel

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
    rows = factor * feature_rows(weights, encoded["term"], counts)
    texts = [term_text(weights.reading, int(term)) for term in encoded["term"]]
    written = written_words(model.analyzer, model.tokenizer, batch)
    found = [
        Contribution(text, int(n), float(row[first] - row[second]), written.get(text, ()))
        for text, n, row in zip(texts, counts, rows, strict=True)
    ]
    found.sort(key=lambda row: -abs(row.log_odds))
    for name, values in (
        ("(class prior)", factor * weights.log_prior + (0.0 if model.prior_shift is None else model.prior_shift)),
        ("(absent words)", factor * weights.base),
        ("(unknown words)", factor * unknown_row(weights, in_slot)),
        ("(length)", factor * length_row(weights, int(counts.sum()) + in_slot)),
    ):
        if values[first] != values[second]:
            found.append(Contribution(name, 1, float(values[first] - values[second])))
    found += _rest(model, batch, found, first, second)
    return Explanation(model.labels[first], model.labels[second], float(posterior[first]), tuple(found), unknown)


def _of_tokens(model: Model, batch: "Batch", posterior: Floats, first: int, second: int) -> Explanation:
    """Token by token, each after those before it."""
    encoded = model.encode(batch)
    factor = _factor(model, int(encoded["count"].sum() + encoded["unknown"][0]))
    rows = token_rows(model.weights, model.counts, model.analyzer, model.tokenizer, batch)
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


def _factor(model: Model, features: int) -> float:
    """How far each feature is believed."""
    if model.calibration is None:
        return 1.0
    return float(model.calibration.factors(np.array([float(features)]))[0])


def explain_row(
    model: "TableModel", batch: "TableBatch", label: str | None = None, against: str | None = None
) -> Explanation:
    """Explain the one row of `batch`: the most probable label against the next, or the labels asked for."""
    from priori.columns.words.column import TextReading
    from priori.data.batch import Batch

    log_posterior = model.log_posterior(batch)[0]
    first, second = chosen(model.labels, log_posterior, label, against)
    scores = model.log_scores(batch)[:, 0]
    powers = model.powers([part.cells(batch) for part in model.parts])[0]
    odds = np.append(scores[:, first] - scores[:, second], model.log_prior[first] - model.log_prior[second])
    if not np.isfinite(odds).all():
        raise EstimateError(
            "one of the two classes is impossible for this row, so the log-odds are infinite; smooth with alpha > 0"
        )
    found: list[Contribution] = []
    for at, factor in enumerate(model.factors):
        part, reading = factor.part, factor.reading
        cells = part.cells(batch)
        if isinstance(reading, TextReading) and not part.family.missing(cells)[0] and reading.stats.counts.terms:
            power = float(powers[at])
            document = Batch(cells, None, None, {}, {}, 0, None)
            words = explain(reading.model, document, model.labels[first], model.labels[second]).contributions
            found += [Contribution(f"{part.name}: {word.feature}", word.count, power * word.log_odds) for word in words]
        elif odds[at] or not part.family.missing(cells)[0]:
            found.append(Contribution(_shown(part, cells), 1, float(odds[at])))
    found.sort(key=lambda row: -abs(row.log_odds))
    if odds[-1]:
        found.append(Contribution("(class prior)", 1, float(odds[-1])))
    names = model.labels[first], model.labels[second]
    return Explanation(*names, math.exp(log_posterior[first]), tuple(found), _unseen(model, batch))


def _shown(part: "Part", cells: Any) -> str:
    """A column with its value."""
    from priori.data.calendar import said_part

    if part.family.missing(cells)[0] and part.family.cells_are != "rows":
        return f"{part.name} is missing"
    if part.family.cells_are == "codes":
        return f"{part.name} = {said_part(part.calendar, cells.values[cells.codes[0]])}"
    if part.family.cells_are == "rows":
        said = ("missing" if math.isnan(cell) else f"{cell:.6g}" for cell in cells[0])
        return ", ".join(f"{column} = {cell}" for column, cell in zip(part.columns, said, strict=True))
    return f"{part.name} = {cells[0]:.6g}" if part.family.cells_are == "numbers" else part.name


def _unseen(model: "TableModel", batch: "TableBatch") -> int:
    """Categories that were never seen."""
    unknown = 0
    for part, stats in zip(model.parts, model.statistics.parts, strict=True):
        if part.family.cells_are == "codes":
            cells = part.cells(batch)
            values = {cells.values[code] for code in cells.codes if code >= 0}
            unknown += len(values - set(getattr(stats, "keys", ())) - set(getattr(part.family, "values", ())))
    return unknown


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
