"""The naive assumption looked at: which words come together within a class more, or less, than independence has it.

I(a; b | class) = Σ_c p(c) Σ p(a, b | c) log[p(a, b | c) / p(a | c) p(b | c)] over presence and absence of both. Pairs
of words are not in the counts (there would be V² of them), so the documents are looked at that a model keeps. Lectures
002 and 003.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.words.encoded import Sample
from priori.columns.words.term_selection import x_log_x
from priori.errors import DataError
from priori.model.classifier import Model
from priori.validation import whole_number

Floats = npt.NDArray[np.float64]

AMONG = 2_000  # words in most of the documents: what is rare can say little of another word
ROOM = 1 << 21  # pairs that are looked at together


@dataclass(frozen=True)
class WordPair:
    """Two words, and how much the presence of one tells of the other's where the class is known."""

    first: str
    second: str
    information: float  # nats
    together: float  # documents with both
    expected: float  # as many as there would be if they were independent in each class
    first_documents: float
    second_documents: float

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Dependence:
    """The most dependent pairs, and on how many documents and among how many words they were looked for."""

    label: str | None
    documents: float
    among: int
    pairs: tuple[WordPair, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "label": self.label,
            "documents": self.documents,
            "among": self.among,
            "pairs": [pair.to_json() for pair in self.pairs],
        }


def dependent_pairs(model: Model, label: str | None = None, most: int = 20, among: int = AMONG) -> Dependence:
    """The `most` pairs that break the naive assumption most, within one class, or within each class and averaged.

    >>> from priori import TextClassifier
    >>> texts = ["cheap viagra", "cheap viagra now", "now", "hello", "now hello"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "spam", "ham", "ham"]).model_
    >>> pair = dependent_pairs(model, "spam", most=1).pairs[0]
    >>> pair.first, pair.second, pair.together, round(pair.expected, 2)
    ('cheap', 'viagra', 2.0, 1.33)
    """
    most, among = whole_number(most, "most", 1), whole_number(among, "among", 1)
    sample = model.summary.sample
    if sample is None or not len(sample):
        raise DataError(
            "the model keeps no documents, and pairs of words are not in its counts; train it with keep_sample=True "
            "(without --no-sample)"
        )
    counts = model.counts
    if label is not None and label not in counts.labels:
        raise DataError(f"there is no class {label!r}; the model's are {', '.join(counts.labels)}")
    if label is not None:
        sample = sample.rows(np.flatnonzero(sample.cls == counts.labels.index(label)))
    weight = sample.copies.astype(np.float64) * counts.unit
    row = np.repeat(np.arange(len(sample)), np.diff(sample.offsets))
    documents = np.bincount(sample.term, weight[row], counts.terms)
    documents[~_alone(model)] = 0.0
    words = np.sort(np.argsort(-documents, kind="stable")[: min(among, int((documents > 0).sum()))])
    classes = _classes(sample, weight, row, words, counts.terms)
    total = float(weight.sum())
    best = _best_pairs(classes, len(words), total, most)
    pairs = tuple(
        WordPair(
            counts.term(int(words[a])),
            counts.term(int(words[b])),
            score,
            sum(float(one.both(np.array([a]), np.array([b]))[0, 0]) for one in classes),
            sum(float(one.own[a] * one.own[b] / one.size) for one in classes),
            float(documents[words[a]]),
            float(documents[words[b]]),
        )
        for score, a, b in best
    )
    return Dependence(label, total, len(words), pairs)


def _alone(model: Model) -> npt.NDArray[np.bool_]:
    """Terms that are one word each: an n-gram is never independent of the words in it, nor a mark of its text."""
    counts, analyzer = model.counts, model.analyzer
    if analyzer.features != "words" or analyzer.ngrams[0] > 1:
        return np.ones(counts.terms, bool)
    spaces = np.concatenate([[0], np.cumsum(counts.term_bytes == ord(" "))])
    alone = np.diff(spaces[counts.term_offsets]) == 0
    alone[[at for at in counts.find(analyzer.marks) if at >= 0]] = False
    return np.asarray(alone)


@dataclass(frozen=True, eq=False)
class _Class:
    """The documents of one class: their weight, that of those with each word, and which have which."""

    size: float
    own: Floats  # (M,)
    present: Any  # (n, M), sparse, 1 where a document has a word
    weighted: Any  # (n, M), sparse, its weight there

    def both(self, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> Floats:
        """Documents with both words."""
        return np.asarray((self.present[:, first].T @ self.weighted[:, second]).toarray())


def _classes(
    sample: Sample, weight: Floats, row: npt.NDArray[np.intp], words: npt.NDArray[np.intp], terms: int
) -> list[_Class]:
    from scipy.sparse import csr_array  # here: ranking terms does without

    place = np.full(terms, -1, np.int64)
    place[words] = np.arange(len(words))
    kept = place[sample.term] >= 0
    rows, columns = row[kept], place[sample.term[kept]]
    present = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sample), len(words)))
    found = []
    for cls in np.unique(sample.cls):
        mine = np.flatnonzero(sample.cls == cls)
        some, size = present[mine], float(weight[mine].sum())
        if size > 0:
            copies = np.repeat(weight[mine], np.diff(some.indptr))
            own = np.bincount(some.indices, copies, len(words)).astype(np.float64)
            weighted = csr_array((copies, some.indices, some.indptr), shape=some.shape)
            found.append(_Class(size, own, some.tocsc(), weighted.tocsc()))
    return found


def _best_pairs(classes: list[_Class], words: int, total: float, most: int) -> list[tuple[float, int, int]]:
    """(information, first, second) of the highest, ties in the order of words; block by block, so that room is bounded.

    A word that all or none of a class's documents have tells nothing there.
    """
    best: list[tuple[float, int, int]] = []
    telling = [np.flatnonzero((one.own > 0) & (one.own < one.size)) for one in classes]
    step = max(1, ROOM // max(1, words))
    for start in range(0, words, step):
        block = np.zeros((min(step, words - start), words))
        for one, some in zip(classes, telling, strict=True):
            first = some[(some >= start) & (some < start + step)]
            second = some[some > start]
            if len(first) and len(second):
                found = _information(one.size, one.own[first], one.own[second], one.both(first, second))
                block[np.ix_(first - start, second)] += found / total
        i, j = np.nonzero((block > 0) & (np.arange(words) > np.arange(start, start + len(block))[:, None]))
        scores = block[i, j]
        least = np.partition(scores, len(scores) - most)[len(scores) - most] if most < len(scores) else 0.0
        chosen = np.flatnonzero(scores >= least)
        best += zip(scores[chosen].tolist(), (i[chosen] + start).tolist(), j[chosen].tolist(), strict=True)
        best = sorted(best, key=lambda pair: (-pair[0], pair[1], pair[2]))[:most]
    return best


def _information(size: float, first: Floats, second: Floats, both: Floats) -> Floats:
    """Documents times mutual information of each pair, from how many have the first, the second, and both."""
    only_first, only_second = first[:, None] - both, second[None, :] - both
    neither = np.maximum(size - both - only_first - only_second, 0.0)
    cells = x_log_x(both) + x_log_x(only_first) + x_log_x(only_second) + x_log_x(neither)
    margins = (x_log_x(one) + x_log_x(size - one) for one in (first, second))
    of_first, of_second = margins
    return np.asarray(cells - of_first[:, None] - of_second[None, :] + x_log_x(np.float64(size)))
