"""Training on tables, and what changes such a model afterwards."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adult import ADULT, ADULT_COLUMNS, write
from priori.model.table_classifier import TableModel


def families(path):
    return {part.name: part.family.name for part in TableModel.load(path).parts}


def test_a_source_without_a_text_is_a_table(priori, adult):
    ran = priori("train", "adult.csv", "--label", "income", "-o", "again.priori", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert (ran.json["rows"], ran.json["labels"]) == (9, ["<=50K", ">50K"])
    assert ran.json["columns"] == {"age": "binned", "workclass": "categorical", "hours": "binned", "zip": "binned"}
    assert ran.json["file_bytes"] == (adult / "again.priori").stat().st_size
    assert (adult / "again.priori").read_bytes() == (adult / "m.priori").read_bytes()
    plain = priori("train", "adult.csv", "--label", "income", "-o", "again.priori")
    assert "9 rows, 2 classes, 4 columns; " in plain.out
    assert priori("-q", "train", "adult.csv", "--label", "income", "-o", "again.priori").out == ""


def test_a_source_with_a_text_stays_one_of_texts_unless_it_is_said_to_be_a_table(priori, mail):
    assert "6 documents" in priori("train", "mail.csv", "-o", "x.priori").out
    assert "6 rows, 2 classes, 3 columns" in priori("train", "mail.csv", "--table", "-o", "x.priori").out
    assert families("x.priori") == {"text": "text", "id": "binned", "split": "categorical"}
    (mail / "other.csv").write_text("body,id,label\nwin,1,spam\nlunch,2,ham\n", encoding="utf-8")
    assert "2 documents" in priori("train", "other.csv", "--text", "body", "-o", "x.priori").out
    (mail / "single.csv").write_text("words,label\nwin,spam\nlunch,ham\n", encoding="utf-8")
    ran = priori("train", "single.csv", "-o", "y.priori")  # one column of strings: a text by another name
    assert ran.code == 1 and "--text COLUMN; or add --table" in ran.err


def test_standard_input_is_a_table_when_it_is_said_to_be(priori, adult):
    written = (adult / "adult.csv").read_text(encoding="utf-8")
    ran = priori("train", "-", "--table", "--label", "income", "-o", "in.priori", stdin=written)
    assert ran.code == 0, ran.err
    assert (adult / "in.priori").read_bytes() == (adult / "m.priori").read_bytes()
    for given in ([], ["--format", "csv"]):
        ran = priori("train", "-", *given, "--label", "income", "-o", "x.priori", stdin=written)
        assert ran.code == 1 and "add --table, which standard input needs" in ran.err


def test_files_with_types_and_json_lines_are_tables_too(priori, adult):
    rows = [
        {**dict(zip(ADULT_COLUMNS, row, strict=True)), "workclass": None if row[1] == "?" else row[1]} for row in ADULT
    ]
    pq.write_table(pa.Table.from_pylist(rows), adult / "a.parquet")
    (adult / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    priori("train", "adult.csv", "--label", "income", "--columns", "zip=categorical", "-o", "csv.priori")
    for name in ("a.parquet", "a.jsonl"):
        ran = priori("train", name, "--label", "income", "-o", "other.priori")
        assert ran.code == 0, ran.err
        assert (adult / "other.priori").read_bytes() == (adult / "csv.priori").read_bytes()


def test_families_can_be_chosen(priori, adult):
    def trained(*given):
        ran = priori("train", "adult.csv", "--label", "income", "-o", "x.priori", *given)
        assert ran.code == 0, ran.err
        return families("x.priori")

    assert trained("--columns", "zip=categorical", "--columns", "age=poisson", "--columns", "hours=none") == {
        "age": "poisson",
        "workclass": "categorical",
        "zip": "categorical",
    }
    zips = TableModel.load("x.priori").statistics.parts[2].keys
    assert list(zips) == ["00501", "00544", "10001"]  # as they are written, not as numbers
    assert set(trained("--columns", "categorical").values()) == {"categorical"}
    assert trained("--columns", "categorical", "--columns", "age=gaussian", "--columns", "hours=auto") == {
        "age": "gaussian",
        "workclass": "categorical",
        "hours": "binned",
        "zip": "categorical",
    }
    joint = trained("--columns", "age+hours=gaussian_joint", "--columns", "zip=none")
    assert joint == {"age + hours": "gaussian_joint", "workclass": "categorical"}
    assert trained("--columns", "auto") == families("m.priori")
    assert [field.name for field in TableModel.load("m.priori").schema.fields] == list(ADULT_COLUMNS[:-1])


def test_gaussian_discriminants(priori, adult):
    given = ["--label", "income", "--model", "gaussian", "--columns", "workclass=none", "-o", "g.priori"]
    assert priori("train", "adult.csv", *given).code == 0
    model = TableModel.load("g.priori")
    assert (model.kind, model.readings.estimate) == ("gaussian_discriminant", "mean")
    assert model.parts[0].columns == ("age", "hours", "zip")
    assert priori("train", "adult.csv", *given, "--covariance", "shrunk").code == 0
    assert TableModel.load("g.priori").readings.estimate == "ml"  # which is what shrinkage is of
    assert priori("classify", "g.priori", "adult.csv").code == 0
    assert priori("train", "adult.csv", *given, "--covariance", "full", "--estimate", "bayes").code == 0
    assert TableModel.load("g.priori").parts[0].family.covariance == "full"
    ran = priori("train", "adult.csv", "--label", "income", "--model", "gaussian", "-o", "g.priori")
    assert ran.code == 1 and "'workclass'" in ran.err and "--columns COL=none" in ran.err
    for wrong in (["--columns", "age=poisson"], ["--columns", "gaussian"]):
        assert priori("train", "adult.csv", *given, *wrong).code == 2
    for alone in (["--covariance", "full"], ["--shrinkage", "0.1"]):
        ran = priori("train", "adult.csv", "--label", "income", *alone, "-o", "g.priori")
        assert ran.code == 2 and "--model gaussian" in ran.err


def test_every_reading_reaches_the_model(priori, adult):
    ran = priori(
        "train", "adult.csv", "--label", "income", "--estimate", "map", "--alpha", "1.5", "--class-prior", "uniform",
        "--unknown", "prior", "--missing", "evidence", "--temper", "0.5", "--no-sample", "--note", "n", "-o",
        "x.priori",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    model, readings = TableModel.load("x.priori"), TableModel.load("x.priori").readings
    assert (readings.estimate, readings.alpha, readings.class_prior) == ("map", 1.5, "uniform")
    assert (readings.unknown, readings.missing, readings.temper) == ("prior", "evidence", 0.5)
    assert model.kept is None and model.provenance["note"] == "n"
    model = TableModel.load("m.priori")
    assert model.readings.temper == "auto" and model.kept is not None


def test_options_for_the_other_kind_are_wrong_usage(priori, adult, mail):
    for given in (["--ngrams", "1-2"], ["--event", "bernoulli"], ["--field", "age"], ["--max-terms", 3]):
        ran = priori("train", "adult.csv", "--label", "income", *given, "-o", "x.priori")
        assert ran.code == 2 and f"{given[0]} is for texts" in ran.err and "adult.csv is a table" in ran.err
    for given in (
        ["--columns", "text=text"],
        ["--missing", "evidence"],
        ["--like", "m.priori"],
        ["--model", "gaussian"],
    ):
        ran = priori("train", "mail.csv", *given, "-o", "x.priori")
        assert ran.code == 2 and f"{given[0]} is for tables" in ran.err and "--table" in ran.err
    assert priori("train", "mail.csv", "--table", "--text", "text", "-o", "x.priori").code == 2
    assert not (adult / "x.priori").exists()


@pytest.mark.parametrize("wrong", ["age=gausian", "=text", "age=", "none", "age=auto=x"])
def test_families_that_do_not_exist_are_wrong_usage(priori, adult, wrong):
    ran = priori("train", "adult.csv", "--label", "income", "--columns", wrong, "-o", "x.priori")
    assert ran.code == 2 and not (adult / "x.priori").exists()


def test_parts_of_a_table_are_merged_into_the_whole(priori, adult):
    write(adult / "one.csv", ADULT[:5])
    write(adult / "two.csv", [(None, *row[1:]) for row in ADULT[5:6]] + ADULT[6:])
    write(adult / "both.csv", ADULT[:5] + [(None, *row[1:]) for row in ADULT[5:6]] + ADULT[6:])
    for name in ("one", "two", "both"):
        like = ["--like", "m.priori"]
        assert priori("train", f"{name}.csv", "--label", "income", *like, "-o", f"{name}.priori").code == 0
    ran = priori("merge", "one.priori", "two.priori", "-o", "sum.priori", "--json")
    assert (ran.json["total_rows"], ran.json["columns"]) == (9, 4)
    assert (adult / "sum.priori").read_bytes() == (adult / "both.priori").read_bytes()


def test_types_that_differ_keep_models_apart_and_like_brings_them_together(priori, adult):
    write(adult / "codes.csv", [("n/a", "Private", "forty", 1, ">50K")])
    priori("train", "codes.csv", "--label", "income", "-o", "codes.priori")
    ran = priori("merge", "m.priori", "codes.priori", "-o", "sum.priori")
    assert ran.code == 1 and "'age', 'hours'" in ran.err and "--like MODEL" in ran.err
    ran = priori("train", "codes.csv", "--label", "income", "--like", "m.priori", "-o", "codes.priori")
    assert ran.code == 1 and "'forty' in row 1" in ran.err
    write(adult / "codes.csv", [("n/a", "Private", "40", 1, ">50K")])
    assert priori("train", "codes.csv", "--label", "income", "--like", "m.priori", "-o", "codes.priori").code == 0
    assert priori("merge", "m.priori", "codes.priori", "-o", "sum.priori").code == 0
    assert priori("train", "codes.csv", "--like", "m.priori", "--columns", "auto", "-o", "x.priori").code == 2


def test_update_is_training_on_both_and_forget_takes_it_back(priori, adult):
    before = (adult / "m.priori").read_bytes()
    write(adult / "more.csv", [(77, "Never-worked", 0.0, "1", "rich"), (20, "?", 38.5, "2", "")])
    write(adult / "both.csv", [*ADULT, (77, "Never-worked", 0.0, "1", "rich")])
    priori("train", "both.csv", "--label", "income", "-o", "both.priori")
    ran = priori("update", "m.priori", "more.csv", "--label", "income", "--json")
    assert (ran.json["rows"], ran.json["total_rows"], ran.json["labels"]) == (2, 10, ["<=50K", ">50K", "rich"])
    assert "1 row without a label skipped" in ran.err
    assert (adult / "m.priori").read_bytes() == (adult / "both.priori").read_bytes()
    ran = priori("forget", "m.priori", "more.csv", "--label", "income", "-o", "back.priori", "--json")
    assert (ran.json["rows"], ran.json["total_rows"]) == (2, 9)
    assert (adult / "back.priori").read_bytes() == before
    for row in ((1000, "Private", 40.0, "1", ">50K"), (39, "State-gov", 40.0, "00501", "poor")):
        write(adult / "never.csv", [row])
        ran = priori("forget", "back.priori", "never.csv", "--label", "income")
        assert ran.code == 1 and "forget only" in ran.err and "np." not in ran.err
    assert (adult / "back.priori").read_bytes() == before


def test_models_of_both_kinds_do_not_merge(priori, adult, mail):
    for pair in (("m.priori", "mail.priori"), ("mail.priori", "m.priori")):
        ran = priori("merge", *pair, "-o", "x.priori")
        assert ran.code == 1 and "merge models of one kind" in ran.err


def test_weights_and_conditions(priori, adult):
    write(adult / "w.csv", [(*row, 2 if row[0] > 40 else 1) for row in ADULT], (*ADULT_COLUMNS, "w"))
    write(adult / "twice.csv", [row for row in ADULT for _ in range(2 if row[0] > 40 else 1)])
    ran = priori("train", "w.csv", "--label", "income", "--weight", "w", "--no-sample", "-o", "w.priori", "--json")
    assert ran.json["rows"] == sum(2 if row[0] > 40 else 1 for row in ADULT) and "w" not in ran.json["columns"]
    priori("train", "twice.csv", "--label", "income", "--no-sample", "-o", "twice.priori")
    assert (adult / "w.priori").read_bytes() == (adult / "twice.priori").read_bytes()
    ran = priori("train", "adult.csv", "--label", "income", "--where", "workclass=Private", "-o", "x.priori", "--json")
    assert ran.json["rows"] == 4 and "workclass" not in ran.json["columns"]


def test_columns_that_look_like_texts_or_keys_are_pointed_out(priori, tmp_path):
    write(tmp_path / "k.csv", [(f"k{i}", "red", "ab"[i % 2]) for i in range(60)], ("key", "colour", "label"))
    ran = priori("train", "k.csv", "-o", "k.priori")
    assert ran.code == 0 and ran.err.count("\n") == 1
    assert (
        "column 'key' has 60 different values in 60 rows: if it is text, say --columns key=text; if it is a key, "
        "--columns key=none" in ran.err
    )
    assert priori("train", "k.csv", "-o", "k.priori", "--columns", "key=none").err == ""
    assert priori("train", "k.csv", "-o", "k.priori", "-q").err == ""


@pytest.mark.parametrize(
    ("cells", "bad", "others"),
    [
        (["2020-01-31", "2021-02-28"], "2021-02-30", "dates"),
        (["2020-01-31", "2021-02-28"], "soon", "dates"),
        (["2020-01-31T12:30", "2021-02-28 23:59:59Z"], "2021-02-28", "times"),
        (["true", "False"], "maybe", "true and false"),
    ],
)
def test_a_cell_that_makes_categories_of_dates_or_truth_is_pointed_out(priori, tmp_path, cells, bad, others):
    rows = [(cells[i % 2], "ab"[i % 2]) for i in range(20)]
    write(tmp_path / "d.csv", [*rows[:7], (bad, "a"), *rows[7:]], ("day", "label"))
    ran = priori("train", "d.csv", "--table", "-o", "d.priori")
    assert ran.code == 0 and ran.err.count("\n") == 1
    assert f"column 'day' is taken as categories, because it has {bad!r} in row 8;" in ran.err
    assert f"if these are {others}, or" in ran.err
    write(tmp_path / "d.csv", rows, ("day", "label"))
    assert priori("train", "d.csv", "--table", "-o", "d.priori").err == ""


def test_a_cell_that_makes_text_of_numbers_is_pointed_out(priori, tmp_path):
    write(tmp_path / "n.csv", [(i, 1, "ab"[i % 2]) for i in range(20)] + [("12 years", 1, "a")], ("age", "x", "label"))
    ran = priori("train", "n.csv", "-o", "n.priori")
    assert ran.code == 0 and "column 'age' is taken as categories, because it has '12 years' in row 21" in ran.err
    assert priori("train", "n.csv", "--columns", "age=categorical", "-o", "n.priori").err == ""


@pytest.mark.parametrize(
    ("text", "given", "says"),
    [
        ("age,job,label\n1,a,x\n", ["--label", "labl"], "has no column 'labl'"),
        ("age,job,label\n", ["--table"], "has no rows"),
        ("age,job,income\n", ["--label", "income"], "has no rows"),
        ("", ["--table"], "is empty"),
        ("age,job,label\n1,a,\n2,b,\n", [], "none of the 2 rows has a label"),
        ("age,job,label\n1,a,x\n", ["--columns", "aeg=gaussian"], "has no column 'aeg'"),
        ("age,job,label\n1,a,x\n", ["--columns", "aeg=none"], "has no column 'aeg'"),
        ("age,job,label\n1,a,x\n", ["--columns", "job=gaussian"], "'job' holds string values"),
        ("age,age,label\n1,a,x\n", ["--table"], "2 columns called 'age'"),
        ("age,job,label\n1,a,x\n1,a\n", [], "line 3"),
        ("a,b,label\n1,1e999,x\n", [], "'b'"),
    ],
)
def test_bad_tables_leave_one_line_and_no_model(priori, tmp_path, text, given, says):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    ran = priori("train", "t.csv", *given, "-o", "x.priori")
    assert ran.code == 1 and ran.err.count("\n") == 1 and says in ran.err, ran.err
    assert ran.out == "" and not (tmp_path / "x.priori").exists()


def test_one_class_is_a_warning_and_empty_columns_are_named(priori, tmp_path):
    (tmp_path / "t.csv").write_text("age,none,label\n1,,x\n2,,\n3,?,x\n", encoding="utf-8")
    ran = priori("train", "t.csv", "-o", "x.priori")
    assert ran.code == 0 and "one class only" in ran.err and "1 row without a label" in ran.err
    assert "column without a value left out: none" in ran.err
