"""priori train --unlabelled em: documents and rows without a label help, or are said not to."""

import csv

import numpy as np
import pyarrow.parquet as pq
import pytest
from test_cluster_rows import flowers  # noqa: F401  a fixture

import priori as package
from priori.estimators.text_classifier import TextClassifier
from priori.model.classifier import Model
from priori.model.table_classifier import TableModel

SMS = f"{package.__path__[0]}/data/samples/sms_spam.parquet"


@pytest.fixture
def half(priori, tmp_path):
    """Messages of which every hundredth has a label, and in another column all but one of every hundred."""
    sms = pq.read_table(SMS).to_pydict()
    with (tmp_path / "half.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label", "truth"])
        for i, (text, label) in enumerate(zip(sms["text"], sms["label"], strict=True)):
            rows.writerow([text, "" if i % 100 else label, label])
    return tmp_path


def test_rows_without_a_label_are_skipped_and_the_note_says_what_would_not(priori, half):
    ran = priori("train", "half.csv", "-o", "m.priori")
    assert ran.err == "priori: 5,518 rows without a label skipped; --unlabelled em lets them help\n"
    assert priori("train", "half.csv", "-o", "m.priori", "--json").json["half_labelled"] is None
    assert "without" not in priori("train", "half.csv", "--label", "truth", "-o", "m.priori").err


