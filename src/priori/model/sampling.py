"""Documents and rows drawn from a model: y ~ p(y), then x ~ p(x | y), with a length that the class has had."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.columns.class_prior import log_class_prior
from priori.columns.words.language import table_alone, table_of_class
from priori.columns.words.multinomial import draw
from priori.columns.words.sampling import DrawnTexts, draw_class, refuse_ngrams
from priori.data.calendar import EPOCH_WEEKDAY
from priori.data.schema import NUMBERS, Field
from priori.errors import DataError
from priori.language.sampling import draw_texts
from priori.language.table import NGramTable
from priori.model.classifier import Model

if TYPE_CHECKING:
    from priori.model.table_classifier import TableModel

Places = npt.NDArray[np.intp]
Arrays = Mapping[str | None, npt.NDArray[Any]]  # of a column, or of each part of its dates
_TRUTH = {"false": "0", "true": "1"}  # as a bernoulli column of numbers was counted


def sample_texts(
    model: Model, size: int, rng: np.random.Generator, label: str | None = None, temperature: float = 1.0
) -> tuple[Places, dict[str, list[str]]]:
    """The place of each document's class among the labels, and its words in "text", and in each field of the model.

    Bags of words, as naive Bayes sees them, whose order says nothing; of language models texts from their beginning to
    their end, where a temperature below 1 prefers what is probable. A given label is taken instead of one from p(y).
    Calibration has no part in it: it says how far a posterior is to be believed, not what documents are like.
    """
    chains = model.plain_readings.event == "language"
    if not chains:
        refuse_ngrams(model.analyzer)
        if temperature != 1.0:
            raise DataError("a temperature is of language models, which draw word after word; leave it out")
    place = {name: k for k, name in enumerate(model.labels)}
    components = model.readings.components
    of_class = np.array([place[components.get(name, name)] for name in model.counts.labels], np.intp)
    if model.is_language_model:  # which has one class, and perhaps calls words impossible
        p = np.ones(1)
    else:
        p = np.exp(_log_prior(model)) if label is None else _within(model, label, of_class)
    component = draw(p, size, rng)
    if chains:
        written = np.empty(size, object)
        for k in np.unique(component).tolist():
            rows = np.flatnonzero(component == k)
            written[rows] = draw_texts(language_table(model, k), len(rows), rng, temperature)
        return of_class[component], {"text": written.tolist()}
    texts = DrawnTexts(model.weights, model.analyzer, size)
    for k in np.unique(component).tolist():
        rows = np.flatnonzero(component == k)
        texts.write(rows, *draw_class(model.weights, model.counts, model.plain_readings, k, len(rows), rng=rng))
    return of_class[component], texts.columns


def language_table(model: Model, k: int) -> NGramTable:
    """The language model of one class."""
    if len(model.labels) > 1:
        return table_of_class(model.weights, model.counts, model.analyzer, k)
    return table_alone(model.counts, model.analyzer, model.plain_readings)[0]


def _log_prior(model: Model) -> npt.NDArray[np.float64]:
    reading = model.weights.reading
    return log_class_prior(
        reading.labels, reading.class_documents, model.readings.class_prior, model.plain_readings.estimate
    )


def _within(model: Model, label: str, of_class: Places) -> npt.NDArray[np.float64]:
    """p(component | class): 1 of a class that has but one, whatever its p(y)."""
    if label not in model.labels:
        raise DataError(f"there is no class {label!r}; the model's are {', '.join(model.labels)}")
    own = of_class == model.labels.index(label)
    return own.astype(np.float64) if own.sum() == 1 else np.where(own, np.exp(_log_prior(model)), 0.0)


def sample_table(
    model: "TableModel", size: int, rng: np.random.Generator, label: str | None = None
) -> tuple[Places, pa.Table]:
    """The place of each row's class among the labels, and a table of the columns that the model reads."""
    group, cells = model.sample(size, rng, label)
    by_column: dict[str, dict[str | None, npt.NDArray[Any]]] = {}
    lost: dict[str, npt.NDArray[np.bool_]] = {}
    for factor, drawn in zip(model.factors, cells, strict=True):
        gone = factor.sample_missing(group.astype(np.int32), rng)
        for j, column in enumerate(factor.part.columns):
            by_column.setdefault(column, {})[factor.part.calendar] = drawn[:, j] if drawn.ndim == 2 else drawn
            lost.setdefault(column, gone)  # a date is missing where its year is
    columns = {
        field.name: _column(field, by_column[field.name], lost[field.name], rng)
        for field in model.schema.fields
        if field.name in by_column
    }
    return group, pa.table(columns)


def _column(field: Field, drawn: Arrays, lost: npt.NDArray[np.bool_], rng: np.random.Generator) -> pa.Array:
    cells = drawn[None] if None in drawn else _dates(field, drawn, rng)
    if cells.dtype == object:
        cells = _of_texts(field, cells)
    elif field.type == "integer":
        cells = np.rint(cells).astype(np.int64)
    elif field.type == "boolean":
        cells = cells >= 0.5
    found = pa.array(cells, pa.string() if cells.dtype == object else None, mask=lost)
    return found.dictionary_encode() if field.type == "category" else found


def _of_texts(field: Field, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Categories that were numbers, truth values, dates or times are such again."""
    if field.type == "boolean":
        return np.asarray(cells == "true")
    if field.type in NUMBERS:
        cells = np.array([_TRUTH.get(text, text) for text in cells.tolist()], dtype=object)
        return cells.astype(np.int64 if field.type == "integer" else np.float64)
    if field.type == "time":  # in the coarsest unit that holds them all
        return np.array(cells.tolist(), "datetime64" if len(cells) else "datetime64[s]")
    return cells.astype("datetime64[D]") if field.type == "date" else cells


def _dates(field: Field, drawn: Arrays, rng: np.random.Generator) -> npt.NDArray[Any]:
    """A day of the drawn month and weekday in the drawn year, any of the first four; and the drawn hour."""
    year = np.rint(drawn["year"]).astype(np.int64)
    month = (year - 1970) * 12 + drawn["month"].astype(np.int64) - 1
    first = month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    weekday = drawn["weekday"].astype(np.int64) - 1
    day = first + (weekday - (first + EPOCH_WEEKDAY)) % 7 + 7 * rng.integers(0, 4, len(first))
    if field.type == "date":
        return day.astype("datetime64[D]")
    return (day * 24 + drawn["hour"].astype(np.int64)).astype("datetime64[h]").astype("datetime64[s]")
