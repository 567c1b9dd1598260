"""A first look: train on the bundled SMS Spam Collection, and see what a model can say."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from priori.cli.messages import note
from priori.cli.options.common import common_options
from priori.cli.output.terminal import Table, heading, print_json, print_line, visible_term
from priori.cli.output_paths import refuse_bad_places
from priori.columns.words.readings import Readings
from priori.columns.words.term_ranking import Term, rank
from priori.data.batch import Batch
from priori.data.files import read
from priori.data.options import ReadOptions
from priori.decisions.measures import Evaluation
from priori.model.classifier import Model
from priori.model.evaluation import evaluate
from priori.model.explanation import Explanation, explain
from priori.store import arrow_views
from priori.text.analyzer import Analyzer

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
    document = Batch(arrow_views.from_texts([message]), None, None, {}, {}, 0, None)
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
    data = resources.files("priori").joinpath("data", "samples", "sms_spam.parquet")
    with resources.as_file(data) as path:
        return list(read(str(path), ReadOptions()))


def is_held_out(text: str) -> bool:
    """One text in five, by its content alone: equal messages stay on one side, and no seed is needed."""
    return hashlib.sha256(text.encode()).digest()[0] % 5 == 0


def _part(batches: list[Batch], held_out: bool) -> Iterator[Batch]:
    for batch in batches:
        mask = pa.array([is_held_out(text) is held_out for text in batch.text.to_pylist()])
        yield replace(batch, text=batch.text.filter(mask), label=batch.label.filter(mask))  # type: ignore[union-attr]


# priori demo: a first look.


@click.command("demo")
@click.option("-o", "--output", default="priori-demo.svg", show_default=True, metavar="FILE", help="The picture.")
@common_options
def demo_command(output: str, as_json: bool) -> None:
    """Train on bundled messages, show what the model is worth and why, and draw a picture."""

    refuse_bad_places()
    found = run_demo()
    drawn = _draw(found, output)
    if as_json:
        print_json({**found.to_json(), "picture": output if drawn else None})
        return
    _print(found)
    if drawn:
        print_line(f"The picture is in {output} ({Path(output).stat().st_size / 1000:.0f} kB).")


def _print(found: "Demo") -> None:
    evaluation = found.evaluation
    heading(f"The SMS Spam Collection: trained on {found.trained_on:,} messages, tried on {evaluation.n:,} others")
    print_line(f"  accuracy           {evaluation.accuracy:.2%}")
    print_line(f"  log loss           {evaluation.log_loss:.4f} nats")
    print_line(
        f"  calibration error  {evaluation.ece:.2%}, where a perfect model would show {evaluation.ece_floor:.2%}"
    )
    print_line()
    heading("Words that speak for a class")
    for label, terms in found.terms.items():
        print_line(f"  {label:5} {'  '.join(visible_term(term.term, 20) for term in terms)}")
    print_line()
    explanation = found.explanation
    heading(f"Why “{found.message}”")
    print_line(f"  is {explanation.label} ({explanation.probability:.2%}) and not {explanation.against}:")
    table = Table(["word", ">times", ">log-odds"])
    rows = explanation.contributions
    for row in rows:
        times = "" if row.feature.startswith("(") else str(row.count)
        table.rows.append((visible_term(row.feature, 30), times, f"{row.log_odds:+.3f}"))
    table.rows.append(("sum", "", f"{explanation.log_odds:+.3f}"))
    table.strong = frozenset({len(rows)})
    table.print()


def _draw(found: "Demo", path: str) -> bool:
    """The picture, unless there is nothing to draw it with."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        note("no picture without matplotlib; pip install 'priori[plots]'")
        return False
    from priori.plots import Explained, demo_figure, save

    terms = {label: [(term.term, term.log_odds) for term in found] for label, found in found.terms.items()}
    rows = [(row.feature, float(row.count), row.log_odds) for row in found.explanation.contributions]
    explained = Explained(rows, found.explanation.label, found.explanation.against, found.message)
    save(demo_figure(found.evaluation, terms, explained), path)
    return True
