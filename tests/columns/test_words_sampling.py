"""Drawn documents come as often as the model's definition says: whole documents, words, presences, lengths, labels."""

import math
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pytest
from definitions import Definition
from scipy.stats import chi2

import chi_square
from corpora import dataset, model_of
from priori import Prior, TextClassifier
from priori.columns.words import bernoulli
from priori.columns.words import sampling as words_sampling
from priori.columns.words.readings import Readings
from priori.errors import DataError, EstimateError
from priori.model import sampling
from priori.model.sampling import sample_texts
from priori.text import Analyzer

MOST = 1e-9  # chance of a false alarm of each comparison; there are about 40
SIZE = 60_000
ROWS = [
    ("a a b", "x"), ("a c", "x"), ("b", "x"), ("a", "x"), ("a b", "x"), ("", "x"),
    ("d d d", "y"), ("c d", "y"), ("d b c", "y"),
]  # fmt: skip
LABELS = ["x", "y"]
OWN = Prior(0.5, {"a": 2.0, "never": 0.25}, {"y": {"b": 3.0}})
CASES = {
    "bayes": ("multinomial", "bayes", Prior(0.7), {}),
    "one slot": ("multinomial", "bayes", Prior(0.7), {"unknown": "prior", "class_prior": "uniform"}),
    "own priors": ("multinomial", "bayes", OWN, {"class_prior": 1.5}),
    "frequencies": ("multinomial", "ml", Prior(1.0), {}),
    "mode": ("multinomial", "map", Prior(1.5), {"class_prior": {"x": 0.2, "y": 0.8}}),
    "urn": ("multinomial", "integrated", Prior(0.3), {}),
    "urn with a slot": ("multinomial", "integrated", Prior(0.5), {"unknown": "prior"}),
    "presence": ("bernoulli", "bayes", Prior(0.5), {}),
    "presence of frequencies": ("bernoulli", "ml", Prior(1.0), {}),
    "presence with a slot": ("bernoulli", "bayes", Prior(0.5), {"unknown": "prior"}),
    "presence with own priors": ("bernoulli", "bayes", OWN, {"class_prior": "uniform"}),
}


def fits(counts, shares):
    return chi_square.fits(counts, shares, MOST)


def drawn_from(case, size=SIZE, seed=0):
    event, estimate, prior, settings = CASES[case]
    readings = Readings(event, estimate, prior, **settings)
    return sample_texts(model_of(ROWS, readings=readings), size, np.random.default_rng(seed))


def shares_of(case):
    """{(label, words): probability} of every document that can be, by the definition of the reading."""
    event, estimate, prior, settings = CASES[case]
    rows = [(text.split(), label, 1) for text, label in ROWS]
    class_prior, slot = settings.get("class_prior", "ml"), settings.get("unknown") == "prior"
    definition = Definition(rows, prior, estimate, class_prior, unknown=slot)
    name = {None: "<unk>"}
    shares = {}
    for label in LABELS:
        lengths = Counter(len(text.split()) for text, given in ROWS if given == label)
        if event == "bernoulli":
            some = (combinations(definition.slots, n) for n in range(len(definition.slots) + 1))
            documents = [(words, 1.0) for words in chain.from_iterable(some)]
        else:
            documents = [
                (words, documents / lengths.total())
                for length, documents in lengths.items()
                for words in product(definition.slots, repeat=length)
            ]
        for words, share in documents:
            p = share * math.exp(getattr(definition, event)([w or "another" for w in words], label))
            shares[label, " ".join(name.get(word, word) for word in words)] = p
    return shares


def as_the_definition_says(case):
    places, columns = drawn_from(case)
    found = Counter(zip([LABELS[k] for k in places], columns["text"], strict=True))
    shares = shares_of(case)
    possible = set(found) <= set(shares)
    return possible and fits([found[document] for document in shares], list(shares.values()))


@pytest.mark.parametrize("case", CASES)
def test_every_document_comes_as_often_as_it_should(case):
    assert as_the_definition_says(case)


def without_unseen(original):
    def broken(weights, readings, k):
        mass = original(weights, readings, k)
        reading = weights.reading
        seen = np.zeros(len(mass), bool)
        seen[reading.pair_term[(reading.pair_class == k) & (reading.documents > 0)]] = True
        return np.where(seen, mass, 0.0)

    return broken


def as_good_as_certain(original):
    """Words of like probability are drawn with that of the likeliest, and not thinned."""

    def broken(phi, size, rng):
        exponents = np.frexp(phi)[1]
        return original(np.array([phi[exponents == e].max() for e in exponents]), size, rng)

    return broken


PLANTED = {
    "words the class has never had are left out": ("bayes", "word_mass", without_unseen),
    "so are absent ones of the Bernoulli": ("presence", "presence", without_unseen),
    "lengths are another class's": ("bayes", "draw_lengths", lambda f: lambda c, k, n, rng: f(c, 1 - k, n, rng)),
    "classes are equally frequent": ("bayes", "_log_prior", lambda f: lambda model: np.log([0.5, 0.5])),
    "the urn is not refilled": ("urn", "draw_words", lambda f: lambda m, n, rng, urn: f(m, n, rng, urn=False)),
    "an urn for every estimate": ("bayes", "draw_words", lambda f: lambda m, n, rng, urn: f(m, n, rng, urn=True)),
    "the slot has no mass": (
        "one slot", "word_mass", lambda f: lambda w, r, k: np.append(f(w, r, k)[:-1], 0.0),
    ),
    "presences are not thinned": ("presence", "draw_presences", as_good_as_certain),
}  # fmt: skip


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bugs_are_caught(bug, monkeypatch):
    case, name, breaks = PLANTED[bug]
    module = sampling if name == "_log_prior" else words_sampling
    monkeypatch.setattr(module, name, breaks(getattr(module, name)))
    assert not as_the_definition_says(case)