def test_they_help_as_far_as_held_out_labels_say(priori, half):
    skipped = priori("train", "half.csv", "-o", "m.priori", "--json").json
    ran = priori("train", "half.csv", "--unlabelled", "em", "--note", "half", "-o", "em.priori", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json["half_labelled"]
    assert (found["labelled"], found["unlabelled"], ran.json["unlabelled"]) == (56, 5518, 5518)
    without, chosen = found["held_out"]
    assert without["unlabelled_weight"] == 0 and without["log_loss"] == pytest.approx(skipped["fitted"]["log_loss"])
    assert chosen["unlabelled_weight"] == found["unlabelled_weight"] > 0 and chosen["log_loss"] < without["log_loss"]
    stored = Model.load(half / "em.priori").provenance["unlabelled"]
    assert stored.startswith("56 rows with a label, 5,518 without, which weigh 0.1; log loss of held-out labels: ")
    plain = priori("train", "half.csv", "--unlabelled", "em", "-o", "em.priori")
    assert stored in plain.out and Model.load(half / "em.priori").provenance is None
    measured = [
        priori("evaluate", name, "half.csv", "--label", "truth", "--json").json for name in ("m.priori", "em.priori")
    ]
    assert measured[1]["log_loss"] < measured[0]["log_loss"]


def test_rows_of_a_table_that_em_learned_are_not_left_out(priori, flowers):  # noqa: F811
    how = ["--label", "some", "--columns", "label=none", "--unlabelled", "em", "--unlabelled-weight", "1"]
    assert priori("train", "f.csv", *how, "-o", "half.priori").code == 0
    ran = priori("evaluate", "half.priori")
    assert ran.code == 1 and "learned from rows without a label, so it keeps none" in ran.err
    for command in (["evaluate", "half.priori", "f.csv", "--leave-one-out"], ["calibrate", "half.priori", "f.csv"]):
        ran = priori(*command)
        assert ran.code == 1 and ran.err.startswith("priori: the model has learned from rows without a label, so none ")
    ran = priori("update", "half.priori", "f.csv")
    assert ran.code == 0 and "priori calibrate half.priori SOURCE --held-out" in ran.err


def test_an_em_that_can_never_run_is_told(priori, flowers):  # noqa: F811
    how = ["--label", "some", "--columns", "label=none", "--columns", "colour=none", "--model", "gaussian"]
    ran = priori("train", "f.csv", *how, "--covariance", "shrunk", "--unlabelled", "em", "-o", "m.priori")
    assert ran.code == 0 and "15 rows with a label, 120 without, which are left out" in ran.out
    assert ran.err.startswith("priori: the rows without a label are not learned from, for EM cannot run: column")
    assert "choose another --covariance" in ran.err


def test_a_model_that_keeps_nothing_says_why_and_what_can_be_done(priori, half):
    ran = priori("train", "half.csv", "--unlabelled", "em", "--unlabelled-weight", "0.1", "-o", "em.priori")
    assert ran.out.startswith("5,574 rows, counted as ") and " documents, 2 classes, " in ran.out
    ran = priori("evaluate", "em.priori")
    assert ran.code == 1 and ran.err == (
        "priori: this model has learned from documents without a label, so it keeps none: what they taught each other "
        "cannot be left out; give a SOURCE with labels that it has not learned\n"
    )
    (half / "more.csv").write_text("text,label\nwin a prize,spam\n", encoding="utf-8")
    refit = "priori calibrate em.priori SOURCE --held-out"
    assert refit in priori("update", "em.priori", "more.csv").err + priori("classify", "em.priori", "more.csv").err
    with pytest.warns(UserWarning, match="learned from texts without a label and keeps none.*held_out=True"):
        TextClassifier(unlabelled="em", unlabelled_weight=0.1).fit(
            ["win cash", "noon lunch", "win now"] * 4, ["spam", "ham", None] * 4
        ).learn(["lunch"], ["ham"])


def test_a_weight_of_nothing_is_the_model_of_the_labelled_ones(priori, half):
    assert priori("train", "half.csv", "-o", "m.priori").code == 0
    ran = priori("train", "half.csv", "--unlabelled", "em", "--unlabelled-weight", "0", "-o", "em.priori")
    assert ran.err == "" and "56 rows with a label, 5,518 without, which are left out\n" in ran.out
    assert (half / "em.priori").read_bytes() == (half / "m.priori").read_bytes()


def test_standard_input_is_kept(priori, half):
    how = ["--unlabelled", "em", "--unlabelled-weight", "1/4", "--seed", 1]
    assert priori("train", "half.csv", *how, "-o", "m.priori").code == 0
    ran = priori("train", "-", *how, "-o", "in.priori", stdin=(half / "half.csv").read_bytes())
    assert ran.code == 0 and (half / "in.priori").read_bytes() == (half / "m.priori").read_bytes()


def test_where_all_have_a_label_nothing_changes(priori, mail):
    assert priori("train", "mail.csv", "--unlabelled", "em", "-o", "em.priori").code == 0
    assert (mail / "em.priori").read_bytes() == (mail / "mail.priori").read_bytes()


def test_rows_of_a_table(priori, flowers):  # noqa: F811
    how = ["--label", "some", "--columns", "label=none"]
    ran = priori("train", "f.csv", *how, "-o", "f.priori")
    assert ran.err == "priori: 120 rows without a label skipped; --unlabelled em lets them help\n"
    ran = priori("train", "f.csv", *how, "--unlabelled", "em", "--note", "half", "-o", "f.priori", "--json")
    found = ran.json["half_labelled"]
    assert (found["labelled"], found["unlabelled"]) == (15, 120)
    losses = {each["unlabelled_weight"]: each["log_loss"] for each in found["held_out"]}
    assert losses[found["unlabelled_weight"]] <= losses[0]
    model = TableModel.load(flowers / "f.priori")
    assert model.statistics.n.sum() == pytest.approx(15 + found["unlabelled_weight"] * 120)
    assert model.provenance["unlabelled"].startswith("15 rows with a label, 120 without, which ")


def test_rows_that_do_not_help_are_left_out_and_it_is_said_why(priori, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{value:.3f},{'ab'[i % 2] if i < 40 else ''}" for i, value in enumerate(rng.normal(size=100))]
    (tmp_path / "noise.csv").write_text("\n".join(["number,label", *rows]) + "\n", encoding="utf-8")
    ran = priori("train", "noise.csv", "--unlabelled", "em", "-o", "n.priori")
    assert ran.err == "" and "40 rows with a label, 60 without, which are left out; log loss of held-out" in ran.out
    expected = (tmp_path / "n.priori").read_bytes()
    assert priori("train", "noise.csv", "-o", "n.priori").code == 0
    assert (tmp_path / "n.priori").read_bytes() == expected
    (tmp_path / "none.csv").write_text("number,label\n1,\n2,\n", encoding="utf-8")
    ran = priori("train", "none.csv", "--unlabelled", "em", "-o", "n.priori")
    assert ran.code == 1 and "none of the 2 rows has a label; name their column with --label, or find" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--unlabelled-weight", "0.5"], "--unlabelled-weight is for --unlabelled em; add that"),
        (["--seed", "1"], "--seed is for --unlabelled em; add that"),
        (["--unlabelled", "em", "--unlabelled-weight", "2"], "'2' is no weight; give auto, or a number from 0 to 1"),
        (["--unlabelled", "em", "--unlabelled-weight", "some"], "'some' is no weight"),
        (["--unlabelled", "drop"], "'drop' is not one of"),
    ],
)
def test_wrong_usage(priori, mail, arguments, said):
    ran = priori("train", "mail.csv", "-o", "x.priori", *arguments)
    assert ran.code == 2 and said in ran.err and not (mail / "x.priori").exists()


