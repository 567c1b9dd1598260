"""priori compare-learners and priori draw."""

import click
import numpy as np
import pytest
from test_cli_faults import refused

from priori.cli.output.terminal import Table
from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.learner_comparison import compare_learners
from priori.estimators.naive_bayes import NaiveBayes
from priori.select.learning_curves import LearnerComparison, LearningCurve, Scores


@pytest.fixture
def table(priori, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 2)) + y[:, None] * [1.5, 0.5]
    names = ["no", "yes"]
    lines = [f"{a:.4f},{b:.4f},{names[k]}" for (a, b), k in zip(X, y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,income", *lines]), encoding="utf-8")
    columns = {"a": [float(line.split(",")[0]) for line in lines], "b": [float(line.split(",")[1]) for line in lines]}
    return columns, [names[k] for k in y]


def test_tables_sentences_and_a_picture(priori, table, tmp_path):
    ran = priori("compare-learners", "t.csv", "--label", "income", "--sizes", "6,40", "--repeats", 2, "--plot", "c.svg")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[:2] == ["t.csv: no, yes", "means ± standard errors, 36 rows held out, 2 repeats"]
    assert lines[2] == "accuracy"
    assert lines[3].split() == ["rows", "naive", "Bayes", "Gaussian", "logistic", "least", "squares", "tree"]
    tables = ran.out.split("\n\nlogistic")[0].splitlines()
    assert max(map(len, tables)) <= 80
    assert any(line.startswith("log loss") for line in lines) and any(line.startswith("joint") for line in lines)
    assert sum("logistic" in line and " in accuracy" in line for line in lines) == 2
    assert (tmp_path / "c.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_a_terminal_of_eighty_columns_shows_thousands_of_rows_whole(capfdbinary, monkeypatch):
    rng = np.random.default_rng(0)
    sizes = (10, 1000, 10_000)

    def scores(mean):
        return Scores(mean + 0.01 * rng.normal(size=(5, 3)))

    names = ("naive Bayes", "Gaussian", "logistic", "least squares", "tree")
    curves = tuple(LearningCurve(name, name[0] in "nG", scores(0.5), scores(0.7), scores(-40.0)) for name in names)
    monkeypatch.setattr("priori.cli.output.terminal.is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    for title, (head, *lines) in LearnerComparison(sizes, 5, 300, ("a", "b"), curves, ()).blocks():
        table = Table([f">{name}" for name in head], list(lines), title)
        table.print()
        assert table.fits()
        shown = click.unstyle(capfdbinary.readouterr().out.decode())
        assert shown.splitlines()[0] == title and "…" not in shown
        for line in lines:
            assert all(cell in shown for cell in line)


def test_json_is_the_library_s(priori, table):
    ran = priori(
        "compare-learners", "t.csv", "--label", "income", "--sizes", "6,40", "--repeats", 2, "--json", "--seed", 3
    )
    assert ran.json == compare_learners(*table, sizes=[6, 40], repeats=2, seed=3).to_json()


def test_a_simulation_needs_no_table(priori):
    ran = priori("compare-learners", "--simulate", "poisson", "-n", 30, "--sizes", "8,30", "--repeats", 2)
    assert ran.code == 0, ran.err
    assert "Bayes-optimal" in ran.out and ran.out.startswith("simulated, poisson: ")
    found = priori("compare-learners", "--simulate", "gaussian", "-n", 30, "--sizes", 8, "--repeats", 1, "--json").json
    assert found["simulated"] == "gaussian" and found["sizes"] == [8]
    assert found["bayes_optimal"] == {"accuracy": pytest.approx(0.8413447460685429), "standard_error": 0.0}


def test_rows_without_a_label_are_noted(priori, table, tmp_path):
    with (tmp_path / "t.csv").open("a", encoding="utf-8") as file:
        file.write("\n1.0,2.0,\n")
    ran = priori("compare-learners", "t.csv", "--label", "income", "--sizes", 6, "--repeats", 1)
    assert ran.code == 0 and "1 row without a label left out" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "give a SOURCE"),
        (("t.csv", "--simulate", "gaussian"), 2, "not both"),
        (("t.csv", "-n", "5"), 2, "-n is for --simulate"),
        (("t.csv", "--label", "income", "--sizes", "a"), 2, "no numbers of rows"),
        (("t.csv", "--label", "income", "--sizes", "1"), 1, "must lie between 2"),
        (("t.csv",), 1, "--label COLUMN"),
        (("t.csv", "--label", "income", "--plot", "c.jpg"), 1, "let the name end in"),
    ],
)
def test_what_cannot_be_compared_is_said_in_a_line(priori, table, arguments, code, said):
    assert said in " ".join(refused(priori("compare-learners", *arguments), code).split())


def test_draw_one_column_or_two(priori, table, tmp_path):
    GaussianDiscriminant().fit(*table).save(tmp_path / "g.priori")
    ran = priori("draw", "g.priori", "t.csv", "--label", "income", "--column", "a", "-o", "a.svg")
    assert (ran.code, ran.out) == (0, "a.svg: a\n"), ran.err
    assert "p(x | yes) p(yes)" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    ran = priori("draw", "g.priori", "-o", "ab.svg", "--json")
    assert ran.json == {"model": "g.priori", "columns": ["a", "b"], "picture": "ab.svg"}
    assert "Decision boundary" in (tmp_path / "ab.svg").read_text(encoding="utf-8")


def test_draw_says_what_it_cannot(priori, table, tmp_path):
    columns, y = table
    NaiveBayes().fit({**columns, "c": ["u", "v"] * 60}, y).save(tmp_path / "n.priori")
    assert "choose with --column among a, b, c" in refused(priori("draw", "n.priori", "-o", "a.svg"))
    assert "columns of numbers" in refused(priori("draw", "n.priori", "--column", "c", "-o", "a.svg"))
    assert "no column 'z'" in refused(priori("draw", "n.priori", "--column", "z", "-o", "a.svg"))
    twice = ("--column", "a", "--column", "a")
    assert "column 'a' is named twice" in refused(priori("draw", "n.priori", *twice, "-o", "a.svg"))
    assert "let the name end in" in refused(priori("draw", "n.priori", "--column", "a", "-o", "a.txt"))
    refused(priori("draw", "t.csv", "-o", "a.svg"))
