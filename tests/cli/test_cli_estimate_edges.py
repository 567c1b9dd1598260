"""priori estimate at its edges: what is missing, misnamed, repeated, beyond numbers, or too long."""

import numpy as np
import pytest
from test_cli_estimate import exactly
from test_cli_faults import refused
from test_cli_processes import on_a_terminal

from priori import estimate, regress

GAPS = "x,y,t,k\n1,2,1,a\n2,,3,n/a\n3,4,2,b\n4,6,5,null\n5,5,NA,a\n6,9,7,a\n7,8,8,b\nnone,nan,4,b\n"
WHOLE = np.array([[1, 2], [3, 4], [4, 6], [5, 5], [6, 9], [7, 8]], float)


@pytest.fixture
def table(tmp_path):
    def write(content, name="x.csv"):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return name

    return write


# --- what is missing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["categorical", "auto"])
def test_text_that_says_missing_is_missing(priori, table, family):
    found = exactly(priori("estimate", family, table(GAPS), "--column", "k", "--json"))
    found = found.get("estimate", found)
    assert (found["n"], found["missing"], found["ml"]["values"]) == (6, 2, ["a", "b"])


@pytest.mark.parametrize("family", ["multivariate-normal", "multinomial"])
def test_rows_with_an_empty_cell_are_left_out_and_counted(priori, table, family):
    ran = priori("estimate", family, table(GAPS), "--column", "x", "--column", "y", "--json")
    assert ran.code == 0 and ran.err == "priori: 2 rows with an empty cell are left out\n"
    expected = estimate(family, WHOLE, names=["x", "y"]).to_json()
    assert (ran.json["n"], ran.json["missing"]) == (6, 2) and set(ran.json["interval"]) == set(expected["interval"])
    assert ran.json["log_evidence"] == pytest.approx(expected["log_evidence"])
    assert ran.json["map"]["says"] == expected["map"]["says"]


@pytest.mark.parametrize("family", ["linear", "linear-weights", "logistic"])
def test_pairs_with_an_empty_cell_are_left_out_and_counted(priori, table, family):
    target = "k" if family == "logistic" else "t"
    ran = priori("estimate", family, table(GAPS), "--column", "x", "--column", "y", "--target", target, "--json")
    assert ran.code == 0 and ran.err == "priori: 2 rows with an empty cell are left out\n"
    targets = ["a", "b", None, "a", "a", "b"] if family == "logistic" else [1, 2, 5, np.nan, 7, 8]
    expected = regress(family, WHOLE, targets, names=["x", "y"]).to_json()
    assert ran.json["missing"] == 3 and ran.json["n"] == 5
    np.testing.assert_allclose(np.ravel(ran.json["map"]["weights"]), np.ravel(expected["map"]["weights"]))
    assert ran.json["log_evidence"] == pytest.approx(expected["log_evidence"])
    one = priori("estimate", family, "x.csv", "--column", "x", "--column", "y", "--target", target, "--where", "y=")
    assert "1 row with an empty cell is left out" in one.err and one.code == 1


def test_a_line_is_drawn_through_what_is_there(priori, table, tmp_path):
    ran = priori("estimate", "linear", table(GAPS), "--column", "y", "--target", "t", "--plot", "line.svg")
    assert ran.code == 0 and b"<svg" in (tmp_path / "line.svg").read_bytes()


# --- what is beyond numbers -------------------------------------------------------------------------------------------


def test_priors_beyond_numbers_are_refused_by_name(priori, table):
    table("x\n1\n0\n1\n")
    much = priori("estimate", "bernoulli", "x.csv", "--prior", "alpha=1e308,beta=1e308")
    assert "alpha=1e+308 cannot be; give a finite number above 0 to 1e+150" in refused(much, 2)
    sharp = priori("estimate", "bernoulli", "x.csv", "--prior", "alpha=1e50,beta=1e20")
    assert sharp.code == 0 and "nan" not in sharp.out and "no interval: floating-point numbers" in sharp.out


@pytest.mark.parametrize("cell", ["1_000", "1 000", "0x10", "inf", "1,5"])
def test_what_is_no_number(priori, table, cell):
    table(f'x\n3\n"{cell}"\n')
    assert "in row 2, which is no finite number" in refused(priori("estimate", "normal", "x.csv"))


