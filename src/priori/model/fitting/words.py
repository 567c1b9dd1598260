"""Alpha and the calibration of the least loss of documents that are left out."""

import math
from contextlib import nullcontext, suppress
from dataclasses import replace

import numpy as np

from priori.columns.words.event_models import SINGLE
from priori.columns.words.left_out.closed_form import LeftOut, Scores
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.groups import ByBlock, left_out_of
from priori.columns.words.left_out.language import LanguageLeftOut
from priori.columns.words.readings import Event, Readings
from priori.errors import EstimateError
from priori.model.fitting.calibration import Found, LeftOutLabels, fit_calibration, log_normalized
from priori.model.fitting.hyperparameters import FOLDS, alpha_of_most_evidence, choose, choose_terms, in_parts
from priori.model.fitting.parameters import ChosenTerms, Curve, Fitted
from priori.statistics import Counts
from priori.text import Grams
from priori.threads import threads

# How much is looked at. 2,000 documents nearly sufficed on real corpora and 4,000 were comfortable; 32 a class tell of
# its offset. Long documents say more each, so what bounds the work is their entries.
ENTRIES, DOCUMENTS, BY_CLASS = 1 << 19, 4_096, 32
ROOM = 1 << 21  # scores of documents and classes
SEARCHED_ENTRIES, SEARCHED, SEARCHED_ROOM = 1 << 17, 1_024, 1 << 19  # to choose alpha by
TOLERANCE, SEARCH_TOLERANCE = 1e-6, 1e-4  # of the loss, and while alpha is searched


def fit_readings(
    counts: Counts,
    readings: Readings,
    vocabulary: tuple[str, ...] | None,
    documents: Documents,
    known_only: bool,
    *,
    grams: Grams = SINGLE,
) -> Fitted:
    """Alpha and the calibration of the least loss of documents that are left out, copies of a text together.

    `known_only`: words without a place do not make a document longer. `grams`: how language models take terms apart.
    """
    if readings.event == "auto":
        return _best_event(counts, readings, vocabulary, documents, known_only)
    classes = max(1, len(counts.labels))
    enough = max(documents.rows_within(ENTRIES), DOCUMENTS, BY_CLASS * classes)
    documents = documents.first(min(enough, most_looked_at(classes)))
    if readings.select is not None:
        return _fit_selected(counts, readings, vocabulary, documents)
    left = left_out_of(counts, readings.inner(), vocabulary, documents, fixed=False, grams=grams)
    return fit_left_out(
        left, counts, readings, documents, vocabulary=vocabulary, known_only=known_only, jobs=threads(None)
    )[0]


def _fit_selected(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, documents: Documents
) -> Fitted:
    """How many terms are read, if that is left to the documents; then alpha and the calibration for these."""
    jobs = threads(None)
    documents, folds = in_parts(counts, readings, documents)
    terms, final = None, readings
    if readings.selects_auto:
        found: Found | None = None  # of the number before, which is near

        def loss(scores: Scores, documents: Documents) -> float:
            nonlocal found
            found = fit_calibration(
                _possible(scores, documents, True), found, SEARCH_TOLERANCE, offsets=readings.calibrated
            )
            return found.loss

        most = _searched_rows(documents, counts)
        terms = choose_terms(counts, readings.inner(), documents, most=most, loss=loss, jobs=jobs)
        final = readings.with_terms(terms.terms or 1)
    left = left_out_of(counts, final.inner(), vocabulary, documents, fixed=False)
    fitted = fit_left_out(left, counts, final, documents, vocabulary=vocabulary, known_only=True, jobs=jobs)[0]
    if terms is None and folds is None:
        return fitted
    return replace(fitted, readings=readings, terms=replace(terms or ChosenTerms(), folds=folds))


