"""log p(D), the labels of all documents summed out: exactly for a few, by annealed importance sampling for more.

AIS (Neal 2001) is a chain of bridges. It draws labels from p(L), then goes through targets p(L) p(D | L)^β with β from
0 to 1, one Gibbs sweep at each, and multiplies the ratios p(D | L)^(β' - β) at the labels it comes by. Each run's
product is an unbiased estimate of p(D) whatever the steps; its logarithm is too low on average, the less the more
steps there are.

Where labels are known, it is p(D, known labels); words are sequences (no multinomial coefficients).
"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats
from priori.latent.gibbs_sampling.sampler import spawned
from priori.latent.gibbs_sampling.setup import Hidden
from priori.threads import threads

MOST_LABELINGS = 2**18  # that are enumerated
LARGEST_SPREAD = 1.0  # nats, of the logarithms of weights whose mean can be trusted


@dataclass(frozen=True, eq=False)
class LogEvidence:
    """An estimate of log p(D) from independent runs."""

    log_weights: Floats  # (runs,) each the logarithm of an unbiased estimate of p(D)

    @property
    def value(self) -> float:
        """log of the mean over runs."""
        return float(logsumexp(self.log_weights)) - math.log(len(self.log_weights))

    @property
    def standard_error(self) -> float:
        """Of the value, by the delta method: the relative standard error of the mean over runs. inf for one run.

        It is at most 1, which it is where one run has all the weight, however wrong the value is then: it means
        something where runs `agree` only.
        """
        runs = len(self.log_weights)
        if runs == 1:
            return math.inf
        relative = np.exp(self.log_weights - self.value)
        return float(relative.std(ddof=1) / math.sqrt(runs))

    @property
    def effective_runs(self) -> float:
        """(Σ w)² / Σ w²: near 1 where one run decides, and then the standard error is not to be trusted."""
        return math.exp(2 * logsumexp(self.log_weights) - logsumexp(2 * self.log_weights))

    @property
    def spread(self) -> float:
        """The standard deviation of the logarithms of the weights, nats; inf for one run."""
        return math.inf if len(self.log_weights) == 1 else float(self.log_weights.std(ddof=1))

    @property
    def agree(self) -> bool:
        """Whether half of the runs or more make up the mean, and their logarithms are about a nat apart or less.

        For logarithms that are normal with deviation s, a share exp(-s²) of the runs is effective, and the mean lies
        s²/2 above the middle, in a tail that few runs reach where s is large.
        """
        return self.effective_runs >= len(self.log_weights) / 2 and self.spread <= LARGEST_SPREAD


def enumerated_log_evidence(
    corpus: Corpus, classes: int | None = None, *, prior: WordPrior | float, class_prior: npt.ArrayLike = 1.0
) -> float:
    """log p(D) exactly, by summing over every labeling; for a few documents only."""
    hidden = Hidden.of(corpus, classes, prior, class_prior)
    open_places = np.flatnonzero(~corpus.labelled)
    if len(open_places) * math.log2(hidden.classes) > math.log2(MOST_LABELINGS):
        raise DataError(
            f"{len(open_places)} documents in {hidden.classes} classes have more labelings than the {MOST_LABELINGS:,} "
            "that are enumerated; use annealed_log_evidence"
        )
    labels = corpus.cls.copy()
    joints = []
    for labeling in product(range(hidden.classes), repeat=len(open_places)):
        labels[open_places] = labeling
        chain = hidden.chain(labels)
        joints.append(chain.log_prior() + chain.log_likelihood())
    return float(logsumexp(joints))


def powers(steps: int, bend: float = 4.0) -> Floats:
    """0 = β_0 < ... < β_steps = 1, closer together near 0, where the labels change most: (t / steps)^bend."""
    if steps < 1:
        raise DataError("a bridge needs at least one step")
    schedule: Floats = (np.arange(steps + 1) / steps) ** bend
    return schedule


def annealed_log_evidence(
    corpus: Corpus,
    classes: int | None = None,
    *,
    prior: WordPrior | float,
    class_prior: npt.ArrayLike = 1.0,
    seed: int = 0,
    runs: int = 20,
    schedule: Sequence[float] | Floats | None = None,
    jobs: int | None = None,
) -> LogEvidence:
    """Estimate log p(D) by so many runs of annealed importance sampling over a schedule of powers (200 steps)."""
    hidden = Hidden.of(corpus, classes, prior, class_prior)
    betas = powers(200) if schedule is None else np.asarray(schedule, np.float64)
    if len(betas) < 2 or betas[0] != 0 or betas[-1] != 1 or (np.diff(betas) <= 0).any():
        raise DataError("a schedule of powers must rise from 0 to 1")
    if runs < 1:
        raise DataError("give at least one run")
    known = hidden.chain(corpus.cls).log_prior()  # log p(known labels): what the bridges begin at

    def run(seeded: np.random.SeedSequence) -> float:
        generator = np.random.Generator(np.random.PCG64(seeded))
        chain = hidden.chain(corpus.cls)
        chain.sweep(generator.random(len(corpus)), True, 0.0)  # labels from p(L | known labels), one after the other
        log_weight = known
        for low, high in pairwise(betas.tolist()):
            log_weight += (high - low) * chain.log_likelihood()
            if high < 1:
                chain.sweep(generator.random(len(corpus)), True, high)
        return float(log_weight)

    with ThreadPoolExecutor(min(threads(jobs), runs)) as pool:
        return LogEvidence(np.array(list(pool.map(run, spawned(seed, runs)))))
