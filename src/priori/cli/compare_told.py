"""What `priori compare` prints."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priori.cli.show import heading, listed, plural, print_line, print_wrapped, visible
from priori.cli.table import Table
from priori.cli.verbosity import note

if TYPE_CHECKING:
    from priori.latent.label_curves import TechniqueCurves
    from priori.latent.techniques import Row, TechniqueComparison

_SHORT = {  # so that all curves stand beside each other on 80 columns
    "relative frequencies": "rel. freq.",
    "Bayesian": "Bayes",
    "Bayesian, integrated": "integrated",
    "TextClassifier": "classifier",
}


def note_parts(found: "TechniqueComparison") -> None:
    """What a given test part has to do with the rest."""
    if found.official and found.copies:
        them = "it is" if found.copies == 1 else "they are"
        note(
            f"{plural(found.copies, 'document')} left out of learning: {them} the same, word for word, as one to "
            "measure on"
        )
    if found.never_learned:
        note(
            f"no document to learn from has the label {listed(found.never_learned)}, so no technique that learns from "
            "labels can find it; add some, or look at --label and --test"
        )


def print_comparison(found: "TechniqueComparison", of: str) -> None:
    """The table of the techniques, and what is to be said of each."""
    names = ", ".join(visible(name, 20) for name in found.classes[:5]) + ", …" * (len(found.classes) > 5)
    heading(f"{visible(of)}: {names}")
    part = "given" if found.official else "held out"
    print_line(
        f"{plural(found.train_documents, 'document')} to learn from, {plural(found.test_documents, 'document')} {part} "
        "to measure on"
    )
    columns = ["technique", ">labels", ">unlabelled", ">accuracy", ">NMI", ">log loss", ">seconds"]
    Table(columns, [_cells(row) for row in found.rows]).print()
    for row in found.rows:
        print_wrapped(f"{row.name}: {row.settings}.")
        if row.note is not None:
            print_wrapped(f"  {row.note}.")
    if any(row.matched and row.judgement is not None for row in found.rows):
        print_wrapped("Classes found without labels are matched with the true ones so that most documents are right.")
    if found.components > len(found.classes):
        print_wrapped(f"{found.components} classes for {len(found.classes)} labels: documents in the others are wrong.")
    judged = [(row.name, row.judgement) for row in found.rows if row.judgement is not None]
    undecided = [
        f"{plural(judgement.undecided, 'document')} ({name})" for name, judgement in judged if judgement.undecided
    ]
    if undecided:
        print_wrapped(
            f"Undecided: {', '.join(undecided)}: every class has probability 0, or two have the largest. Such "
            "documents are not right."
        )
    if any(judgement.impossible for _, judgement in judged):
        print_wrapped("A log loss of ∞: a document's own class was given probability 0.")


def _cells(row: "Row") -> list[str]:
    learned = [f"{row.labelled:,}", f"{row.unlabelled:,}"]
    judged = row.judgement
    if judged is None:
        return [row.name, *learned, "–", "–", "–", "–"]
    loss = f"{judged.log_loss:.3f}" if judged.impossible == 0 else "∞"
    nmi, seconds = f"{judged.nmi:.3f}", f"{row.seconds:.2f}"
    return [row.name, *learned, f"{judged.accuracy:.2%}", nmi, loss, seconds]


def print_curves(curves: "TechniqueCurves") -> None:
    """A table for each measure, a row for each number of labels."""
    print_line()
    head = ["labels", *(f">{_SHORT.get(curve.name, curve.name)}" for curve in curves.curves)]
    repeats = f"means of {plural(curves.repeats, 'repeat')}" if curves.repeats > 1 else "one split"
    shown = [("accuracy", "accuracy"), ("log loss", "log_loss")]
    if any(curve.undecided.values.any() for curve in curves.curves):
        shown.append(("undecided", "undecided"))
    for title, measure in shown:
        means = [dict(zip(curve.sizes, getattr(curve, measure).mean.tolist(), strict=True)) for curve in curves.curves]
        rows: list[Sequence[str]] = [
            ["all" if size is None else f"{size:,}", *(_cell(mean.get(size), measure) for mean in means)]
            for size in curves.sizes
        ]
        Table(head, rows, f"{title} by labels of each class, {repeats}").print()
    for said in curves.notes:
        print_wrapped(f"{said}.")


def _cell(value: float | None, measure: str) -> str:
    if value is None:
        return "–"
    if measure == "log_loss":
        return "∞" if value == float("inf") else f"{value:.3f}"
    return f"{value:.1%}"
