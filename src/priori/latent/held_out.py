"""Labelled documents by which unlabelled ones are judged: which are held out, and what labels alone say of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.latent.corpus import Corpus
from priori.latent.parts import same_documents
from priori.leave_one_out import encoded, judged_posterior, left_out_scores
from priori.select.folds import folds

if TYPE_CHECKING:
    from priori.sources import Batch

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Read = Callable[[], "Iterable[Batch]"]

FOLDS, MOST = 4, 2_000


@dataclass(frozen=True, eq=False)
class HeldOut:
    """One document of each text and label, each in a fold; copies of a text are in one. A text is judged once."""

    rows: Places  # (n,) ascending
    fold: Places  # (n,)
    weight: Floats  # (n,) how often the text was learned with that label
    text: Places  # (N,) of all documents, labelled or not: those of the same words have the same number

    @classmethod
    def deal(cls, corpus: Corpus, seed: int) -> Self:
        """At most `MOST` documents, those of a class with several texts, never all of a class in one fold."""
        text = same_documents(corpus)
        labelled = np.flatnonzero(corpus.labelled & (corpus.weight > 0))
        number = text[labelled] * len(corpus.labels) + corpus.cls[labelled]
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        weight = np.zeros(len(corpus))
        weight[labelled[first]] = np.bincount(which, corpus.weight[labelled])
        rows = labelled[np.sort(first)]
        several = np.bincount(corpus.cls[rows], minlength=len(corpus.labels)) > 1
        rows = _some(rows[several[corpus.cls[rows]]], text, seed)
        groups = len(np.unique(text[rows]))
        if groups < 2:
            return cls(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), text)
        own = corpus.cls[rows]
        fold = folds(len(rows), min(FOLDS, groups), seed, groups=text[rows], labels=own)
        keep = np.ones(len(rows), bool)
        for c in np.unique(own):  # a class all of whose documents fell into one fold would be unknown without it
            keep[own == c] = len(np.unique(fold[own == c])) > 1
        return cls(rows[keep], fold[keep], weight[rows[keep]], text)

    def __len__(self) -> int:
        return len(self.rows)

    def copies(self, rows: Places) -> npt.NDArray[np.bool_]:
        """(N,) which documents have the words of one of these."""
        return np.isin(self.text, self.text[rows])

    def supervised(self, model: Model, read: Read, labelled: npt.NDArray[np.bool_]) -> Floats:
        """(n,) log p(label | x) by a model of labels alone, each left out with all labelled copies of its text.

        -inf for a text that is impossible in every class without itself, as it can be where nothing is imagined.
        """
        beside = np.flatnonzero(self.copies(self.rows) & labelled)
        documents = encoded(model, only(read, beside)).in_blocks(self.text[beside])
        possible = np.flatnonzero(np.isfinite(left_out_scores(model, documents).joint.max(axis=1)))
        some = documents.rows(possible)
        own = np.full(len(beside), -np.inf)
        own[possible] = judged_posterior(model, some)[np.arange(len(possible)), some.cls]
        return own[np.searchsorted(beside, self.rows)]


def _some(rows: Places, text: Places, seed: int) -> Places:
    """About as many of these documents as are held out at most, all labels of a text or none."""
    if len(rows) <= MOST:
        return rows
    texts, place, labels = np.unique(text[rows], return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(texts))
    chosen = np.zeros(len(texts), bool)
    chosen[order[: max(2, int(np.searchsorted(np.cumsum(labels[order]), MOST, side="right")))]] = True
    return rows[chosen[place]]


def only(read: Read, rows: Places) -> "Iterator[Batch]":
    """Batches of these rows only, ascending."""
    import pyarrow as pa

    first = 0
    for batch in read():
        inside = rows[(rows >= first) & (rows < first + len(batch))] - first
        first += len(batch)
        if len(inside):
            yield batch.rows(pa.array(inside))
