"""priori inspect: what a model of texts, of a table, or of language has learned."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.models import file_size, load_as
from priori.cli.options.common import common_options
from priori.cli.options.model import reading_options
from priori.cli.output.model_summary import graph_text, inspect_language_model, settings_of
from priori.cli.output.terminal import (
    Table,
    facts,
    plural,
    print_json,
    print_line,
    said_count,
    size_of,
    visible,
    visible_term,
)
from priori.cli.output_paths import refuse_bad_places
from priori.cli.tables_loaded import LoadedTable
from priori.cli.texts_loaded import LoadedTexts

if TYPE_CHECKING:
    from priori.columns.readings import ClassPrior
    from priori.model.classifier import Model
    from priori.model.fitting.calibration import Calibration
    from priori.model.inspection import Inspection
    from priori.model.table_classifier import TableModel
    from priori.model.table_inspection import ColumnSummary, TableInspection


@click.command("inspect")
@click.argument("path", metavar="MODEL")
@click.option(
    "--top", "most", type=click.IntRange(min=0), default=10, show_default=True, help="Terms shown for each class."
)
@click.option(
    "--graph",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Draw it as a graphical model: in characters, or to a FILE (.svg, .png, .pdf).",
)
@reading_options
@common_options
def inspect_command(path: str, most: int, graph: str | None, as_json: bool, **given: Any) -> None:
    """Show what a model has learned: classes, sizes, settings, telling terms and likelihood, or columns."""
    refuse_bad_places()
    loaded = load_as(path, given)
    if isinstance(loaded, LoadedTexts):
        _inspect_texts(loaded.model, path, most, graph, as_json)
    elif isinstance(loaded, LoadedTable):
        inspect_table_model(loaded.model, path, as_json)


def _inspect_texts(model: "Model", path: str, most: int, graph: str | None, as_json: bool) -> None:
    from priori.model.file import digest
    from priori.model.inspection import inspect

    if model.is_language_model and graph is None:
        inspect_language_model(model, path, as_json)
        return
    found = inspect(model, most)
    if graph not in (None, "-"):
        _draw(model, graph)
    if as_json:
        print_json(
            {
                "model": path,
                "file_bytes": file_size(path),
                "digest": digest(model),
                **found.to_json(),
                "analyzer": model.analyzer.to_json(),
                "vocabulary": None if model.analyzer.vocabulary is None else len(model.analyzer.vocabulary),
                "readings": model.readings.to_json(),
                "fitted": None if model.fitted is None else model.fitted.facts(),
                "dropped_terms": 0 if model.dropped is None else model.dropped.terms,
                "provenance": None if model.provenance is None else dict(model.provenance),
            }
        )
        return
    if graph == "-":
        print_line(graph_text(model))
        return
    _print_texts(model, found, path, digest(model))


def _print_texts(model: "Model", found: "Inspection", path: str, digest: str) -> None:
    rows = [
        ("documents", said_count(found.documents)),
        ("features", said_count(found.features)),
        ("terms", f"{found.terms:,}  in {found.pairs:,} (term, class) pairs"),
        ("sample", "none" if found.sample is None else plural(found.sample, "document")),
        ("file", size_of(file_size(path) or 0)),
        ("digest", digest[:16]),
        ("analyzer", settings_of(model)),
        ("reading", _text_reading(model)),
    ]
    if model.fitted is not None:
        rows.append(("fitted", str(model.fitted)))
    if model.calibration is not None:
        rows.append(("calibration", _calibration(model.calibration)))
    if model.dropped is not None:
        rows.append(("dropped", f"{model.dropped.terms:,} terms, by --max-terms"))
    likelihood = found.log_likelihood
    if likelihood is None:
        rows.append(("log-likelihood", f"none: {found.why_not}"))
    else:
        parts = f"{likelihood.label:,.2f} labels  {likelihood.feature:+,.2f} features"
        rows.append(("log-likelihood", f"{likelihood.total:,.2f}  = {parts}"))
    for name, value in (model.provenance or {}).items():
        rows.append((visible(name), visible(", ".join(value) if isinstance(value, list) else str(value))))
    facts(rows).print()
    table = Table(["class", ">documents", ">features", ">terms", ">prior", "telling terms"])
    for each in found.classes:
        numbers = (
            said_count(each.documents),
            said_count(each.features),
            f"{each.terms:,}",
            "none" if each.prior is None else f"{each.prior:.4f}",
        )
        words = "  ".join(visible_term(term.term, 24) for term in each.top)
        table.rows.append((visible(each.label, 24), *numbers, words))
    table.print()


def _text_reading(model: "Model") -> str:
    readings, calibration = model.readings, model.calibration
    automatic = " (automatic)" if readings.selects_auto else ""
    return (
        f"{_estimated(model)}, class prior {_class_prior(readings.class_prior)}, unknown words "
        f"{'ignored' if readings.unknown == 'ignore' else 'by the prior'}"
        + ("" if readings.select is None else f", terms chosen by {model.plain_readings.select}{automatic}")
        + ("" if calibration is None else ", tempered" if calibration.given else ", calibrated")
        + ("" if calibration is None or calibration.monotone is None else ", monotone")
    )


def _class_prior(prior: "ClassPrior") -> str:
    return prior if isinstance(prior, str) else f"{prior:g}" if isinstance(prior, int | float) else "given"


def _estimated(model: "Model") -> str:
    """The event model, and how its probabilities are estimated."""
    readings, prior = model.readings, model.readings.prior
    alpha = f", alpha {model.plain_readings.prior.alpha:.3g}"
    if isinstance(prior.alpha, str):
        alpha += {"auto": " (automatic)", "evidence": " (of most evidence)"}[prior.alpha]
    alpha += ", with others for some terms" if prior.terms or prior.classes else ""
    event = model.plain_readings.event
    if event == "language":
        smoothing = readings.smoothing
        return f"language, {smoothing}{alpha if smoothing.method == 'dirichlet' else ''}"
    return f"{event}, {readings.estimate}" + ("" if readings.estimate == "ml" else alpha)  # which has no use for one


def _calibration(calibration: "Calibration", most: int = 3) -> str:
    """How far scores are believed, and the classes that are moved most."""
    said = f"scale {calibration.scale:.3g}, power {calibration.power:.3g}, noise {calibration.noise:.2g}"
    moved = sorted(calibration.offsets.items(), key=lambda pair: -abs(pair[1]))
    offsets = [f"{visible(label, 24)} {value:+.3g}" for label, value in moved[:most]]
    offsets += ["..."] if len(moved) > most else []
    return said + (f", offsets {', '.join(offsets)}" if offsets else "")


def _draw(model: "Model", path: str) -> None:
    from priori.plots import graphical_model, new_figure, save

    counts, readings = model.counts, model.plain_readings
    prior, classes = readings.prior, readings.class_prior
    own = prior.terms or prior.classes
    drawn = str(readings.smoothing) if readings.event == "language" else None
    figure = new_figure(10.0, 5.0)
    graphical_model(
        figure.subplots(),
        classes=model.labels,
        documents=int(counts.class_documents.sum() * counts.unit),
        words=int(counts.class_occurrences.sum() * counts.unit),
        vocabulary=counts.terms,
        event=readings.event,
        alpha=None if drawn or readings.estimate == "ml" else "by term" if own else prior.alpha,
        smoothing=drawn,
        order=1 if drawn is None else model.analyzer.ngrams[1],
        gamma=classes
        if isinstance(classes, int | float)
        else None
        if classes == "ml"
        else "given"
        if not isinstance(classes, str)
        else classes,
    )
    save(figure, path)


# --- a model of a table -----------------------------------------------------------------------------------------------


def inspect_table_model(model: "TableModel", path: str, as_json: bool) -> None:
    """Classes, columns and settings."""
    from priori.model.table_file import digest
    from priori.model.table_inspection import KINDS, inspect_table

    found = inspect_table(model)
    size, identity = file_size(path), digest(model)
    if as_json:
        provenance = None if model.provenance is None else dict(model.provenance)
        document = {"model": path, "file_bytes": size, "digest": identity, **found.to_json()}
        names = tuple(part.name for part in model.parts)
        fitted = None if found.fitted is None else found.fitted.facts(names)
        print_json({**document, "readings": model.readings.to_json(), "fitted": fitted, "provenance": provenance})
        return
    rows = [
        ("model", KINDS[found.kind]),
        ("rows", said_count(found.rows)),
        ("sample", "none" if found.sample is None else plural(found.sample, "row")),
        ("file", size_of(size or 0)),
        ("digest", identity[:16]),
        ("reading", _table_reading(model)),
    ]
    if found.fitted is not None:
        rows.append(("powers", str(found.fitted)))
    for name, value in (model.provenance or {}).items():
        rows.append((visible(name), visible(", ".join(value) if isinstance(value, list) else str(value))))
    if found.why_not is not None:
        rows.append(("no prior", found.why_not))
    facts(rows).print()
    _print_classes(found)
    _print_columns(found)


def _table_reading(model: "TableModel") -> str:
    readings, gaussian = model.readings, model.kind == "gaussian_discriminant"
    said = [readings.estimate, f"class prior {_class_prior(readings.class_prior)}"]
    said.append(f"missing cells {'ignored' if readings.missing == 'ignore' else 'are evidence'}")
    if gaussian:
        family: Any = model.parts[0].family
        said.append(f"covariance {family.covariance}")
        said += [] if family.shrinkage is None else [f"shrinkage {family.shrinkage}"]
    else:
        said.append(f"alpha {readings.alpha:g}")
        said.append(f"unknown values {'ignored' if readings.unknown == 'ignore' else 'by the prior'}")
    if not gaussian or readings.temper != 1:
        said.append(f"temper {readings.temper if readings.temper == 'auto' else f'{readings.temper:g}'}")
    return ", ".join([*said, *([] if readings.target is None else [f"target {visible(readings.target)}"])])


def _print_classes(found: "TableInspection") -> None:
    table = Table(["class", ">rows", ">prior"])
    for each in found.classes:
        prior = "none" if each.prior is None else f"{each.prior:.4f}"
        table.rows.append((visible(each.label, 40), said_count(each.rows), prior))
    table.print()


def _print_columns(found: "TableInspection") -> None:
    """With what each class has, where that fits: the mean of numbers, the most frequent of values."""
    labels = [visible(each.label, 12) for each in found.classes]
    gaussian = found.kind == "gaussian_discriminant"  # one family of all columns, and nothing counted but moments
    narrow = Table(["column", ">missing"] if gaussian else ["column", "family", ">power", ">missing", ">values"])
    wide = Table([*narrow.columns, *(f">{label}" for label in labels)])
    for each in found.columns:
        power = "none" if each.power is None else f"{each.power:.2f}"
        missing = f"{each.missing:.1%}" if each.missing else "·"
        name = visible(each.column, 24)
        shown = (name, missing) if gaussian else (name, each.family, power, missing, _values(each))
        wide.rows.append((*shown, *(_said(value) for value in each.by_class)))
        narrow.rows.append(shown)
    (wide if wide.fits() else narrow).print()


def _values(column: "ColumnSummary") -> str:
    if column.low is not None and column.high is not None:
        low, high = _end(column, column.low), _end(column, column.high)
        return f"{low} to {high.removeprefix('about ') if low.startswith('about') else high}"
    return "" if column.values is None else f"{column.values:,}"


def _end(column: "ColumnSummary", value: float) -> str:
    """A whole number that has a bucket of its own; else the three digits that its bucket can tell."""
    if column.is_exact(value):
        return f"{value:,.0f}"
    rounded = float(f"{value:.3g}")
    return "about " + (f"{rounded:,.0f}" if 1e3 <= abs(rounded) < 1e9 else f"{rounded:.3g}")


def _said(value: Any) -> str:
    return "" if value is None else visible(value, 14) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    """To four digits: a bucket of numbers says no more."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
