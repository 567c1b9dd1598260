"""Smoothed n-gram models once more, from their definitions: dictionaries and fractions, no thought of speed.

Chen & Goodman 1998, "An empirical study of smoothing techniques for language modeling": equations 12 and 14 (Jelinek-
Mercer, absolute discounting) and section 4.1.6 with equation 26 (modified Kneser-Ney), interpolated; conventions of
KenLM: documents are <s> w1 .. wn </s> from order 2, n-grams that begin with <s> keep their own counts at lower orders
(nothing comes before <s>), and one whose discounts are undefined or out of range has 0.5, 1 and 1.5.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
FALLBACK = (Fraction(1, 2), Fraction(1), Fraction(3, 2))


class NGrams:
    """Raw counts of the n-grams of all lengths up to the order; `all - of_one` leaves a document out."""

    def __init__(self, order, documents=()):
        self.order, self.raw = order, Counter()
        for words in documents:
            padded = list(words) if order == 1 else [BEGIN, *words, END]
            for n in range(1, order + 1):
                for i in range(len(padded) - n + 1):
                    self.raw[tuple(padded[i : i + n])] += 1
        del self.raw[BEGIN,]  # it is never predicted

    def __add__(self, other):
        return self._with(self.raw + other.raw)

    def __sub__(self, other):
        assert all(self.raw[gram] >= count for gram, count in other.raw.items()), "subtract only what is there"
        return self._with(self.raw - other.raw)

    def _with(self, raw):
        changed = NGrams(self.order)
        changed.raw = Counter({gram: count for gram, count in raw.items() if count})
        return changed

    def words(self):
        """Everything that can come next, but <unk>."""
        return {gram[0] for gram in self.raw if len(gram) == 1} | ({END} if self.order > 1 else set())

    def adjusted(self):
        """Counts for Kneser-Ney: below the top order, how many different words come before."""
        before = defaultdict(set)
        for gram in self.raw:
            if len(gram) > 1:
                before[gram[1:]].add(gram[0])
        own = {g: c for g, c in self.raw.items() if len(g) == self.order or g[0] == BEGIN}
        return own | {g: len(before[g]) for g in self.raw if g not in own}


class Model:
    """p(w | h), exactly. `unknown`: whether one slot stands for all words that were never seen; `numbers`: by order."""

    def __init__(self, ngrams, smoothing, alpha=1, unknown=True, numbers=()):
        self.order = ngrams.order
        self.kind, _, number = smoothing.partition(":")
        self.amounts = [Fraction(x) for x in numbers or self.order * [number] if x != ""]
        assert self.amounts or self.kind in ("kneser-ney", "ml")
        self.alpha = Fraction(alpha)
        self.vocabulary = ngrams.words() | ({UNKNOWN} if unknown else set())
        counts = ngrams.adjusted() if self.kind == "kneser-ney" else ngrams.raw
        self.follow = defaultdict(dict)  # {h: {w: c(hw)}}
        for gram, count in counts.items():
            self.follow[gram[:-1]][gram[-1]] = count
        self.fell_back = []
        if self.kind == "kneser-ney":
            self.discounts = [self._discounts(n, counts) for n in range(1, self.order + 1)]

    def _discounts(self, n, counts):
        """Equation 26, from the counts of counts of one order."""
        n1, n2, n3, n4 = (sum(len(g) == n and c == k for g, c in counts.items()) for k in (1, 2, 3, 4))
        if 0 not in (n1, n2, n3):
            y = Fraction(n1, n1 + 2 * n2)
            d = 1 - 2 * y * Fraction(n2, n1), 2 - 3 * y * Fraction(n3, n2), 3 - 4 * y * Fraction(n4, n3)
            if all(0 < d[k - 1] <= k for k in (1, 2, 3)):  # one of 0 would leave nothing to what is unseen
                return d
        self.fell_back.append(n)
        return FALLBACK

    def next(self, history):
        """{w: p(w | h)} of all that can come next; a history is a tuple, beginning with <s> where a document does."""
        return {word: self.p(word, tuple(history)) for word in self.vocabulary}

    def p(self, word, history):
        history = history[-(self.order - 1) :] if self.order > 1 else ()
        shorter = self.p(word, history[1:]) if history else Fraction(1, len(self.vocabulary))
        follow = self.follow.get(history, {})
        total = sum(follow.values())
        if not total:
            return shorter if history or self.kind != "dirichlet" else self._dirichlet_unigram(0, 0)
        count = follow.get(word, 0)
        if self.kind == "ml":
            return Fraction(count, total)
        if self.kind == "dirichlet":
            if not history:
                return self._dirichlet_unigram(count, total)
            mu = self.amounts[len(history)]
            return (count + mu * shorter) / (total + mu)
        if self.kind == "jelinek-mercer":
            weight = self.amounts[len(history)]
            return (1 - weight) * Fraction(count, total) + weight * shorter
        discounts = self.discounts[len(history)] if self.kind == "kneser-ney" else (self.amounts[len(history)],) * 3

        def discount(c):
            return discounts[min(c, 3) - 1] if c else Fraction(0)

        gamma = sum(discount(c) for c in follow.values()) / total
        return (count - discount(count)) / total + gamma * shorter

    def _dirichlet_unigram(self, count, total):
        return (count + self.alpha) / (total + self.alpha * len(self.vocabulary))

    def steps(self, words):
        """[(word, p)] of a document, its end last; what is not known is <unk>, or passed over where that has no place:
        then nothing stands before the next word."""
        known = [w if w in self.vocabulary else UNKNOWN for w in words]
        seen, rest = ((), known) if self.order == 1 else ((BEGIN,), [*known, END])
        found = []
        for word in rest:
            if word in self.vocabulary:
                found.append((word, self.p(word, seen)))
            seen = (*seen, word) if word in self.vocabulary else ()
        return found

    def log_prob(self, words):
        return math.fsum(math.log(p) if p else -math.inf for _, p in self.steps(words))


def write_arpa(model, ngrams, path):
    """The interpolated model as ARPA: log10 p(w | h) of every n-gram seen, and what a history hands down."""

    def log10(p):
        return math.log10(p) if p else -99.0

    grams = {gram for gram in ngrams.raw if len(gram) > 1} | {(word,) for word in model.vocabulary} | {(BEGIN,)}
    of_length = {n: sorted(g for g in grams if len(g) == n) for n in range(1, model.order + 1)}
    lines = ["\\data\\", *(f"ngram {n}={len(some)}" for n, some in of_length.items()), ""]
    for n, some in of_length.items():
        lines.append(f"\\{n}-grams:")
        for gram in some:
            p = -99.0 if gram == (BEGIN,) else log10(model.p(gram[-1], gram[:-1]))
            handed = f"\t{log10(_handed_down(model, gram)):.9f}" if n < model.order else ""
            lines.append(f"{p:.9f}\t{' '.join(gram)}{handed}")
        lines.append("")
    path.write_text("\n".join([*lines, "\\end\\", ""]), encoding="utf-8")


def _handed_down(model, history):
    """The mass of what never followed, over that which the shorter history gives it: 1 of a history without counts."""
    follow = model.follow.get(history, {})
    if not follow:
        return Fraction(1)
    left = 1 - sum(model.p(word, history) for word in follow)
    return left / (1 - sum(model.p(word, history[1:]) for word in follow)) if left else Fraction(0)
