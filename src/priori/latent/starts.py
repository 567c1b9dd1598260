"""Where EM begins: responsibilities of documents, (n, C), or of rows of a table, (n, K), each row adding up to 1."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from priori.columns.readings import TableReadings
from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import Settings, State
from priori.latent.seed_words import Seeds

if TYPE_CHECKING:  # what columns need is loaded for rows of a table
    from priori.latent.distances import Places, Plane
    from priori.latent.em_algorithm.row_iteration import RowStep
    from priori.latent.rows import HiddenRows

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Start = Literal["spread", "random"]

_MOST_MOVES = 20  # of the middles of a spread-out start


# --- documents --------------------------------------------------------------------------------------------------------


def random(corpus: Corpus, settings: Settings, seed: int | np.random.Generator) -> Floats:
    """Evenly drawn from all responsibilities (a flat Dirichlet); a labelled document's within its class."""
    drawn = np.random.default_rng(seed).standard_exponential((len(corpus), settings.size))
    return clamped(corpus, settings, drawn)


def clamped(corpus: Corpus, settings: Settings, shares: Floats) -> Floats:
    """Labelled documents belong to their class only; rows are made to add up to 1."""
    outside = corpus.labelled[:, None] & (settings.component_class != corpus.cls[:, None])
    kept = np.where(outside, 0.0, shares)
    total = kept.sum(axis=1, keepdims=True)
    even = np.where(outside, 0.0, 1.0)
    return np.asarray(np.where(total > 0, kept, even) / np.where(total > 0, total, even.sum(axis=1, keepdims=True)))


def spread(corpus: Corpus, settings: Settings, seed: int | np.random.Generator) -> Floats:
    """From documents that are unlike each other, as k-means++ has it: every document goes to the nearest of them.

    The next one is drawn with a probability proportional to min(n, median n) (1 - cosine to the nearest so far), words
    weighed by log((D + 1) / (frequency + 1)). A class with labelled documents has those in place of a drawn one.
    """
    rng = np.random.default_rng(seed)
    weight = np.log((len(corpus) + 1.0) / (corpus.document_frequency + 1.0))
    value = corpus.count * weight[corpus.term]
    row = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    norm = np.sqrt(np.bincount(row, value**2, len(corpus)))
    value = value / np.where(norm > 0, norm, 1.0)[row]
    capped = np.minimum(corpus.length, np.median(corpus.length))
    near = np.zeros((len(corpus), settings.size))
    for component in range(settings.size):
        own = np.flatnonzero(corpus.cls == settings.component_class[component])
        if len(own) and settings.components == 1:
            chosen = own
        else:
            chance = capped * (1.0 - near[:, :component].max(axis=1, initial=0.0))
            chance = np.where(chance > 0, chance, 0.0) + (0.0 if (chance > 0).any() else 1.0)
            chosen = rng.choice(len(corpus), 1, p=chance / chance.sum())
        centre = np.zeros(corpus.terms)
        inside = np.isin(row, chosen)
        np.add.at(centre, corpus.term[inside], value[inside] / len(chosen))
        length = float(np.sqrt((centre**2).sum()))
        near[:, component] = np.bincount(row, value * centre[corpus.term], len(corpus)) / (length or 1.0)
    nearest = near == near.max(axis=1, keepdims=True)
    return clamped(corpus, settings, nearest.astype(np.float64))


def voted(
    corpus: Corpus,
    settings: Settings,
    seeds: Seeds,
    seed: int | np.random.Generator = 0,
    votes: Floats | None = None,
) -> Floats:
    """By seed words: a document goes to the class of which it has the most; without any it says nothing yet.

    Rows of such documents are 0: they have no weight in the first M-step. But where classes are left of which nothing
    is known, neither words nor labels, they are drawn among those. Components of a class are drawn. votes: (n, K), of
    `seeds.votes` for these classes, if they have been counted for another start.
    """
    drawn = random(corpus, settings, seed)
    counted = seeds.votes(corpus, settings.classes) if votes is None else votes
    votes = np.repeat(counted, settings.components, axis=1)
    won = (votes == votes.max(axis=1, keepdims=True)).astype(np.float64)
    start = clamped(corpus, settings, won * drawn if settings.components > 1 else won)
    silent = (votes.max(axis=1) == 0) & ~corpus.labelled
    heard = set(seeds.classes).union(settings.classes[c] for c in np.unique(corpus.cls[corpus.labelled]))
    unheard = np.array([settings.classes[c] not in heard for c in settings.component_class])
    start[silent] = clamped(corpus, settings, drawn * unheard)[silent] if unheard.any() else 0.0
    return start


def labelled(corpus: Corpus, settings: Settings, seed: int | np.random.Generator) -> Floats:
    """By the labels alone: documents without one have no weight in the first M-step. Components are drawn."""
    start = random(corpus, settings, seed)
    start[~corpus.labelled] = 0.0
    return start


def told_all(corpus: Corpus, settings: Settings, start: Floats, jobs: int | None = None) -> Floats:
    """A start in which documents that say nothing yet are told by the others, where nothing is imagined.

    Maximum likelihood from the others alone would call each word that only they have impossible. So the first step is
    a smoothed one: one occurrence of every word, and one document, imagined in each component.
    """
    if settings.estimate != "ml" or start.any(axis=1).all():
        return start
    smoothed = replace(settings, estimate="bayes", words=WordPrior.even(1.0), documents=1.0)
    return State(corpus, smoothed, start * settings.weights(corpus)[:, None], jobs).responsibilities()


