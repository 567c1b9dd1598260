"""What every estimator does with its model: save and show it, judge it by what it keeps, tell if it is out of date."""

import os
import warnings
from abc import abstractmethod
from typing import Any

from priori.decisions.evaluation import Evaluation
from priori.errors import DataError
from priori.kept import kept_of
from priori.operating import AnyModel
from priori.threads import threads


class Estimating:
    """An estimator around one immutable model."""

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
