"""What can be said for a number of classes: AIC, BIC, evidence, held-out likelihood, stability.

Formulas and what each tends to do with texts: docs/maths/number_of_classes.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from priori.columns.words.em import HiddenEvent
from priori.data.folds import folds
from priori.decisions.clustering_measures import normalized_mutual_information
from priori.errors import DataError
from priori.latent.annealed_evidence import LogEvidence, annealed_log_evidence, powers
from priori.latent.corpus import Corpus, Floats, Int32s, same_documents
from priori.latent.em_algorithm.iteration import Settings, State, Temper
from priori.latent.em_algorithm.restarts import Climb, Standing, Summit
from priori.latent.seed_words import Seeds
from priori.latent.settings import Recipe

EvidenceKind = Literal["annealed", "complete"]
MOST_VISITS = 5e7  # of entries of documents times classes that annealing may make: seconds
RUNS, FEWEST_STEPS, MOST_STEPS = 20, 200, 2000


@dataclass(frozen=True)
class Evidences:
    """The logarithm of the evidence of several mixtures, all had in one way; None where there is none."""

    kind: EvidenceKind | None
    values: tuple[float | None, ...]
    errors: tuple[float | None, ...]  # standard errors of annealed ones


@dataclass(frozen=True, eq=False)
class Mixing:
    """Documents, what a mixture of K classes is to ascend on them, and from how many starts."""

    corpus: Corpus
    settings: Settings
    recipe: Recipe
    seeds: Seeds | None
    seed: int
    jobs: int | None

    def summit(self) -> Summit:
        """The highest of all starts."""
        climb = Climb(self.corpus, self.settings, self.recipe, seed=self.seed, seeds=self.seeds, jobs=self.jobs)
        for _ in climb:
            pass
        return climb.summit()

    def of(self, rows: npt.NDArray[np.intp], seed: int, restarts: int) -> "Mixing":
        """Some of the documents, from fewer starts."""
        recipe = replace(self.recipe, restarts=min(restarts, self.recipe.restarts))
        return replace(self, corpus=self.corpus.rows(rows), recipe=recipe, seed=seed)

    def untempered(self, shares: Floats, *, smoothed: bool) -> tuple[State, float]:
        """Where EM ends that goes on from a fit without its temper; smoothed: with its prior too.

        Gives its parameters and the plain log-likelihood there.
        """
        estimate = self.settings.estimate if smoothed else "ml"
        plain = replace(self.settings, temper=Temper(), estimate=estimate)
        once = replace(self.recipe, restarts=1, anneal=0)
        begun = Standing(1, 0, (), shares, -np.inf, 0, None)
        climb = Climb(self.corpus, plain, once, seed=self.seed, jobs=self.jobs, standing=begun)
        *_, last = climb
        return State(self.corpus, plain, climb.summit().shares, self.jobs), last.step.log_likelihood


def free_parameters(components: int, terms: int, event: HiddenEvent = "multinomial") -> int:
    """(K - 1) + K (V - 1) of a multinomial mixture, (K - 1) + K V of a Bernoulli one."""
    return components - 1 + components * (terms if event == "bernoulli" else terms - 1)


def aic(log_likelihood: float, parameters: int) -> float:
    """2 |θ| - 2 log p(D | θ_ML): smaller is better."""
    return 2 * parameters - 2 * log_likelihood


def bic(log_likelihood: float, parameters: int, documents: float) -> float:
    """|θ| log n - 2 log p(D | θ_ML), n documents: smaller is better."""
    return parameters * math.log(documents) - 2 * log_likelihood


def complete_log_evidence(corpus: Corpus, labels: Int32s, settings: Settings) -> float:
    """log p(D, L): one labeling instead of all, so less than log p(D). Words are sequences, or there or not."""
    classes = settings.size
    alpha = settings.words.dense(classes, corpus.terms)  # (V, K)
    documents: Floats = np.bincount(labels, corpus.weight, classes).astype(np.float64)
    row = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    counts = np.zeros((corpus.terms, classes))
    np.add.at(counts, (corpus.term, labels[row]), corpus.count * corpus.weight[row])
    imagined = np.full(classes, settings.documents)
    log_classes = _log_dirichlet_multinomial(documents[:, None], imagined[:, None])
    if settings.event == "bernoulli":
        absent, other = documents - counts, np.full_like(alpha, settings.words.alpha)
        words = gammaln(counts + alpha) + gammaln(absent + other) - gammaln(documents + alpha + other)
        words -= gammaln(alpha) + gammaln(other) - gammaln(alpha + other)
        return float(log_classes.sum() + words.sum())
    return float(log_classes.sum() + _log_dirichlet_multinomial(counts, alpha).sum())


def _log_dirichlet_multinomial(counts: Floats, alpha: Floats) -> Floats:
    """(columns,): log of the probability of a sequence with these counts, its parameters integrated out."""
    each = gammaln(counts + alpha) - gammaln(alpha)
    total: Floats = each.sum(axis=0) + gammaln(alpha.sum(axis=0)) - gammaln((counts + alpha).sum(axis=0))
    return total


def log_evidences(mixings: Sequence[Mixing], shares: Sequence[Floats]) -> Evidences:
    """log p(D) of each mixture by annealing, where that takes seconds and its runs agree; else log p(D, L) of each.

    All rows have the same kind, or they could not be compared.
    """
    largest = mixings[-1]
    if not has_evidence(largest.settings):
        return Evidences(None, (None,) * len(mixings), (None,) * len(mixings))
    steps = int(MOST_VISITS / (RUNS * max(1, len(largest.corpus.term)) * largest.settings.size))
    if steps >= FEWEST_STEPS and _samplable(largest):
        annealed = _all_annealed(mixings, min(steps, MOST_STEPS))
        if annealed is not None:
            errors = tuple(one.standard_error for one in annealed)
            return Evidences("annealed", tuple(one.value for one in annealed), errors)
    complete = [
        complete_log_evidence(mixing.corpus, share.argmax(axis=1).astype(np.int32), mixing.settings)
        for mixing, share in zip(mixings, shares, strict=True)
    ]
    return Evidences("complete", tuple(complete), (None,) * len(mixings))


def has_evidence(settings: Settings) -> bool:
    """Whether there is a prior to integrate over."""
    return settings.estimate != "ml" and settings.words.alpha > 0 and settings.documents > 0


def _samplable(mixing: Mixing) -> bool:
    settings = mixing.settings
    alike = bool((mixing.corpus.weight == 1).all())
    return settings.event == "multinomial" and settings.components == 1 and alike


def _all_annealed(mixings: Sequence[Mixing], steps: int) -> list[LogEvidence] | None:
    """None as soon as the runs of one do not agree: the most classes are tried first, for there they do so least."""
    found = []
    for mixing in reversed(mixings):
        found.append(_annealed(mixing, steps))
        if not found[-1].agree:  # a run or two make up the mean, which is then far too low
            return None
    return found[::-1]


def _annealed(mixing: Mixing, steps: int) -> LogEvidence:
    settings = mixing.settings
    return annealed_log_evidence(
        mixing.corpus,
        settings.size,
        prior=settings.words,
        class_prior=settings.documents,
        seed=mixing.seed,
        runs=RUNS,
        schedule=powers(steps),
        jobs=mixing.jobs,
    )


def held_out_per_word(mixing: Mixing, parts: int = 5, restarts: int = 5) -> float:
    """log p of held-out documents per word, nats: learned on the other folds, untempered, with the prior."""
    corpus = mixing.corpus
    group = same_documents(corpus)
    dealt = folds(len(corpus), min(parts, len(np.unique(group))), mixing.seed, groups=group)
    total = 0.0
    for part in range(int(dealt.max()) + 1):
        learning = mixing.of(np.flatnonzero(dealt != part), mixing.seed + part, restarts)
        state, _ = learning.untempered(learning.summit().shares, smoothed=True)
        out = corpus.rows(np.flatnonzero(dealt == part))
        joint = _log_joint(state, out)
        total += float((out.weight * logsumexp(joint, axis=1)).sum())
    return total / float((corpus.weight * corpus.length).sum())


def stability(mixing: Mixing, splits: int = 5, restarts: int = 5) -> float:
    """Mean NMI of what two halves make of all documents: how far the classes are there, whoever looks."""
    corpus = mixing.corpus
    group = same_documents(corpus)
    found = []
    for split in range(splits):
        dealt = folds(len(corpus), 2, mixing.seed + split, groups=group)
        labels = [_labels_by(mixing.of(np.flatnonzero(dealt == half), mixing.seed + split, restarts), corpus)
                  for half in (0, 1)]  # fmt: skip
        found.append(normalized_mutual_information(*labels))
    return float(np.mean(found))


def _labels_by(learning: Mixing, corpus: Corpus) -> npt.NDArray[np.intp]:
    """The class of every document by what some of them say."""
    state = State(learning.corpus, learning.settings, learning.summit().shares, learning.jobs)
    temper = learning.settings.temper.factors(corpus.length)
    scores = _log_joint(state, corpus) * temper[:, None]
    by_class = scores.reshape(len(corpus), -1, learning.settings.components)  # those of a class stand together
    return np.asarray(logsumexp(by_class, axis=2).argmax(axis=1))


def enough(corpus: Corpus, most: int) -> None:
    """Refuse a number of classes that half of the documents cannot have."""
    distinct = len(np.unique(same_documents(corpus)))
    if 2 * most > distinct:
        raise DataError(
            f"{most} classes are asked of {distinct} different documents, and half of them must be enough for "
            "that; ask for fewer"
        )


def _log_joint(state: State, corpus: Corpus) -> Floats:
    return state.mixture.log_joint(corpus.offsets, corpus.term, corpus.count, corpus.length)
