"""Documents as if they had never been learned: exact leave-one-out, of one, of copies, of groups, of folds."""

from priori.left_out.documents import Documents
from priori.left_out.language import LanguageLeftOut
from priori.left_out.scores import LeftOut, Scores
from priori.readings import Readings
from priori.statistics import Counts

__all__ = ["Documents", "LanguageLeftOut", "LeftOut", "Scores", "left_out_of"]


def left_out_of(
    counts: Counts,
    readings: Readings,
    vocabulary: tuple[str, ...] | None,
    documents: Documents,
    *,
    fixed: bool,
    words: bool = True,
) -> LeftOut | LanguageLeftOut:
    """Documents gathered to be left out, under these readings or others of their event model.

    fixed: the vocabulary stays. words: whether n-grams are of words, or of characters.
    """
    if readings.event == "language":
        return LanguageLeftOut.of(counts, readings, documents, fixed, words)
    return LeftOut.of(counts, readings, vocabulary, documents, fixed)
