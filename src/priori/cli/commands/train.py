"""priori train: from labelled documents, or the rows of a table, to a model file."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note, quiet, warn
from priori.cli.models import file_size
from priori.cli.options.columns import table_training_options
from priori.cli.options.common import (
    common_options,
    given_options,
    jobs_option,
    read_options,
    refuse_table_options,
    refuse_text_options,
    source_options,
)
from priori.cli.options.features import analyzer_of, analyzer_options
from priori.cli.options.model import changed_readings, reading_options
from priori.cli.options.unlabelled import Helped, Unlabelled, note_skipped, unlabelled_options
from priori.cli.output.terminal import plural, print_json, print_line, print_wrapped, size_of
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.sources import Documents, new_batches
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.columns.words.readings import Readings
    from priori.data.options import ReadOptions
    from priori.model.classifier import Model
    from priori.text import Analyzer

_TEXT_OR_TABLE = "Name the one with the text: --text COLUMN; or add --table to learn from all columns."
_ON_STDIN = "Name the one with the text: --text COLUMN; or add --table, which standard input needs to be a table."


@click.command("train")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@table_training_options
@reading_options
@partial(analyzer_options, ngrams="1; of --event language 1-3, or 1-5 of characters")
@source_options
@click.option(
    "--max-terms",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the terms in most documents only; no forget, no merge.",
)
@unlabelled_options
@click.option("--no-sample", is_flag=True, help="Keep no sample of the documents or rows beside the counts.")
@click.option("--provenance", is_flag=True, help="Store the sources and the date in the model.")
@click.option("--note", "remark", metavar="TEXT", help="Store this text too (implies --provenance).")
@jobs_option
@common_options
def train_command(
    *,
    sources: tuple[str, ...],
    output: str,
    max_terms: int | None,
    no_sample: bool,
    provenance: bool,
    remark: str | None,
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Learn a model from labelled documents, or from the rows of a table, in one pass.

    Rows without a label are skipped, unless --unlabelled em lets them help.

    A source that has columns, but none with a text, is a table: all of them are learned from.

    \b
      priori train mail.csv -o spam.priori
      priori train spam=junk.mbox ham=inbox.mbox -o spam.priori
      priori train reviews.parquet --where split=train --ngrams 1-2 -o reviews.priori
      priori train adult.csv --label income --columns zip=categorical -o adult.priori
    """
    refuse_bad_places()
    hidden = Unlabelled.of(given)
    options = hidden.read(sources, read_options(given))
    stored = _provenance(sources, remark) if provenance or remark is not None else None
    if _is_table(sources, options, given.pop("as_table")):
        from priori.cli.commands.table_train import train_table

        train_table(
            sources,
            options,
            given,
            output=output,
            keep_sample=not no_sample,
            hidden=hidden,
            jobs=jobs,
            provenance=stored,
            as_json=as_json,
        )
        return
    remedy = _ON_STDIN if "-" in sources else _TEXT_OR_TABLE
    options = replace(options, asked=((options.text or "", remedy),))
    settings = {"max_terms": max_terms, "keep_sample": not no_sample, "weighted": options.weight is not None}
    with Bar("training") as bar:
        model, helped = _trained(sources, options, given, hidden, jobs=jobs, progress=bar, **settings)
        if stored is not None:
            model = replace(model, provenance=stored if helped is None else stored | {"unlabelled": str(helped)})
        model.save(output)
    _tell(model, output, bar, helped, as_json)


def _trained(
    sources: Sequence[str], options: "ReadOptions", given: dict[str, Any], hidden: Unlabelled, **settings: Any
) -> "tuple[Model, Helped | None]":
    from priori.columns.words.readings import Readings
    from priori.model.classifier import Model

    readings, ngrams = changed_readings(Readings.automatic(), given), given["ngrams"]
    analyzer = analyzer_of(given)
    if readings.event == "language":
        analyzer = analyzer.of_language(None if ngrams is None else ngrams[1])
        _refuse_chainless(analyzer, readings, settings["max_terms"])
    if hidden.em:
        documents = Documents(sources, options, labelled=True)
        return _half_labelled(documents, replace(analyzer, fields=documents.fields), readings, hidden, **settings)
    batches, fields = new_batches(sources, options)
    return Model.train(batches, replace(analyzer, fields=fields), readings, **settings), None


