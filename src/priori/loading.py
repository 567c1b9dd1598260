"""Any model file as the estimator it was saved from."""

import os
from collections.abc import Callable, Iterable

from priori import store
from priori.classifier import Model
from priori.errors import DataError
from priori.sklearn import TextClassifier, text_classifier
from priori.table_classifier import TableModel
from priori.tabular import GaussianDiscriminant, NaiveBayes, table_estimator


def load(
    path: str | os.PathLike[str], tokenizer: Callable[[str], Iterable[str]] | None = None
) -> TextClassifier | NaiveBayes | GaussianDiscriminant:
    """A classifier from its file, of texts or of tables, as the file says.

    Nothing in the file is ever run: give the tokenizer again if it was your function.
    """
    if "table" not in store.names(path):
        return text_classifier(Model.load(path, tokenizer))
    if tokenizer is not None:
        raise DataError(f"{path} holds a model of a table, which has no tokenizer; leave it out")
    return table_estimator(TableModel.load(path))
