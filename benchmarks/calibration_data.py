"""The texts on which probabilities are judged, each with the splits to judge them by.

They come from the Parquet files (text, label, split) in the folder PRIORI_DATA; without it there is the bundled SMS
Spam Collection alone.
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import data

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the source package has tests, and no benchmarks

from calibrated_peers import Split, pooled_folds

NAMES = ("mr", "movie_reviews", "subj", "newsgroups20", "spamassassin", "ag_news_sample", "sms_spam")
_BLANK_LINE = re.compile(r"\r?\n\r?\n")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts and labels, and which of them are for learning where that is official."""

    name: str
    texts: list[str]
    labels: list[str]
    official: np.ndarray | None  # True: to learn

    def learned(self) -> tuple[list[str], list[str]]:
        """The official part for learning, or all."""
        chosen = range(len(self.texts)) if self.official is None else np.flatnonzero(self.official).tolist()
        return [self.texts[row] for row in chosen], [self.labels[row] for row in chosen]

    def splits(self, folds: int) -> list[Split]:
        """The official one, or folds."""
        if self.official is None:
            return pooled_folds(self.texts, folds)
        return [(np.flatnonzero(self.official), np.flatnonzero(~self.official))]


def names() -> list[str]:
    """Those that are at hand."""
    return [name for name in NAMES if _path(name).is_file()]


def first_of(*wanted: str) -> Corpus:
    """The first that is at hand."""
    return corpus(next(name for name in (*wanted, "sms_spam") if _path(name).is_file()))


def corpus(name: str) -> Corpus:
    """One of them; of mails the body only, since headers tell of the mailbox that a mail was found in."""
    table = pq.read_table(_path(name))
    texts, split = (
        table["text"].to_pylist(),
        np.array(table["split"].to_pylist() if "split" in table.schema.names else []),
    )
    if name == "spamassassin":
        texts = [body(text) for text in texts]
    official = split != "test" if (split == "test").any() else None
    return Corpus(name, texts, table["label"].to_pylist(), official)


def body(mail: str) -> str:
    """Everything after the first blank line."""
    return "".join(_BLANK_LINE.split(mail, maxsplit=1)[1:])


def _path(name: str) -> Path:
    folder = os.environ.get("PRIORI_DATA")
    return data.bundled() if name == "sms_spam" else Path(folder or "") / f"{name}.parquet"
