"""The search of `priori cluster`: first for the number of classes, where that is a range, then for the classes.

The search for classes is stored while it goes on, stopped where it can resume, and written in the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.exceptions import Exit

from priori.cli.messages import STOPPED, Stopping, note, quiet, say, warn
from priori.cli.options.clustering import chains_of, recipe_of
from priori.cli.output.predictions import Columns, Predictions
from priori.cli.output.terminal import Table, heading, print_wrapped
from priori.cli.progress import Steps, Watching

if TYPE_CHECKING:
    from priori.latent.checkpoint import Checkpoint
    from priori.latent.class_number import Criterion, NumberChoice
    from priori.latent.corpus import Corpus
    from priori.latent.em_algorithm.run import Clustering
    from priori.latent.gibbs_sampling.run import Sampling
    from priori.latent.result import Found
    from priori.latent.seed_words import Seeds

# To choose a number of classes, fewer than the library has, for a person is waiting: on the texts of
# docs/maths/number_of_classes.md stability chooses as it does with more.
_STARTS, _SPLITS, _FOLDS = 3, 3, 3


# --- the number of classes --------------------------------------------------------------------------------------------


def choose(
    corpus: "Corpus", given: dict[str, Any], seeds: "Seeds | None", jobs: int | None, *, show: bool
) -> "NumberChoice":
    """The number of classes by the criterion that was asked for; the table is printed at once."""
    from priori.latent.class_number import CRITERIA, choose_classes

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
        _print_choice(choice)
    return choice


def _print_choice(choice: "NumberChoice") -> None:
    from priori.latent.class_number import choose_cells, choose_said

    head, *rows = choose_cells(choice)
    heading("Number of classes")
    table = Table([f">{name}" for name in head], rows)  # type: ignore[arg-type]
    if not table.fits():  # what AIC and BIC are made of is the first to go
        table = Table([f">{name}" for name in head[:1] + head[3:]], [row[:1] + row[3:] for row in rows])
    table.strong = frozenset(place for place, row in enumerate(choice.rows) if row.classes == choice.classes)
    table.print()
    print_wrapped(" ".join(choose_said(choice)))


# --- the classes ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outputs:
    """Where what is found goes."""

    model: str
    assignments: str | None
    columns: Columns  # of the assignments
    kept: Mapping[str, Any]  # the columns that are copied


def search_for(
    corpus: "Corpus", given: dict[str, Any], seeds: "Seeds | None", jobs: int | None
) -> "Clustering | Sampling":
    """The search that was asked for."""
    recipe, seed, classes = recipe_of(given), given["seed"], given["classes"]
    if given["method"] == "gibbs":
        from priori.latent.gibbs_sampling.run import Sampling

        return Sampling(corpus, classes, recipe=recipe, seeds=seeds, chains=chains_of(given), seed=seed, jobs=jobs)
    from priori.latent.em_algorithm.run import Clustering

    return Clustering(corpus, classes, recipe=recipe, seeds=seeds, seed=seed, jobs=jobs)


def searched(
    run: "Clustering | Sampling", outputs: Outputs, stopping: Stopping, *, resume: bool, chosen: int | None
) -> "tuple[Found, bool]":
    """What was found, written; and whether the search was taken up. chosen: a number of classes that was."""
    checkpoint = _checkpoint(run, outputs.model)
    resumed = _taken_up(run, checkpoint, resume)
    try:
        if not _walked(run, checkpoint, stopping):
            _stop(run, checkpoint, stopping, chosen)
        found = run.found()
        found.model.save(outputs.model)
        if outputs.assignments is not None:
            _write_assignments(found, outputs.kept, outputs.assignments, outputs.columns)
    except KeyboardInterrupt:
        if checkpoint is None or not checkpoint.path.exists():
            raise
        say(f"stopped at once; {checkpoint.path} is kept, from which the same command{_straight(chosen)} goes on")
        raise Exit(stopping.exit_code) from None
    if checkpoint is not None:
        checkpoint.remove()
    return found, resumed


def _checkpoint(run: "Clustering | Sampling", output: str) -> "Checkpoint | None":
    """The file beside the model; a pipe or device has none."""
    from priori.latent.checkpoint import Checkpoint

    place = Path(output)
    if place.exists() and not place.is_file():
        return None
    return Checkpoint(f"{output}.partial", run)


def _taken_up(run: "Clustering | Sampling", checkpoint: "Checkpoint | None", resume: bool) -> bool:
    """Whether it goes on from a checkpoint; one that is not wanted is taken away."""
    if checkpoint is None:
        return False
    if not resume:
        checkpoint.remove()
        return False
    resumed = checkpoint.resume()
    if resumed:
        note(f"going on from {checkpoint.path}: {run.where} (--fresh starts anew)")
    return resumed


def _walked(run: "Clustering | Sampling", checkpoint: "Checkpoint | None", stopping: Stopping) -> bool:
    """Walk to the end; False if it was stopped, after the iteration that was under way."""
    with Watching(run) as watching:
        for step in run:
            if stopping.by is None:  # else the terminal may be gone
                watching(step)
            if stopping.by is not None:
                if checkpoint is not None:
                    checkpoint.save()
                return False
            if checkpoint is not None and checkpoint.due:
                checkpoint = _saved(checkpoint)
    return True


def _saved(checkpoint: "Checkpoint") -> "Checkpoint | None":
    """Save it; where that fails, the work goes on without."""
    try:
        checkpoint.save()
    except OSError as error:
        warn(f"how far it has come cannot be stored ({error.strerror or error}); it goes on, and a stop will lose it")
        return None
    return checkpoint


def _stop(
    run: "Clustering | Sampling", checkpoint: "Checkpoint | None", stopping: Stopping, chosen: int | None
) -> NoReturn:
    if checkpoint is None:
        say(f"stopped at {run.where}; nothing is kept, for the model was to go to no file")
    else:
        again = f"the same command{_straight(chosen)} goes on from there"
        say(f"stopped at {run.where}; kept in {checkpoint.path}: {again}")
    raise Exit(stopping.exit_code)


def _straight(chosen: int | None) -> str:
    """What goes on without choosing once more."""
    return "" if chosen is None else f" with --classes {chosen}"


def _write_assignments(found: "Found", kept: Mapping[str, Any], path: str, columns: Columns) -> None:
    """One row for each document: its number from 0, kept columns, label, probability, and p of each class."""
    import numpy as np

    from priori.cli.output.prediction_files import open_table
    from priori.store import arrow_views

    numbers = arrow_views.from_numpy(np.arange(len(found.probabilities)))
    with open_table(path, found.classes, columns) as table:
        table.write(Predictions(found.probabilities, {"row": numbers, **kept}))
