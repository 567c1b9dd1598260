"""The Gibbs sampler once more, plainly: log-Gammas, many copies of a small problem at once, and bugs to plant."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import gammaln

BUGS = (
    "document not taken out",
    "document not put back",
    "own document counted",
    "own document counted among the class's",
    "product form",
    "alpha_0 of one term less",
    "imagined documents off by one",
)


@dataclass(frozen=True)
class Toy:
    """alpha (K, V), imagined documents (K,), classes (n,) with -1 where hidden."""

    alpha: np.ndarray
    documents: np.ndarray
    cls: np.ndarray

    @property
    def shape(self):
        return len(self.documents), self.alpha.shape[1]

    def draw(self, copies, length, rng):
        """(labels (R, n), counts (R, n, V)) from the joint; known labels are as they are."""
        classes, terms = self.shape
        theta = np.stack([rng.dirichlet(row, copies) for row in self.alpha], axis=1)  # (R, K, V)
        hidden = self.cls < 0
        known = np.bincount(self.cls[~hidden], minlength=classes)
        share = rng.dirichlet(self.documents + known, copies)  # p(pi | the known labels)
        labels = np.tile(self.cls, (copies, 1))
        for i in np.flatnonzero(hidden):
            labels[:, i] = drawn(share, rng.random(copies))
        counts = np.zeros((copies, len(self.cls), terms), int)
        each = np.arange(copies)
        for i in range(len(self.cls)):
            for _ in range(length):
                counts[each, i, drawn(theta[each, labels[:, i]], rng.random(copies))] += 1
        return labels, counts


def drawn(weights, uniforms):
    """Where the running sum passes: the inverse of the distribution function, row by row."""
    sums = np.cumsum(weights, axis=-1)
    return np.minimum((sums <= (uniforms * sums[..., -1])[..., None]).sum(axis=-1), weights.shape[-1] - 1)


def tallies(labels, counts, classes):
    """(N (R, K, V), D (R, K)); a label of -1 is not counted."""
    member = (labels[..., None] == np.arange(classes)).astype(float)  # (R, n, K)
    return np.einsum("rik,riv->rkv", member, counts), member.sum(axis=1)


def log_joint(toy, labels, counts):
    """(R,) log p(labels) and log p(words | labels), on word sequences."""
    classes, _ = toy.shape
    words, documents = tallies(labels, counts, classes)
    total = toy.documents.sum()
    of_labels = (gammaln(documents + toy.documents) - gammaln(toy.documents)).sum(axis=1)
    of_labels += gammaln(total) - gammaln(total + documents.sum(axis=1))
    of_words = (gammaln(words + toy.alpha) - gammaln(toy.alpha)).sum(axis=(1, 2))
    sums = toy.alpha.sum(axis=1)
    of_words += (gammaln(sums) - gammaln(sums + words.sum(axis=2))).sum(axis=1)
    return of_labels, of_words


def sweep(toy, labels, counts, uniforms, exact=True, power=1.0, bug=None):
    """One sweep of every copy; labels of -1 join as they come. Labels (R, n) anew."""
    classes, _ = toy.shape
    labels = labels.copy()
    words, documents = tallies(labels, counts, classes)
    each = np.arange(len(labels))
    alpha_0 = toy.alpha.sum(axis=1)
    if bug == "alpha_0 of one term less":
        alpha_0 = alpha_0 - toy.alpha[:, 0]
    for i in np.flatnonzero(toy.cls < 0):
        old, inside = labels[:, i], labels[:, i] >= 0
        row = counts[:, i]
        if bug != "document not taken out":
            words[each[inside], old[inside]] -= row[inside]
            documents[each[inside], old[inside]] -= 1
        seen, classed = words.copy(), documents + toy.documents
        if bug == "own document counted":
            seen[each[inside], old[inside]] += row[inside]
        if bug == "own document counted among the class's":
            classed[each[inside], old[inside]] += 1
        if bug == "imagined documents off by one":
            classed = classed + 1
        n, total = row[:, None, :], seen.sum(axis=2) + alpha_0
        length = row.sum(axis=1)[:, None]
        if exact and bug != "product form":
            likelihood = (gammaln(seen + toy.alpha + n) - gammaln(seen + toy.alpha)).sum(axis=2)
            likelihood -= gammaln(total + length) - gammaln(total)
        else:
            likelihood = (n * np.log(seen + toy.alpha)).sum(axis=2) - length * np.log(total)
        score = np.log(classed) + power * likelihood
        weights = np.exp(score - score.max(axis=1, keepdims=True))
        labels[:, i] = drawn(weights, uniforms[:, i])
        if bug != "document not put back":
            words[each, labels[:, i]] += row
            documents[each, labels[:, i]] += 1
    return labels


def labelings(toy):
    """(m, n): every way to give the hidden documents classes."""
    hidden = np.flatnonzero(toy.cls < 0)
    every = np.tile(toy.cls, (toy.shape[0] ** len(hidden), 1))
    every[:, hidden] = list(product(range(toy.shape[0]), repeat=len(hidden)))
    return every
