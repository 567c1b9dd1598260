"""Perplexity of held-out texts by order and smoothing, and the identification of languages against peers."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import language_data
import report
from language_speed import one_core
from priori import TextClassifier
from priori.decisions.measures import Evaluation, Scorecard

SMOOTHINGS = ("kneser-ney", "absolute", "jelinek-mercer", "dirichlet")
ORDERS = (1, 2, 3, 4, 5)
LANGUAGES = {"langid17": (0.99, 50_000), "udhr_langid": (0.97, 15_000)}  # accuracy and lines a second asked for
HEADS = ["", "accuracy", "log loss", "ECE", "floor of ECE", "lines a second", "seconds of learning"]
ALPHAS = (1.0, 0.1, 0.01, 0.001)


def perplexities(name: str, orders: Sequence[int]) -> dict[str, list[float]]:
    """By smoothing, for each order."""
    from priori import LanguageModel

    data, found = language_data.divided(name), {}
    for smoothing in SMOOTHINGS:
        print(f"perplexity: {name}, {smoothing}", file=sys.stderr)
        found[smoothing] = [
            LanguageModel(order=order, smoothing=smoothing).fit(data.learned).perplexity(data.judged)
            for order in orders
        ]
    return found


def falls(name: str, found: dict[str, list[float]]) -> list[report.Figure]:
    """How the perplexity of Kneser-Ney falls with order, and how far it is below Dirichlet's."""
    best = found["kneser-ney"]
    below = [d / k for k, d in zip(best[1:], found["dirichlet"][1:], strict=True)]
    return [
        report.Figure(f"{name}: perplexity of order 2 / order 3, Kneser-Ney", best[1] / best[2], " x", target=1.0),
        report.Figure(f"{name}: Dirichlet / Kneser-Ney, least of orders 2 and up", min(below), " x", target=1.0),
    ]


@dataclass(frozen=True)
class Identified:
    """What one contender made of held-out lines."""

    name: str
    evaluation: Evaluation
    rate: float  # lines a second, on one core
    learning: float

    def cells(self) -> list[str]:
        """As a line of the report."""
        e = self.evaluation
        shares = [f"{e.accuracy:.2%}", f"{e.log_loss:.4f}", f"{e.ece:.4f}", f"{e.ece_floor:.4f}"]
        return [self.name, *shares, f"{self.rate:,.0f}", f"{self.learning:.2f}"]


Fitted = tuple[Callable[[list[str]], np.ndarray], Sequence[str]]  # p(y | x) of texts, and its classes


def identify(name: str, rounds: int, folder: Path) -> list[Identified]:
    """Every contender on the same lines; peers classify them twice at most, for some take minutes."""
    data = language_data.divided(name)
    contenders: dict[str, Callable[[], Fitted]] = {"priori, event language": lambda: _ours(data)}
    for alpha in ALPHAS[1:2] if rounds == 1 else ALPHAS:
        contenders[f"scikit-learn, MultinomialNB({alpha:g})"] = lambda alpha=alpha: _naive_bayes(data, alpha)
    contenders["fastText, 1-5 characters"] = lambda: _fasttext(data, folder)
    return [
        _identified(one, learn, data, min(rounds, 2) if i else rounds)
        for i, (one, learn) in enumerate(contenders.items())
    ]


def _identified(name: str, learn: Callable[[], Fitted], data: language_data.Divided, rounds: int) -> Identified:
    print(f"languages: {name}", file=sys.stderr)
    with one_core():
        start = perf_counter()
        posterior_of, classes = learn()
        learning, seconds = perf_counter() - start, []
        for _ in range(rounds):
            start = perf_counter()
            posterior = posterior_of(data.judged)
            seconds.append(perf_counter() - start)
    card = Scorecard(list(classes))
    with np.errstate(divide="ignore"):
        card.add(posterior, data.truth, np.log(posterior))
    return Identified(name, card.result(), len(data.judged) / min(seconds), learning)


def _ours(data: language_data.Divided) -> Fitted:
    model = TextClassifier(event="language", features="chars", ngrams=(1, 5), n_jobs=1)
    model.fit(data.learned, data.labels)
    return model.predict_proba, [str(label) for label in model.classes_]


def _naive_bayes(data: language_data.Divided, alpha: float) -> Fitted:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(analyzer="char_wb", ngram_range=(1, 5)), MultinomialNB(alpha=alpha))
    model.fit(data.learned, data.labels)
    return model.predict_proba, list(model.classes_)


def _fasttext(data: language_data.Divided, folder: Path) -> Fitted:
    import fasttext as library

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "languages.fasttext"
    names = sorted(set(data.labels))
    with path.open("w", encoding="utf-8") as file:
        for text, label in zip(data.learned, data.labels, strict=True):
            file.write(f"__label__{names.index(label)} {' '.join(text.split())}\n")
    model = library.train_supervised(
        str(path), minn=1, maxn=5, dim=16, lr=0.5, epoch=25, minCount=1, bucket=2_000_000, thread=1, seed=0, verbose=0
    )

    def posterior_of(texts: list[str]) -> np.ndarray:
        found = np.zeros((len(texts), len(names)))
        lines = [" ".join(text.split()) + "\n" for text in texts]
        # the compiled part: its Python wrapper does not know numpy 2
        labels, shares = model.f.multilinePredict(lines, len(names), 0.0, "strict")
        for row, (some, p) in enumerate(zip(labels, shares, strict=True)):
            found[row, [int(label.removeprefix("__label__")) for label in some]] = p
        return found / found.sum(axis=1, keepdims=True)

    return posterior_of, names


def language_figures(name: str, found: list[Identified]) -> list[report.Figure]:
    """Ours, against what was asked for."""
    accuracy, rate = LANGUAGES[name]
    ours, peers = found[0], found[1:]
    best = max(peers, key=lambda one: one.evaluation.accuracy)
    gain = 100 * (ours.evaluation.accuracy - best.evaluation.accuracy)
    return [
        report.Figure(f"{name}: accuracy", 100 * ours.evaluation.accuracy, " %", target=100 * accuracy),
        report.Figure(f"{name}: accuracy over the best peer's ({best.name})", gain, " points"),
        report.Figure(f"{name}: lines classified a second, one core", ours.rate, "", target=float(rate)),
        report.Figure(f"{name}: lines a second / scikit-learn", ours.rate / peers[0].rate, " x"),
    ]


def have(name: str) -> bool:
    """Whether PRIORI_DATA has the file."""
    return (Path(os.environ["PRIORI_DATA"]) / f"{name}.parquet").is_file()
