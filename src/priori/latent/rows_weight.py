"""What rows without a label are worth (EM-lambda, Nigam et al. 2000): chosen by folds of those that have one."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.latent.rows_fit import Search, fit_rows
from priori.latent.rows_starts import labelled_step
from priori.latent.rows_table import HiddenRows
from priori.select.folds import folds, shuffled
from priori.statistics.by_class import UNIT_BITS, in_rows
from priori.table_readings import TableReadings

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

GRID = (0.1, 0.3, 1.0)
FOLDS = 5
CLEARLY = 1.0  # standard errors that a gain must be above to count
_MOST_ROWS = 1_000  # labelled, and as many unlabelled, that a choice is made on
_LEAST = 2.0**-UNIT_BITS  # a probability below a unit of weight counts as one


@dataclass(frozen=True)
class WeightChoice:
    """The weight, and the mean log loss of labelled rows, their fold held out, at every weight that was tried."""

    weight: float
    losses: dict[float, float]  # {} where none could be held out


def choose_weight(rows: HiddenRows, readings: TableReadings, search: Search, seed: int = 0) -> WeightChoice:
    """The weight of least loss, if that is clearly less than without the unlabelled rows; else 0.

    Each fold of labelled rows is held out in turn: EM begins from the others, never sees the fold, and says what its
    labels are.
    """
    rows = _some(rows, seed)
    asked, fold = _dealt(rows, seed)
    if not len(asked) or rows.known.all():
        return WeightChoice(0.0, {})
    brief = replace(search, most_iterations=min(search.most_iterations, 20), tolerance=max(search.tolerance, 1e-4))
    weight = in_rows(rows.weight)[asked]
    try:
        plain = _losses(rows, readings, brief, (asked, fold), 0.0)
    except EstimateError:  # without a fold there is no estimate, so none can be told by folds
        return WeightChoice(0.0, {})
    means, best, gained = {0.0: float(np.average(plain, weights=weight))}, 0.0, 0.0
    for each in GRID:
        try:
            losses = _losses(rows, readings, brief, (asked, fold), each)
        except EstimateError:  # an estimate that does not exist with these rows is no candidate
            continue
        means[each] = float(np.average(losses, weights=weight))
        gain = plain - losses
        mean = float(np.average(gain, weights=weight))
        error = float(np.sqrt(np.average((gain - mean) ** 2, weights=weight) / (len(gain) - 1)))
        if mean > gained and mean > CLEARLY * error:
            best, gained = each, mean
    return WeightChoice(best, means)


def _dealt(rows: HiddenRows, seed: int) -> tuple[Places, Places]:
    """Labelled rows to hold out, and the fold of each: equal rows together, and never all of a class.

    A class of one labelled row (or of copies of one) stays: without it nothing of it would be known.
    """
    asked = np.flatnonzero(rows.known)
    group, alike = rows.group[asked], rows.alike()[asked]
    several = np.array([len(np.unique(alike[group == k])) > 1 for k in range(rows.classes)])
    asked, group, alike = (each[several[group]] for each in (asked, group, alike))
    different = len(np.unique(alike))
    if different < 2:
        return asked[:0], asked[:0]
    fold = folds(len(asked), min(FOLDS, different), seed, groups=alike, labels=group.tolist())
    spread = np.array([len(np.unique(fold[group == k])) > 1 for k in range(rows.classes)])[group]
    return asked[spread], fold[spread]


def _losses(
    rows: HiddenRows, readings: TableReadings, search: Search, dealt: tuple[Places, Places], unlabelled_weight: float
) -> Floats:
    """-log p(y | x) of each labelled row that is asked for, its fold held out."""
    asked, fold = dealt
    losses = np.zeros(len(asked))
    for at in np.unique(fold):
        held = fold == at
        others = rows.holding_out(asked[held])
        if unlabelled_weight:
            rng = np.random.default_rng(0)  # which no labelled start asks
            step = fit_rows(others, readings, search, rng, unlabelled_weight).step
        else:
            step = labelled_step(others, readings)
        told = step.log_posterior[asked[held], rows.group[asked[held]]]
        losses[held] = -np.maximum(told, np.log(_LEAST))
    return losses


def _some(rows: HiddenRows, seed: int) -> HiddenRows:
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
