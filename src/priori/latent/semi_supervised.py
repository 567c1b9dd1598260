"""Some documents are labelled and many are not: EM lets the others help, as far as the labelled ones say that it does.

Labelled documents are clamped. Unlabelled ones weigh `unlabelled_weight` (Nigam's lambda). Left to the data it is 0 or
a tenth, whichever has the lower log loss of the same labelled documents, held out: by exact leave-one-out for 0, and by
folds whose documents take no part in an EM of their own for a tenth. The constants below are what eight corpora have in
common, found on parts of their training documents (docs/maths/em.md has the figures).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError
from priori.fitted import Fitted
from priori.fitted.calibration import LeftOutLabels, fit_calibration
from priori.fitted.fit import judged
from priori.latent.checks import UnlabelledWeight, refuse_selection, weight_of
from priori.latent.corpus import Corpus
from priori.latent.counted import counted_model
from priori.latent.expectation import Settings, State
from priori.latent.held_out import HeldOut, Places, Read, only
from priori.latent.priors import WordPrior
from priori.latent.starts import labelled as by_labels
from priori.latent.temper import Temper
from priori.readings import Event, Readings
from priori.text import Analyzer
from priori.text_scoring import Tokenizer

if TYPE_CHECKING:
    from priori.sources import Batch

Floats = npt.NDArray[np.float64]

WEIGHT = 0.1  # of an unlabelled document: from a twentieth to a fifth it made no difference, a hundredth is too little
ALPHA = 0.03
TEMPER = Temper(0.18, -1.0)  # 10 / (n + 1): ten words' worth of belief in a document, however long it is
SHORT = 30.0  # features; longer documents than this and the median weigh no more than one of that length
ITERATIONS, SETTLED = 25, 2e-3  # until documents move so little of themselves, on average


@dataclass(frozen=True, eq=False, repr=False)
class HalfLabelled:
    """What was learned, and how much the unlabelled documents had to do with it."""

    model: Model
    unlabelled_weight: float
    losses: Mapping[float, float]  # log loss of held-out documents by weight; {} where none could be held out
    labelled: int
    unlabelled: int

    def __repr__(self) -> str:
        said = f"{self.labelled:,} documents with a label, {self.unlabelled:,} without, at weight "
        said += f"{self.unlabelled_weight:g}"
        losses = ", ".join(f"{loss:.4f} at {weight:g}" for weight, loss in self.losses.items())
        return f"<HalfLabelled: {said}{f'; log loss of held-out documents {losses}' if losses else ''}>"


def learn_half_labelled(
    read: Read,
    analyzer: Analyzer,
    readings: Readings,
    *,
    unlabelled_weight: UnlabelledWeight = "auto",
    seed: int = 0,
    **options: Any,
) -> HalfLabelled:
    """Read twice or so. Words count once in a document, whatever the analyzer says: repeats mislead EM.

    Options are those of `priori.classifier.Model.train`.
    """
    refuse_selection(readings)
    if readings.event == "language":
        raise DataError(
            "language models learn from labelled texts only, for EM mixes bags of words; give unlabelled='skip' (leave "
            "--unlabelled em out), or another event model"
        )
    supervised = Model.train(read(), analyzer, readings, **options)
    tokenizer, jobs = options.get("tokenizer"), options.get("jobs")
    corpus = Corpus.of(read, replace(analyzer, binary=True), tokenizer=tokenizer, jobs=jobs)
    if options.get("max_terms") is not None:
        corpus = corpus.most_frequent(options["max_terms"])
    labelled, unlabelled = int(corpus.labelled.sum()), int((~corpus.labelled).sum())
    weight = weight_of(unlabelled_weight)
    if weight == 0 or not unlabelled or len(corpus.labels) < 2:
        return HalfLabelled(supervised, 0.0, {}, labelled, unlabelled)
    learner = _Learner(corpus, readings, WEIGHT if weight is None else weight, tokenizer, jobs, seed)
    model, told = learner.model(read)
    losses = _losses(supervised, told, learner, read)
    if weight is None and losses and losses[0.0] <= losses[learner.weight]:
        return HalfLabelled(supervised, 0.0, losses, labelled, unlabelled)
    return HalfLabelled(model, learner.weight, losses, labelled, unlabelled)


def _losses(supervised: Model, told: Floats, learner: "_Learner", read: Read) -> dict[float, float]:
    """Calibrated log losses of the same labelled documents, without the unlabelled ones and with them.

    told: log p of the label of each that is held out, with them. What one of the two calls impossible has no loss.
    """
    if not len(learner.held_out):
        return {}
    readings = supervised.readings
    estimate = "bayes" if readings.estimate == "ml" else readings.estimate
    calibrate = readings.calibrate if readings.calibrated else True
    without = supervised.read_as(replace(readings, estimate=estimate, calibrate=calibrate))
    alone = learner.held_out.supervised(without, read, learner.corpus.labelled)
    both = np.isfinite(alone) & np.isfinite(told)
    return {0.0: -float(alone[both].mean()), learner.weight: -float(told[both].mean())} if both.any() else {}


@dataclass(frozen=True, eq=False)
class _Learner:
    corpus: Corpus
    readings: Readings
    weight: float
    tokenizer: Tokenizer | None
    jobs: int | None
    seed: int

    def model(self, read: Read) -> tuple[Model, Floats]:
        """EM on everything, with alpha and calibration as the folds have it; and log p of the labels held out."""
        alpha = ALPHA + (1.0 if self.readings.estimate == "map" else 0.0)
        readings = self.readings
        event: Event | None = "multinomial" if readings.event == "auto" else None
        fitted = Fitted(
            readings,
            alpha if isinstance(readings.prior.alpha, str) else None,
            None,
            held_out=True,
            event=event,
            proportional=readings.event in ("multinomial", "auto") and readings.estimate == "bayes",
        )
        left = self._left_out(read, fitted)
        possible = np.flatnonzero(np.isfinite(left.joint[np.arange(len(left.cls)), left.cls]))
        some = LeftOutLabels(left.joint[possible], left.features[possible], left.cls[possible], left.weight[possible])
        found = fit_calibration(some, tolerance=1e-6)
        fitted = judged(fitted, some, found, self.corpus.labels)
        told = np.full(len(left.cls), -np.inf)
        calibration = fitted.calibration or found.calibration(self.corpus.labels)
        log_posterior = calibration.log_posterior(some.joint, some.features, self.corpus.labels)
        told[possible] = log_posterior[np.arange(len(possible)), some.cls]
        own = fitted if readings.calibrated else replace(fitted, calibration=None)
        return counted_model(self.corpus, self.corpus.labels, self._shares(None), readings, own), told

    def _shares(self, left_out: Places | None) -> Floats:
        """(n, K) what each document counts in each class in the end; those left out and their copies count nowhere."""
        corpus = self._told_apart
        length = np.maximum(corpus.length, 1).astype(np.float64)
        weight = np.minimum(1.0, max(SHORT, float(np.median(length))) / length) * corpus.weight
        cls = corpus.cls.copy()
        if left_out is not None:
            out = self.held_out.copies(left_out)
            weight[out], cls[out] = 0.0, -1
        corpus = replace(corpus, weight=weight, cls=cls)
        settings = Settings(
            corpus.labels,
            words=WordPrior.even(ALPHA),
            proportional=True,  # with one alpha for all, classes of many words and of few would be smoothed unlike
            temper=TEMPER,
            unlabelled_weight=self.weight,
        )
        start = by_labels(corpus, settings, self.seed)
        state = State(corpus, settings, start * weight[:, None], self.jobs)
        before = after = np.zeros((len(corpus), settings.size))
        for iteration in range(1, ITERATIONS + 1):
            before, after = after, np.empty_like(after)
            state.step(iteration, shares=after)
            if np.abs(after - before).sum() < 2 * SETTLED * after.sum():
                break
        return after

    @cached_property
    def _told_apart(self) -> Corpus:
        """With the terms of more than one document: a word of one document says nothing of another."""
        keep = self.corpus.document_frequency >= 2
        return self.corpus.of_terms(keep) if keep.any() else self.corpus

    @cached_property
    def held_out(self) -> HeldOut:
        """The documents to judge by."""
        return HeldOut.deal(self.corpus, self.seed)

    def _left_out(self, read: Read, fitted: Fitted) -> LeftOutLabels:
        """Scores of the documents held out, each by an EM that has never seen its fold."""
        rows, fold = self.held_out.rows, self.held_out.fold
        joint, features = np.empty((len(rows), len(self.corpus.labels))), np.empty(len(rows))
        documents = list(only(read, rows))
        plain = fitted.resolved(self.readings)
        plain = replace(plain, calibrate=False, estimate="bayes" if plain.estimate == "ml" else plain.estimate)
        for part in np.unique(fold):
            out = fold == part
            model = counted_model(self.corpus, self.corpus.labels, self._shares(rows[out]), plain)
            scores, lengths = zip(*(_scored(model, batch) for batch in documents), strict=True)
            joint[out], features[out] = np.concatenate(scores)[out], np.concatenate(lengths)[out]
        return LeftOutLabels(joint, features, self.corpus.cls[rows], self.held_out.weight)


def _scored(model: Model, batch: "Batch") -> tuple[Floats, Floats]:
    return model.log_joint(batch), np.diff(model.encode(batch)["offsets"]).astype(np.float64)
