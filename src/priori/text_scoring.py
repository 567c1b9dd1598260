"""Documents, however they came, handed to the compiled scorer."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.errors import DataError
from priori.text import Analyzer
from priori.threads import threads

if TYPE_CHECKING:  # pyarrow and the sources are loaded when data come: a message is classified without them
    from priori.sources import Batch
    from priori.text.wordlists import WordLists

Tokenizer = Callable[[str], Iterable[str]]
Floats = npt.NDArray[np.float64]

_MANY = 4096  # texts from which threads are worth starting


def score_texts(
    scorer: _core.Scorer, texts: list[str], tokenizer: Tokenizer | None, output: str, jobs: int | None
) -> Floats:
    """Plain texts: the shortest way, for one message or a million."""
    if tokenizer is None:
        return scorer.score(texts, [], output, 1 if len(texts) < _MANY else threads(jobs))
    from priori.text.wordlists import WordLists, tokenized

    words = WordLists.of_lists(tokenized(texts, tokenizer))
    return scorer.score_words(words.names, words.offsets, words.indices, output, 1)


def score_batch(
    scorer: _core.Scorer, analyzer: Analyzer, batch: "Batch", tokenizer: Tokenizer | None, *, output: str, jobs: int
) -> Floats:
    """Texts with their fields, token lists, or counts."""
    words = _words(batch, tokenizer)
    if words is None:
        return scorer.score(batch.text, analyzer.columns(batch.fields), output, jobs)
    if words.counts is None:
        return scorer.score_words(words.names, words.offsets, words.indices, output, jobs)
    analyzer.refuse_counts()
    return scorer.score_counts(words.names, words.offsets, words.indices, words.counts, output, jobs)


def encode_batch(
    scorer: _core.Scorer, analyzer: Analyzer, batch: "Batch", tokenizer: Tokenizer | None
) -> dict[str, Any]:
    """Documents as rows of (term, count), with how many features of each were never seen."""
    words = _words(batch, tokenizer)
    if words is None:
        return scorer.encode(batch.text, analyzer.columns(batch.fields))
    if words.counts is not None:
        raise DataError("counts cannot be encoded one by one here; give texts or token lists")
    return scorer.encode_words(words.names, words.offsets, words.indices)


def _words(batch: "Batch", tokenizer: Tokenizer | None) -> "WordLists | None":
    from priori.text.wordlists import word_lists

    return word_lists(batch.text, tokenizer)