def recognized(
    corpus: Corpus, settings: Settings, shares: Floats, iterations: int = 20, jobs: int | None = None
) -> Floats:
    """Classes found from these shares without a look at the labels, which then are given to the classes they fit best.

    For labels of some classes, where others have none: a few labels cannot hold a class against all the documents that
    began elsewhere, and would name another than they mean.
    """
    from scipy.optimize import linear_sum_assignment

    state = State(corpus.with_classes(np.full(len(corpus), -1)), settings, shares * corpus.weight[:, None], jobs)
    for iteration in range(1, iterations + 1):
        state.step(iteration)
    found = state.responsibilities()
    told = np.unique(corpus.cls[corpus.labelled])
    belonging = np.stack([found[corpus.cls == c].sum(axis=0) for c in told])  # of each class's documents to components
    _, columns = linear_sum_assignment(np.repeat(belonging, settings.components, axis=0), maximize=True)
    named = np.isin(settings.component_class, told)
    order = np.empty(settings.size, np.intp)
    order[named] = columns
    order[~named] = np.setdiff1d(np.arange(settings.size), columns)
    return clamped(corpus, settings, found[:, order])


# --- rows of a table --------------------------------------------------------------------------------------------------


class Starts(NamedTuple):
    """Responsibilities to begin from, (n, K), each made when it is asked for."""

    each: Iterable[Floats]
    tightest: Floats  # the one of least spread within its classes


def labelled_start(rows: "HiddenRows", readings: TableReadings, unlabelled_weight: float = 1.0) -> Floats:
    """What the labelled rows alone say of the others, (n, K).

    They are read under the weak priors whatever the estimate: of a class with one row no maximum exists.
    """
    weak = replace(readings, estimate="bayes", alpha=readings.alpha or 1.0)
    return labelled_step(rows, weak, unlabelled_weight).responsibilities


def labelled_step(rows: "HiddenRows", readings: TableReadings, unlabelled_weight: float = 1.0) -> "RowStep":
    """Parameters of the labelled rows alone, under priors that all rows place where no class matters for that."""
    from priori.latent.em_algorithm.row_iteration import HiddenModel

    alone = rows.clamped(np.zeros((len(rows), rows.classes)))
    return HiddenModel(rows, readings, unlabelled_weight, alone).step(alone, 0)


def several_starts(rows: "HiddenRows", start: Start, restarts: int, rng: np.random.Generator) -> Starts:
    """As many as that, spread out over the rows or at random; texts are no points, so of texts alone at random."""
    from priori.latent.distances import Plane

    if start == "spread" and (plane := Plane.of(rows)).dimensions:
        groups = [spread_start(plane, rows.classes, rng) for _ in range(restarts)]
        tightest = max(groups, key=lambda each: plane.tightness(each, rows.classes))
        belonging = partial(_belonging, classes=rows.classes)
        return Starts(map(belonging, groups), belonging(tightest))
    first = random_start(rows, rng)  # none is tight, and so one does for all
    return Starts(chain([first], (random_start(rows, rng) for _ in range(restarts - 1))), first)


def random_start(rows: "HiddenRows", rng: np.random.Generator) -> Floats:
    """Every row belongs to all classes, at random: uniform over their shares."""
    return rng.dirichlet(np.ones(rows.classes), len(rows))


def spread_start(plane: "Plane", classes: int, rng: np.random.Generator) -> Int32s:
    """Rows as far apart as chance has it (k-means++, Arthur & Vassilvitskii 2007), moved to the middle of those next to
    them; then each row belongs to the nearest, (n,)."""
    chosen = _far_apart(plane, classes, rng)
    nearest = plane.nearest(plane.at(chosen))
    nearest[chosen] = np.arange(classes)  # also where rounding has two of them at one place: no class is empty
    for _ in range(_MOST_MOVES):
        moved = plane.nearest(plane.middles(nearest, classes))
        if (moved == nearest).all() or not np.bincount(moved, minlength=classes).all():
            break  # nothing moves, or a class has lost all its rows: those of before will do
        nearest = moved
    return nearest


def _far_apart(plane: "Plane", classes: int, rng: np.random.Generator) -> "Places":
    """The first row by its weight, each further one by weight times its squared distance from those chosen."""
    chosen = [int(rng.choice(len(plane.weight), p=plane.weight / plane.weight.sum()))]
    away = plane.distances(chosen[0])
    while len(chosen) < classes:
        chance = plane.weight * away
        if not chance.any():
            raise DataError(
                f"the table has {len(chosen):,} different row{'s' if len(chosen) > 1 else ''} for {classes:,} classes; "
                "give more rows, or ask for fewer classes: --classes K (n_classes=K)"
            )
        chosen.append(int(rng.choice(len(chance), p=chance / chance.sum())))
        away = np.minimum(away, plane.distances(chosen[-1]))
    return np.array(chosen)


def _belonging(groups: Int32s, *, classes: int) -> Floats:
    """(n, K): 1 for the group of each row."""
    return np.eye(classes)[groups]
