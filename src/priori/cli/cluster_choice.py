"""How many classes there are: what `priori cluster --classes LOW-HIGH` does before it searches for them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from priori.cli.cluster_options import recipe_of
from priori.cli.faults import STOPPED, say
from priori.cli.show import heading, print_wrapped
from priori.cli.steps import Steps
from priori.cli.table import Table
from priori.cli.verbosity import quiet

if TYPE_CHECKING:
    from priori.latent.corpus import Corpus
    from priori.latent.number import Criterion, NumberChoice
    from priori.latent.seeds import Seeds

# Fewer than the library has, for a person is waiting: on the texts of docs/maths/number_of_classes.md stability chooses
# as it does with more.
_STARTS, _SPLITS, _FOLDS = 3, 3, 3


def choose(
    corpus: "Corpus", given: dict[str, Any], seeds: "Seeds | None", jobs: int | None, *, show: bool
) -> "NumberChoice":
    """The number of classes by the criterion that was asked for; the table is printed at once."""
    from priori.latent.number import CRITERIA, choose_classes

    criterion: Criterion = given["criterion"].replace("-", "_")
    recipe = recipe_of(given)
    try:
        with Steps("choosing the number of classes") as steps:
            choice = choose_classes(
                corpus,
                given["classes"],
                criterion=criterion,
                criteria=CRITERIA if given["all_criteria"] else (),
                recipe=replace(recipe, restarts=min(_STARTS, recipe.restarts)),
                seeds=seeds,
                folds=_FOLDS,
                splits=_SPLITS,
                restarts=_STARTS,
                seed=given["seed"],
                jobs=jobs,
                progress=steps,
            )
    except KeyboardInterrupt:
        click.echo(err=True)
        say("stopped while the number of classes was chosen; nothing is kept, and the same command begins anew")
        raise Exit(STOPPED) from None
    if show and not quiet():
        _print(choice)
    return choice


def _print(choice: "NumberChoice") -> None:
    from priori.latent.number_table import choose_cells, choose_said

    head, *rows = choose_cells(choice)
    heading("Number of classes")
    table = Table([f">{name}" for name in head], rows)  # type: ignore[arg-type]
    if not table.fits():  # what AIC and BIC are made of is the first to go
        table = Table([f">{name}" for name in head[:1] + head[3:]], [row[:1] + row[3:] for row in rows])
    table.strong = frozenset(place for place, row in enumerate(choice.rows) if row.classes == choice.classes)
    table.print()
    print_wrapped(" ".join(choose_said(choice)))
