"""priori compare: relative frequencies, EM, Bayesian estimation and Gibbs sampling on the same texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from priori.cli.messages import note
from priori.cli.options.common import common_options, conditions, jobs_option, read_options, unlabelled_source_options
from priori.cli.options.features import analyzer_of, analyzer_options
from priori.cli.output.terminal import Table, heading, listed, plural, print_json, print_line, print_wrapped, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Steps
from priori.cli.sources import new_batches

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from priori.data.options import ReadOptions
    from priori.latent.corpus import Corpus
    from priori.select.method_comparison import Row, TechniqueComparison
    from priori.select.method_curves import TechniqueCurves
    from priori.text.analyzer import Analyzer

Sourced: TypeAlias = "tuple[Sequence[str], ReadOptions]"
_TEXTS = "Name the one with the text: --text COLUMN; rows of numbers and categories are for priori compare-learners."
_WHERE = (
    "Measure on rows whose column has this value (repeatable): of --test; or of the sources, learning from the rest."
)
_SHORT_NAMES = {  # so that all curves stand beside each other on 80 columns
    "relative frequencies": "rel. freq.",
    "Bayesian": "Bayes",
    "Bayesian, integrated": "integrated",
    "TextClassifier": "classifier",
}


def _sizes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[int | None] | None:
    if value is None:
        return None
    try:
        sizes = [None if size.strip() == "all" else int(size) for size in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} are no numbers of labels; write them like 0,1,10,all") from None
    if any(size is not None and size < 0 for size in sizes):
        raise click.BadParameter(f"{value!r} has a negative number of labels; write them like 0,1,10,all")
    return sizes


@click.command("compare")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--labels",
    type=click.IntRange(min=0),
    metavar="N",
    help="Documents of each class that keep their label.  [default: all where they are needed, none elsewhere]",
)
@click.option("--curve", is_flag=True, help="Learning curves from no labels to all of them, too.")
@click.option(
    "--sizes",
    callback=_sizes,
    metavar="N,N,...",
    help="Labels of each class along the curves.  [default: 0,1,2,5,...,all]",
)
@click.option("--repeats", type=click.IntRange(min=1), metavar="N", help="Random splits of the curves.  [default: 3]")
@click.option("--plot", metavar="FILE", help="Draw the curves, as .svg, .png or .pdf.")
@click.option(
    "--classes", type=click.IntRange(min=2), metavar="K", help="Classes to find.  [default: as many as labels]"
)
@click.option("--test", "tests", multiple=True, metavar="SOURCE", help="Measure on these.  [default: 30 % held out]")
@click.option("--test-where", multiple=True, metavar="COL=VALUE", callback=conditions, help=_WHERE)
@click.option(
    "--alpha",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Imagined count of every word (Bayesian, Gibbs).",
)
@click.option("--restarts", type=click.IntRange(min=1), default=20, show_default=True, help="Random starts of EM.")
@click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="Of the Gibbs sampler.")
@click.option("--burn-in", type=click.IntRange(min=0), default=100, show_default=True, help="Sweeps before samples.")
@click.option("--samples", type=click.IntRange(min=8), default=100, show_default=True, help="Sweeps averaged, a chain.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed, the same numbers."
)
@click.option("--label", default="label", show_default=True, metavar="COL", help="The column with the labels.")
@unlabelled_source_options
@analyzer_options
@jobs_option
@common_options
def compare_command(
    *,
    sources: tuple[str, ...],
    labels: int | None,
    curve: bool,
    plot: str | None,
    tests: tuple[str, ...],
    test_where: tuple[tuple[str, str], ...],
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare four estimation techniques on the same texts, measured on texts that none has learned from.

    Relative frequencies (supervised maximum likelihood), EM (the same without labels), Bayesian estimation (supervised)
    and Gibbs sampling (the same without labels), as the lecture has them; and EM and TextClassifier with our defaults.

    \b
      priori compare mail.csv
      priori compare mail.csv --labels 10
      priori compare news.parquet --test-where split=test --curve --plot curves.svg
    """
    sizes, repeats = given.pop("sizes"), given.pop("repeats")
    if not curve and (plot is not None or sizes is not None or repeats is not None):
        named = "--plot" if plot is not None else "--sizes" if sizes is not None else "--repeats"
        raise click.UsageError(f"{named} is of the learning curves; add --curve")
    if test_where and not tests and "-" in sources:
        raise click.UsageError("standard input can be read only once; write it to a file first, or give --test")
    refuse_bad_places()
    if plot is not None:
        from priori.plots import picture_format

        picture_format(plot)
    from priori.select.method_comparison import compare_techniques

    common = _settings(given, jobs)
    options = read_options(given)
    options = replace(options, asked=((options.text or "", _TEXTS),))
    corpus, test = _read(*_parts(sources, tests, test_where, options), analyzer_of(given), jobs)
    with Steps("estimating") as steps:
        found = compare_techniques(corpus, test, labels=labels, progress=steps, **common)
    note_parts(found)
    curves = None
    if curve:
        from priori.select.method_curves import technique_curves

        with Steps("learning curves") as steps:
            curves = technique_curves(corpus, test, sizes=sizes, repeats=repeats or 3, progress=steps, **common)
    of = ", ".join(sources)
    if plot is not None and curves is not None:
        from priori.plots import save, technique_figure

        save(technique_figure(curves, of), plot)
    if as_json:
        print_json(found.to_json() | ({} if curves is None else {"curves": curves.to_json()}))
        return
    print_comparison(found, of)
    if curves is not None:
        print_curves(curves)


