"""Priori learns to classify by counting.

>>> import priori
>>> model = priori.TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
>>> model.predict(["free lunch entry"]).tolist()
['spam']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori._version import __version__

if TYPE_CHECKING:
    from priori.columns.words.readings import Prior
    from priori.decisions.decide import Decisions, decide
    from priori.decisions.losses import Loss
    from priori.decisions.measures import Evaluation
    from priori.estimation.comparison import Comparison, compare
    from priori.estimation.distribution import Estimate, estimate
    from priori.estimation.regression import regress
    from priori.estimation.regression_comparison import RegressionComparison, compare_regressions
    from priori.estimators.gaussian_discriminant import GaussianDiscriminant
    from priori.estimators.language_model import LanguageModel
    from priori.estimators.learner_comparison import compare_learners
    from priori.estimators.loading import load
    from priori.estimators.naive_bayes import NaiveBayes
    from priori.estimators.query_likelihood import QueryLikelihood
    from priori.estimators.text_classifier import TextClassifier
    from priori.families.bayes_rule import Bayes, BayesTable, bayes
    from priori.select.learning_curves import LearnerComparison
    from priori.select.search import select_model
    from priori.select.selection_result import Selection
    from priori.text import Analyzer

__all__ = [
    "Analyzer",
    "Bayes",
    "BayesTable",
    "Comparison",
    "Decisions",
    "Estimate",
    "Evaluation",
    "GaussianDiscriminant",
    "LanguageModel",
    "LearnerComparison",
    "Loss",
    "NaiveBayes",
    "Prior",
    "QueryLikelihood",
    "RegressionComparison",
    "Selection",
    "TextClassifier",
    "__version__",
    "bayes",
    "compare",
    "compare_learners",
    "compare_regressions",
    "decide",
    "errors",
    "estimate",
    "load",
    "regress",
    "select_model",
]

# Loaded when first touched: `import priori` must cost no more than numpy.
_HOMES = {
    "Analyzer": "priori.text",
    "Bayes": "priori.families.bayes_rule",
    "BayesTable": "priori.families.bayes_rule",
    "Comparison": "priori.estimation.comparison",
    "Decisions": "priori.decisions.decide",
    "Estimate": "priori.estimation.distribution",
    "Evaluation": "priori.decisions.measures",
    "GaussianDiscriminant": "priori.estimators.gaussian_discriminant",
    "LanguageModel": "priori.estimators.language_model",
    "NaiveBayes": "priori.estimators.naive_bayes",
    "LearnerComparison": "priori.select.learning_curves",
    "Loss": "priori.decisions.losses",
    "Prior": "priori.columns.words.readings",
    "QueryLikelihood": "priori.estimators.query_likelihood",
    "RegressionComparison": "priori.estimation.regression_comparison",
    "Selection": "priori.select.selection_result",
    "TextClassifier": "priori.estimators.text_classifier",
    "bayes": "priori.families.bayes_rule",
    "compare": "priori.estimation.comparison",
    "compare_learners": "priori.estimators.learner_comparison",
    "compare_regressions": "priori.estimation.regression_comparison",
    "decide": "priori.decisions.decide",
    "estimate": "priori.estimation.distribution",
    "load": "priori.estimators.loading",
    "regress": "priori.estimation.regression",
    "select_model": "priori.select.search",
}
_MODULES = (
    "columns", "data", "decisions", "errors", "estimation", "estimators", "families", "language", "latent", "model",
    "plots", "report", "select", "statistics", "store", "text",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"priori.{name}")
    raise AttributeError(f"module 'priori' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
