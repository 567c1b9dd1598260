"""One message at a time, in process: Priori and a scikit-learn pipeline, both trained on the bundled SMS data.

Prints the seconds of one predict_proba as JSON, `rounds` of them for each, taken in turns.
"""

import json
import sys
from collections.abc import Callable
from importlib.resources import files
from timeit import timeit
from typing import Any

MESSAGE = "Free entry! Text WIN to 80085 now to claim your prize"


def sms() -> tuple[list[str], list[str]]:
    """Texts and labels."""
    import pyarrow.parquet as pq

    table = pq.read_table(str(files("priori") / "data" / "sms_spam.parquet"))
    return table["text"].to_pylist(), table["label"].to_pylist()


def ours(texts: list[str], labels: list[str]) -> Callable[[], Any]:
    """One call of Priori's estimator."""
    import priori

    model = priori.TextClassifier().fit(texts, labels)
    return lambda: model.predict_proba([MESSAGE])


def theirs(texts: list[str], labels: list[str]) -> Callable[[], Any]:
    """One call of scikit-learn's pipeline."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, labels)
    return lambda: model.predict_proba([MESSAGE])


def main(rounds: int) -> None:
    """Take turns."""
    data = sms()
    calls = {"ours": (ours(*data), 2000), "scikit-learn": (theirs(*data), 100)}
    for call, _ in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, (call, number) in calls.items():
            seconds[name].append(timeit(call, number=number) / number)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(int(sys.argv[1]))
