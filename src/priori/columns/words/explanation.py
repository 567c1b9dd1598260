"""What each feature of a text says for the classes; under language models each token after those before it."""

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.columns.words.scoring import word_lists_of
from priori.columns.words.weights import Reading, Weights
from priori.statistics import Counts
from priori.text.analyzer import Analyzer, Tokenizer

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]
UNKNOWN = "(unknown words)"


def term_text(reading: Reading, index: int) -> str:
    """A term as it stands."""
    start, end = reading.term_offsets[index], reading.term_offsets[index + 1]
    return reading.term_bytes[start:end].tobytes().decode("utf-8", "replace")


def feature_rows(weights: Weights, terms: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]) -> Floats:
    """What each feature adds to log p(x, y), (m, K)."""
    reading = weights.reading
    rows = np.empty((len(terms), len(reading.labels)))
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


def unknown_row(weights: Weights, times: int) -> Floats:
    """What words never seen add, beyond the length: under the urn their slot is the same in every class."""
    if weights.unknown_default is None or times == 0 or weights.urn_total is not None:
        return np.zeros(len(weights.reading.labels))
    return times * (weights.unknown_default + weights.per_feature)


def length_row(weights: Weights, features: int) -> Floats:
    """What the number of features alone adds under the urn, (K,)."""
    total = weights.urn_total
    if total is None:
        return np.zeros(len(weights.reading.labels))
    return np.array([-_log_rising(x, features) for x in total])


def written_words(analyzer: Analyzer, tokenizer: Tokenizer | None, batch: "Batch") -> dict[str, tuple[str, ...]]:
    """The words of the document by their stems, in order; nothing where words are not counted as stems."""
    if analyzer.stem is None:
        return {}
    lists = word_lists_of(batch, tokenizer)
    if lists is None:
        columns = [("", batch.text), *analyzer.columns(batch.fields)]
        pairs = [pair for name, texts in columns for pair in analyzer.written(texts[0].as_py() or "", name)]
    else:
        names = [str(name) for name in lists.names]
        pairs = analyzer.written([names[index] for index in lists.indices])
    words: dict[str, dict[str, None]] = {}
    for feature, word in pairs:
        words.setdefault(feature, {})[word] = None
    return {feature: tuple(found) for feature, found in words.items()}


def token_rows(
    weights: Weights, counts: Counts, analyzer: Analyzer, tokenizer: Tokenizer | None, batch: "Batch"
) -> list[tuple[str, int, Floats]]:
    """(n-gram, how often, (K,) what its last token adds to log p(x, y)) of the one document of a batch.

    A token stands as the longest n-gram that ends with it and that any class has seen; those that none has seen are
    together.
    """
    language = weights.language
    assert language is not None
    tokens = _tokens(analyzer, tokenizer, batch)
    found = _ngrams(counts, analyzer, tokens)  # (T, N) terms that end at each token, the shortest first; -1: none
    terms = np.unique(found[found >= 0])
    weight, backoff = _rows(weights, terms, weights.pair_weight), _rows(weights, terms, language.backoff)
    rows = np.zeros((len(tokens), len(weights.reading.labels)))
    for column in found.T:  # the n-grams of one order, each as what it says and as a history of the next token
        here = np.flatnonzero(column >= 0)
        place = np.searchsorted(terms, column[here])
        rows[here] += weight[place] - backoff[place]
        goes_on = here + 1 < len(tokens)
        rows[here[goes_on] + 1] += backoff[place[goes_on]]
    predicted = (found[:, 0] >= 0) | (weights.unknown_default is not None)
    rows += predicted[:, None] * weights.per_feature
    joiner = analyzer.grams.joiner
    together: dict[str, tuple[int, Floats]] = {}
    for at in range(int(language.terms.begin >= 0), len(tokens)):
        longest = int((found[at] >= 0).sum())
        name = UNKNOWN if longest == 0 else joiner.join(_shown(analyzer, t) for t in tokens[at + 1 - longest : at + 1])
        times, sums = together.get(name, (0, np.zeros(len(weights.reading.labels))))
        together[name] = (times + 1, sums + rows[at])
    return [(name, times, sums) for name, (times, sums) in together.items()]


def _tokens(analyzer: Analyzer, tokenizer: Tokenizer | None, batch: "Batch") -> list[str]:
    words, native = word_lists_of(batch, tokenizer), analyzer.native
    if words is None:
        return list(native.tokens(batch.text[0].as_py()))
    names = words.names if isinstance(words.names, list) else words.names.to_pylist()
    return list(native.tokens_of_words([str(names[i]) for i in words.indices.tolist()]))


def _ngrams(counts: Counts, analyzer: Analyzer, tokens: list[str]) -> npt.NDArray[np.int64]:
    longest = analyzer.ngrams[1]
    joiner = analyzer.grams.joiner
    asked = [(at, order) for at in range(len(tokens)) for order in range(1, min(longest, at + 1) + 1)]
    found = np.full((len(tokens), longest), -1, np.int64)
    if asked:
        ids = counts.find([joiner.join(tokens[at + 1 - order : at + 1]) for at, order in asked])
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


def _shown(analyzer: Analyzer, token: str) -> str:
    return dict(zip(analyzer.marks, ("<s>", "</s>"), strict=False)).get(token, token)


def _log_rising(x: float, n: int) -> float:
    return math.fsum(math.log(x + i) for i in range(n))
