"""The texts on which language models are measured, and how they are divided."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from priori.text import Analyzer


@dataclass(frozen=True)
class Divided:
    """Texts to learn and texts to be judged by, with their labels."""

    learned: list[str]
    labels: list[str]
    judged: list[str]
    truth: list[str]


@cache
def divided(name: str) -> Divided:
    """newsgroups20 by its official split; a tenth of movie_reviews and a fifth of the others held out, seed 0."""
    table = pq.read_table(Path(os.environ["PRIORI_DATA"]) / f"{name}.parquet", columns=["text", "label", "split"])
    texts, labels = table["text"].to_pylist(), table["label"].to_pylist()
    if name == "newsgroups20":
        held_out = np.array([split == "test" for split in table["split"].to_pylist()])
        order = np.arange(len(texts))
    else:
        order = np.random.default_rng(0).permutation(len(texts))
        held_out = np.arange(len(texts)) < len(texts) // (10 if name == "movie_reviews" else 5)
    first, second = order[~held_out], order[held_out]
    return Divided(
        [texts[i] for i in first], [labels[i] for i in first],
        [texts[i] for i in second], [labels[i] for i in second],
    )  # fmt: skip


def sentences(texts: Sequence[str]) -> list[str]:
    """The lines of texts that have at least three words, as our analyzer sees them, with single spaces between."""
    features_of = Analyzer().features_of
    found = (features_of(line) for text in texts for line in text.splitlines())
    return [" ".join(words) for words in found if len(words) > 2]
