"""The estimator: texts in, an n-gram language model out, with learn, forget, + and -."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from priori import store
from priori.columns.words.language import table_alone
from priori.columns.words.readings import Prior, Readings
from priori.errors import DataError
from priori.language.ngrams import Flags
from priori.language.probabilities import at_the_ends
from priori.language.pruning import Pruned, pruned
from priori.language.scoring import Speaking, unlabelled_batches
from priori.language.smoothing import Resolved, Smoothing
from priori.language.table import LanguageWeights, NGramTable
from priori.model.classifier import Model
from priori.text import Analyzer
from priori.text.analyzer import Features

if TYPE_CHECKING:
    from priori.data.batch import Batch

LABEL = ""  # the one class of a model that tells none apart
_COUNTED = ("order", "features", "lowercase", "fold_accents", "analyzer", "tokenizer")  # which need another fit
_READ = ("smoothing", "alpha", "unknown")


@dataclass(frozen=True, eq=False)
class _Read:
    """A reading of the counts: the table, and the numbers that it was made with."""

    table: NGramTable
    resolved: Resolved
    size: int  # V: how many tokens share what is left after no history
    fallback: Flags  # (1, N) where discounts are not those of the counts


class LanguageModel(Speaking):
    """p(token | the `order` - 1 tokens before it), read off counts of n-grams of words or of characters.

    order: 1 is the categorical model of lecture 004, a bag of words; from 2 on documents begin with `<s>` and end with
        `</s>`, which is predicted too.
    smoothing: "kneser-ney" (modified), "absolute", "dirichlet", "jelinek-mercer" (these three also with a number, as in
        "dirichlet:500"), or "ml": relative frequencies. `alpha` is the imagined count of each word under Dirichlet.
    unknown: "prior" keeps a share for words never seen, `<unk>`; "ignore" passes them over.
    analyzer: what finds tokens, in place of features, lowercase and fold_accents: with stop words, say, or stems.

    >>> model = LanguageModel(order=2, smoothing="dirichlet:1").fit(["the cat sat", "the cat ran", "a dog ran"])
    >>> round(model.next("the")["cat"], 4)  # (2 + 1 · (2 + 1) / (12 + 1 · 8)) / (2 + 1)
    0.7167
    >>> round(model.perplexity(["the dog sat"]), 2)
    6.57
    """

    model_: Model

    def __init__(
        self,
        order: int = 3,
        *,
        features: Literal["words", "chars"] = "words",
        smoothing: str | Smoothing = "kneser-ney",
        alpha: float = 1.0,
        unknown: Literal["prior", "ignore"] = "prior",
        lowercase: bool = True,
        fold_accents: bool = False,
        analyzer: Analyzer | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or not 1 <= order <= 16:
            raise DataError(f"order={order!r} is no length of an n-gram; give a whole number from 1 to 16")
        if features not in ("words", "chars"):
            raise DataError(f"features={features!r} is unknown; choose words or chars")
        if tokenizer is not None and (features != "words" or not callable(tokenizer)):
            raise DataError(
                "a tokenizer is a function that finds words; leave it out, or give one and features='words'"
            )
        if analyzer is not None and not isinstance(analyzer, Analyzer):
            raise DataError(f"analyzer={analyzer!r} is none; give a priori.Analyzer")
        for name, value in (("lowercase", lowercase), ("fold_accents", fold_accents)):
            if not isinstance(value, bool):
                raise DataError(f"{name}={value!r} is neither True nor False; give one of them")
        self.order = order
        self.features = features
        self.smoothing = smoothing
        self.alpha = alpha
        self.unknown = unknown
        self.lowercase = lowercase
        self.fold_accents = fold_accents
        self.analyzer = analyzer
        self.tokenizer = tokenizer
        self.n_jobs = n_jobs
        self._readings()  # which refuses settings that are none

    # --- learning ----------------------------------------------------------------------------------------------------

    def fit(self, texts: Any) -> Self:
        """Count the n-grams of texts, from nothing."""
        return self.fit_batches(unlabelled_batches(texts))

    def fit_batches(self, batches: "Iterable[Batch]", **options: Any) -> Self:
        """The same from what `priori.data.read` yields. Options are those of `priori.model.learning.count`."""
        options = {"tokenizer": self.tokenizer, "keep_sample": False, "jobs": self.n_jobs} | options
        self._take(Model.train(map(as_one_class, batches), self._analyzer(), self._readings(), **options))
        return self

    def learn(self, texts: Any) -> Self:
        """Count those of more texts."""
        self._take(self._learned().learn(map(as_one_class, unlabelled_batches(texts)), jobs=self.n_jobs))
        return self

    def forget(self, texts: Any) -> Self:
        """Take texts back out, exactly: as if they had never been learned."""
        smaller = self._learned().forget(map(as_one_class, unlabelled_batches(texts)), jobs=self.n_jobs)
        smaller.counts.refuse_negative()
        self._take(smaller)
        return self

    def __add__(self, other: "LanguageModel") -> "LanguageModel":
        if not isinstance(other, LanguageModel):
            return NotImplemented
        return self._with(self._learned() + other._learned())

    def __sub__(self, other: "LanguageModel") -> "LanguageModel":
        if not isinstance(other, LanguageModel):
            return NotImplemented
        return self._with(self._learned() - other._learned())

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def table(self) -> NGramTable:
        """The log-probabilities and back-offs that all is read from."""
        return self._read.table

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the counts do not say the numbers that the method asks for, so that others were used."""
        found, read = [], self._read
        fallen = (np.flatnonzero(read.fallback[0]) + 1).tolist()
        if fallen:
            orders = ", ".join(map(str, fallen))
            found.append(
                f"the n-grams of order {orders} are too few or too even to say how much to discount, so fixed "
                "discounts are used: more text may have others, and dirichlet smoothing needs none"
            )
        ends = at_the_ends(read.resolved) if Smoothing.of(self.smoothing).parameter is None else []
        if ends:
            method, orders = read.resolved.method, ", ".join(map(str, ends))
            found.append(
                f"tokens of order {orders}, left out, want their histories to say nothing, or all, so "
                f"{method} has the last number that was looked at; another can be given, as in {method}:"
                f"{10 if method == 'dirichlet' else 0.5}"
            )
        return tuple(found)

    @property
    def parameters(self) -> tuple[float, ...] | None:
        """The numbers of Dirichlet and Jelinek-Mercer by order, given or found; None of other methods."""
        resolved = self._read.resolved
        if resolved.by_order is None or resolved.method == "ml":
            return None
        first = [] if resolved.method == "jelinek-mercer" else [resolved.alpha * self._read.size]
        return tuple(first + resolved.by_order[len(first) :].tolist())

    def learned(self) -> tuple[float, float]:
        """log p of all that was learned, and how many tokens that is."""
        table, counts = self.table, self.model_.counts
        return table.learned(np.asarray(counts.pair_occurrences * counts.unit, np.float64))

    def pruned(self, min_count: int = 2, *, held_out: Any = None) -> Pruned:
        """A smaller model, without the n-grams of order 2 and more that were seen less often; it says what it lost.

        held_out: texts that were not learned, whose loss is that of new ones.
        """
        small = pruned(self.table, self.model_.counts, min_count, self.tokenizer, self.n_jobs)
        if held_out is not None:
            small.judged_on(self, list(unlabelled_batches([held_out] if isinstance(held_out, str) else held_out)))
        return small

    # --- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, atomically."""
        _ = self.table  # as it is read now
        self.model_.save(path)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], tokenizer: Callable[[str], Iterable[str]] | None = None
    ) -> "LanguageModel":
        """Read a model file; a ModelFileError if it is damaged, and a DataError if it holds something else."""
        if "table" in store.names(path):
            raise DataError(f"{path} holds a model of a table, no language model; load it with priori.load")
        model = Model.load(path, tokenizer)
        if not model.is_language_model:
            raise DataError(f"{path} holds a classifier, no language model; load it with priori.load")
        return cls.of_model(model)

    @classmethod
    def of_model(cls, model: Model) -> "LanguageModel":
        """Around what was learned."""
        analyzer, readings = model.analyzer, model.readings
        settings: dict[str, Any] = {
            "smoothing": str(readings.smoothing), "alpha": readings.prior.alpha, "unknown": readings.unknown,
            "tokenizer": model.tokenizer,
        }  # fmt: skip
        made = cls(
            analyzer.ngrams[1],
            features="words" if analyzer.features == "words" else "chars",
            lowercase=analyzer.lowercase,
            fold_accents=analyzer.fold_accents,
            **settings,
        )
        if made._analyzer() != replace(analyzer, tokens="callable" if model.tokenizer else analyzer.tokens):
            made = cls(analyzer.ngrams[1], analyzer=analyzer, **settings)
        made._take(model)
        return made

    # --- scikit-learn's way of copying and searching -----------------------------------------------------------------

    def __sklearn_clone__(self) -> Self:
        return type(self)(**self.get_params())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {name: getattr(self, name) for name in (*_COUNTED, *_READ, "n_jobs")}

    def set_params(self, **params: Any) -> Self:
        """Other settings: of smoothing they read the same counts, of what is counted they need another fit."""
        unknown = sorted(set(params) - set(self.get_params()))
        if unknown:
            raise DataError(f"there is no setting {unknown[0]!r}; choose {', '.join(self.get_params())}")
        LanguageModel(**{**self.get_params(), **params})  # refuses what is none before anything changes
        for name, value in params.items():
            setattr(self, name, value)
        return self

    # --- inside ------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_as_read", "_asked")}

    def __repr__(self) -> str:
        words = self._analyzer().features == "words"
        kind = f"{self.order}-grams of {'words' if words else 'characters'}, {self.smoothing}"
        if not hasattr(self, "model_"):
            return f"LanguageModel({kind})"
        counts = self.model_.counts
        texts = counts.class_documents.sum() * counts.unit
        return f"LanguageModel({kind}: {counts.terms:,} n-grams of {texts:,.0f} texts)"

    def _learned(self) -> Model:
        if not hasattr(self, "model_"):
            raise DataError("this language model has learned nothing yet; call fit(texts) first")
        return self.model_

    def _take(self, model: Model) -> None:
        self.model_ = model
        self._counted = tuple(getattr(self, name) for name in _COUNTED)
        self.__dict__.pop("_as_read", None)

    @property
    def _read(self) -> "_Read":
        asked = tuple(getattr(self, name) for name in (*_READ, *_COUNTED))
        if self.__dict__.get("_asked") != asked:  # an attribute was set: another reading of the same counts
            model, reading = self._learned(), self._readings()
            for name, was in zip(_COUNTED, self._counted, strict=True):
                if getattr(self, name) != was:
                    raise DataError(f"{name} was changed from {was!r}, which what was counted cannot follow; call fit")
            if model.readings != reading:
                self._take(model.read_as(reading))
            self._asked = asked
        return self._as_read

    @cached_property
    def _as_read(self) -> "_Read":
        if not self.model_.counts.labels:
            raise DataError("nothing is left of what this language model has learned; learn some texts")
        table, language = self._alone()  # subtle: what else was read takes much room, and goes here
        return _Read(table, language.resolved, language.size, language.fallback)

    def _alone(self) -> tuple[NGramTable, LanguageWeights]:
        model = self.model_
        return table_alone(model.counts, model.analyzer, model.plain_readings)

    def _with(self, model: Model) -> "LanguageModel":
        other = self.of_model(model)
        other.n_jobs = self.n_jobs
        return other

    def _analyzer(self) -> Analyzer:
        given = self.analyzer
        if given is None:
            features: Features = "words" if self.features == "words" else "chars_across"
            given = Analyzer(features=features, lowercase=self.lowercase, fold_accents=self.fold_accents)
        if self.tokenizer is not None:
            given = replace(given, tokens="callable")
        return given.of_language(int(self.order))

    def _readings(self) -> Readings:
        if not isinstance(self.alpha, float | int | np.integer | np.floating) or isinstance(self.alpha, bool):
            raise DataError(f"alpha={self.alpha!r} is no imagined count; give a number from 0, such as 1")
        return Readings(
            event="language",
            prior=Prior(self.alpha),
            unknown=self.unknown,
            calibrate=False,
            smoothing=Smoothing.of(self.smoothing),
        )


def as_one_class(batch: "Batch") -> "Batch":
    """A batch whose documents are all of the one class, whatever their labels."""
    import pyarrow as pa

    return replace(batch, label=pa.repeat(LABEL, len(batch)))
