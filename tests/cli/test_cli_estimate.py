"""priori estimate."""

import gzip
import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_cli_faults import refused
from test_cli_processes import on_a_terminal

from priori import estimate
from priori.cli.commands.estimate import FAMILIES as NAMES
from priori.cli.commands.estimate import REGRESSIONS as OTHERS
from priori.families import BetaBernoulli, DirichletCategorical, DirichletMultinomial, NormalInverseGamma
from priori.families.registry import FAMILIES, REGRESSIONS

GOALS = [2, 0, 3, 1, 4, 2, 2]
TABLE = "team,goals,games,home\n" + "".join(
    f"{'red' if i % 3 else 'blue'},{goals},{1 + i % 2},{'true' if i % 2 else 'false'}\n"
    for i, goals in enumerate(GOALS)
)


@pytest.fixture
def goals(tmp_path):
    (tmp_path / "goals.csv").write_text(TABLE + "red,NA,1,true\n", encoding="utf-8")
    (tmp_path / "temperatures.txt").write_text("-2.5\n-9.9\n-12.1\n-8.9\n-6.0\n-4.8\n2.4\n", encoding="utf-8")
    return tmp_path


def exactly(ran):
    """One JSON document without NaN and infinities, and nothing else."""
    assert ran.code == 0, ran.err
    assert ran.out.count("\n") == 1 and ran.err == ""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(ran.out, parse_constant=refuse)


def test_the_names_are_those_of_the_library():
    assert tuple(FAMILIES) == NAMES
    assert tuple(REGRESSIONS) == OTHERS
    assert all(family.name == name for name, family in REGRESSIONS.items())


def test_it_says_what_the_library_says(priori, goals):
    found = exactly(priori("estimate", "poisson", "goals.csv", "--column", "goals", "--json"))
    assert found == {"columns": ["goals"], **json.loads(json.dumps(estimate("poisson", [*GOALS, None]).to_json()))}
    assert (found["n"], found["missing"]) == (7, 1)
    assert found["ml"]["rate"] == pytest.approx(2) and found["absent"] == {}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["bernoulli", "--column", "home", "--prior", "alpha=2,beta=3"], BetaBernoulli(2, 3)),
        (["categorical", "--column", "team", "--prior", "alpha=2"], DirichletCategorical(2, ("blue", "red"))),
        (["categorical", "--column", "team", "--prior", "red=2,blue=1"], DirichletCategorical({"red": 2, "blue": 1})),
        (["multinomial", "--column", "goals", "--column", "games"], DirichletMultinomial(0.5, ("goals", "games"))),
        (
            ["normal", "--column", "goals", "--prior", "location=1, kappa=2, shape=3, scale=4"],
            NormalInverseGamma(1, 2, 3, 4),
        ),
    ],
)
def test_priors(priori, tmp_path, arguments, expected):
    (tmp_path / "goals.csv").write_text(TABLE, encoding="utf-8")
    family, *rest = arguments
    found = exactly(priori("estimate", family, "goals.csv", *rest, "--json"))
    assert found["prior"]["says"] == str(expected)


def test_weights_conditions_and_masses(priori, goals):
    weighted = exactly(
        priori("estimate", "poisson", "goals.csv", "--column", "goals", "--weight", "games", "--mass", 0.5, "--json")
    )
    expected = estimate("poisson", [*GOALS, None], weights=[1, 2, 1, 2, 1, 2, 1, 1], mass=0.5)
    assert weighted["n"] == 10 and weighted["interval"]["rate"] == list(expected.interval["rate"])
    some = exactly(priori("estimate", "poisson", "goals.csv", "--column", "goals", "--where", "team=blue", "--json"))
    assert (some["n"], some["ml"]["rate"]) == (3, pytest.approx((2 + 1 + 2) / 3))


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv", "x.jsonl", "x.parquet", "x.txt", "-"])
def test_one_column_needs_no_name(priori, goals, name):
    values = (-2.5, -9.9, -12.1, -8.9, -6.0, -4.8, 2.4)
    lines = "\n".join(map(str, values)) + "\n"
    if name == "x.parquet":
        pq.write_table(pa.table({"t": values}), goals / name)
    elif name == "x.csv.gz":
        (goals / name).write_bytes(gzip.compress(b"t\n" + lines.encode()))
    elif name == "x.jsonl":
        (goals / name).write_text("".join(f'{{"t": {value}}}\n' for value in values), encoding="utf-8")
    elif name != "-":
        (goals / name).write_text(lines if name == "x.txt" else "t\n" + lines, encoding="utf-8")
    found = exactly(priori("estimate", "normal", name, "--json", stdin=lines if name == "-" else None))
    assert found["ml"]["mean"] == pytest.approx(-41.8 / 7)
    assert math.sqrt(found["ml"]["variance"]) == pytest.approx(np.std(values))


