"""Decisions on the command line: those of the library, in every kind of output."""

import csv
import gzip
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from priori import load
from priori.decisions import decide, reweighted
from priori.model.classifier import Model
from priori.model.decision_rule import posterior_prior
from priori.model.evaluation import kept_of

LABELS = ("ham", "spam")
LOSS = 'reject = 0.3\n[spam]\nham = 10\n["put aside"]\nham = 0.2\nspam = 0.4\n'
COSTS = {"spam": {"ham": 10}, "put aside": {"ham": 0.2, "spam": 0.4}}


def messages(n, seed, spam=0.4):
    rng = np.random.default_rng(seed)
    lean = np.random.default_rng(1).dirichlet(np.ones(80), 2)
    truth = (rng.random(n) < spam).astype(int)
    return [
        (" ".join(f"w{w}" for w in rng.choice(80, 8, p=lean[k])), LABELS[k], f"g{i % 9}") for i, k in enumerate(truth)
    ]


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label", "decision"), *rows])


@pytest.fixture
def spam(priori, tmp_path):
    write(tmp_path / "old.csv", messages(300, 0))
    write(tmp_path / "new.csv", messages(90, 5, spam=0.85))
    (tmp_path / "loss.toml").write_text(LOSS, encoding="utf-8")
    assert priori("train", "old.csv", "-o", "spam.priori").code == 0
    return load("spam.priori")


def read_delimited(name):
    raw = Path(name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if ".tsv" in name else ","))


def texts_of(path):
    return [row["text"] for row in read_delimited(path)]


def test_rows_say_what_to_do_and_what_it_costs(priori, spam):
    rows = priori("classify", "spam.priori", "new.csv", "--loss", "loss.toml").lines
    posterior = spam.predict_proba(texts_of("new.csv"))
    wanted = decide(posterior, COSTS, 0.3, labels=LABELS)
    assert {"reject", "put aside", "ham", "spam"} >= {row["decision"] for row in rows} >= {"put aside", "ham"}
    for row, p, action, cost in zip(rows, posterior.tolist(), wanted.actions, wanted.expected_loss, strict=True):
        assert list(row) == ["label", "probability", "decision", "expected_loss", "probabilities"]
        assert row["decision"] == action and row["expected_loss"] == pytest.approx(cost)
        if action in LABELS:
            assert (row["label"], row["probability"]) == (action, p[LABELS.index(action)])
        else:
            assert row["label"] is None and row["probability"] is None


def test_without_these_options_nothing_changes(priori, spam):
    plain = priori("classify", "spam.priori", "new.csv")
    assert list(plain.lines[0]) == ["label", "probability", "probabilities"]
    assert plain.err == ""


def test_the_threshold_is_kept_and_told(priori, spam):
    ran = priori("classify", "spam.priori", "new.csv", "--max-false-positive", "0.05")
    found = kept_of(Model.load("spam.priori")).threshold("spam", "false positives", 0.05)
    assert f"spam above {found.value:.4f}: at most 5 % of the others, with 95 % confidence, from " in ran.err
    assert f"from {found.n:,} documents left out" in ran.err
    for row in ran.lines:
        above = row["probabilities"]["spam"] > found.value
        assert row["decision"] == row["label"] == ("spam" if above else "ham")
        assert "expected_loss" not in row
    ham = priori("classify", "spam.priori", "new.csv", "--max-false-positive", "0.05", "--positive", "ham")
    assert "ham above" in ham.err
    assert priori("classify", "spam.priori", "new.csv", "--max-false-positive", "0.05", "-q").err == ""
    assert "at least 60 % is spam" in priori("classify", "spam.priori", "new.csv", "--min-precision", "0.6").err


