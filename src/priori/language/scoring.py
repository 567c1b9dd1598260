"""What any n-gram language model says: how probable texts are, what surprises in them, what comes next."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.language.sampling import LONGEST, draw_texts
from priori.language.table import NGramTable
from priori.text.token_lists import WordLists, tokenized, word_lists
from priori.threads import threads
from priori.validation import seed_of, whole_number

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]
Part = tuple[Floats, int, int]


@dataclass(frozen=True)
class Token:
    """A token of a text, and how far it surprises after those before it."""

    token: str
    bits: float  # -log2 p(token | history)
    matched: int  # how many tokens, itself among them, the longest n-gram seen there has; 0: a word never seen

    def __iter__(self) -> Any:
        return iter((self.token, self.bits))


class Speaking(ABC):
    """Scores, continues and draws texts by a table of n-grams."""

    tokenizer: Callable[[str], Iterable[str]] | None
    n_jobs: int | None

    @property
    @abstractmethod
    def table(self) -> NGramTable:
        """The log-probabilities and back-offs that all is read from."""

    @property
    def vocabulary(self) -> list[str]:
        """The words that can follow, sorted, the end of documents among them."""
        table = self.table
        return [table.shown(int(token)) for token in table.tokens]

    @overload
    def log_prob(self, texts: str) -> float: ...
    @overload
    def log_prob(self, texts: Any) -> Any: ...
    def log_prob(self, texts: Any) -> Any:
        """log p of a text, or of each of several, in nats; the end of a document included where order is 2 or more."""
        if isinstance(texts, str):
            scorer = self.table.scorer
            return scorer.score_one(texts) if self.tokenizer is None else float(self.log_prob([texts])[0])
        return np.concatenate([np.zeros(0), *(sums for sums, _, _ in self._parts(texts))])

    def perplexity(self, texts: Any) -> float:
        """exp of minus the mean log p of a token, over all texts together; the ends of documents are tokens."""
        return self.scored([texts] if isinstance(texts, str) else texts).perplexity

    def scored(self, texts: Any) -> "Scored":
        """Texts together: log p, how many tokens they predict, and how many of these were never seen."""
        return self._together(self._parts(texts))

    def scored_batches(self, batches: "Iterable[Batch]") -> "Scored":
        """The same of a source: what `priori.data.read` yields."""
        return self._together(map(self._score, batches))

    def surprisal(self, text: str) -> list[Token]:
        """Each token of a text with -log2 of its probability after those before it.

        A word never seen stands as it is; it has 0 bits where unknown words are passed over.
        """
        if not isinstance(text, str):
            raise DataError(f"one text at a time is looked at closely; {type(text).__name__} is not a str")
        table = self.table
        words = self._words_of(text)
        if words is None:
            log_probs, matches = table.scorer.each(text)
        else:
            lists = WordLists.of_lists([words])
            log_probs, matches = table.scorer.each_of_words(lists.names, lists.offsets, lists.indices)
        names = self._tokens(text, words)[table.terms.begin >= 0 :]
        marks = {table.text(index): table.shown(index) for index in (table.terms.begin, table.terms.end) if index >= 0}
        return [
            Token(marks.get(name, name), 0.0 - log_p / math.log(2), matched)
            for name, log_p, matched in zip(names, log_probs.tolist(), matches.tolist(), strict=True)
        ]

    def next(self, history: str = "", most: int | None = None) -> dict[str, float]:
        """p of what may follow a text, the most probable first: tokens, `</s>` for its end, `<unk>` for a new word."""
        if not isinstance(history, str):
            raise DataError(f"one text is continued at a time; {type(history).__name__} is not a str")
        most = None if most is None else whole_number(most, "most", 1)
        table = self.table
        tokens = self._tokens(history, self._words_of(history))
        if table.terms.end >= 0:
            tokens = tokens[:-1]
        histories = table.histories(tokens)
        prob = table.next_probabilities(histories)
        candidates = np.arange(len(prob))
        if most is not None and most < len(prob):
            candidates = np.flatnonzero(prob >= np.partition(prob, -most)[-most])
        found = [(table.shown(int(table.tokens[i])), float(prob[i])) for i in candidates]
        if table.unknown is not None:
            found.append(("<unk>", float(np.exp(sum(table.backoff[h] for h in histories) + table.unknown))))
        return dict(sorted(found, key=lambda item: -item[1])[:most])

    def sample(
        self, n: int = 1, *, seed: int | None = 0, temperature: float = 1.0, longest: int = LONGEST
    ) -> list[str]:
        """Documents drawn from the model, words joined by spaces; temperature below 1 prefers what is probable.

        Words never seen have no spelling, so what is drawn is a word that was. A text ends at `longest` tokens.
        """
        rng = np.random.default_rng(None if seed is None else seed_of(seed))
        return draw_texts(self.table, n, rng, temperature, longest)

    def to_arpa(self, path: Any) -> None:
        """Write the model in the ARPA format, which other programs read (KenLM, SRILM): see docs/language.md."""
        from priori.language.arpa import write_arpa

        write_arpa(self.table, path)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _words_of(self, text: str) -> list[str] | None:
        """What a tokenizer of one's own finds; None: the analyzer finds the words."""
        return None if self.tokenizer is None else next(tokenized([text], self.tokenizer))

    def _tokens(self, text: str, words: list[str] | None) -> list[str]:
        native = self.table.analyzer.native
        return list(native.tokens(text) if words is None else native.tokens_of_words(words))

    def _parts(self, texts: Any) -> Iterator[Part]:
        if type(texts) is list and self.tokenizer is None and (not texts or type(texts[0]) is str):
            return iter([self.table.scorer.score(texts, threads(self.n_jobs))])
        return map(self._score, unlabelled_batches(texts))

    def _score(self, batch: "Batch") -> Part:
        """log p of each document; how many tokens they predict, and how many of these were never seen."""
        scorer, jobs = self.table.scorer, threads(self.n_jobs)
        words = word_lists(batch.text, self.tokenizer)
        if words is None:
            return scorer.score(batch.text, jobs)
        if words.counts is not None:
            raise DataError("counts have lost the order of the words; give texts, or lists of their words")
        return scorer.score_words(words.names, words.offsets, words.indices, jobs)

    def _together(self, parts: Iterable[Part]) -> "Scored":
        log_prob, documents, tokens, unknown = 0.0, 0, 0, 0
        for sums, some, strange in parts:
            log_prob, documents = log_prob + float(sums.sum()), documents + len(sums)
            tokens, unknown = tokens + some, unknown + strange
        return Scored(documents, tokens, unknown, log_prob, self.table.unknown is not None)


