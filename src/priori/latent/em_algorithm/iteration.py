"""EM: expected counts instead of counts, over documents (lecture 001).

A generator: the caller owns the loop. The objective never falls (but where the prior is proportional, and so moves with
the classes). Dempster, Laird & Rubin 1977; Nigam, McCallum, Thrun & Mitchell 2000; docs/maths/em.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.readings import Estimate
from priori.columns.words.em import HiddenEvent, Mixture, Sums, WordPrior, pseudo_counts
from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.model.fitting.calibration import LENGTH, Calibration
from priori.threads import threads

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Temper:
    """t = 1 + n / (n + 1) (b ((n + 1) / 50)^g - 1), as calibration has it: a model predicts as it learned.

    How far a document's words are believed: naive Bayes takes words that say the same for news, so long texts shout. A
    tempered E-step has responsibilities proportional to p(x, c)^t, t = t(n) falling with the length n. It ascends
    sum_i w_i / t_i log sum_c p(x_i, c)^t_i: with t = 1 the log-likelihood.
    """

    scale: float = 1.0  # b
    power: float = 0.0  # g

    @classmethod
    def root(cls) -> Self:
        """About one over the square root of the length: n words are believed as the root of n independent ones are."""
        return cls(LENGTH**-0.5, -0.5)

    @property
    def plain(self) -> bool:
        """Whether t is 1."""
        return self.scale == 1.0 and self.power == 0.0

    @property
    def clipped(self) -> bool:
        """Whether some length would have a t above 1, which an E-step cuts off and a calibration does not."""
        return bool((self.calibration().factors(np.arange(0.0, 1000.0)) > 1.0).any())

    def factors(self, length: Any) -> Floats:
        """t of documents of so many features, at most 1: no word counts for more than itself."""
        return np.minimum(self.calibration().factors(np.asarray(length, np.float64)), 1.0)

    def calibration(self) -> Calibration:
        """The reading that gives p(y | x) as the E-step has it."""
        return Calibration(self.scale, self.power, 0.0, {})


@dataclass(frozen=True, eq=False)
class Settings:
    """What EM ascends: an event model, priors, a temper, and what unlabelled documents weigh. The objective is

        sum_i w_i / t_i log sum_c p(x_i, c)^t_i  +  sum_c b_c log pi_c  +  sum_cj a_cj log theta_cj

    c runs over all components for an unlabelled document, over those of its class for a labelled one; t_i is the temper
    (1: the log-likelihood), w_i the weight, a and b the pseudo-counts.
    """

    classes: tuple[str, ...]
    event: HiddenEvent = "multinomial"
    estimate: Estimate = "bayes"  # the mean under alpha is the mode under alpha + 1, whose density is in the objective
    words: WordPrior = field(default_factory=partial(WordPrior.even, 0.1))
    documents: float = 1.0  # imagined documents of each component
    proportional: bool = False  # alpha grows with the words of a component, so that all are smoothed alike
    temper: Temper = field(default_factory=Temper.root)
    unlabelled_weight: float = 1.0  # Nigam's lambda
    components: int = 1  # of each class

    def __post_init__(self) -> None:
        if self.event not in ("multinomial", "bernoulli"):
            raise DataError(f"event={self.event!r} has no mixture; choose multinomial or bernoulli")
        if self.components < 1:
            raise DataError(f"components={self.components} leaves a class without any; give a number from 1")
        least = 1.0 if self.estimate == "map" else 0.0
        if not least <= self.documents < np.inf:
            raise DataError(
                f"documents={self.documents} is no number of imagined documents; give one from {least:g}"
                + (", for with less the posterior has no mode" if least else "")
            )
        if not 0 <= self.unlabelled_weight < np.inf:
            raise DataError(f"unlabelled_weight={self.unlabelled_weight} is no weight; give a finite number from 0")
        if self.proportional and (self.event == "bernoulli" or self.estimate != "bayes"):
            raise DataError("a proportional prior is one of the multinomial's posterior mean; use estimate='bayes'")

    @property
    def size(self) -> int:
        """C: all components of all classes, those of a class one after the other."""
        return len(self.classes) * self.components

    @cached_property
    def component_class(self) -> Int32s:
        """(C,) the class of each."""
        return np.repeat(np.arange(len(self.classes), dtype=np.int32), self.components)

    def weights(self, corpus: Corpus) -> Floats:
        """(n,) what each document counts: an unlabelled one only a part of its weight."""
        return np.where(corpus.labelled, 1.0, self.unlabelled_weight) * corpus.weight

    def pseudo_documents(self) -> Floats:
        """(C,) what the estimate adds to the expected documents."""
        added = {"ml": 0.0, "map": self.documents - 1}.get(self.estimate, self.documents)
        return np.full(self.size, added)


@dataclass(frozen=True, eq=False)
class Step:
    """One iteration. `state` moves on with the next one: read what you need of it before."""

    iteration: int
    objective: float  # of the parameters that the iteration began with
    log_likelihood: float  # of the same, untempered
    sizes: Floats  # (C,) expected documents by component
    state: "State"


class State:
    """Parameters and expected counts in two tables, (V, C), that each iteration writes anew."""

    def __init__(self, corpus: Corpus, settings: Settings, shares: Floats, jobs: int | None = None) -> None:
        """Begin with an M-step: `shares`, (n, C), are the responsibilities times the weights."""
        if settings.event == "bernoulli" and corpus.count.max(initial=0) > 1:
            raise DataError(
                "the Bernoulli knows words that are there or not, and some are there twice; count them once"
            )
        self.corpus = corpus
        self.settings = settings
        self.jobs = threads(jobs)
        self._weight = settings.weights(corpus)
        self._temper = settings.temper.factors(corpus.length)
        self._words = pseudo_counts(settings.words, settings.estimate)
        self._gathered = np.empty((corpus.terms, settings.size))
        self._table = np.empty_like(self._gathered)
        self._rows = corpus.blocked(settings.size, self.jobs)
        sums = _core.m_pass(self._rows, shares, self._gathered, self.jobs)
        self.mixture = self._maximized(sums[2], sums[3])

    def _maximized(self, weight: Floats, length: Floats) -> Mixture:
        self.sums = Sums(self._gathered, weight, length)
        settings = self.settings
        words = self._words.proportional(length) if settings.proportional else self._words
        return Mixture.of(
            self.sums, words, settings.pseudo_documents(), event=settings.event, out=self._table, jobs=self.jobs
        )

    def step(self, iteration: int, softness: float = 1.0, shares: Floats | None = None) -> Step:
        """E with the parameters as they are, then M. `softness` times the temper; `shares`, (n, C), take w r."""
        temper = softness * self._temper
        objective, log_likelihood, weight, length = self._pass(self._weight, temper, shares)
        log_prior = self.mixture.log_prior
        self.mixture = self._maximized(weight, length)
        return Step(iteration, objective + log_prior, log_likelihood, weight, self)

    def shares(self) -> Floats:
        """(n, C): weights times responsibilities under the parameters as they are."""
        return self._responding(self._weight)

    def responsibilities(self) -> Floats:
        """p(c | x_i), (n, C), under the parameters as they are; of a labelled document within its class."""
        return self._responding(np.ones(len(self.corpus)))

    def _responding(self, weight: Floats) -> Floats:
        shares = np.empty((len(self.corpus), self.settings.size))
        self._pass(weight, self._temper, shares, np.empty_like(self._gathered))
        return shares

    def _pass(
        self, weight: Floats, temper: Floats, shares: Floats | None, gathered: Floats | None = None
    ) -> tuple[float, float, Floats, Floats]:
        corpus, mixture = self.corpus, self.mixture
        return _core.em_pass(
            self._rows,
            weight,
            temper,
            corpus.cls,
            mixture.table,
            mixture.constant,
            mixture.per_feature,
            self.settings.component_class,
            self._gathered if gathered is None else gathered,
            shares,
            self.jobs,
        )


def em(corpus: Corpus, settings: Settings, start: Floats, *, jobs: int | None = None) -> Iterator[Step]:
    """Iterate for ever from responsibilities, (n, C); see `priori.latent.starts` for ways to begin.

    >>> from priori.latent import Corpus, Settings, em, starts
    >>> corpus = Corpus.of_counts([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 4, 0]])
    >>> settings = Settings(("A", "B"))
    >>> steps = em(corpus, settings, starts.random(corpus, settings, seed=0))
    >>> objectives = [next(steps).objective for _ in range(20)]
    >>> bool((np.diff(objectives) > -1e-12).all())
    True
    """
    state = State(corpus, settings, start * settings.weights(corpus)[:, None], jobs)
    iteration = 0
    while True:
        iteration += 1
        yield state.step(iteration)
