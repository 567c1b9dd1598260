"""Documents and seed words made ready to find classes in: which words count, and which classes there are to be."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.recipe import Recipe, class_names
from priori.latent.seeds import Seeds


@dataclass(frozen=True, eq=False)
class Named:
    """Documents with the terms that count and their labels numbered as the classes are, and the names of all these."""

    corpus: Corpus
    names: tuple[str, ...]  # those of labels and seed words, and numbers for the rest
    known: tuple[str, ...]  # those that are no numbers
    seeds: Seeds | None  # as the analyzer sees them
    unseen: tuple[str, ...]  # seed words that no document has

    @classmethod
    def of(cls, corpus: Corpus, recipe: Recipe, seeds: Seeds | None, classes: int | None) -> Self:
        """classes: how many; None where labels or seeds name them all."""
        if not corpus.count.any():
            raise DataError(
                f"none of the {len(corpus):,} documents has a word, so nothing tells them apart; look at the column of "
                "texts and at what counts as a word"
            )
        if seeds is not None:
            seeds = seeds.analyzed(corpus.analyzer)
            seeds.refuse_unheard(corpus)
        unseen = () if seeds is None else tuple(seeds.unseen(corpus))
        return cls(*_named_corpus(recipe.terms(corpus, seeds), seeds, classes), seeds, unseen)


def _named_corpus(
    corpus: Corpus, seeds: Seeds | None, classes: int | None
) -> tuple[Corpus, tuple[str, ...], tuple[str, ...]]:
    """The documents with their labels numbered as the classes are; the names of all; and those that are no numbers."""
    names = class_names(corpus.labels, seeds, classes)
    if len(names) > len(corpus):
        raise DataError(f"{len(names)} classes are asked of {len(corpus)} documents; ask for fewer")
    if corpus.labelled.all():
        raise DataError("every document has a label, so that no class is hidden; learn from them with priori train")
    known = tuple(name for name in names if name in corpus.labels or (seeds is not None and name in seeds.classes))
    place = np.array([names.index(label) for label in corpus.labels] or [0], np.int32)
    cls = np.where(corpus.labelled, place[np.maximum(corpus.cls, 0)], -1).astype(np.int32)
    return corpus.with_classes(cls, known), names, known