def test_a_class_mix_that_is_known_or_estimated(priori, spam):
    posterior, old = spam.predict_proba(texts_of("new.csv")), posterior_prior(spam.model_)
    rows = priori("classify", "spam.priori", "new.csv", "--shift", "ham=0.1,spam=0.9").lines
    shifted = reweighted(posterior, old, [0.1, 0.9])
    assert np.array([list(row["probabilities"].values()) for row in rows]) == pytest.approx(shifted)
    assert [row["label"] for row in rows] == [LABELS[k] for k in shifted.argmax(axis=1)]
    assert "decision" not in rows[0]
    estimate = spam.decide(texts_of("new.csv"), class_prior="estimate").prior
    ran = priori("classify", "spam.priori", "new.csv", "--shift", "estimate")
    assert f"spam {estimate.prior[1]:.1%}" in ran.err
    stdin = Path("new.csv").read_text(encoding="utf-8")
    assert priori("classify", "spam.priori", "-", "--shift", "estimate", stdin=stdin).out == ran.out


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.jsonl", "out.parquet"])
def test_tables_have_the_same_columns(priori, spam, name):
    options = ["--loss", "loss.toml", "--keep", "decision"]
    lines = priori("classify", "spam.priori", "new.csv", *options).lines
    assert priori("classify", "spam.priori", "new.csv", *options, "-o", name).code == 0
    if name == "out.parquet":
        found = pq.read_table(name).to_pylist()
    elif name == "out.jsonl":
        assert [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()] == lines
        return
    else:
        found = read_delimited(name)
    assert list(found[0]) == [
        "source_decision", "label", "probability", "decision", "expected_loss", "p(ham)", "p(spam)",
    ]  # fmt: skip
    for row, line in zip(found, lines, strict=True):
        assert (row["label"] or None, row["decision"]) == (line["label"], line["decision"])
        assert (float(row["probability"]) if row["probability"] else None) == line["probability"]
        assert float(row["expected_loss"]) == line["expected_loss"]
        assert float(row["p(spam)"]) == line["probabilities"]["spam"]


def test_the_most_probable_class_has_a_column_beside_the_decided_one(priori, spam):
    priori("classify", "spam.priori", "new.csv", "--reject", "0.2", "--top", "1", "-o", "out.csv")
    for row in read_delimited("out.csv"):
        assert list(row) == ["label", "probability", "decision", "expected_loss", "label_1", "probability_1"]
        assert row["decision"] == (row["label_1"] if float(row["probability_1"]) >= 0.8 else "reject")


def test_an_empty_source_gives_an_empty_table(priori, spam, tmp_path):
    (tmp_path / "none.csv").write_text("text\n", encoding="utf-8")
    for name in ("none.parquet", "none2.csv"):
        assert priori("classify", "spam.priori", "none.csv", "--reject", "0.2", "-o", name).code == 0
    assert pq.read_table("none.parquet").column_names[:4] == ["label", "probability", "decision", "expected_loss"]


def test_a_person_sees_the_decision(priori, spam, monkeypatch):
    monkeypatch.setattr("priori.cli.commands.classify.is_terminal", lambda: True)
    out = priori("classify", "spam.priori", "--message", "w1 w2", "--reject", "0").out
    assert "decision: reject, expected loss 0" in out
    assert "decision" not in priori("classify", "spam.priori", "--message", "w1 w2").out


def test_tables_are_decided_too(priori, adult):
    label = load("m.priori").classes_[1]
    ran = priori("classify", "m.priori", "adult.csv", "--max-false-positive", "0.5", "--confidence", "0.5")
    assert f"{label} above" in ran.err and "rows left out" in ran.err
    assert {row["decision"] for row in ran.lines} <= set(map(str, load("m.priori").classes_))


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["--max-false-positive", "0"], 2, "above 0"),
        (["--max-false-positive", "0.00001"], 1, "cannot promise at most 0.001 % of"),
        (["--max-false-positive", "0.1", "--min-precision", "0.9"], 2, "one promise"),
        (["--max-false-positive", "0.1", "--positive", "eggs"], 1, "'eggs' is no class"),
        (["--positive", "spam"], 2, "--positive is about a promise"),
        (["--min-precision", "0.9", "--shift", "uniform"], 2, "and --shift (class_prior=) is another; ask for --max"),
        (["--reject", "-0.5"], 1, "the cost of 'reject' is -0.5"),
        (["--confidence", "0.9", "--reject", "0.1"], 2, "--confidence is about a promise"),
        (["--shift", "ham=x"], 2, "none of uniform"),
        (["--shift", "ham=0.5,ham=0.5"], 2, "twice"),
        (["--shift", "ham=0.5,spam=0.6"], 1, "no distribution"),
        (["--reject", "dear"], 2, "no cost"),
        (["--loss", "nowhere.toml"], 1, "nowhere.toml cannot be read: No such file or directory; check the path\n"),
    ],
)
def test_what_cannot_be_is_refused(priori, spam, arguments, code, why):
    ran = priori("classify", "spam.priori", "new.csv", *arguments)
    assert ran.code == code and why in ran.err and ran.out == ""
