"""Texts without any label: EM from many random starts, from a few words of each class, and Gibbs beside it."""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from statistics import fmean
from time import perf_counter

import numpy as np

import latent_data
import report
from priori.latent import (
    Climb,
    Corpus,
    Recipe,
    Seeds,
    Temper,
    annealing,
    class_names,
    gibbs_chains,
    matched_accuracy,
    normalized_mutual_information,
)
from priori.text import Analyzer

ASKED = {"subj": 88.0, "space / hockey": 96.0, "graphics / mideast": 90.0}  # percent, classes matched
DEFAULT = "default recipe"
RAW = "raw counts, not tempered"
SEEDED = "5 seed words a class, one start"
GIBBS = "Gibbs, 5 seed words a class"
SLIDE = "Gibbs, 5 seed words a class, the slide's product form"
UNTOLD = "Gibbs without seed words, annealed"
SAMPLED = "space / hockey"  # where Gibbs stands beside EM
BURN_IN, SAMPLES, CHAINS = 50, 50, 2
UNTEMPERED = Recipe(least_documents=1, largest_share=1.0, temper=Temper())

HEADS = ["", "seeds", "accuracy", "lowest", "highest", "NMI", "seconds"]


@dataclass(frozen=True)
class Task:
    """One way on one pair of classes, from one seed."""

    pair: str
    way: str
    seed: int
    quick: bool


@dataclass(frozen=True)
class Outcome:
    """Percent put right, classes matched (with seed words: by name), and the seconds after the texts were encoded."""

    accuracy: float
    nmi: float
    seconds: float


Found = Mapping[tuple[str, str], list[Outcome]]  # by pair and way


def tasks(quick: bool) -> list[Task]:
    """All of them. From seed words EM has one start and nothing to draw."""
    seeds = range(1 if quick else 5)
    wanted = []
    for pair in latent_data.pairs():
        wanted += [Task(pair.name, way, seed, quick) for way in (DEFAULT, RAW) for seed in seeds]
        wanted.append(Task(pair.name, SEEDED, 0, quick))
        if pair.name in (SAMPLED, latent_data.BUNDLED.name):
            wanted += [Task(pair.name, way, seed, quick) for way in (GIBBS, SLIDE, UNTOLD) for seed in seeds]
    return wanted


def measure(quick: bool, processes: int) -> Found:
    """Everything."""
    wanted = tasks(quick)
    found: dict[tuple[str, str], list[Outcome]] = {}
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for task, outcome in zip(wanted, pool.map(outcome_of, wanted), strict=True):
            print(f"no labels: {task.pair}, {task.way}, seed {task.seed}", file=sys.stderr)
            found.setdefault((task.pair, task.way), []).append(outcome)
    return found


def outcome_of(task: Task) -> Outcome:
    """One of them, on one thread."""
    rows, truth = latent_data.of_pair(task.pair)
    recipe = UNTEMPERED if task.way == RAW else Recipe()
    if task.quick:
        recipe = replace(recipe, restarts=3)
    analyzer = Analyzer(binary=task.way != RAW)
    seeds = Seeds.of(latent_data.pair(task.pair).seeds).analyzed(analyzer)
    told = seeds if task.way in (SEEDED, GIBBS, SLIDE) else None
    corpus = recipe.terms(latent_data.encoded(rows, analyzer), told)
    names = class_names((), told, 2)
    way: Callable[[Task, Corpus, Recipe, tuple[str, ...], Seeds | None], np.ndarray]
    way = _climbed if task.way in (DEFAULT, RAW, SEEDED) else _sampled
    start = perf_counter()
    shares = way(task, corpus, recipe, names, told)
    seconds = perf_counter() - start
    said = np.array(names)[shares.argmax(axis=1)]
    accuracy = matched_accuracy(truth, said) if told is None else float((said == truth).mean())
    return Outcome(100 * accuracy, normalized_mutual_information(truth, said), seconds)


def _climbed(task: Task, corpus: Corpus, recipe: Recipe, names: tuple[str, ...], told: Seeds | None) -> np.ndarray:
    climb = Climb(corpus, recipe.settings(corpus, names, told), recipe, seed=task.seed, seeds=told, jobs=1)
    for _ in climb:
        pass
    return climb.summit().shares


def _sampled(task: Task, corpus: Corpus, recipe: Recipe, names: tuple[str, ...], told: Seeds | None) -> np.ndarray:
    prior = recipe.alpha if told is None else told.prior(corpus, names, recipe.alpha)
    found = gibbs_chains(
        corpus,
        len(names),
        prior=prior,
        seed=task.seed,
        chains=CHAINS,
        burn_in=BURN_IN,
        samples=SAMPLES,
        exact=task.way != SLIDE,
        power=annealing(BURN_IN) if told is None else 1.0,
        diagnose=False,
        jobs=1,
    )
    return found.probabilities if told is not None else found.by_chain[found.best]


def figures(found: Found) -> list[report.Figure]:
    """The targets."""
    figures = []
    for pair in latent_data.pairs():
        ones = [one.accuracy for one in found[pair.name, DEFAULT]]
        asked = ASKED.get(pair.name)
        said = f"no labels, {pair.name}, best objective of the restarts, mean of {len(ones)} seeds"
        figures.append(report.Figure(said, fmean(ones), " %", min(ones), max(ones), asked))
        seeded = found[pair.name, SEEDED][0].accuracy
        said = f"{SEEDED}, {pair.name}"
        figures.append(report.Figure(said, seeded, " %", target=asked))
        figures.append(report.Figure(f"{said}: points above the restarts", seeded - fmean(ones), ""))
    return figures


def sections(found: Found) -> list[str]:
    """Each pair by itself."""
    parts = []
    for pair in latent_data.pairs():
        rows = [_row(way, ones) for (name, way), ones in found.items() if name == pair.name]
        parts += [f"### {pair.name}: {len(latent_data.of_pair(pair.name)[0]):,} texts", report.table(HEADS, rows)]
    return parts


def _row(way: str, ones: list[Outcome]) -> list[str]:
    accuracies = [one.accuracy for one in ones]
    return [
        way, f"{len(ones)}", f"{fmean(accuracies):.1f} %", f"{min(accuracies):.1f}", f"{max(accuracies):.1f}",
        f"{fmean(one.nmi for one in ones):.3f}", f"{fmean(one.seconds for one in ones):.2f}",
    ]  # fmt: skip
