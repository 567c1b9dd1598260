"""Classes that were found without labels, beside labels of other names: how well they agree."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.decisions import Evaluation
from priori.latent.matching import matched_accuracy, normalized_mutual_information, partners
from priori.report.content import counted
from priori.report.parts import label, section, table

# What compares the label of a document with the class of the same name, which there is not.
_BY_NAME = ("accuracy", "macro_f1", "log_loss", "brier", "ece", "ece_floor", "auc", "per_class", "cost")


@dataclass(frozen=True, eq=False)
class Matched:
    """Each class found is given the label that makes most documents right."""

    labels: tuple[str, ...]
    classes: tuple[str, ...]
    counts: npt.NDArray[np.int64]  # (labels, classes)
    accuracy: float
    nmi: float

    @classmethod
    def of(cls, found: Evaluation) -> Self | None:
        """None where some document has the label of a class, so that names can be compared."""
        learned = [name not in found.never_learned for name in found.labels]
        named, own = np.flatnonzero(np.logical_not(learned)), np.flatnonzero(learned)
        counts = found.confusion[np.ix_(named, own)]
        if counts.sum() < found.n:
            return None
        truth, given = (np.repeat(places.ravel(), counts.ravel()) for places in np.indices(counts.shape))
        return cls(
            found.never_learned,
            tuple(found.labels[place] for place in own.tolist()),
            counts,
            matched_accuracy(truth, given),
            normalized_mutual_information(truth, given),
        )

    def to_json(self, found: Evaluation) -> dict[str, Any]:
        """The evaluation without what compares names; a row of the confusion is a label, a column a class."""
        document = {name: value for name, value in found.to_json().items() if not name.endswith("_note")}
        return {
            **{name: None if name in _BY_NAME else value for name, value in document.items()},
            "labels": list(self.labels),
            "classes": list(self.classes),
            "confusion": self.counts.tolist(),
            "matched_accuracy": self.accuracy,
            "nmi": self.nmi,
        }


def agreement(matched: Matched, noun: str) -> str:
    """The part of the page: both measures, and which class holds which labels; a match is bold."""
    right = f"Share of {noun}s put right when each class is given a label."
    same = "Of labels and classes, normalized: 1 if they are the same, 0 if unrelated."
    cards = [("Matched accuracy", f"{matched.accuracy:.2%}", right), ("Mutual information", f"{matched.nmi:.4f}", same)]
    pairs = set(zip(*(places.tolist() for places in partners(matched.counts)), strict=True))
    rows = [
        [label(name), *(f"<b>{n:,}</b>" if (i, k) in pairs else f"{n:,}" for k, n in enumerate(counts))]
        for i, (name, counts) in enumerate(zip(matched.labels, matched.counts.tolist(), strict=True))
    ]
    lead = (
        f"No label of the data is one of the model's {counted(len(matched.classes), 'class')}. So each class is given "
        f"the label that makes most {noun}s right, and what compares names (calibration, ranking, F1) is left out."
    )
    shown = "".join(
        f"<div class=card>{name}<strong>{value}</strong><small>{said}</small></div>\n" for name, value, said in cards
    )
    heads = ["label \\ class found", *map(label, matched.classes)]
    return section("How well it agrees", f"<div class='grid three'>{shown}</div>\n", table(heads, rows), lead=lead)
