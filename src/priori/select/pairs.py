"""The naive assumption looked at: which words come together within a class more, or less, than independence has it.

I(a; b | class) = Σ_c p(c) Σ p(a, b | c) log[p(a, b | c) / p(a | c) p(b | c)] over presence and absence of both. Pairs
of words are not in the counts (there would be V² of them), so the documents are looked at that a model keeps. Lectures
002 and 003.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.corpus.sample import Sample
from priori.errors import DataError
from priori.rankings.scores import x_log_x

Floats = npt.NDArray[np.float64]

AMONG = 2_000  # words in most of the documents: what is rare can say little of another word


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
    words = np.sort(np.argsort(-documents, kind="stable")[: min(among, int((documents > 0).sum()))])
    tables = _tables(sample, weight, row, words, counts.terms)
    total = float(weight.sum())
    information, together, expected = (np.zeros((len(words), len(words))) for _ in range(3))
    for size, both in tables:
        own = both.diagonal()
        information += _information(size, both) / total
        together += both
        expected += np.outer(own, own) / size
    i, j = np.triu_indices(len(words), 1)
    scores = np.maximum(information[i, j], 0.0)  # rounding must not make it less
    pairs = tuple(
        WordPair(
            counts.term(int(words[a])),
            counts.term(int(words[b])),
            float(scores[k]),
            float(together[a, b]),
            float(expected[a, b]),
            float(documents[words[a]]),
            float(documents[words[b]]),
        )
        for k, a, b in ((k, i[k], j[k]) for k in _best(scores, most))
        if scores[k] > 0
    )
    return Dependence(label, total, len(words), pairs)


def _best(scores: Floats, most: int) -> npt.NDArray[np.intp]:
    """Places of the highest, ties by place."""
    if most < len(scores):
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        some = np.flatnonzero(scores >= least)
    else:
        some = np.arange(len(scores))
    return np.asarray(some[np.argsort(-scores[some], kind="stable")][:most])


def _tables(
    sample: Sample, weight: Floats, row: npt.NDArray[np.intp], words: npt.NDArray[np.intp], terms: int
) -> list[tuple[float, Floats]]:
    """For each class: its documents, and those with both words of each pair, (M, M)."""
    from scipy.sparse import csr_array  # here: ranking terms does without

    place = np.full(terms, -1, np.int64)
    place[words] = np.arange(len(words))
    kept = place[sample.term] >= 0
    rows, columns = row[kept], place[sample.term[kept]]
    present = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sample), len(words)))
    tables = []
    for cls in np.unique(sample.cls):
        mine = np.flatnonzero(sample.cls == cls)
        some = present[mine]
        weighted = csr_array((weight[mine][some.nonzero()[0]], some.indices, some.indptr), shape=some.shape)
        size = float(weight[mine].sum())
        if size > 0:
            tables.append((size, np.asarray((some.T @ weighted).toarray())))
    return tables


def _information(size: float, both: Floats) -> Floats:
    """Documents times mutual information of each pair, (M, M)."""
    own = both.diagonal()
    first, second = own[:, None] - both, own[None, :] - both
    margin = x_log_x(own) + x_log_x(size - own)
    cells = x_log_x(both) + x_log_x(first) + x_log_x(second) + x_log_x(np.maximum(size - both - first - second, 0.0))
    return np.asarray(cells - margin[:, None] - margin[None, :] + x_log_x(np.float64(size)))
