"""Hidden classes: EM and collapsed Gibbs over encoded documents, with some labels, or none, or seed words."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.latent import starts
    from priori.latent.chains import GibbsResult, gibbs_chains
    from priori.latent.checkpoint import Checkpoint
    from priori.latent.climb import Climb
    from priori.latent.clustering import Clustering, cluster
    from priori.latent.collapsed import GibbsState, annealing, gibbs
    from priori.latent.corpus import Corpus
    from priori.latent.diagnostics import Diagnosis
    from priori.latent.evidence import LogEvidence, annealed_log_evidence, enumerated_log_evidence
    from priori.latent.expectation import Settings, State, Step, em
    from priori.latent.found import Found
    from priori.latent.hidden import Hidden
    from priori.latent.label_curves import TechniqueCurves, technique_curves
    from priori.latent.matching import matched_accuracy, normalized_mutual_information
    from priori.latent.number import NumberChoice, choose_classes
    from priori.latent.number_table import choose_table
    from priori.latent.priors import WordPrior
    from priori.latent.recipe import Recipe, class_names
    from priori.latent.rows_em import em_rows
    from priori.latent.rows_table import HiddenRows
    from priori.latent.sampling import Chains, Sampling
    from priori.latent.seeds import Seeds
    from priori.latent.tallies import Schedule
    from priori.latent.technique_models import Effort
    from priori.latent.techniques import TechniqueComparison, compare_techniques
    from priori.latent.temper import Temper
    from priori.latent.uncollapsed import uncollapsed_gibbs

__all__ = [
    "Chains",
    "Checkpoint",
    "Climb",
    "Clustering",
    "Corpus",
    "Diagnosis",
    "Effort",
    "Found",
    "GibbsResult",
    "GibbsState",
    "Hidden",
    "HiddenRows",
    "LogEvidence",
    "NumberChoice",
    "Recipe",
    "Sampling",
    "Schedule",
    "Seeds",
    "Settings",
    "State",
    "Step",
    "TechniqueComparison",
    "TechniqueCurves",
    "Temper",
    "WordPrior",
    "annealed_log_evidence",
    "annealing",
    "choose_classes",
    "choose_table",
    "class_names",
    "cluster",
    "compare_techniques",
    "em",
    "em_rows",
    "enumerated_log_evidence",
    "gibbs",
    "gibbs_chains",
    "matched_accuracy",
    "normalized_mutual_information",
    "starts",
    "technique_curves",
    "uncollapsed_gibbs",
]

# Loaded when first touched: most need scipy, and a command needs few of them.
_HOMES = {
    "chains": ("GibbsResult", "gibbs_chains"),
    "checkpoint": ("Checkpoint",),
    "climb": ("Climb",),
    "clustering": ("Clustering", "cluster"),
    "collapsed": ("GibbsState", "annealing", "gibbs"),
    "corpus": ("Corpus",),
    "diagnostics": ("Diagnosis",),
    "evidence": ("LogEvidence", "annealed_log_evidence", "enumerated_log_evidence"),
    "expectation": ("Settings", "State", "Step", "em"),
    "found": ("Found",),
    "hidden": ("Hidden",),
    "label_curves": ("TechniqueCurves", "technique_curves"),
    "matching": ("matched_accuracy", "normalized_mutual_information"),
    "number": ("NumberChoice", "choose_classes"),
    "number_table": ("choose_table",),
    "priors": ("WordPrior",),
    "recipe": ("Recipe", "class_names"),
    "rows_em": ("em_rows",),
    "rows_table": ("HiddenRows",),
    "sampling": ("Chains", "Sampling"),
    "seeds": ("Seeds",),
    "tallies": ("Schedule",),
    "technique_models": ("Effort",),
    "techniques": ("TechniqueComparison", "compare_techniques"),
    "temper": ("Temper",),
    "uncollapsed": ("uncollapsed_gibbs",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"priori.latent.{_HOME_OF[name]}"), name)
    if name == "starts":
        return import_module("priori.latent.starts")
    raise AttributeError(f"module 'priori.latent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
