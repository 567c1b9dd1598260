"""Any model file as the estimator it was saved from."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from priori import store
from priori.classifier import Model
from priori.errors import DataError
from priori.language_models import LanguageModel

if TYPE_CHECKING:  # scikit-learn is loaded for what needs it, which a language model does not
    from priori.sklearn import TextClassifier
    from priori.tabular import GaussianDiscriminant, NaiveBayes


def load(
    path: str | os.PathLike[str], tokenizer: Callable[[str], Iterable[str]] | None = None
) -> "TextClassifier | NaiveBayes | GaussianDiscriminant | LanguageModel":
    """A classifier from its file, of texts or of tables, or a language model, as the file says.

    Nothing in the file is ever run: give the tokenizer again if it was your function.
    """
    if "table" not in store.names(path):
        model = Model.load(path, tokenizer)
        return LanguageModel.of_model(model) if model.is_language_model else _text_classifier(model)
    if tokenizer is not None:
        raise DataError(f"{path} holds a model of a table, which has no tokenizer; leave it out")
    from priori.table_classifier import TableModel
    from priori.tabular import table_estimator

    return table_estimator(TableModel.load(path))


def _text_classifier(model: Model) -> "TextClassifier":
    """The estimator that a loaded model belongs to."""
    from priori.sklearn import TextClassifier

    analyzer, readings = model.analyzer, model.readings
    prior = readings.prior
    classifier = TextClassifier(
        features=analyzer.features,
        ngrams=analyzer.ngrams,
        lowercase=analyzer.lowercase,
        fold_accents=analyzer.fold_accents,
        min_length=analyzer.min_length,
        binary=analyzer.binary,
        compat=analyzer.compat,
        tokenizer=model.tokenizer,
        vocabulary=analyzer.vocabulary,
        stop_words=analyzer.stop_words,
        stem=analyzer.stem,
        event=readings.event,
        estimate=readings.estimate,
        alpha=prior if prior.terms or prior.classes or prior.proportional else prior.alpha,
        class_prior=readings.class_prior,
        unknown=readings.unknown,
        smoothing=str(readings.smoothing),
        calibrate=readings.calibrate,
        select=readings.select,
        keep_sample=model.summary.sample is not None,
    )
    classifier.given_classes_ = ()
    classifier._take(replace(model))
    return classifier
