"""One iteration of EM against scipy.sparse, one sweep of Gibbs against a loop in Python, and what whole fits take."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import calibration_data
import latent_data
import latent_memory
import report
from latent_peers import LoopGibbs, SparseEM
from measure import Run, best
from priori.estimators.text_classifier import TextClassifier
from priori.latent import Climb, Corpus, Recipe, Settings, State, class_names, gibbs, starts
from priori.latent.gibbs_sampling.setup import Hidden
from priori.text import Analyzer

CLASSES = 20
ALPHA = 0.1
_MODEL = (CLASSES, ALPHA)  # of the sampler
STEPS = 3  # iterations of each in a round
GROWTH = (1, 4, 16)
SCIPY, TURNED = "scipy.sparse", "scipy.sparse, X.T laid out beforehand"
HEADS = ["milliseconds", "best", "longest", "of the processor"]


@dataclass(frozen=True)
class Contender:
    """Some work, how many times a round, and on how many processors."""

    work: Callable[[], object]
    processors: int = 1
    times: int = 1


class Bench:
    """Measurements as they come in."""

    def __init__(self, rounds: int, texts: str) -> None:
        self.rounds = rounds
        self.texts = texts  # what is measured on
        self.figures: list[report.Figure] = []
        self.rows: list[list[str]] = []

    def take(self, contenders: Mapping[str, Contender], most: int | None = None) -> dict[str, list[Run]]:
        """Each once, then each again: a noisy minute hits all alike. At most so many rounds."""
        runs: dict[str, list[Run]] = {name: [] for name in contenders}
        for _ in range(min(self.rounds, most or self.rounds)):
            for name, one in contenders.items():
                print(f"speed: {name}", file=sys.stderr)
                with on_processors(one.processors):
                    runs[name].append(min((_run(one.work) for _ in range(one.times)), key=lambda run: run.seconds))
        self.rows += [[name, *(f"{1e3 * seconds:,.1f}" for seconds in _spread(taken))] for name, taken in runs.items()]
        return runs


@contextmanager
def on_processors(number: int) -> Iterator[None]:
    """On the last of ours; threads that are started meanwhile stay there too."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(ours)[-number:]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, ours)


def measured(rounds: int, quick: bool, folder: Path) -> Bench:
    """Everything."""
    name = calibration_data.first_of(latent_data.NEWSGROUPS).name
    corpus = latent_data.encoded(latent_data.texts(name).learned, Analyzer())
    bench = Bench(rounds, f"{name}, {len(corpus):,} documents, {corpus.terms:,} terms, {len(corpus.term):,} entries")
    iterations(bench, corpus)
    sweeps(bench, corpus, 10 if quick else 1)
    growth(bench, corpus, GROWTH[: 2 if quick else None])
    bench.figures += latent_memory.figures(corpus, CLASSES, folder)
    whole_fits(bench, quick)
    return bench


def iterations(bench: Bench, corpus: Corpus) -> None:
    """EM of 20 classes, all terms, raw counts."""
    settings = _settings()
    start = starts.random(corpus, settings, 0)
    objectives: dict[str, list[float]] = {}

    def ours(name: str, jobs: int) -> Callable[[], object]:
        state = State(corpus, settings, start, jobs)
        told = objectives.setdefault(name, [])
        return lambda: told.append(state.step(1).objective)

    def theirs(name: str) -> Callable[[], object]:
        peer = SparseEM(corpus, settings, start, turned=name == TURNED)
        told = objectives.setdefault(name, [])
        return lambda: told.append(peer.step())

    one, two, shared = "EM, one thread, one core", "EM, two threads, two cores", "EM, two threads, one core"
    runs = bench.take(
        {
            one: Contender(ours(one, 1), 1, STEPS),
            SCIPY: Contender(theirs(SCIPY), 1, STEPS),
            two: Contender(ours(two, 2), min(2, len(os.sched_getaffinity(0))), STEPS),
            TURNED: Contender(theirs(TURNED), 1, STEPS),
            shared: Contender(ours(shared, 2), 1, STEPS),
        }
    )
    for name, told in objectives.items():
        _refuse_others(name, told, objectives[SCIPY])
    for peer in (SCIPY, TURNED):
        for name, target in ((one, 2.5), (two, 4.0)):
            bench.figures.append(report.ratio(f"{name} / {peer}", runs[name], 1, runs[peer], 1, target))
    bench.figures.append(report.ratio("EM, two threads and cores / one", runs[two], 1, runs[one], 1))
    bench.figures.append(report.ratio("EM, two threads / one, on one core", runs[shared], 1, runs[one], 1))


def _refuse_others(name: str, told: Sequence[float], expected: Sequence[float]) -> None:
    if not np.allclose(told, expected, rtol=1e-9, atol=0):
        sys.exit(f"{name} does not ascend what {SCIPY} ascends: {told[-1]!r}, {expected[-1]!r}")


