"""priori cluster: the options of the search are those of the library."""

import csv
import json

import pytest
from test_cluster import table  # noqa: F401  a fixture

from priori.data import read_objects
from priori.latent import Chains, Clustering, Corpus, Recipe, Sampling, Schedule, Seeds
from priori.text import Analyzer


def model_of(folder, run):
    """The bytes of the model."""
    for _ in run:
        pass
    run.found().model.save(folder / "expected.priori")
    return (folder / "expected.priori").read_bytes()


def corpus_of(folder, binary, label=None):
    """The documents of the table."""
    rows = list(csv.DictReader((folder / "t.csv").read_text(encoding="utf-8").splitlines()))
    labels = None if label is None else [row[label] or None for row in rows]
    return Corpus.of(lambda: read_objects([row["text"] for row in rows], labels), Analyzer(binary=binary))


@pytest.mark.parametrize(
    ("option", "label", "recipe"),
    [
        (["--start", "spread"], None, Recipe(start="spread", restarts=3)),
        (["--anneal", "7"], None, Recipe(anneal=7, restarts=3)),
        (["--components", "2"], "some", Recipe(components=2, restarts=3)),
    ],
)
def test_em(priori, table, option, label, recipe):  # noqa: F811
    plain = ["cluster", "t.csv", "--classes", 2, "--restarts", "3", "-o", "m.priori"]
    plain += [] if label is None else ["--label", label]
    assert priori(*plain).code == 0
    without = (table / "m.priori").read_bytes()
    assert priori(*plain, *option).code == 0
    expected = model_of(table, Clustering(corpus_of(table, True, label), 2, recipe=recipe))
    assert (table / "m.priori").read_bytes() == expected != without


def test_components_are_of_every_class(priori, table):  # noqa: F811
    (table / "seeds.json").write_text(json.dumps({"iron": ["metal1"], "pear": ["fruit1", "fruit2"]}), encoding="utf-8")
    ran = priori("cluster", "t.csv", "--seeds", "seeds.json", "--components", 3, "--restarts", 2, "-o", "m.priori")
    assert ran.code == 0
    run = Clustering(
        corpus_of(table, True), seeds=Seeds.of(table / "seeds.json"), recipe=Recipe(components=3, restarts=2)
    )
    assert (table / "m.priori").read_bytes() == model_of(table, run)
    parts = run.found().model.counts.labels
    assert parts == tuple(f"{name} ({part})" for name in ("iron", "pear") for part in (1, 2, 3))


def test_gibbs(priori, table):  # noqa: F811
    how = ["--method", "gibbs", "--burn-in", "4", "--samples", "5", "--thin", "3", "--chains", "2", "-o", "m.priori"]
    found = priori("cluster", "t.csv", "--classes", 2, "--json", *how).json
    assert found["sweeps"] == 4 + 5 * 3
    run = Sampling(corpus_of(table, False), 2, chains=Chains(2, Schedule(4, 5, 3)))
    assert (table / "m.priori").read_bytes() == model_of(table, run)
