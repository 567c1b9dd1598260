"""Which rows or documents are held out to be measured on, and which of the others are learned from, or keep a label.

Learning curves take nested subsets of the rows of a table, the same for every learner; the comparison of methods takes
documents without the copies of those held out.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priori.data.folds import folds, shuffled
from priori.errors import DataError
from priori.latent.corpus import Bools, Corpus, Int32s, same_documents

Places = npt.NDArray[np.intp]
TENTHS = 3  # of the labelled documents are held out
_ANOTHER = 2**32  # so that labels are not drawn by the numbers that the folds were dealt by

# --- rows for learning curves -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Split:
    """Rows in the order in which they are learned, the first of each class before all others, and those held out."""

    train: Places
    test: Places

    def moved(self, rows: int) -> "Split":
        """The same of rows that begin further on."""
        return Split(self.train + rows, self.test + rows)


def split(group: npt.NDArray[np.int32], held_out: int, rng: np.random.Generator) -> Split:
    """A random split. One row of every class is learned first: each subset of K rows and more has all K classes."""
    order = rng.permutation(len(group))
    _, first = np.unique(group[order], return_index=True)
    order = np.concatenate([order[np.sort(first)], np.delete(order, first)])
    learned = len(group) - held_out
    return Split(order[:learned], order[learned:])


def held_out_rows(rows: int, classes: int, test: float) -> int:
    """How many rows are held out: a share of them, or a number from 1."""
    held_out = round(test * rows) if test < 1 else int(test)
    if not (test > 0 and 1 <= held_out <= rows - classes):
        raise DataError(
            f"test={test:g} of {rows:,} rows leaves {max(rows - held_out, 0):,} to learn {classes} classes from and "
            f"{max(held_out, 0):,} to test on; give a share between 0 and 1, or fewer rows"
        )
    return held_out


def geometric_sizes(classes: int, learned: int) -> tuple[int, ...]:
    """Two rows for each class, doubled until all rows are learned.

    >>> geometric_sizes(2, 100)
    (4, 8, 16, 32, 64, 100)
    """
    least = min(2 * classes, learned)
    doublings = math.floor(math.log2(learned / least))
    sizes = [least << power for power in range(doublings + 1)]
    if sizes[-1] * math.sqrt(2) < learned:
        return (*sizes, learned)
    return (*sizes[:-1], learned)  # subtle: a last step of a few rows would say nothing


def checked_sizes(sizes: object, classes: int, learned: int) -> tuple[int, ...]:
    """Sizes as they were asked for, in order and once."""
    try:
        found = sorted({int(size) for size in sizes})  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise DataError(f"sizes={sizes!r} are no numbers of rows; give some, such as [10, 100, 1000]") from None
    if not found or not classes <= found[0] <= found[-1] <= learned:
        raise DataError(
            f"the sizes {', '.join(map(str, found)) or 'are none; they'} must lie between {classes} (one row for each "
            f"class) and {learned:,} (the rows not held out)"
        )
    return tuple(found)


# --- documents for the comparison of methods --------------------------------------------------------------------------


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
