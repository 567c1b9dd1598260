"""A model: statistics, a sample of documents, and readings. p(y | x) is read off; nothing is trained twice."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.class_prior import log_class_prior
from priori.columns.words.counter import Summary
from priori.columns.words.encoded import Sample
from priori.columns.words.event_models import weights_of
from priori.columns.words.readings import Readings
from priori.columns.words.scoring import encode_batch, score_batch, score_texts
from priori.columns.words.weights import Weights
from priori.errors import DataError, EstimateError, MergeError
from priori.model.fitting.calibration import Calibration, log_normalized
from priori.model.fitting.parameters import Fitted
from priori.model.posterior import classes_of, log_summed
from priori.statistics import Counts
from priori.text.analyzer import Analyzer, Tokenizer

if TYPE_CHECKING:  # what reads data is loaded when there is some: a message is classified without it
    from priori.columns.words.left_out.grouped_rows import Documents
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dropped:
    """What pruning took away. A model that has lost counts can neither forget nor be merged."""

    terms: int
    occurrences: float


@dataclass(frozen=True, eq=False)
class Model:
    """An immutable classifier: learning, forgetting and merging return another one."""

    analyzer: Analyzer
    summary: Summary
    readings: Readings
    dropped: Dropped | None = None
    provenance: Mapping[str, Any] | None = None
    tokenizer: Tokenizer | None = None  # the user's function, never stored
    stored: Fitted | None = None  # what was fitted before, for these readings or others; see `fitted`

    @classmethod
    def train(
        cls,
        batches: "Iterable[Batch]",
        analyzer: Analyzer,
        readings: Readings,
        *,
        max_terms: int | None = None,
        **options: Any,
    ) -> Self:
        """One pass over labelled batches. Options are those of `priori.model.learning.count`."""
        if options.get("tokenizer") is not None and analyzer.tokens != "callable":
            analyzer = replace(analyzer, tokens="callable")
        from priori.model.learning import count

        if readings.event == "language":
            analyzer.refuse_chainless()  # before the work
        keep_sample = options.pop("keep_sample", True)
        # what is left to the documents is fitted while they are here, also where none may stay
        summary = count(iter(batches), analyzer, keep_sample=keep_sample or readings.left_to_documents, **options)
        if not summary.counts.labels:
            raise DataError(_nothing_learned(summary))
        model = cls(analyzer, summary, readings, tokenizer=options.get("tokenizer"))
        if max_terms is not None:
            model = model.pruned(max_terms)
        return model if keep_sample else model.without_sample()

    def __getstate__(self) -> dict[str, Any]:
        state = {field.name: getattr(self, field.name) for field in fields(self)}  # not what is derived
        return state | {"stored": self.__dict__.get("fitted", self.stored)}

    @property
    def counts(self) -> Counts:
        """The statistics."""
        return self.summary.counts

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in order."""
        return classes_of(self.summary.counts.labels, self.readings.components)

    def refuse_hidden(self) -> None:
        """Refuse to leave out documents of a model that has learned from some without a label.

        Which class those have counted in, their fellows' words have decided: to subtract a document leaves what it has
        taught the others.
        """
        if self.summary.hidden:
            raise DataError(
                "the model has learned from documents without a label, so none can be left out: what it taught the "
                "others would stay; give documents that were not learned (held_out=True; priori calibrate --held-out; "
                "priori evaluate without --leave-one-out)"
            )

    # --- the algebra -------------------------------------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Merge: the statistics add, exactly. The readings are the left one's."""
        self._refuse_other(other, "merged")
        return self._with(self.summary + other.summary)

    def __sub__(self, other: Self) -> Self:
        """Forget all that the other has learned, exactly."""
        self._refuse_other(other, "subtracted")
        return self._with(self.summary - other.summary)

    def learn(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """With more documents. Options are those of `priori.model.learning.count`."""
        return self._with(self.summary + self._count(batches, "learn", options))

    def forget(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """Without these documents, as if they had never been learned."""
        if self.summary.hidden:
            raise DataError(
                "the model has learned from documents without a label, so none can be forgotten: each counts in parts, "
                "and what it taught the others would stay; train again without it"
            )
        return self._with(self.summary - self._count(batches, "forget", options))

    def _with(self, summary: Summary) -> Self:
        """Other statistics: what was fitted is fitted again where documents are kept, and is stale where none are."""
        changed = replace(self, summary=summary, provenance=None, stored=None)
        if summary.sample is not None or not self.readings.needs_documents:
            return changed
        fitted = self.fitted
        if fitted is not None and not fitted.stale:
            from priori.model.file import digest

            fitted = replace(fitted, digest=digest(self))
        return replace(changed, stored=fitted)

    def read_as(self, readings: Readings) -> Self:
        """The same statistics read another way."""
        return replace(self, readings=readings, stored=self.__dict__.get("fitted") or self.stored)

    @cached_property
    def whole(self) -> Self:
        """Itself, or where it reads chosen terms only, one that knows every term that was counted, to count with."""
        if self.readings.select is None:
            return self
        return replace(self, readings=Readings(), stored=None)

    @property
    def is_language_model(self) -> bool:
        """Whether it is one language model, of a class without a name, and no classifier."""
        return self.readings.event == "language" and self.labels in (("",), ())

    def without_sample(self) -> Self:
        """Without the kept documents; what was left to them is fitted first."""
        return replace(self, stored=self.fitted, summary=replace(self.summary, sample=None))

    def pruned(self, most: int) -> Self:
        """Only the `most` terms that are in the most documents."""
        if most < 1:
            raise DataError(f"max_terms={most} leaves no terms; give a number from 1")
        if self.analyzer.vocabulary is not None:
            raise DataError("the given vocabulary already says which terms count; leave out max_terms, or shorten it")
        if self.readings.event == "language":
            raise DataError("an n-gram cannot stand without the shorter ones in it; leave out max_terms")
        if most >= self.counts.terms:
            return self
        counts, place = self.counts.pruned(most)
        lost = (int(self.counts.class_occurrences.sum()) - int(counts.class_occurrences.sum())) * counts.unit
        sample = self.summary.sample
        if sample is not None:
            sample = sample.without_terms(place)
        before = self.dropped or Dropped(0, 0.0)
        dropped = Dropped(before.terms + self.counts.terms - most, before.occurrences + lost)
        forms = None if self.summary.forms is None else self.summary.forms.of_terms(counts, self.analyzer.fields)
        changed = self._with(replace(self.summary, counts=counts, sample=sample, forms=forms))
        return replace(changed, dropped=dropped, provenance=self.provenance)

    def _count(self, batches: "Iterable[Batch]", verb: str, options: dict[str, Any]) -> Summary:
        if self.dropped is not None:
            raise MergeError(
                f"this model cannot {verb}: it was pruned of {self.dropped.terms:,} terms with --max-terms, so its "
                "sums are no longer whole; train it again without --max-terms"
            )
        from priori.model.learning import count

        options.setdefault("keep_sample", self.summary.sample is not None)
        self._know_stems()
        return count(iter(batches), self.analyzer, tokenizer=self._tokenizer(), **options)

    def _refuse_other(self, other: Self, verb: str) -> None:
        if self.labels and other.labels and self.is_language_model != other.is_language_model:
            raise MergeError(
                f"the models cannot be {verb}: one is a language model, which tells no classes apart, and one a "
                "classifier; give two of a kind"
            )
        if self.analyzer != other.analyzer:
            mine, theirs = self.analyzer.to_json(), other.analyzer.to_json()
            names = [name.replace("_", " ") for name in {**mine, **theirs} if mine.get(name) != theirs.get(name)]
            names = names or [
                name.replace("_", " ") for name in ("vocabulary", "stop_words") if _differ(self, other, name)
            ]
            raise MergeError(
                f"the models cannot be {verb}: their analyzers differ in {', '.join(names)}, so their words are not "
                "the same; train both with the same settings"
            )
        if self.dropped is not None or other.dropped is not None:
            raise MergeError(
                f"the models cannot be {verb}: one was pruned with --max-terms, so its sums are no longer whole; "
                "train it again without --max-terms"
            )

    def _know_stems(self) -> None:
        """The stems of words that were learned are looked up: whether they can be made here does not matter."""
        forms, stemmer = self.summary.forms, self.analyzer.stemmer
        if forms is not None and stemmer is not None:
            self.analyzer.native.know_stems(forms.counts.term_offsets, forms.counts.term_bytes)
            stemmer.known = lambda: forms.stems_and_words

    def _tokenizer(self) -> Tokenizer | None:
        if self.analyzer.tokens == "callable" and self.tokenizer is None:
            raise DataError(
                "this model was trained with a tokenizer of yours, which its file does not hold (nothing loaded is "
                "ever run); give it again: priori.load(path, tokenizer=...)"
            )
        return self.tokenizer

    # --- reading -----------------------------------------------------------------------------------------------------

    @cached_property
    def fitted(self) -> Fitted | None:
        """What the readings leave to the documents, fitted on those that are kept; None where they say it all."""
        readings = self.readings
        if not readings.left_to_documents:
            return None
        sample, stored = self.summary.sample, self.stored
        lasting = sample is None and readings.needs_documents  # what is stale stays where it cannot be fitted again
        if stored is not None and stored.readings.fits(readings) and (lasting or not stored.stale):
            return replace(stored, readings=readings)  # perhaps with another class prior, which changes nothing in it
        if sample is None and not readings.needs_documents:
            sample = Sample.empty()
        if sample is None:
            raise EstimateError(
                "alpha and calibration are fitted on documents that are left out, and this model keeps none; give a "
                "number and no calibration, or fit them: priori calibrate MODEL SOURCE"
            )
        from priori.columns.words.left_out.grouped_rows import Documents

        return self._fit(Documents.of_sample(sample, self.counts.unit, self.analyzer.binary))

    def fitted_on(self, documents: "Documents") -> Self:
        """With what is left to documents fitted on these, which were learned (or not: class -1 takes nothing away)."""
        return replace(self, stored=self._fit(documents))

    def _fit(self, documents: "Documents") -> Fitted:
        from priori.model.fitting.words import fit_readings  # here: what is stored is used without

        if self.readings.event == "language":
            self.analyzer.refuse_chainless()
        vocabulary, known_only = self.analyzer.vocabulary, self.counts_known_only
        return fit_readings(self.counts, self.readings, vocabulary, documents, known_only, grams=self.analyzer.grams)

    @property
    def plain_readings(self) -> Readings:
        """The readings that scores are made with: numbers only."""
        if self.fitted is not None:
            return self.fitted.resolved(self.readings)
        # maximum likelihood has no use for an alpha, so none is chosen
        return self.readings.with_alpha(1.0) if isinstance(self.readings.prior.alpha, str) else self.readings

    @property
    def calibration(self) -> Calibration | None:
        """How far scores are believed; None: as they are."""
        calibration = None if self.fitted is None else self.fitted.calibration
        if calibration is None or calibration.monotone is None or calibration.monotone.classes == len(self.labels):
            return calibration
        return replace(calibration, monotone=None)  # stale: a class more, or less, and no documents to fit it again

    @cached_property
    def weights(self) -> Weights:
        """The reading as numbers; an EstimateError where it does not exist."""
        if self.readings.event == "language":
            self.analyzer.refuse_chainless()
        return weights_of(self.counts, self.plain_readings, self.analyzer.vocabulary, self.analyzer.grams)

    @cached_property
    def prior_shift(self) -> Floats | None:
        """log of the given class prior over that of the documents learned, (K,); None where it is not given apart."""
        if self.calibration is None or not self.readings.prior_is_given:
            return None
        documents = self.counts.class_documents.astype(np.float64)
        given, learned = (
            log_class_prior(self.labels, documents, prior, self.readings.estimate)
            for prior in (self.readings.class_prior, "ml")
        )
        return np.asarray(given - learned)

    @cached_property
    def scorer(self) -> _core.Scorer:
        """The compiled scorer."""
        weights, calibration = self.weights, self.calibration
        unknown = weights.unknown_default
        self._know_stems()
        scorer = _core.Scorer.of(
            self.analyzer.native,
            weights.arrays(),
            weights.distinct,
            unknown is not None,
            0.0 if unknown is None else unknown,
            weights.reading.prior.unknown,
            self.counts_known_only,
            None if weights.language is None else weights.language.chain,
        )
        if calibration is not None:
            offset = calibration.offset_of(self.counts.labels)
            shift = None if self._in_python else self.prior_shift
            scorer.calibrate(calibration.scale, calibration.power, calibration.noise, offset, shift)
        return scorer

    @property
    def counts_known_only(self) -> bool:
        """Whether words without a place do not make a text longer: kept documents do not tell how many they had."""
        some = self.analyzer.vocabulary is not None or self.dropped is not None or self.readings.select is not None
        return some or self.analyzer.binary

    @property
    def _in_python(self) -> bool:
        """Whether the compiled scorer does not go all the way to p(y | x)."""
        monotone = self.calibration is not None and self.calibration.monotone is not None
        return monotone or bool(self.readings.components)

    def log_joint(self, batch: "Batch", jobs: int = 1) -> Floats:
        """log p(x, y), (n, K): word sequences, so without multinomial coefficients; not normalised over y."""
        return log_summed(self._score(batch, "joint", jobs), self.counts.labels, self.readings.components)

    def posterior(self, batch: "Batch", jobs: int = 1) -> Floats:
        """p(y | x), (n, K), calibrated if the readings say so."""
        if self._in_python:
            return np.exp(self.log_posterior(batch, jobs))
        return self._score(batch, "posterior", jobs)

    def log_posterior(self, batch: "Batch", jobs: int = 1) -> Floats:
        """log p(y | x), (n, K): finite where p itself is too small for a float."""
        return self._finished(self._score(batch, "log_posterior", jobs))

    def _finished(self, log_posterior: Floats) -> Floats:
        """What the compiled scorer leaves to do."""
        log_posterior = log_summed(log_posterior, self.counts.labels, self.readings.components)
        if self.calibration is None or self.calibration.monotone is None:
            return log_posterior
        mapped = self.calibration.monotone.apply(log_posterior)
        return mapped if self.prior_shift is None else log_normalized(mapped + self.prior_shift)

    def posterior_of_texts(self, texts: list[str], jobs: int | None = None) -> Floats:
        """p(y | x) of plain texts: the shortest way, for one message or a million."""
        output = "log_posterior" if self._in_python else "posterior"
        scores = score_texts(self.scorer, texts, self._tokenizer(), output, jobs)
        return np.exp(self._finished(scores)) if self._in_python else scores

    def _score(self, batch: "Batch", output: str, jobs: int) -> Floats:
        return score_batch(self.scorer, self.analyzer, batch, self._tokenizer(), output=output, jobs=jobs)

    def encode(self, batch: "Batch") -> dict[str, Any]:
        """Documents as rows of (term, count), with how many features of each were never seen."""
        return encode_batch(self.scorer, self.analyzer, batch, self._tokenizer())

    # --- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, atomically."""
        from priori.model.file import save_model

        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> "Model":
        """Read a model file; a ModelFileError if it is damaged, foreign or newer."""
        from priori.model.file import load_model

        return replace(load_model(path), tokenizer=tokenizer)


def _differ(one: Model, other: Model, name: str) -> bool:
    return bool(getattr(one.analyzer, name) != getattr(other.analyzer, name))


def _nothing_learned(summary: Summary) -> str:
    if summary.rows == 0:
        return "the data has no rows, so nothing was learned; give some, or look at the file and --where"
    none = f"none of the {summary.rows:,} rows has a label, so nothing was learned"
    return f"{none}; give some a label, or name the column with --label"
