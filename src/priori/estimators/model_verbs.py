"""Base classes for what estimators do with a learned model.

Estimators of texts and of tables save and show it, evaluate it on what it keeps, decide, and watch for drift. Those of
texts also leave learned texts out, and draw new ones.
"""

import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.grouped_rows import Documents
from priori.data.batch import Batch
from priori.data.folds import folds as dealt
from priori.data.labels import from_texts, to_texts
from priori.decisions.decide import Decisions, Rule
from priori.decisions.measures import Evaluation
from priori.errors import DataError
from priori.model.classifier import Model
from priori.model.decision_rule import AnyModel, Wanted, policy_of
from priori.model.drift import Drift, drift
from priori.model.evaluation import kept_of
from priori.model.leave_one_out import encoded, leave_one_out
from priori.threads import threads
from priori.validation import whole_number

if TYPE_CHECKING:
    from priori.language.scoring import OfTable

Floats = npt.NDArray[np.float64]
Vocabulary = Literal["refit", "fixed"]

# --- estimators of texts and of tables --------------------------------------------------------------------------------


class Estimating:
    """An estimator around one immutable model: save and show it, evaluate it on what it keeps, warn if it is stale."""

    model_: Any
    n_jobs: int | None

    @abstractmethod
    def _current(self) -> AnyModel: ...

    @abstractmethod
    def _learned(self) -> str:
        """How much was learned, in a few words."""

    @abstractmethod
    def _outdated(self) -> str | None:
        """What was fitted before, on what is kept no more, and what helps; None if nothing."""

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained, checked file; `priori.load` reads it."""
        self._current().save(path)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        settings: str = super().__repr__(N_CHAR_MAX)  # type: ignore[call-arg]  # scikit-learn's
        return f"<{settings}: {self._learned()}>" if hasattr(self, "model_") else settings

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _warn_if_stale(self) -> None:
        """Tell the caller of the caller what a model without documents or rows cannot do by itself."""
        outdated = self._outdated()
        if outdated is not None:
            warnings.warn(outdated, UserWarning, stacklevel=3)

    def _kept_evaluation(self) -> Evaluation:
        """Measured on what the model keeps, each left out."""
        return kept_of(self._current(), threads(self.n_jobs)).evaluation()


def given(X: Any, y: Any, **others: Any) -> bool:
    """Whether there is data to look at; False: none, and what the model keeps is meant."""
    if X is None and y is None:
        for name, value in others.items():
            if value is not None and value is not False:
                raise DataError(f"{name}= is about X and y, and they are not given; give them, or leave it away")
        return False
    if X is None or y is None:
        raise DataError(f"{'X' if X is None else 'y'} is None; give X and y, or neither: then what the model keeps")
    return True


class _Estimator(Protocol):
    classes_: npt.NDArray[Any]
    n_jobs: int | None

    def predict_proba(self, X: Any) -> Floats: ...

    def _current(self) -> AnyModel: ...

    def _batches(self, X: Any) -> Iterator[Any]: ...


class Deciding:
    """An estimator that decides, and that is watched in use."""

    def decide(
        self: _Estimator,
        X: Any,
        *,
        loss: Any = None,
        reject: float | None = None,
        max_false_positive: float | Mapping[Any, float] | None = None,
        min_precision: float | Mapping[Any, float] | None = None,
        positive: Any = None,
        confidence: float | None = 0.95,
        class_prior: Any = None,
        rule: Rule = "bayes",
    ) -> Decisions:
        """What to do with each of X: the action of least expected loss, under promises that are kept.

        loss:       {decision: {truth: cost}}, a matrix in the order of `classes_`, a `priori.Loss`; None: the 0/1 loss,
                    or the `cost` of a model of tables.
        reject:     the cost of refusing an answer: a further action of that name.
        max_false_positive: at most this share of what is not `positive` is called so, with `confidence`; {label: share}
                    for several classes. The threshold is read off the documents that the model keeps, each left out
                    with its copies (of a table: the kept rows); at or below it the best of the other actions is taken.
        min_precision: at least this share of what is called `positive` is, with `confidence`.
        positive:   the class of these promises; classes_[1] of two, and to be named of more.
        confidence: over samples of documents to read the threshold off; None: the rate on average over them.
        class_prior: that of the place of use: {label: p}, "uniform", or "estimate": by EM from X, of 30 or more.
        rule:       "bayes"; "map": the 0/1 loss; "ml": the 0/1 loss under equal class priors.

        >>> from priori import TextClassifier
        >>> model = TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
        >>> model.decide(["free entry", "free lunch"], reject=0.2).actions.tolist()
        ['spam', 'reject']
        """
        posterior = self.predict_proba(X)  # first, since it is what finds out that nothing was fitted
        if loss is None and rule == "bayes":
            loss = getattr(self, "cost", None)
        wanted = Wanted(loss, reject, max_false_positive, min_precision, positive, confidence, class_prior, rule)
        policy = policy_of(self._current(), wanted, self.classes_)
        return (policy.estimated(posterior) if wanted.estimates else policy).decisions(posterior)

    def drift(self: _Estimator, X: Any) -> Drift:
        """How unlabelled X differs from what was learned: unknown words, the class mix, the accuracy to expect.

        >>> from priori import TextClassifier
        >>> model = TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
        >>> model.drift(["free tickets now", "lunch now"]).unknown_share
        0.2
        """
        model = self._current()
        return drift(model, self._batches(X), jobs=self.n_jobs)


# --- estimators of texts ----------------------------------------------------------------------------------------------


class LeavingOut:
    """log p(y | x) of learned texts by subtraction: each left out, or fold by fold."""

    n_jobs: int | None
    _place: npt.NDArray[np.intp] | None

    @abstractmethod
    def _current(self) -> Model: ...

    @abstractmethod
    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Iterator[Batch], Any]: ...

    @abstractmethod
    def _placed(self, values: Floats, missing: float) -> Floats: ...

    def leave_one_out(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, vocabulary: Vocabulary = "refit"
    ) -> Floats:
        """log p(y | x) of learned texts, each as if it had never been learned: what n refits would give.

        groups: one for each text (its author, its thread), or "texts" for copies: a group is left out as a whole.
        vocabulary: "refit" lets go of words that only the text (or group) had, "fixed" keeps them. Alpha and the
        calibration stay as they are.
        """
        if vocabulary not in ("refit", "fixed"):
            raise DataError(f"vocabulary={vocabulary!r} is unknown; choose 'refit' or 'fixed'")
        documents = encoded(self._current(), self._labelled(X, y, sample_weight)[0], groups)
        return self._without(documents, vocabulary == "fixed")

    def k_fold(
        self, X: Any, y: Any, sample_weight: Any = None, *, folds: int = 10, seed: int = 0, groups: Any = None
    ) -> Floats:
        """log p(y | x) of learned texts, each as if its fold had never been learned: what k refits would give.

        Folds are those of `priori.select.folds`: dealt by the seed, labels spread evenly, no group parted ("texts":
        no copies). Alpha and the calibration stay as they are: they are not fitted again without the fold.

        >>> from priori import TextClassifier
        >>> texts, labels = ["free entry", "see you", "free lunch", "see me"], ["spam", "ham", "spam", "ham"]
        >>> model = TextClassifier(alpha=1.0, calibrate=False).fit(texts, labels)
        >>> model.k_fold(texts, labels, folds=2).argmax(axis=1).tolist()
        [1, 0, 1, 0]
        """
        documents = encoded(self._current(), self._labelled(X, y, sample_weight)[0], groups)
        together = None if groups is None else documents.block
        fold = dealt(len(documents), folds, seed, together, documents.cls)
        return self._without(documents.in_blocks(fold), False)

    def _without(self, documents: Documents, fixed: bool) -> Floats:
        log_posterior = leave_one_out(self._current(), documents, fixed, threads(self.n_jobs))
        return log_posterior if self._place is None else self._placed(log_posterior, -np.inf)


class Drawing:
    """What a text classifier draws, and the language models that it is made of."""

    model_: Model
    tokenizer: Callable[[str], Iterable[str]] | None
    n_jobs: int | None

    @abstractmethod
    def _current(self) -> Model: ...

    def sample(
        self, size: int, random_state: Any = None, label: Any = None, temperature: float = 1.0
    ) -> tuple[Any, npt.NDArray[Any]]:
        """Draw from p(y) p(x | y), or one class: texts (by name where there are fields) and labels.

        Bags of words; of language models texts, where a temperature below 1 prefers what is probable.
        """
        from priori.model.sampling import sample_texts

        model, kind = self._current(), self.model_.readings.label_type
        wanted = None if label is None else str(to_texts([label])[0][0])
        size, rng = whole_number(size, "size", 0), np.random.default_rng(random_state)
        group, texts = sample_texts(model, size, rng, wanted, temperature)
        return texts if model.analyzer.fields else texts["text"], from_texts(model.labels, kind)[group]

    def language_model(self, label: Any) -> "OfTable":
        """Of event="language": the model of one class, to score, continue and draw texts by."""
        from priori.language.scoring import OfTable
        from priori.model.sampling import language_table

        model, name = self._current(), str(to_texts([label])[0][0])
        event = model.plain_readings.event
        if event != "language":
            raise DataError(f"event={event!r} has no language models; train with event='language'")
        if name not in model.labels:
            raise DataError(f"there is no class {name!r}; the model's are {', '.join(model.labels)}")
        return OfTable(language_table(model, model.labels.index(name)), self.tokenizer, self.n_jobs)
