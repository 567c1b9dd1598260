"""How many classes each criterion finds in texts whose number of classes is known.

Usage: number_of_classes.py [NAME]...

Texts come from the Parquet files (text, label) in the folder PRIORI_DATA; without it there is the bundled SMS Spam
Collection alone. Labels are never looked at. docs/maths/number_of_classes.md has the result.
"""

import os
import sys
import time
from pathlib import Path

import data
from priori.data import read_objects
from priori.latent import Corpus, choose_classes, choose_table
from priori.text import Analyzer

PAIR, OTHER = ("sci.space", "rec.sport.hockey"), ("comp.graphics", "talk.politics.mideast")
CASES: dict[str, tuple[str, tuple[str, ...]]] = {  # the file, and which of its labels; () for all
    "sms_spam": ("sms_spam", ()),
    "subj": ("subj", ()),
    "space, hockey": ("newsgroups20", PAIR),
    "graphics, mideast": ("newsgroups20", OTHER),
    "four groups": ("newsgroups20", PAIR + OTHER),
}
MOST = 6  # classes


def texts_of(file: str, wanted: tuple[str, ...]) -> tuple[list[str], int]:
    """The texts, and how many classes they are of."""
    folder = os.environ.get("PRIORI_DATA")
    path = data.bundled() if folder is None else Path(folder) / f"{file}.parquet"
    rows = [(label, text) for label, text in data.rows_of(path) if not wanted or label in wanted]
    return [text for _, text in rows], len({label for label, _ in rows})


def main(names: list[str]) -> None:
    """Print a table for each case."""
    for name, (file, wanted) in CASES.items():
        if (names and name not in names) or (file != "sms_spam" and "PRIORI_DATA" not in os.environ):
            continue
        texts, classes = texts_of(file, wanted)
        corpus = Corpus.of(lambda texts=texts: read_objects(texts), Analyzer(binary=True))
        started = time.perf_counter()
        choice = choose_classes(corpus, range(1, MOST + 1))
        seconds = time.perf_counter() - started
        print(
            f"{name}: {len(corpus):,} texts of {classes} classes, {choice.terms:,} terms, {seconds:.0f} s", flush=True
        )
        print(choose_table(choice), flush=True)
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
