"""priori compare: the table, the JSON, the curves and their picture, and what it refuses."""

import json

import numpy as np
import pytest

QUICK = ("--restarts", 2, "--chains", 2, "--burn-in", 5, "--samples", 8)


@pytest.fixture
def texts(tmp_path):
    """Sixty texts about two things, a few without a label, and where they belong."""
    rng = np.random.default_rng(0)
    about = {"sea": "ship wave salt sail and the", "wood": "tree leaf moss bark and the"}
    lines = ["text,label,split"]
    for row in range(60):
        name = ("sea", "wood")[row % 2]
        words = " ".join(rng.choice(about[name].split(), 8))
        lines.append(f"{words} w{row},{'' if row % 10 == 9 else name},{'test' if row >= 40 else 'train'}")
    (tmp_path / "texts.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_the_lectures_table(priori, texts):
    found = priori("compare", "texts.csv", *QUICK)
    assert found.code == 0, found.err
    assert "sea, wood" in found.out and "documents held out" in found.out
    for name in (
        "relative frequencies",
        "EM",
        "EM, tuned",
        "Bayesian",
        "Bayesian, integrated",
        "Gibbs",
        "TextClassifier",
    ):
        assert f"\n{name}  " in found.out and f"\n{name}: " in found.out
    assert "matched with the true ones" in found.out and "best of 2 starts" in found.out
    told = priori("compare", "texts.csv", *QUICK, "--json")
    document = told.json
    assert [row["supervised"] for row in document["techniques"]] == [True, False, False, True, True, False, False]
    bayes = document["techniques"][3]
    assert 15 <= document["test_documents"] <= 18  # three tenths of 54, each class dealt by itself
    assert bayes["labelled"] + document["test_documents"] == 54 and bayes["unlabelled"] == 0 and bayes["accuracy"] == 1
    assert document["techniques"][1]["unlabelled"] == document["train_documents"] == 60 - document["test_documents"]
    assert told.err == ""


def test_labels_and_a_given_test_part(priori, texts):
    given = ("--where", "split=train", "--test-where", "split=test")
    document = priori("compare", "texts.csv", *given, "--labels", 3, *QUICK, "--json").json
    assert document["test"] == "given" and document["labels_per_class"] == 3
    assert document["test_documents"] == 18 and document["train_documents"] == 40
    assert {row["labelled"] for row in document["techniques"]} == {6}
    lines = (texts / "texts.csv").read_text(encoding="utf-8").splitlines()
    (texts / "train.csv").write_text("\n".join(lines[:41]), encoding="utf-8")
    (texts / "test.csv").write_text("\n".join([lines[0], *lines[41:]]), encoding="utf-8")
    apart = priori("compare", "train.csv", "--test", "test.csv", "--labels", 3, *QUICK, "--json").json
    for one, other in zip(document["techniques"], apart["techniques"], strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_rows_to_measure_on_are_not_learned_from(priori, tmp_path):
    rng = np.random.default_rng(1)  # words and labels at random: nothing can be known of a text that was not seen
    words = [" ".join(f"w{word}" for word in rng.integers(0, 300, 20)) for _ in range(600)]
    rows = [f"{text},{rng.choice(['a', 'b'])},{'test' if row % 2 else 'train'}" for row, text in enumerate(words)]
    (tmp_path / "texts.csv").write_text("\n".join(["text,label,split", *rows]), encoding="utf-8")
    found = priori("compare", "texts.csv", "--test-where", "split=test", *QUICK, "--json")
    assert (found.json["train_documents"], found.json["test_documents"], found.err) == (300, 300, "")
    for row in found.json["techniques"]:
        assert row["accuracy"] < 0.5 + 4 * 0.5 / 300**0.5  # four standard errors


def test_copies_of_given_test_documents_are_not_learned_from(priori, texts):
    lines = (texts / "texts.csv").read_text(encoding="utf-8").splitlines()
    (texts / "test.csv").write_text("\n".join([lines[0], *lines[41:]]), encoding="utf-8")
    found = priori("compare", "texts.csv", "--test", "test.csv", *QUICK, "--json")
    assert found.json["copies_left_out"] == 18 and found.json["train_documents"] == 42  # two of 20 have no label
    assert found.err == (
        "priori: 18 documents left out of learning: they are the same, word for word, as one to measure on\n"
    )


def test_labels_that_were_never_learned_are_named(priori, texts):
    (texts / "other.csv").write_text("text,label\nship wave,air\nleaf moss,wood\n", encoding="utf-8")
    found = priori("compare", "texts.csv", "--test", "other.csv", *QUICK, "--json")
    assert found.json["never_learned"] == ["air"]
    assert "no document to learn from has the label air, so no technique that learns from labels can find" in found.err


def test_a_table_is_told_where_to_go(priori, tmp_path):
    (tmp_path / "flowers.csv").write_text("length,width,label\n1,2,a\n2,3,b\n", encoding="utf-8")
    found = priori("compare", "flowers.csv")
    assert found.code == 1 and found.err.endswith(
        "Name the one with the text: --text COLUMN; rows of numbers and categories are for priori compare-learners.\n"
    )


def test_without_labels_supervised_techniques_say_so(priori, texts):
    found = priori("compare", "texts.csv", "--labels", 0, *QUICK)
    assert "Bayesian: learns from labels, and none is left." in found.out
    assert "TextClassifier: n_classes=2, and else its defaults: EM as it is tuned." in found.out
    more = priori("compare", "texts.csv", "--labels", 0, "--classes", 3, *QUICK)
    assert "3 classes for 2 labels: documents in the others are wrong." in more.out


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads(priori, texts):
    def run(*more):
        document = priori("compare", "texts.csv", "--labels", 1, *QUICK, "--json", *more).json
        return [{**row, "seconds": 0} for row in document["techniques"]]

    assert run("--jobs", 1) == run("--jobs", 2)
    assert run() != run("--seed", 5)


def test_curves_and_their_picture(priori, texts):
    curve = ("--curve", "--sizes", "0,2,all", "--repeats", 2, "--plot", "c.svg")
    found = priori("compare", "texts.csv", *QUICK, *curve)
    assert found.code == 0, found.err
    assert "\naccuracy by labels of each class, means of 2 repeats\n" in found.out
    tables = [line for line in found.out.splitlines() if "  " in line.strip() and ": " not in line]
    assert max(map(len, tables)) <= 78  # on a terminal of 80 columns the drawn table has a margin of one at each side
    assert "\nlabels  rel. freq.  " in found.out and "  Gibbs  classifier\n" in found.out
    picture = (texts / "c.svg").read_text(encoding="utf-8")
    assert "EM, tuned" in picture and ">all<" in picture
    document = priori("compare", "texts.csv", *QUICK, *curve, "--json").json
    assert document["curves"]["labels_per_class"] == [0, 2, "all"]
    ml = document["curves"]["techniques"][0]
    assert ml["labels_per_class"] == [2, "all"] and len(ml["accuracy"]["mean"]) == 2
    assert "NaN" not in json.dumps(document)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--plot", "c.svg"), 2, "--plot is of the learning curves; add --curve"),
        (("--curve", "--sizes", "1,few"), 2, "no numbers of labels"),
        (("--curve", "--sizes", "-1"), 2, "negative"),
        (("--label", "split", "--where", "split=train"), 1, "all labels are 'train'"),
        (("--test-where", "split=never"), 1, "left to measure on"),
        (("--classes", "1"), 2, "--classes"),
        (("--alpha", "0"), 2, "--alpha"),
    ],
)
def test_what_is_refused(priori, texts, arguments, code, said):
    found = priori("compare", "texts.csv", *QUICK, *arguments)
    assert found.code == code
    assert said in found.err


def test_standard_input_is_read_once(priori, texts):
    csv = (texts / "texts.csv").read_text(encoding="utf-8")
    found = priori("compare", "-", "--format", "csv", "--test-where", "split=test", stdin=csv)
    assert found.code == 2 and "only once" in found.err
    assert priori("compare", "-", "--format", "csv", *QUICK, stdin=csv).code == 0
