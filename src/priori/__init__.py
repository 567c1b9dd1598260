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
    from priori.decisions.decide import Decisions, decide
    from priori.decisions.evaluation import Evaluation
    from priori.decisions.losses import Loss
    from priori.estimation import Estimate, estimate
    from priori.families.discrete import Bayes, BayesTable, bayes
    from priori.language_models import LanguageModel
    from priori.learners import compare_learners
    from priori.loading import load
    from priori.readings import Prior
    from priori.regression import regress
    from priori.retrieval import QueryLikelihood
    from priori.select.compare import Comparison, compare
    from priori.select.learning_curves import LearnerComparison
    from priori.select.models import select_model
    from priori.select.regressions import RegressionComparison, compare_regressions
    from priori.select.selection import Selection
    from priori.sklearn import TextClassifier
    from priori.tabular import GaussianDiscriminant, NaiveBayes
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
    "Bayes": "priori.families.discrete",
    "BayesTable": "priori.families.discrete",
    "Comparison": "priori.select.compare",
    "Decisions": "priori.decisions.decide",
    "Estimate": "priori.estimation",
    "Evaluation": "priori.decisions.evaluation",
    "GaussianDiscriminant": "priori.tabular",
    "LanguageModel": "priori.language_models",
    "NaiveBayes": "priori.tabular",
    "LearnerComparison": "priori.select.learning_curves",
    "Loss": "priori.decisions.losses",
    "Prior": "priori.readings",
    "QueryLikelihood": "priori.retrieval",
    "RegressionComparison": "priori.select.regressions",
    "Selection": "priori.select.selection",
    "TextClassifier": "priori.sklearn",
    "bayes": "priori.families.discrete",
    "compare": "priori.select.compare",
    "compare_learners": "priori.learners",
    "compare_regressions": "priori.select.regressions",
    "decide": "priori.decisions.decide",
    "estimate": "priori.estimation",
    "load": "priori.loading",
    "regress": "priori.regression",
    "select_model": "priori.select.models",
}
_MODULES = (
    "columns", "decisions", "engines", "errors", "families", "latent", "plots", "select", "sources", "statistics",
    "store", "tables", "text",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"priori.{name}")
    raise AttributeError(f"module 'priori' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
