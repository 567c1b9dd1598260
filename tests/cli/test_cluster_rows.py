"""priori cluster on tables."""

import numpy as np
import pytest

from priori.model.table_classifier import TableModel

KINDS = "xyz"


@pytest.fixture
def flowers(priori, tmp_path):
    """Rows of three kinds that lie apart; some say which."""
    rng = np.random.default_rng(0)
    lines = ["height,width,colour,label,some"]
    for i, kind in enumerate(rng.permutation(np.repeat([0, 1, 2], [60, 45, 30])).tolist()):
        height, width = rng.normal([8 * kind, -9 * kind])
        label = KINDS[kind]
        lines.append(f"{height:.3f},{width:.3f},{'abc'[kind]},{label},{label if i < 15 else ''}")
    (tmp_path / "f.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_a_source_without_a_text_is_a_table(priori, flowers):
    ran = priori("cluster", "f.csv", "--classes", 3, "--columns", "some=none", "-o", "f.priori", "--json")
    assert ran.code == 0 and ran.err == "priori: the labels of the source are left out; --label COL learns from them\n"
    assert ran.json["sizes"] == pytest.approx({"1": 60, "2": 45, "3": 30}, abs=0.01)
    assert (ran.json["kind"], len(ran.json["objectives"])) == ("naive_bayes", 10)
    assert TableModel.load(flowers / "f.priori").schema.names == ("height", "width", "colour")
    rows = priori("classify", "f.priori", "f.csv", "--keep", "label").lines
    assert {(row["label"], row["source_label"]) for row in rows} == {("1", "x"), ("2", "y"), ("3", "z")}
    plain = priori("cluster", "f.csv", "--classes", 3, "--columns", "some=none", "-o", "f.priori").out
    assert plain.startswith("1: 60.0 rows (44.4%)\n")


def test_one_gaussian_of_all_numbers(priori, flowers):
    how = ["--columns", "some=none", "--columns", "colour=none", "--model", "gaussian", "--covariance", "full"]
    ran = priori("cluster", "f.csv", "--classes", 3, *how, "--restarts", 2, "--json", "-o", "f.priori")
    assert (ran.json["kind"], len(ran.json["objectives"])) == ("gaussian_discriminant", 2)
    assert ran.json["sizes"] == pytest.approx({"1": 60, "2": 45, "3": 30}, abs=0.01)


def test_labels_of_some_rows(priori, flowers):
    how = ["--label", "some", "--columns", "label=none", "--json", "-o", "f.priori"]
    found = priori("cluster", "f.csv", *how, "--unlabelled-weight", "1/2").json
    assert (found["labelled"], found["unlabelled"], found["unlabelled_weight"]) == (15, 120, 0.5)
    assert sum(found["sizes"].values()) == pytest.approx(15 + 120 / 2) and list(found["sizes"]) == list(KINDS)
    ran = priori("cluster", "f.csv", *how, "--classes", 4)
    assert ran.code == 1 and "the labels name 3 classes; leave n_classes (--classes) out" in ran.err


def test_labels_that_leave_nothing_to_find(priori, flowers):
    ran = priori("cluster", "f.csv", "--label", "label", "--columns", "some=none", "-o", "f.priori")
    assert ran.code == 1 and "every row has a label, so there is nothing to find; learn from them: priori t" in ran.err
    lines = [f"{9 * (i % 2) + i / 99},{'' if i > 19 else 'ab'[i // 2 % 2]}" for i in range(40)]  # labels cut across
    (flowers / "g.csv").write_text("\n".join(["x,kind", *lines]) + "\n", encoding="utf-8")
    ran = priori("cluster", "g.csv", "--label", "kind", "-o", "f.priori")
    assert ran.code == 1 and "the rows without a label do not help to tell the classes of those with one" in ran.err
    assert not (flowers / "f.priori").exists()


def test_em_goes_as_far_as_it_is_told(priori, flowers):
    how = ["cluster", "f.csv", "--classes", 3, "--columns", "some=none", "--columns", "label=none", "-o", "f.priori"]
    ran = priori(*how, "--iterations", 1, "--restarts", 1)
    assert ran.code == 0 and "EM was still gaining after 1 iteration; allow it more: --iterations\n" in ran.err
    assert priori(*how, "--iterations", 500, "--json").json == priori(*how, "--json").json  # as many as there are


def test_classes_that_vanish_are_told(priori, flowers):
    ran = priori("cluster", "f.csv", "--classes", 9, "--columns", "some=none", "-o", "f.priori")
    assert ran.code == 0 and "9 classes were asked for, but " in ran.err
    assert "ask for fewer: --classes K (n_classes=K)" in ran.err


def test_a_column_without_any_label(priori, flowers):
    (flowers / "g.csv").write_text("x,kind\n1,\n2,\n5,\n", encoding="utf-8")
    ran = priori("cluster", "g.csv", "--label", "kind", "-o", "f.priori")
    assert ran.code == 1 and ran.err.endswith("give --classes K (n_classes=K), or label some rows\n")
    ran = priori("cluster", "f.csv", "--classes", 400, "-o", "f.priori")
    assert ran.code == 1 and "has 135 rows for 400 classes; give more rows, or ask for fewer classes: --cl" in ran.err


@pytest.mark.parametrize("labels", [["--classes", "3"], ["--label", "some"]])
def test_a_covariance_that_is_shrunk_is_refused(priori, flowers, labels):
    left_out = [f"{name}=none" for name in ("colour", "label", "some") if name not in labels]
    how = [*labels, *(part for each in left_out for part in ("--columns", each)), "--model", "gaussian"]
    ran = priori("cluster", "f.csv", *how, "--covariance", "shrunk", "-o", "f.priori")
    assert ran.code == 1 and "is the mode of no prior, so EM has nothing to ascend; choose another --cov" in ran.err
    assert not (flowers / "f.priori").exists()


def test_more_classes_than_any_table_has_rows_are_refused_at_once(priori, flowers):
    ran = priori("cluster", "f.csv", "--classes", 3_000_000_000, "-o", "f.priori")
    assert ran.code == 1 and "the table has 135 rows for 3,000,000,000 classes; give more rows, or ask for" in ran.err


def test_help_says_both_defaults(priori):
    told = " ".join(priori("cluster", "--help").out.split())
    for default in ("20; of a table, 10", "random; of a table, spread", "200; of a table, 500", "0.1; of a table, 1"):
        assert f"[default: {default}]" in told


def test_standard_input_is_a_table_when_it_is_said_to_be(priori, flowers):
    how = ["--classes", 3, "--columns", "some=none", "--seed", 1, "-o", "f.priori"]
    priori("cluster", "f.csv", *how)
    expected = (flowers / "f.priori").read_bytes()
    ran = priori("cluster", "-", "--table", *how, stdin=(flowers / "f.csv").read_bytes())
    assert ran.code == 0 and (flowers / "f.priori").read_bytes() == expected
    ran = priori("cluster", "-", *how[:2], "-o", "g.priori", stdin=(flowers / "f.csv").read_bytes())
    assert ran.code == 1 and "--text COLUMN; or add --table" in ran.err


def test_readings_reach_the_model(priori, flowers):
    how = ["--classes", 3, "--columns", "some=none", "--alpha", "1/2", "--missing", "evidence", "-o", "f.priori"]
    assert priori("cluster", "f.csv", *how).code == 0
    readings = TableModel.load(flowers / "f.priori").readings
    assert (readings.alpha, readings.missing) == (0.5, "evidence")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give --classes K, or labels of some: --label"),
        (["--classes", "1"], "one class leaves nothing to tell apart"),
        (["--classes", "2-4"], "how many classes a table has cannot be chosen"),
        (["--classes", "3", "--method", "gibbs"], "--method gibbs is for texts, and the source is a table"),
        (["--classes", "3", "--seeds", "s.toml"], "--seeds is for texts, and f.csv is a table without a column 'text'"),
        (["--classes", "3", "--resume"], "--resume is for texts"),
        (["--classes", "3", "--fresh"], "--fresh is for texts"),
        (["--classes", "3", "--top", "4"], "a column 'text'; name its text with --text COL"),
        (["--classes", "3", "--temper", "none"], "--temper is for texts"),
        (["--classes", "3", "--jobs", "2"], "--jobs is for texts"),
        (["--classes", "3", "--iterations", "0"], "0 is not in the range"),
        (["--classes", "3", "--unlabelled-weight", "0"], "'0' is no weight; give a number above 0, up to 1"),
        (
            ["--classes", "3", "--assignments", "a.csv"],
            "--assignments is for texts, and f.csv is a table without a column 'text'; priori classify writes",
        ),
        (
            ["--classes", "3", "--table", "--assignments", "a.csv"],
            "--assignments is for texts, and --table reads all columns; priori classify writes the class of each row",
        ),
        (["--classes", "3", "--truth", "some"], "--truth is for texts"),
        (["--classes", "3", "--table", "--ngrams", "2"], "--ngrams is for texts, and --table reads all columns"),
        (
            ["--classes", "3", "--text", "colour", "--missing", "ignore"],
            "--missing is for tables, and f.csv is read as",
        ),
    ],
)
def test_wrong_usage(priori, flowers, arguments, said):
    ran = priori("cluster", "f.csv", "-o", "f.priori", *arguments)
    assert ran.code == 2 and said in ran.err and ran.out == ""
    assert not (flowers / "f.priori").exists()
