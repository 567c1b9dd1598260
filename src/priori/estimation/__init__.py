"""One distribution or regression at a time, by maximum likelihood, MAP and Bayes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.estimation.automatic import auto
    from priori.estimation.comparison import Comparison, compare
    from priori.estimation.distribution import Absent, Estimate, Parameter, estimate
    from priori.estimation.regression import regress
    from priori.estimation.regression_comparison import RegressionComparison, compare_regressions

__all__ = [
    "Absent",
    "Comparison",
    "Estimate",
    "Parameter",
    "RegressionComparison",
    "auto",
    "compare",
    "compare_regressions",
    "estimate",
    "regress",
]

# Loaded when first touched: most need scipy.
_HOMES = {
    "Absent": "distribution",
    "Comparison": "comparison",
    "Estimate": "distribution",
    "Parameter": "distribution",
    "RegressionComparison": "regression_comparison",
    "auto": "automatic",
    "compare": "comparison",
    "compare_regressions": "regression_comparison",
    "estimate": "distribution",
    "regress": "regression",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.estimation.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.estimation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
