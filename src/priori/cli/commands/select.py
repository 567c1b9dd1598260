"""priori select: which model of some labelled documents is worth most."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note
from priori.cli.options.common import common_options, jobs_option, read_options, source_options
from priori.cli.options.features import analyzer_of, candidate_options
from priori.cli.output.terminal import Table, heading, plural, print_json, print_line, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Steps
from priori.cli.sources import new_batches

if TYPE_CHECKING:
    from priori.data.batch import Batch
    from priori.data.options import ReadOptions
    from priori.select.selection_result import Selection

# As in priori.select, which is too slow to import for lists of names.
EVENTS = ("multinomial", "bernoulli", "complement")
ESTIMATES = ("ml", "map", "bayes", "integrated")
CRITERIA = ("leave-one-out", "k-fold", "holdout")
_FEW = 100  # documents held out, below which their loss says little


def _names(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    if value is None:
        return None
    known = EVENTS if parameter.name == "events" else ESTIMATES
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is unknown; choose among {','.join(known)}")
    return names


def _alphas(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[Any] | None:
    if value is None:
        return None
    try:
        return [name if name in {"auto", "evidence"} else float(name) for name in value.replace(" ", "").split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} are no alphas; write them like auto,0.1,1") from None


@click.command("select")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--events", callback=_names, metavar="NAME,...", help=f"Event models.  [default: {','.join(EVENTS)}]")
@click.option(
    "--estimates", callback=_names, metavar="NAME,...", help=f"Of {','.join(ESTIMATES)}.  [default: bayes,integrated]"
)
@click.option(
    "--alphas", callback=_alphas, metavar="ALPHA,...", help="Of auto, evidence and numbers.  [default: auto,1]"
)
@click.option("--no-calibrate", is_flag=True, help="Judge probabilities as they are.")
@click.option(
    "--criterion", type=click.Choice(CRITERIA), default=CRITERIA[0], show_default=True, help="The loss that ranks."
)
@click.option("--folds", type=click.IntRange(min=2), metavar="K", help="Measure by k folds, too.  [k-fold: 10]")
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Hold out so many documents, by their contents, and measure on them, too.  [holdout: 0.2]",
)
@click.option("--group", metavar="COL", help="A column; documents with the same value are left out together.")
@click.option("--average", is_flag=True, help="Average the readings of each representation by their evidence, too.")
@click.option(
    "--left-out",
    type=click.IntRange(min=2),
    metavar="N",
    help="Documents to leave out, at most.  [default: 20,000; 4,096 of many classes]",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of folds and of what is held out."
)
@click.option("-o", "--output", metavar="MODEL", help="Train the best on all documents and write its file.")
@click.option("--plot", metavar="FILE", help="Draw the losses, as .svg, .png or .pdf.")
@candidate_options
@source_options
@jobs_option
@common_options
def select_command(
    *,
    sources: tuple[str, ...],
    output: str | None,
    plot: str | None,
    group: str | None,
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Choose a model of labelled documents: what to count, and how to read the counts.

    Every combination of features, event models, estimates and priors is ranked by the log loss of labels that it has
    not seen. Texts are counted once for each kind of features; leaving each document out takes no training.

    \b
        priori select mail.csv
        priori select mail.csv --ngrams 1 --ngrams 1-3 --alphas auto,0.1,1 --holdout 0.2 -o mail.priori
        priori select reviews.parquet --criterion k-fold --group author --plot candidates.svg
    """
    refuse_bad_places()
    if plot is not None:
        from priori.plots import picture_format

        picture_format(plot)
    options = read_options(given, keep=() if group is None else (group,))
    batches, fields = _documents(sources, options)
    found = _selected(batches, fields, given, group, jobs)
    _notes(found)
    if plot is not None:
        from priori.plots import save
        from priori.plots.model_selection import selection_figure

        save(selection_figure(found, ", ".join(sources)), plot)
    if output is not None:
        from priori.model.classifier import Model

        best, weighted = found.best, options.weight is not None
        Model.train(batches, best.analyzer, best.readings, weighted=weighted, jobs=jobs).save(output)
    if as_json:
        print_json(found.to_json() | ({} if output is None else {"model": output}))
    else:
        _print(found, ", ".join(sources), output)


