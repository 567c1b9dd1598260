"""Damages the file of a real model and uses each result: `python hostile_models.py SEED COUNT FOLDER`.

It needs tests/store on its path. A process of its own, so that a crash is seen as one. Checksums are repaired, so that
the damage reaches the contents.
Each file must be refused, or work: probabilities that are numbers and sum to one, or an error of ours.
"""

import json
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from damage import join, mangle, split

from priori.classifier import Model
from priori.errors import ModelFileError, PrioriError
from priori.explain import explain
from priori.readings import Prior, Readings
from priori.sources import read_objects
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


def use(path):
    """Load, predict, explain, learn, forget, save."""
    try:
        model = Model.load(path)
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    try:
        for event in ("multinomial", "bernoulli", "complement"):
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
    except PrioriError as error:
        assert "\n" not in str(error)
        return "refused in use"
    return "works"


def main(seed, number, folder):
    path = folder / "hostile.priori"
    intact = []
    for model in models():
        model.save(path)
        assert use(path) in ("works", "refused in use")
        intact.append(path.read_bytes())
    tally = Counter()
    for attempt in range(number):
        rng = random.Random(seed * 1_000_003 + attempt)
        path.write_bytes(damaged(rng.choice(intact), rng))
        try:
            tally[use(path)] += 1
        except BaseException:
            print(f"attempt {attempt} of seed {seed}", file=sys.stderr)
            raise
    print(json.dumps(tally))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
