"""Words of documents drawn from a class: how many, which, and put together again as texts."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from priori.columns.words.bernoulli import draw_presences, presence
from priori.columns.words.multinomial import Places, draw, draw_words, word_mass
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Weights
from priori.errors import DataError, EstimateError
from priori.statistics import Counts
from priori.text import Analyzer

UNKNOWN = "<unk>"  # the slot of unknown words, where it has a probability: what it holds nobody knows


def draw_class(
    weights: Weights, counts: Counts, readings: Readings, k: int, size: int, *, rng: np.random.Generator
) -> tuple[Places, Places]:
    """(lengths, words) of documents of one class."""
    if readings.event == "complement":
        raise EstimateError(
            "the complement is a discriminant, not a likelihood, so there is nothing to draw from; read the counts as "
            "multinomial"
        )
    if readings.event == "bernoulli":
        return draw_presences(presence(weights, readings, k), size, rng)
    lengths = draw_lengths(counts, k, size, rng)
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


class DrawnTexts:
    """Words put together again: one column for the text, and one for each further field."""

    def __init__(self, weights: Weights, analyzer: Analyzer, size: int) -> None:
        self._words, self._field = _words(weights, analyzer)
        self._gap = "" if analyzer.features != "words" else " "
        self.columns = {name: [""] * size for name in ("text", *analyzer.fields)}

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


def _words(weights: Weights, analyzer: Analyzer) -> tuple[npt.NDArray[np.object_], Places]:
    """(V + 1,) what each term is in a text, and the column it stands in: 0, or that of its field."""
    reading = weights.reading
    data, ends = reading.term_bytes.tobytes(), reading.term_offsets.tolist()
    terms = [data[i:j].decode("utf-8", "replace") for i, j in pairwise(ends)]
    field = np.zeros(len(terms) + 1, np.intp)
    for i, name in enumerate(analyzer.fields, start=1):
        prefix = f"{name}:"
        for j, term in enumerate(terms):
            if field[j] == 0 and term.startswith(prefix):
                terms[j], field[j] = term[len(prefix) :], i
    return np.array([*terms, UNKNOWN], dtype=object), field


def refuse_ngrams(analyzer: Analyzer) -> None:
    """Refuse n-grams drawn one by one, which are no text."""
    low, high = analyzer.ngrams
    if (low, high) != (1, 1):
        raise DataError(
            f"the model counts n-grams of {low} to {high}, and those drawn one by one fit into no text; train on "
            "single words (--ngrams 1), or a language model: priori train --event language"
        )
