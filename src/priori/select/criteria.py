"""What candidates are ranked by: the loss of labels that are left out one by one, by folds, or held out.

Leave-one-out gathers what a block takes away once for all readings of an event. Alpha and calibration are fitted on the
same documents, each of which is left out: a handful of numbers (K + 4) that the loss is slightly too kind to. k-fold
and hold-out fit them without the documents that they score. The counts without a fold are the total less the fold's:
exact, and nothing is counted twice.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.closed_form import LeftOut
from priori.columns.words.readings import Readings
from priori.data.folds import folds
from priori.errors import DataError
from priori.model.classifier import Model
from priori.model.fitting.calibration import log_normalized
from priori.model.fitting.parameters import Fitted
from priori.model.fitting.words import fit_left_out
from priori.select.candidates import Counted, summary_of
from priori.select.documents import Rows
from priori.select.label_loss import Losses

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

# --- leave-one-out ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LeftOutReading:
    """One reading of the counts, and what the documents that were left out say of it."""

    readings: Readings
    fitted: Fitted
    log_posterior: Floats  # (n, K) of the documents that are judged
    losses: Losses
    raw_losses: Losses  # without calibration
    seconds: float

    @property
    def alpha(self) -> float | None:
        """As a number; None where none is read."""
        alpha = self.fitted.resolved(self.readings).prior.alpha
        return None if self.readings.estimate == "ml" or isinstance(alpha, str) else alpha


def left_out_readings(counted: Counted, readings: Iterable[Readings], jobs: int) -> Iterator[LeftOutReading]:
    """Each of the readings, which should come by event."""
    left: LeftOut | None = None
    for reading in readings:
        began = perf_counter()
        if left is None or left.readings.event != reading.event:
            left = gathered(counted, reading)
        yield _read(counted, left, reading, jobs, began)


def gathered(counted: Counted, readings: Readings) -> LeftOut:
    """What each block takes away."""
    model = counted.model
    plain = replace(readings, calibrate=False)
    return LeftOut.of(model.counts, plain, model.analyzer.vocabulary, counted.documents, fixed=False)


def _read(counted: Counted, left: LeftOut, readings: Readings, jobs: int, began: float) -> LeftOutReading:
    model, chosen = counted.model, counted.scored
    vocabulary, known_only = model.analyzer.vocabulary, model.counts_known_only
    fitted, scores = fit_left_out(
        left, model.counts, readings, counted.documents, vocabulary=vocabulary, known_only=known_only, jobs=jobs
    )
    features = scores.known if known_only else scores.features
    joint, lengths = scores.joint[chosen], features[chosen]
    possible = joint.max(axis=1) > -np.inf  # in some class
    raw = np.full_like(joint, -np.inf)
    raw[possible] = log_normalized(joint[possible])
    log_posterior = raw
    if fitted.calibration is not None:
        log_posterior = np.full_like(joint, -np.inf)
        log_posterior[possible] = _calibrated(model, fitted, joint[possible], lengths[possible])
    rows = counted.rows
    kept = rows.cls[chosen], rows.weight[chosen], rows.block[chosen]
    return LeftOutReading(
        readings, fitted, log_posterior, Losses.of(log_posterior, *kept), Losses.of(raw, *kept), perf_counter() - began
    )


def _calibrated(model: Model, fitted: Fitted, joint: Floats, features: Floats) -> Floats:
    """As the model would say it with what was fitted."""
    fit = replace(model, readings=fitted.readings, stored=fitted)
    if fit.calibration is None:
        return log_normalized(joint)
    log_posterior = fit.calibration.log_posterior(joint, features, model.labels)
    return log_posterior if fit.prior_shift is None else log_normalized(log_posterior + fit.prior_shift)


# --- k-fold and hold-out ----------------------------------------------------------------------------------------------


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
