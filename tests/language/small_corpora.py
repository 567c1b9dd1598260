"""Small random corpora, and language models of them."""

import math
from functools import cache

import numpy as np
from chen_goodman import BEGIN, END, UNKNOWN, Model, NGrams

from corpora import dataset
from priori import Analyzer, LanguageModel

NUMBERED = ("dirichlet:2", "dirichlet:0.25", "jelinek-mercer:0.4", "absolute:0.7")
SMOOTHINGS = ("kneser-ney", "ml", *NUMBERED)
WORDS = ["the", "cat", "dog", "sat", "a", "ran", "é", "好"]


def random_corpus(seed):
    """Documents of words that are not alike in frequency; large ones have all the counts that discounts need."""
    rng = np.random.default_rng(seed)
    many = int(rng.choice([1, 3, 8, 30, 120]))
    words = WORDS[: int(rng.integers(2, len(WORDS) + 1))]
    share = rng.dirichlet(np.full(len(words), 0.7))
    return [[words[k] for k in rng.choice(len(words), rng.integers(0, 9), p=share)] for _ in range(many)]


@cache
def sentences(name):
    """The texts of a data set, their words separated by single spaces."""
    analyzer = Analyzer()
    return [" ".join(analyzer.features_of(text)) for text in dataset(name)[0]]


def histories(documents, order, rng):
    """Seen, unseen, with unknown words, and short ones at the beginning of a document."""
    found = [[]]
    for _ in range(6):
        words = [*documents[rng.integers(len(documents))]]
        found.append(words[: rng.integers(0, len(words) + 1)])
        found.append([*rng.choice([*WORDS, "never", "seen"], rng.integers(0, order + 1))])
        found.append([*words[:2], "never", *words[2:3]])
    return found


def context(words, order):
    """A history as the oracle takes it."""
    return tuple(words) if order == 1 else (BEGIN, *words)


def of_words(documents, order, smoothing, **settings):
    """A model of documents whose words are separated by single spaces."""
    return LanguageModel(order=order, smoothing=smoothing, tokenizer=str.split, **settings).fit(
        [" ".join(words) for words in documents]
    )


def of_class(own, all_documents, order, smoothing, alpha=1, unknown=True):
    """The definition of one class's model, which shares the vocabulary of all."""
    definition = Model(NGrams(order, own), smoothing, alpha)
    definition.vocabulary = NGrams(order, all_documents).words() | ({UNKNOWN} if unknown else set())
    return definition


def class_steps(definition, words):
    """[(word, log p)] of a document in one class, its end last. A word that no class knows is <unk>, or where that has
    no place what its history leaves to what is new, over what nothing leaves to it."""
    found, seen = [], () if definition.order == 1 else (BEGIN,)
    for word in [*words, END] if seen else words:
        if word in definition.vocabulary:
            p = definition.p(word, seen)
        elif UNKNOWN in definition.vocabulary:
            p = definition.p(UNKNOWN, seen)
        else:  # p of any one unseen thing
            p = definition.p(word, seen) / definition.p(word, ()) if seen else 1
        found.append((word, math.log(p)))
        seen = (*seen, word)
    return found