def test_the_three_schools_side_by_side(priori, goals):
    ran = priori(
        "estimate", "normal-mean", "temperatures.txt", "--variance", 25, "--prior", "location=0,mean_variance=4"
    )
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()]
    mean = -41.8 / 25 / (7 / 25 + 1 / 4)
    assert rows[0] == ["normal-mean:", "7", "observations"]
    assert rows[1] == ["parameter", "ML", "MAP", "mean", "95", "%", "interval"]
    assert rows[2][:4] == ["mean", f"{-41.8 / 7:.3f}", f"{mean:.3f}", f"{mean:.3f}"]
    for what in ("prior", "posterior", "predictive", "log-likelihood", "AIC", "BIC", "log evidence"):
        assert what in ran.out
    assert "variance" not in ran.out.split("prior")[0]


def test_what_does_not_exist_is_said(priori, goals):
    (goals / "same.csv").write_text("x\n5\n5\n5\n", encoding="utf-8")
    ran = priori("estimate", "normal", "same.csv", "--prior", "location=0,kappa=1,shape=2,scale=3")
    assert ran.code == 0 and "no ML, log-likelihood, AIC, BIC: the observations are all equal" in ran.out
    found = exactly(priori("estimate", "normal", "same.csv", "--prior", "flat", "--json"))
    assert found["map"] is None and "all equal" in found["absent"]["map"]
    flat = priori("estimate", "poisson", "goals.csv", "--column", "goals", "--prior", "flat")
    assert "(improper)" in flat.out and "no log evidence: " in flat.out


def test_auto_ranks_and_then_estimates(priori, goals):
    ran = priori("estimate", "auto", "goals.csv", "--column", "goals")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split()[0] == "family" and lines[1].split()[0] == "poisson" and "poisson: 7 observations" in ran.out
    found = exactly(priori("estimate", "auto", "goals.csv", "--column", "goals", "--json", "--mass", 0.5))
    assert [row["name"] for row in found["ranking"]] == ["poisson", "categorical"]
    assert sum(row["probability"] for row in found["ranking"]) == pytest.approx(1)
    assert found["estimate"]["family"] == "poisson" and found["estimate"]["mass"] == 0.5
    real = exactly(priori("estimate", "auto", "goals.csv", "--column", "goals", "--kind", "real", "--json"))
    assert {"normal", "exponential"} <= {row["name"] for row in real["ranking"]}
    text = exactly(priori("estimate", "auto", "goals.csv", "--column", "team", "--json"))
    assert text["estimate"]["family"] == "categorical"
    values = exactly(priori("estimate", "auto", "goals.csv", "--column", "goals", "--kind", "values", "--json"))
    assert values["estimate"]["ml"]["values"] == ["0", "1", "2", "3", "4"]
    assert values["estimate"]["missing"] == 1


def test_auto_says_what_it_leaves_out(priori, goals):
    (goals / "same.csv").write_text("x\n5.5\n5.5\n", encoding="utf-8")
    ran = priori("estimate", "auto", "same.csv")
    assert ran.code == 0 and "normal is left out: the observations are all equal" in ran.err
    assert "normal" in exactly(priori("-q", "estimate", "auto", "same.csv", "--json"))["refused"]


def test_large_numbers_keep_the_digits_that_their_interval_makes_sense_of(priori, goals):
    (goals / "x.txt").write_text("\n".join(str(1e8 + i / 8) for i in range(9)), encoding="utf-8")
    assert "100,000,000.5000" in priori("estimate", "normal", "x.txt").out


def test_rows_of_several_columns(priori, goals):
    how = ["multivariate-normal", "goals.csv", "--column", "goals", "--column", "games", "--where", "team=red"]
    prior = ["--prior", "location=1,kappa=2,nu=4,scale=3"]
    (goals / "goals.csv").write_text(TABLE, encoding="utf-8")
    found = exactly(priori("estimate", *how, *prior, "--json"))
    rows = np.array([[GOALS[i], 1 + i % 2] for i in (1, 2, 4, 5)])
    np.testing.assert_allclose(found["ml"]["covariance"], np.cov(rows.T, bias=True))
    assert found["prior"]["scale"] == [[3, 0], [0, 3]] and found["prior"]["location"] == [1, 1]
    ran = priori("estimate", *how, *prior)
    assert (
        "mean[goals]" in ran.out and "covariance[goals, games]" in ran.out and "covariance[games, goals]" not in ran.out
    )