def _refuse_chainless(analyzer: "Analyzer", readings: "Readings", max_terms: int | None) -> None:
    """What language models cannot be counted or compared with, before anything is read."""
    if max_terms is not None:
        raise click.UsageError("an n-gram cannot stand without the shorter ones in it; leave --max-terms out")
    if readings.smoothing.method == "ml":
        raise click.UsageError("--smoothing ml calls unseen words impossible, so classes do not compare; smooth")
    try:
        analyzer.refuse_chainless()
    except DataError as error:
        raise click.UsageError(str(error)) from error


def _half_labelled(
    documents: Documents, analyzer: "Analyzer", readings: "Readings", hidden: Unlabelled, **options: Any
) -> "tuple[Model, Helped]":
    from priori.latent.semi_supervised import learn_half_labelled

    found = learn_half_labelled(
        documents, analyzer, readings, unlabelled_weight=hidden.weight, seed=hidden.seed, **options
    )
    return found.model, Helped(found.labelled, found.unlabelled, found.unlabelled_weight, found.losses)


def _is_table(sources: Sequence[str], options: "ReadOptions", as_table: bool) -> bool:
    """Whether the columns of the sources are to be learned from, and not a text; options for the other are refused."""
    if as_table:
        refuse_text_options("--table reads all columns; leave one of the two out")
        return True
    from priori.data.tables import table_columns

    if given_options(frozenset({"text"})) or table_columns(sources, options) is None:
        refuse_table_options(f"{sources[0]} is read as texts; add --table to read all columns of a table")
        return False
    refuse_text_options(f"{sources[0]} is a table without a column {options.text!r}; name its text with --text COL")
    return True


def _provenance(sources: tuple[str, ...], remark: str | None) -> dict[str, Any]:
    from datetime import UTC, datetime

    from priori._version import __version__

    found = {"sources": list(sources), "date": datetime.now(UTC).isoformat(timespec="seconds"), "priori": __version__}
    return found if remark is None else found | {"note": remark}


def _tell(model: "Model", output: str, bar: Bar, helped: Helped | None, as_json: bool) -> None:
    summary, counts = model.summary, model.counts
    if helped is None:
        note_skipped(summary.unlabelled)
    if len(model.labels) == 1:
        warn(f"there is one class only, {model.labels[0]!r}; nothing can be told apart until another is learned")
    if model.dropped is not None:
        note(
            f"--max-terms dropped {plural(model.dropped.terms, 'term')} with "
            f"{plural(model.dropped.occurrences, 'occurrence')}; the model can neither forget nor be merged"
        )
    size, seconds = file_size(output), bar.seconds
    read = 0 if bar.last is None else bar.last.bytes_read
    documents = float(counts.class_documents.sum() * counts.unit)
    if as_json:
        document = {
            "model": output,
            "documents": documents if counts.unit_bits else int(documents),
            "unlabelled": summary.unlabelled if helped is None else helped.unlabelled,
            "half_labelled": None if helped is None else helped.to_json(),
            "labels": list(model.labels),
            "terms": counts.terms,
            "dropped_terms": 0 if model.dropped is None else model.dropped.terms,
            "fitted": None if model.fitted is None else model.fitted.facts(),
            "bytes_read": read,
            "seconds": round(seconds, 3),
            "file_bytes": size,
        }
        print_json(document)
    elif not quiet():
        learned = plural(documents, "document")
        if helped is not None and helped.weight:  # those without a label count in part
            learned = f"{plural(helped.labelled + helped.unlabelled, 'row')}, counted as {documents:,.1f} documents"
        print_line(
            f"{learned}, {plural(len(model.labels), 'class')}, {plural(counts.terms, 'term')}; "
            f"{size_of(read)} in {seconds:.2f} s ({size_of(read / max(seconds, 1e-9))}/s)"
        )
        if helped is not None:
            print_wrapped(str(helped))
        if model.fitted is not None:
            print_wrapped(str(model.fitted))
        print_line(f"{output}: {'written' if size is None else size_of(size)}")
