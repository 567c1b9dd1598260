"""Classifying, measuring, explaining, looking at and drawing from models of tables."""

import csv
import json
import math

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, log_loss

from adult import ADULT, ADULT_COLUMNS, write
from priori.data import ReadOptions, read_table
from priori.estimators.loading import table_estimator
from priori.model.table_classifier import TableModel


@pytest.fixture
def posterior(adult):
    """What the library says, (n, K)."""
    model = TableModel.load("m.priori")
    _, batches = read_table("adult.csv", ReadOptions(label="income"), model.schema)
    return np.concatenate([model.posterior(batch.table) for batch in batches])


def test_rows_are_those_of_the_library_in_order(priori, posterior):
    rows = priori("classify", "m.priori", "adult.csv", "--keep", "age", "--keep", "income").lines
    assert [(row["age"], row["income"]) for row in rows] == [(str(row[0]), row[-1]) for row in ADULT]
    for row, expected in zip(rows, posterior, strict=True):
        assert row["probabilities"] == dict(zip(("<=50K", ">50K"), expected.tolist(), strict=True))
        assert row["probability"] == row["probabilities"][row["label"]] == expected.max()


def test_tables_to_classify_need_no_labels_and_may_have_other_columns(priori, adult):
    (adult / "new.csv").write_text("id,zip,hours,age,workclass\n7,1,,30,Pirate\n8,,,,\n", encoding="utf-8")
    rows = priori("classify", "m.priori", "new.csv", "--keep", "id").lines
    assert [row["id"] for row in rows] == ["7", "8"]
    assert rows[1]["probabilities"] == {"<=50K": pytest.approx(5 / 9), ">50K": pytest.approx(4 / 9)}  # the prior
    (adult / "less.csv").write_text("age,hours\n30,40\n", encoding="utf-8")
    ran = priori("classify", "m.priori", "less.csv")
    assert ran.code == 1 and "has no columns 'workclass', 'zip'" in ran.err
    ran = priori("classify", "m.priori", "adult.csv", "--keep", "nix")
    assert ran.code == 1 and "'nix'" in ran.err and "--keep" in ran.err
    (adult / "bad.csv").write_text("age,workclass,hours,zip\n30,a,forty,1\n", encoding="utf-8")
    ran = priori("classify", "m.priori", "bad.csv")
    assert ran.code == 1 and "'forty' in row 1" in ran.err and "--columns" not in ran.err  # which it has not


def test_json_lines_may_lack_keys_but_not_all(priori, adult):
    (adult / "some.jsonl").write_text('{"age": 30}\n{"id": 3}\n', encoding="utf-8")
    (adult / "same.csv").write_text("id,age,workclass,hours,zip\n,30,,,\n3,,,,\n", encoding="utf-8")
    assert priori("classify", "m.priori", "some.jsonl").lines == priori("classify", "m.priori", "same.csv").lines
    (adult / "none.jsonl").write_text('{"id": 3}\n', encoding="utf-8")
    for given in ((), ("--keep", "id")):
        ran = priori("classify", "m.priori", "none.jsonl", *given)
        assert ran.code == 1 and "none.jsonl has no column" in ran.err


