"""Stop words and stems once more in plain Python: what the compiled analyzer is held against."""

from collections import Counter as Tally

import Stemmer

from reference import default_words, fold, reference_features, word_ngrams


def entry_words(entry, *, lowercase=True, fold_accents=False):
    """The run of words that a text would have in place of an entry."""
    return tuple(reference_features(entry, lowercase=lowercase, fold_accents=fold_accents))


def without_runs(words, runs):
    """Words less the runs among them, from left to right, the longest first."""
    left, at = [], 0
    longest = max(map(len, runs), default=0)
    while at < len(words):
        size = next((n for n in range(longest, 0, -1) if tuple(words[at : at + n]) in runs), 0)
        if size:
            at += size
        else:
            left.append(words[at])
            at += 1
    return left


def written_words(text, entries=(), *, lowercase=True, fold_accents=False, min_length=1):
    """The words of a text that count: stop words out, then short ones."""
    text = text.lower() if lowercase else text
    text = "".join(map(fold, text)) if fold_accents else text
    runs = {entry_words(entry, lowercase=lowercase, fold_accents=fold_accents) for entry in entries} - {()}
    kept = without_runs(default_words(text, 1), runs)
    return [word for word in kept if default_words(word, min_length)]


def stems_of(words, language):
    if language is None:
        return list(words)
    stem = Stemmer.Stemmer(language, 0).stemWord
    return [stem(word) or word for word in words]


def features(text, entries=(), language=None, ngrams=(1, 1), **how):
    """The whole of it: tokens, then the stop list, then stems, then n-grams."""
    return word_ngrams(stems_of(written_words(text, entries, **how), language), *ngrams)


def forms(texts, entries=(), language="english", weights=None):
    """Occurrences by (stem, word)."""
    tally = Tally()
    for text, weight in zip(texts, weights or [1] * len(texts), strict=True):
        words = written_words(text, entries)
        for pair in zip(stems_of(words, language), words, strict=True):
            tally[pair] += weight
    return {pair: times for pair, times in tally.items() if times}
