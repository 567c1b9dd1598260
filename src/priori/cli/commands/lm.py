"""priori lm: n-gram language models of documents without labels."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note, quiet
from priori.cli.models import file_size, load_texts
from priori.cli.options.common import common_options, given_options, jobs_option, plain_source_options, read_options
from priori.cli.options.features import analyzer_of
from priori.cli.options.model import lm_options
from priori.cli.output.terminal import Table, facts, plural, print_json, print_line, size_of, visible_term
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from priori.data.batch import Batch
    from priori.estimators.language_model import LanguageModel

_SOURCE_OPTIONS = frozenset({"text", "where", "format", "encoding", "delimiter", "quote", "no_header"})


class _InOrder(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of a first acquaintance."""
        return list(self.commands)


@click.group("lm", cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"]})
def lm_command() -> None:
    """N-gram language models: how probable texts are, what surprises in them, what comes next.

    \b
      priori lm train reviews.parquet --order 3 -o reviews.priori
      priori lm perplexity reviews.priori new.txt
      priori lm surprisal reviews.priori "a film of great charm"
      priori generate reviews.priori -n 3 --temperature 0.7

    The commands generate, inspect, terms, read, update, forget and merge take these models, too.
    """


@lm_command.command("train", short_help="Count n-grams.")
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
    from priori.cli.sources import new_batches
    from priori.errors import DataError
    from priori.estimators.language_model import LanguageModel
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


@lm_command.command("perplexity", short_help="How much documents surprise.")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@plain_source_options
@jobs_option
@common_options
def perplexity_command(path: str, sources: tuple[str, ...], jobs: int | None, as_json: bool, **given: Any) -> None:
    """How much documents surprise: exp of minus the mean log p of a token, and in bits.

    The end of a document is a token, too (from order 2 on). Perplexities compare only where the words that can come are
    the same.
    """
    options = read_options(given)
    refuse_bad_places()
    model = load_language(path)
    model.n_jobs = jobs
    with Bar("scoring") as bar:
        found = model.scored_batches(_told(_batches(model, sources, options), bar))
    if as_json:
        print_json(found.to_json())
        return
    passed_over = "" if found.unknown_counts else ", which are passed over"
    facts([
        ("documents", f"{found.documents:,}"),
        ("tokens", f"{found.tokens:,}, {found.unknown:,} of them never seen{passed_over}"),
        ("perplexity", f"{found.perplexity:,.2f}"),
        ("bits a token", f"{found.bits:.4f}"),
    ]).print()  # fmt: skip
    if found.perplexity == float("inf") and not quiet():
        print_line(f"{path} calls one of these texts impossible; smooth it: priori read {path} --smoothing kneser-ney")


def _batches(model: "LanguageModel", sources: tuple[str, ...], options: Any) -> "Iterator[Batch]":
    from priori.cli.sources import batches_for

    return batches_for(model.model_, sources, replace(options, label=None))


def _told(batches: "Iterator[Batch]", bar: Bar) -> "Iterator[Batch]":
    """Batches, each said when it is done."""
    from priori.model.learning import Progress
    from priori.threads import read_ahead

    documents = 0
    for batch in read_ahead(batches):
        yield batch
        documents += len(batch)
        bar(Progress(documents, batch.bytes_read, batch.bytes_total))


@lm_command.command("surprisal", short_help="How much each token of a text surprises.")
@click.argument("path", metavar="MODEL")
@click.argument("text", metavar="TEXT")
@common_options
def surprisal_command(path: str, text: str, as_json: bool) -> None:
    """-log2 p of each token of TEXT (- for standard input) after those before it, and by how long an n-gram."""
    import math

    from priori.cli.sources import text_of

    refuse_bad_places()
    model = load_language(path)
    tokens = model.surprisal(text_of(text))
    total = sum(token.bits for token in tokens)
    if as_json:
        each = [
            {"token": t.token, "bits": t.bits if math.isfinite(t.bits) else None, "matched": t.matched} for t in tokens
        ]
        print_json({"tokens": each, "bits": total if math.isfinite(total) else None})
        return
    rows = [(visible_term(t.token, 40), f"{t.bits:.2f}", f"{t.matched}" if t.matched else "new") for t in tokens]
    Table(["token", ">bits", ">n-gram of"], [*rows, ("sum", f"{total:.2f}", "")], strong=frozenset({len(rows)})).print()


@lm_command.command("next", short_help="What may follow a text.")
@click.argument("path", metavar="MODEL")
@click.argument("text", metavar="[TEXT]", default="")
@click.option("-n", "most", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@common_options
def next_command(path: str, text: str, most: int, as_json: bool) -> None:
    """What may follow TEXT (the beginning of a document unless given), the most probable first."""
    from priori.cli.sources import text_of

    refuse_bad_places()
    found = load_language(path).next(text_of(text), most)
    if as_json:
        print_json([{"token": token, "probability": p} for token, p in found.items()])
        return
    Table(["token", ">probability"], [(visible_term(token, 40), f"{p:.4%}") for token, p in found.items()]).print()


@lm_command.command("arpa", short_help="Write a model, or a smaller one, for other programs.")
@click.argument("path", metavar="MODEL")
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write, for KenLM, SRILM and others.")
@click.option(
    "--min-count", type=click.IntRange(min=1), metavar="N", help="Without n-grams of two and more seen less often."
)
@click.option(
    "--held-out",
    "held_out_source",
    metavar="SOURCE",
    help="(--min-count) Texts never learned: what new ones will lose.",
)
@plain_source_options
@common_options
def arpa_command(
    path: str, output: str, min_count: int | None, held_out_source: str | None, as_json: bool, **given: Any
) -> None:
    """Write a model in the ARPA format; with --min-count a smaller one, and say what it lost.

    \b
      priori lm arpa reviews.priori --min-count 2 --held-out new.txt -o reviews.arpa
    """
    if held_out_source is not None and min_count is None:
        raise click.UsageError("--held-out is for what --min-count loses; give that too, or leave it out")
    if held_out_source is None:
        for option in given_options(_SOURCE_OPTIONS):
            raise click.UsageError(f"{option} is of --held-out SOURCE; give that too, or leave it out")
    options = read_options(given)
    refuse_bad_places()
    model = load_language(path)
    small = None if min_count is None else model.pruned(min_count)
    if small is not None and held_out_source is not None:
        small.judged_on(model, list(_batches(model, (held_out_source,), options)))
    written = model if small is None else small
    written.to_arpa(output)
    size, ngrams = file_size(output), written.table.ngrams
    if as_json:
        lost = None if small is None else small.lost.to_json()
        print_json({"file": output, "ngrams": list(ngrams), "lost": lost, "file_bytes": size})
    elif not quiet():
        said = ", ".join(f"{count:,} {order}-grams" for order, count in enumerate(ngrams, 1))
        print_line(f"{output}: {said}" + ("" if size is None else f", {size_of(size)}"))
        if small is not None:
            print_line(str(small.lost))


def load_language(path: str) -> "LanguageModel":
    """A language model from its file, and its notes said."""
    from priori.errors import DataError
    from priori.estimators.language_model import LanguageModel

    model = load_texts(path)
    if not model.is_language_model:
        raise DataError(f"{path} is a classifier; priori explain and evaluate look at it, priori lm train makes others")
    found = LanguageModel.of_model(model)
    for line in found.notes:
        note(line)
    return found
