"""How estimators learn where labels are missing, some or all of them: by EM, from texts or from rows of tables."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from priori.columns.words.readings import Readings
from priori.data.batch import Batch
from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import Temper
from priori.latent.em_algorithm.restarts import Search
from priori.latent.result import Found
from priori.latent.semi_supervised import HalfLabelled, HiddenClasses, HiddenSettings, learn_half_labelled
from priori.latent.settings import Recipe, UnlabelledWeight, refuse_selection, weight_of
from priori.model.classifier import Model
from priori.model.fitting.parameters import Fitted
from priori.text.analyzer import Analyzer
from priori.validation import state_of, whole_number

Unlabelled = Literal["em", "skip"]


class WithoutLabels:
    """An estimator of texts that learns by EM where labels are missing."""

    unlabelled: Unlabelled
    unlabelled_weight: UnlabelledWeight
    n_classes: int | None
    seeds: Any
    random_state: int | None

    hidden_: HalfLabelled | Found | None  # what texts without a label had to do with it; None where there were none

    def _hidden(self, labels: list[str | None]) -> bool:
        """Whether there is something to learn without labels."""
        if self.unlabelled not in ("em", "skip"):
            raise DataError(f"unlabelled={self.unlabelled!r} is unknown; choose em or skip")
        asked = self.n_classes is not None or self.seeds is not None
        if asked and labels and None not in labels:
            warnings.warn(
                "every text has a label, so n_classes and seeds are not used; give None for texts without one",
                UserWarning,
                stacklevel=3,
            )
        return self.unlabelled == "em" and None in labels

    def _learned_hidden(
        self, labels: list[str | None], batches: Iterator[Batch], analyzer: Analyzer, readings: Readings, **options: Any
    ) -> tuple[Model, HalfLabelled | Found]:
        """By EM: classes as they are labelled, or as many as were asked for where too few or none are."""
        refuse_selection(readings)
        kept = list(batches)  # they are read more than once
        named = {label for label in labels if label is not None}
        classes = None if self.n_classes is None else whole_number(self.n_classes, "n_classes", 1)
        if self.seeds is not None or (classes is not None and classes != len(named)):
            return self._clustered(classes, kept, analyzer, readings, **options)
        if not named:
            raise DataError(
                f"none of the {len(labels):,} texts has a label, so how many classes there are is not known; give "
                "n_classes=K, or seeds={class: [words]}"
            )
        found = learn_half_labelled(
            lambda: iter(kept),
            analyzer,
            readings,
            unlabelled_weight=self.unlabelled_weight,
            seed=state_of(self.random_state),
            **options,
        )
        return found.model, found

    def _clustered(
        self, classes: int | None, batches: list[Batch], analyzer: Analyzer, readings: Readings, **options: Any
    ) -> tuple[Model, Found]:
        """As many classes as were asked for, from several starts or from seed words."""
        from priori.latent.em_algorithm.run import cluster

        tokenizer, jobs = options["tokenizer"], options["jobs"]
        binary = replace(analyzer, binary=True)
        corpus = Corpus.of(lambda: iter(batches), binary, tokenizer=tokenizer, jobs=jobs, progress=options["progress"])
        if options["max_terms"] is not None:
            corpus = corpus.most_frequent(options["max_terms"])
        weight = weight_of(self.unlabelled_weight)
        recipe = replace(_recipe_of(readings), unlabelled_weight=1.0 if weight is None else weight)
        found = cluster(corpus, classes, recipe=recipe, seeds=self.seeds, seed=state_of(self.random_state), jobs=jobs)
        if found.unseen:
            warnings.warn(f"no text has the seed words {', '.join(found.unseen)}", UserWarning, stacklevel=4)
        seeded = replace(readings.prior, classes=found.model.readings.prior.classes)
        counted = found.model.readings.class_prior  # with the documents that EM has imagined, or as it was given
        own = replace(
            readings, prior=seeded, class_prior=counted if readings.class_prior == "ml" else readings.class_prior
        )
        fitted = Fitted(
            own,
            recipe.alpha if isinstance(readings.prior.alpha, str) else None,
            Temper.root().calibration() if own.calibrated else None,
            event="multinomial" if own.event == "auto" else None,
        )
        return replace(found.model, readings=own, stored=fitted), found


class RowsWithoutLabels:
    """The parameters of an estimator of tables for rows without a label, from which it learns by EM.

    scikit-learn wants them named in each signature, too.
    """

    unlabelled: Unlabelled
    unlabelled_weight: UnlabelledWeight
    n_classes: int | None
    restarts: int
    most_iterations: int
    tolerance: float
    random_state: int | None

    hidden_: HiddenClasses | None  # what rows without a label had to do with it; None: none were asked, or it is loaded

    def _say_of_hidden(
        self, *, unlabelled: Unlabelled, unlabelled_weight: UnlabelledWeight, n_classes: int | None, restarts: int,
        most_iterations: int, tolerance: float, random_state: int | None,
    ) -> None:  # fmt: skip
        """Keep them as they are: they are checked when something is learned."""
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.n_classes = n_classes
        self.restarts = restarts
        self.most_iterations = most_iterations
        self.tolerance = tolerance
        self.random_state = random_state

    def _asked(self, unlabelled: Unlabelled) -> HiddenSettings:
        """What they ask for, checked."""
        search = Search(self.restarts, self.most_iterations, self.tolerance)
        if unlabelled not in ("em", "skip"):
            raise DataError(f"unlabelled={unlabelled!r} is unknown; choose em or skip")
        skip = unlabelled == "skip"
        return HiddenSettings(self.n_classes, self.unlabelled_weight, search, state_of(self.random_state), skip)


def warn_of_one_class(model: Model) -> None:
    """Every text would be put there."""
    if len(model.labels) == 1:
        warnings.warn(
            f"only one class, {model.labels[0]!r}, was learned: every text will be put there until another is "
            "learned or merged",
            UserWarning,
            stacklevel=3,
        )


def _recipe_of(readings: Readings) -> Recipe:
    """What EM is to ascend for a model that is read so; a DataError where no mixture is."""
    event = "multinomial" if readings.event == "auto" else readings.event
    if event == "complement" or event == "language" or readings.estimate == "integrated":  # noqa: PLR1714
        raise DataError(
            "the complement, language models and integrated parameters are no mixture that EM finds; use "
            "event='multinomial' or 'bernoulli' with estimate='bayes', 'map' or 'ml'"
        )
    if readings.prior.terms or readings.prior.classes or readings.prior.proportional:
        raise DataError("EM takes one alpha for all words; give a number, and words of a class as seeds")
    alpha = readings.prior.alpha
    if isinstance(alpha, str):
        alpha = Recipe().alpha + (1.0 if readings.estimate == "map" else 0.0)
    documents = Recipe().documents + (1.0 if readings.estimate == "map" else 0.0)
    if isinstance(readings.class_prior, float):
        documents = readings.class_prior
    temper = Temper.root() if readings.calibrated else Temper()
    return Recipe(event=event, estimate=readings.estimate, alpha=alpha, documents=documents, temper=temper)
