"""Choosing: terms that tell classes apart, models and families by what they have not seen, methods of the lecture."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori.columns.words.term_ranking import (
    Term,
    chi_square,
    frequent_words,
    log_odds,
    mutual_information,
    rank,
    word_information,
)
from priori.columns.words.term_selection import RANKINGS
from priori.data.folds import folds, labelled_folds

if TYPE_CHECKING:
    from priori.estimation.leave_one_out import LeftOut, k_fold, leave_one_out
    from priori.select.dependence import Dependence, WordPair, dependent_pairs
    from priori.select.method_comparison import TechniqueComparison, compare_techniques
    from priori.select.method_curves import TechniqueCurves, technique_curves
    from priori.select.methods import Effort

__all__ = [
    "RANKINGS",
    "Dependence",
    "Effort",
    "LeftOut",
    "TechniqueComparison",
    "TechniqueCurves",
    "Term",
    "WordPair",
    "chi_square",
    "compare_techniques",
    "dependent_pairs",
    "folds",
    "frequent_words",
    "k_fold",
    "labelled_folds",
    "leave_one_out",
    "log_odds",
    "mutual_information",
    "rank",
    "technique_curves",
    "word_information",
]

# Loaded when first touched: they need scipy or a model, which ranking terms does not.
_HOMES = {
    "estimation.leave_one_out": ("LeftOut", "k_fold", "leave_one_out"),
    "select.dependence": ("Dependence", "WordPair", "dependent_pairs"),
    "select.method_comparison": ("TechniqueComparison", "compare_techniques"),
    "select.method_curves": ("TechniqueCurves", "technique_curves"),
    "select.methods": ("Effort",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"priori.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'priori.select' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
