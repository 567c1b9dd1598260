"""k-fold and hold-out: models of a part of the documents, judged on the others.

The counts without a fold are the total less the fold's: exact, and no second counting of what stays. Alpha and
calibration are fitted anew on what is left, so that nothing is known of the fold.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError
from priori.fitted import Fitted
from priori.readings import Readings
from priori.select.folds import folds
from priori.select.label_loss import Losses
from priori.select.representation import Counted, summary_of
from priori.select.rows import Rows

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def dealt(rows: Rows, k: int, seed: int) -> Places:
    """The fold of each row: blocks stay whole, sizes even, classes spread."""
    blocks = int(rows.block.max(initial=-1)) + 1
    if blocks < k:
        raise DataError(f"there are {blocks:,} different texts (or groups) for {k:,} folds; give fewer folds")
    return folds(len(rows), k, seed, rows.block, rows.cls)


def k_fold_losses(
    counted: Counted,
    rows: Rows,
    fold: Places,
    readings: Sequence[Readings],
    *,
    jobs: int = 1,
    step: Callable[[], None] = lambda: None,
) -> list[Losses]:
    """The losses of all rows whose class is known outside of their fold, for each of the readings."""
    judged = rows.elsewhere(fold)
    found: list[list[Floats]] = [[] for _ in readings]
    order: list[Places] = []
    for k in range(int(fold.max()) + 1):
        chosen = np.flatnonzero((fold == k) & judged)
        out = rows.rows(np.flatnonzero(fold == k))
        model = replace(counted.model, summary=counted.model.summary - summary_of(out, counted.model.analyzer, jobs))
        part = rows.rows(chosen)
        order.append(chosen)
        for place, reading in enumerate(readings):
            found[place].append(log_posterior_of(model.read_as(reading), part, jobs))
            step()
    kept = np.concatenate(order)
    return [Losses.of(np.concatenate(parts), rows.cls[kept], rows.weight[kept], rows.block[kept]) for parts in found]


def hold_out_losses(counted: Counted, held: Rows, readings: Readings, fitted: Fitted, jobs: int) -> Losses:
    """The losses of documents that nothing has seen, under what was fitted on the others, which must know the class."""
    model = replace(counted.model, readings=readings, stored=fitted)
    return Losses.of(log_posterior_of(model, held, jobs), held.cls, held.weight, held.block)


def log_posterior_of(model: Model, rows: Rows, jobs: int) -> Floats:
    """log p(y | x) in the order of the rows' labels, (n, K); -inf for a class that the model has never seen."""
    log_posterior = np.full((len(rows), len(rows.labels)), -np.inf)
    at = np.arange(len(rows))
    if model.readings.estimate in ("ml", "map"):  # without smoothing a document may be impossible in every class
        at = np.flatnonzero(model.log_joint(rows.batch, jobs).max(axis=1, initial=-np.inf) > -np.inf)
    if len(at):
        columns = np.array([rows.labels.index(label) for label in model.labels], np.intp)
        log_posterior[np.ix_(at, columns)] = model.log_posterior(rows.rows(at).batch, jobs)
    return log_posterior
