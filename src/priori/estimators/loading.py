"""Any model file as the estimator it was saved from."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from priori import store
from priori.errors import DataError
from priori.estimators.language_model import LanguageModel
from priori.model.classifier import Model

if TYPE_CHECKING:  # scikit-learn is loaded for what needs it, which a language model does not
    from priori.columns.specification import Columns
    from priori.estimators.gaussian_discriminant import GaussianDiscriminant
    from priori.estimators.naive_bayes import NaiveBayes
    from priori.estimators.text_classifier import TextClassifier
    from priori.model.table_classifier import TableModel


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

    from priori.model.table_classifier import TableModel

    return table_estimator(TableModel.load(path))


def _text_classifier(model: Model) -> "TextClassifier":
    """The estimator that a loaded model belongs to."""
    from priori.estimators.text_classifier import TextClassifier

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


def table_estimator(model: "TableModel") -> "NaiveBayes | GaussianDiscriminant":
    """The estimator that a loaded model of a table belongs to."""
    from priori.columns.joint.column import GaussianColumns
    from priori.estimators.gaussian_discriminant import GaussianDiscriminant
    from priori.estimators.naive_bayes import NaiveBayes

    readings = model.readings
    if model.kind == "gaussian_discriminant":
        family = model.parts[0].family
        if not isinstance(family, GaussianColumns):
            raise DataError(f"the model is called gaussian_discriminant, but its family is {family}; restore a copy")
        found: NaiveBayes | GaussianDiscriminant = GaussianDiscriminant(
            covariance=family.covariance,  # type: ignore[arg-type]  # refused by fit if it is none
            shrinkage=family.shrinkage,  # type: ignore[arg-type]
            estimate=readings.estimate,
            prior=family.prior,
            class_prior=readings.class_prior,
            missing=readings.missing,
        )
    else:
        found = NaiveBayes(
            columns=_columns(model),
            estimate=readings.estimate,
            alpha=readings.alpha,
            class_prior=readings.class_prior,
            unknown=readings.unknown,
            missing=readings.missing,
            temper=readings.temper,
            keep_sample=model.kept is not None,
        )
    names = model.schema.names
    found.given_classes_ = ()
    found.hidden_ = None
    found.n_features_in_ = len(names)
    places = range(len(names))
    if names not in (tuple(f"x{j}" for j in places), tuple(map(str, places))):  # as columns without names are called
        found.feature_names_in_ = np.array(names, dtype=object)
    found._take(model)
    return found


def _columns(model: "TableModel") -> "Columns":
    """What to say to NaiveBayes for the same parts."""
    from priori.columns.specification import parts_of

    if parts_of(model.schema, "auto") == model.parts:
        return "auto"
    said: dict[Any, Any] = dict.fromkeys(model.schema.names)
    for part in model.parts:
        if part.calendar in (None, "year"):
            said[part.columns[0] if len(part.columns) == 1 else part.columns] = part.family
    joined = {column for key in said if isinstance(key, tuple) for column in key}
    return {key: family for key, family in said.items() if key not in joined}
