"""Choosing the number of classes: a mixture of each number, what five criteria say of it, and that as a table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from typing import Any, Literal, get_args

import numpy as np

from priori.errors import DataError
from priori.formatting import grid
from priori.latent.class_number_criteria import (
    EvidenceKind,
    Evidences,
    Mixing,
    aic,
    bic,
    enough,
    free_parameters,
    held_out_per_word,
    log_evidences,
    stability,
)
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.restarts import Summit
from priori.latent.seed_words import SeedWords
from priori.latent.settings import Named, Recipe

Criterion = Literal["aic", "bic", "evidence", "held_out", "stability"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
_SMALLER = ("aic", "bic")  # is better
_NAMES: dict[Criterion, str] = {
    "aic": "AIC",
    "bic": "BIC",
    "evidence": "evidence",
    "held_out": "held-out likelihood",
    "stability": "stability",
}


@dataclass(frozen=True, eq=False)
class NumberRow:
    """A mixture of so many classes. None: not asked for, or it does not exist."""

    classes: int
    summit: Summit  # the fit itself, to go on with
    log_likelihood: float  # plain, at its maximum: where EM ends that goes on from the fit untempered
    parameters: int
    aic: float
    bic: float
    evidence: float | None
    evidence_error: float | None  # standard error of an annealed one
    held_out: float | None  # log p per word of documents held out
    stability: float | None  # NMI of halves; with one class there is nothing to agree on

    def of(self, criterion: Criterion) -> float | None:
        """The value of a criterion."""
        value: float | None = getattr(self, criterion)
        return value


@dataclass(frozen=True, eq=False)
class NumberChoice:
    """One row for each number of classes, and the one that a criterion prefers."""

    rows: tuple[NumberRow, ...]
    criterion: Criterion
    evidence_kind: EvidenceKind | None  # complete: log p(D, L) at the likeliest labels, which is less than log p(D)
    documents: int
    terms: int
    words: float  # of all documents
    tempered: bool  # whether the fits are; the log-likelihoods are not

    @property
    def classes(self) -> int:
        """The number that the criterion chooses."""
        found = self.chosen_by(self.criterion)
        if found is None:
            raise DataError(
                f"{self.criterion} says nothing of these numbers of classes; give more of them, or another criterion"
            )
        return found

    def chosen_by(self, criterion: Criterion) -> int | None:
        """The number that another criterion would choose; None if it has no value.

        Of equal ones it is the larger for stability (halves agree on what is coarse, too), else the smaller. Held-out
        likelihoods are equal where all documents together differ by less than one nat, annealed evidences where they
        differ by no more than their standard errors together.
        """
        sign = -1 if criterion in _SMALLER else 1
        known = [(row.of(criterion), row) for row in self.rows]
        values = {row.classes: (sign * value, self._slack(row, criterion)) for value, row in known if value is not None}
        if not values:
            return None
        most, slack = max(values.values())
        best = [classes for classes, (value, own) in values.items() if value >= most - slack - own]
        return max(best) if criterion == "stability" else min(best)

    def _slack(self, row: NumberRow, criterion: Criterion) -> float:
        """How far off the value of a row may be. The error of a difference is no more than the sum of both errors."""
        if criterion == "held_out":
            return 0.5 / self.words
        return row.evidence_error or 0.0 if criterion == "evidence" else 0.0

    def __getitem__(self, classes: int) -> NumberRow:
        for row in self.rows:
            if row.classes == classes:
                return row
        raise DataError(
            f"there is no row of {classes} classes; there are {', '.join(str(r.classes) for r in self.rows)}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        fields = [field.name for field in dataclass_fields(NumberRow) if field.name != "summit"]
        return {
            "classes": self.chosen_by(self.criterion),
            "criterion": self.criterion,
            "chosen_by": {name: self.chosen_by(name) for name in CRITERIA},
            "evidence_kind": self.evidence_kind,
            "documents": self.documents,
            "terms": self.terms,
            "words": self.words,
            "tempered": self.tempered,
            "rows": [
                {name: _finite(getattr(row, name)) for name in fields} | {"objective": row.summit.objective}
                for row in self.rows
            ],
        }


def choose_classes(
    corpus: Corpus,
    numbers: Iterable[int],
    *,
    criterion: Criterion = "stability",
    criteria: Sequence[Criterion] = CRITERIA,
    recipe: Recipe | None = None,
    seeds: SeedWords | None = None,
    folds: int = 5,
    splits: int = 5,
    restarts: int = 5,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NumberChoice:
    """Fit a mixture of each number of classes by the recipe, and measure it by the criteria.

    criteria: which to compute (AIC and BIC always are). folds, splits, restarts: of the criteria that fit again, the
    last from how many starts. What each tends to choose is in docs/maths/number_of_classes.md.

    >>> from priori.latent import Corpus, Recipe, choose_classes
    >>> corpus = Corpus.of_counts([[5 * (i % 2) + i % 3, 5 * (1 - i % 2) + i % 4] for i in range(24)])
    >>> choose_classes(corpus, range(1, 4), criterion="bic", criteria=(), recipe=Recipe(restarts=3)).classes
    2
    """
    if not isinstance(corpus, Corpus):
        raise DataError(
            f"documents are a Corpus here, not a {type(corpus).__name__}; encode texts with Corpus.of (priori.latent)"
        )
    wanted = tuple(dict.fromkeys((criterion, *criteria)))
    if unknown := [name for name in wanted if name not in CRITERIA]:
        raise DataError(f"criterion {unknown[0]!r} is unknown; choose among {', '.join(CRITERIA)}")
    recipe = recipe or Recipe()
    chosen = tuple(sorted(dict.fromkeys(numbers)))
    if not chosen:
        raise DataError("there is no number of classes to choose from; give numbers from 1, such as range(1, 9)")
    mixings = mixings_of(corpus, chosen, recipe, seeds, seed=seed, jobs=jobs)
    smaller = mixings[0].corpus
    enough(smaller, chosen[-1])
    steps = 2 * len(chosen) + 1  # a fit and its criteria each; the last is the evidence, which wants all fits
    fitted = []
    for place, mixing in enumerate(mixings):
        _tell(progress, 2 * place, steps)
        summit = mixing.summit()
        _tell(progress, 2 * place + 1, steps)
        fitted.append(_measured(mixing, summit, wanted, folds=folds, splits=splits, restarts=restarts))
    _tell(progress, steps - 1, steps)
    evidences = Evidences(None, (None,) * len(chosen), (None,) * len(chosen))
    if "evidence" in wanted:
        evidences = log_evidences(mixings, [row.summit.shares for row in fitted])
    rows = tuple(
        replace(row, evidence=value, evidence_error=error)
        for row, value, error in zip(fitted, evidences.values, evidences.errors, strict=True)
    )
    words = float((smaller.weight * smaller.length).sum())
    tempered = not mixings[0].settings.temper.plain
    return NumberChoice(rows, criterion, evidences.kind, len(smaller), smaller.terms, words, tempered)


def _tell(progress: Callable[[int, int], None] | None, done: int, steps: int) -> None:
    if progress is not None:
        progress(done, steps)


def _measured(
    mixing: Mixing, summit: Summit, wanted: Sequence[Criterion], *, folds: int, splits: int, restarts: int
) -> NumberRow:
    """All but the evidence."""
    corpus, settings = mixing.corpus, mixing.settings
    # subtle: a word in all documents of a class has no finite weight under Bernoulli's maximum likelihood
    _, log_likelihood = mixing.untempered(summit.shares, smoothed=settings.event == "bernoulli")
    parameters = free_parameters(settings.size, corpus.terms, settings.event)
    several = len(settings.classes) > 1
    return NumberRow(
        len(settings.classes),
        summit,
        log_likelihood,
        parameters,
        aic(log_likelihood, parameters),
        bic(log_likelihood, parameters, float(corpus.weight.sum())),
        None,
        None,
        held_out_per_word(mixing, folds, restarts) if "held_out" in wanted else None,
        stability(mixing, splits, restarts) if "stability" in wanted and several else None,
    )


def mixings_of(
    corpus: Corpus, numbers: Sequence[int], recipe: Recipe, seeds: SeedWords | None, *, seed: int, jobs: int | None
) -> list[Mixing]:
    """What is to be fitted, one for each number of classes; V counts the terms that some document has."""
    occurring = corpus.document_frequency > 0
    if occurring.any() and not occurring.all():
        corpus = corpus.of_terms(occurring)
    found = []
    for number, named in zip(numbers, Named.for_em(corpus, recipe, seeds, numbers), strict=True):
        settings = recipe.settings(named.corpus, named.names, named.seeds)
        once = replace(recipe, restarts=1) if number == 1 else recipe
        found.append(Mixing(named.corpus, settings, once, named.seeds, seed, jobs))
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


# --- as a table and in sentences --------------------------------------------------------------------------------------


def choose_table(choice: NumberChoice) -> str:
    """The rows as a text, the best of each column starred, and a line on what was chosen by what."""
    return "\n".join([grid(choose_cells(choice)), *choose_said(choice)])


def choose_said(choice: NumberChoice) -> list[str]:
    """What was chosen by what, in sentences."""
    number = "1 class" if choice.classes == 1 else f"{choice.classes} classes"
    told = [f"{number}, by {_NAMES[choice.criterion]}."]
    told += [f"{_NAMES[name][0].upper()}{_NAMES[name][1:]} would choose {other}." for name, other in _others(choice)]
    if choice.criterion == "stability":
        told.append("Stability cannot say that there is one class only: look at BIC, and at how low the values are.")
    if choice.evidence_kind == "complete":
        told.append("The evidence is of the likeliest labels alone, log p(D, L): less than log p(D).")
    if choice.tempered:
        told.append("Fits are tempered; log-likelihoods are of EM that goes on from them untempered.")
    return told


def _others(choice: NumberChoice) -> list[tuple[Criterion, int]]:
    found = [(name, choice.chosen_by(name)) for name in CRITERIA if name != choice.criterion]
    return [(name, number) for name, number in found if number is not None]


def choose_cells(choice: NumberChoice) -> list[list[str]]:
    """The head and the rows of the table, as cells."""
    head = ["classes", "log-likelihood", "parameters", "AIC", "BIC"]
    shown: list[tuple[Criterion, str, str]] = [("aic", "AIC", ",.0f"), ("bic", "BIC", ",.0f")]
    evidence = "log evidence" if choice.evidence_kind == "annealed" else "log p(D, L)"
    further: list[tuple[Criterion, str, str]] = [
        ("evidence", evidence, ",.1f"),
        ("held_out", "held out, a word", ".4f"),
        ("stability", "stability", ".3f"),
    ]
    shown += [one for one in further if any(row.of(one[0]) is not None for row in choice.rows)]
    head += [name for _, name, _ in shown[2:]]
    best = {name: choice.chosen_by(name) for name, _, _ in shown}
    rows = []
    for row in choice.rows:
        cells = [f"{row.classes}", f"{row.log_likelihood:,.1f}", f"{row.parameters:,}"]
        for name, _, digits in shown:
            value = row.of(name)
            star = "*" if best[name] == row.classes else ""
            cells.append("–" if value is None else f"{value:{digits}}{star}")
        rows.append(cells)
    return [head, *rows]
