"""Counting against nltk.lm, scoring against kenlm, memory by n-grams; every contender in turns, on one core.

`python language_speed.py resident ours|kenlm MODEL SENTENCES` is a process whose memory is measured.
"""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

import kenlm
import numpy as np

import language_data
import report
from measure import Run, best

ORDER = 3
SMOOTHING = "kneser-ney"
HEADS = ["seconds", "best", "longest", "thousand tokens a second"]


@dataclass
class Bench:
    """Measurements as they come in."""

    rounds: int
    figures: list[report.Figure] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def take(self, contenders: Mapping[str, Callable[[], object]], *tokens: int) -> dict[str, list[Run]]:
        """Each once, then each again: a noisy minute hits all alike. Tokens are those of each, or of all."""
        runs: dict[str, list[Run]] = {name: [] for name in contenders}
        for _ in range(self.rounds):
            for name, work in contenders.items():
                print(f"speed: {name}", file=sys.stderr)
                with one_core():
                    start, busy = perf_counter(), process_time()
                    work()
                    runs[name].append(Run(perf_counter() - start, process_time() - busy, 0))
        for (name, taken), many in zip(runs.items(), itertools.cycle(tokens), strict=False):
            rate = f"{many / best(taken) / 1e3:,.0f}"
            self.rows.append([name, f"{best(taken):.3f}", f"{max(run.seconds for run in taken):.3f}", rate])
        return runs

    def faster(self, name: str, ours: list[Run], theirs: list[Run], target: float | None = None) -> None:
        """How many times as fast."""
        self.figures.append(report.ratio(name, ours, 1, theirs, 1, target))


@contextmanager
def one_core():
    """On the last of our processors."""
    ours = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, ours[-1:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, ours)


