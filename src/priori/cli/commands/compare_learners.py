"""priori compare-learners: generative against discriminative, by the number of labelled rows."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import common_options, labelled_table_options, read_options
from priori.cli.output.terminal import Table, heading, plural, print_json, print_line, visible
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Steps

if TYPE_CHECKING:
    from priori.select.learning_curves import LearnerComparison

# As in priori.select.simulations, which is too slow to import for a list of names.
KINDS = ("gaussian", "skewed", "poisson")


def _sizes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    try:
        return [int(size) for size in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} are no numbers of rows; write them like 10,100,1000") from None


@click.command("compare-learners")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--simulate", "kind", type=click.Choice(KINDS), help="Draw rows from a known truth instead.")
@click.option(
    "-n", "rows", type=click.IntRange(min=4), metavar="N", help="Simulated rows to learn from at most.  [default: 2000]"
)
@click.option(
    "--sizes", callback=_sizes, metavar="N,N,...", help="Sizes of the curves, in rows.  [default: 2 per class, doubled]"
)
@click.option("--repeats", type=click.IntRange(min=1), metavar="N", help="Random splits.  [default: 5; simulated: 10]")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed, the same numbers."
)
@click.option("--plot", metavar="FILE", help="Draw the learning curves, as .svg, .png or .pdf.")
@labelled_table_options
@common_options
def compare_learners_command(
    sources: tuple[str, ...],
    *,
    kind: str | None,
    rows: int | None,
    sizes: list[int] | None,
    repeats: int | None,
    seed: int,
    plot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare learners by the number of labelled rows: who learns faster, who ends higher?

    Naive Bayes and Gaussian discriminant analysis model the rows of each class; logistic regression, least squares and
    a decision tree only the boundary. Each is measured on 30 % of the rows, held out anew in every repeat.

    \b
        priori compare-learners adult.csv --label income --plot curves.svg
        priori compare-learners --simulate gaussian
    """
    if (kind is None) == (not sources):
        raise click.UsageError("give a SOURCE to learn from, or --simulate, and not both")
    if rows is not None and kind is None:
        raise click.UsageError("-n is for --simulate; a table has the rows it has (see --sizes)")
    refuse_bad_places()
    if plot is not None:
        from priori.plots import picture_format

        picture_format(plot)
    settings = {"sizes": sizes, "seed": seed} | ({} if repeats is None else {"repeats": repeats})
    with Steps("learning") as steps:
        if kind is not None:
            from priori.estimators.learner_comparison import compare_simulated

            count = {} if rows is None else {"n": rows}
            found = compare_simulated(kind, **count, **settings, progress=steps)  # type: ignore[arg-type]
        else:
            from priori.cli.table_sources import labelled_table
            from priori.estimators.learner_comparison import compare_learners

            table, labels = labelled_table(sources, read_options(given))
            found = compare_learners(table, labels, **settings, progress=steps)  # type: ignore[arg-type]
    of = ", ".join(sources) if kind is None else f"simulated, {kind}"
    if plot is not None:
        from priori.plots import learning_figure, save

        save(learning_figure(found, of), plot)
    if as_json:
        print_json(found.to_json() | ({} if kind is None else {"simulated": kind}))
    else:
        _print(found, of)


def _print(found: "LearnerComparison", of: str) -> None:
    measured = f"{plural(found.test_rows, 'row')} held out, {plural(found.repeats, 'repeat')}"
    classes = ", ".join(visible(name, 20) for name in found.classes[:5]) + ", …" * (len(found.classes) > 5)
    heading(f"{visible(of)}: {classes}")
    print_line(f"means ± standard errors, {measured}")
    for title, (head, *lines) in found.blocks():
        Table([f">{name}" for name in head], list(lines), title).print()
    for sentence in found.sentences():
        print_line(sentence)