# --- what is misnamed or repeated -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["linear", "--column", "x", "--column", "x", "--target", "t"], "column 'x' is given twice"),
        (["linear", "--column", "x", "--target", "x"], "column 'x' is given as --column and as --target"),
        (["normal", "--column", "x", "--weight", "x"], "column 'x' is given as --column and as --weight"),
        (["linear", "--column", "x", "--target", "t", "--weight", "t"], "as --target and as --weight"),
        (["bernoulli", "--column", "x", "--prior", "alpha=2"], "has alpha, beta; write alpha=NUMBER,beta=NUMBER"),
        (["bernoulli", "--column", "x", "--prior", "alpha=2,alpha=3"], "alpha is given twice"),
        (["bernoulli", "--column", "x", "--prior", "alpha=2,beta=1/0"], "'1/0' is no number"),
        (["bernoulli", "--column", "x", "--prior", "alpha=2,beta=1_0"], "'1_0' is no number"),
        (["bernoulli", "--column", "x", "--prior", "alpha=2,beta=nan"], "'nan' is no number"),
        (["gamma", "--column", "x", "--prior", "shape_shape=2"], "has shape_shape, shape_rate, rate_shape, rate_rate;"),
        (["linear", "--column", "x", "--target", "t", "--prior", "penalty=2"], "has penalty, shape, rate; write"),
        (["normal-mean", "--column", "x", "--variance", "nan"], "'nan' cannot be; give a number above 0"),
        (["normal-mean", "--column", "x", "--variance", "inf"], "'inf' cannot be"),
        (["normal-mean", "--column", "x", "--variance", "3", "--prior", "location=0"], "has location, mean_variance;"),
        (
            ["normal-mean", "--column", "x", "--variance", "3", "--prior", "location=0,mean_variance=1,variance=4"],
            "has location, mean_variance; --variance says its variance; write",
        ),
        (["normal", "--column", "x", "--mass", "nan"], "give a number above 0 and below 1"),
    ],
)
def test_wrong_usage(priori, table, arguments, message):
    family, *rest = arguments
    assert message in refused(priori("estimate", family, table(GAPS), *rest), 2)


def test_numbers_may_be_fractions(priori, table):
    table("x\n1\n0\n1\n")
    found = exactly(priori("estimate", "bernoulli", "x.csv", "--prior", "alpha=1/2, beta=3/2", "--json"))
    assert (found["prior"]["alpha"], found["prior"]["beta"]) == (0.5, 1.5)
    known = exactly(priori("estimate", "normal-mean", "x.csv", "--variance", "1/4", "--mass", "4/5", "--json"))
    assert known["known"] == {"variance": 0.25} and known["mass"] == 0.8


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--column", "q"], "--column COLUMN"),
        (["--column", "x", "--weight", "q"], "--weight COLUMN"),
        (["--column", "x", "--where", "q=1"], "--where COLUMN=VALUE"),
        (["--weight", "q"], "--weight COLUMN"),
    ],
)
def test_a_column_that_is_not_there_names_its_option(priori, table, arguments, option):
    err = refused(priori("estimate", "poisson", table(GAPS), *arguments))
    assert "no column 'q'; its columns are 'x', 'y', 't', 'k'. " in err and f"Name one of them: {option}." in err
    target = refused(priori("estimate", "linear", "x.csv", "--column", "x", "--target", "q"))
    assert "Name one of them: --target COLUMN." in target


# --- where it is ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("poisson", "-1 is no count"),
        ("exponential", "-1 is below 0"),
        ("gamma", "-1 is not above 0"),
        ("bernoulli", "3 is neither 0 nor 1"),
    ],
)
def test_data_errors_name_source_column_and_row(priori, table, family, message):
    table("x,w\n1,1\n,2\n", "first.csv")
    table("x,w\n1,1\n3,1\n-1,2\n" if message.startswith("-1") else "x,w\n1,1\n0,1\n3,2\n", "second.csv")
    err = refused(priori("estimate", family, "first.csv", "second.csv", "--column", "x"))
    assert err.startswith(f"priori: second.csv: column 'x', row 3: {message}")
    some = refused(priori("estimate", family, "second.csv", "--column", "x", "--where", "w=2"))
    assert some.startswith(f"priori: second.csv: column 'x', row 1 of those with w=2: {message}")


