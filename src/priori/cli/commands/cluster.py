"""Finding classes in a table: what `priori cluster` does where the source has columns instead of a text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.models import file_size
from priori.cli.progress import Bar
from priori.cli.roles import given_options
from priori.cli.show import plural, print_json, print_line, size_of
from priori.cli.table_inputs import watched
from priori.cli.table_train import planned
from priori.cli.verbosity import listen, note, quiet
from priori.errors import DataError, EstimateError

if TYPE_CHECKING:
    from priori.columns.statistics import Labelled
    from priori.latent.rows_learn import HiddenClasses, HiddenSettings
    from priori.sources import ReadOptions
    from priori.table_classifier import TableModel
    from priori.tables import LabelledBatch


_TEXT_ONLY = frozenset({
    "text", "fields", "features", "ngrams", "min_length", "no_lowercase", "fold_accents", "binary", "compat",
    "stop_words", "stem",
    "vocabulary", "seed_file", "event", "components", "temper", "anneal", "least_documents", "largest_share", "chains",
    "burn_in", "samples", "thin", "criterion", "all_criteria", "truth", "most", "resume", "jobs",
})  # fmt: skip
_WRITTEN_BY_CLASSIFY = frozenset({"assignments", "keep"})
_TABLE_ONLY = frozenset({"as_table", "columns", "classifier", "covariance", "shrinkage", "like", "missing"})


def is_table(sources: Sequence[str], options: "ReadOptions", as_table: bool) -> bool:
    """Whether all columns are to be learned from, as `priori train` has it; options for the other are refused."""
    if as_table:
        _refuse(
            _WRITTEN_BY_CLASSIFY, "texts", "--table reads all columns; priori classify writes the class of each row"
        )
        _refuse(_TEXT_ONLY, "texts", "--table reads all columns; leave one of the two out")
        return True
    from priori.tables import table_columns

    if given_options(frozenset({"text"})) or table_columns(sources, options) is None:
        _refuse(_TABLE_ONLY, "tables", f"{sources[0]} is read as texts; add --table to read all columns of a table")
        return False
    because = f"{sources[0]} is a table without a column {options.text!r}"
    _refuse(_WRITTEN_BY_CLASSIFY, "texts", f"{because}; priori classify writes the class of each row")
    _refuse(_TEXT_ONLY, "texts", f"{because}; name its text with --text COL")
    return True


def _refuse(names: frozenset[str], what: str, because: str) -> None:
    for option in given_options(names):
        raise click.UsageError(f"{option} is for {what}, and {because}")


def settings_of(given: dict[str, Any], *, labelled: bool) -> "HiddenSettings":
    """The search that was asked for; what `cluster_table` takes stays in `given`, as `priori train` gathers it."""
    from priori.latent.rows_fit import Search
    from priori.latent.rows_learn import HiddenSettings

    if given["method"] != "em":
        raise click.UsageError(f"--method {given['method']} is for texts, and the source is a table; leave it out")
    if isinstance(given["classes"], range):
        raise click.UsageError("how many classes a table has cannot be chosen; give one number: --classes K")
    if given["classes"] is None and not labelled:
        raise click.UsageError("how many classes there are is not known; give --classes K, or labels of some: --label")
    if given["classes"] == 1:
        raise click.UsageError("one class leaves nothing to tell apart; give --classes 2 or more")
    names = {"restarts": "restarts", "start": "start", "iterations": "most_iterations"}
    search = Search(**{to: given[name] for name, to in names.items() if given[name] is not None})
    weight = given["unlabelled_weight"]
    given |= dict.fromkeys(("estimate", "class_prior", "unknown", "temper"))
    return HiddenSettings(given["classes"], "auto" if weight is None else weight, search, given["seed"])


def cluster_table(
    sources: Sequence[str], options: "ReadOptions", given: dict[str, Any], asked: "HiddenSettings", *, labelled: bool,
    output: str, as_json: bool = False,
) -> None:  # fmt: skip
    """Find the classes of rows by EM, write the model, and say what it found.

    `given` has what `table_training_options` and `missing_option` gather, and what `settings_of` leaves there. Where
    labels are to be learned from (`labelled`), they hold their rows to their classes; else there are `asked.n_classes`.
    """
    from priori.columns.parts import read_columns
    from priori.latent.rows_learn import learn_rows
    from priori.sources import read_ahead

    listen()
    plan, batches = planned(sources, replace(options, text=None, label_required=False), given)
    with Bar("reading", noun="row") as bar:
        batches = watched(read_ahead(batches), bar)
        rows = list(_labelled(batches if labelled else _without_labels(batches)))
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
    _tell(model, found, output, as_json)


def _without_labels(batches: "Iterable[LabelledBatch]") -> "Iterator[LabelledBatch]":
    told = False
    for batch in batches:
        if not told and batch.labels is not None and batch.labels.null_count < len(batch):
            note("the labels of the source are left out; --label COL learns from them")
            told = True
        yield replace(batch, labels=None)


def _labelled(batches: "Iterable[LabelledBatch]") -> "Iterator[Labelled]":
    """As the statistics take them, also where there is no column of labels."""
    import pyarrow as pa

    from priori.columns.statistics import Labelled

    for batch in batches:
        labels = pa.nulls(len(batch), pa.large_string()) if batch.labels is None else batch.labels
        yield Labelled.of(replace(batch, labels=labels))


def _tell(model: "TableModel", found: "HiddenClasses", output: str, as_json: bool) -> None:
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
