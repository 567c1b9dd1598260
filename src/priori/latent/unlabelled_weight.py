"""What rows or documents without a label are worth (EM-lambda, Nigam et al. 2000), judged by labelled ones held out.

The weight of rows is chosen by folds. `HeldOut` deals labelled documents into folds, and says what labels alone,
without unlabelled documents, make of them.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from priori.columns.readings import TableReadings
from priori.data.folds import folds, shuffled
from priori.errors import EstimateError
from priori.latent.corpus import Corpus, same_documents
from priori.latent.em_algorithm.restarts import Search, fit_rows
from priori.latent.rows import HiddenRows
from priori.latent.starts import labelled_step
from priori.model.classifier import Model
from priori.model.leave_one_out import encoded, judged_posterior, left_out_scores
from priori.statistics.by_class import UNIT_BITS, in_rows

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Read = Callable[[], "Iterable[Batch]"]

DOCUMENT_FOLDS, MOST_DOCUMENTS = 4, 2_000  # that are held out
GRID = (0.1, 0.3, 1.0)
FOLDS = 5
CLEARLY = 1.0  # standard errors that a gain must be above to count
_MOST_ROWS = 1_000  # labelled, and as many unlabelled, that a choice is made on
_LEAST = 2.0**-UNIT_BITS  # a probability below a unit of weight counts as one


# --- rows of a table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WeightChoice:
    """The weight, and the mean log loss of labelled rows, their fold held out, at every weight that was tried."""

    weight: float
    losses: dict[float, float]  # {} where none could be held out


def choose_weight(rows: HiddenRows, readings: TableReadings, search: Search, seed: int = 0) -> WeightChoice:
    """The weight of least loss, if that is clearly less than without the unlabelled rows; else 0.

    Each fold of labelled rows is held out in turn: EM begins from the others, never sees the fold nor any row like one
    of it, and says what its labels are. Estimates that do not exist without a fold are no candidates.
    """
    rows = _some_rows(rows, seed)
    asked, fold = _dealt(rows, seed)
    if not len(asked) or rows.known.all():
        return WeightChoice(0.0, {})
    brief = replace(search, most_iterations=min(search.most_iterations, 20), tolerance=max(search.tolerance, 1e-4))
    weight = in_rows(rows.weight)[asked]
    try:
        plain = _losses(rows, readings, brief, (asked, fold), 0.0)
    except EstimateError:  # without a fold there is no estimate, so none can be told by folds
        return WeightChoice(0.0, {})
    found = {0.0: plain}
    for each in GRID:
        with suppress(EstimateError):
            found[each] = _losses(rows, readings, brief, (asked, fold), each)
    means = {each: float(np.average(losses, weights=weight)) for each, losses in found.items()}
    best = min(means, key=lambda each: means[each])
    return WeightChoice(best if _is_clear(plain - found[best], weight) else 0.0, means)


def _is_clear(gain: Floats, weight: Floats) -> bool:
    """Whether a mean gain is more than chance would easily have it."""
    mean = float(np.average(gain, weights=weight))
    error = float(np.sqrt(np.average((gain - mean) ** 2, weights=weight) / (len(gain) - 1)))
    return mean > CLEARLY * error


def _dealt(rows: HiddenRows, seed: int) -> tuple[Places, Places]:
    """Labelled rows to hold out, and the fold of every row, (n,), -1 for those that always stay.

    Rows whose cells are equal are in one fold, whether they have a label or not: any of them would tell EM of the
    others. A class never goes as a whole, for nothing of it would be known; so a class of one labelled row (or of
    copies of one) stays, with all rows like those that stay.
    """
    everyone = rows.alike()
    asked = np.flatnonzero(rows.known)
    asked = _parted(rows, asked, everyone, everyone)
    different = len(np.unique(everyone[asked]))
    fold = np.full(len(rows), -1)
    if different < 2:
        return asked[:0], fold
    dealt = folds(len(asked), min(FOLDS, different), seed, groups=everyone[asked], labels=rows.group[asked].tolist())
    of_each = np.full(everyone.max() + 1, -1)
    of_each[everyone[asked]] = dealt
    asked = _parted(rows, asked, everyone, of_each[everyone])
    stays = ~np.isin(everyone, everyone[asked])
    return asked, np.where(stays, -1, of_each[everyone])


def _parted(rows: HiddenRows, asked: Places, alike: Places, lots: Places) -> Places:
    """Those of the rows asked for whose class is in more than one of the lots, but for rows like one that is not."""
    group = rows.group[asked]
    parted = np.array([len(np.unique(lots[asked[group == k]])) > 1 for k in range(rows.classes)])[group]
    return asked[parted & ~np.isin(alike[asked], alike[asked[~parted]])]


def _losses(
    rows: HiddenRows, readings: TableReadings, search: Search, dealt: tuple[Places, Places], unlabelled_weight: float
) -> Floats:
    """-log p(y | x) of each labelled row that is asked for, its fold held out."""
    asked, fold = dealt
    losses = np.zeros(len(asked))
    for at in np.unique(fold[asked]):
        held = fold[asked] == at
        others = rows.holding_out(np.flatnonzero(fold == at))
        if unlabelled_weight:
            rng = np.random.default_rng(0)  # which no labelled start asks
            step = fit_rows(others, readings, search, rng, unlabelled_weight).step
        else:
            step = labelled_step(others, readings)
        told = step.log_posterior[asked[held], rows.group[asked[held]]]
        losses[held] = -np.maximum(told, np.log(_LEAST))
    return losses


def _some_rows(rows: HiddenRows, seed: int) -> HiddenRows:
    """Not too many rows, at random; unlabelled ones that stay weigh as much as all did beside the labelled."""
    known = rows.known
    keys = shuffled(len(rows), seed)
    kept = [np.sort(places[np.argsort(keys[places])][:_MOST_ROWS]) for places in map(np.flatnonzero, (known, ~known))]
    shares = [len(few) / max(int(all_of.sum()), 1) for few, all_of in zip(kept, (known, ~known), strict=True)]
    if shares == [1.0, 1.0] or not all(shares):
        return rows
    less = rows.taken(np.sort(np.concatenate(kept)))
    factor = np.where(less.known, 1.0, shares[0] / shares[1])
    return replace(less, weight=np.maximum(np.rint(less.weight * factor), 1).astype(np.int64))


# --- documents --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeldOut:
    """One document of each text and label, each in a fold; copies of a text are in one. A text is judged once."""

    rows: Places  # (n,) ascending
    fold: Places  # (n,)
    weight: Floats  # (n,) how often the text was learned with that label
    text: Places  # (N,) of all documents, labelled or not: those of the same words have the same number

    @classmethod
    def deal(cls, corpus: Corpus, seed: int) -> Self:
        """At most `MOST_DOCUMENTS` documents, those of a class with several texts, never all of a class in one fold."""
        text = same_documents(corpus)
        labelled = np.flatnonzero(corpus.labelled & (corpus.weight > 0))
        number = text[labelled] * len(corpus.labels) + corpus.cls[labelled]
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        weight = np.zeros(len(corpus))
        weight[labelled[first]] = np.bincount(which, corpus.weight[labelled])
        rows = labelled[np.sort(first)]
        several = np.bincount(corpus.cls[rows], minlength=len(corpus.labels)) > 1
        rows = _some_documents(rows[several[corpus.cls[rows]]], text, seed)
        groups = len(np.unique(text[rows]))
        if groups < 2:
            return cls(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), text)
        own = corpus.cls[rows]
        fold = folds(len(rows), min(DOCUMENT_FOLDS, groups), seed, groups=text[rows], labels=own)
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


def _some_documents(rows: Places, text: Places, seed: int) -> Places:
    """About as many of these documents as are held out at most, all labels of a text or none."""
    if len(rows) <= MOST_DOCUMENTS:
        return rows
    texts, place, labels = np.unique(text[rows], return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(texts))
    chosen = np.zeros(len(texts), bool)
    chosen[order[: max(2, int(np.searchsorted(np.cumsum(labels[order]), MOST_DOCUMENTS, side="right")))]] = True
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
