"""priori train: from labelled documents to a model file."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.inputs import new_batches
from priori.cli.models import file_size, refuse_bad_place
from priori.cli.options import (
    analyzer_of,
    analyzer_options,
    changed_readings,
    common_options,
    jobs_option,
    read_options,
    reading_options,
    source_options,
)
from priori.cli.progress import Bar
from priori.cli.show import plural, print_json, print_line, size_of
from priori.cli.verbosity import note, quiet, warn

if TYPE_CHECKING:
    from priori.classifier import Model


@click.command("train")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@reading_options
@analyzer_options
@source_options
@click.option(
    "--max-terms",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the terms in most documents only; no forget, no merge.",
)
@click.option("--no-sample", is_flag=True, help="Keep no sample of the documents beside the counts.")
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
    """Learn a model from labelled documents, in one pass.

    \b
      priori train mail.csv -o spam.priori
      priori train spam=junk.mbox ham=inbox.mbox -o spam.priori
      priori train reviews.parquet --where split=train --ngrams 1-2 -o reviews.priori
    """
    from priori.classifier import Model
    from priori.readings import Readings

    refuse_bad_place(output)
    readings = changed_readings(Readings(), given)
    analyzer = analyzer_of(given)
    options = read_options(given)
    batches, fields = new_batches(sources, options)
    with Bar("training") as bar:
        model = Model.train(
            batches,
            replace(analyzer, fields=fields),
            readings,
            max_terms=max_terms,
            keep_sample=not no_sample,
            weighted=options.weight is not None,
            jobs=jobs,
            progress=bar,
        )
        if provenance or remark is not None:
            model = replace(model, provenance=_provenance(sources, remark))
        model.save(output)
    _tell(model, output, bar, as_json)


def _provenance(sources: tuple[str, ...], remark: str | None) -> dict[str, Any]:
    from datetime import UTC, datetime

    from priori._version import __version__

    found = {"sources": list(sources), "date": datetime.now(UTC).isoformat(timespec="seconds"), "priori": __version__}
    return found if remark is None else found | {"note": remark}


def _tell(model: "Model", output: str, bar: Bar, as_json: bool) -> None:
    summary, counts = model.summary, model.counts
    if summary.unlabelled:
        note(f"{plural(summary.unlabelled, 'row')} without a label skipped")
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
            "unlabelled": summary.unlabelled,
            "labels": list(model.labels),
            "terms": counts.terms,
            "dropped_terms": 0 if model.dropped is None else model.dropped.terms,
            "bytes_read": read,
            "seconds": round(seconds, 3),
            "file_bytes": size,
        }
        print_json(document)
    elif not quiet():
        print_line(
            f"{plural(documents, 'document')}, {plural(len(model.labels), 'class')}, {plural(counts.terms, 'term')}; "
            f"{size_of(read)} in {seconds:.2f} s ({size_of(read / max(seconds, 1e-9))}/s)"
        )
        print_line(f"{output}: {'written' if size is None else size_of(size)}")
