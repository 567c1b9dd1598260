"""What any n-gram language model says: how probable texts are, what surprises in them, what comes next."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.language_models.sampling import LONGEST, draw_texts
from priori.language_models.table import NGramTable
from priori.text.wordlists import WordLists, tokenized
from priori.threads import threads

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Token:
    """A token of a text, and how far it surprises after those before it."""

    token: str
    bits: float  # -log2 p(token | history)
    matched: int  # how many tokens, itself among them, the longest n-gram seen there has; 0: a word never seen

    def __iter__(self) -> Any:
        return iter((self.token, self.bits))


class Speaking:
    """Scores, continues and draws texts by a table of n-grams."""

    tokenizer: Callable[[str], Iterable[str]] | None
    n_jobs: int | None

    @property
    @abstractmethod
    def table(self) -> NGramTable:
        """The log-probabilities and back-offs that all is read from."""

    @overload
    def log_prob(self, texts: str) -> float: ...
    @overload
    def log_prob(self, texts: list[str]) -> Floats: ...
    def log_prob(self, texts: Any) -> Any:
        """log p of a text, or of each of several, in nats; the end of a document included where order is 2 or more."""
        sums, _, _ = self._score(texts)
        return float(sums[0]) if isinstance(texts, str) else sums

    def perplexity(self, texts: Any) -> float:
        """exp of minus the mean log p of a token, over all texts together; the ends of documents are tokens."""
        sums, tokens, unknown = self._score(texts)
        if self.table.unknown is None:
            tokens -= unknown  # they are passed over
        if tokens == 0:
            raise DataError("the texts have no tokens, so their perplexity is 0/0; give some with words")
        with np.errstate(over="ignore"):
            return float(np.exp(-sums.sum() / tokens))

    def surprisal(self, text: str) -> list[Token]:
        """Each token of a text with -log2 of its probability after those before it.

        A word never seen stands as it is; it has 0 bits where unknown words are passed over.
        """
        if not isinstance(text, str):
            raise DataError(f"one text at a time is looked at closely; {type(text).__name__} is not a str")
        table = self.table
        log_probs, matches = table.score_each(text, self._words([text]))
        names = self._tokens(text)[table.terms.begin >= 0 :]
        marks = {name: table.shown(index) for name, index in self._marks().items()}
        return [
            Token(marks.get(name, name), 0.0 - log_p / math.log(2), matched)
            for name, log_p, matched in zip(names, log_probs.tolist(), matches.tolist(), strict=True)
        ]

    def next(self, history: str = "", most: int | None = None) -> dict[str, float]:
        """p of what may follow a text, the most probable first: tokens, `</s>` for its end, `<unk>` for a new word."""
        table = self.table
        tokens = self._tokens(history)
        if table.terms.end >= 0:
            tokens = tokens[:-1]
        prob = table.next_probabilities(table.histories(tokens))
        order = np.argsort(-prob, kind="stable")
        order = order if most is None else order[:most]
        found = {table.shown(int(table.tokens[i])): float(prob[i]) for i in order}
        if table.unknown is not None:
            known = self._known_share(tokens)
            found["<unk>"] = known
            found = dict(sorted(found.items(), key=lambda item: -item[1])[: len(found) if most is None else most])
        return found

    def sample(
        self, n: int = 1, *, seed: int | None = 0, temperature: float = 1.0, longest: int = LONGEST
    ) -> list[str]:
        """Documents drawn from the model, words joined by spaces; temperature below 1 prefers what is probable.

        Words never seen have no spelling, so what is drawn is a word that was. A text ends at `longest` tokens.
        """
        return draw_texts(self.table, n, np.random.default_rng(seed), temperature, longest)

    def to_arpa(self, path: Any) -> None:
        """Write the model in the ARPA format, which other programs read (KenLM, SRILM): see docs/language.md."""
        from priori.language_models.arpa import write_arpa

        write_arpa(self.table, path)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _known_share(self, tokens: list[str]) -> float:
        """p(<unk> | history): what the histories leave, times its share."""
        table = self.table
        assert table.unknown is not None
        left = sum(float(table.backoff[history]) for history in table.histories(tokens))
        return float(np.exp(left + table.unknown))

    def _marks(self) -> dict[str, int]:
        terms, table = self.table.terms, self.table
        return {table.text(index): index for index in (terms.begin, terms.end) if index >= 0}

    def _tokens(self, text: str) -> list[str]:
        if self.tokenizer is None:
            return list(self.table.analyzer.native.tokens(text))
        begin, end = self.table.terms.begin, self.table.terms.end
        words = next(iter(tokenized([text], self.tokenizer)))
        return [self.table.text(begin), *words, self.table.text(end)] if begin >= 0 else words

    def _score(self, texts: Any) -> tuple[Floats, int, int]:
        listed, jobs = ([texts], 1) if isinstance(texts, str) else (list(texts), threads(self.n_jobs))
        return self.table.score(listed, self._words(listed), jobs)

    def _words(self, texts: list[str]) -> WordLists | None:
        return None if self.tokenizer is None else WordLists.of_lists(tokenized(texts, self.tokenizer))
