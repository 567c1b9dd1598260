"""What leaving every document out costs, and what fitting alpha and the calibration adds to one training pass."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import data
import report
from calibration_data import Corpus
from contenders import script
from measure import Contender, Run, best, in_turns
from pairs import Work
from priori.columns.words.left_out.closed_form import LeftOut
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.model.classifier import Model
from priori.model.leave_one_out import encoded, left_out_scores
from priori.text import Analyzer

ALPHAS = np.geomspace(0.001, 3, 20).tolist()
GROWTH = (1, 2, 4, 8, 16)
PEER = "CountVectorizer + MultinomialNB"


class Bench:
    """Measurements as they come in."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.figures: list[report.Figure] = []
        self.rows: list[list[str]] = []

    def take(self, works: dict[str, Work]) -> dict[str, list[Run]]:
        """Each once, then each again: a noisy minute hits all alike."""
        runs: dict[str, list[Run]] = {name: [] for name in works}
        for _ in range(self.rounds):
            for name, work in works.items():
                print(f"speed: {name}", file=sys.stderr)
                runs[name].append(_run(work))
        self.tell(runs)
        return runs

    def tell(self, runs: dict[str, list[Run]]) -> None:
        """As they were measured."""
        self.rows += [[name, *(f"{value:.3f}" for value in _spread(taken))] for name, taken in runs.items()]

    def leaving_out(self, texts: list[str], labels: list[str]) -> None:
        """All documents, at one alpha and at many, against a training pass."""
        plain = Readings()
        model = _trained(texts, labels, plain)

        def from_texts() -> Documents:
            return encoded(model, read_objects(texts, labels))

        def kept() -> Documents:
            return Documents.of_sample(model.summary.sample, model.counts.unit)

        def grid(documents: Documents) -> None:
            left = LeftOut.of(model.counts, plain, None, documents, fixed=False)
            for alpha in ALPHAS:
                left.scores(plain.with_alpha(alpha))

        works: dict[str, Work] = {
            "train": partial(_trained, texts, labels, plain),
            "leave one out, from texts": lambda: left_out_scores(model, from_texts()),
            "leave one out, kept documents": lambda: left_out_scores(model, kept()),
            "20 alphas, from texts": lambda: grid(from_texts()),
            "20 alphas, kept documents": lambda: grid(kept()),
        }
        runs = self.take(works)
        self.figures += [
            report.slowdown(f"{name} / train", runs[name], runs["train"], 15 if name.startswith("20") else 2)
            for name in list(works)[1:]
        ]
        print(f"{len(kept()):,} documents are kept of {len(texts):,}", file=sys.stderr)

    def training(self, texts: list[str], labels: list[str]) -> None:
        """The default, fitted readings included, against a peer that has neither, in memory."""
        works: dict[str, Work] = {
            "train by default": partial(_fitted, texts, labels),
            "train, plain readings": partial(_trained, texts, labels, Readings()),
            PEER: partial(_peer, texts, labels),
        }
        runs = self.take(works)
        peer = runs[PEER]
        for name, target in (("train by default", 8), ("train, plain readings", None)):
            self.figures.append(report.ratio(f"{name} / {PEER}", runs[name], 1, peer, 1, target))

    def command(self, rows: list[data.Row], folder: Path) -> None:
        """The same from a file, as processes: ours with its start and a saved model, the peer with neither."""
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "texts.tsv"
        data.write_tsv(source, rows, sum(len(label.encode()) + len(text.encode()) + 2 for label, text in rows))
        program = str(Path(sys.executable).with_name("priori"))
        command = [program, "train", str(source), "-o", str(folder / "texts.priori"), "--jobs", "1"]
        ours, theirs = "priori train", f"{PEER}, from a file"
        runs = in_turns(
            [
                Contender(ours, command, source.stat().st_size),
                Contender(theirs, script("peers.py", "counting", source), source.stat().st_size, reports=True),
            ],
            self.rounds,
            lambda text: print(f"speed: {text}", file=sys.stderr),
        )
        self.tell(runs)
        self.figures.append(report.ratio(f"{ours} / {theirs}", runs[ours], 1, runs[theirs], 1, 8))

    def growth(self, texts: list[str], labels: list[str], times: Sequence[int]) -> None:
        """As the corpus grows: the fit looks at the kept documents only, so its share of the whole vanishes."""
        corpora = {n: enlarged(texts, labels, n) for n in times}
        models = {n: _trained(*corpus, Readings.automatic()) for n, corpus in corpora.items()}
        whole = {n: f"train by default, {n} x the documents" for n in times}
        fit = {
            n: f"fit alone, {n} x the documents, {len(model.summary.sample or ()):,} kept"
            for n, model in models.items()
        }
        peer = f"{PEER}, {times[0]} x the documents"
        runs = self.take(
            {
                peer: partial(_peer, *corpora[times[0]]),
                **{whole[n]: partial(_fitted, *corpora[n]) for n in times},
                **{fit[n]: partial(_fit_again, models[n]) for n in times},
            }
        )
        for n in times:
            sizes = (sum(map(len, corpora[size][0])) for size in (n, times[0]))
            taken = zip((runs[whole[n]], runs[peer]), sizes, strict=True)
            name = f"train by default, {n} x the documents / {PEER}, once, by characters"
            self.figures.append(report.ratio(name, *(each for pair in taken for each in pair)))
        for n in times[1:]:
            name = f"fit alone, {n} x the documents / once"
            self.figures.append(report.slowdown(name, runs[fit[n]], runs[fit[times[0]]]))


def enlarged(texts: list[str], labels: list[str], times: int) -> tuple[list[str], list[str]]:
    """So many times the documents, all different: the first half of one before the second of another of its class."""
    rng, places = np.random.default_rng(0), {}
    for row, label in enumerate(labels):
        places.setdefault(label, []).append(row)
    more_texts, more_labels = list(texts), list(labels)
    for _ in range(times - 1):
        for label, rows in places.items():
            for first, second in zip(rng.permutation(rows), rng.permutation(rows), strict=True):
                a, b = texts[first], texts[second]
                more_texts.append(a[: len(a) // 2] + " " + b[len(b) // 2 :])
                more_labels.append(label)
    return more_texts, more_labels


def _trained(texts: list[str], labels: list[str], readings: Readings) -> Model:
    return Model.train(read_objects(texts, labels), Analyzer(), readings, keep_sample=True, jobs=1)


def _fitted(texts: list[str], labels: list[str]) -> object:
    return _trained(texts, labels, Readings.automatic()).fitted


def _fit_again(model: Model) -> object:
    """Where nothing was fitted yet."""
    return Model(model.analyzer, model.summary, model.readings).fitted


def _peer(texts: list[str], labels: list[str]) -> object:
    return MultinomialNB().fit(CountVectorizer().fit_transform(texts), labels)


def _run(work: Work) -> Run:
    start, processor = perf_counter(), process_time()
    work()
    return Run(perf_counter() - start, process_time() - processor, 0)


def _spread(taken: list[Run]) -> tuple[float, float, float]:
    return best(taken), max(run.seconds for run in taken), min(run.processor_seconds for run in taken)


def measured(corpus: Corpus, rounds: int, times: Sequence[int], folder: Path) -> Bench:
    """All of it, on what is officially for learning."""
    texts, labels = corpus.learned()
    bench = Bench(rounds)
    bench.leaving_out(texts, labels)
    bench.training(texts, labels)
    bench.command(list(zip(labels, (data.one_line(text) for text in texts), strict=True)), folder)
    bench.growth(texts, labels, times)
    return bench
