"""Documents left out under a reading that may choose its terms: they are chosen anew without each block."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from priori.events.weights import SINGLE
from priori.left_out.by_block import ByBlock
from priori.left_out.chosen import BY_PRESENCE, chosen_without
from priori.left_out.documents import Documents
from priori.left_out.language import LanguageLeftOut
from priori.left_out.scores import LeftOut
from priori.rankings import only_selected
from priori.readings import Readings
from priori.statistics import Counts
from priori.term_selection import TermSelection
from priori.text import Grams


def left_out_of(
    counts: Counts,
    readings: Readings,
    vocabulary: tuple[str, ...] | None,
    documents: Documents,
    *,
    fixed: bool,
    grams: Grams = SINGLE,
) -> LeftOut | LanguageLeftOut | ByBlock:
    """What is left without each block of documents; of a fixed vocabulary, the terms that were chosen with it stay.

    grams: how language models take terms apart.
    """
    if readings.event == "language":
        return LanguageLeftOut.of(counts, readings, documents, fixed, grams)
    if readings.select is None:
        return LeftOut.of(counts, readings, vocabulary, documents, fixed)
    if fixed:
        chosen = only_selected(counts, readings.select)
        documents = documents.of_places(chosen.find(counts.term_texts()))
        return LeftOut.of(chosen, readings.of_all_terms(), None, documents, fixed=True)
    most = TermSelection.of(readings.select).most
    if most is None:
        raise AssertionError("how many terms are read was left to the documents, and nobody asked them")
    if not quick(readings):
        return ByBlock.of(counts, documents)
    return each_size(counts, readings, documents, [most])[0]


def quick(readings: Readings) -> bool:
    """Whether leaving out one document is cheap: only its own terms are ranked anew, and absences are not scored."""
    by = None if readings.select is None else TermSelection.of(readings.select).by
    return readings.event in ("multinomial", "complement") and (by is None or by in BY_PRESENCE)


def each_size(counts: Counts, readings: Readings, documents: Documents, sizes: Sequence[int]) -> list[LeftOut]:
    """The same for each number of terms, where it is quick: what blocks take away is gathered once."""
    counts.refuse_negative()
    left = LeftOut.of(counts, readings.of_all_terms(), None, documents, fixed=False)
    rows = documents.rows(left.order) if bool((np.diff(left.order) != 1).any()) else documents
    by = TermSelection.of(str(readings.select)).by
    some = [size for size in sizes if size < counts.terms]  # where there is room for all, all are read
    chosen = dict(zip(some, chosen_without(counts, rows, by, some) if some else [], strict=True))
    return [replace(left, chosen=chosen.get(size)) for size in sizes]
