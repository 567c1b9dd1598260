"""Why a row is put where it is: what each column says for one class against another, adding up exactly."""

import math
from typing import Any

import numpy as np

from priori.columns.parts import Part
from priori.columns.text import TextReading
from priori.errors import EstimateError
from priori.explain import Contribution, Explanation, chosen, explain
from priori.sources import Batch
from priori.table_classifier import TableModel
from priori.tables.batch import TableBatch


def explain_row(
    model: TableModel, batch: TableBatch, label: str | None = None, against: str | None = None
) -> Explanation:
    """Explain the one row of `batch`: the most probable label against the next, or the labels asked for."""
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
            found.append(Contribution(_said(part, cells), 1, float(odds[at])))
    found.sort(key=lambda row: -abs(row.log_odds))
    if odds[-1]:
        found.append(Contribution("(class prior)", 1, float(odds[-1])))
    names = model.labels[first], model.labels[second]
    return Explanation(*names, math.exp(log_posterior[first]), tuple(found), _unknown(model, batch))


def _said(part: Part, cells: Any) -> str:
    """A column with its value."""
    if part.family.missing(cells)[0] and part.family.cells_are != "rows":
        return f"{part.name} is missing"
    if part.family.cells_are == "codes":
        return f"{part.name} = {cells.values[cells.codes[0]]}"
    if part.family.cells_are == "rows":
        said = ("missing" if math.isnan(cell) else f"{cell:.6g}" for cell in cells[0])
        return ", ".join(f"{column} = {cell}" for column, cell in zip(part.columns, said, strict=True))
    return f"{part.name} = {cells[0]:.6g}" if part.family.cells_are == "numbers" else part.name


def _unknown(model: TableModel, batch: TableBatch) -> int:
    """Categories that were never seen."""
    unknown = 0
    for part, stats in zip(model.parts, model.statistics.parts, strict=True):
        if part.family.cells_are == "codes":
            cells = part.cells(batch)
            values = {cells.values[code] for code in cells.codes if code >= 0}
            unknown += len(values - set(getattr(stats, "keys", ())) - set(getattr(part.family, "values", ())))
    return unknown
