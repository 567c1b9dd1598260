"""What stop words and stems cost and are worth, side by side; on one core with taskset -c 0."""

import argparse
import time
from pathlib import Path

import pyarrow.parquet as pq

from priori import TextClassifier

SETTINGS = {
    "plain": {},
    "stop words": {"stop_words": "english"},
    "stems": {"stem": "english"},
    "both": {"stop_words": "english", "stem": "english"},
    "1-2-grams": {"ngrams": (1, 2)},
    "1-2-grams, both": {"ngrams": (1, 2), "stop_words": "english", "stem": "english"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="a Parquet file with the columns text, label and split")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    table = pq.read_table(given.path)
    train = table.filter([split == "train" for split in table["split"].to_pylist()])
    test = table.filter([split == "test" for split in table["split"].to_pylist()])
    texts, labels = train["text"].to_pylist(), train["label"].to_pylist()
    unseen, truth = test["text"].to_pylist(), test["label"].to_pylist()
    learned, scored = ({name: [] for name in SETTINGS} for _ in range(2))
    models = {}
    for _ in range(given.rounds):  # in turn, so that what the machine does besides falls on all alike
        for name, settings in SETTINGS.items():
            begin = time.perf_counter()
            models[name] = TextClassifier(**settings, alpha=1, calibrate=False, n_jobs=1).fit(texts, labels)
            learned[name].append(time.perf_counter() - begin)
            models[name].predict_proba(unseen[:1])  # the scorer is made
            begin = time.perf_counter()
            models[name].predict_proba(unseen)
            scored[name].append(time.perf_counter() - begin)
    print(f"{'':18}{'train s':>9}{'classify s':>12}{'terms':>12}{'alpha 1':>10}{'accuracy':>10}{'log loss':>10}")
    for name, settings in SETTINGS.items():
        right = float((models[name].predict(unseen) == truth).mean())
        found = TextClassifier(**settings).fit(texts, labels).evaluate(unseen, truth)  # alpha and calibration fitted
        seconds = f"{min(learned[name]):9.3f}{min(scored[name]):12.3f}"
        terms = models[name].model_.counts.terms
        print(f"{name:18}{seconds}{terms:12,}{right:10.4f}{found.accuracy:10.4f}{found.log_loss:10.4f}")


if __name__ == "__main__":
    main()
