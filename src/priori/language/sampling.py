"""Documents drawn token by token.

As they are, probabilities need no sum over the vocabulary: with probability of what was seen after the history one of
those is drawn; else the shorter history draws, again until it is none of those, which is what backing off means. With
a temperature T the same holds of p^(1/T), where what no history has seen follows the tokens alone.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.language.table import NGramTable
from priori.validation import whole_number

Floats = npt.NDArray[np.float64]


LONGEST = 100_000  # tokens


def draw_texts(
    table: NGramTable, n: int, rng: np.random.Generator, temperature: float = 1.0, longest: int = LONGEST
) -> list[str]:
    """So many texts, of at most `longest` tokens; a temperature below 1 prefers what is probable."""
    n, longest = whole_number(n, "n", 0), whole_number(longest, "longest", 1)
    real = isinstance(temperature, int | float | np.integer | np.floating) and not isinstance(temperature, bool)
    if not (real and 1e-6 <= temperature <= 1e6):
        raise DataError(f"temperature={temperature!r} is none; give a number from 1e-6 to 1e6, such as 0.7")
    if not len(table.tokens):
        raise DataError("the model knows no words, so there are no texts to draw; learn some first")
    pen = _Pen(table, rng, temperature)
    joiner = " " if table.words else ""
    if table.terms.end >= 0:
        written = [pen.document(longest) for _ in range(n)]
    else:
        written = [pen.bag(min(length, longest)) for length in _lengths(table, n, rng)]
    return [joiner.join(table.text(token) for token in tokens) for tokens in written]


def _lengths(table: NGramTable, n: int, rng: np.random.Generator) -> list[int]:
    """How long documents are: nothing in a model of single words says where one ends, so as those that were learned."""
    if table.lengths is None:
        raise DataError("a model of single words does not say how long texts are; draw from the model it was read off")
    lengths, times = table.lengths
    drawn = rng.choice(lengths, n, p=times / times.sum())
    return [int(length) for length in drawn]


class _Pen:
    """Draws tokens after histories, and remembers what it has looked up."""

    def __init__(self, table: NGramTable, rng: np.random.Generator, temperature: float) -> None:
        self.table = table
        self.rng = rng
        self.temperature = temperature
        self.alone = np.cumsum(table.alone)
        if table.unknown is None:
            self.alone /= self.alone[-1]  # 1 but for rounding
        self.after = lru_cache(maxsize=1 << 16)(self._after)
        if temperature != 1.0:
            scaled = table.log_prob[table.tokens] / temperature
            self.highest = float(scaled.max())
            self.powers = np.exp(scaled - self.highest)  # of tokens alone, p^(1 / T) but for one factor
            self.power_sums = np.cumsum(self.powers)
            self.tempered = lru_cache(maxsize=1 << 14)(self._tempered)

    def document(self, longest: int) -> list[int]:
        """From the mark at the beginning to that at the end."""
        terms, order = self.table.terms, self.table.order
        tokens: list[int] = []
        histories: tuple[int, ...] = (terms.begin,)  # the n-grams that end here, the shortest first
        while len(tokens) < longest:
            token = self.next_token(histories)
            if token == terms.end:
                break
            tokens.append(token)
            ending = [token]
            for history in histories[: order - 2]:
                last, ngrams, _ = self.after(history)
                at = int(np.searchsorted(last, token))
                if at == len(last) or last[at] != token:
                    break
                ending.append(int(ngrams[at]))
            histories = tuple(ending)
        return tokens

    def bag(self, length: int) -> list[int]:
        """So many tokens, each by itself."""
        return [self.next_token(()) for _ in range(length)]

    def next_token(self, histories: tuple[int, ...]) -> int:
        """One token after the histories; an unknown word has no spelling, so another is drawn in its place."""
        if self.temperature != 1.0:
            return self._warmed(histories)
        token = None
        while token is None:
            token = self._at(histories, len(histories))
        return token

    def _at(self, histories: tuple[int, ...], level: int) -> int | None:
        """By the longest `level` histories' last; None is an unknown word."""
        u = self.rng.random()
        if level == 0:
            at = int(np.searchsorted(self.alone, u, side="right"))
            return int(self.table.tokens[at]) if at < len(self.alone) else None
        last, _, sums = self.after(histories[level - 1])
        if len(last) and (u < sums[-1] or self.table.backoff[histories[level - 1]] == -np.inf):
            at = int(np.searchsorted(sums, u, side="right"))
            return int(last[min(at, len(last) - 1)])
        while True:
            token = self._at(histories, level - 1)
            at = int(np.searchsorted(last, -1 if token is None else token))
            if token is None or at == len(last) or last[at] != token:
                return token

    def _after(self, history: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.intp], Floats]:
        """The tokens seen after a history, ascending, their n-grams, and sums of their probabilities."""
        goes_on = self.table.following(history)
        return self.table.terms.last[goes_on], goes_on, np.cumsum(np.exp(self.table.log_prob[goes_on]))

    def _warmed(self, histories: tuple[int, ...]) -> int:
        """By p^(1 / T): one of the tokens that any history has seen, or else by the tokens alone."""
        seen, sums, rest = self.tempered(histories)
        at = int(np.searchsorted(sums, self.rng.random() * (rest + (sums[-1] if len(sums) else 0.0)), side="right"))
        if at < len(seen) or not rest:
            return int(seen[min(at, len(seen) - 1)])  # subtle: the product may round up to the sum
        while True:
            u = self.rng.random() * self.power_sums[-1]
            place = int(np.searchsorted(self.power_sums, u, side="right"))
            token = int(self.table.tokens[min(place, len(self.table.tokens) - 1)])
            at = int(np.searchsorted(seen, token))
            if at == len(seen) or seen[at] != token:
                return token

    def _tempered(self, histories: tuple[int, ...]) -> tuple[npt.NDArray[np.intp], Floats, float]:
        """The tokens that histories have seen, ascending, sums of their p^(1 / T), and that of all others together."""
        table, left = self.table, 0.0
        seen, log_prob = np.zeros(0, np.intp), np.zeros(0)
        for history in histories:  # what a longer one has seen takes the place of what shorter ones say
            last, ngrams, _ = self.after(history)
            left += float(table.backoff[history])
            both = np.union1d(seen, last)
            kept = np.full(len(both), -np.inf)
            kept[np.searchsorted(both, seen)] = log_prob + table.backoff[history]
            kept[np.searchsorted(both, last)] = table.log_prob[ngrams]
            seen, log_prob = both, kept
        scaled = log_prob / self.temperature
        others = float(self.power_sums[-1] - self.powers[table.place[seen]].sum())
        others = others if len(seen) < len(table.tokens) and others > 0 and left > -np.inf else 0.0
        log_rest = np.log(others) + left / self.temperature + self.highest if others else -np.inf
        top = max(float(scaled.max(initial=-np.inf)), log_rest)
        return seen, np.cumsum(np.exp(scaled - top)), float(np.exp(log_rest - top))
