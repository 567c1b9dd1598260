"""Documents by their words: the ordinary counts, with one class for each document, called by its number."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics import Counts
from priori.text import Analyzer
from priori.validation import whole_number

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Collection:
    """c(w, d) of every document d. A number is given once: documents that are forgotten leave theirs unused."""

    counts: Counts
    numbered: int  # how many numbers have been given

    @classmethod
    def empty(cls) -> Self:
        """No documents."""
        return cls(Counts.empty(), 0)

    @classmethod
    def of(cls, batches: "Iterable[Batch]", analyzer: Analyzer, **options: Any) -> Self:
        """Documents in their order. Options are those of `priori.model.learning.count`."""
        from priori.model.learning import count

        numbered = _Numbered(batches)
        summary = count(iter(numbered), analyzer, keep_sample=False, **options)
        return cls(summary.counts, numbered.documents)

    def __len__(self) -> int:
        return len(self.counts.labels)

    def __add__(self, other: Self) -> Self:
        """Both; the right one's documents are numbered after the left one's."""
        if self.numbered == 0:
            return other
        shifted = [str(int(name) + self.numbered) for name in other.counts.labels]
        return replace(
            self, counts=self.counts + _named(other.counts, shifted), numbered=self.numbered + other.numbered
        )

    def without(self, numbers: Iterable[int]) -> Self:
        """Without these documents, as if they had never been learned."""
        if not isinstance(numbers, Iterable):
            raise DataError(f"{numbers!r} is no list of numbers of documents; give one, such as [3, 17]")
        wanted = [whole_number(number, "a number of a document", 0) for number in numbers]
        gone = np.isin(self.numbers, wanted)
        missing = sorted(set(wanted) - set(self.numbers.tolist()))
        if missing:
            raise DataError(f"there is no document {missing[0]}, so it cannot be forgotten; give numbers of documents")
        return replace(self, counts=self.counts - _only(self.counts, gone))

    @cached_property
    def numbers(self) -> Int64s:
        """(K,) the number of each class of the counts."""
        return np.array([int(name) for name in self.counts.labels], np.int64)

    @cached_property
    def lengths(self) -> Floats:
        """(K,) |d|, the words of each document."""
        return self.counts.class_occurrences.astype(np.float64)

    @cached_property
    def share(self) -> Floats:
        """(V,) p(w) in all documents together."""
        totals = self.counts.term_totals().astype(np.float64)
        share: Floats = totals / max(totals.sum(), 1.0)  # without words there is no w to ask for
        return share


class _Numbered:
    """Batches whose labels are the numbers of their documents."""

    def __init__(self, batches: "Iterable[Batch]") -> None:
        self._batches, self.documents = batches, 0

    def __iter__(self) -> "Iterator[Batch]":
        from priori.store import arrow_views

        for batch in self._batches:
            names = [str(number) for number in range(self.documents, self.documents + len(batch))]
            self.documents += len(batch)
            yield replace(batch, label=arrow_views.from_texts(names), weight=None)


def _named(counts: Counts, names: Sequence[str]) -> Counts:
    """The same with other labels, put in their order."""
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    pair_class, length_class = place[counts.pair_class], place[counts.length_class]
    pairs = np.lexsort((pair_class, counts.pair_term))
    lengths = np.lexsort((counts.length, length_class))
    return replace(
        counts,
        labels=tuple(names[k] for k in order),
        class_documents=counts.class_documents[order],
        pair_class=pair_class[pairs],
        pair_occurrences=counts.pair_occurrences[pairs],
        pair_documents=counts.pair_documents[pairs],
        length_class=length_class[lengths],
        length=counts.length[lengths],
        length_documents=counts.length_documents[lengths],
    )


def _only(counts: Counts, chosen: npt.NDArray[np.bool_]) -> Counts:
    """The counts of some classes; terms that they do not have stay, without counts, to be subtracted."""
    pairs, lengths = chosen[counts.pair_class], chosen[counts.length_class]
    sizes = np.bincount(counts.pair_term[pairs], minlength=counts.terms)
    return replace(
        counts,
        class_documents=np.where(chosen, counts.class_documents, 0),
        pair_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        pair_class=counts.pair_class[pairs],
        pair_occurrences=counts.pair_occurrences[pairs],
        pair_documents=counts.pair_documents[pairs],
        length_class=counts.length_class[lengths],
        length=counts.length[lengths],
        length_documents=counts.length_documents[lengths],
    )
