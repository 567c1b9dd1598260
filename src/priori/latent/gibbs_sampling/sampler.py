"""Gibbs sampling of hidden classes (lecture 001): collapsed, and for comparison uncollapsed.

Collapsed: take a document out, draw its class given all others, put it back. P(L_i = c | L^(-i), D) ∝
(D_c^(-i) + a_c) p(x_i | the documents of c but i), the exact predictive: a word that comes twice in the document has
updated the urn. The slide's product form (exact=False) leaves the urn as it is within a document.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats, Int32s, Int64s
from priori.latent.gibbs_sampling.setup import Hidden
from priori.validation import seed_of

Seed: TypeAlias = int | np.random.SeedSequence
Start: TypeAlias = "Literal['informed', 'sequential', 'uniform'] | GibbsState | npt.ArrayLike"
Power: TypeAlias = float | Callable[[int], float]
When: TypeAlias = bool | Callable[[int], bool]


@dataclass(frozen=True, eq=False)
class GibbsState:
    """A chain after a sweep. plain() and of_plain() take it out and back in; the chain goes on as if never stopped."""

    sweep: int  # 0: the start
    labels: Int32s  # (n,)
    sizes: Int64s  # (K,) documents of each class
    log_prior: float  # log p(labels)
    log_likelihood: float  # log p(words | labels), on word sequences
    random: Any  # the state of numpy's PCG64, a dictionary
    conditionals: Floats | None = None  # (n, K) what each label was drawn from, if asked for

    @property
    def log_joint(self) -> float:
        """log p(labels, words): never tempered."""
        return self.log_prior + self.log_likelihood

    def plain(self) -> dict[str, Any]:
        """Numbers, texts and lists alone, for JSON."""
        return {"sweep": self.sweep, "labels": self.labels.tolist(), "random": plain_random(self.random)}

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Self:
        """What plain() gave; sizes and logarithms come back with the next sweep."""
        labels = np.array(plain["labels"], np.int32)
        inner = {name: int(value, 16) for name, value in plain["random"]["state"].items()}
        random: Any = {**plain["random"], "state": inner}
        np.random.PCG64().state = random  # refuses what is no state
        return cls(int(plain["sweep"]), labels, np.zeros(0, np.int64), 0.0, 0.0, random)


def plain_random(random: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a generator, its numbers of 128 bits as texts: JSON is sure of 53."""
    return {**random, "state": {name: hex(value) for name, value in random["state"].items()}}


# --- collapsed --------------------------------------------------------------------------------------------------------


def gibbs(
    corpus: Corpus,
    classes: int | None = None,
    *,
    prior: WordPrior | float,
    class_prior: npt.ArrayLike = 1.0,
    seed: Seed = 0,
    start: Start = "informed",
    exact: bool = True,
    power: Power = 1.0,
    conditionals: When = False,
) -> Iterator[GibbsState]:
    """Yield the start, then one state per sweep, for ever. Labelled documents keep their class.

    start: "informed" draws each label given the known labels and the prior (seed words) alone, so by chance where
    nothing is known; "uniform" by chance; "sequential" given those drawn before it too, which often gathers all
    documents in one class; labels (-1 where open); or a state to go on from, which is not yielded again. power: of the
    likelihood in each full conditional, one number or a function of the sweep's number (see `annealing`); below 1
    classes change more freely. conditionals: whether states hold them, from the first sweep on, or by the sweep's
    number.
    """
    return sweeps(
        Hidden.of(corpus, classes, prior, class_prior),
        seed=seed,
        start=start,
        exact=exact,
        power=power,
        conditionals=conditionals,
    )


def sweeps(
    hidden: Hidden,
    *,
    seed: Seed = 0,
    start: Start = "informed",
    exact: bool = True,
    power: Power = 1.0,
    conditionals: When = False,
) -> Iterator[GibbsState]:
    """As `gibbs`, over documents and priors that were checked."""
    bits = bits_of(seed)
    generator = np.random.Generator(bits)
    documents = len(hidden.corpus)
    certain = hidden.corpus.labelled

    def swept(number: int) -> GibbsState:
        shares = None
        if conditionals(number) if callable(conditionals) else conditionals:
            shares = np.zeros((documents, hidden.classes))
            shares[certain, hidden.corpus.cls[certain]] = 1
        beta = float(power(number) if callable(power) else power)
        if not 0 <= beta <= 1:
            raise DataError(f"power={beta:g} at sweep {number} is out of range; give a number from 0 to 1")
        chain.sweep(generator.random(documents), exact, beta, shares)
        return state(number, shares)

    def state(number: int, shares: Floats | None) -> GibbsState:
        labels, sizes = chain.labels(), chain.documents()
        return GibbsState(number, labels, sizes, chain.log_prior(), chain.log_likelihood(), bits.state, shares)

    if isinstance(start, GibbsState):
        chain = hidden.chain(_checked(hidden, start.labels))
        bits.state = start.random
        number = start.sweep
    else:
        number = 0
        chain = hidden.chain(_first(hidden, start, generator))
        yield swept(0) if (chain.labels() < 0).any() else state(0, None)
    while True:
        number += 1
        yield swept(number)