def most_looked_at(classes: int) -> int:
    """How many documents have room."""
    return max(1, ROOM // max(1, classes))


def fit_left_out(
    left: LeftOut | LanguageLeftOut | ByBlock,
    counts: Counts,
    readings: Readings,
    documents: Documents,
    *,
    vocabulary: tuple[str, ...] | None,
    known_only: bool,
    jobs: int,
) -> tuple[Fitted, Scores]:
    """The same with what the documents take away gathered before; with their scores under what was found."""
    plain = readings.inner()
    calibrated = readings.calibrated
    alpha: float | None = None
    if readings.prior.alpha == "evidence":
        alpha = alpha_of_most_evidence(counts, plain, vocabulary)
    curve = None
    start: Found | None = None
    if readings.prior.alpha == "auto" and alpha is None:
        curve, start = _searched(left, documents, plain, calibrated=calibrated, known_only=known_only, jobs=jobs)
        alpha = curve.chosen
    final = plain if alpha is None else plain.with_alpha(alpha)
    scores = left.scores(final, jobs)
    possible = _possible(scores, documents, known_only)
    found = fit_calibration(possible, start, TOLERANCE) if calibrated else None
    fitted = Fitted(readings, alpha, None, held_out=documents.counts is not None, curve=curve)
    return judged(fitted, possible, found, counts.labels), scores


def _best_event(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, documents: Documents, known_only: bool
) -> Fitted:
    """The event model of the least loss, each with the alpha and the calibration that suit it best."""
    events: tuple[Event, ...] = ("multinomial", "bernoulli")
    if readings.estimate != "integrated" and readings.prior.alpha != "evidence":  # the complement is no likelihood
        events += ("complement",)
    if readings.select is not None:  # the losses of all are to be of the same parts
        documents = documents.in_folds(FOLDS)
    tried = []
    for event in events:
        with suppress(EstimateError) if event == "complement" else nullcontext():  # which wants a prior for every word
            one = replace(readings, event=event)
            tried.append(fit_readings(counts, one, vocabulary, documents, known_only))
    best = min(tried, key=lambda fitted: math.inf if fitted.log_loss is None else fitted.log_loss)
    return replace(best, readings=readings, event=best.readings.event)


def _searched(
    left: LeftOut | LanguageLeftOut | ByBlock,
    documents: Documents,
    readings: Readings,
    *,
    calibrated: bool,
    known_only: bool,
    jobs: int,
) -> tuple[Curve, Found]:
    """The curve of losses by alpha, and the calibration at the lowest point.

    Scores that will not be calibrated are scaled here too, though without offsets: judged as they are, overconfident
    ones would be smoothed until they are vague, which costs accuracy.
    """
    least = 1.0 if readings.estimate == "map" else 0.0
    calibrations: dict[float, Found] = {}
    total = 0.0
    most = _searched_rows(documents, left)

    def loss(alpha: float) -> float:
        nonlocal total
        possible = _possible(left.scores(readings.with_alpha(alpha), jobs, most), documents, known_only)
        total = float(possible.weight.sum())
        near = min(calibrations, key=lambda other: abs(math.log(other / alpha)), default=None)
        start = None if near is None else calibrations[near]
        calibrations[alpha] = fit_calibration(possible, start, SEARCH_TOLERANCE, offsets=calibrated)
        return calibrations[alpha].loss

    curve = choose(loss, least)
    mean = replace(curve, losses=tuple(value / max(total, 1.0) for value in curve.losses))
    return mean, calibrations[curve.chosen]


def _searched_rows(documents: Documents, of: LeftOut | LanguageLeftOut | ByBlock | Counts) -> int:
    """How many documents a search looks at, in whole blocks."""
    classes = len(of.labels) if isinstance(of, Counts) else of.classes
    room = max(SEARCHED // 2, SEARCHED_ROOM // max(1, classes))
    return documents.whole_blocks(min(room, max(documents.rows_within(SEARCHED_ENTRIES), SEARCHED)))


def _possible(scores: Scores, documents: Documents, known_only: bool) -> LeftOutLabels:
    """Those whose own class is there without them, and possible: the others say nothing of alpha or calibration."""
    cls, weight = documents.cls[scores.rows], documents.loss_weight[scores.rows]
    kept = np.flatnonzero(np.isfinite(scores.joint[np.arange(len(cls)), cls]))
    features = scores.known if known_only else scores.features
    return LeftOutLabels(scores.joint[kept], features[kept], cls[kept], weight[kept])


def judged(fitted: Fitted, left: LeftOutLabels, found: Found | None, labels: tuple[str, ...]) -> Fitted:
    """With the calibration, and what the left-out documents say of it."""
    calibration = None if found is None else found.calibration(labels)
    if not len(left.cls) or not float(left.weight.sum()) > 0:
        return replace(fitted, calibration=calibration)
    own = np.arange(len(left.cls)), left.cls
    log_p = raw = log_normalized(left.joint)
    if calibration is not None:
        log_p = calibration.log_posterior(left.joint, left.features, labels)
        if fitted.readings.calibrate == "monotone":
            from priori.decisions.isotonic import fit_monotone

            calibration = replace(calibration, monotone=fit_monotone(log_p, left.cls, left.weight))
            log_p = calibration.log_posterior(left.joint, left.features, labels)
    return replace(
        fitted,
        calibration=calibration,
        documents=len(left.cls),
        accuracy=float((log_p.argmax(axis=1) == left.cls).mean()),
        log_loss=0.0 - float(log_p[own].mean()),
        raw_log_loss=0.0 - float(raw[own].mean()),
    )
