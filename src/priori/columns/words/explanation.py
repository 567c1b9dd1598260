"""What each token of a text says for the classes under language models: log p of it after those before it."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.events.table import Weights
from priori.text_scoring import word_lists_of

if TYPE_CHECKING:
    from priori.sources import Batch

Floats = npt.NDArray[np.float64]
UNKNOWN = "(unknown words)"


def token_rows(model: Model, batch: "Batch") -> list[tuple[str, int, Floats]]:
    """(n-gram, how often, (K,) what its last token adds to log p(x, y)) of the one document of a batch.

    A token stands as the longest n-gram that ends with it and that any class has seen; those that none has seen are
    together.
    """
    weights = model.weights
    language = weights.language
    assert language is not None
    tokens = _tokens(model, batch)
    found = _ngrams(model, tokens)  # (T, N) terms that end at each token, the shortest first; -1: none
    terms = np.unique(found[found >= 0])
    weight, backoff = _rows(weights, terms, weights.pair_weight), _rows(weights, terms, language.backoff)
    rows = np.zeros((len(tokens), len(model.labels)))
    for column in found.T:  # the n-grams of one order, each as what it says and as a history of the next token
        here = np.flatnonzero(column >= 0)
        place = np.searchsorted(terms, column[here])
        rows[here] += weight[place] - backoff[place]
        goes_on = here + 1 < len(tokens)
        rows[here[goes_on] + 1] += backoff[place[goes_on]]
    predicted = (found[:, 0] >= 0) | (weights.unknown_default is not None)
    rows += predicted[:, None] * weights.per_feature
    joiner = model.analyzer.grams.joiner
    together: dict[str, tuple[int, Floats]] = {}
    for at in range(int(language.terms.begin >= 0), len(tokens)):
        longest = int((found[at] >= 0).sum())
        name = UNKNOWN if longest == 0 else joiner.join(_shown(model, t) for t in tokens[at + 1 - longest : at + 1])
        times, sums = together.get(name, (0, np.zeros(len(model.labels))))
        together[name] = (times + 1, sums + rows[at])
    return [(name, times, sums) for name, (times, sums) in together.items()]


def _tokens(model: Model, batch: "Batch") -> list[str]:
    words, native = word_lists_of(batch, model.tokenizer), model.analyzer.native
    if words is None:
        return list(native.tokens(batch.text[0].as_py()))
    names = words.names if isinstance(words.names, list) else words.names.to_pylist()
    return list(native.tokens_of_words([str(names[i]) for i in words.indices.tolist()]))


def _ngrams(model: Model, tokens: list[str]) -> npt.NDArray[np.int64]:
    longest = model.analyzer.ngrams[1]
    joiner = model.analyzer.grams.joiner
    asked = [(at, order) for at in range(len(tokens)) for order in range(1, min(longest, at + 1) + 1)]
    found = np.full((len(tokens), longest), -1, np.int64)
    if asked:
        ids = model.counts.find([joiner.join(tokens[at + 1 - order : at + 1]) for at, order in asked])
        rows, columns = np.array(asked).T
        found[rows, columns - 1] = ids
    return found


def _rows(weights: Weights, terms: npt.NDArray[np.int64], values: Floats) -> Floats:
    """What terms have of some values, by class, (m, K)."""
    reading = weights.reading
    rows = np.zeros((len(terms), len(reading.labels)))
    for i, term in enumerate(terms):
        pairs = slice(reading.pair_offsets[term], reading.pair_offsets[term + 1])
        rows[i, reading.pair_class[pairs]] = values[pairs]
    return rows


def _shown(model: Model, token: str) -> str:
    return dict(zip(model.analyzer.marks, ("<s>", "</s>"), strict=False)).get(token, token)
