"""The uncollapsed Gibbs sampler, for comparison: parameters are drawn, then all labels at once given them.

π ~ Dirichlet(a + D), θ_c ~ Dirichlet(α_c + N_c), then P(L_i = c) ∝ π_c Π_j θ_cj^n_ij. It has the same posterior over
labels as the collapsed one and moves more slowly through it, for the parameters remember where the labels were.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from priori.latent.collapsed import GibbsState, drawn
from priori.latent.corpus import Corpus, Floats
from priori.latent.hidden import Hidden
from priori.latent.priors import WordPrior
from priori.latent.randomness import Seed, bits_of


def uncollapsed_gibbs(
    corpus: Corpus,
    classes: int | None = None,
    *,
    prior: WordPrior | float,
    class_prior: npt.ArrayLike = 1.0,
    seed: Seed = 0,
) -> Iterator[GibbsState]:
    """Yield the start, drawn by chance, then one state per sweep, for ever. Labelled documents keep their class.

    conditionals are p(label | parameters) of each document.
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
