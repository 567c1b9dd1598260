"""Models as scikit-learn's users hold them: X and y as they bring them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.estimators.collection import Collection
    from priori.estimators.gaussian_discriminant import GaussianDiscriminant
    from priori.estimators.language_model import LanguageModel
    from priori.estimators.learner_comparison import compare_learners, compare_simulated
    from priori.estimators.loading import load
    from priori.estimators.naive_bayes import NaiveBayes
    from priori.estimators.query_likelihood import QueryLikelihood
    from priori.estimators.text_classifier import TextClassifier

__all__ = [
    "Collection",
    "GaussianDiscriminant",
    "LanguageModel",
    "NaiveBayes",
    "QueryLikelihood",
    "TextClassifier",
    "compare_learners",
    "compare_simulated",
    "load",
]

# Loaded when first touched: scikit-learn is slow to import.
_HOMES = {
    "Collection": "collection",
    "GaussianDiscriminant": "gaussian_discriminant",
    "LanguageModel": "language_model",
    "NaiveBayes": "naive_bayes",
    "QueryLikelihood": "query_likelihood",
    "TextClassifier": "text_classifier",
    "compare_learners": "learner_comparison",
    "compare_simulated": "learner_comparison",
    "load": "loading",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.estimators.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.estimators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
