"""priori lm train: a language model from documents, with or without labels."""

from dataclasses import replace
from typing import Any

import click

from priori.cli.analyzer_options import analyzer_of
from priori.cli.models import file_size
from priori.cli.options import common_options, jobs_option, plain_source_options, read_options
from priori.cli.places import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.reading_options import lm_options
from priori.cli.show import plural, print_json, print_line, size_of
from priori.cli.verbosity import note, quiet


@click.command("train", short_help="Count n-grams.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@click.option(
    "--order", type=click.IntRange(1, 16), help="Of the longest n-grams.  [default: 3; of characters 5]", metavar="N"
)
@lm_options
@plain_source_options
@jobs_option
@common_options
def train_command(
    *, sources: tuple[str, ...], output: str, order: int | None, jobs: int | None, as_json: bool, **given: Any
) -> None:
    """Count the n-grams of documents, in one pass; labels, if there are any, are not looked at.

    \b
      priori lm train reviews.parquet -o reviews.priori
      priori lm train names.txt --features chars --order 6 -o names.priori
    """
    from priori.cli.inputs import new_batches
    from priori.errors import DataError
    from priori.language_models import LanguageModel
    from priori.text.analyzer import LANGUAGE_ORDER

    options = replace(read_options(given), label=None)
    refuse_bad_places()
    reading = {name: given.pop(name) for name in ("smoothing", "alpha", "unknown")}
    order = order or LANGUAGE_ORDER[given["features"]]
    try:
        model = LanguageModel(order, analyzer=analyzer_of(given), n_jobs=jobs, **reading)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    with Bar("counting") as bar:
        batches, fields = new_batches(sources, options)
        if fields:
            note(f"only the text is counted: {', '.join(fields)} are fields of their own")
        model.fit_batches(batches, progress=bar)
        model.save(output)
    for line in model.notes:
        note(line)
    size, ngrams = file_size(output), model.table.ngrams
    documents = int(model.model_.counts.class_documents.sum())
    if as_json:
        print_json({
            "model": output, "documents": documents, "ngrams": list(ngrams), "parameters": model.parameters,
            "seconds": round(bar.seconds, 3), "file_bytes": size,
        })  # fmt: skip
    elif not quiet():
        said = ", ".join(f"{count:,} {order}-grams" for order, count in enumerate(ngrams, 1))
        print_line(f"{plural(documents, 'document')}, {said} in {bar.seconds:.2f} s")
        print_line(f"{output}: {'written' if size is None else size_of(size)}")