def _settings(given: dict[str, Any], jobs: int | None) -> dict[str, Any]:
    """What the table and the curves are made with; it is taken out of `given`."""
    from priori.select.methods import Effort

    effort = Effort(**{name: given.pop(name) for name in ("alpha", "restarts", "chains", "burn_in", "samples")})
    return {"classes": given.pop("classes"), "seed": given.pop("seed"), "effort": effort, "jobs": jobs}


def _parts(
    sources: Sequence[str], tests: Sequence[str], test_where: tuple[tuple[str, str], ...], options: "ReadOptions"
) -> "tuple[Sourced, Sourced | None]":
    """What to learn from and what to measure on, unless that is to be drawn; no row is read as both."""
    if not tests and not test_where:
        return (sources, options), None
    learn = options if tests else replace(options, but_where=test_where)
    return (sources, learn), (tests or sources, replace(options, where=test_where))


def _read(
    learn: "Sourced", measure: "Sourced | None", analyzer: "Analyzer", jobs: int | None
) -> "tuple[Corpus, npt.NDArray[np.bool_] | None]":
    """All documents, and which of them are to be measured on; None: they are to be drawn."""
    import numpy as np

    from priori.latent.corpus import Corpus

    found, fields = new_batches(*learn)
    batches = list(found)
    first = sum(map(len, batches))
    if measure is not None:
        again, more = new_batches(*measure)
        batches += again
        fields = tuple(dict.fromkeys((*fields, *more)))
    corpus = Corpus.of(lambda: iter(batches), replace(analyzer, fields=fields), jobs=jobs)
    return corpus, None if measure is None else np.arange(len(corpus)) >= first


# --- what is printed --------------------------------------------------------------------------------------------------


def note_parts(found: "TechniqueComparison") -> None:
    """What a given test part has to do with the rest."""
    if found.official and found.copies:
        them = "it is" if found.copies == 1 else "they are"
        note(
            f"{plural(found.copies, 'document')} left out of learning: {them} the same, word for word, as one to "
            "measure on"
        )
    if found.never_learned:
        note(
            f"no document to learn from has the label {listed(found.never_learned)}, so no technique that learns from "
            "labels can find it; add some, or look at --label and --test"
        )


def print_comparison(found: "TechniqueComparison", of: str) -> None:
    """The table of the techniques, and what is to be said of each."""
    names = ", ".join(visible(name, 20) for name in found.classes[:5]) + ", …" * (len(found.classes) > 5)
    heading(f"{visible(of)}: {names}")
    part = "given" if found.official else "held out"
    print_line(
        f"{plural(found.train_documents, 'document')} to learn from, {plural(found.test_documents, 'document')} {part} "
        "to measure on"
    )
    columns = ["technique", ">labels", ">unlabelled", ">accuracy", ">NMI", ">log loss", ">seconds"]
    Table(columns, [_cells(row) for row in found.rows]).print()
    for row in found.rows:
        print_wrapped(f"{row.name}: {row.settings}.")
        if row.note is not None:
            print_wrapped(f"  {row.note}.")
    if any(row.matched and row.judgement is not None for row in found.rows):
        print_wrapped("Classes found without labels are matched with the true ones so that most documents are right.")
    if found.components > len(found.classes):
        print_wrapped(f"{found.components} classes for {len(found.classes)} labels: documents in the others are wrong.")
    judged = [(row.name, row.judgement) for row in found.rows if row.judgement is not None]
    undecided = [
        f"{plural(judgement.undecided, 'document')} ({name})" for name, judgement in judged if judgement.undecided
    ]
    if undecided:
        print_wrapped(
            f"Undecided: {', '.join(undecided)}: every class has probability 0, or two have the largest. Such "
            "documents are not right."
        )
    if any(judgement.impossible for _, judgement in judged):
        print_wrapped("A log loss of ∞: a document's own class was given probability 0.")


def _cells(row: "Row") -> list[str]:
    learned = [f"{row.labelled:,}", f"{row.unlabelled:,}"]
    judged = row.judgement
    if judged is None:
        return [row.name, *learned, "–", "–", "–", "–"]
    loss = f"{judged.log_loss:.3f}" if judged.impossible == 0 else "∞"
    nmi, seconds = f"{judged.nmi:.3f}", f"{row.seconds:.2f}"
    return [row.name, *learned, f"{judged.accuracy:.2%}", nmi, loss, seconds]


def print_curves(curves: "TechniqueCurves") -> None:
    """A table for each measure, a row for each number of labels."""
    print_line()
    head = ["labels", *(f">{_SHORT_NAMES.get(curve.name, curve.name)}" for curve in curves.curves)]
    repeats = f"means of {plural(curves.repeats, 'repeat')}" if curves.repeats > 1 else "one split"
    shown = [("accuracy", "accuracy"), ("log loss", "log_loss")]
    if any(curve.undecided.values.any() for curve in curves.curves):
        shown.append(("undecided", "undecided"))
    for title, measure in shown:
        means = [dict(zip(curve.sizes, getattr(curve, measure).mean.tolist(), strict=True)) for curve in curves.curves]
        rows: list[Sequence[str]] = [
            ["all" if size is None else f"{size:,}", *(_cell(mean.get(size), measure) for mean in means)]
            for size in curves.sizes
        ]
        Table(head, rows, f"{title} by labels of each class, {repeats}").print()
    for said in curves.notes:
        print_wrapped(f"{said}.")


def _cell(value: float | None, measure: str) -> str:
    if value is None:
        return "–"
    if measure == "log_loss":
        return "∞" if value == float("inf") else f"{value:.3f}"
    return f"{value:.1%}"
