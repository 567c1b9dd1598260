"""An estimator of texts judged by texts that it has learned: each left out, or fold by fold."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError
from priori.leave_one_out import encoded, leave_one_out
from priori.left_out import Documents
from priori.select.folds import folds as dealt
from priori.sources import Batch
from priori.threads import threads

Floats = npt.NDArray[np.float64]
Vocabulary = Literal["refit", "fixed"]


class LeavingOut:
    """log p(y | x) of learned texts, by subtraction."""

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
