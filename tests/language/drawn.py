"""How often drawn texts go on with each word, and whether that is as often as some shares say."""

from collections import Counter, defaultdict

from chen_goodman import BEGIN, END, UNKNOWN

import chi_square

MOST = 1e-9  # chance of a false alarm of each comparison; there are about 200


def followed(texts, order, longest=None, tokens=str.split):
    """{history: {next: times}} of drawn texts; a history has at most order - 1 words, with <s> where a text begins.

    Texts of `longest` words were cut there, so that they have no end.
    """
    found = defaultdict(Counter)
    for text in texts:
        words = tokens(text)
        words = [BEGIN, *words] if len(words) == longest else [BEGIN, *words, END]
        for i in range(1, len(words)):
            found[tuple(words[max(0, i - order + 1) : i])][words[i]] += 1
    return found


def frequent(found, most, least=200):
    """The histories of known words that were drawn most often, and often enough to be judged."""
    known = [h for h in found if UNKNOWN not in h and found[h].total() >= least]
    return sorted(known, key=lambda h: (-found[h].total(), h))[:most]


def tempered(shares, temperature=1.0):
    """p^(1 / T), of known words: those never seen have no spelling, so that others are drawn in their place."""
    powers = {word: float(p) ** (1 / temperature) for word, p in shares.items() if word != UNKNOWN}
    total = sum(powers.values())
    return {word: p / total for word, p in powers.items()}


def agree(found, shares):
    """Whether chi-square lets these be draws of the shares."""
    counts = [found.get(word, 0) for word in shares]
    return set(found) <= set(shares) and bool(chi_square.fits(counts, list(shares.values()), MOST))
