"""Training, and what changes a model afterwards."""

import json

import pytest

from priori import data
from priori.cli.options import common
from priori.model.classifier import Model


def test_training_tells_what_it_learned(priori, mail):
    ran = priori("train", "mail.csv", "-o", "again.priori", "--json")
    assert ran.code == 0 and ran.err == ""
    found = ran.json
    assert (found["documents"], found["labels"]) == (6, ["ham", "spam"])
    words = "free entry to win a phone now see you at lunch was good call are noon"
    assert found["terms"] == len(words.split())
    assert found["file_bytes"] == (mail / "again.priori").stat().st_size
    assert (mail / "again.priori").read_bytes() == (mail / "mail.priori").read_bytes()
    plain = priori("train", "mail.csv", "-o", "again.priori")
    assert "6 documents, 2 classes, 16 terms" in plain.out
    assert priori("-q", "train", "mail.csv", "-o", "again.priori").out == ""
    assert priori("train", "mail.csv", "-o", "again.priori", "-q").out == ""


def test_jobs_and_order_of_sources_change_no_byte(priori, mail):
    (mail / "more.csv").write_text("text,label\nbuy now,spam\n", encoding="utf-8")
    priori("train", "mail.csv", "more.csv", "-o", "a.priori", "--jobs", 1)
    priori("train", "more.csv", "mail.csv", "-o", "b.priori", "--jobs", 2)
    assert (mail / "a.priori").read_bytes() == (mail / "b.priori").read_bytes()