def measured(rounds: int, quick: bool, folder: Path) -> Bench:
    """All of it."""
    folder.mkdir(parents=True, exist_ok=True)
    bench, split = Bench(rounds), language_data.divided("newsgroups20")
    few = 200 if quick else 2_000
    counting(bench, split.learned[:: len(split.learned) // few][:few])
    learned = split.learned[:few] if quick else split.learned
    scoring(bench, learned, split.judged[:few] if quick else split.judged, folder)
    growth(bench, learned)
    return bench


def counting(bench: Bench, texts: list[str]) -> None:
    """Trigrams of the same tokens; NLTK is given them, we find them in the texts."""
    from nltk.lm import MLE
    from nltk.lm.preprocessing import padded_everygram_pipeline

    from priori import LanguageModel
    from priori.text import Analyzer

    tokens = [Analyzer().features_of(text) for text in texts]
    many = sum(map(len, tokens))

    def theirs() -> None:
        grams, vocabulary = padded_everygram_pipeline(ORDER, tokens)
        MLE(ORDER).fit(grams, vocabulary)

    runs = bench.take(
        {
            f"counting {many:,} tokens, ours": lambda: LanguageModel(order=ORDER, smoothing=SMOOTHING).fit(texts),
            "counting and a first score, ours": lambda: (
                LanguageModel(order=ORDER, smoothing=SMOOTHING).fit(texts).log_prob(texts[0])
            ),
            "counting, nltk.lm.MLE.fit": theirs,
        },
        many,
    )
    ours, scored, nltk = runs.values()
    bench.faster("counting trigrams / nltk.lm", ours, nltk, 20)
    bench.faster("counting trigrams and a first score / nltk.lm", scored, nltk)


def scoring(bench: Bench, learned: list[str], judged: list[str], folder: Path) -> None:
    """log p of sentences, one by one for kenlm as its Python interface has it, all at once for ours."""
    from priori import LanguageModel

    # the same words for both: what stands between single spaces
    texts = [" ".join(language_data.sentences([text])) for text in learned]
    sentences = language_data.sentences(judged)
    many = sum(sentence.count(" ") + 2 for sentence in sentences)
    model = LanguageModel(order=ORDER, smoothing=SMOOTHING).fit(texts)
    arpa, binary, saved = folder / "model.arpa", folder / "model.binary", folder / "model.priori"
    model.to_arpa(arpa)
    model.save(saved)
    readers = {"kenlm, from our ARPA": kenlm.Model(str(arpa))}
    if shutil.which("build_binary"):
        subprocess.run(["build_binary", arpa, binary], check=True, capture_output=True)
        readers["kenlm, from a binary file"] = kenlm.Model(str(binary))
    expected = np.array([reader.score(s) for reader in list(readers.values())[:1] for s in sentences])
    apart = np.abs(model.log_prob(sentences) / np.log(10) - expected).max()
    contenders: dict[str, Callable[[], object]] = {
        f"scoring {many:,} tokens, ours": lambda: model.log_prob(sentences),
        "scoring one sentence at a time, ours": lambda: [model.log_prob(sentence) for sentence in sentences],
    }
    for name, reader in readers.items():
        contenders[f"scoring, {name}"] = lambda reader=reader: [reader.score(sentence) for sentence in sentences]
    ours, single, *theirs = bench.take(contenders, many).values()
    for name, taken in zip(readers, theirs, strict=True):
        bench.faster(f"scoring / {name}", ours, taken, 1 / 3)
        bench.faster(f"scoring one sentence at a time / {name}", single, taken)
    bench.figures.append(
        report.Figure("largest difference of a sentence's log10 p from kenlm's, x 10,000", 1e4 * float(apart), "")
    )
    memory(bench, arpa, saved, sentences, folder)


def memory(bench: Bench, arpa: Path, saved: Path, sentences: list[str], folder: Path) -> None:
    """Files and resident bytes by million n-grams of all orders."""
    with arpa.open(encoding="utf-8") as lines:
        heads = itertools.takewhile(lambda line: not line.startswith("\\1"), lines)
        grams = sum(int(line.split("=")[1]) for line in heads if line.startswith("ngram "))
    listed = folder / "sentences.txt"
    listed.write_text("\n".join(sentences[:1_000]), encoding="utf-8")
    resident = {
        who: int(subprocess.check_output([sys.executable, __file__, "resident", who, path, listed], text=True))
        for who, path in (("ours", saved), ("kenlm", arpa))
    }
    for name, size in (
        (f"model file, of {grams:,} n-grams", saved.stat().st_size),
        ("resident after 1,000 sentences, ours", resident["ours"]),
        ("resident after 1,000 sentences, kenlm from ARPA", resident["kenlm"]),
    ):
        bench.figures.append(report.Figure(f"{name}: MB by million n-grams", size / grams, ""))


def growth(bench: Bench, learned: list[str]) -> None:
    """Ten times the texts."""
    from priori import LanguageModel
    from priori.text import Analyzer

    tenth = learned[::10]
    features_of = Analyzer().features_of
    many = [sum(len(features_of(text)) for text in texts) for texts in (tenth, learned)]
    runs = bench.take(
        {
            "counting a tenth of the texts, ours": lambda: LanguageModel(order=ORDER, smoothing=SMOOTHING).fit(tenth),
            "counting all texts, ours": lambda: LanguageModel(order=ORDER, smoothing=SMOOTHING).fit(learned),
        },
        *many,
    )
    one, ten = runs.values()
    bench.figures.append(report.slowdown("counting, 10 x the texts / once", ten, one))


def _resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def _child(who: str, path: str, listed: str) -> None:
    import priori

    sentences = Path(listed).read_text(encoding="utf-8").split("\n")
    if who == "ours":  # whatever is loaded when first used
        priori.LanguageModel(order=2).fit(["a b", "a"]).log_prob("a b")
    before = _resident()
    if who == "ours":
        model = priori.load(path)
        model.log_prob(sentences)
    else:
        model = kenlm.Model(path)
        for sentence in sentences:
            model.score(sentence)
    print(_resident() - before)


if __name__ == "__main__" and sys.argv[1] == "resident":
    _child(*sys.argv[2:])
