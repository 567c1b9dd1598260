"""A first look: train on the bundled SMS Spam Collection, and see what a model can say."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import pyarrow as pa

from priori.classifier import Model
from priori.decisions import Evaluation
from priori.evaluate import evaluate
from priori.explain import Explanation, explain
from priori.readings import Readings
from priori.select.terms import Term, rank
from priori.sources import Batch, ReadOptions, read
from priori.store import views
from priori.text import Analyzer

MESSAGE = "Free ticket! Text WIN to 80085 now, or call me and ask"


@dataclass(frozen=True)
class Demo:
    """What the demonstration found."""

    model: Model
    trained_on: int
    evaluation: Evaluation
    terms: dict[str, tuple[Term, ...]]
    message: str
    explanation: Explanation

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "trained_on": self.trained_on,
            "evaluation": self.evaluation.to_json(),
            "terms": {label: [term.to_json() for term in terms] for label, terms in self.terms.items()},
            "message": self.message,
            "explanation": self.explanation.to_json(),
        }


def run_demo(message: str = MESSAGE, top: int = 10) -> Demo:
    """Train on four fifths of the messages, evaluate on the rest, explain one."""
    batches = _bundled()
    model = Model.train(_part(batches, held_out=False), Analyzer(), Readings.automatic())
    terms: dict[str, list[Term]] = {label: [] for label in model.labels}
    for term in rank(model.counts, "log-odds", most=top):
        terms[term.label].append(term)
    document = Batch(views.from_texts([message]), None, None, {}, {}, 0, None)
    return Demo(
        model,
        int(model.counts.class_documents.sum()),
        evaluate(model, _part(batches, held_out=True)),
        {label: tuple(found) for label, found in terms.items()},
        message,
        explain(model, document),
    )


def messages(held_out: bool) -> tuple[list[str], list[str]]:
    """Texts and labels of the bundled messages: one part in five, or the others."""
    parts = list(_part(_bundled(), held_out))
    texts = [text for part in parts for text in part.text.to_pylist()]
    return texts, [label for part in parts for label in part.label.to_pylist()]  # type: ignore[union-attr]


def _bundled() -> list[Batch]:
    data = resources.files("priori").joinpath("data", "sms_spam.parquet")
    with resources.as_file(data) as path:
        return list(read(str(path), ReadOptions()))


def is_held_out(text: str) -> bool:
    """One text in five, by its content alone: equal messages stay on one side, and no seed is needed."""
    return hashlib.sha256(text.encode()).digest()[0] % 5 == 0


def _part(batches: list[Batch], held_out: bool) -> Iterator[Batch]:
    for batch in batches:
        mask = pa.array([is_held_out(text) is held_out for text in batch.text.to_pylist()])
        yield replace(batch, text=batch.text.filter(mask), label=batch.label.filter(mask))  # type: ignore[union-attr]