def test_every_format_holds_the_same_predictions(priori, adult):
    lines = priori("classify", "m.priori", "adult.csv", "--keep", "zip").lines
    written = (adult / "adult.csv").read_text(encoding="utf-8")
    assert priori("classify", "m.priori", "-", "--keep", "zip", stdin=written).lines == lines
    for name in ("out.parquet", "out.csv", "out.jsonl"):
        ran = priori("classify", "m.priori", "adult.csv", "--keep", "zip", "-o", name)
        assert (ran.code, ran.out) == (0, ""), ran.err
    table = pq.read_table("out.parquet").to_pylist()
    assert [(row["zip"], row["p(>50K)"]) for row in table] == [
        (line["zip"], line["probabilities"][">50K"]) for line in lines
    ]
    with (adult / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [{name: str(value) for name, value in row.items()} for row in table] == list(csv.DictReader(file))
    assert [json.loads(line) for line in (adult / "out.jsonl").read_text(encoding="utf-8").splitlines()] == lines
    top = priori("classify", "m.priori", "adult.csv", "--top", 1).lines
    assert all(row["probabilities"] == {row["label"]: row["probability"]} for row in top)


def test_evaluation_is_that_of_scikit_learn(priori, adult, posterior):
    ran = priori("evaluate", "m.priori", "adult.csv", "--label", "income", "--json")
    truth, labels = [row[-1] for row in ADULT], ["<=50K", ">50K"]
    assert ran.json["n"] == len(ADULT)
    assert ran.json["accuracy"] == accuracy_score(truth, [labels[k] for k in posterior.argmax(axis=1)])
    assert ran.json["log_loss"] == pytest.approx(log_loss(truth, posterior, labels=labels), rel=1e-12)
    plain = priori("evaluate", "m.priori", "adult.csv", "--label", "income").out
    assert "documents" not in plain and "rows" in plain
    assert "true \\ predicted  <=50K  >50K" in plain  # a label keeps the sign it begins with
    assert priori("evaluate", "m.priori", "adult.csv", "--label", "income", "--plot", "e.svg").code == 0
    drawn = (adult / "e.svg").read_text(encoding="utf-8")
    assert "documents" not in drawn and "of 9 rows" in drawn and "9 rows in " in drawn
    assert priori("evaluate", "m.priori", "adult.csv").out == plain  # the model knows how its labels were called
    assert priori("evaluate", "m.priori", "adult.csv", "--label", "label").code == 1
    write(adult / "one.csv", [(*ADULT[0][:-1], "")])
    assert priori("evaluate", "m.priori", "one.csv", "--label", "income").code == 1


def test_contributions_add_up(priori, adult, posterior):
    for row in range(len(ADULT)):
        found = priori("explain", "m.priori", "adult.csv", "--row", row, "--json").json
        total = math.fsum(each["log_odds"] for each in found["contributions"])
        odds = np.sort(posterior[row])
        assert total == pytest.approx(math.log(odds[1] / odds[0]), rel=1e-9, abs=1e-12)
    assert found == priori("explain", "m.priori", "--source", "adult.csv", "--row", 8, "--json").json
    plain = priori("explain", "m.priori", "adult.csv", "--label", ">50K", "--against", "<=50K").out
    assert plain.startswith(">50K (") and "age = 39 " in plain and "workclass = State-gov" in plain
    assert "column" in plain and "times" not in plain
    written = (adult / "adult.csv").read_text(encoding="utf-8")
    assert priori("explain", "m.priori", "-", "--label", ">50K", stdin=written).out == plain
    ran = priori("explain", "m.priori", "adult.csv", "--row", 9)
    assert ran.code == 1 and "has 9 rows, so there is no row 9; --row counts from 0" in ran.err
    assert "counted from 0" in priori("explain", "--help").out
    assert priori("explain", "m.priori").code == 2
    assert priori("explain", "m.priori", "adult.csv", "--source", "adult.csv").code == 2


def test_the_class_prior_is_always_shown_and_a_file_has_all_of_a_feature(priori, adult, monkeypatch):
    plain = priori("explain", "m.priori", "adult.csv", "--top", 1).out.splitlines()
    assert [line.split("  ")[0] for line in plain[2:6]][1:] == ["(3 more)", "(class prior)", "sum"]
    long = "a-very-long-country-that-has-a-name-of-its-own-and-more"
    write(adult / "long.csv", [(long if k else "b", k) for k in (0, 1, 0, 1)], ("country", "label"))
    assert priori("train", "long.csv", "--table", "--temper", "1", "-o", "long.priori").code == 0
    given = ("explain", "long.priori", "long.csv", "--row", 1, "--plot", "long.svg")
    plain = priori(*given).out
    assert f"country = {long} " in plain and "-0.0000" not in plain
    assert "country = a-very-lo" in (adult / "long.svg").read_text(encoding="utf-8")
    monkeypatch.setattr("priori.cli.commands.explain.is_terminal", lambda: True)
    assert f"country = {long[:33]}… " in priori(*given).out


def test_a_model_of_a_file_reads_frames_and_typed_files_of_the_same_table(priori, tmp_path):
    rows = [(f"20{20 + i % 3}-0{1 + i % 9}-11", "true" if i % 2 else "false", "ab"[i % 2]) for i in range(12)]
    write(tmp_path / "d.csv", rows, ("day", "paid", "label"))
    assert priori("train", "d.csv", "-o", "d.priori").code == 0
    expected = priori("classify", "d.priori", "d.csv").lines
    strings = pd.read_csv("d.csv", dtype={"day": str})
    strings.to_parquet("d.parquet")
    assert priori("classify", "d.priori", "d.parquet").lines == expected
    model = table_estimator(TableModel.load("d.priori"))
    for frame in (strings, strings.astype({"paid": int}), pd.read_csv("d.csv", parse_dates=["day"])):
        found = model.predict_proba(frame.drop(columns="label"))
        assert found.tolist() == [[row["probabilities"][name] for name in "ab"] for row in expected]
    strings.loc[3, "day"] = "soon"
    strings.to_parquet("d.parquet")
    ran = priori("classify", "d.priori", "d.parquet")
    assert ran.code == 1 and "d.parquet: column 'day' has 'soon' in row 4, which is not a date" in ran.err


def test_months_and_weekdays_have_names(priori, tmp_path):
    write(tmp_path / "d.csv", [("2023-12-30", "a"), ("2024-01-01", "b")] * 2, ("day", "label"))  # Saturday, Monday
    assert priori("train", "d.csv", "-o", "d.priori").code == 0
    plain = priori("explain", "d.priori", "d.csv").out
    assert "day (month) = Dec" in plain and "day (weekday) = Sat" in plain
    columns = priori("inspect", "d.priori", "--json").json["columns"]
    assert columns["day (month)"]["by_class"] == {"a": "Dec", "b": "Jan"}
    assert columns["day (weekday)"]["by_class"] == {"a": "Sat", "b": "Mon"}


def test_looking_at_a_model(priori, adult):
    found = priori("inspect", "m.priori", "--json").json
    assert found["rows"] == 9 and found["kind"] == "naive_bayes"
    assert [(each["label"], each["rows"]) for each in found["classes"]] == [("<=50K", 5), (">50K", 4)]
    age, work = found["columns"]["age"], found["columns"]["workclass"]
    assert (age["low"], age["high"]) == (28, 53)
    for label, mean in age["by_class"].items():  # whole numbers have a bucket each
        assert mean == pytest.approx(np.mean([row[0] for row in ADULT if row[-1] == label]), rel=1e-15)
    assert (work["missing"], work["values"], work["by_class"]["<=50K"]) == (2 / 9, 3, "Private")
    plain = priori("inspect", "m.priori").out
    assert "22.2%" in plain and "28 to 53" in plain and ">50K" in plain
    again = priori("read", "m.priori", "--alpha", "2", "-o", "other.priori")
    assert again.code == 0
    assert priori("inspect", "other.priori", "--json").json["digest"] == found["digest"]


def test_ranges_say_no_more_than_buckets_know(priori, tmp_path):
    rows = [(4.3, 13611, 501, "a"), (7.9, 8, 0.25, "b"), (5.0, 9, 3, "a"), (6.1, 10, 9, "b")]
    write(tmp_path / "r.csv", rows, ("length", "weight", "mixed", "label"))
    assert priori("train", "r.csv", "-o", "r.priori").code == 0
    plain = priori("inspect", "r.priori").out
    assert "about 4.3 to 7.9" in plain and " 8 to about 13,600" in plain and "about 0.25 to 501" in plain
    columns = priori("inspect", "r.priori", "--json").json["columns"]
    assert columns["weight"]["low"] == 8 and abs(columns["weight"]["high"] / 13611 - 1) < 2**-10
    assert columns["mixed"]["high"] == 501 and columns["weight"]["high"].is_integer()


def test_a_gaussian_is_looked_at_by_what_it_has(priori, adult):
    given = ["--label", "income", "--model", "gaussian", "--columns", "workclass=none", "--covariance", "shrunk"]
    assert priori("train", "adult.csv", *given, "-o", "g.priori").code == 0
    plain = priori("inspect", "g.priori").out
    (reading,) = (line for line in plain.splitlines() if line.startswith("reading"))
    assert reading.split(None, 1)[1] == "ml, class prior ml, missing cells ignored, covariance shrunk, target income"
    (head,) = (line for line in plain.splitlines() if line.startswith("column"))
    assert head.split() == ["column", "missing", "<=50K", ">50K"] and "gaussian_joint" not in plain
    given[-1:] = ["full", "--estimate", "ml", "--shrinkage", "0.5"]
    assert priori("train", "adult.csv", *given, "-o", "g.priori").code == 0
    assert "covariance full, shrinkage 0.5" in priori("inspect", "g.priori").out


def test_rows_are_said_in_six_digits_at_most(priori, adult):
    write(adult / "w.csv", [(*row, 0.3) for row in ADULT], (*ADULT_COLUMNS, "w"))
    given = ["--label", "income", "--weight", "w", "-o", "w.priori"]
    assert "2.7 rows" in priori("train", "w.csv", *given).out
    assert "rows     2.7\n" in priori("inspect", "w.priori").out
    assert '"rows": 9,' in priori("inspect", "m.priori", "--json").out


def test_another_reading_is_the_one_given_when_it_is_used(priori, adult):
    changed = ["--alpha", "0.3", "--class-prior", "uniform", "--missing", "evidence", "--temper", "1"]
    assert priori("read", "m.priori", *changed, "-o", "other.priori").code == 0
    here = priori("classify", "m.priori", "adult.csv", *changed)
    assert priori("classify", "other.priori", "adult.csv").out == here.out
    assert here.out != priori("classify", "m.priori", "adult.csv").out
    ran = priori("read", "m.priori", "--estimate", "map", "--alpha", "0.5", "-o", "x.priori")
    assert ran.code == 1 and "no mode" in ran.err and not (adult / "x.priori").exists()
    assert priori("classify", "m.priori", "adult.csv", "--estimate", "integrated").code == 2
    for wrong in ("0", "-1", "x", "nan"):
        assert priori("classify", "m.priori", "adult.csv", "--temper", wrong).code == 2


def test_drawn_rows_are_rows_of_the_same_table(priori, adult):
    given = ["generate", "m.priori", "-n", 50, "--seed", 7, "--label-column", "income"]
    rows = priori(*given).lines
    assert (
        "JSON lines" in priori("generate", "--help").out and "one JSON document" not in priori("generate", "--help").out
    )
    assert len(rows) == 50 and priori(*given).lines == rows
    assert list(rows[0]) == ["age", "workclass", "hours", "zip", "income"]
    assert {row["workclass"] for row in rows} <= {row[1] for row in ADULT}
    assert all(isinstance(row["age"], int) for row in rows)
    for name in ("g.csv", "g.parquet", "g.jsonl", "g.tsv.gz"):
        assert priori(*given, "-o", name).code == 0
        ran = priori("evaluate", "m.priori", name, "--label", "income", "--json")
        assert ran.code == 0 and ran.json["n"] == 50, ran.err
    assert priori("generate", "m.priori", "--label-column", "age").code == 2
    ran = priori("generate", "m.priori", "--label", "income")
    assert ran.code == 1 and "no class 'income'; the model's are" in ran.err and ran.out == ""
    rich = priori("generate", "m.priori", "--label", ADULT[1][-1], "-n", 30, "--seed", 1).lines
    assert {row["label"] for row in rich} == {ADULT[1][-1]}
    assert priori("generate", "m.priori", "-o", "g.doc").code == 2


def test_dates_and_texts_come_and_go(priori, tmp_path):
    lines = ["born,review,paid,label", "2020-01-31,very good phone,12.5,yes", "2021-02-28,bad screen,,no"]
    (tmp_path / "d.csv").write_text("\n".join([*lines, "2020-05-05,good,3,yes", "2019-01-01,awful,1,no\n"]))
    ran = priori("train", "d.csv", "-o", "d.priori", "--json")
    assert ran.json["columns"]["review"] == "text" and "born (weekday)" in ran.json["columns"]
    found = priori("explain", "d.priori", "d.csv", "--json").json
    assert any(each["feature"] == "review: phone" for each in found["contributions"])
    assert priori("generate", "d.priori", "-o", "g.csv", "--seed", 1).code == 0
    assert priori("classify", "d.priori", "g.csv").code == 0
    assert "review" in priori("inspect", "d.priori").out


def test_what_only_texts_have_is_refused_for_tables(priori, adult, mail):
    for given, code, says in (
        (("terms", "m.priori"), 1, "no terms"),
        (("tokens", "hello", "--model", "m.priori"), 1, "no terms"),
        (("classify", "m.priori", "--message", "hi"), 2, "--message is for texts"),
        (("classify", "m.priori", "adult.csv", "--event", "bernoulli"), 2, "--event is for texts"),
        (("classify", "m.priori", "adult.csv", "--text", "age"), 2, "--text is for texts"),
        (("update", "m.priori", "adult.csv", "--field", "age"), 2, "--field is for texts"),
        (("inspect", "m.priori", "--graph"), 2, "--graph is for texts"),
        (("inspect", "m.priori", "--top", "3"), 2, "--top is for texts"),
        (("classify", "mail.priori", "mail.csv", "--missing", "evidence"), 2, "--missing is for tables"),
    ):
        ran = priori(*given)
        assert ran.code == code and says in ran.err and ran.out == "", (given, ran.err)


def test_a_model_that_has_forgotten_everything_can_be_looked_at(priori, adult):
    assert priori("forget", "m.priori", "adult.csv", "--label", "income", "-o", "none.priori").code == 0
    assert priori("inspect", "none.priori").code == 0
    assert priori("inspect", "none.priori", "--json").json["rows"] == 0
    ran = priori("classify", "none.priori", "adult.csv")
    assert ran.code == 1 and "no classes" in ran.err
