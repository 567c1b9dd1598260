"""How documents without labels are sorted: defaults of clustering, the terms and classes it needs, what users may say.

docs/maths/em.md has the figures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from priori.columns.readings import Estimate
from priori.columns.words.em import HiddenEvent, WordPrior
from priori.columns.words.readings import Readings
from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import Settings, Temper
from priori.latent.seed_words import LARGEST, Seeds, SeedWords

UnlabelledWeight = float | Literal["auto"]

FEW = 100  # documents, below which every term is kept


@dataclass(frozen=True)
class Recipe:
    """Which terms count, what is ascended, from how many starts and how far, unless something else is asked for."""

    event: HiddenEvent = "multinomial"
    estimate: Estimate = "bayes"
    alpha: float = 0.1
    documents: float = 1.0  # imagined, of each class
    temper: Temper | None = None  # None: one over the root of the length; Temper() for none
    unlabelled_weight: float = 1.0
    components: int = 1  # of each class
    least_documents: int = 3  # that a term is in
    largest_share: float = 0.2  # of the documents that a term is in: what is everywhere tells nothing apart
    start: Literal["random", "spread"] = "random"
    restarts: int = 20
    anneal: int = 0  # iterations in which the temper rises from half of what it is
    iterations: int = 200  # at most, after those
    least_iterations: int = 20  # near a saddle the objective rises slowly before it rises fast
    tolerance: float = 1e-7  # of the objective

    def __post_init__(self) -> None:
        for name, least in (("restarts", 1), ("iterations", 1), ("least_iterations", 1), ("least_documents", 1),
                            ("components", 1), ("anneal", 0)):  # fmt: skip
            if getattr(self, name) < least:
                raise DataError(f"{name}={getattr(self, name)} is none; give a number from {least}")
        if not 0 <= self.alpha <= LARGEST:
            raise DataError(f"alpha={self.alpha} is no imagined count; give a number from 0 to {LARGEST:g}")
        if not 0 <= self.tolerance < np.inf:
            raise DataError(f"tolerance={self.tolerance} is no part of the objective; give a finite number from 0")
        if not 0 < self.largest_share <= 1:
            raise DataError(f"largest_share={self.largest_share} is no share of the documents; give one from 0 to 1")
        if self.temper is not None and self.temper.clipped:
            raise DataError(f"{self.temper} would count words of short documents more than once; give a smaller scale")
        if self.estimate not in ("ml", "map", "bayes"):
            raise DataError(f"estimate={self.estimate!r} is none that EM can repeat; choose ml, map or bayes")
        if self.start not in ("random", "spread"):
            raise DataError(f"start={self.start!r} is unknown; choose random or spread")

    def terms(self, corpus: Corpus, seeds: Seeds | None = None) -> Corpus:
        """The corpus with the terms that tell something apart; seed words stay whatever their frequency."""
        if len(corpus) < FEW:
            return corpus
        frequency = corpus.document_frequency
        keep: npt.NDArray[np.bool_] = (frequency >= self.least_documents) & (
            frequency <= self.largest_share * len(corpus)
        )
        if seeds is not None:
            for table in seeds.words.values():
                places = corpus.find(list(table))
                keep[places[places >= 0]] = True
        if not keep.any():
            raise DataError(
                f"no term is in {self.least_documents} documents or more and at most {self.largest_share:.0%} of them, "
                "so nothing tells them apart; let others count: --min-documents 1 --max-share 1 (least_documents=1, "
                "largest_share=1)"
            )
        return corpus.of_terms(keep)

    def settings(self, corpus: Corpus, classes: tuple[str, ...], seeds: Seeds | None = None) -> Settings:
        """What EM ascends."""
        if not (corpus.weight > 0).any():
            raise DataError("every document has weight 0, so none counts; give some of them a weight")
        if self.estimate == "ml" and not (corpus.weight > 0).all():
            raise DataError(
                "a document of weight 0 may have words that no class can have made, where nothing is imagined; leave "
                "it out, or use estimate='bayes'"
            )
        words = WordPrior.even(self.alpha)
        if seeds is not None:
            words = seeds.prior(corpus, classes, self.alpha, self.components)
        return Settings(
            classes,
            event=self.event,
            estimate=self.estimate,
            words=words,
            documents=self.documents,
            temper=self.temper or Temper.root(),
            unlabelled_weight=self.unlabelled_weight,
            components=self.components,
        )


def class_names(labels: tuple[str, ...], seeds: Seeds | None, classes: int | None) -> tuple[str, ...]:
    """The classes that have a name, and numbers for the others.

    >>> class_names(("ham",), None, 3)
    ('ham', '1', '2')
    """
    named = tuple(sorted({*labels, *(seeds.classes if seeds is not None else ())}, key=str.encode))
    if classes is None:
        if len(named) < 2:
            raise DataError(
                f"{'one class has' if named else 'no class has'} a label or a seed word, so how many there are is "
                "not known; say it: --classes K (n_classes=K)"
            )
        return named
    if isinstance(classes, bool) or not isinstance(classes, int | np.integer) or classes < 1:
        raise DataError(f"{classes!r} is no number of classes; give a whole number from 1")
    if classes < len(named):
        many, asked = f"{len(named)} classes have", "1 is" if classes == 1 else f"{classes} are"
        raise DataError(f"{many} a label or seed words, but only {asked} asked for; ask for {len(named)} or more")
    numbers = (str(number) for number in range(1, classes + len(named) + 1))
    free = [number for number in numbers if number not in named]
    return named + tuple(free[: classes - len(named)])


# --- documents and seed words made ready ------------------------------------------------------------------------------


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


# --- what users say of learning without labels ------------------------------------------------------------------------


def weight_of(unlabelled_weight: UnlabelledWeight) -> float | None:
    """What a row without a label counts beside one with: a number from 0 to 1; None: left to the data."""
    if unlabelled_weight == "auto":
        return None
    real = isinstance(unlabelled_weight, int | float | np.integer | np.floating)
    if not real or isinstance(unlabelled_weight, bool) or not 0 <= unlabelled_weight <= 1:
        raise DataError(f"unlabelled_weight={unlabelled_weight!r} is no weight; give 'auto' or a number from 0 to 1")
    return float(unlabelled_weight)


def refuse_selection(readings: Readings) -> None:
    """Refuse to choose words by classes that they are to help to find."""
    if readings.select is not None:
        raise DataError(
            f"select={readings.select!r} chooses words by classes that are known, and some texts have no label; leave "
            "select out, or skip those texts (unlabelled='skip')"
        )
