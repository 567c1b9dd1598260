"""Classifying, measuring, explaining and looking."""

import csv
import gzip
import io
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.naive_bayes import MultinomialNB

from priori.data import ReadOptions, read
from priori.model.classifier import Model


@pytest.fixture
def posterior(mail):
    """What the library says, (n, K)."""
    model = Model.load("mail.priori")
    return np.concatenate([model.posterior(batch) for batch in read("mail.csv", ReadOptions())])


def test_rows_are_those_of_the_library_in_order(priori, posterior):
    rows = priori("classify", "mail.priori", "mail.csv", "--keep", "id").lines
    assert [row["id"] for row in rows] == [str(i) for i in range(1, 7)]
    for row, expected in zip(rows, posterior, strict=True):
        assert list(row) == ["id", "label", "probability", "probabilities"]
        assert row["probabilities"] == dict(zip(("ham", "spam"), expected.tolist(), strict=True))
        assert row["probability"] == expected.max() == row["probabilities"][row["label"]]


def test_labels_are_not_needed_and_kept_ones_are_told_apart(priori, mail):
    (mail / "new.csv").write_text("text\nfree phone\n\nzzz\n", encoding="utf-8")
    rows = priori("classify", "mail.priori", "new.csv").lines
    assert rows[0]["label"] == "spam"
    plain = priori("classify", "mail.priori", "new.csv", "--calibrate", "no").lines
    assert plain[1]["probability"] == pytest.approx(0.5)  # unseen words only: the prior
    kept = priori("classify", "mail.priori", "mail.csv", "--keep", "label").lines
    assert [row["source_label"] for row in kept[:3]] == ["spam", "spam", "ham"]
    assert priori("classify", "mail.priori", "mail.csv", "--keep", "id", "--keep", "id").code == 2


def test_top_keeps_the_most_probable(priori, mail):
    for row in priori("classify", "mail.priori", "mail.csv", "--top", 1).lines:
        assert row["probabilities"] == {row["label"]: row["probability"]}
    full = priori("classify", "mail.priori", "mail.csv", "--top", 9).lines
    assert all(next(iter(row["probabilities"].values())) == row["probability"] for row in full)


def test_messages_and_stdin(priori, mail):
    first, second = priori("classify", "mail.priori", "--message", "free phone", "--message", "lunch?").lines
    assert (first["label"], second["label"]) == ("spam", "ham")
    assert priori("classify", "mail.priori", "--message", "-", stdin="free phone").lines == [first]
    assert priori("classify", "mail.priori", "-", stdin="text\nfree phone\n").lines == [first]
    assert priori("classify", "mail.priori", "--message", "", stdin="").code == 0