TRIAL = "dose,age,effect\n" + "".join(
    f"{d},{a},{e}\n" for d, a, e in [(0, 40, 1.0), (1, 35, 3.5), (2, 50, 4.0), (4, 45, 9.5), (5, 30, ""), (3, 60, 7.0)]
)


def test_regressions(priori, goals):
    (goals / "trial.csv").write_text(TRIAL, encoding="utf-8")
    both = ["trial.csv", "--column", "dose", "--column", "age", "--target", "effect"]
    found = exactly(priori("estimate", "linear", *both, "--prior", "flat", "--json"))
    X, t = np.array([[0, 40], [1, 35], [2, 50], [4, 45], [3, 60]]), np.array([1, 3.5, 4, 9.5, 7])
    solved = np.linalg.lstsq(np.column_stack([X, np.ones(5)]), t, rcond=None)[0]
    np.testing.assert_allclose([*found["ml"]["weights"], found["ml"]["intercept"]], solved, rtol=1e-9)
    assert (found["n"], found["missing"], found["columns"]) == (5, 1, ["dose", "age"])
    known = ["estimate", "linear-weights"]
    shown = priori(*known, *both)
    assert "weights[dose]" in shown.out and "weights[age]" in shown.out and "intercept" in shown.out
    given = exactly(priori(*known, *both, "--prior", "weight_variance=4,precision=2", "--json"))
    assert given["prior"]["weight_variance"] == 4 and given["prior"]["names"] == ["dose", "age"]
    one = priori(*known, "trial.csv", "--column", "dose", "--target", "effect", "--plot", "line.svg")
    assert one.code == 0 and b"<svg" in (goals / "line.svg").read_bytes()
    several = priori(*known, *both, "--plot", "weights.svg")
    assert several.code == 0 and b"<svg" in (goals / "weights.svg").read_bytes()
    assert "write weight_variance=NUMBER" in refused(priori(*known, *both, "--prior", "alpha=1"), 2)
    assert "cannot be" in refused(priori(*known, *both, "--prior", "weight_variance=0,precision=1"), 2)


def test_logistic_regression(priori, goals):
    rows = [(0.5, "no"), (1, "yes"), (2, "no"), (4, "yes"), (5, "yes"), (3, ""), (2.5, "no"), (1.5, "yes")]
    (goals / "cured.csv").write_text("dose,cured\n" + "".join(f"{d},{c}\n" for d, c in rows), encoding="utf-8")
    how = ["logistic", "cured.csv", "--column", "dose", "--target", "cured"]
    found = exactly(priori("estimate", *how, "--prior", "weight_variance=4", "--json"))
    assert (found["n"], found["missing"], found["map"]["classes"]) == (7, 1, ["no", "yes"])
    assert found["log_evidence"] < 0 < found["map"]["weights"][0][0]
    shown = priori("estimate", *how, "--prior", "flat")
    assert "weights[dose]" in shown.out and "p(yes) = σ(" in shown.out and "no log evidence" in shown.out
    unit = exactly(priori("estimate", *how, "--json"))  # 4 / the variance of the labelled doses
    doses = [dose for dose, cured in rows if cured]
    assert unit["prior"]["weight_variance"] == pytest.approx(4 / np.var(doses))
    assert "leave --plot out" in refused(priori("estimate", "logistic", "nowhere.csv", *how[2:], "--plot", "x.svg"), 2)
    (goals / "apart.csv").write_text("x,y\n1,a\n2,a\n5,b\n6,b\n", encoding="utf-8")
    assert "separated" in refused(
        priori("estimate", "logistic", "apart.csv", "--column", "x", "--target", "y", "--prior", "flat")
    )


def test_many_values_are_cut(priori, goals):
    (goals / "words.csv").write_text("word\n" + "".join(f"w{i}\n" for i in range(30)), encoding="utf-8")
    ran = priori("estimate", "categorical", "words.csv")
    assert ran.out.count("probabilities[") == 20 and "10 more parameters are not shown" in ran.err


def test_a_picture(priori, goals):
    ran = priori("estimate", "poisson", "goals.csv", "--column", "goals", "--plot", "p.svg", "--json")
    assert exactly(ran)["n"] == 7
    assert b"<svg" in (goals / "p.svg").read_bytes()