# --- sources without labels beside sources with some ------------------------------------------------------------------


@pytest.fixture
def piles(priori, tmp_path):
    """Mailboxes of two classes and one of both, and the same as a table with labels and one without."""
    rng = np.random.default_rng(0)
    words = {"ham": ["lunch", "noon", "home", "love", "walk"], "spam": ["win", "free", "cash", "prize", "claim"]}
    texts = {
        name: [" ".join(rng.choice(words[kind], 6)) for kind in kinds for _ in range(30)]
        for name, kinds in {"ham": ["ham"], "spam": ["spam"], "pile": ["ham", "spam"]}.items()
    }
    for name, each in texts.items():
        mails = (f"From a@b Thu Jan  1 00:00:00 2020\nSubject: {text[:5]}\n\n{text}\n\n" for text in each)
        (tmp_path / f"{name}.mbox").write_text("".join(mails), encoding="utf-8")
    (tmp_path / "pile.csv").write_text("\n".join(["text", *texts["pile"]]) + "\n", encoding="utf-8")
    labelled = (f"{text},{name}" for name in ("ham", "spam") for text in texts[name])
    (tmp_path / "labelled.csv").write_text("\n".join(["text,label", *labelled]) + "\n", encoding="utf-8")
    (tmp_path / "folder" / "some").mkdir(parents=True)
    (tmp_path / "folder" / "some" / "1").write_text("lunch at noon", encoding="utf-8")
    return tmp_path


EM = ["--unlabelled", "em", "-o", "m.priori", "--json"]


def test_where_labels_are_given_the_names_of_other_files_are_none(priori, piles):
    found = priori("train", "ham=ham.mbox", "spam=spam.mbox", "pile.mbox", "folder", *EM).json
    assert found["labels"] == ["ham", "spam"]
    assert (found["half_labelled"]["labelled"], found["half_labelled"]["unlabelled"]) == (60, 61)
    ran = priori("cluster", "ham=ham.mbox", "spam=spam.mbox", "pile.mbox", "-o", "c.priori", "--restarts", 1, "--json")
    assert (ran.code, ran.json["documents"], ran.json["labelled"]) == (0, 120, 60)
    assert priori("train", "ham.mbox", "spam.mbox", "pile.mbox", *EM).json["labels"] == ["ham", "pile", "spam"]
    assert priori("train", "ham=ham.mbox", "pile.mbox", "-o", "m.priori", "--json").json["labels"] == ["ham", "pile"]


def test_a_source_may_have_no_column_of_labels_if_another_has(priori, piles):
    found = priori("train", "labelled.csv", "pile.csv", *EM).json["half_labelled"]
    assert (found["labelled"], found["unlabelled"]) == (60, 60)
    found = priori("cluster", "pile.csv", "labelled.csv", "--label", "label", "-o", "c.priori", "--max-share", 1)
    assert found.code == 0 and "60 documents had a label and kept it" in found.out
    for sources, said in (
        (["pile.csv"], "pile.csv has no column 'label'; its columns are 'text'."),
        (["pile.csv", "pile.csv"], "no source has labels or a column 'label'. Name the one with the labels: --label"),
    ):
        ran = priori("train", *sources, *EM)
        assert ran.code == 1 and said in ran.err
    ran = priori("train", "labelled.csv", "pile.csv", "-o", "m.priori")
    assert ran.code == 1 and "pile.csv has no column 'label'" in ran.err


def test_a_table_may_have_no_column_of_labels_if_another_has(priori, flowers):  # noqa: F811
    rows = [line.split(",") for line in (flowers / "f.csv").read_text(encoding="utf-8").splitlines()]
    (flowers / "pile.csv").write_text("\n".join(",".join(row[:3]) for row in rows), encoding="utf-8")
    (flowers / "labelled.csv").write_text("\n".join(",".join(row[:4]) for row in rows), encoding="utf-8")
    found = priori("train", "labelled.csv", "pile.csv", *EM).json["half_labelled"]
    assert (found["labelled"], found["unlabelled"]) == (135, 135)
