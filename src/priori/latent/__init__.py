"""Hidden classes: EM and collapsed Gibbs over encoded documents, with some labels, or none, or seed words."""

from importlib import import_module
from typing import Any

_HOMES = {
    "Checkpoint": "checkpoint",
    "Climb": "climb",
    "Clustering": "clustering",
    "Corpus": "corpus",
    "Diagnosis": "diagnostics",
    "Effort": "technique_models",
    "Found": "found",
    "GibbsResult": "chains",
    "GibbsState": "collapsed",
    "Hidden": "hidden",
    "HiddenRows": "rows_table",
    "LogEvidence": "evidence",
    "NumberChoice": "number",
    "Recipe": "recipe",
    "Sampling": "sampling",
    "Schedule": "tallies",
    "Seeds": "seeds",
    "Settings": "expectation",
    "State": "expectation",
    "Step": "expectation",
    "TechniqueComparison": "techniques",
    "TechniqueCurves": "label_curves",
    "Temper": "temper",
    "WordPrior": "priors",
    "annealed_log_evidence": "evidence",
    "annealing": "collapsed",
    "choose_classes": "number",
    "choose_table": "number_table",
    "class_names": "recipe",
    "cluster": "clustering",
    "compare_techniques": "techniques",
    "em": "expectation",
    "em_rows": "rows_em",
    "enumerated_log_evidence": "evidence",
    "fit_rows": "rows_fit",
    "gibbs": "collapsed",
    "gibbs_chains": "chains",
    "matched_accuracy": "matching",
    "normalized_mutual_information": "matching",
    "technique_curves": "label_curves",
    "uncollapsed_gibbs": "uncollapsed",
}
_MODULES = ("starts",)


def __getattr__(name: str) -> Any:  # loaded when first touched
    if name in _HOMES:
        return getattr(import_module(f"priori.latent.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"priori.latent.{name}")
    raise AttributeError(f"module 'priori.latent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_MODULES})
