"""Hidden classes: EM and collapsed Gibbs over encoded documents, with some labels, or none, or seed words."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.columns.words.em import WordPrior
    from priori.decisions.clustering_measures import matched_accuracy, normalized_mutual_information
    from priori.latent import starts
    from priori.latent.annealed_evidence import LogEvidence, annealed_log_evidence, enumerated_log_evidence
    from priori.latent.checkpoint import Checkpoint
    from priori.latent.class_number import NumberChoice, choose_classes, choose_table
    from priori.latent.corpus import Corpus
    from priori.latent.em_algorithm.iteration import Settings, State, Step, Temper, em
    from priori.latent.em_algorithm.restarts import Climb
    from priori.latent.em_algorithm.row_iteration import em_rows
    from priori.latent.em_algorithm.run import Clustering, cluster
    from priori.latent.gibbs_sampling.chains import GibbsResult, gibbs_chains
    from priori.latent.gibbs_sampling.diagnostics import Diagnosis
    from priori.latent.gibbs_sampling.parallel_chains import Schedule
    from priori.latent.gibbs_sampling.run import Chains, Sampling
    from priori.latent.gibbs_sampling.sampler import GibbsState, annealing, gibbs, uncollapsed_gibbs
    from priori.latent.gibbs_sampling.setup import Hidden
    from priori.latent.result import Found
    from priori.latent.rows import HiddenRows
    from priori.latent.seed_words import Seeds
    from priori.latent.settings import Recipe, class_names

__all__ = [
    "Chains",
    "Checkpoint",
    "Climb",
    "Clustering",
    "Corpus",
    "Diagnosis",
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
    "Temper",
    "WordPrior",
    "annealed_log_evidence",
    "annealing",
    "choose_classes",
    "choose_table",
    "class_names",
    "cluster",
    "em",
    "em_rows",
    "enumerated_log_evidence",
    "gibbs",
    "gibbs_chains",
    "matched_accuracy",
    "normalized_mutual_information",
    "starts",
    "uncollapsed_gibbs",
]

# Loaded when first touched: most need scipy, and a command needs few of them.
_HOMES = {
    "columns.words.em": ("WordPrior",),
    "decisions.clustering_measures": ("matched_accuracy", "normalized_mutual_information"),
    "latent.annealed_evidence": ("LogEvidence", "annealed_log_evidence", "enumerated_log_evidence"),
    "latent.checkpoint": ("Checkpoint",),
    "latent.class_number": ("NumberChoice", "choose_classes", "choose_table"),
    "latent.corpus": ("Corpus",),
    "latent.em_algorithm.iteration": ("Settings", "State", "Step", "Temper", "em"),
    "latent.em_algorithm.row_iteration": ("em_rows",),
    "latent.em_algorithm.restarts": ("Climb",),
    "latent.em_algorithm.run": ("Clustering", "cluster"),
    "latent.gibbs_sampling.chains": ("GibbsResult", "gibbs_chains"),
    "latent.gibbs_sampling.diagnostics": ("Diagnosis",),
    "latent.gibbs_sampling.parallel_chains": ("Schedule",),
    "latent.gibbs_sampling.run": ("Chains", "Sampling"),
    "latent.gibbs_sampling.sampler": ("GibbsState", "annealing", "gibbs", "uncollapsed_gibbs"),
    "latent.gibbs_sampling.setup": ("Hidden",),
    "latent.result": ("Found",),
    "latent.rows": ("HiddenRows",),
    "latent.seed_words": ("Seeds",),
    "latent.settings": ("Recipe", "class_names"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"priori.{_HOME_OF[name]}"), name)
    if name == "starts":
        return import_module("priori.latent.starts")
    raise AttributeError(f"module 'priori.latent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
