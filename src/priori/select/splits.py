"""Which documents are held out to be measured on, and which of the others keep their label."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.groups import group_numbers
from priori.latent.corpus import Bools, Corpus, Int32s
from priori.select.folds import folds, shuffled

Places = npt.NDArray[np.intp]
TENTHS = 3  # of the labelled documents are held out
_ANOTHER = 2**32  # so that labels are not drawn by the numbers that the folds were dealt by


@dataclass(frozen=True, eq=False)
class Parts:
    """Documents to learn from, with the terms they have, and documents to measure on. All know their class's number."""

    train: Corpus  # of its labels, `kept` says how many may be looked at
    test: Corpus
    official: bool  # whether the test part was given, not drawn
    copies: int  # documents not learned from, for they are the same as one to measure on

    @property
    def never_learned(self) -> tuple[str, ...]:
        """The labels to measure on that no document to learn from has."""
        absent = np.setdiff1d(self.test.cls, self.train.cls)
        return tuple(self.test.labels[c] for c in absent.tolist())

    def kept(self, labels: int | None, seed: int) -> Corpus:
        """The training part, of which so many documents of each class keep their label (None: all)."""
        return self.train if labels is None else self.train.with_classes(kept_labels(self.train.cls, labels, seed))


def parted(corpus: Corpus, test: npt.ArrayLike | None = None, seed: int = 0) -> Parts:
    """Hold out the documents of a mask, or three tenths of the labelled ones; copies of them are not learned from."""
    truth = corpus.labelled
    if len(corpus.labels) < 2:
        held = "none has a label" if not corpus.labels else f"all labels are {corpus.labels[0]!r}"
        raise DataError(f"there is nothing to compare classes with: {held}; name the column of labels with --label")
    group = same_documents(corpus)
    given = _drawn(corpus, group, seed) if test is None else _mask(test, len(corpus))
    measured = given & truth
    copies = ~given & np.isin(group, group[measured])
    learning = ~given & ~copies
    for part, size in (("measure on", int(measured.sum())), ("learn from", int((learning & truth).sum()))):
        if not size:
            raise DataError(f"no document with a label is left to {part}; check --test, --where and --test-where")
    train = corpus.rows(np.flatnonzero(learning))
    keep = train.document_frequency > 0
    measured_on = corpus.rows(np.flatnonzero(measured)).of_terms(keep)
    return Parts(train.of_terms(keep), measured_on, official=test is not None, copies=int(copies.sum()))


def _mask(test: npt.ArrayLike, documents: int) -> Bools:
    mask = np.asarray(test)
    if mask.dtype != bool or mask.shape != (documents,):
        raise DataError(
            f"test has shape {mask.shape} and type {mask.dtype}; give True or False for each of the {documents:,} "
            "documents"
        )
    return mask


def _drawn(corpus: Corpus, group: Places, seed: int) -> Bools:
    labelled = np.flatnonzero(corpus.labelled)
    if len(np.unique(group[labelled])) < 10:
        raise DataError(
            "fewer than 10 different documents have a label, too few to hold some out; give more, or a --test source"
        )
    dealt = folds(len(labelled), 10, seed, groups=group[labelled], labels=corpus.cls[labelled])
    test = np.zeros(len(corpus), bool)
    test[labelled[dealt < TENTHS]] = True
    return test


def same_documents(corpus: Corpus) -> Places:
    """(n,) a number for each document, shared by those with the same words as often."""
    rows = (corpus.term[i:j].tobytes() + corpus.count[i:j].tobytes() for i, j in pairwise(corpus.offsets.tolist()))
    return group_numbers(list(rows), len(corpus))


def kept_labels(cls: Int32s, labels: int, seed: int) -> Int32s:
    """(n,) the classes with all but so many of each taken away (-1); with the same seed, more contain fewer."""
    if labels < 0:
        raise DataError(f"labels={labels} of each class cannot be kept; give a number from 0, or None for all")
    key = shuffled(len(cls), seed + _ANOTHER)
    kept = np.full_like(cls, -1)
    for c in np.unique(cls[cls >= 0]):
        own = np.flatnonzero(cls == c)
        chosen = own[np.argsort(key[own], kind="stable")[:labels]]
        kept[chosen] = c
    return kept