def test_a_real_model_draws_its_words_lengths_and_classes():
    texts, labels = dataset("sms_spam")
    rows = list(zip(texts, labels, strict=True))
    model = model_of(rows, readings=Readings(prior=Prior(0.1)))
    places, columns = sample_texts(model, 20_000, np.random.default_rng(1))
    shares = np.array([labels.count(label) for label in model.labels]) / len(labels)
    assert fits(np.bincount(places), shares)
    words = [(Analyzer().features_of(text), label, 1) for text, label in rows]
    definition = Definition(words, Prior(0.1))
    drawn = [text.split() for text in columns["text"]]
    for k, label in enumerate(model.labels):
        lengths = Counter(len(each) for each, _, _ in (row for row in words if row[1] == label))
        mine = [each for each, place in zip(drawn, places, strict=True) if place == k]
        found = Counter(map(len, mine))
        assert fits([found[n] for n in lengths], [n / lengths.total() for n in lengths.values()])
        theta, found = definition.theta(label), Counter(chain.from_iterable(mine))
        assert fits([found[word] for word in theta], list(theta.values()))


def test_a_real_model_draws_presences_of_its_words():
    texts, labels = dataset("sms_spam")
    rows = list(zip(texts, labels, strict=True))
    model = model_of(rows, readings=Readings("bernoulli", prior=Prior(0.1)))
    _, columns = sample_texts(model, 20_000, np.random.default_rng(1), label="ham")
    definition = Definition([(Analyzer().features_of(text), label, 1) for text, label in rows], Prior(0.1))
    phi = definition.phi("ham")
    found = Counter(chain.from_iterable(text.split() for text in columns["text"]))
    assert all(len(set(text.split())) == len(text.split()) for text in columns["text"])
    # words are independent: their squared distances add up to a chi-square
    p, n = np.array(list(phi.values())), np.array([found[word] for word in phi])
    often = 20_000 * p > 8
    square = (n - 20_000 * p)[often] ** 2 / (20_000 * p * (1 - p))[often]
    assert chi2.sf(square.sum(), often.sum()) > MOST
    rare = 20_000 * p[~often].sum()
    assert abs(n[~often].sum() - rare) < 7 * math.sqrt(rare)


@pytest.mark.parametrize("case", CASES)
def test_the_same_seed_draws_the_same(case):
    once, again, other = (drawn_from(case, 200, seed) for seed in (3, 3, 4))
    assert once[0].tolist() == again[0].tolist() and once[1] == again[1]
    assert once[1] != other[1]


def test_classes_of_several_components_draw_from_each():
    rows = [("a a", "p (1)")] * 3 + [("b", "p (2)")] * 1 + [("c", "q")] * 4
    readings = Readings(prior=Prior(0.001), components={"p (1)": "p", "p (2)": "p"})
    model = model_of(rows, readings=readings)
    places, columns = sample_texts(model, 20_000, np.random.default_rng(0))
    assert model.labels == ("p", "q")
    assert fits(np.bincount(places), [0.5, 0.5])
    _, columns = sample_texts(model, 20_000, np.random.default_rng(0), label="p")
    assert fits(np.bincount([len(text.split()) == 1 for text in columns["text"]]), [0.75, 0.25])


def test_fields_and_characters_are_put_together_again():
    model = model_of([("good phone", "yes"), ("bad", "no")])
    fields = replace(model, analyzer=replace(model.analyzer, fields=("good", "b")))
    assert set(sample_texts(fields, 5, np.random.default_rng(0))[1]) == {"text", "good", "b"}
    letters = model_of([("abc", "x")], Analyzer(features="chars_across"), Readings(estimate="ml"))
    _, columns = sample_texts(letters, 50, np.random.default_rng(0))
    assert {len(text) for text in columns["text"]} == {3} and set("".join(columns["text"])) == set("abc")


def test_the_estimator_draws_texts_and_labels():
    estimator = TextClassifier(alpha=0.5, calibrate=False).fit(["free entry", "see you", "lunch"], [1, 0, 0])
    texts, labels = estimator.sample(500, 0)
    assert labels.dtype.kind == "i" and set(labels.tolist()) == {0, 1} and len(texts) == 500
    assert set(" ".join(texts).split()) == {"free", "entry", "see", "you", "lunch"}
    assert estimator.sample(5, 0, label=1)[1].tolist() == [1] * 5
    assert estimator.sample(0)[0] == []


def test_what_cannot_be_drawn_is_said():
    rng = np.random.default_rng(0)
    with pytest.raises(EstimateError, match="discriminant"):
        sample_texts(model_of(ROWS, readings=Readings("complement")), 3, rng)
    with pytest.raises(DataError, match="n-grams of 1 to 2"):
        sample_texts(model_of(ROWS, Analyzer(ngrams=(1, 2))), 3, rng)
    with pytest.raises(DataError, match="no class 'z'; the model's are x, y"):
        sample_texts(model_of(ROWS), 3, rng, label="z")


@pytest.mark.parametrize("p", [1e-300, 5e-324, 0.5, 1.0])
def test_successes_at_the_edges(p):
    found = bernoulli._successes(1_000, p, np.random.default_rng(0))
    assert len(found) == {0.5: len(found), 1.0: 1_000}.get(p, 0) and (np.diff(found) > 0).all()