def test_rows_of_counts_name_their_columns(priori, table):
    err = refused(priori("estimate", "multinomial", table("a,b\n1,2\n2,0.5\n"), "--column", "a", "--column", "b"))
    assert err.startswith("priori: x.csv: columns 'a', 'b', row 2: 0.5 is no count")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["1", "-2", "1"], "x.csv: column 'w', row 2: the weight is -2; give each row a number from 0"),
        (["1", "2", ""], "x.csv: column 'w', row 3: the weight is empty"),
        (["0", "0", "0"], "x.csv: column 'w': all weights are 0"),
    ],
)
def test_weights_that_cannot_be(priori, table, weights, message):
    table("x,t,w\n" + "".join(f"{i},{i * i},{weight}\n" for i, weight in enumerate(weights)))
    assert message in refused(priori("estimate", "poisson", "x.csv", "--column", "x", "--weight", "w"))
    assert message in refused(priori("estimate", "linear", "x.csv", "--column", "x", "--target", "t", "--weight", "w"))


def test_other_complaints_name_the_source(priori, table):
    table("x,t\n1,\n2,\n")
    missing = refused(priori("estimate", "linear", "x.csv", "--column", "x", "--target", "t"))
    assert missing.startswith("priori: x.csv: columns 'x', 't': there are no observations (2 are missing)")
    text = refused(priori("estimate", "auto", table("k\na\nb\n"), "--kind", "real"))
    assert text.startswith("priori: x.csv: column 'k': the data are text")


# --- headers and lines ------------------------------------------------------------------------------------------------


def test_numbers_are_a_header_only_if_all_wanted_columns_are_among_them(priori, table):
    found = exactly(
        priori("estimate", "linear", "-", "--column", "0", "--target", "1", "--json", stdin="1,2\n3,4\n5,9\n")
    )
    assert found["n"] == 3 and found["columns"] == ["0"]
    years = exactly(
        priori(
            "estimate", "linear", table("2020,2021\n3,4\n5,9\n4,7\n"), "--column", "2020", "--target", "2021", "--json"
        )
    )
    assert years["n"] == 3 and years["columns"] == ["2020"]
    some = exactly(
        priori("estimate", "normal", "x.csv", "--column", "0", "--where", "1=9", "--json", "--prior", "flat")
    )
    assert some["n"] == 1


@pytest.mark.parametrize("name", ["x.csv", "x.txt", "-"])
def test_numbers_in_one_line(priori, table, name):
    line = "10 20 30\n"
    table(line, "x.txt" if name == "-" else name)
    err = refused(priori("estimate", "normal", name, stdin=line if name == "-" else None))
    assert "give one number in each line" in err


# --- what is printed --------------------------------------------------------------------------------------------------


def test_a_flat_intercept_is_not_all_that_improper_may_mean(priori, table):
    how = ["x.csv", "--column", "x", "--target"]
    table(GAPS)
    for family, target in (("linear", "t"), ("linear-weights", "t"), ("logistic", "k")):
        unit, flat = (priori("estimate", family, *how, target, "--prior", prior).out for prior in ("unit", "flat"))
        assert "(flat intercept)" in unit and "improper" not in unit and "no log evidence" not in unit
        assert "(improper)" in flat and "flat intercept" not in flat and "no log evidence" in flat


def test_what_has_no_interval_is_told_why(priori, table):
    both = [table(GAPS), "--column", "x", "--column", "y"]
    rows = priori("estimate", "multivariate-normal", *both).out
    assert "no interval of covariance[x, y]: off the diagonal it has no closed form" in rows
    assert (
        "no interval of precision: the noise is taken"
        in priori("estimate", "linear-weights", *both, "--target", "t").out
    )
    assert "no interval of" not in priori("estimate", "linear", *both, "--target", "t").out


def test_names_are_whole_in_a_file_and_lose_their_middle_on_a_terminal(priori, table, tmp_path):
    name = f"a name {'that goes on and on ' * 3}and ends here"
    table(f"v\n{name} 1\n{name} 2\n")
    assert f"probabilities[{name} 1]  " in priori("estimate", "categorical", "x.csv").out
    shown = on_a_terminal(["estimate", "categorical", "x.csv"], tmp_path, COLUMNS="80")
    assert "probabilities[a name" in shown and "ends here 1]" in shown and "…" in shown and name not in shown
    assert name in priori("bayes", f"{name}=1:1/2").out
