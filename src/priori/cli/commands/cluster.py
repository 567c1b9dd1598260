"""priori cluster: classes of documents, or of the rows of a table, that have no labels, or few."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.commands.cluster_search import Outputs, choose, search_for, searched
from priori.cli.commands.table_train import planned
from priori.cli.messages import Stopping, listen, note, quiet
from priori.cli.models import file_size
from priori.cli.options.clustering import method_options, refuse_choosing, refuse_other_method, settings_of
from priori.cli.options.columns import missing_option, table_training_options
from priori.cli.options.common import (
    common_options,
    given_options,
    jobs_option,
    refuse_options,
    unlabelled_source_options,
)
from priori.cli.options.features import analyzer_of, clustered_analyzer_options
from priori.cli.output.clusters import Summary, compared, tell
from priori.cli.output.predictions import Columns
from priori.cli.output.terminal import plural, print_json, print_line, size_of
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.sources import Asked, Documents
from priori.cli.table_sources import labelled_rows, watched
from priori.errors import DataError, EstimateError

if TYPE_CHECKING:
    from priori.data.options import ReadOptions
    from priori.data.tables import LabelledBatch
    from priori.latent.corpus import Corpus
    from priori.latent.seed_words import Seeds
    from priori.latent.semi_supervised import HiddenClasses, HiddenSettings
    from priori.model.table_classifier import TableModel

# Options that are for documents only, or for the rows of a table only.
_TEXT_ONLY = frozenset({
    "text", "fields", "features", "ngrams", "min_length", "no_lowercase", "fold_accents", "binary", "compat",
    "stop_words", "stem", "vocabulary", "seed_file", "event", "components", "temper", "anneal", "least_documents",
    "largest_share", "chains", "burn_in", "samples", "thin", "criterion", "all_criteria", "truth", "most", "resume",
    "jobs",
})  # fmt: skip
_WRITTEN_BY_CLASSIFY = frozenset({"assignments", "keep"})
_TABLE_ONLY = frozenset({"as_table", "columns", "classifier", "covariance", "shrinkage", "like", "missing"})


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
        from priori.cli.output.prediction_files import table_format

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
    from priori.latent.seed_words import Seeds

    return Seeds.of(path)


def _corpus(documents: Documents, given: dict[str, Any], jobs: int | None, bar: Bar) -> "Corpus":
    from priori.latent.corpus import Corpus

    given["binary"] = given["method"] == "em" if given["binary"] is None else given["binary"]
    analyzer = replace(analyzer_of(given), fields=documents.fields)
    return Corpus.of(documents, analyzer, jobs=jobs, progress=bar)


# --- the rows of a table ----------------------------------------------------------------------------------------------


def is_table(sources: Sequence[str], options: "ReadOptions", as_table: bool) -> bool:
    """Whether all columns are to be learned from, as `priori train` has it; options for the other are refused."""
    if as_table:
        refuse_options(
            _WRITTEN_BY_CLASSIFY, "texts", "--table reads all columns; priori classify writes the class of each row"
        )
        refuse_options(_TEXT_ONLY, "texts", "--table reads all columns; leave one of the two out")
        return True
    from priori.data.tables import table_columns

    if given_options(frozenset({"text"})) or table_columns(sources, options) is None:
        refuse_options(
            _TABLE_ONLY, "tables", f"{sources[0]} is read as texts; add --table to read all columns of a table"
        )
        return False
    because = f"{sources[0]} is a table without a column {options.text!r}"
    refuse_options(_WRITTEN_BY_CLASSIFY, "texts", f"{because}; priori classify writes the class of each row")
    refuse_options(_TEXT_ONLY, "texts", f"{because}; name its text with --text COL")
    return True


def cluster_table(
    sources: Sequence[str], options: "ReadOptions", given: dict[str, Any], asked: "HiddenSettings", *, labelled: bool,
    output: str, as_json: bool = False,
) -> None:  # fmt: skip
    """Find the classes of rows by EM, write the model, and say what it found.

    `given` has what `table_training_options` and `missing_option` gather, and what `settings_of` leaves there. Where
    labels are to be learned from (`labelled`), they hold their rows to their classes; else there are `asked.n_classes`.
    """
    from priori.columns.specification import read_columns
    from priori.latent.semi_supervised import learn_rows
    from priori.threads import read_ahead

    listen()
    plan, batches = planned(sources, replace(options, text=None, label_required=False), given)
    with Bar("reading", noun="row") as bar:
        batches = watched(read_ahead(batches), bar)
        rows = list(labelled_rows(batches if labelled else _without_labels(batches), some=True))
    target = options.label if any((each.group >= 0).any() for each in rows) else None
    model, found = learn_rows(
        rows, plan.schema.only(read_columns(plan.parts)), plan.parts, replace(plan.readings, target=target), asked,
        kind=plan.kind, keep_sample=plan.kind == "naive_bayes",
    )  # fmt: skip
    if found is None:
        raise DataError("every row has a label, so there is nothing to find; learn from them: priori train")
    if found.fault is not None:
        raise EstimateError(found.fault)
    if not found.unlabelled_weight:
        raise DataError(
            "the rows without a label do not help to tell the classes of those with one, so there is nothing to find; "
            "learn from the labelled ones (priori train), or say what the others weigh (--unlabelled-weight)"
        )
    model.save(output)
    _tell_rows(model, found, output, as_json)


def _without_labels(batches: "Iterable[LabelledBatch]") -> "Iterator[LabelledBatch]":
    told = False
    for batch in batches:
        if not told and batch.labels is not None and batch.labels.null_count < len(batch):
            note("the labels of the source are left out; --label COL learns from them")
            told = True
        yield replace(batch, labels=None)


def _tell_rows(model: "TableModel", found: "HiddenClasses", output: str, as_json: bool) -> None:
    sizes = dict(zip(model.labels, model.statistics.n.tolist(), strict=True))
    if not found.converged:
        note(f"EM was still gaining after {plural(found.iterations, 'iteration')}; allow it more: --iterations")
    if found.advice is not None:
        note(found.advice)
    if as_json:
        print_json(
            {
                "model": output,
                "labelled": found.labelled,
                "unlabelled": found.unlabelled,
                "unlabelled_weight": found.unlabelled_weight,
                "sizes": {label: round(size, 6) for label, size in sizes.items()},
                "objective": found.objective,
                "log_likelihood": found.log_likelihood,
                "iterations": found.iterations,
                "converged": found.converged,
                "objectives": [value if value > float("-inf") else None for value in found.objectives],
                "kind": model.kind,
                "file_bytes": file_size(output),
            }
        )
    elif not quiet():
        total = sum(sizes.values())
        for label in sorted(sizes, key=lambda label: -sizes[label]):
            print_line(f"{label}: {sizes[label]:,.1f} rows ({sizes[label] / total:.1%})")
        best = f"the best of {plural(len(found.objectives), 'start')}, " if len(found.objectives) > 1 else ""
        print_line(f"objective {found.objective:,.2f}, {best}{plural(found.iterations, 'iteration')}")
        size = file_size(output)
        print_line(f"{output}: {'written' if size is None else size_of(size)}")
