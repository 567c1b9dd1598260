"""What the commands tell a user who would otherwise not know: stale fits, weights, classes of one, long lines."""

import json
import re

import pytest
from test_cli_decisions import spam, write  # noqa: F401 - spam is a fixture
from test_cli_processes import on_a_terminal

import corpora
from priori.model.classifier import Model

STALE = "has changed since"


@pytest.fixture
def sms(priori, tmp_path):
    texts, labels = corpora.dataset("sms_spam")
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    for name, part in (("mail", rows[:200]), ("more", rows[200:260])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return tmp_path


def test_a_row_of_a_source_is_explained(priori, mail):
    by_row = priori("explain", "mail.priori", "mail.csv", "--row", 2, "--json").json
    assert by_row == priori("explain", "mail.priori", "see you at lunch", "--json").json
    first = priori("explain", "mail.priori", "mail.csv", "--row", 0, "--json").json
    assert first == priori("explain", "mail.priori", "free entry to win", "--json").json
    text = priori("explain", "mail.priori", "mail.csv", "--json").json
    assert text["unknown"] == 2  # mail and csv, the words of a text
    assert priori("explain", "mail.priori", "nowhere.csv", "--row", 2).code == 1


def test_what_is_stale_is_told_where_it_is_used(priori, sms, adult):
    priori("train", "mail.jsonl", "-o", "bare.priori", "--no-sample")
    uses = {
        "bare.priori": [("classify", "--message", "win"), ("evaluate", "more.jsonl"), ("explain", "win now")],
        "rows.priori": [("classify", "adult.csv"), ("evaluate", "adult.csv"), ("explain", "adult.csv", "--row", "1")],
    }
    assert all(STALE not in priori(name, "bare.priori", *rest).err for name, *rest in uses["bare.priori"])
    priori("update", "bare.priori", "more.jsonl")
    priori("train", "adult.csv", "--label", "income", "-o", "rows.priori", "--no-sample")
    priori("update", "rows.priori", "adult.csv")
    for model, commands in uses.items():
        for name, *rest in commands:
            ran = priori(name, model, *rest)
            assert ran.code == 0 and ran.err.count(STALE) == 1 and ran.err.count("\n") == 1
            assert f"priori calibrate {model} SOURCE" in ran.err
            assert STALE not in priori(name, model, *rest, "-q").err
    priori("calibrate", "bare.priori", "more.jsonl", "--held-out")
    assert STALE not in priori("classify", "bare.priori", "--message", "win").err


def test_held_out_documents_are_called_so(priori, sms, adult):
    priori("train", "mail.jsonl", "-o", "m.priori")
    ran = priori("calibrate", "m.priori", "more.jsonl", "--held-out", "-o", "held.priori")
    assert "held-out documents" in ran.out and "left out" not in ran.out
    assert "each left out" in priori("calibrate", "m.priori").out
    priori("train", "adult.csv", "--label", "income", "-o", "rows.priori")
    ran = priori("calibrate", "rows.priori", "adult.csv", "--held-out")
    assert "held out" in ran.out and "left out" not in ran.out


def test_weights_that_are_not_named_are_missed(priori, mail, tmp_path):
    rows = [
        f"{text},{label},{w}" for text, label, w in (("a b", "x", 0.5), ("b c", "y", 1.5), ("a", "x", 2), ("c", "y", 1))
    ]
    (tmp_path / "w.csv").write_text("\n".join(["text,label,w", *rows]) + "\n", encoding="utf-8")
    priori("train", "w.csv", "--weight", "w", "-o", "w.priori", "--alpha", "1", "--calibrate", "no")
    assert (
        "name them with --weight" not in priori("evaluate", "w.priori", "w.csv", "--leave-one-out", "--weight", "w").err
    )
    missed = priori("evaluate", "w.priori", "w.csv", "--leave-one-out")
    assert "warning: w.priori has learned weights" in missed.err
    assert "weights" not in priori("evaluate", "mail.priori", "mail.csv", "--leave-one-out").err


def test_documents_that_were_not_learned_cannot_be_left_out(priori, mail, tmp_path):
    (tmp_path / "new.csv").write_text("text,label\nfree phone,spam\nfree zebra,spam\n", encoding="utf-8")
    ran = priori("evaluate", "mail.priori", "new.csv", "--leave-one-out")
    assert ran.code == 1 and "never seen 'zebra', so document 1 was not learned" in ran.err
    priori("train", "mail.csv", "-o", "few.priori", "--max-terms", "3")
    assert priori("evaluate", "few.priori", "mail.csv", "--leave-one-out").code == 0  # its other words are gone


def test_rows_without_a_label_are_skipped_and_counted(priori, mail, adult):
    before = priori("evaluate", "mail.priori", "mail.csv", "--leave-one-out", "--group", "id", "--json").json
    for name in ("mail.csv", "adult.csv"):
        lines = (mail / name).read_text(encoding="utf-8").splitlines()
        cells = lines[1].split(",")
        cells[1 if name == "mail.csv" else -1] = ""
        (mail / f"more_{name}").write_text("\n".join([lines[0], ",".join(cells), *lines[1:]]) + "\n", encoding="utf-8")
    for group in ([], ["--group", "id"]):
        ran = priori("evaluate", "mail.priori", "more_mail.csv", "--leave-one-out", *group, "--json")
        assert ran.code == 0 and "1 row without a label skipped" in ran.err
        assert ran.json == before
    for group in ([], ["--group", "zip"]):
        before = priori("evaluate", "m.priori", "adult.csv", "--leave-one-out", *group, "--json").json
        ran = priori("evaluate", "m.priori", "more_adult.csv", "--leave-one-out", *group, "--json")
        assert ran.code == 0 and "1 row without a label skipped" in ran.err
        assert ran.json == before
    (mail / "none.csv").write_text("text,label\nfree,\nlunch,\n", encoding="utf-8")
    none = priori("evaluate", "mail.priori", "none.csv", "--leave-one-out")
    assert none.code == 1 and "none of the 2 documents has a label" in none.err


def test_a_class_of_one_document_is_not_judged(priori, tmp_path):
    rows = [("a b", "x"), ("b c", "x"), ("c d", "y"), ("d e", "y"), ("e f", "lone"), ("f g", "only")]
    write(tmp_path / "some.csv", [(*row, "") for row in rows])
    priori("train", "some.csv", "-o", "some.priori")
    ran = priori("evaluate", "some.priori", "--json")
    assert ran.json["n"] == 4 and set(ran.json["per_class"]) == {"x", "y", "lone", "only"}
    assert "2 documents are the only documents of their class: not judged" in ran.err
    write(tmp_path / "all.csv", [(*row, "") for row in rows[3:]])
    priori("train", "all.csv", "-o", "all.priori")
    ran = priori("evaluate", "all.priori")
    assert ran.code == 1 and "no kept document can be left out" in ran.err


def test_which_of_many_classes_a_promise_is_about_has_to_be_said(priori, tmp_path):
    write(tmp_path / "three.csv", [("a", "x", ""), ("b", "y", ""), ("c", "z", "")])
    priori("train", "three.csv", "-o", "three.priori")
    ran = priori("classify", "three.priori", "--message", "a", "--max-false-positive", "0.1")
    assert ran.code == 2 and "which of 3 classes" in ran.err and "--positive LABEL" in ran.err


def test_a_gaussian_discriminant_says_that_it_keeps_no_rows(priori, tmp_path):
    rows = [f"{i},{i * i % 7},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "numbers.csv").write_text("\n".join(["u,v,label", *rows]) + "\n", encoding="utf-8")
    assert priori("train", "numbers.csv", "-o", "g.priori", "--model", "gaussian").code == 0
    for command in (["evaluate", "g.priori"], ["classify", "g.priori", "numbers.csv", "--max-false-positive", "0.2"]):
        ran = priori(*command)
        assert ran.code == 1 and "--leave-one-out" in ran.err and "keep_sample" not in ran.err
    assert priori("evaluate", "g.priori", "numbers.csv", "--leave-one-out").code == 0


def test_inspecting_shows_the_calibration(priori, sms):
    priori("train", "mail.jsonl", "-o", "m.priori", "--calibrate", "monotone")
    found = Model.load("m.priori").calibration
    shown = priori("inspect", "m.priori").out
    assert "calibrated, monotone" in shown
    assert f"scale {found.scale:.3g}, power {found.power:.3g}, noise {found.noise:.2g}" in shown
    assert all(f"{label} {value:+.3g}" in shown for label, value in found.offsets.items())
    priori("train", "mail.jsonl", "-o", "m.priori", "--calibrate", "no")
    assert "scale" not in priori("inspect", "m.priori").out


def test_what_alpha_became_is_told(priori, sms):
    priori("train", "mail.jsonl", "-o", "m.priori")
    priori("train", "more.jsonl", "-o", "n.priori")
    was = Model.load("m.priori").fitted.alpha
    merged = priori("merge", "m.priori", "n.priori", "-o", "both.priori").out
    updated = priori("update", "m.priori", "more.jsonl").out
    now = Model.load("m.priori").fitted.alpha
    line = f"alpha is {now:.3g} now; it was {was:.3g}"
    assert (line in merged) == (line in updated) == (f"{now:.3g}" != f"{was:.3g}")
    assert f"alpha is {was:.3g} now; it was {now:.3g}" in priori("forget", "m.priori", "more.jsonl").out
    assert "alpha" not in priori("update", "m.priori", "more.jsonl", "--json").out.replace('"alpha"', "")
    priori("train", "mail.jsonl", "-o", "given.priori", "--alpha", "0.5", "--calibrate", "no")
    assert "alpha" not in priori("update", "given.priori", "more.jsonl").out


def test_a_terminal_has_no_line_that_is_too_long(priori, spam, tmp_path):  # noqa: F811
    for command in (
        ["train", "old.csv", "-o", "spam.priori"],
        ["calibrate", "spam.priori"],
        ["evaluate", "spam.priori", "new.csv", "--unlabelled"],
        ["classify", "spam.priori", "--message", "w1 w2", "--max-false-positive", "0.05"],
    ):
        shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", on_a_terminal(command, tmp_path))
        assert max(map(len, shown.splitlines())) <= 80, command
    assert max(map(len, priori("calibrate", "spam.priori").out.splitlines())) > 80  # a file has whole lines