def annealing(sweeps: int, lowest: float = 0.1) -> Callable[[int], float]:
    """A power that rises from lowest to 1 in equal ratios over so many sweeps, and stays there."""
    if not (0 < lowest <= 1 and sweeps >= 1):
        raise DataError(f"annealing over {sweeps} sweeps from power {lowest:g} is no schedule; give 0 < lowest <= 1")
    return lambda number: lowest ** max(0.0, 1 - number / sweeps)


def _first(hidden: Hidden, start: Start, generator: np.random.Generator) -> Int32s:
    if isinstance(start, str):
        labels = hidden.corpus.cls
        if start == "sequential":
            return labels
        if start not in ("informed", "uniform"):
            raise DataError(
                f"start={start!r} is unknown; give 'informed', 'uniform', 'sequential' or a label for each document"
            )
        known = start == "informed" and (hidden.corpus.labelled.any() or len(hidden.prior.component) > 0)
        weights = informed(hidden) if known else np.broadcast_to(hidden.documents, (len(labels), hidden.classes))
        if start == "uniform":
            weights = np.ones_like(weights)
        return np.where(hidden.corpus.labelled, labels, drawn(weights, generator.random(len(labels))))
    return _checked(hidden, np.asarray(start))


def informed(hidden: Hidden) -> Floats:
    """(n, K): p(y | x) by the posterior means at the labelled documents and the prior alone."""
    corpus = hidden.corpus
    members = np.zeros((len(corpus), hidden.classes))
    members[corpus.labelled, corpus.cls[corpus.labelled]] = 1
    joint = hidden.matrix @ np.log(hidden.theta(hidden.expected_counts(members)))
    joint += np.log(members.sum(axis=0) + hidden.documents)
    shares: Floats = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def drawn(weights: Floats, uniforms: Floats) -> Int32s:
    """(n,): where the running sum of each row passes its uniform number's share of the whole."""
    sums = np.cumsum(weights, axis=1)
    places: Int32s = (sums[:, :-1] <= (uniforms * sums[:, -1])[:, None]).sum(axis=1).astype(np.int32)
    return places


def _checked(hidden: Hidden, labels: npt.NDArray[Any]) -> Int32s:
    known = hidden.corpus.labelled
    if labels.shape != (len(hidden.corpus),) or labels.dtype.kind not in "iu":
        raise DataError(f"start must be one class number for each of the {len(hidden.corpus)} documents, -1 where open")
    if (labels < -1).any() or (labels >= hidden.classes).any():
        raise DataError(f"start has a class number outside -1 .. {hidden.classes - 1}")
    if (labels[known] != hidden.corpus.cls[known]).any():
        raise DataError("start gives a labelled document another class than its label; labels stay as they are")
    return labels.astype(np.int32)


# --- uncollapsed ------------------------------------------------------------------------------------------------------


def uncollapsed_gibbs(
    corpus: Corpus,
    classes: int | None = None,
    *,
    prior: WordPrior | float,
    class_prior: npt.ArrayLike = 1.0,
    seed: Seed = 0,
) -> Iterator[GibbsState]:
    """Yield the start, drawn by chance, then one state per sweep, for ever. Labelled documents keep their class.

    Parameters are drawn, then all labels at once given them: π ~ Dirichlet(a + D), θ_c ~ Dirichlet(α_c + N_c), then
    P(L_i = c) ∝ π_c Π_j θ_cj^n_ij. It has the same posterior over labels as the collapsed sampler and moves more slowly
    through it, for the parameters remember where the labels were. conditionals are p(label | parameters) of each
    document.
    """
    hidden = Hidden.of(corpus, classes, prior, class_prior)
    bits = bits_of(seed)
    generator = np.random.Generator(bits)
    known = hidden.corpus.labelled
    alpha = hidden.prior.dense(hidden.classes, corpus.terms)
    shares = np.full((len(corpus), hidden.classes), 1 / hidden.classes)
    number = 0
    while True:
        shares[known] = np.eye(hidden.classes)[hidden.corpus.cls[known]]
        labels = drawn(shares, generator.random(len(corpus)))
        chain = hidden.chain(labels)  # for its counts and its log joint
        sizes = chain.documents()
        likelihood = chain.log_likelihood()
        yield GibbsState(number, labels, sizes, chain.log_prior(), likelihood, bits.state, shares)
        log_theta = log_dirichlet(alpha + chain.counts().reshape(alpha.shape), generator)
        log_share = log_dirichlet((hidden.documents + sizes)[:, None], generator)[:, 0]
        joint = hidden.matrix @ log_theta + log_share  # (n, K)
        shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        number += 1


def log_dirichlet(alpha: Floats, generator: np.random.Generator) -> Floats:
    """The logarithm of a Dirichlet draw for each column of alpha.

    G(α) = G(α + 1) U^(1/α), so that the logarithm of a small one is finite where the draw itself would be 0.
    """
    log = np.log(generator.standard_gamma(alpha + 1)) + np.log1p(-generator.random(alpha.shape)) / alpha
    log -= log.max(axis=0)
    log -= np.log(np.exp(log).sum(axis=0))
    return log


# --- seeds ------------------------------------------------------------------------------------------------------------


def bits_of(seed: Seed) -> np.random.PCG64:
    """The bits that a chain draws from."""
    return np.random.PCG64(seed if isinstance(seed, np.random.SeedSequence) else seed_of(seed))


def spawned(seed: int, number: int) -> list[np.random.SeedSequence]:
    """Seeds of so many runs that draw apart from each other."""
    return np.random.SeedSequence(seed_of(seed)).spawn(number)
