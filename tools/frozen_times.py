"""Six timings of two trees in alternating pairs: the median of before over after, so that 1 is as fast as before."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from time import perf_counter

LEAST = 0.97  # of the median ratio: what noise takes on a quiet machine
# Sums of products depend on how many threads make them, and a cold start on compiled code beside the sources.
SURROUNDINGS = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}


def seconds(work: Callable[[], object], calls: int) -> float:
    """The least of several calls."""
    taken = []
    for _ in range(calls):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return min(taken)


def times() -> dict[str, float]:
    """Seconds of each of the six on the tree that is imported."""
    import frozen_models
    import priori
    from priori import latent

    texts, labels = frozen_models.messages()
    many, their_labels = texts * 20, labels * 20
    model = priori.TextClassifier(n_jobs=1).fit(texts, labels)
    model.predict_proba(texts[:1])
    table, classes = frozen_models.mixed_table("breast_cancer")
    rows = {name: cells * 10 for name, cells in table.items()}
    corpus = frozen_models.words_of_messages()
    recipe = latent.Recipe(restarts=8)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.priori"
        model.save(path)
        code = "from priori.cli import main; main()"
        cold = [sys.executable, "-c", code, "classify", path, "--message", "free phone"]
        return {
            "train texts and fit": seconds(lambda: fitted(priori.TextClassifier(n_jobs=1), many, their_labels), 6),
            "posteriors of texts": seconds(lambda: model.predict_proba(many), 5),
            "posterior of one text, 20,000 times": seconds(
                lambda: [model.predict_proba(["free phone now"]) for _ in range(20_000)], 5
            ),
            "train a table and predict": seconds(lambda: fitted(priori.NaiveBayes(n_jobs=1), rows, classes * 10), 10),
            "EM of texts": seconds(lambda: latent.cluster(corpus, 2, recipe=recipe, jobs=1), 6),
            "one message from a cold start": seconds(lambda: subprocess.run(cold, check=True, capture_output=True), 5),
        }


def fitted(model: object, data: object, labels: object) -> None:
    """Learn, and fit what is left to the data: the first prediction does that."""
    model.fit(data, labels)  # type: ignore[attr-defined]
    few = data[:1] if isinstance(data, list) else {name: cells[:1] for name, cells in data.items()}  # type: ignore[attr-defined]
    model.predict(few)  # type: ignore[attr-defined]


def race(before: str, after: str, pairs: int) -> int:
    """Run the pairs of interpreters, the order changing each time, and print the ratios; 1 where one is too low."""
    taken: dict[str, list[dict[str, float]]] = {"before": [], "after": []}
    for pair in range(pairs):
        sides = [("before", before), ("after", after)]
        for side, python in sides if pair % 2 else sides[::-1]:
            done = subprocess.run([python, __file__], env=SURROUNDINGS, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
            taken[side].append(json.loads(done.stdout))
        print(f"pair {pair + 1} of {pairs}", file=sys.stderr)
    slow = 0
    for name in taken["before"][0]:
        pairs_of = [(was[name], now[name]) for was, now in zip(taken["before"], taken["after"], strict=True)]
        ratios = [was / now for was, now in pairs_of]
        best = [min(each) * 1e3 for each in zip(*pairs_of, strict=True)]
        median = statistics.median(ratios)
        slow += median < LEAST
        spread = f"{min(ratios):.2f} .. {max(ratios):.2f}"
        print(f"{name}: {median:.3f} ({spread}); {best[0]:.1f} ms before, {best[1]:.1f} after")
    return int(slow > 0)


if __name__ == "__main__":
    print(json.dumps(times()))
