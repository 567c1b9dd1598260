"""Powers of a table's columns from the command line: how they came about, when they are stale, fitted again."""

import csv
import random

import pytest

from priori.model.table_classifier import TableModel

WARNED = "keeps no rows, so the powers of its columns are those of before; refit them: priori calibrate"


def written(path, rows, seed):
    rng = random.Random(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["age", "job", "label"])
        for _ in range(rows):
            y = rng.randrange(2)
            out.writerow([rng.randrange(20, 60) + 8 * y, rng.choice("abc" if y else "bcd"), "ny"[y]])


@pytest.fixture
def tables(priori, tmp_path):
    for seed, (name, rows) in enumerate({"a.csv": 100, "b.csv": 40}.items()):
        written(tmp_path / name, rows, seed)
    assert priori("train", "a.csv", "--no-sample", "-o", "m.priori").code == 0
    assert priori("train", "a.csv", "-o", "k.priori").code == 0
    return tmp_path


def powers_line(ran):
    return next(line for line in ran.out.splitlines() if line.startswith("powers"))


def test_a_model_without_rows_has_their_powers_and_says_so(priori, tables):
    bare, keeps = TableModel.load("m.priori"), TableModel.load("k.priori")
    assert bare.kept is None and bare.fitted == keeps.fitted
    found = priori("inspect", "m.priori", "--json").json["fitted"]
    assert found == {
        "tempers": dict(zip(("age", "job"), keeps.tempers.tolist(), strict=True)),
        "by": "rows",
        "rows": keeps.fitted.rows,
        "stale": False,
    }
    expected = f"fitted on {keeps.fitted.rows} different rows that were left out"
    assert powers_line(priori("inspect", "m.priori")).endswith(expected)
    assert powers_line(priori("inspect", "k.priori")).endswith(expected)
    assert priori("inspect", "m.priori", "--temper", 1, "--json").json["fitted"] is None
    assert "powers" not in priori("inspect", "m.priori", "--temper", 1).out
    (tables / "one.csv").write_text("age,job,label\n30,a,n\n40,b,n\n", encoding="utf-8")
    assert priori("train", "one.csv", "-o", "one.priori").code == 0
    assert "by rule" in powers_line(priori("inspect", "one.priori"))


def test_update_forget_merge_and_read_tell_of_stale_powers(priori, tables):
    assert priori("train", "b.csv", "--no-sample", "--like", "m.priori", "-o", "b.priori").code == 0
    for command in (
        ("update", "m.priori", "b.csv", "-o", "u.priori"),
        ("forget", "u.priori", "b.csv", "-o", "f.priori"),
        ("merge", "m.priori", "b.priori", "-o", "g.priori"),
        ("merge", "k.priori", "b.priori", "-o", "h.priori"),
        ("read", "m.priori", "--alpha", 3, "-o", "r.priori"),
    ):
        ran = priori(*command)
        assert ran.code == 0 and f"{command[-1]} {WARNED} {command[-1]} SOURCE" in ran.err
        assert powers_line(priori("inspect", command[-1])).endswith("stale: the model has changed since")
    for command in (
        ("update", "k.priori", "b.csv", "-o", "x.priori"),
        ("read", "m.priori", "--temper", 1, "-o", "x.priori"),
        ("update", "x.priori", "b.csv", "-o", "x.priori"),
    ):
        assert "those of before" not in priori(*command).err


def test_calibrate_fits_them_again(priori, tables):
    assert priori("update", "m.priori", "b.csv").code == 0
    assert priori("update", "k.priori", "b.csv").code == 0
    ran = priori("calibrate", "m.priori", "a.csv", "b.csv")
    assert ran.code == 0 and "powers of the columns: fitted on " in ran.out and "stale" not in ran.out + ran.err
    assert TableModel.load("m.priori").fitted == TableModel.load("k.priori").fitted
    own = priori("calibrate", "k.priori", "--json").json["fitted"]
    given = priori("calibrate", "k.priori", "b.csv", "-o", "g.priori", "--json").json["fitted"]
    assert own["rows"] > 40 >= given["rows"] and own["tempers"] != given["tempers"] and not given["stale"]
    assert priori("calibrate", "g.priori", "--json").json["fitted"] == own


def test_calibrate_refuses_what_it_cannot_fit_on(priori, tables):
    ran = priori("calibrate", "m.priori")
    assert ran.code == 1 and "keeps no rows to fit on; give some" in ran.err
    before = (tables / "m.priori").read_bytes()
    ran = priori("calibrate", "m.priori", "b.csv")
    assert ran.code == 1 and "were never learned" in ran.err and ran.err.count("\n") == 1
    assert (tables / "m.priori").read_bytes() == before
    ran = priori("calibrate", "m.priori", "b.csv", "--held-out")
    assert ran.code == 0 and "fitted on " in ran.out
    ran = priori("calibrate", "m.priori", "a.csv", "--temper", 1)
    assert ran.code == 1 and "choose temper 'auto'" in ran.err
    assert priori("calibrate", "m.priori", "a.csv", "--ngrams", 2).code == 2
