"""priori demo: a first look."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from priori.cli.options import common_options
from priori.cli.places import refuse_bad_places
from priori.cli.show import heading, print_json, print_line, visible_term
from priori.cli.table import Table
from priori.cli.verbosity import note

if TYPE_CHECKING:
    from priori.demo import Demo


@click.command("demo")
@click.option("-o", "--output", default="priori-demo.svg", show_default=True, metavar="FILE", help="The picture.")
@common_options
def demo_command(output: str, as_json: bool) -> None:
    """Train on bundled messages, show what the model is worth and why, and draw a picture."""
    from priori.demo import run_demo

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
