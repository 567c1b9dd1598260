"""One message at a time, in process: Priori and a scikit-learn pipeline, both trained on the bundled SMS data.

Prints the seconds of one predict_proba as JSON, `rounds` of them for each, taken in turns. The messages differ from
call to call, for one message over and over would flatter caches and branch predictors.
"""

import json
import sys
from collections.abc import Callable
from importlib.resources import files
from timeit import timeit
from typing import Any

MESSAGES = 200

Predict = Callable[[list[str]], Any]


def sms() -> tuple[list[str], list[str]]:
    """Texts and labels."""
    import pyarrow.parquet as pq

    table = pq.read_table(str(files("priori") / "data" / "samples" / "sms_spam.parquet"))
    return table["text"].to_pylist(), table["label"].to_pylist()


def ours(texts: list[str], labels: list[str]) -> Predict:
    """Priori's estimator."""
    import priori

    model = priori.TextClassifier().fit(texts, labels)
    return model.predict_proba


def theirs(texts: list[str], labels: list[str]) -> Predict:
    """scikit-learn's pipeline."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, labels)
    return model.predict_proba  # type: ignore[no-any-return]


def seconds(predict: Predict, messages: list[str], passes: int) -> float:
    """The time of one call, one message each."""

    def work() -> None:
        for message in messages:
            predict([message])

    return timeit(work, number=passes) / (passes * len(messages))


def main(rounds: int) -> None:
    """Take turns."""
    texts, labels = sms()
    messages = texts[:MESSAGES]
    contenders = {"ours": (ours(texts, labels), 20), "scikit-learn": (theirs(texts, labels), 1)}
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (predict, passes) in contenders.items():
            taken[name].append(seconds(predict, messages, passes))
    print(json.dumps(taken))


if __name__ == "__main__":
    main(int(sys.argv[1]))
