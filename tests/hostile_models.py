"""Damages the file of a real model and uses each result: `python hostile_models.py SEED COUNT FOLDER`.

It needs tests/store on its path. A process of its own, so that a crash is seen as one. Checksums are repaired, so that
the damage reaches the contents.
Each file must be refused, or work: probabilities that are numbers and sum to one, or an error of ours.
Some damage is such that only a language model can notice: an n-gram lacks a shorter one, or is seen more often than it.
"""

import json
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from damage import join, mangle, split

from priori import LanguageModel, TextClassifier, load, store
from priori.columns.words.readings import Prior, Readings
from priori.data import read_objects
from priori.errors import ModelFileError, PrioriError
from priori.model.classifier import Model
from priori.model.explanation import explain
from priori.store.table_types import Lists, Table, Texts
from priori.text import Analyzer

TEXTS = ["amazing battery, amazing price", "awful and way too expensive", "", "unheard of", "and and and"]
LABELS = ["+", "-", "+", "-", "?"]
READINGS = [
    Readings(),
    Readings("bernoulli", "ml"),
    Readings("complement", prior=Prior(0.5, {"amazing": 2.0}, {"+": {"awful": 0.1}})),
    Readings("multinomial", "integrated", class_prior={"+": 0.5, "-": 0.3, "?": 0.2}, unknown="prior"),
    Readings("multinomial", "map", Prior(1.5), 2.0),
    Readings.automatic(),
    Readings("auto", "bayes", Prior("auto", {"amazing": 2.0}), "uniform", calibrate="monotone"),
    Readings("bernoulli", prior=Prior("evidence"), calibrate=True),
]
BATCH = next(read_objects(TEXTS))
NUMBERS = [0, 1, -1, 2, 20, 64, 2**31, 2**62, -(2**63), 0.5, -0.5, 1e308, 1e-308, True, None, "", "ml", "str", [], {}]
SMOOTHINGS = ["kneser-ney", "absolute", "dirichlet:0", "dirichlet:1e308", "jelinek-mercer:0", "jelinek-mercer:1", "ml"]
SPOKEN = [
    "x" + "é" * 30 + " b",
    "eb",
    *TEXTS,
    "ça ira à l'été déjà passé de là à là-bas",
    "amazing and awful amazing and way too",
]


def models():
    """Plain models, some without documents, with weights, with a vocabulary, of stems, pruned, with a note."""
    plain = [Model.train(read_objects(TEXTS, LABELS), Analyzer(), reading) for reading in READINGS]
    weighted = Model.train(
        read_objects(TEXTS, LABELS, [0.5, 1, 2, 1, 1]), Analyzer(ngrams=(1, 2)), Readings(), weighted=True
    )
    given = Model.train(read_objects(TEXTS, LABELS), Analyzer(vocabulary=("amazing", "and", "zebra")), Readings())
    words = Analyzer(stem="english", ngrams=(1, 2)).with_stop_words(["and", "don't"])
    stemmed = Model.train(read_objects(TEXTS, LABELS), words, Readings())
    halves = Model.train(read_objects(TEXTS, LABELS, [0.5] * 5), words, Readings(), weighted=True)
    bare = [model.without_sample() for model in plain[-3:]]
    return [
        *plain,
        *bare,
        weighted,
        given,
        stemmed,
        halves,
        plain[0].pruned(3),
        replace(plain[0], provenance={"note": "a"}),
    ]


def language_models():
    """Of words and of characters, by class and of one, with every way to smooth."""
    labels = ["+", "-", *LABELS, "+", "-"]
    by_class = [
        TextClassifier(event="language", ngrams=(1, 3)),
        TextClassifier(
            event="language", features="chars_across", ngrams=(1, 2), smoothing="dirichlet", unknown="prior"
        ),
        TextClassifier(event="language", ngrams=(1, 2), smoothing="jelinek-mercer:0.3", calibrate=False),
    ]
    of_one = [
        LanguageModel(order=3),
        LanguageModel(order=1, smoothing="dirichlet:2"),
        LanguageModel(order=4, features="chars", smoothing="absolute", unknown="ignore"),
        LanguageModel(order=2, smoothing="ml"),
    ]
    return [
        *(classifier.fit(SPOKEN, labels).model_ for classifier in by_class),
        *(model.fit(SPOKEN).model_ for model in of_one),
    ]


