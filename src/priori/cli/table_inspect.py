"""What `priori inspect` shows of a model of a table."""

from typing import TYPE_CHECKING, Any

from priori.cli.models import file_size
from priori.cli.show import plural, print_json, said_count, size_of, visible
from priori.cli.table import Table, facts

if TYPE_CHECKING:
    from priori.table_classifier import TableModel
    from priori.table_inspection import ColumnSummary, TableInspection

_KINDS = {"naive_bayes": "naive Bayes", "gaussian_discriminant": "Gaussian discriminant"}


def inspect_table_model(model: "TableModel", path: str, as_json: bool) -> None:
    """Classes, columns and settings."""
    from priori.table_file import digest
    from priori.table_inspection import inspect_table

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
        ("model", _KINDS[found.kind]),
        ("rows", said_count(found.rows)),
        ("sample", "none" if found.sample is None else plural(found.sample, "row")),
        ("file", size_of(size or 0)),
        ("digest", identity[:16]),
        ("reading", _reading(model)),
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


def _reading(model: "TableModel") -> str:
    readings, gaussian = model.readings, model.kind == "gaussian_discriminant"
    classes = readings.class_prior
    given = classes if isinstance(classes, str) else f"{classes:g}" if isinstance(classes, int | float) else "given"
    said = [readings.estimate, f"class prior {given}"]
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
