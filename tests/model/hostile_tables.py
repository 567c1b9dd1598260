"""Damages files of table models and uses each result: `python hostile_tables.py SEED COUNT FOLDER`.

It needs tests and tests/store on its path. A process of its own, so that a crash is seen as one. Checksums are
repaired, so that the damage reaches the contents. Each file must be refused, or work: probabilities that are numbers
and sum to one, or an error of ours.
"""

import json
import random
import sys
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from hostile_models import altered, damaged
from model.estimators import discriminant, mixed_table, naive_bayes
from priori import store
from priori.columns.rates import PoissonColumn
from priori.errors import ModelFileError, PrioriError
from priori.estimators.loading import table_estimator
from priori.estimators.naive_bayes import NaiveBayes
from priori.families import GammaPoisson
from priori.model.table_classifier import TableModel
from priori.store.table_types import Table, Texts

TABLE, LABELS = mixed_table(40)
NUMBERS = [[1.0, 2.0], [0.5, -1.0], [4.0, 4.0], [3.0, 1.0], [2.0, 2.5], [9.0, 1.0]]


def models():
    """Every kind of statistics and of settings."""
    prior = PoissonColumn(GammaPoisson(1.5, 0.5))
    normal = {"age": "gaussian", "income": "gamma", "visits": prior, "job": None}
    return [
        (naive_bayes().fit(TABLE, LABELS), TABLE),
        (naive_bayes(columns=normal, estimate="map", alpha=1.5, missing="evidence").fit(TABLE, LABELS), TABLE),
        (naive_bayes(columns={("age", "visits"): "gaussian_joint"}, unknown="prior").fit(TABLE, LABELS), TABLE),
        (NaiveBayes(keep_sample=False).fit(TABLE, LABELS).learn(TABLE, LABELS), TABLE),
        (discriminant(covariance="full").fit(NUMBERS, [0, 1, 1, 0, 1, 0]), NUMBERS),
    ]


def altered_sections(path, rng):
    """A file that is right as a container, in which a setting, a number or a text is another."""
    sections = dict(store.read(path))
    name = rng.choice(sorted(sections))
    section = sections[name]
    if isinstance(section, Table):
        columns = {column.name: section[column.name] for column in section.schema}
        column = rng.choice(section.schema)
        columns[column.name] = altered_column(columns[column.name], rng)
        sections[name] = Table(section.schema, columns)
    else:
        sections[name] = altered(section, rng)
    store.write(path, sections)


def altered_column(values, rng):
    if isinstance(values, np.ndarray) and len(values):
        limits = np.iinfo(values.dtype)
        at, number = rng.randrange(len(values)), rng.choice([0, 1, -1, 2, 7, 1000, limits.min, limits.max])
        changed = values.copy()
        changed[at] = number if rng.random() < 0.7 else changed[rng.randrange(len(values))]
        return changed
    if isinstance(values, Texts) and len(values.offsets) > 1:
        data, offsets = values.data.tobytes(), values.offsets.tolist()
        texts = [data[start:end] for start, end in pairwise(offsets)]
        texts[rng.randrange(len(texts))] = rng.choice([b"", b"0", b"-1", b"99999999999", b"true", b"a", b"\x01" * 600])
        if rng.random() < 0.3:
            rng.shuffle(texts)
        return Texts(
            np.cumsum([0, *map(len, texts)], dtype=values.offsets.dtype), np.frombuffer(b"".join(texts), np.uint8)
        )
    return values


def use(path, table):
    """Load, predict, read, learn, forget, save."""
    try:
        estimator = table_estimator(TableModel.load(path))
    except ModelFileError as error:
        assert "\n" not in str(error)
        return "refused"
    try:
        logs = estimator.predict_log_proba(table)
        assert not np.isnan(logs).any()
        assert np.abs(np.exp(logs).sum(axis=1) - 1).max() < 1e-9
        labels = estimator.classes_.tolist() * 40
        size = len(table) if isinstance(table, list) else len(table["age"])
        estimator.learn(table, labels[:size]).forget(table, labels[:size])
        estimator.log_evidence()
        estimator.sample(3, 0)
        estimator.save(path.with_name("again.priori"))
    except PrioriError as error:
        assert "\n" not in str(error)
        return "refused in use"
    return "works"


def main(seed, number, folder):
    path = folder / "hostile.priori"
    warnings.simplefilter("ignore", UserWarning)  # of powers that are stale
    intact = []
    for model, table in models():
        model.save(path)
        assert use(path, table) in ("works", "refused in use")
        intact.append((path.read_bytes(), table))
    tally = Counter()
    warnings.simplefilter("ignore", RuntimeWarning)  # nonsense may overflow, if no NaN comes of it
    for attempt in range(number):
        rng = random.Random(seed * 1_000_003 + attempt)
        data, table = rng.choice(intact)
        try:
            path.write_bytes(data)
            if attempt % 3:
                altered_sections(path, rng)
            else:
                path.write_bytes(damaged(data, rng))
            tally[use(path, table)] += 1
        except BaseException:
            print(f"attempt {attempt} of seed {seed}", file=sys.stderr)
            raise
    print(json.dumps(tally))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