def _documents(sources: tuple[str, ...], options: "ReadOptions") -> "tuple[list[Batch], tuple[str, ...]]":
    """All of them in memory: they are counted for each kind of features."""
    remedy = "Name the one with the text: --text COLUMN; select is for texts, for a table see priori compare-learners."
    batches, fields = new_batches(sources, replace(options, asked=((options.text or "", remedy),)))
    return list(batches), fields


def _selected(
    batches: "list[Batch]", fields: tuple[str, ...], given: dict[str, Any], group: str | None, jobs: int | None
) -> "Selection":
    from priori.select.candidates import Grid
    from priori.select.search import How, select_among

    analyzer = replace(analyzer_of(given), fields=fields)
    choices = {
        "events": given["events"],
        "ngrams": given["orders"] or None,
        "features": given["kinds"] or None,
        "estimates": given["estimates"],
        "alphas": given["alphas"],
    }
    binary = (False, True) if given["once"] else (False,)
    named = {name: value for name, value in choices.items() if value is not None}
    grid = Grid(analyzer=analyzer, binary=binary, calibrate=not given["no_calibrate"], **named)
    how = How(**{name: given[name] for name in ("criterion", "folds", "average", "seed", "left_out")})
    how = replace(how, holdout=given["holdout"] or how.holdout)
    with Steps("choosing") as steps:
        return select_among(batches, grid, how, groups=group, jobs=jobs, progress=steps)


def _notes(found: "Selection") -> None:
    if found.unlabelled:
        note(f"{plural(found.unlabelled, 'row')} without a label left aside")
    if found.alone:
        note(f"{plural(found.alone, 'document')} not judged: without them (and their copies) their class is unknown")
    if found.unknown:
        note(f"{plural(found.unknown, 'document')} held out but not judged: their class is not learned")
    if found.unsure:
        note(f"one text with its copies, or one group, has {found.largest_block:.0%} of the weight: ± s.e. says little")
    if 0 < found.held_out < _FEW:
        note(f"only {plural(found.held_out, 'document')} held out: their loss says little; leave-one-out uses all")


def _print(found: "Selection", of: str, output: str | None) -> None:
    from priori.select.selection_result import WHY_NOT_ACROSS
    from priori.select.selection_tables import all_losses, averaged, ranking, within

    heading(f"{visible(of)}: {plural(found.documents, 'document')}, {plural(len(found.labels), 'class')}")
    print_line(_judged(found))
    table = _table(ranking(found))
    (table if table.fits() else _table(ranking(found, times=False))).print()
    print_line(_marks(found))
    print_line()
    for title, rows in (
        ("All losses of the labels", all_losses(found)),
        ("Within a representation: how far behind the best there", within(found)),
    ):
        if rows:
            _table(rows, title).print()
    if any(each.own is not None for each in found.representations):
        _wrapped(WHY_NOT_ACROSS)
        print_line()
    if found.averages:
        heading("Averaged by evidence, leave-one-out")
    for average in found.averages:
        name, loss, error, right, weights = averaged(average)
        _wrapped(f"{name}: {loss} ± {error}, {right} right; weights {weights}", "  ")
    if found.averages:
        print_line()
    best = found.best
    print_line(f"best: {best.name}, in {plural(round(found.seconds, 1), 'second')} altogether")
    if output is not None:
        print_line(f"{output}: trained on all documents")


def _judged(found: "Selection") -> str:
    of = found.best.loss(found.criterion).documents
    if found.criterion == "leave-one-out":
        return f"ranked by the log loss of {plural(of, 'label')}, documents left out with their copies"
    if found.criterion == "k-fold":
        return f"ranked by the log loss of {plural(of, 'label')} in {found.folds} folds"
    return f"ranked by the log loss of {plural(of, 'label')} of held-out documents"


def _marks(found: "Selection") -> str:
    chosen = "* alpha chosen by the documents" if any(isinstance(c.asked, str) for c in found.candidates) else ""
    near = "~ less than 2 s.e. behind the best" if found.rivals else ""
    return "; ".join(mark for mark in (near, chosen) if mark)


def _table(rows: list[list[str]], title: str = "") -> Table:
    head, *lines = rows
    return Table(head, list(lines), title)


def _wrapped(text: str, indent: str = "") -> None:
    import textwrap

    for line in textwrap.wrap(text, 80, subsequent_indent=indent):
        print_line(line)
