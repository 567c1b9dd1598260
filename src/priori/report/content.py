"""What stands on the page, before it is one; the same for texts and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from priori.decisions import Evaluation
from priori.explain import Explanation

if TYPE_CHECKING:
    from priori.report.matched import Matched

Curve: TypeAlias = tuple[Sequence[float], Sequence[float], float]  # alphas, their leave-one-out losses, the chosen one
Fact: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class ToldMistake:
    """A mistake, its document as it can be shown, and why it was made; or why that cannot be said."""

    position: int
    truth: str
    predicted: str
    log_probability: float  # of the truth
    predicted_probability: float
    excerpt: str  # of a text
    cells: Sequence[Fact]  # of a row, or the fields of a document
    explanation: Explanation | None
    why_not: str | None = None


@dataclass(frozen=True)
class Columns:
    """What a model of a table knows of its columns: names of what is known, and a row for each column."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    name: str  # of the model
    noun: str  # document or row
    facts: Sequence[Fact]
    evaluation: Evaluation
    mistakes: Sequence[ToldMistake]
    terms: Mapping[str, Sequence[tuple[str, float]]] | None = None  # by class, with how surely they speak for it
    columns: Columns | None = None
    curve: Curve | None = None
    matched: "Matched | None" = None  # where no label is a class of the model


def provenance_facts(provenance: Mapping[str, Any] | None) -> list[Fact]:
    """What was stored of where a model comes from."""
    return [
        (f"training {name}", ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in (provenance or {}).items()
    ]


def counted(count: float, noun: str) -> str:
    """`1 document`, `2,000 documents`, `2 classes`."""
    many = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    said = f"{count:,.0f}" if float(count).is_integer() else f"{count:,.6g}"
    return f"{said} {noun if count == 1 else many}"


def evaluated(evaluation: Evaluation, sources: Sequence[str], noun: str) -> list[Fact]:
    """What it was measured on."""
    skipped = f", and {evaluation.unlabelled:,} without a label, skipped" if evaluation.unlabelled else ""
    return [("measured on", f"{counted(evaluation.n, noun)}{skipped}"), ("from", ", ".join(sources))]
