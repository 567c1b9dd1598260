"""The same steps as anyone would write them: EM with scipy.sparse, and Gibbs as a loop in plain Python."""

from itertools import pairwise
from math import exp, lgamma, log

import numpy as np
from scipy.sparse import csr_array

from priori.latent import Corpus, Settings


class SparseEM:
    """One iteration of tempered EM of a multinomial mixture, vectorised; no weights, labels or seed words."""

    def __init__(self, corpus: Corpus, settings: Settings, start: np.ndarray, *, turned: bool) -> None:
        """`turned`: X.T is laid out by rows beforehand, which takes the memory of another X."""
        shape = (len(corpus), corpus.terms)
        self.X = csr_array((corpus.count.astype(np.float64), corpus.term, corpus.offsets.astype(np.int32)), shape=shape)
        self.transposed = self.X.T.tocsr() if turned else self.X.T
        self.length = corpus.length[:, None].astype(np.float64)
        self.temper = settings.temper.factors(corpus.length)[:, None]
        self.alpha, self.imagined = settings.words.alpha, settings.documents
        self._maximize(start)

    def step(self) -> float:
        """E, then M; the objective of the parameters that it began with."""
        score = self.X @ self.log_theta
        score += self.log_pi
        score *= self.temper
        most = score.max(axis=1, keepdims=True)
        score -= most
        shares = np.exp(score, out=score)
        total = shares.sum(axis=1, keepdims=True)
        objective = float(((most + np.log(total)) / self.temper).sum()) + self.log_prior
        shares /= total
        self._maximize(shares)
        return objective

    def _maximize(self, shares: np.ndarray) -> None:
        counts = self.transposed @ shares
        counts += self.alpha
        total = counts.sum(axis=0)
        self.log_theta = np.log(counts, out=counts)
        self.log_theta -= np.log(total)
        documents = shares.sum(axis=0) + self.imagined
        self.log_pi = np.log(documents / documents.sum())
        self.log_prior = float(self.alpha * self.log_theta.sum() + self.imagined * self.log_pi.sum())


class LoopGibbs:
    """Collapsed Gibbs with the exact predictive, word by word and class by class."""

    def __init__(self, corpus: Corpus, classes: int, alpha: float, labels: list[int], *, gammas: bool) -> None:
        """`gammas`: products of rising factors by two log-Gammas each, not factor by factor."""
        self.rising = self._by_gammas if gammas else self._by_factors
        ends, term, count = corpus.offsets.tolist(), corpus.term.tolist(), corpus.count.tolist()
        self.rows = [list(zip(term[first:last], count[first:last], strict=True)) for first, last in pairwise(ends)]
        self.classes, self.alpha, self.labels = classes, alpha, list(labels)
        self.alpha_0 = alpha * corpus.terms
        self.counts = [[0] * classes for _ in range(corpus.terms)]
        self.words, self.documents = [0] * classes, [0] * classes
        for place, label in enumerate(self.labels):
            self._move(place, label, 1)

    def sweep(self, uniforms: list[float]) -> None:
        """Every document once, with a uniform number for each."""
        for place, uniform in enumerate(uniforms):
            self._move(place, self.labels[place], -1)
            self.labels[place] = self._drawn(self._scores(place), uniform)
            self._move(place, self.labels[place], 1)

    def _scores(self, place: int) -> list[float]:
        length = sum(n for _, n in self.rows[place])
        scores = []
        for documents, words in zip(self.documents, self.words, strict=True):
            scores.append(log(documents + 1.0) - self.rising(words + self.alpha_0, length))
        alpha, classes, rising = self.alpha, range(self.classes), self.rising
        for j, n in self.rows[place]:
            counts = self.counts[j]
            if n == 1:
                for c in classes:
                    scores[c] += log(counts[c] + alpha)
            else:
                for c in classes:
                    scores[c] += rising(counts[c] + alpha, n)
        return scores

    @staticmethod
    def _by_gammas(first: float, factors: int) -> float:
        return lgamma(first + factors) - lgamma(first)

    @staticmethod
    def _by_factors(first: float, factors: int) -> float:
        total = 0.0
        for m in range(factors):
            total += log(first + m)
        return total

    def _drawn(self, scores: list[float], uniform: float) -> int:
        most = max(scores)
        weights = [exp(score - most) for score in scores]
        passed, wanted = 0.0, uniform * sum(weights)
        for c, weight in enumerate(weights):
            passed += weight
            if passed > wanted:
                return c
        return self.classes - 1

    def _move(self, place: int, label: int, sign: int) -> None:
        for j, n in self.rows[place]:
            self.counts[j][label] += sign * n
            self.words[label] += sign * n
        self.documents[label] += sign
