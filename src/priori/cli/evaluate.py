"""priori evaluate: what a model's probabilities are worth."""

import math
from typing import TYPE_CHECKING, Any

import click

from priori.cli.loaded import load_as
from priori.cli.models import refuse_bad_place
from priori.cli.options import common_options, jobs_option, read_options, reading_options, source_options
from priori.cli.progress import Bar
from priori.cli.show import plural, print_json, visible
from priori.cli.table import Table, facts
from priori.cli.verbosity import note, warn

if TYPE_CHECKING:
    from priori.decisions import Evaluation

_WIDEST = 20  # classes whose confusion still fits a page


@click.command("evaluate")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--plot", metavar="FILE", help="Draw reliability and confusion, as .svg, .png or .pdf.")
@click.option("--html", metavar="FILE", help="Write a page with measures, pictures and the worst mistakes explained.")
@reading_options
@source_options
@jobs_option
@common_options
def evaluate_command(
    *, path: str, sources: tuple[str, ...], plot: str | None, html: str | None, jobs: int | None, as_json: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Measure a model on labelled documents or rows: accuracy, losses, calibration, ranking, confusion.

    \b
        priori evaluate spam.priori mail.csv --where split=test --html report.html
    """
    from priori.decisions import Worst

    for place in (plot, html):
        if place is not None:
            refuse_bad_place(place)
    model = load_as(path, given)
    options = read_options(given)
    worst: Worst[Any] | None = None if html is None else Worst(model.labels)
    with Bar("evaluating", noun=model.noun) as bar:
        found = model.evaluation(sources, options, jobs, bar, worst=worst)
    if found.unlabelled:
        note(f"{plural(found.unlabelled, 'row')} without a label skipped")
    if found.log_loss_note is not None:
        warn(f"the log loss is {found.log_loss_note}")
    if found.auc_note is not None:
        note(f"the area under the ROC curve is {found.auc_note}")
    if plot is not None:
        _draw(found, plot, model.noun)
    if html is not None and worst is not None:
        from priori.report import write

        write(model.report(found, worst, sources), html)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found, f"{model.noun}s")


def _print(found: "Evaluation", many: str) -> None:
    loss = f"{found.log_loss:.4f}" if math.isfinite(found.log_loss) else "infinite"
    rows = [
        (many, f"{found.n:,}"),
        ("accuracy", f"{found.accuracy:.2%}"),
        ("macro F1", f"{found.macro_f1:.4f}"),
        ("log loss", f"{loss} nats"),
        ("Brier score", f"{found.brier:.4f}"),
        ("calibration error", f"{found.ece:.2%}  (a perfectly calibrated model would show {found.ece_floor:.2%})"),
    ]
    if found.auc is not None:
        rows.append(("area under ROC", f"{found.auc:.4f}"))
    if found.rejected is not None:
        cost = "none" if found.cost is None else f"{found.cost:.4f}"
        rows.append(("cost", f"{cost} per {many.removesuffix('s')}, {found.rejected:.2%} rejected"))
    facts(rows).print()
    table = Table(["class", ">precision", ">recall", ">F1", f">{many}"])
    for label, scores in found.per_class.items():
        numbers = (f"{scores.precision:.2%}", f"{scores.recall:.2%}", f"{scores.f1:.4f}", f"{scores.support:,}")
        table.rows.append((visible(label, 30), *numbers))
    table.print()
    confusion = _confusion(found)
    (confusion if len(found.labels) <= _WIDEST and confusion.fits() else _mistakes(found, many)).print()


def _confusion(found: "Evaluation") -> Table:
    """Few classes are named at both sides, many are numbered."""
    few = len(found.labels) <= 5
    names = [visible(label, 12) if few else str(number) for number, label in enumerate(found.labels, 1)]
    table = Table(["true \\ predicted", *(f">{name}" for name in names)], title="Confusion")
    for number, (label, row) in enumerate(zip(found.labels, found.confusion.tolist(), strict=True), 1):
        name = visible(label, 24) if few else f"{number} {visible(label, 20)}"
        table.rows.append((name, *(f"{count:,}" if count else "·" for count in row)))
    return table


def _mistakes(found: "Evaluation", many: str, most: int = 10) -> Table:
    """What is confused most often, where the whole table is too wide."""
    table = Table(["true", "predicted", f">{many}"], title="Most frequent mistakes")
    wrong = [
        (-count, i, j)
        for i, row in enumerate(found.confusion.tolist())
        for j, count in enumerate(row)
        if count and i != j
    ]
    for count, i, j in sorted(wrong)[:most]:
        table.rows.append((visible(found.labels[i], 30), visible(found.labels[j], 30), f"{-count:,}"))
    return table


def _draw(found: "Evaluation", path: str, noun: str) -> None:
    from priori.plots import confusion, new_figure, reliability, save

    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2)
    reliability(left, found.reliability, found.ece_floor, noun)
    confusion(right, found, noun)
    save(figure, path)
