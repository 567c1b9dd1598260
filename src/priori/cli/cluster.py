"""priori cluster: classes of documents that have no labels, or few."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.analyzer_options import analyzer_of, clustered_analyzer_options
from priori.cli.cluster_choice import choose
from priori.cli.cluster_options import method_options, refuse_choosing, refuse_other_method
from priori.cli.cluster_search import Outputs, search_for, searched
from priori.cli.cluster_table import cluster_table, is_table, settings_of
from priori.cli.clustered import Summary, compared, tell
from priori.cli.documents import Asked, Documents
from priori.cli.options import common_options, jobs_option, unlabelled_source_options
from priori.cli.places import refuse_bad_places
from priori.cli.predictions import Columns
from priori.cli.progress import Bar
from priori.cli.stopping import Stopping
from priori.cli.table_options import missing_option, table_training_options

if TYPE_CHECKING:
    from priori.latent.corpus import Corpus
    from priori.latent.seeds import Seeds
    from priori.sources import ReadOptions


class _Command(click.Command):
    """Told --binary and --repeats, click would keep the last of the two."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if {"--binary", "--repeats"} <= {*args}:
            raise click.UsageError("--binary and --repeats exclude each other; leave one out", ctx)
        return super().parse_args(ctx, args)


@click.command("cluster", cls=_Command)
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

    Ctrl-C, SIGTERM and SIGHUP store how far it has come in MODEL.partial, after the iteration under way (a second stops
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
    _refuse_contradictions(given, assignments, keep)
    refuse_bad_places()
    asked = Asked.of(sources, given)
    options = asked.options(given, keep)
    if is_table(sources, options, given.pop("as_table")):
        searched = settings_of(given, labelled=asked.labelled)
        cluster_table(sources, options, given, searched, output=output, labelled=asked.labelled, as_json=as_json)
        return
    _cluster_texts(
        sources, options, asked, given, output=output, assignments=assignments, keep=keep, most=most, resume=resume,
        jobs=jobs, as_json=as_json,
    )  # fmt: skip


def _refuse_contradictions(given: dict[str, Any], assignments: str | None, keep: tuple[str, ...]) -> None:
    if given["event"] == "bernoulli" and given["binary"] is False:
        raise click.UsageError("--event bernoulli asks only whether a word is there; leave --repeats out, or --event")
    if given["method"] == "gibbs" and given["anneal"] > given["burn_in"]:
        raise click.UsageError(
            f"--anneal {given['anneal']} goes on after --burn-in {given['burn_in']}, when samples are taken; let it be "
            "no longer"
        )
    if assignments is not None:
        from priori.cli.outputs import table_format

        table_format(assignments)
    elif keep:
        raise click.UsageError("--keep is for --assignments FILE; name that file, or leave it out")


def _cluster_texts(
    sources: tuple[str, ...], options: "ReadOptions", asked: Asked, given: dict[str, Any], *, output: str,
    assignments: str | None, keep: tuple[str, ...], most: int, resume: bool, jobs: int | None, as_json: bool,
) -> None:  # fmt: skip
    seeds = _seeds(given["seed_file"])
    if given["classes"] is None and seeds is None and not asked.labelled:
        raise click.UsageError("how many classes there are is not known; give --classes K, or name them with --seeds")
    with Bar("reading") as bar:
        documents = Documents(sources, options, labelled=asked.labelled)
        corpus = _corpus(documents, given, jobs, bar)
    choice = None
    if isinstance(given["classes"], range):
        choice = choose(corpus, given, seeds, jobs, show=not as_json)
        given["classes"] = choice.classes
    run, chosen = search_for(corpus, given, seeds, jobs), None if choice is None else choice.classes
    outputs = Outputs(output, assignments, Columns(keep if "row" in keep else ("row", *keep), None), documents.kept())
    truth = asked.truth_of(documents)
    with Stopping() as stopping:  # also while it is told: a signal that comes then has nothing left to stop
        found, resumed = searched(run, outputs, stopping, resume=resume, chosen=chosen)
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