def test_a_terminal_gets_tables(priori, goals):
    wide, narrow = (
        on_a_terminal(["estimate", "auto", "goals.csv", "--column", "goals"], goals, COLUMNS=columns).split("poisson:")[
            0
        ]
        for columns in ("120", "80")
    )
    assert "───" in wide and "log-likelihood" in wide and "\x1b[1m" in wide
    assert "log-lik." in narrow and "poisson" in narrow and "…" not in narrow
    (goals / "x.txt").write_text("\n".join(str(1e8 + i / 8) for i in range(9)), encoding="utf-8")
    split = on_a_terminal(["estimate", "normal", "x.txt"], goals)
    assert split.count("parameter") == 3 and "…" not in split  # the intervals have a table of their own


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["poison", "goals.csv"], "'bernoulli', 'categorical', 'multinomial', 'poisson'"),
        (["poisson"], "SOURCE"),
        (["poisson", "goals.csv", "--column", "goals", "--column", "games"], "give one --column"),
        (["auto", "goals.csv", "--column", "goals", "--column", "games"], "give one --column"),
        (["poisson", "goals.csv", "--column", "goals", "--prior", "wide"], "'wide' is no prior"),
        (["poisson", "goals.csv", "--column", "goals", "--prior", "shape=x,rate=1"], "is no prior"),
        (["poisson", "goals.csv", "--column", "goals", "--prior", "shape=1,shape=1"], "shape is given twice"),
        (["poisson", "goals.csv", "--column", "goals", "--prior", "alpha=1"], "write shape=NUMBER,rate=NUMBER"),
        (["poisson", "goals.csv", "--column", "goals", "--prior", "shape=-1,rate=1"], "shape=-1.0 cannot be"),
        (["poisson", "goals.csv", "--column", "goals", "--variance", "2"], "leave --variance out"),
        (["linear-weights", "goals.csv", "--column", "goals"], "needs the --target"),
        (["normal", "goals.csv", "--column", "goals", "--target", "games"], "leave --target out"),
        (["normal-mean", "temperatures.txt"], "needs the known --variance"),
        (["normal-mean", "temperatures.txt", "--variance", "-1"], "--variance"),
        (["normal", "temperatures.txt", "--kind", "real"], "--kind is for auto"),
        (["auto", "temperatures.txt", "--prior", "flat"], "unit priors"),
        (["normal", "temperatures.txt", "--mass", "1"], "--mass"),
        (["normal", "temperatures.txt", "--where", "team"], "COLUMN=VALUE"),
    ],
)
def test_wrong_usage(priori, goals, arguments, message):
    assert message in refused(priori("estimate", *arguments), 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["poisson", "goals.csv"], "has the columns 'team', 'goals', 'games', 'home'; choose with --column"),
        (["poisson", "goals.csv", "--column", "score"], "no column 'score'; its columns are 'team'"),
        (["poisson", "goals.csv", "--column", "team"], "column 'team' has 'blue' in row 1, which is no finite number"),
        (["poisson", "goals.csv", "--column", "goals", "--weight", "team"], "column 'team' has 'blue'"),
        (["poisson", "goals.csv", "--weight", "weights"], "no column 'weights'; its columns are 'team'"),
        (["poisson", "temperatures.txt", "--weight", "weights"], "no column 'weights'"),
        (["linear-weights", "goals.csv", "--column", "games", "--target", "team"], "column 'team' has 'blue'"),
        (["poisson", "temperatures.txt"], "-2.5 is no count; give whole numbers from 0"),
        (["exponential", "temperatures.txt"], "-2.5"),
        (["bernoulli", "goals.csv", "--column", "goals"], "2"),
        (["poisson", "goals.csv", "--column", "goals", "--where", "team=green"], "has no rows"),
        (["categorical", "goals.csv", "--column", "team", "--prior", "red=1"], "'blue', which the prior does not know"),
        (["auto", "goals.csv", "--column", "team", "--kind", "real"], "the data are text"),
        (["poisson", "nowhere.csv"], "no such file"),
        (["poisson", "empty.csv"], "is empty"),
        (["poisson", "missing.csv"], "there are no observations (2 are missing)"),
        (["poisson", "goals.csv", "--column", "goals", "--plot", "nowhere/p.svg"], "its folder does not exist"),
        (["poisson", "goals.csv", "--column", "goals", "--plot", "p.xls"], "let the name end in .svg"),
    ],
)
def test_bad_data_is_one_line(priori, goals, arguments, message):
    (goals / "empty.csv").write_bytes(b"")
    (goals / "missing.csv").write_bytes(b"x\nNA\nnull\n")
    for extra in ([], ["--json"]):
        assert message in refused(priori("estimate", *arguments, *extra))