def test_tables_hold_what_the_lines_do(priori, mail):
    lines = priori("classify", "mail.priori", "mail.csv", "--keep", "id", "--keep", "text").lines
    for name in ("out.parquet", "out.csv", "out.csv.gz", "out.tsv", "out.jsonl", "out.jsonl.gz"):
        ran = priori("classify", "mail.priori", "mail.csv", "--keep", "id", "--keep", "text", "-o", name)
        assert (ran.code, ran.out) == (0, ""), ran.err
    table = pq.read_table("out.parquet").to_pylist()
    raw = (mail / "out.csv").read_bytes()
    assert gzip.decompress((mail / "out.csv.gz").read_bytes()) == raw
    by_comma = list(csv.DictReader(io.StringIO(raw.decode())))
    by_tab = list(csv.DictReader((mail / "out.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    for line, row, comma, tab in zip(lines, table, by_comma, by_tab, strict=True):
        flat = {**line, **{f"p({label})": p for label, p in line["probabilities"].items()}}
        del flat["probabilities"]
        assert row == flat and comma == tab
        assert {name: str(value) for name, value in flat.items()} == comma
    assert [json.loads(line) for line in (mail / "out.jsonl").read_text(encoding="utf-8").splitlines()] == lines
    assert gzip.decompress((mail / "out.jsonl.gz").read_bytes()) == (mail / "out.jsonl").read_bytes()
    priori("classify", "mail.priori", "mail.csv", "--top", 2, "-o", "top.parquet")
    assert pq.read_table("top.parquet").column_names == ["label", "probability", "label_2", "probability_2"]


def test_tables_of_no_rows_have_their_columns(priori, mail):
    (mail / "none.csv").write_text("text,id\n", encoding="utf-8")
    for name in ("o.parquet", "o.csv"):
        assert priori("classify", "mail.priori", "none.csv", "--keep", "id", "-o", name).code == 0
    columns = ["id", "label", "probability", "p(ham)", "p(spam)"]
    assert pq.read_table("o.parquet").column_names == columns
    assert (mail / "o.csv").read_text(encoding="utf-8").splitlines() == [",".join(columns)]


def test_evaluation_is_scikit_learns(priori, mail):
    plain = ("--alpha", 1, "--calibrate", "no")
    found = priori("evaluate", "mail.priori", "mail.csv", *plain, "--json").json
    rows = list(csv.DictReader((mail / "mail.csv").read_text(encoding="utf-8").splitlines()))
    texts, truth = [row["text"] for row in rows], [row["label"] for row in rows]
    counted = CountVectorizer(token_pattern=r"\w+").fit_transform(texts)
    peer = MultinomialNB(alpha=1.0).fit(counted, truth)
    expected = peer.predict(counted)
    assert found["n"] == 6 and found["labels"] == ["ham", "spam"]
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, expected))
    assert found["macro_f1"] == pytest.approx(f1_score(truth, expected, average="macro"))
    assert found["log_loss"] == pytest.approx(log_loss(truth, peer.predict_proba(counted)), rel=1e-12)
    assert {"brier", "ece", "ece_floor", "confusion"} <= set(found)
    plain = priori("evaluate", "mail.priori", "mail.csv")
    assert "accuracy" in plain.out and "Confusion" in plain.out and "\x1b" not in plain.out


def test_impossible_labels_make_the_loss_null_and_say_so(priori, mail):
    (mail / "odd.csv").write_text("text,label\nfree,french\nfree,\n", encoding="utf-8")
    ran = priori("evaluate", "mail.priori", "odd.csv", "--json")
    assert ran.json["log_loss"] is None and "french" in ran.err and "1 row without a label" in ran.err


def test_tiny_probabilities_have_a_finite_loss(priori, mail):
    words = " ".join(["lunch"] * 3000)
    (mail / "long.csv").write_text(f"text,label\n{words},spam\n", encoding="utf-8")
    ran = priori("evaluate", "mail.priori", "long.csv", "--calibrate", "no", "--json")
    assert ran.json["log_loss"] > 745  # beyond the smallest float: exp(-745) is 0


def test_contributions_add_up_to_the_log_odds(priori, mail):
    for event in ("multinomial", "bernoulli"):
        found = priori("explain", "mail.priori", "free lunch, call now", "--event", event, "--json").json
        row = priori("classify", "mail.priori", "--message", "free lunch, call now", "--event", event).lines[0]
        shares = row["probabilities"]
        odds = math.log(shares[found["label"]] / shares[found["against"]])
        assert math.fsum(part["log_odds"] for part in found["contributions"]) == found["log_odds"]
        assert found["log_odds"] == pytest.approx(odds, rel=1e-9)
        assert found["probability"] == shares[found["label"]]


def test_an_explanation_in_words(priori, mail):
    text = "free win call now entry phone lunch"
    ran = priori("explain", "mail.priori", text, "--label", "ham", "--against", "spam", "--top", 2)
    lines = ran.out.splitlines()
    assert lines[0].startswith("ham (") and "against spam" in lines[0]
    shown = [float(line.split()[-1]) for line in lines[2:-1]]
    assert "more)" in ran.out and "(calibration)" in ran.out and len(shown) == 5
    assert sum(shown[:-1]) == pytest.approx(shown[-1], abs=3e-4)
    by_row = priori("explain", "mail.priori", "--source", "mail.csv", "--row", 2, "--json").json
    assert by_row == priori("explain", "mail.priori", "see you at lunch", "--json").json
    assert priori("explain", "mail.priori", "--source", "mail.csv", "--row", 6).code == 1
    assert priori("explain", "mail.priori", "-", "--json", stdin="see you at lunch").json == by_row
    assert priori("explain", "mail.priori").code == 2


def test_pictures(priori, mail):
    for command in (
        ["evaluate", "mail.priori", "mail.csv", "--plot", "e.svg"],
        ["explain", "mail.priori", "free lunch", "--plot", "x.png"],
        ["inspect", "mail.priori", "--graph", "g.svg"],
    ):
        assert priori(*command).code == 0
        assert (mail / command[-1]).stat().st_size > 1000
    assert priori("evaluate", "mail.priori", "mail.csv", "--plot", "e.doc").code == 1


def test_inspect_shows_what_was_learned(priori, mail):
    found = priori("inspect", "mail.priori", "--json").json
    assert found["documents"] == 6 and found["sample"] == 6
    assert [(row["label"], row["documents"], row["features"]) for row in found["classes"]] == [
        ("ham", 3, 12),
        ("spam", 3, 13),
    ]
    assert sum(row["prior"] for row in found["classes"]) == pytest.approx(1)
    assert "free" in [term["term"] for row in found["classes"] for term in row["top"]]
    parts = found["log_likelihood"]
    assert parts["label"] == pytest.approx(6 * math.log(0.5))
    assert parts["total"] == parts["label"] + parts["feature"]
    plain = priori("inspect", "mail.priori").out
    assert "log-likelihood" in plain and "lower-cased" in plain
    drawing = priori("inspect", "mail.priori", "--graph").out.splitlines()
    assert any("6 documents" in line for line in drawing)
    widths = {len(line) for line in drawing if line[1] in "┌│└"}
    assert len(widths) == 1


def test_terms_and_tokens(priori, mail):
    for by in ("mi", "mi-words", "log-odds", "count"):
        rows = priori("terms", "mail.priori", "--by", by, "-n", 3, "--json").json
        scores = [row["score"] for row in rows if row["label"] == rows[0]["label"] or by != "log-odds"]
        assert scores == sorted(scores, reverse=True) and rows
    assert priori("terms", "mail.priori", "--label", "spam").out.splitlines()[0].split()[0] == "term"
    assert priori("tokens", "Free ENTRY", "--ngrams", "1-2").out.split("\n") == ["free", "entry", "free entry", ""]
    assert priori("tokens", "-", "--json", "--no-lowercase", stdin="Ça va").json == ["Ça", "va"]
    assert priori("tokens", "Free entry", "--model", "mail.priori", "--json").json == ["free", "entry"]
    assert priori("tokens", "Free", "--model", "mail.priori", "--binary").code == 2


def test_the_demonstration(priori, mail):
    found = priori("demo", "--json").json
    assert found["evaluation"]["accuracy"] > 0.96
    assert found["trained_on"] + found["evaluation"]["n"] == 5574
    assert (mail / "priori-demo.svg").stat().st_size > 10_000
    plain = priori("demo", "-o", "d.svg")
    assert plain.code == 0 and "accuracy" in plain.out and "Why" in plain.out


def test_equal_messages_of_the_demonstration_stay_on_one_side():
    from priori.data.samples import is_held_out

    texts = [f"message {i}" for i in range(2000)]
    held_out = [is_held_out(text) for text in texts]
    assert held_out == [is_held_out(text) for text in texts]
    assert 300 < sum(held_out) < 500
