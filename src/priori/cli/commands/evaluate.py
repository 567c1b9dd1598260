"""priori evaluate: what a model's probabilities are worth, on labelled data or on data without labels."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note, warn
from priori.cli.models import load_classifier
from priori.cli.options.common import common_options, jobs_option, read_options, source_options
from priori.cli.options.decisions import loss_of, loss_options, said_decisions
from priori.cli.options.model import reading_options
from priori.cli.output.terminal import Table, facts, listed, plural, print_json, print_line, print_wrapped, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.cli.models import Loaded
    from priori.data.options import ReadOptions
    from priori.decisions.measures import Evaluation
    from priori.model.drift import Drift
    from priori.report.sections import Matched

_WIDEST = 20  # classes whose confusion still fits a page
_MOST_MOVED = 30  # classes that are shown, of those that moved most


@click.command("evaluate")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--leave-one-out", is_flag=True, help="SOURCE was learned: each of its documents or rows is left out.")
@click.option("--group", metavar="COL", help="With --leave-one-out: documents of one group are left out together.")
@click.option("--unlabelled", is_flag=True, help="SOURCE has no labels: is it such as was learned, and mixed alike?")
@loss_options
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
    """Measure a model on labelled documents or rows: accuracy, losses, calibration, ranking, confusion, cost.

    Without a SOURCE on the documents or rows that it keeps, each left out: as if it had never been learned.

    \b
        priori evaluate spam.priori mail.csv --where split=test --html report.html
        priori evaluate spam.priori
        priori evaluate spam.priori today.csv --unlabelled
    """
    from priori.decisions import Worst

    way = _Way(sources, given.pop("leave_one_out"), given.pop("group"), given.pop("unlabelled"))
    refuse_bad_places()
    model = load_classifier(path, given)
    loss, options = loss_of(given, model.labels), read_options(given)
    way.refuse_unfit({"--html": html is not None, "--plot": plot is not None, "--loss or --reject": loss is not None})
    model.warn_if_stale()
    if way.left_out and model.weighted and options.weight is None:
        warn(f"{path} has learned weights, and each {model.noun} is left out with weight 1; name them with --weight")
    if way.unlabelled:
        _watch(model, sources, options, jobs, as_json)
        return
    worst: Worst[Any] | None = None if html is None else Worst(model.labels)
    with Bar("evaluating", noun=model.noun) as bar:
        if not sources:
            found = model.kept_evaluation(jobs, loss)
        elif way.left_out:
            found = model.left_out_evaluation(sources, options, way.group, jobs, bar, loss=loss)
        else:
            found = model.evaluation(sources, options, jobs, bar, loss=loss, worst=worst)
    matched = matched_of(found, path, plot)
    _say(found, matched is None)
    if plot is not None:
        _draw(found, plot, model.noun)
    if html is not None and worst is not None:
        from priori.report import write

        write(replace(model.report(found, worst, sources), matched=matched), html)
    if as_json:
        more = {"left_out": True} if way.left_out or not sources else {}
        print_json((found.to_json() if matched is None else matched.to_json(found)) | more)
    elif matched is not None:
        print_matched(found, matched, f"{model.noun}s")
    else:
        _print(found, model.noun, kept=not sources)


@dataclass(frozen=True)
class _Way:
    """How a SOURCE is looked at."""

    sources: tuple[str, ...]
    left_out: bool
    group: str | None
    unlabelled: bool

    def __post_init__(self) -> None:
        for name, given in (("--leave-one-out", self.left_out), ("--unlabelled", self.unlabelled)):
            if given and not self.sources:
                raise click.UsageError(f"{name} is about a SOURCE; give one")
        if self.left_out and self.unlabelled:
            raise click.UsageError("--leave-one-out needs labels, and --unlabelled has none; give one of them")
        if self.group is not None and not self.left_out:
            raise click.UsageError("--group is what --leave-one-out leaves out together; give that")

    def refuse_unfit(self, wanted: dict[str, bool]) -> None:
        """What is not for this way of looking."""
        for name, given in wanted.items():
            if given and self.unlabelled:
                raise click.UsageError(f"{name} needs labels, and --unlabelled has none; leave one away")
            if given and name == "--html" and (self.left_out or not self.sources):
                raise click.UsageError(
                    "--html explains the worst mistakes by what the model knows, and what it has learned it knows too "
                    "well; give a SOURCE that was not learned"
                )


def _say(found: "Evaluation", named: bool) -> None:
    if found.unlabelled:
        note(f"{plural(found.unlabelled, 'row')} without a label skipped")
    if not named:
        return
    if found.log_loss_note is not None:
        warn(f"the log loss is {found.log_loss_note}")
    for what, said in (("area under the ROC curve", found.auc_note), ("cost", found.cost_note)):
        if said is not None:
            note(f"the {what} is {said}")


def _print(found: "Evaluation", noun: str, kept: bool) -> None:
    many = f"{noun}s"
    if kept:
        print_line(f"{found.n:,} kept {many}, each left out{' with its copies' if noun == 'document' else ''}")
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
        rows.append(("cost", f"{cost} per {noun}, {found.rejected:.2%} rejected"))
        rows.append(("decisions", said_decisions(found.decisions or {})))
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


# --- labels that are no classes of the model --------------------------------------------------------------------------


def matched_of(found: "Evaluation", path: str, plot: str | None) -> "Matched | None":
    """The labels beside the classes, and a warning; None where names can be compared."""
    if not found.never_learned:
        return None
    from priori.report.sections import Matched

    matched = Matched.of(found)
    if matched is None:
        return None
    said = f"no label of the source ({listed(matched.labels)}) is a class of {path} ({listed(matched.classes)})"
    if plot is not None:
        raise DataError(f"{said}, so there is no calibration to draw; leave --plot out, or use --html")
    warn(
        f"{said}, so each class is given the label that makes most right; for plain accuracy, learn with these labels, "
        "or seed words of them"
    )
    return matched


def print_matched(found: "Evaluation", matched: "Matched", many: str) -> None:
    """Both measures, and the table if there is room for it."""
    facts(
        [
            (many, f"{found.n:,}"),
            ("matched accuracy", f"{matched.accuracy:.2%}"),
            ("normalized mutual information", f"{matched.nmi:.4f}"),
        ]
    ).print()
    heads = ["label \\ class found", *(f">{visible(name, 12)}" for name in matched.classes)]
    table = Table(heads, title="Which class holds which labels")
    for name, counts in zip(matched.labels, matched.counts.tolist(), strict=True):
        table.rows.append((visible(name, 24), *(f"{count:,}" if count else "·" for count in counts)))
    if table.fits():
        table.print()


# --- data without labels ----------------------------------------------------------------------------------------------


def _watch(model: "Loaded", sources: tuple[str, ...], options: "ReadOptions", jobs: int | None, as_json: bool) -> None:
    with Bar("looking", noun=model.noun) as bar:
        found = model.drift(sources, replace(options, label=None, weight=None), jobs, bar)
    if as_json:
        print_json(found.to_json())
    else:
        print_drift(found, f"{model.noun}s")


def print_drift(found: "Drift", many: str) -> None:
    """How far the data differ from those learned: the verdict first, then the numbers."""
    print_wrapped(found.verdict)
    print_line()
    rows = [(many, f"{found.n:,}")]
    if found.unknown_share is not None:
        rows.append(("words never learned", f"{found.unknown_share:.2%}"))
    if found.expected_unknown_share is not None:
        apart = "" if found.unknown_z is None else f"  ({found.unknown_z:+.1f} standard errors)"
        rows.append(("expected", f"{found.expected_unknown_share:.2%}{apart}"))
    rows.append(("expected accuracy", f"{found.expected_accuracy:.2%}  (if the probabilities hold for such {many})"))
    if found.left_out_accuracy is not None:
        rows.append(("learned ones, left out", f"{found.left_out_accuracy:.2%}"))
    rows.append(("expected log loss", f"{found.expected_log_loss:.4f} nats"))
    apart = "" if found.mix_z is None else f"  (mean probabilities: {found.mix_z:.1f} standard errors at most)"
    rows.append(("same class mix", f"p = {found.p_value:.2g}{apart}"))
    facts(rows).print()
    table = Table(["class", ">learned", ">mean probability", ">estimated share"])
    moved = abs(found.estimated_mix - found.learned_mix)
    for k in sorted(range(len(found.labels)), key=lambda k: -moved[k])[:_MOST_MOVED]:
        shares = (found.learned_mix[k], found.class_mix[k], found.estimated_mix[k])
        table.rows.append((visible(found.labels[k], 30), *(f"{share:.2%}" for share in shares)))
    table.print()
