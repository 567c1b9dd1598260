"""Documents drawn from a model of texts: y ~ p(y), a length that its class has had, and words ~ p(w | y)."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError, EstimateError
from priori.events.class_prior import log_class_prior
from priori.events.draws import draw, draw_presences, draw_words, presence, word_mass
from priori.language_models.sampling import draw_texts
from priori.language_models.table import table_of
from priori.statistics import Counts

Places = npt.NDArray[np.intp]

UNKNOWN = "<unk>"  # the slot of unknown words, where it has a probability: what it holds nobody knows


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
        _refuse_ngrams(model)
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
            written[rows] = draw_texts(table_of(model, k), len(rows), rng, temperature)
        return of_class[component], {"text": written.tolist()}
    texts = _Texts(model, size)
    for k in np.unique(component).tolist():
        rows = np.flatnonzero(component == k)
        texts.write(rows, *_draw_class(model, k, len(rows), rng))
    return of_class[component], texts.columns


def _draw_class(model: Model, k: int, size: int, rng: np.random.Generator) -> tuple[Places, Places]:
    """(lengths, words) of documents of one class."""
    weights, readings = model.weights, model.plain_readings
    if readings.event == "complement":
        raise EstimateError(
            "the complement is a discriminant, not a likelihood, so there is nothing to draw from; read the counts as "
            "multinomial"
        )
    if readings.event == "bernoulli":
        return draw_presences(presence(weights, readings, k), size, rng)
    lengths = draw_lengths(model.counts, k, size, rng)
    return lengths, draw_words(word_mass(weights, readings, k), lengths, rng, urn=readings.estimate == "integrated")


def draw_lengths(counts: Counts, k: int, size: int, rng: np.random.Generator) -> Places:
    """Lengths as the documents of a class have had them."""
    own = counts.length_class == k
    if not own.any():
        raise EstimateError(
            f"class {counts.labels[k]!r} has no documents, so it is not known how long they are; learn some, or draw "
            "from another class"
        )
    lengths: Places = counts.length[own][draw(counts.length_documents[own].astype(np.float64), size, rng)]
    return lengths


class _Texts:
    """Words put together again: one column for the text, and one for each further field."""

    def __init__(self, model: Model, size: int) -> None:
        self._words, self._field = _words(model)
        self._gap = "" if model.analyzer.features != "words" else " "
        self.columns = {name: [""] * size for name in ("text", *model.analyzer.fields)}

    def write(self, rows: Places, lengths: Places, words: Places) -> None:
        """Documents by their places, with so many of the words each."""
        for i, column in enumerate(self.columns.values()):
            if len(self.columns) == 1:
                sizes, own = lengths, words
            else:
                here = self._field[words] == i
                sizes = np.bincount(np.repeat(np.arange(len(rows)), lengths)[here], minlength=len(rows))
                own = words[here]
            ends = np.cumsum(sizes)
            texts = self._words[own].tolist()
            for row, start, end in zip(rows.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
                column[row] = self._gap.join(texts[start:end])


def _words(model: Model) -> tuple[npt.NDArray[np.object_], Places]:
    """(V + 1,) what each term is in a text, and the column it stands in: 0, or that of its field."""
    reading = model.weights.reading
    data, ends = reading.term_bytes.tobytes(), reading.term_offsets.tolist()
    terms = [data[i:j].decode("utf-8", "replace") for i, j in pairwise(ends)]
    field = np.zeros(len(terms) + 1, np.intp)
    for i, name in enumerate(model.analyzer.fields, start=1):
        prefix = f"{name}:"
        for j, term in enumerate(terms):
            if field[j] == 0 and term.startswith(prefix):
                terms[j], field[j] = term[len(prefix) :], i
    return np.array([*terms, UNKNOWN], dtype=object), field


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


def _refuse_ngrams(model: Model) -> None:
    low, high = model.analyzer.ngrams
    if (low, high) != (1, 1):
        raise DataError(
            f"the model counts n-grams of {low} to {high}, and those drawn one by one fit into no text; train on "
            "single words (--ngrams 1), or a language model: priori train --event language"
        )
