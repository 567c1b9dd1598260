"""What `priori evaluate` says where no label of the source is a class of the model."""

from typing import TYPE_CHECKING

from priori.cli.show import listed, visible
from priori.cli.table import Table, facts
from priori.cli.verbosity import warn
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.decisions import Evaluation
    from priori.report.matched import Matched


def matched_of(found: "Evaluation", path: str, plot: str | None) -> "Matched | None":
    """The labels beside the classes, and a warning; None where names can be compared."""
    if not found.never_learned:
        return None
    from priori.report.matched import Matched

    matched = Matched.of(found)
    if matched is None:
        return None
    said = f"no label of the source ({listed(matched.labels)}) is a class of {path} ({listed(matched.classes)})"
    if plot is not None:
        raise DataError(f"{said}, so there is no calibration to draw; leave --plot out, or use --html")
    warn(
        f"{said}, so each class is given the label that makes most right; for plain accuracy, learn with these labels, "
        "or seed words of them"
    )
    return matched


def print_matched(found: "Evaluation", matched: "Matched", many: str) -> None:
    """Both measures, and the table if there is room for it."""
    facts(
        [
            (many, f"{found.n:,}"),
            ("matched accuracy", f"{matched.accuracy:.2%}"),
            ("normalized mutual information", f"{matched.nmi:.4f}"),
        ]
    ).print()
    heads = ["label \\ class found", *(f">{visible(name, 12)}" for name in matched.classes)]
    table = Table(heads, title="Which class holds which labels")
    for name, counts in zip(matched.labels, matched.counts.tolist(), strict=True):
        table.rows.append((visible(name, 24), *(f"{count:,}" if count else "·" for count in counts)))
    if table.fits():
        table.print()
