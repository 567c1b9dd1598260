"""The peers, each at its best on one core. Prints the seconds of the work: not of imports, nor of saving a model.

Usage: peers.py counting|hashing|fasttext|vw FILE [OPTION...]
"""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter


def rows(path: str) -> Iterator[list[str]]:
    """Label and text of each line after the header: the cheapest way to read TSV in Python."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        next(file)
        for line in file:
            yield line.rstrip("\n").split("\t")


def counting(path: str, ngrams: str = "1") -> Callable[[], None]:
    """CountVectorizer and MultinomialNB."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    def work() -> None:
        labels, texts = zip(*rows(path), strict=True)
        matrix = CountVectorizer(ngram_range=(1, int(ngrams))).fit_transform(texts)
        MultinomialNB().fit(matrix, labels)

    return work


def hashing(path: str, features: str, batch: str) -> Callable[[], None]:
    """HashingVectorizer and MultinomialNB.partial_fit: constant memory, words lost."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.naive_bayes import MultinomialNB

    classes = sorted({label for label, _ in rows(path)})

    def work() -> None:
        vectorizer = HashingVectorizer(n_features=int(features), alternate_sign=False, norm=None)
        model = MultinomialNB()
        documents = rows(path)
        while part := list(islice(documents, int(batch))):
            labels, texts = zip(*part, strict=True)
            model.partial_fit(vectorizer.transform(texts), labels, classes=classes)

    return work


def fasttext(path: str) -> Callable[[], None]:
    """One epoch of fastText, all else as it comes."""
    import fasttext as library

    return lambda: library.train_supervised(path, epoch=1, thread=1, verbose=0)


def vw(path: str, classes: str) -> Callable[[], None]:
    """One pass of Vowpal Wabbit, one against all."""
    from vowpalwabbit import Workspace

    return lambda: Workspace(f"--data {path} --oaa {classes} --quiet").finish()


if __name__ == "__main__":
    peers: dict[str, Callable[..., Callable[[], None]]] = {
        "counting": counting,
        "hashing": hashing,
        "fasttext": fasttext,
        "vw": vw,
    }
    work = peers[sys.argv[1]](*sys.argv[2:])
    start = perf_counter()
    work()
    print(perf_counter() - start)
