"""Documents as EM and Gibbs walk over them: rows of (term, count), each with its weight and, where known, its class."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.data.folds import group_numbers
from priori.errors import DataError
from priori.statistics.word_forms import Forms
from priori.text.analyzer import Analyzer, Tokenizer

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

_ROOM = 1 << 18  # documents times components whose shares are worked on at a time: 2 MB
ALL = "documents"  # the one class that everything is counted under to find the terms


@dataclass(frozen=True, eq=False)
class Corpus:
    """Encoded documents. Terms are numbered in the order of their bytes; labels too."""

    analyzer: Analyzer
    labels: tuple[str, ...]  # the classes that have a name; () where nothing is labelled
    term_offsets: Int64s  # (V + 1,) into term_bytes
    term_bytes: npt.NDArray[np.uint8]
    offsets: Int64s  # (n + 1,) into term and count
    term: Int32s  # ascending within a row
    count: Int32s
    cls: Int32s  # (n,) places in labels; -1: unlabelled
    weight: Floats  # (n,) how often each document counts
    tokenizer: Tokenizer | None = None
    forms: Forms | None = None  # the words as they were written, where their stems are counted

    @classmethod
    def of(
        cls,
        read: "Callable[[], Iterable[Batch]]",
        analyzer: Analyzer,
        *,
        tokenizer: Tokenizer | None = None,
        jobs: int | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> Self:
        """Read twice: once to find the terms, once to number them. A label of null is none."""
        from priori.columns.words.readings import Readings
        from priori.model.classifier import Model

        unnamed = (_counted_once(batch) for batch in read())
        model = Model.train(
            unnamed, analyzer, Readings(), tokenizer=tokenizer, keep_sample=False, jobs=jobs, progress=progress
        )
        reading = model.weights.reading
        rows, weights = [], []
        names: list[str | None] = []
        for batch in read():
            rows.append(model.encode(batch))
            names.extend([None] * len(batch) if batch.label is None else batch.label.to_pylist())
            weights.append(np.ones(len(batch)) if batch.weight is None else batch.weight.to_numpy(zero_copy_only=False))
        labels = tuple(sorted({name for name in names if name is not None}, key=str.encode))
        place: dict[str | None, int] = {label: index for index, label in enumerate(labels)} | {None: -1}
        sizes = np.concatenate([np.diff(part["offsets"]) for part in rows])
        count = np.concatenate([part["count"] for part in rows])
        return cls(
            model.analyzer,
            labels,
            reading.term_offsets,
            reading.term_bytes,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([part["term"] for part in rows]),
            np.ones_like(count) if model.analyzer.binary else count,
            np.array([place[name] for name in names], np.int32),
            np.concatenate(weights).astype(np.float64),
            tokenizer,
            model.summary.forms,
        )

    @classmethod
    def of_counts(
        cls, counts: npt.ArrayLike, labels: Iterable[str | None] | None = None, weight: npt.ArrayLike | None = None
    ) -> Self:
        """From a table of counts, documents by terms; terms are t0, t1, ... in order. A label of None is none."""
        given = np.asarray(counts)
        if given.ndim != 2 or not bool(((given >= 0) & (given < 2**31) & (given == np.floor(given))).all()):
            raise DataError("counts are whole numbers from 0 to 2^31, documents by terms; give a table of those")
        table = given.astype(np.int32)
        documents, terms = table.shape
        weights = np.ones(documents) if weight is None else np.asarray(weight, np.float64)
        if weights.shape != (documents,) or not bool(((weights >= 0) & np.isfinite(weights)).all()):
            raise DataError("a weight is negative, not finite or missing; give each document a finite one from 0")
        width = len(str(max(terms - 1, 0)))
        names = "".join(f"t{j:0{width}d}" for j in range(terms)).encode()
        rows, term = np.nonzero(table)
        known = [None] * documents if labels is None else _label_texts(labels, documents)
        named = tuple(sorted({label for label in known if label is not None}, key=str.encode))
        places = [-1 if label is None else named.index(label) for label in known]
        return cls(
            Analyzer(),
            named,
            np.arange(terms + 1, dtype=np.int64) * (width + 1),
            np.frombuffer(names, np.uint8),
            np.searchsorted(rows, np.arange(documents + 1)).astype(np.int64),
            term.astype(np.int32),
            table[rows, term],
            np.array(places, np.int32),
            weights,
        )

    def __len__(self) -> int:
        return len(self.cls)

    @property
    def terms(self) -> int:
        """V: how many terms have a place."""
        return len(self.term_offsets) - 1

    @cached_property
    def length(self) -> Int64s:
        """(n,) features of each document."""
        ends = np.concatenate([[0], np.cumsum(self.count, dtype=np.int64)])
        return np.diff(ends[self.offsets])

    @cached_property
    def document_frequency(self) -> Int64s:
        """(V,) in how many documents each term is."""
        return np.bincount(self.term, minlength=self.terms)

    def blocked(self, components: int, jobs: int) -> _core.BlockedRows:
        """The rows as the compiled EM walks over them: in blocks whose shares find room in the cache, as many for each
        thread. Sums are the same for blocks of any size.
        """
        blocks = -(-len(self) // max(1024, min(65_536, _ROOM // components)))
        documents = -(-len(self) // max(1, -(-blocks // jobs) * jobs))
        if documents not in self._blocked:
            self._blocked.clear()
            self._blocked[documents] = _core.BlockedRows.of(
                self.offsets, self.term, self.count, self.terms, max(1, documents)
            )
        return self._blocked[documents]

    @cached_property
    def _blocked(self) -> dict[int, _core.BlockedRows]:
        return {}

    @property
    def labelled(self) -> Bools:
        """(n,) which documents have a label."""
        return self.cls >= 0

    def term_texts(self) -> list[str]:
        """The text of every term, in order."""
        data, ends = self.term_bytes.tobytes(), self.term_offsets.tolist()
        return [data[i:j].decode("utf-8", "replace") for i, j in pairwise(ends)]

    def term_text(self, index: int) -> str:
        """The text of one term."""
        start, end = self.term_offsets[index], self.term_offsets[index + 1]
        return self.term_bytes[start:end].tobytes().decode("utf-8", "replace")

    def find(self, words: Sequence[str]) -> Int64s:
        """The place of each word among the terms, -1 where it has none."""
        found: Int64s = _core.find_terms(self.term_offsets, self.term_bytes, list(words))
        return found

    def with_classes(self, cls: Int32s, labels: tuple[str, ...] | None = None) -> Self:
        """The same documents labelled otherwise."""
        return replace(self, cls=np.asarray(cls, np.int32), labels=self.labels if labels is None else labels)

    def rows(self, chosen: npt.NDArray[np.intp]) -> Self:
        """Only these documents, in this order; every term keeps its place."""
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entries = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return replace(
            self,
            offsets=offsets,
            term=self.term[entries],
            count=self.count[entries],
            cls=self.cls[chosen],
            weight=self.weight[chosen],
        )

    def most_frequent(self, most: int) -> Self:
        """Only so many terms, those in the most documents (ties by text)."""
        keep = np.zeros(self.terms, bool)
        keep[np.argsort(-self.document_frequency, kind="stable")[:most]] = True
        return self if keep.all() else self.of_terms(keep)

    def of_terms(self, keep: Bools) -> Self:
        """Only some of the terms, which become the analyzer's vocabulary: others are unknown words from now on."""
        if not keep.any():
            raise DataError("no term is left to tell documents apart by; keep rarer or more frequent ones")
        place = (np.cumsum(keep) - 1).astype(np.int32)
        kept = keep[self.term]
        ends = np.concatenate([[0], np.cumsum(kept)])
        sizes = np.diff(self.term_offsets)
        smaller = replace(
            self,
            term_offsets=np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64),
            term_bytes=self.term_bytes[np.repeat(keep, sizes)],
            offsets=ends[self.offsets].astype(np.int64),
            term=place[self.term[kept]],
            count=self.count[kept],
        )
        return replace(smaller, analyzer=replace(self.analyzer, vocabulary=tuple(smaller.term_texts())))


def _label_texts(labels: Iterable[str | None], documents: int) -> list[str | None]:
    known: list[object] = list(labels)
    if len(known) != documents:
        raise DataError(f"there are {len(known)} labels of {documents} documents; give one for each, None for none")
    texts: list[str | None] = []
    for label in known:
        if label is not None and not isinstance(label, str):
            raise DataError(f"the label {label!r} is no text; give texts, and None for a document without a label")
        texts.append(None if label is None else str(label))  # subtle: numpy's texts are of a type of their own
    return texts


def _counted_once(batch: "Batch") -> "Batch":
    import pyarrow as pa

    return replace(batch, label=pa.repeat(pa.scalar(ALL), len(batch)), weight=None)


def same_documents(corpus: Corpus) -> Places:
    """(n,) a number for each document, shared by those with the same words as often."""
    rows = (corpus.term[i:j].tobytes() + corpus.count[i:j].tobytes() for i, j in pairwise(corpus.offsets.tolist()))
    return group_numbers(list(rows), len(corpus))