def altered(value, rng):
    """A JSON value with one of its leaves, keys or members replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: altered(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        index = rng.randrange(len(value))
        return [*value[:index], altered(value[index], rng), *value[index + 1 :]]
    return rng.choice(NUMBERS)


def damaged(data, rng):
    """The file with one section changed, in bytes or in meaning, and every checksum repaired."""
    entries, sections = split(data)
    which = rng.randrange(len(entries))
    section = sections[which]
    if entries[which]["kind"] == "json" and rng.random() < 0.9:
        value = altered(json.loads(section), rng)
        section = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    else:
        for _ in range(rng.choice([1, 1, 2])):
            section = mangle(section, rng)
    sections[which] = section
    return join(entries, sections)


def misspelled(path, rng):
    """Writes a file anew, right as a container, with other letters in its terms or with two counts exchanged."""
    sections = dict(store.read(path))
    terms = sections["terms"]
    spelled, pairs = terms["term"], terms["pairs"]
    letters, counts = spelled.data.copy(), pairs.items["occurrences"].copy()
    if rng.random() < 0.6:
        letters[rng.choice(np.flatnonzero(letters < 128))] = rng.choice(b"aemz <\x02")
    else:
        one, other = rng.randrange(len(counts)), rng.randrange(len(counts))
        counts[[one, other]] = counts[[other, one]]
    items = {column.name: pairs.items[column.name] for column in pairs.items.schema} | {"occurrences": counts}
    columns = {"term": Texts(spelled.offsets, letters), "pairs": Lists(pairs.offsets, Table(pairs.items.schema, items))}
    store.write(path, sections | {"terms": Table(terms.schema, columns)})


def resmoothed(path, rng):
    """Writes a file anew with another smoothing, whether it goes with the other settings or not."""
    sections = dict(store.read(path))
    reading = sections["readings"]["reading"] | {"event": "language", "smoothing": rng.choice(SMOOTHINGS)}
    store.write(path, sections | {"readings": sections["readings"] | {"reading": reading}})


def speak(model, folder):
    """Score, surprise, continue, draw, prune and write."""
    for spoken in (model, model.pruned(2)):
        assert not np.isnan(spoken.log_prob(SPOKEN)).any()
        assert not any(np.isnan(token.bits) for token in spoken.surprisal(SPOKEN[0]))
        following = list(spoken.next("amazing").values())
        assert not np.isnan(following).any()
        assert sum(following) < 1 + 1e-9
        spoken.sample(2, longest=20)
        spoken.to_arpa(folder / "again.arpa")
    model.learn(SPOKEN).forget(SPOKEN).perplexity(SPOKEN)


def use(path):
    """Load, predict, explain, learn, forget, save."""
    try:
        model = Model.load(path)
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    try:
        language = model.readings.event == "language"
        for event in ("language",) if language else ("multinomial", "bernoulli", "complement"):
            read = model.read_as(replace(model.readings, event=event)) if event != model.readings.event else model
            posterior = read.posterior(BATCH)
            assert not np.isnan(posterior).any()
            assert np.abs(posterior.sum(axis=1) - 1).max() < 1e-9
            assert not np.isnan(read.log_joint(BATCH)).any()
            assert not np.isnan(read.log_posterior(BATCH)).any()
            if len(model.labels) > 1:
                explain(read, next(read_objects([TEXTS[0]])))
        more = model.learn(read_objects(TEXTS, LABELS)).forget(read_objects(TEXTS, LABELS))
        more.posterior(BATCH)
        more.save(path.with_name("again.priori"))
        if language and isinstance(estimator := load(path), LanguageModel):
            speak(estimator, path.parent)
    except PrioriError as error:
        assert "\n" not in str(error)
        return "refused in use"
    return "works"


def main(seed, number, folder):
    path = folder / "hostile.priori"
    intact = []
    for model in [*models(), *language_models()]:
        model.save(path)
        assert use(path) in ("works", "refused in use")
        intact.append(path.read_bytes())
    tally = Counter()
    for attempt in range(number):
        rng = random.Random(seed * 1_000_003 + attempt)
        data = rng.choice(intact)
        deeper = rng.choice([None, None, None, None, misspelled, resmoothed])
        path.write_bytes(data if deeper else damaged(data, rng))
        if deeper:
            deeper(path, rng)
        try:
            tally[use(path)] += 1
        except BaseException:
            print(f"attempt {attempt} of seed {seed}", file=sys.stderr)
            raise
    print(json.dumps(tally))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
