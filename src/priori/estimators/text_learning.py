"""How estimators of texts learn: one immutable model, replaced when they learn, forget, merge or recalibrate."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

from priori.data.batch import Batch
from priori.estimators.model_verbs import Estimating, given
from priori.model.classifier import Model
from priori.model.fitting.parameters import Fitted
from priori.model.fitting.refit import recalibrated, recalibrated_on


class Learning(Estimating):
    """How an estimator of texts changes what it has learned: learn, forget, + and -, and recalibrate."""

    model_: Model
    given_classes_: tuple[str, ...]  # named to partial_fit, perhaps not yet seen

    @abstractmethod
    def _current(self) -> Model: ...

    @abstractmethod
    def _take(self, model: Model) -> None: ...

    @abstractmethod
    def _with(self, model: Model) -> Self: ...

    @abstractmethod
    def _changing(self, X: Any, y: Any, sample_weight: Any) -> tuple[Model, Iterator[Batch], dict[str, Any]]: ...

    @property
    def fitted_(self) -> Fitted | None:
        """What was left to the documents (alpha, calibration), fitted when first asked for; None if nothing was."""
        return self._current().fitted

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to what was learned."""
        model, batches, options = self._changing(X, y, sample_weight)
        self._take(model.learn(batches, **options))
        self._warn_if_stale()
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take documents back out, exactly: as if they had never been learned."""
        model, batches, options = self._changing(X, y, sample_weight)
        smaller = model.forget(batches, **options)
        smaller.counts.refuse_negative()
        self._take(smaller)
        self._warn_if_stale()
        return self

    def __add__(self, other: Self) -> Self:
        both = self._with(self._current() + other._current())
        both.given_classes_ = tuple(sorted({*self.given_classes_, *other.given_classes_}))
        both._take(both.model_)
        both._warn_if_stale()
        return both

    def __sub__(self, other: Self) -> Self:
        less = self._with(self._current() - other._current())
        less._warn_if_stale()
        return less

    def recalibrate(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, held_out: bool = False) -> Self:
        """Fit alpha and the calibration again, where they are left to documents: on learned ones, each left out.

        Without X and y on the documents that the model keeps, as it does by itself whenever it learns or forgets.
        held_out: the documents were not learned, and are scored as they are.
        """
        if not given(X, y, sample_weight=sample_weight, held_out=held_out):
            self._take(recalibrated(self._current()))
            return self
        model, batches, options = self._changing(X, y, sample_weight)
        self._take(recalibrated_on(model, batches, held_out, **options))
        return self

    def _outdated(self) -> str | None:
        if self.model_.stored is None or not self.model_.stored.stale:
            return None
        if self.model_.summary.hidden:
            return (
                "the model has learned from texts without a label and keeps none, so its alpha and calibration are "
                "those of before; recalibrate it with labelled texts that it has not learned (held_out=True)"
            )
        return (
            "the model keeps no documents, so its alpha and calibration are those of before; fit it with "
            "keep_sample=True, or recalibrate it with documents"
        )
