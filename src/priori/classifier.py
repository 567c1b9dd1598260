"""A model: statistics, a sample of documents, and readings. p(y | x) is read off; nothing is trained twice."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.corpus.summary import Summary
from priori.errors import DataError, MergeError
from priori.events import Weights, weights_of
from priori.readings import Readings
from priori.statistics import Counts
from priori.text import Analyzer
from priori.threads import threads

if TYPE_CHECKING:  # pyarrow and the sources are loaded when data come: a message is classified without them
    from priori.sources import Batch
    from priori.text.wordlists import WordLists

Tokenizer: TypeAlias = Callable[[str], Iterable[str]]
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
        """One pass over labelled batches. Options are those of `priori.engines.count`."""
        if options.get("tokenizer") is not None and analyzer.tokens != "callable":
            analyzer = replace(analyzer, tokens="callable")
        from priori.engines import count

        summary = count(iter(batches), analyzer, **options)
        if not summary.counts.labels:
            raise DataError(_nothing_learned(summary))
        model = cls(analyzer, summary, readings, tokenizer=options.get("tokenizer"))
        return model if max_terms is None else model.pruned(max_terms)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # not what is derived

    @property
    def counts(self) -> Counts:
        """The statistics."""
        return self.summary.counts

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in order."""
        return self.summary.counts.labels

    # --- the algebra -------------------------------------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Merge: the statistics add, exactly. The readings are the left one's."""
        self._refuse_other(other, "merged")
        return replace(self, summary=self.summary + other.summary, provenance=None)

    def __sub__(self, other: Self) -> Self:
        """Forget all that the other has learned, exactly."""
        self._refuse_other(other, "subtracted")
        return replace(self, summary=self.summary - other.summary, provenance=None)

    def learn(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """With more documents. Options are those of `priori.engines.count`."""
        return replace(self, summary=self.summary + self._count(batches, "learn", options), provenance=None)

    def forget(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """Without these documents, as if they had never been learned."""
        return replace(self, summary=self.summary - self._count(batches, "forget", options), provenance=None)

    def read_as(self, readings: Readings) -> Self:
        """The same statistics read another way."""
        return replace(self, readings=readings)

    def pruned(self, most: int) -> Self:
        """Only the `most` terms that are in the most documents."""
        if most < 1:
            raise DataError(f"max_terms={most} leaves no terms; give a number from 1")
        if self.analyzer.vocabulary is not None:
            raise DataError("the given vocabulary already says which terms count; leave out max_terms, or shorten it")
        if most >= self.counts.terms:
            return self
        counts, place = self.counts.pruned(most)
        lost = (int(self.counts.class_occurrences.sum()) - int(counts.class_occurrences.sum())) * counts.unit
        sample = self.summary.sample
        if sample is not None:
            sample = sample.without_terms(place)
        before = self.dropped or Dropped(0, 0.0)
        dropped = Dropped(before.terms + self.counts.terms - most, before.occurrences + lost)
        return replace(self, summary=replace(self.summary, counts=counts, sample=sample), dropped=dropped)

    def _count(self, batches: "Iterable[Batch]", verb: str, options: dict[str, Any]) -> Summary:
        if self.dropped is not None:
            raise MergeError(
                f"this model cannot {verb}: it was pruned of {self.dropped.terms:,} terms with --max-terms, so its "
                "sums are no longer whole; train it again without --max-terms"
            )
        from priori.engines import count

        options.setdefault("keep_sample", self.summary.sample is not None)
        return count(iter(batches), self.analyzer, tokenizer=self._tokenizer(), **options)

    def _refuse_other(self, other: Self, verb: str) -> None:
        if self.analyzer != other.analyzer:
            mine, theirs = self.analyzer.to_json(), other.analyzer.to_json()
            names = [name for name in mine if mine[name] != theirs[name]] or ["vocabulary"]
            raise MergeError(
                f"the models cannot be {verb}: their analyzers differ in {', '.join(names)}, so their words are not "
                "the same; train both with the same settings"
            )
        if self.dropped is not None or other.dropped is not None:
            raise MergeError(
                f"the models cannot be {verb}: one was pruned with --max-terms, so its sums are no longer whole; "
                "train it again without --max-terms"
            )

    def _tokenizer(self) -> Tokenizer | None:
        if self.analyzer.tokens == "callable" and self.tokenizer is None:
            raise DataError(
                "this model was trained with a tokenizer of yours, which its file does not hold (nothing loaded is "
                "ever run); give it again: priori.load(path, tokenizer=...)"
            )
        return self.tokenizer

    # --- reading -----------------------------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> Weights:
        """The reading as numbers; an EstimateError where it does not exist."""
        return weights_of(self.counts, self.readings, self.analyzer.vocabulary)

    @cached_property
    def scorer(self) -> _core.Scorer:
        """The compiled scorer."""
        weights = self.weights
        unknown = weights.unknown_default
        return _core.Scorer.of(
            self.analyzer.native,
            weights.arrays(),
            weights.distinct,
            unknown is not None,
            0.0 if unknown is None else unknown,
            weights.reading.prior.unknown,
        )

    def log_joint(self, batch: "Batch", jobs: int = 1) -> Floats:
        """log p(x, y), (n, K): word sequences, so without multinomial coefficients; not normalised over y."""
        return self._score(batch, False, jobs)

    def posterior(self, batch: "Batch", jobs: int = 1) -> Floats:
        """p(y | x), (n, K)."""
        return self._score(batch, True, jobs)

    def log_posterior(self, batch: "Batch", jobs: int = 1) -> Floats:
        """log p(y | x), (n, K): finite where p itself is too small for a float."""
        joint = self.log_joint(batch, jobs)
        largest = joint.max(axis=1, keepdims=True)
        if not np.isfinite(largest).all():
            self.posterior(batch, jobs)  # which says what 0/0 means, and the remedy
        shifted = joint - largest
        log_posterior: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        return log_posterior

    def posterior_of_texts(self, texts: list[str], jobs: int | None = None) -> Floats:
        """p(y | x) of plain texts: the shortest way, for one message or a million."""
        tokenizer = self._tokenizer()
        if tokenizer is not None:
            from priori.text.wordlists import WordLists, tokenized

            return self._score_words(WordLists.of_lists(tokenized(texts, tokenizer)), True, 1)
        return self.scorer.score(texts, [], True, 1 if len(texts) < 4096 else threads(jobs))

    def _score(self, batch: "Batch", posterior: bool, jobs: int) -> Floats:
        from priori.text.wordlists import word_lists

        words = word_lists(batch.text, self._tokenizer())
        if words is not None:
            return self._score_words(words, posterior, jobs)
        return self.scorer.score(batch.text, self.analyzer.columns(batch.fields), posterior, jobs)

    def _score_words(self, words: "WordLists", posterior: bool, jobs: int) -> Floats:
        if words.counts is None:
            return self.scorer.score_words(words.names, words.offsets, words.indices, posterior, jobs)
        self.analyzer.refuse_counts()
        return self.scorer.score_counts(words.names, words.offsets, words.indices, words.counts, posterior, jobs)

    def encode(self, batch: "Batch") -> dict[str, Any]:
        """Documents as rows of (term, count), with how many features of each were never seen."""
        from priori.text.wordlists import word_lists

        words = word_lists(batch.text, self._tokenizer())
        if words is None:
            return self.scorer.encode(batch.text, self.analyzer.columns(batch.fields))
        if words.counts is not None:
            raise DataError("counts cannot be encoded one by one here; give texts or token lists")
        return self.scorer.encode_words(words.names, words.offsets, words.indices)

    # --- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, atomically."""
        from priori.model_file import save_model

        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> "Model":
        """Read a model file; a ModelFileError if it is damaged, foreign or newer."""
        from priori.model_file import load_model

        return replace(load_model(path), tokenizer=tokenizer)


def predictions(posterior: Floats, labels: Sequence[str]) -> list[str]:
    """The most probable label of each row; the first of equals."""
    return [labels[index] for index in posterior.argmax(axis=1).tolist()]


def _nothing_learned(summary: Summary) -> str:
    if summary.rows == 0:
        return "the data has no rows, so nothing was learned; check the file and --where"
    return f"none of the {summary.rows:,} rows has a label, so nothing was learned; name the column with --label"
