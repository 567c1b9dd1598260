"""priori demo: train on the bundled SMS Spam Collection, and see what a model can say."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note
from priori.cli.options.common import common_options
from priori.cli.output.terminal import Table, heading, print_json, print_line, visible_term

if TYPE_CHECKING:
    from priori.columns.words.term_ranking import Term
    from priori.decisions.measures import Evaluation
    from priori.model.classifier import Model
    from priori.model.explanation import Explanation

MESSAGE = "Free ticket! Text WIN to 80085 now, or call me and ask"


@click.command("demo")
@click.option("-o", "--output", default="priori-demo.svg", show_default=True, metavar="FILE", help="The picture.")
@common_options
def demo_command(output: str, as_json: bool) -> None:
    """Train on bundled messages, show what the model is worth and why, and draw a picture."""
    from priori.cli.output_paths import refuse_bad_places

    refuse_bad_places()
    found = run_demo()
    drawn = _draw(found, output)
    if as_json:
        print_json({**found.to_json(), "picture": output if drawn else None})
        return
    _print(found)
    if drawn:
        print_line(f"The picture is in {output} ({Path(output).stat().st_size / 1000:.0f} kB).")


# --- the demonstration ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Demo:
    """What the demonstration found."""

    model: "Model"
    trained_on: int
    evaluation: "Evaluation"
    terms: "dict[str, tuple[Term, ...]]"
    message: str
    explanation: "Explanation"

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
    from priori.columns.words.readings import Readings
    from priori.columns.words.term_ranking import rank
    from priori.data import samples
    from priori.data.batch import Batch
    from priori.model.classifier import Model
    from priori.model.evaluation import evaluate
    from priori.model.explanation import explain
    from priori.store import arrow_views
    from priori.text.analyzer import Analyzer

    model = Model.train(samples.batches(held_out=False), Analyzer(), Readings.automatic())
    terms: dict[str, list[Term]] = {label: [] for label in model.labels}
    for term in rank(model.counts, "log-odds", most=top):
        terms[term.label].append(term)
    document = Batch(arrow_views.from_texts([message]), None, None, {}, {}, 0, None)
    return Demo(
        model,
        int(model.counts.class_documents.sum()),
        evaluate(model, samples.batches(held_out=True)),
        {label: tuple(found) for label, found in terms.items()},
        message,
        explain(model, document),
    )


# --- how it is shown --------------------------------------------------------------------------------------------------


def _print(found: Demo) -> None:
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


def _draw(found: Demo, path: str) -> bool:
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