def sweeps(bench: Bench, corpus: Corpus, part: int) -> None:
    """The collapsed sampler of 20 classes, exact predictive; the loop in Python on every part-th document."""
    few = corpus.rows(np.arange(0, len(corpus), part))
    labels = np.random.default_rng(0).integers(CLASSES, size=len(few)).astype(np.int32)
    chain = Hidden.of(few, *_MODEL).chain(labels)
    those = "" if part == 1 else f", every {part}th document"
    ours, whole, em = f"Gibbs sweep{those}", "Gibbs sweep with its log joint", "EM, one thread, beside it"
    loops = {
        f"the same in plain Python, factor by factor{those}": LoopGibbs(few, *_MODEL, labels.tolist(), gammas=False),
        f"the same in plain Python, by log-Gammas{those}": LoopGibbs(few, *_MODEL, labels.tolist(), gammas=True),
    }

    def drawing(sweep: Callable[[np.ndarray], object]) -> Callable[[], object]:
        rng = np.random.default_rng(1)
        return lambda: sweep(rng.random(len(few)))

    states = gibbs(corpus, CLASSES, prior=ALPHA, seed=0)
    for _ in range(3):
        next(states)
    settings = _settings()
    state = State(corpus, settings, starts.random(corpus, settings, 0), 1)
    runs = bench.take(
        {
            ours: Contender(drawing(lambda uniforms: chain.sweep(uniforms, True, 1.0, None))),
            whole: Contender(lambda: next(states)),
            em: Contender(lambda: state.step(1), 1, STEPS),
            **{
                name: Contender(drawing(lambda uniforms, loop=loop: loop.sweep(uniforms.tolist())))
                for name, loop in loops.items()
            },
        },
        most=3,
    )
    for name, loop in loops.items():
        if chain.labels().tolist() != loop.labels:
            sys.exit(f"{name}: it draws other labels than ours")
        bench.figures.append(report.ratio(f"Gibbs sweep / {name}", runs[ours], 1, runs[name], 1, 200))
    bench.figures.append(report.slowdown(f"{whole} / EM iteration, one thread", runs[whole], runs[em], 5))


def growth(bench: Bench, corpus: Corpus, times: Sequence[int]) -> None:
    """More documents of the same terms: two tables are gone through once however many there are."""
    settings = _settings()
    contenders = {}
    for n in times:
        larger = corpus.rows(np.tile(np.arange(len(corpus)), n))
        state = State(larger, settings, starts.random(larger, settings, 0), 1)
        contenders[f"EM, one thread, {n} x the documents"] = Contender(lambda state=state: state.step(1))
    once, *more = bench.take(contenders).values()
    for n, runs in zip(times[1:], more, strict=True):
        bench.figures.append(report.slowdown(f"EM, {n} x the documents / once", runs, once))


def whole_fits(bench: Bench, quick: bool) -> None:
    """From texts in memory to the end, on all cores and on one."""
    pair = latent_data.pairs()[0].name
    rows, _ = latent_data.of_pair(pair)
    recipe = Recipe(restarts=3) if quick else Recipe()
    texts = latent_data.texts(calibration_data.first_of(latent_data.NEWSGROUPS).name)
    labels = texts.shown(15, 0)
    cores = len(os.sched_getaffinity(0))

    def climb(jobs: int) -> None:
        corpus = recipe.terms(latent_data.encoded(rows, Analyzer(binary=True)))
        for _ in Climb(corpus, recipe.settings(corpus, class_names((), None, 2)), recipe, jobs=jobs):
            pass

    def fit(jobs: int, unlabelled: str) -> None:
        TextClassifier(n_jobs=jobs, unlabelled=unlabelled).fit(texts.learned, labels)

    contenders = {}
    for n, said in dict.fromkeys([(1, "one core"), (cores, f"{cores} cores")]):
        contenders[f"{pair}, {recipe.restarts} restarts, {said}"] = Contender(lambda n=n: climb(n), n)
        contenders[f"half-labelled fit, 15 a class, {said}"] = Contender(lambda n=n: fit(n, "em"), n)
        contenders[f"the same, labelled texts alone, {said}"] = Contender(lambda n=n: fit(n, "skip"), n)
    bench.take(contenders, most=3)


def _settings() -> Settings:
    return Settings(tuple(map(str, range(CLASSES))))


def _run(work: Callable[[], object]) -> Run:
    start, busy = perf_counter(), process_time()
    work()
    return Run(perf_counter() - start, process_time() - busy, 0)


def _spread(runs: list[Run]) -> tuple[float, float, float]:
    longest = max(run.seconds for run in runs)
    return best(runs), longest, min(run.processor_seconds for run in runs)
