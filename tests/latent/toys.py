"""Small problems with hidden classes, and their way into the library."""

import numpy as np
from gibbs_reference import Toy

from priori.columns.words.em import WordPrior
from priori.latent.corpus import Corpus
from priori.latent.gibbs_sampling.setup import Hidden


def lopsided():
    """K = 3, V = 5, six documents of which two are labelled; no two prior counts alike where it could matter."""
    alpha = np.full((3, 5), 0.4)
    alpha[0, 1], alpha[1, 4], alpha[1, 0], alpha[2, 2] = 1.7, 0.9, 2.4, 3.1
    return Toy(alpha, np.array([0.7, 1.9, 1.2]), np.array([-1, 0, -1, -1, 2, -1]))


def hidden_of(toy, counts):
    """The toy as the library knows it: alpha is the least of the table, the rest are pairs of their own."""
    alpha = toy.alpha.min()
    component, term = np.nonzero(toy.alpha > alpha)
    more = (toy.alpha - alpha)[component, term]
    prior = WordPrior(float(alpha), component.astype(np.int32), term.astype(np.int32), more)
    names = [f"class {c:02d}" for c in range(toy.shape[0])]
    corpus = Corpus.of_counts(counts).with_classes(toy.cls.astype(np.int32), tuple(names))
    return Hidden.of(corpus, toy.shape[0], prior, toy.documents)
