"""priori bayes."""

import pytest
from test_cli_faults import refused

TABLE = "hypothesis,prior,action,sci-fi,romance\nfilm,1/2,1/3,1/3,1/3\nbook,0.5,,1/2,1/2\n"


@pytest.fixture
def kinds(tmp_path):
    (tmp_path / "kinds.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_films_and_books(priori, kinds):
    ran = priori("bayes", "film=0.5:1/3", "book=0.5:1/2")
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[:3] == [
        ["hypothesis", "prior", "likelihood", "joint", "posterior"],
        ["film", "0.5", "0.33333", "0.16667", "0.4"],
        ["book", "0.5", "0.5", "0.25", "0.6"],
    ]
    assert "evidence 0.41667" in ran.out
    assert priori("bayes", "--table", "kinds.csv", "--observed", "sci-fi").out == ran.out


def test_json(priori, kinds):
    ran = priori("bayes", "--table", "kinds.csv", "--observed", "sci-fi", "--observed", "romance", "--json")
    assert ran.json["posterior"]["film"] == pytest.approx((1 / 9) / (1 / 9 + 1 / 4))
    assert set(ran.json) == {"prior", "likelihood", "joint", "posterior", "evidence", "log_evidence"}
    whole = priori("bayes", "--table", "kinds.csv", "--json").json
    assert whole["posterior"]["action"] == {"film": 1.0, "book": 0.0}
    assert whole["evidence"]["sci-fi"] == pytest.approx(5 / 12)


def test_the_whole_table(priori, kinds):
    out = priori("bayes", "--table", "kinds.csv").out
    assert "evidence  0.16667  0.41667  0.41667      1" in out
    (kinds / "even.tsv").write_text("what\tyes\tno\na=1:2\t1\t0\nb\t1/4\t3/4\n", encoding="utf-8")
    assert priori("bayes", "--table", "even.tsv", "--observed", "yes", "--json").json["posterior"]["a=1:2"] == 0.8


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "HYPOTHESIS=PRIOR:LIKELIHOOD"),
        (["film"], 2, "'film' is no hypothesis"),
        (["film=0.5"], 2, "'film=0.5' is no hypothesis"),
        (["film=1:x"], 2, "no number"),
        (["film=1:1/0"], 2, "no number"),
        (["a=1:1", "a=0:1"], 2, "given twice"),
        (["a=1:1", "--observed", "x"], 2, "--table"),
        (["a=1:1", "--table", "kinds.csv"], 2, "or a --table"),
        (["a=0.5:1", "b=0.4:1"], 1, "the prior sums to 0.9"),
        (["a=1:0"], 1, "probability 0 under every hypothesis"),
        (["--table", "nowhere.csv"], 1, "nowhere.csv"),
        (["--table", "kinds.csv", "--observed", "poetry"], 1, "'poetry' was observed"),
    ],
)
def test_bad_input(priori, kinds, arguments, code, message):
    assert message in refused(priori("bayes", *arguments), code)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("h,prior,x\n", "no rows"),
        ("h,x,y\na,half,1/2\n", "'half' in row 1 of column 'x'"),
        ("h,x,y\na,1/2,1/2\na,0,1\n", "'a' more than once"),
        ("h,x,y\na,1/2,1/4\n", "the table of 'a' sums to 0.75"),
        ("h,prior,x\na,1/2,1\n", "the prior sums to 0.5"),
    ],
)
def test_bad_tables(priori, kinds, content, message):
    (kinds / "bad.csv").write_text(content, encoding="utf-8")
    assert message in refused(priori("bayes", "--table", "bad.csv"))


def test_tables_may_have_another_encoding_and_delimiter(priori, kinds):
    (kinds / "wide.csv").write_bytes(TABLE.replace(",", ";").encode("utf-16"))
    ran = priori("bayes", "--table", "wide.csv", "--observed", "sci-fi", "--encoding", "utf-16", "--delimiter", ";")
    assert ran.code == 0 and ran.out == priori("bayes", "film=0.5:1/3", "book=0.5:1/2").out
    assert "--encoding utf-16" in refused(priori("bayes", "--table", "wide.csv"))
    assert "no number" in refused(priori("bayes", "film=1_0:1/3"), 2)
