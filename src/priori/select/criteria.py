"""Candidates by the loss of left-out labels: what a block takes away is gathered once for all readings of an event.

Alpha and calibration are fitted on the same documents, each of which is left out: a handful of numbers (K + 4) that the
loss is slightly too kind to. k-fold and hold-out, which fit them without the documents they judge, are not.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.fitted import Fitted
from priori.fitted.calibration import log_normalized
from priori.fitted.fit import fit_left_out
from priori.left_out import LeftOut
from priori.readings import Readings
from priori.select.label_loss import Losses
from priori.select.representation import Counted

Floats = npt.NDArray[np.float64]


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
