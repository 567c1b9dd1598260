"""priori cluster: classes of documents that have no labels, or few."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.exceptions import Exit

from priori.cli.cluster_choice import choose
from priori.cli.cluster_options import chains_of, method_options, recipe_of, refuse_choosing, refuse_other_method
from priori.cli.cluster_table import cluster_table, is_table, settings_of
from priori.cli.clustered import Summary, compared, tell
from priori.cli.documents import Asked, Documents
from priori.cli.faults import say
from priori.cli.options import (
    analyzer_of,
    clustered_analyzer_options,
    common_options,
    jobs_option,
    unlabelled_source_options,
)
from priori.cli.places import refuse_bad_places
from priori.cli.predictions import Columns, Predictions
from priori.cli.progress import Bar
from priori.cli.stopping import Stopping
from priori.cli.table_options import missing_option, table_training_options
from priori.cli.verbosity import note, warn
from priori.cli.watching import Watching

if TYPE_CHECKING:
    from priori.latent.checkpoint import Checkpoint
    from priori.latent.clustering import Clustering
    from priori.latent.corpus import Corpus
    from priori.latent.found import Found
    from priori.latent.sampling import Sampling
    from priori.latent.seeds import Seeds


@click.command("cluster")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@method_options
@click.option("--label", metavar="COL", help="Labels to learn from: these documents keep them; null is none.")
@click.option(
    "--truth", metavar="COL", help="Labels to compare with at the end, never to learn.  [default: label, if any]"
)
@click.option("--weight", metavar="COL", help="(em) A column with weights.")
@click.option("--assignments", metavar="FILE", help="Write each document's class: .parquet, .csv, .tsv, .jsonl.")
@click.option("--keep", multiple=True, metavar="COL", help="Copy this column into --assignments (repeatable).")
@click.option("--top", "most", type=click.IntRange(min=1), default=8, show_default=True, help="Words shown of a class.")
@click.option(
    "--resume/--fresh", default=True, show_default=True, help="Go on from MODEL.partial, if it was stopped; or anew."
)
@clustered_analyzer_options
@table_training_options
@missing_option
@unlabelled_source_options
@jobs_option
@common_options
def cluster_command(
    *,
    sources: tuple[str, ...],
    output: str,
    assignments: str | None,
    keep: tuple[str, ...],
    most: int,
    resume: bool,
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Find classes in documents without labels, or in the rows of a table, and write a model like any other.

    Labels are learned from only where --label names their column (or LABEL=PATH gives them); a column called label that
    was not asked for is compared with at the end, and never learned from. Seed words name classes: a file of lines like
    space = ["nasa", "orbit"].

    A source that has columns, but none with a text, is a table, as for priori train; --label holds its rows to classes.

    Ctrl-C and SIGTERM store how far it has come in MODEL.partial, after the iteration under way (a second Ctrl-C stops
    at once); the same command then goes on from there, to the same model bit by bit.

    \b
      priori cluster mails.csv --classes 2 -o mails.priori
      priori cluster mails.csv --classes 2-8 -o mails.priori
      priori cluster news.parquet --seeds seeds.toml -o news.priori --assignments news.csv --keep id
      priori cluster mails.csv --classes 2 --method gibbs -o mails.priori
      priori cluster flowers.csv --classes 3 --model gaussian --covariance full -o flowers.priori
    """
    refuse_other_method(given["method"])
    refuse_choosing(given)
    refuse_bad_places()
    if assignments is not None:
        from priori.cli.outputs import table_format

        table_format(assignments)
    elif keep:
        raise click.UsageError("--keep is for --assignments FILE; name that file, or leave it out")
    asked = Asked.of(sources, given)
    options = asked.options(given, keep)
    if is_table(sources, options, given.pop("as_table")):
        searched = settings_of(given, labelled=asked.labelled)
        cluster_table(sources, options, given, searched, output=output, labelled=asked.labelled, as_json=as_json)
        return
    columns = Columns(keep if "row" in keep else ("row", *keep), None)
    seeds = _seeds(given["seed_file"])
    if given["classes"] is None and seeds is None and not asked.labelled:
        raise click.UsageError("how many classes there are is not known; give --classes K, or name them with --seeds")
    with Bar("reading") as bar:
        documents = Documents(sources, options, labelled=asked.labelled)
        corpus = _corpus(documents, given, jobs, bar)
        kept, truth = documents.kept(), asked.truth_of(documents)
    choice = None
    if isinstance(given["classes"], range):
        choice = choose(corpus, given, seeds, jobs, show=not as_json)
        given["classes"] = choice.classes
    run = _run(corpus, given, seeds, jobs)
    with Stopping() as stopping:
        checkpoint = _checkpoint(run, output)
        resumed = _taken_up(run, checkpoint, resume)
        if not _walked(run, checkpoint, stopping):
            _stop(run, checkpoint, stopping, None if choice is None else choice.classes)
        found = run.found()
        found.model.save(output)
        if assignments is not None:
            _write(found, kept, assignments, columns)
        if checkpoint is not None:
            checkpoint.remove()
    summary = Summary(
        output=output,
        of=", ".join(sources),
        method=given["method"],
        seconds=bar.seconds,
        resumed=resumed,
        labelled=int(run.corpus.labelled.sum()),
        beside=None if truth is None else compared(found, truth, asked.where),
        assignments=assignments,
        most=most,
        choice=None if choice is None else choice.to_json(),
    )
    tell(found, summary, as_json)


def _seeds(path: str | None) -> "Seeds | None":
    if path is None:
        return None
    from priori.latent.seeds import Seeds

    return Seeds.of(path)


def _corpus(documents: Documents, given: dict[str, Any], jobs: int | None, bar: Bar) -> "Corpus":
    from priori.latent.corpus import Corpus

    given["binary"] = given["method"] == "em" if given["binary"] is None else given["binary"]
    analyzer = replace(analyzer_of(given), fields=documents.fields)
    return Corpus.of(documents, analyzer, jobs=jobs, progress=bar)


def _run(corpus: "Corpus", given: dict[str, Any], seeds: "Seeds | None", jobs: int | None) -> "Clustering | Sampling":
    recipe, seed, classes = recipe_of(given), given["seed"], given["classes"]
    if given["method"] == "gibbs":
        from priori.latent.sampling import Sampling

        return Sampling(corpus, classes, recipe=recipe, seeds=seeds, chains=chains_of(given), seed=seed, jobs=jobs)
    from priori.latent.clustering import Clustering

    return Clustering(corpus, classes, recipe=recipe, seeds=seeds, seed=seed, jobs=jobs)


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
            watching(step)
            if stopping.by is not None:
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
        checkpoint.save()
        straight = "" if chosen is None else f" with --classes {chosen}"  # without choosing once more
        say(f"stopped at {run.where}; kept in {checkpoint.path}: the same command{straight} goes on from there")
    raise Exit(stopping.exit_code)


def _write(found: "Found", kept: Mapping[str, Any], path: str, columns: Columns) -> None:
    """One row for each document: its number from 0, kept columns, label, probability, and p of each class."""
    import numpy as np

    from priori.cli.outputs import open_table
    from priori.store import views

    numbers = views.from_numpy(np.arange(len(found.probabilities)))
    with open_table(path, found.classes, columns) as table:
        table.write(Predictions(found.probabilities, {"row": numbers, **kept}))