def test_every_setting_reaches_the_model(priori, mail):
    (mail / "prior.toml").write_text("alpha = 0.5\n[terms]\nfree = 2\n", encoding="utf-8")
    (mail / "words.txt").write_text("free\nwin\n\nlunch\n", encoding="utf-8")
    ran = priori(
        "train", "mail.csv", "-o", "m.priori", "--where", "split=train", "--event", "bernoulli", "--estimate", "map",
        "--prior", "prior.toml", "--alpha", "1.5", "--class-prior", "spam=0.25,ham=0.75", "--unknown", "prior",
        "--ngrams", "1-2", "--features", "words", "--min-length", "2", "--no-lowercase", "--fold-accents", "--binary",
        "--vocabulary", "words.txt", "--no-sample", "--note", "a note",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    model = Model.load("m.priori")
    assert model.counts.class_documents.sum() == 4
    reading, analyzer = model.readings, model.analyzer
    assert (reading.event, reading.estimate, reading.unknown) == ("bernoulli", "map", "prior")
    assert (reading.prior.alpha, dict(reading.prior.terms)) == (1.5, {"free": 2})
    assert reading.class_prior == {"spam": 0.25, "ham": 0.75}
    assert (analyzer.ngrams, analyzer.min_length, analyzer.binary) == ((1, 2), 2, True)
    assert (analyzer.lowercase, analyzer.fold_accents) == (False, True)
    assert analyzer.vocabulary == ("free", "lunch", "win")
    assert model.summary.sample is None
    assert model.provenance["note"] == "a note" and model.provenance["sources"] == ["mail.csv"]
    assert "date" in priori("inspect", "m.priori", "--json").json["provenance"]


def test_pruning_says_what_it_dropped_and_what_it_costs(priori, mail):
    ran = priori("train", "mail.csv", "-o", "m.priori", "--max-terms", 3)
    assert "13 terms" in ran.err and "neither forget nor be merged" in ran.err
    assert priori("forget", "m.priori", "mail.csv").code == 1
    assert priori("merge", "m.priori", "mail.priori", "-o", "x.priori").code == 1
    assert not (mail / "x.priori").exists()


def test_one_class_is_a_warning_and_null_labels_are_counted(priori, mail):
    (mail / "one.csv").write_text("text,label\nhello,ham\nbye,\nwhat,\n", encoding="utf-8")
    ran = priori("train", "one.csv", "-o", "one.priori")
    assert ran.code == 0
    assert "2 rows without a label" in ran.err and "one class only" in ran.err
    assert priori("-q", "train", "one.csv", "-o", "one.priori").err == ""
    assert priori("merge", "one.priori", "mail.priori", "-o", "both.priori").code == 0


def test_weights_count(priori, mail):
    (mail / "w.csv").write_text("text,label,w\na b,x,2\nc,y,0.5\n", encoding="utf-8")
    (mail / "twice.csv").write_text("text,label,w\na b,x,1\na b,x,1\nc,y,0.5\n", encoding="utf-8")
    for name in ("w", "twice"):
        assert priori("train", f"{name}.csv", "--weight", "w", "-o", f"{name}.priori").code == 0
    assert (mail / "w.priori").read_bytes() == (mail / "twice.priori").read_bytes()
    assert priori("inspect", "w.priori", "--json").json["documents"] == 2.5


def test_update_is_training_on_both_and_forget_takes_it_back(priori, mail):
    (mail / "more.csv").write_text("text,label\nbuy now,spam\nbonjour,french\n", encoding="utf-8")
    before = (mail / "mail.priori").read_bytes()
    priori("train", "mail.csv", "more.csv", "-o", "both.priori")
    ran = priori("update", "mail.priori", "more.csv", "--json")
    assert ran.json["rows"] == 2 and ran.json["labels"] == ["french", "ham", "spam"]
    assert (mail / "mail.priori").read_bytes() == (mail / "both.priori").read_bytes()
    assert priori("forget", "mail.priori", "more.csv", "-o", "back.priori").code == 0
    assert (mail / "back.priori").read_bytes() == before
    priori("train", "more.csv", "-o", "more.priori")
    priori("merge", "back.priori", "more.priori", "-o", "sum.priori")
    assert (mail / "sum.priori").read_bytes() == (mail / "both.priori").read_bytes()


def test_what_was_never_learned_cannot_be_forgotten(priori, mail):
    before = (mail / "mail.priori").read_bytes()
    for row in ("never seen,spam", "free,french", "free entry to win call now phone,spam"):
        (mail / "never.csv").write_text(f"text,label\n{row}\n", encoding="utf-8")
        ran = priori("forget", "mail.priori", "never.csv")
        assert ran.code == 1 and "more was forgotten than learned" in ran.err
        assert (mail / "mail.priori").read_bytes() == before


def test_a_stored_reading_is_the_one_given_when_it_is_used(priori, mail):
    changed = ["--event", "bernoulli", "--alpha", "0.3", "--class-prior", "uniform"]
    assert priori("read", "mail.priori", *changed, "-o", "other.priori").code == 0
    here = priori("classify", "mail.priori", "mail.csv", *changed)
    assert priori("classify", "other.priori", "mail.csv").out == here.out
    assert here.out != priori("classify", "mail.priori", "mail.csv").out
    digests = {priori("inspect", name, "--json").json["digest"] for name in ("mail.priori", "other.priori")}
    assert len(digests) == 1  # the statistics are the same
    ran = priori("read", "mail.priori", "--estimate", "map", "--alpha", "0.5")
    assert ran.code == 1 and "no mode" in ran.err


def test_provenance_of_what_a_model_no_longer_is_is_left_out(priori, mail):
    priori("train", "mail.csv", "-o", "p.priori", "--provenance")
    ran = priori("update", "p.priori", "mail.csv")
    assert "provenance" in ran.err
    assert priori("inspect", "p.priori", "--json").json["provenance"] is None


@pytest.mark.parametrize("labels", [True, False])
def test_mail_is_read_with_its_headers_when_trained_and_when_used(priori, mail, labels):
    def letters(subject, word, count):
        head = f"From a@b Thu Jan  1 00:00:00 2026\nSubject: {subject}\nFrom: x@y.z\n\n"
        return (head + f"{word}\n\n") * count

    (mail / "spam.mbox").write_text(letters("Free money", "hello there", 3), encoding="utf-8")
    (mail / "ham.mbox").write_text(letters("Lunch", "hello there", 3), encoding="utf-8")
    assert priori("train", "spam.mbox", "ham.mbox", "-o", "box.priori").code == 0
    model = Model.load("box.priori")
    assert model.analyzer.fields == ("subject", "from", "to", "reply-to")
    assert model.counts.find(["subject:money", "money"])[0] >= 0
    (mail / "new.mbox").write_text(letters("money", "hello there", 1), encoding="utf-8")
    (row,) = priori("classify", "box.priori", "new.mbox", "--keep", "subject").lines
    assert row["label"] == "spam" and row["subject"] == "money" and row["probability"] > 0.6
    ran = priori("classify", "box.priori", "mail.csv")
    assert ran.code == 0 and "subject" in ran.err  # said, not silently left out
    from_stdin = priori("train", "-", "-o", "x.priori", stdin=letters("Free", "w", 1))
    assert from_stdin.code == 1 and "LABEL=" in from_stdin.err


def test_a_field_of_a_table_is_read_again_without_being_named(priori, mail):
    (mail / "t.csv").write_text("text,title,label\nx,free,spam\nx,lunch,ham\n", encoding="utf-8")
    priori("train", "t.csv", "--field", "title", "-o", "t.priori")
    first, second = priori("classify", "t.priori", "t.csv").lines
    assert (first["label"], second["label"]) == ("spam", "ham")
    ran = priori("classify", "t.priori", "mail.csv")
    assert ran.code == 1 and "'title'" in ran.err


def test_stdin_and_labelled_paths(priori, mail):
    text = (mail / "mail.csv").read_text(encoding="utf-8")
    priori("train", "-", "-o", "in.priori", stdin=text)
    assert (mail / "in.priori").read_bytes() == (mail / "mail.priori").read_bytes()
    (mail / "a.txt").write_text("one line\nanother\n", encoding="utf-8")
    assert priori("train", "left=a.txt", "right=a.txt", "-o", "t.priori", "--json").json["labels"] == ["left", "right"]


def test_the_names_of_formats_are_those_of_the_sources():
    assert common.FORMATS == data.FORMATS


def test_json_is_one_document(priori, mail):
    for command in (
        ["train", "mail.csv", "-o", "x.priori", "--max-terms", "3"],
        ["update", "mail.priori", "mail.csv", "-o", "x.priori"],
        ["forget", "mail.priori", "mail.csv", "-o", "x.priori"],
        ["merge", "mail.priori", "mail.priori", "-o", "x.priori"],
        ["read", "mail.priori", "--alpha", "2", "-o", "x.priori"],
        ["evaluate", "mail.priori", "mail.csv"],
        ["explain", "mail.priori", "free lunch"],
        ["inspect", "mail.priori"],
        ["inspect", "mail.priori", "--event", "complement"],
        ["terms", "mail.priori"],
        ["tokens", "free lunch"],
    ):
        ran = priori(*command, "--json")
        assert ran.code == 0, (command, ran.err)
        assert ran.out.count("\n") == 1 and json.loads(ran.out) is not None
