"""The terms of the highest rank, and counts of these alone."""

import numpy as np
import numpy.typing as npt

from priori.rankings.scores import SCORES
from priori.rankings.table import PairTable
from priori.statistics import Counts
from priori.term_selection import TermSelection

Floats = npt.NDArray[np.float64]


def ranked(scores: Floats) -> npt.NDArray[np.intp]:
    """Places by falling score; equal ones in the order they have, which is that of their texts."""
    return np.argsort(-scores, kind="stable")


def chosen_terms(counts: Counts, selection: TermSelection) -> npt.NDArray[np.bool_]:
    """Which terms are chosen, (V,): the most telling ones, ties by text."""
    if selection.most is None:
        raise AssertionError("how many terms are read was left to the documents, and nobody asked them")
    keep = np.zeros(counts.terms, bool)
    if selection.most >= counts.terms:
        keep[:] = True
    else:
        keep[ranked(SCORES[selection.by](PairTable.of(counts)))[: selection.most]] = True
    return keep


def only_selected(counts: Counts, select: str | None) -> Counts:
    """The counts of the chosen terms alone, as they are now; classes and documents stay."""
    if select is None:
        return counts
    counts.refuse_negative()
    selection = TermSelection.of(select)
    if selection.most is not None and selection.most >= counts.terms:
        return counts
    return counts.only(chosen_terms(counts, selection))
