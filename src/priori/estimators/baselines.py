"""A table as the matrix that discriminative learners take: imputed, scaled, and with categories one-hot.

What is learned for it (means, scales, categories) is learned from the training rows alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.parts import names_text
from priori.tables.batch import TableBatch
from priori.tables.schema import NUMBERS, Field

Floats = npt.NDArray[np.float64]
CATEGORIES = 100  # of a column that are told apart, the most frequent ones
WORDS = 512  # hashed, of a column of texts


@dataclass(frozen=True, eq=False)
class Features:
    """The cells of a table as numbers; what they mean is still to be learned."""

    numbers: Floats  # (n, a), NaN where missing
    codes: npt.NDArray[np.int64]  # (n, b), categories, -1 where missing: a category of its own
    words: Floats  # (n, c), counts of hashed words, of length 1

    @classmethod
    def of(cls, table: TableBatch) -> "Features":
        """Every column by its type, as naive Bayes takes it: dates by year, month, weekday and hour."""
        found = [piece for field in table.schema.fields for piece in _pieces(field, table)]

        def stacked(kind: str, dtype: Any) -> npt.NDArray[Any]:
            columns = [values.reshape(len(table), -1) for name, values in found if name == kind]
            return np.hstack(columns).astype(dtype) if columns else np.zeros((len(table), 0), dtype)

        return cls(stacked("numbers", np.float64), stacked("codes", np.int64), stacked("words", np.float64))

    def take(self, rows: npt.NDArray[np.intp]) -> "Features":
        """Some rows."""
        return Features(self.numbers[rows], self.codes[rows], self.words[rows])


class Encoder:
    """Learned from training rows: the mean of each column for its holes, its scale, and the categories there are."""

    def __init__(self, train: Features) -> None:
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        self._numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        self._codes = OneHotEncoder(max_categories=CATEGORIES, handle_unknown="ignore", sparse_output=False)
        if train.numbers.shape[1]:
            self._numbers.fit(train.numbers)
        if train.codes.shape[1]:
            self._codes.fit(train.codes)

    def matrix(self, features: Features) -> Floats:
        """The rows as numbers; categories that were not in training have no column, so that all theirs are 0."""
        parts = [features.words]
        if features.numbers.shape[1]:
            parts.append(self._numbers.transform(features.numbers))
        if features.codes.shape[1]:
            parts.append(self._codes.transform(features.codes))
        return np.hstack(parts)


def _pieces(field: Field, table: TableBatch) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    if field.type in NUMBERS:
        yield "numbers", table.numbers(field.name)
    elif field.type in ("date", "time"):
        dates = table.dates(field.name)
        yield "numbers", dates.year
        yield from (("codes", part) for part in (dates.month, dates.weekday, dates.hour) if part is not None)
    elif field.type == "string" and names_text(field.name):
        yield "words", _hashed(table.texts(field.name).to_pylist())
    elif field.type != "null":
        yield "codes", table.codes(field.name)[0]


def _hashed(texts: list[str | None]) -> Floats:
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=WORDS, alternate_sign=False)
    found: Floats = words.transform([text or "" for text in texts]).toarray()
    return found
