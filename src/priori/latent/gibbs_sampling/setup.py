"""What a sampler of hidden classes walks over: documents, the classes by name, and what is imagined of each."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats, Int32s
from priori.latent.settings import class_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Hidden:
    """Documents, K classes of which the first have the corpus's labels, and their priors."""

    corpus: Corpus
    names: tuple[str, ...]  # (K,)
    prior: WordPrior
    documents: Floats  # (K,) imagined documents of each class

    @classmethod
    def of(
        cls, corpus: Corpus, classes: int | None, prior: WordPrior | float, class_prior: npt.ArrayLike = 1.0
    ) -> Self:
        """Checked: a number of classes (None: as many as labels), counts of words and of documents imagined."""
        names = class_names(corpus.labels, None, classes)
        words = prior if isinstance(prior, WordPrior) else WordPrior.even(prior)
        documents = np.asarray(class_prior, np.float64)
        if documents.shape not in ((), (len(names),)):
            raise DataError(
                f"class_prior has shape {documents.shape}, and there are {len(names)} classes; give one number, or one "
                "for each class"
            )
        documents = np.ascontiguousarray(np.broadcast_to(documents, len(names)))
        if not (np.isfinite(documents).all() and (documents > 0).all()):
            raise DataError("class_prior must be above 0 for every class: imagine a document or a part of one of each")
        smallest = words.alpha + min(0.0, words.more.min(initial=0.0))
        if not (smallest > 0 and np.isfinite(words.alpha) and np.isfinite(words.more).all()):
            raise DataError(
                f"alpha={words.alpha:g} leaves words that no class can produce, so that a chain could not move; give "
                "every word a count above 0"
            )
        if ((words.component < 0) | (words.component >= len(names)) | (words.term < 0)).any() or (
            words.term >= corpus.terms
        ).any():
            raise DataError("the prior names a class or a term that is not there; number both as the corpus does")
        odd = np.flatnonzero(corpus.weight != 1)
        if len(odd):
            raise DataError(
                f"document {odd[0]} counts {corpus.weight[odd[0]]:g} times, and a Gibbs sampler draws one class for "
                "each document; give every document weight 1, or use EM"
            )
        return cls(corpus, names, words, documents)

    @property
    def classes(self) -> int:
        """K."""
        return len(self.names)

    def chain(self, labels: Int32s) -> Any:
        """The native chain at these labels; -1: a document that is not in the counts yet."""
        corpus = self.corpus
        return _core.Gibbs.of(
            corpus.offsets,
            corpus.term,
            corpus.count,
            corpus.terms,
            np.ascontiguousarray(labels, np.int32),
            corpus.labelled.astype(np.uint8),
            self.prior.alpha,
            self.prior.component,
            self.prior.term,
            self.prior.more,
            self.documents,
        )

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Classes that can change places without changing anything: without a label, seed words, and of one prior."""
        named = set(self.prior.component.tolist())
        free = [c for c in range(len(self.corpus.labels), self.classes) if c not in named]
        return tuple(
            tuple(c for c in free if self.documents[c] == imagined)
            for imagined in dict.fromkeys(self.documents[free].tolist())
        )

    @property
    def movable(self) -> bool:
        """Whether there are classes that can change places."""
        return any(len(group) > 1 for group in self.groups)

    @cached_property
    def matrix(self) -> "csr_array":
        """The counts as documents by terms, sparse."""
        from scipy.sparse import csr_array

        corpus = self.corpus
        shape = (len(corpus), corpus.terms)
        return csr_array((corpus.count.astype(np.float64), corpus.term, corpus.offsets), shape=shape)

    def expected_counts(self, responsibilities: Floats) -> Floats:
        """(terms, K): the words of each class when documents belong to it by these parts (n, K)."""
        counts: Floats = self.matrix.T @ responsibilities
        return counts

    def theta(self, counts: Floats) -> Floats:
        """(terms, K): posterior mean of p(word | class) at these counts."""
        smoothed = counts + self.prior.dense(self.classes, self.corpus.terms)
        smoothed /= smoothed.sum(axis=0)
        return smoothed

    def root_theta(self, responsibilities: Floats) -> Floats:
        """(terms, K): √ of the posterior mean of p(word | class), in one table."""
        table = self.expected_counts(responsibilities)
        table += self.prior.alpha
        np.add.at(table, (self.prior.term, self.prior.component), self.prior.more)
        table /= table.sum(axis=0)
        return np.sqrt(table, out=table)
