"""Texts drawn from a classifier, and the language models that it is made of."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.arguments import whole_number
from priori.classifier import Model
from priori.errors import DataError
from priori.labels import from_texts, to_texts

if TYPE_CHECKING:
    from priori.language_models.speaking import OfTable


class Drawing:
    """What a text classifier draws."""

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
        from priori.text_sample import sample_texts

        model, kind = self._current(), self.model_.readings.label_type
        wanted = None if label is None else str(to_texts([label])[0][0])
        size, rng = whole_number(size, "size", 0), np.random.default_rng(random_state)
        group, texts = sample_texts(model, size, rng, wanted, temperature)
        return texts if model.analyzer.fields else texts["text"], from_texts(model.labels, kind)[group]

    def language_model(self, label: Any) -> "OfTable":
        """Of event="language": the model of one class, to score, continue and draw texts by."""
        from priori.language_models.speaking import OfTable
        from priori.language_models.table import table_of

        model, name = self._current(), str(to_texts([label])[0][0])
        event = model.plain_readings.event
        if event != "language":
            raise DataError(f"event={event!r} has no language models; train with event='language'")
        if name not in model.labels:
            raise DataError(f"there is no class {name!r}; the model's are {', '.join(model.labels)}")
        return OfTable(table_of(model, model.labels.index(name)), self.tokenizer, self.n_jobs)
