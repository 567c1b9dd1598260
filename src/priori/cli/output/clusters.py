"""What `priori cluster` says when it has found classes."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from priori.cli.messages import note, quiet
from priori.cli.models import file_size
from priori.cli.output.terminal import (
    Table,
    heading,
    plural,
    print_json,
    print_line,
    print_wrapped,
    size_of,
    visible,
    visible_term,
)

if TYPE_CHECKING:
    from priori.latent.result import Found

_JSON_WORDS = 20  # of each class


@dataclass(frozen=True)
class Compared:
    """Classes found beside labels that were not used."""

    labels: str  # where they come from
    documents: int  # that have one
    accuracy: float | None  # where labels or seed words have named a class for each of them
    matched_accuracy: float
    nmi: float


def compared(found: "Found", truth: Sequence[str | None], labels: str) -> Compared | None:
    """How well the classes are the labels; None where those tell nothing apart.

    Classes that have the names of the labels are right where the names are the same; others are matched.
    """
    from priori.decisions.clustering_measures import matched_accuracy, normalized_mutual_information

    known = np.array([label is not None for label in truth], bool)
    names = np.array([label for label in truth if label is not None])
    if len(set(names.tolist())) < 2:
        return None
    guessed = found.assigned[known]
    return Compared(
        labels,
        len(names),
        float((np.array(found.classes)[guessed] == names).mean()) if {*names.tolist()} <= {*found.named} else None,
        matched_accuracy(names, guessed),
        normalized_mutual_information(names, guessed),
    )


@dataclass(frozen=True)
class Summary:
    """What there is to say beside what was found."""

    output: str
    of: str  # the sources
    method: str
    seconds: float
    resumed: bool
    labelled: int  # documents whose labels were learned from
    beside: Compared | None
    assignments: str | None
    most: int  # words of each class
    choice: dict[str, Any] | None = None  # of the number of classes


def tell(found: "Found", summary: Summary, as_json: bool) -> None:
    """Print it."""
    if found.unseen:
        rest = "it" if len(found.unseen) == 1 else "them"
        note(f"no document has the seed {_words(found.unseen)}; look at the spelling, or leave {rest} out")
    if as_json:
        print_json(_document(found, summary))
    elif not quiet():
        _print(found, summary)


def _document(found: "Found", summary: Summary) -> dict[str, Any]:
    terms = found.telling(_JSON_WORDS)
    classes = [
        {"label": name, "documents": size, "share": share, "words": [term.to_json() for term in terms[name]]}
        for name, size, share in zip(found.classes, found.sizes.tolist(), found.shares.tolist(), strict=True)
    ]
    return {
        "model": summary.output,
        "method": summary.method,
        "documents": len(found.probabilities),
        "labelled": summary.labelled,
        "terms": found.model.counts.terms,
        "classes": classes,
        **_plain(dict(found.facts)),
        "log_likelihood": found.log_likelihood,
        "choice": summary.choice,
        "unseen_seeds": list(found.unseen),
        "truth": None if summary.beside is None else asdict(summary.beside),
        "assignments": summary.assignments,
        "resumed": summary.resumed,
        "seconds": round(summary.seconds, 3),
        "file_bytes": file_size(summary.output),
    }


def _print(found: "Found", summary: Summary) -> None:
    documents, terms = len(found.probabilities), found.telling(summary.most)
    heading(
        f"{visible(summary.of)}: {plural(documents, 'document')}, {plural(len(found.classes), 'class')}, "
        f"{plural(found.model.counts.terms, 'term')}, in {summary.seconds:.1f} s"
    )
    table = Table(["class", ">documents", ">share", "telling words"])
    for name, size, share in zip(found.classes, found.sizes.tolist(), found.shares.tolist(), strict=True):
        words = "  ".join(visible_term(term.term, 24) for term in terms[name])
        table.rows.append((visible(name, 24), f"{size:,.1f}", f"{share:.1%}", words or "-"))
    table.print()
    print_wrapped(_of_em(found) if summary.method == "em" else _of_gibbs(found))
    if summary.labelled:
        print_wrapped(f"{plural(summary.labelled, 'document')} had a label and kept it")
    if summary.beside is not None:
        beside = summary.beside
        plain = "" if beside.accuracy is None else f"accuracy {beside.accuracy:.1%}, "
        print_wrapped(
            f"beside {beside.labels}, not used to learn: {plain}matched accuracy {beside.matched_accuracy:.1%}, "
            f"normalized mutual information {beside.nmi:.3f}, of {plural(beside.documents, 'document')}"
        )
    size = file_size(summary.output)
    print_line(f"{summary.output}: {'written' if size is None else size_of(size)}")
    if summary.assignments is not None:
        print_line(f"{summary.assignments}: {plural(documents, 'row')}")


def _of_em(found: "Found") -> str:
    facts = found.facts
    said = (
        f"objective {facts['objective']:,.2f} after {plural(facts['iterations'], 'iteration')}, "
        f"log-likelihood {found.log_likelihood:,.2f}"
    )
    if facts["restarts"] == 1:
        return said
    same = facts["restarts_at_best"]
    others = "no other came as high" if same == 1 else f"{same} of them reached about as much"
    return f"{said}; restart {facts['best_restart']} of {facts['restarts']}, {others}"


def _of_gibbs(found: "Found") -> str:
    from priori.latent.gibbs_sampling.diagnostics import installed

    facts = found.facts
    said = f"mean log joint {found.log_likelihood:,.2f} after burn-in; {plural(facts['sweeps'], 'sweep')} of "
    said += plural(facts["chains"], "chain")
    if facts["diagnoses"]:
        worst = max(diagnosis["rhat"] for diagnosis in facts["diagnoses"].values())
        said += f", largest R-hat {'∞' if math.isinf(worst) else f'{worst:.2f}'}"
    else:
        said += ", too few to say whether they agree" if installed() else " (install priori[mcmc] to see if they agree)"
    if not facts["averaged"] and facts["chains"] > 1:
        said += f"; the classes are those of chain {facts['best_chain']}, whose log joint is highest"
    return said


def _words(words: Sequence[str]) -> str:
    shown = ", ".join(visible(word, 24) for word in words[:8]) + (", ..." if len(words) > 8 else "")
    return f"{'word' if len(words) == 1 else 'words'} {shown}"


def _plain(value: Any) -> Any:
    """JSON has no infinity: it is a text there."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return "Infinity" if value == math.inf else value
