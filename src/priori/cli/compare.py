"""priori compare: relative frequencies, EM, Bayesian estimation and Gibbs sampling on the same texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from priori.cli.inputs import new_batches
from priori.cli.models import refuse_bad_place
from priori.cli.options import (
    analyzer_of,
    analyzer_options,
    common_options,
    conditions,
    jobs_option,
    read_options,
    unlabelled_source_options,
)
from priori.cli.show import heading, plural, print_json, print_line, print_wrapped, visible
from priori.cli.steps import Steps
from priori.cli.table import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from priori.latent.corpus import Corpus
    from priori.latent.label_curves import TechniqueCurves
    from priori.latent.techniques import Row, TechniqueComparison
    from priori.sources import ReadOptions
    from priori.text import Analyzer

Sourced: TypeAlias = "tuple[Sequence[str], ReadOptions]"
_SHORT = {  # so that all curves stand beside each other on 80 columns
    "relative frequencies": "rel. freq.",
    "Bayesian": "Bayes",
    "Bayesian, integrated": "integrated",
    "TextClassifier": "classifier",
}
_WHERE = "Measure on rows whose column has this value (repeatable), of --test or else of the sources."


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
    sizes: list[int | None] | None,
    repeats: int | None,
    plot: str | None,
    classes: int | None,
    tests: tuple[str, ...],
    test_where: tuple[tuple[str, str], ...],
    alpha: float,
    restarts: int,
    chains: int,
    burn_in: int,
    samples: int,
    seed: int,
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
      priori compare news.parquet --where split=train --test-where split=test --curve --plot curves.svg
    """
    if not curve and (plot is not None or sizes is not None or repeats is not None):
        named = "--plot" if plot is not None else "--sizes" if sizes is not None else "--repeats"
        raise click.UsageError(f"{named} is of the learning curves; add --curve")
    if test_where and not tests and "-" in sources:
        raise click.UsageError("standard input can be read only once; write it to a file first, or give --test")
    if plot is not None:
        from priori.plots import picture_format

        refuse_bad_place(plot)
        picture_format(plot)
    from priori.latent.technique_models import Effort
    from priori.latent.techniques import compare_techniques

    effort = Effort(alpha=alpha, restarts=restarts, chains=chains, burn_in=burn_in, samples=samples)
    options = read_options(given)
    measure = (tests or sources, replace(options, where=test_where)) if tests or test_where else None
    corpus, test = _read((sources, options), measure, analyzer_of(given), jobs)
    common: dict[str, Any] = {"classes": classes, "seed": seed, "effort": effort, "jobs": jobs}
    with Steps("estimating") as steps:
        found = compare_techniques(corpus, test, labels=labels, progress=steps, **common)
    curves = None
    if curve:
        from priori.latent.label_curves import technique_curves

        with Steps("learning curves") as steps:
            curves = technique_curves(corpus, test, sizes=sizes, repeats=repeats or 3, progress=steps, **common)
    of = ", ".join(sources)
    if plot is not None and curves is not None:
        from priori.plots import save, technique_figure

        save(technique_figure(curves, of), plot)
    if as_json:
        print_json(found.to_json() | ({} if curves is None else {"curves": curves.to_json()}))
        return
    _print(found, of)
    if curves is not None:
        _print_curves(curves)


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


def _print(found: "TechniqueComparison", of: str) -> None:
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


def _print_curves(curves: "TechniqueCurves") -> None:
    print_line()
    head = ["labels", *(f">{_SHORT.get(curve.name, curve.name)}" for curve in curves.curves)]
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
    for note in curves.notes:
        print_wrapped(f"{note}.")


def _cell(value: float | None, measure: str) -> str:
    if value is None:
        return "–"
    if measure == "log_loss":
        return "∞" if value == float("inf") else f"{value:.3f}"
    return f"{value:.1%}"
