"""The texts on which learning without labels is judged, and which of their labels are shown."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

import calibration_data
from priori.data import read_objects
from priori.data.folds import folds
from priori.latent import Corpus
from priori.text import Analyzer

NAMES = ("sms_spam", "mr", "subj", "newsgroups20", "ag_news_sample", "movie_reviews", "spamassassin", "langid17")
NEWSGROUPS = "newsgroups20"
TENTHS = 3  # held out where no split is official


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts to learn, with all of their labels, and texts to be judged by."""

    learned: list[str]
    labels: np.ndarray
    judged: list[str]
    truth: list[str]

    def shown(self, per_class: int, seed: int) -> list[str | None]:
        """So many labels of each class, or all it has; drawn anew for a seed, and more of them hold the fewer."""
        rng = np.random.default_rng(seed)
        labels = np.full(len(self.labels), None, object)
        for label in np.unique(self.labels):
            chosen = rng.permutation(np.flatnonzero(self.labels == label))[:per_class]
            labels[chosen] = label
        return labels.tolist()


@dataclass(frozen=True)
class Pair:
    """Texts of two classes whose labels are hidden, and words that someone would say of each."""

    name: str
    source: str
    seeds: Mapping[str, list[str]]


PAIRS = (
    Pair(
        "subj",
        "subj",
        {
            "subjective": ["film", "movie", "funny", "comedy", "performances"],
            "objective": ["his", "her", "he", "she", "they"],
        },
    ),
    Pair(
        "space / hockey",
        NEWSGROUPS,
        {
            "sci.space": ["space", "nasa", "orbit", "moon", "shuttle"],
            "rec.sport.hockey": ["hockey", "nhl", "team", "game", "players"],
        },
    ),
    Pair(
        "graphics / mideast",
        NEWSGROUPS,
        {
            "comp.graphics": ["graphics", "image", "images", "gif", "jpeg"],
            "talk.politics.mideast": ["israel", "israeli", "jews", "turkish", "armenian"],
        },
    ),
)
# what there is without PRIORI_DATA
BUNDLED = Pair(
    "sms_spam", "sms_spam", {"spam": ["free", "txt", "claim", "prize", "call"], "ham": ["i", "me", "my", "ok", "lor"]}
)


def names() -> list[str]:
    """Those that are at hand."""
    return [name for name in NAMES if _is_at_hand(name)]


def pairs() -> list[Pair]:
    """Those that are at hand."""
    return [pair for pair in PAIRS if _is_at_hand(pair.source)] or [BUNDLED]


def pair(name: str) -> Pair:
    """One of them, by name."""
    return next(one for one in (*PAIRS, BUNDLED) if one.name == name)


@lru_cache(2)
def texts(name: str) -> Texts:
    """The official parts, or 30 % of the texts (copies of a text on one side) to be judged by."""
    corpus = calibration_data.corpus(name)
    learned = corpus.official
    if learned is None:
        learned = folds(len(corpus.texts), 10, seed=0, groups=corpus.texts) >= TENTHS
    rows, labels = np.array(corpus.texts, dtype=object), np.array(corpus.labels)
    return Texts(rows[learned].tolist(), labels[learned], rows[~learned].tolist(), labels[~learned].tolist())


@lru_cache(2)
def of_pair(name: str) -> tuple[list[str], np.ndarray]:
    """The texts of two classes, the official part for learning where there is one, and which is whose."""
    chosen = pair(name)
    rows, labels = calibration_data.corpus(chosen.source).learned()
    kept = [(text, label) for text, label in zip(rows, labels, strict=True) if label in chosen.seeds]
    return [text for text, _ in kept], np.array([label for _, label in kept])


def encoded(rows: list[str], analyzer: Analyzer) -> Corpus:
    """Without labels."""
    return Corpus.of(lambda: read_objects(rows), analyzer)


def _is_at_hand(name: str) -> bool:
    folder = os.environ.get("PRIORI_DATA")
    return name == "sms_spam" or (Path(folder or "") / f"{name}.parquet").is_file()
