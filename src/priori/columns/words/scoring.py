"""Documents, however they came, handed to the compiled scorer."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.text.analyzer import Analyzer, Tokenizer
from priori.threads import threads

if TYPE_CHECKING:  # what reads data is loaded when there is some: a message is classified without it
    from priori.data.batch import Batch
    from priori.text.token_lists import WordLists

Floats = npt.NDArray[np.float64]

_MANY = 4096  # texts from which threads are worth starting


def score_texts(
    scorer: _core.Scorer, texts: list[str], tokenizer: Tokenizer | None, output: str, jobs: int | None
) -> Floats:
    """Plain texts: the shortest way, for one message or a million."""
    if tokenizer is None:
        return scorer.score(texts, [], output, 1 if len(texts) < _MANY else threads(jobs))
    from priori.text.token_lists import WordLists, tokenized

    words = WordLists.of_lists(tokenized(texts, tokenizer))
    return scorer.score_words(words.names, words.offsets, words.indices, output, 1)


def score_batch(
    scorer: _core.Scorer, analyzer: Analyzer, batch: "Batch", tokenizer: Tokenizer | None, *, output: str, jobs: int
) -> Floats:
    """Texts with their fields, token lists, or counts."""
    words = word_lists_of(batch, tokenizer)
    if words is None:
        return scorer.score(batch.text, analyzer.columns(batch.fields), output, jobs)
    if words.counts is None:
        return scorer.score_words(words.names, words.offsets, words.indices, output, jobs)
    analyzer.refuse_counts()
    return scorer.score_counts(words.names, words.offsets, words.indices, words.counts, output, jobs)


def encode_batch(
    scorer: _core.Scorer, analyzer: Analyzer, batch: "Batch", tokenizer: Tokenizer | None
) -> dict[str, Any]:
    """Documents as rows of (term, count), with how many features of each were never seen.

    `once`: whether a feature counts once however often a document has it.
    """
    words = word_lists_of(batch, tokenizer)
    if words is None:
        rows = scorer.encode(batch.text, analyzer.columns(batch.fields))
    elif words.counts is not None:
        rows = _encoded_counts(scorer, words)
    else:
        rows = scorer.encode_words(words.names, words.offsets, words.indices)
    return {**rows, "once": analyzer.binary}


def word_lists_of(batch: "Batch", tokenizer: Tokenizer | None) -> "WordLists | None":
    """The words of a batch where they are already told apart, or a user's function does it; None for plain text."""
    from priori.text.token_lists import word_lists

    return word_lists(batch.text, tokenizer)


def _encoded_counts(scorer: _core.Scorer, words: "WordLists") -> dict[str, Any]:
    """Counts as the compiled encoder gives words: each name is encoded by itself, and the counts follow."""
    names = [str(name) for name in (words.names if isinstance(words.names, list) else words.names.to_pylist())]
    ends = np.arange(len(names) + 1, dtype=np.int64)
    alone = scorer.encode_words(names, ends, np.arange(len(names), dtype=np.int32))
    known = np.diff(alone["offsets"]) > 0
    place = np.full(len(names), -1, np.int64)
    place[known] = alone["term"]
    row = np.repeat(np.arange(len(words.offsets) - 1), np.diff(words.offsets))
    term, count = place[words.indices], np.asarray(words.counts)
    unknown = np.bincount(row[term < 0], count[term < 0], len(words.offsets) - 1).astype(np.int64)
    kept = (term >= 0) & (count > 0)
    row, term, count = row[kept], term[kept], count[kept]
    order = np.lexsort((term, row))
    row, term, count = row[order], term[order], count[order]
    first = np.ones(len(row), bool)
    first[1:] = (row[1:] != row[:-1]) | (term[1:] != term[:-1])  # a name may have two columns
    starts = np.flatnonzero(first)
    return {
        "offsets": np.searchsorted(row[starts], np.arange(len(words.offsets))).astype(np.int64),
        "term": term[starts].astype(np.int32),
        "count": (np.add.reduceat(count, starts) if len(starts) else count).astype(np.int32),
        "unknown": unknown,
    }