@dataclass(frozen=True)
class Scored:
    """What texts are to a language model, all together."""

    documents: int
    tokens: int  # that are predicted, the ends of documents among them
    unknown: int  # of these, words never seen
    log_prob: float
    unknown_counts: bool  # or they are passed over

    @property
    def bits(self) -> float:
        """Minus the mean log2 p of a token."""
        return self._nats / math.log(2)

    @property
    def perplexity(self) -> float:
        """exp of minus the mean log p of a token; infinite where a text is impossible."""
        return math.exp(self._nats) if self._nats < 709 else math.inf

    @property
    def _nats(self) -> float:
        counted = self.tokens if self.unknown_counts else self.tokens - self.unknown
        if counted == 0:
            raise DataError("the texts have no tokens, so their perplexity is 0/0; give some with words")
        return 0.0 - self.log_prob / counted

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where a text is impossible."""
        values = {"log_prob": self.log_prob, "perplexity": self.perplexity, "bits_per_token": self.bits}
        finite = {name: value if math.isfinite(value) else None for name, value in values.items()}
        return {"documents": self.documents, "tokens": self.tokens, "unknown": self.unknown} | finite


class OfTable(Speaking):
    """A language model that is only read: the smaller one of another, or that of one class of a classifier."""

    def __init__(
        self,
        table: NGramTable,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._table = table
        self.tokenizer = tokenizer
        self.n_jobs = n_jobs

    @property
    def table(self) -> NGramTable:
        """The log-probabilities and back-offs that all is read from."""
        return self._table

    def __repr__(self) -> str:
        kind = "words" if self._table.words else "characters"
        return f"LanguageModel of a class({self._table.order}-grams of {kind}: {sum(self._table.ngrams):,} n-grams)"


def unlabelled_batches(texts: Any) -> "Iterator[Batch]":
    """Texts, token lists, a series, or the column `text` of a table or frame."""
    from priori.data.objects import read_objects
    from priori.data.options import ReadOptions

    if isinstance(texts, str):
        raise DataError("a text alone is no collection; give a list of texts")
    return read_objects(texts, options=ReadOptions(label=None))
