"""Documents and seed words made ready to find classes in: which words count, and which classes there are to be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.recipe import Recipe, class_names
from priori.latent.seeds import Seeds, SeedWords


@dataclass(frozen=True, eq=False)
class Named:
    """Documents with the terms that count and their labels numbered as the classes are, and the names of all these."""

    corpus: Corpus
    names: tuple[str, ...]  # those of labels and seed words, and numbers for the rest
    known: tuple[str, ...]  # those that are no numbers
    seeds: Seeds | None  # as the analyzer sees them
    unseen: tuple[str, ...]  # seed words that no document has

    @classmethod
    def of(cls, corpus: Corpus, recipe: Recipe, seeds: SeedWords | None, classes: int | None) -> Self:
        """classes: how many; None where labels or seeds name them all."""
        return cls._of(*_prepared(corpus, recipe, seeds), classes)

    @classmethod
    def for_em(
        cls, corpus: Corpus, recipe: Recipe, seeds: SeedWords | None, numbers: Iterable[int | None]
    ) -> list[Self]:
        """For each number of classes. What EM cannot do by the recipe is refused here, before any of the work."""
        if recipe.event == "bernoulli" and seeds is not None:
            raise DataError("seed words are imagined occurrences, and the Bernoulli has none; use multinomial")
        if recipe.event == "bernoulli" and (corpus.count > 1).any():
            raise DataError("the Bernoulli knows words that are there or not, and some are counted twice; count binary")
        ready = _prepared(corpus, recipe, seeds)
        found = [cls._of(*ready, classes) for classes in numbers]
        for named in found:
            if recipe.components > 1 and len(named.names) - len(named.known) > 1:
                raise DataError(
                    "which of the components make up a class without a name is arbitrary; name the classes by labels "
                    f"or seed words, or ask for {len(named.names) * recipe.components} classes of one component"
                )
        return found

    @classmethod
    def _of(cls, corpus: Corpus, seeds: Seeds | None, classes: int | None) -> Self:
        if isinstance(classes, int | np.integer) and classes > len(corpus):  # before each of them is given a name
            raise DataError(_too_many(classes, len(corpus)))
        names = class_names(corpus.labels, seeds, classes)
        if len(names) > len(corpus):
            raise DataError(_too_many(len(names), len(corpus)))
        if corpus.labelled.all():
            raise DataError("every document has a label, so that no class is hidden; learn from them with priori train")
        known = tuple(name for name in names if name in corpus.labels or (seeds is not None and name in seeds.classes))
        place = np.array([names.index(label) for label in corpus.labels] or [0], np.int32)
        numbered = np.where(corpus.labelled, place[np.maximum(corpus.cls, 0)], -1).astype(np.int32)
        unseen = () if seeds is None else tuple(seeds.unseen(corpus))
        return cls(corpus.with_classes(numbered, known), names, known, seeds, unseen)


def _too_many(classes: int | np.integer, documents: int) -> str:
    found = "1 document" if documents == 1 else f"{documents:,} documents"
    return f"{classes:,} classes are asked of {found}; ask for fewer"


def _prepared(corpus: Corpus, recipe: Recipe, given: SeedWords | None) -> tuple[Corpus, Seeds | None]:
    """The documents with the terms that count, and the seed words as the analyzer sees them."""
    if not corpus.count.any():
        raise DataError(
            f"none of the {len(corpus):,} documents has a word, so nothing tells them apart; look at the column of "
            "texts and at what counts as a word"
        )
    seeds = None if given is None else Seeds.of(given).analyzed(corpus.analyzer)
    if seeds is not None:
        seeds.refuse_unheard(corpus)
    return recipe.terms(corpus, seeds), seeds
