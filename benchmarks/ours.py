"""Priori as the benchmark runs it: what `priori train` and `priori classify` do, without the command line.

Usage: ours.py train FILE MODEL [NGRAMS [JOBS]] | classify FILE MODEL | message MODEL TEXT
"""

import sys
from collections.abc import Callable

from priori.model.classifier import Model


def train(path: str, target: str, ngrams: str = "1", jobs: str = "1") -> None:
    """From a TSV file to a saved model."""
    from priori.columns.words.readings import Readings
    from priori.data import ReadOptions, read
    from priori.text import Analyzer

    batches = read(path, ReadOptions())
    Model.train(batches, Analyzer(ngrams=(1, int(ngrams))), Readings(), jobs=int(jobs)).save(target)


def classify(path: str, source: str) -> None:
    """The most probable label of every row, on stdout."""
    from priori.data import ReadOptions, read, read_ahead

    model = Model.load(source)
    for batch in read_ahead(read(path, ReadOptions(label=None))):
        best = model.posterior(batch).argmax(axis=1).tolist()
        sys.stdout.write("\n".join([*(model.labels[place] for place in best), ""]))


def message(source: str, text: str) -> None:
    """One message, from a cold start."""
    model = Model.load(source)
    print(model.labels[model.posterior_of_texts([text]).argmax()])


if __name__ == "__main__":
    commands: dict[str, Callable[..., None]] = {"train": train, "classify": classify, "message": message}
    commands[sys.argv[1]](*sys.argv[2:])
