"""What training fits, what the commands say of it, and priori calibrate."""

import json

import pytest

import corpora
from priori.model.classifier import Model


@pytest.fixture
def sms(priori, tmp_path):
    texts, labels = corpora.dataset("sms_spam")
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    for name, part in (("mail", rows[:300]), ("more", rows[300:360]), ("both", rows[:360])):
        lines = "".join(json.dumps(row) + "\n" for row in part)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def trained(priori, *options, source="mail.jsonl", output="m.priori"):
    ran = priori("train", source, "-o", output, "--json", *options)
    assert ran.code == 0, ran.err
    return ran.json["fitted"]


def test_training_says_what_it_fitted(priori, sms):
    ran = priori("train", "mail.jsonl", "-o", "m.priori")
    fitted = Model.load("m.priori").fitted
    line = f"alpha {fitted.alpha:.3g}; accuracy {fitted.accuracy:.2%} and log loss {fitted.log_loss:.4f}"
    assert line in ran.out
    assert f"({fitted.raw_log_loss:.4f} before calibration) on {fitted.documents} documents, each left out" in ran.out
    found = trained(priori)
    assert found == fitted.facts()
    assert set(found) == {
        "event", "alpha", "calibration", "documents", "held_out", "accuracy", "log_loss", "raw_log_loss", "curve",
        "stale",
    }  # fmt: skip
    assert found["stale"] is False and [found["alpha"]] == [a for a, _ in found["curve"] if a == found["alpha"]]


def test_standard_input_gives_the_same_file(priori, sms):
    trained(priori, "--jobs", 2)
    data = (sms / "mail.jsonl").read_bytes()
    ran = priori("train", "-", "--format", "jsonl", "-o", "in.priori", stdin=data)
    assert ran.code == 0, ran.err
    assert (sms / "in.priori").read_bytes() == (sms / "m.priori").read_bytes()
    mixed = b"".join(reversed(data.splitlines(keepends=True)))
    priori("train", "-", "--format", "jsonl", "-o", "mixed.priori", "--jobs", 1, stdin=mixed)
    assert (sms / "mixed.priori").read_bytes() == (sms / "m.priori").read_bytes()


def test_options_say_what_is_left_to_the_documents(priori, sms):
    plain = trained(priori, "--alpha", "0.5", "--calibrate", "no")
    assert plain is None
    raw = trained(priori, "--calibrate", "no")
    assert raw["calibration"] is None and raw["alpha"] > 0 and raw["log_loss"] == raw["raw_log_loss"]
    evidence = trained(priori, "--alpha", "evidence")
    assert evidence["alpha"] > 0 and evidence["curve"] is None and evidence["calibration"] is not None
    given = trained(priori, "--alpha", "0.5")
    assert given["alpha"] is None and given["calibration"] is not None
    mode = trained(priori, "--estimate", "map", "--alpha", "auto")
    assert mode["alpha"] > 1 and all(alpha > 1 for alpha, _ in mode["curve"])
    assert trained(priori, "--estimate", "ml", "--alpha", "auto") is None
    monotone = trained(priori, "--calibrate", "monotone")
    assert monotone["calibration"]["monotone"]["classes"] == 2
    event = trained(priori, "--event", "auto")
    assert event["event"] in ("multinomial", "bernoulli", "complement")
    assert priori("train", "mail.jsonl", "-o", "m.priori", "--calibrate", "maybe").code == 2
    assert priori("train", "mail.jsonl", "-o", "m.priori", "--alpha", "most").code == 2
    refused = priori("train", "mail.jsonl", "-o", "m.priori", "--event", "complement", "--alpha", "evidence")
    assert refused.code == 1 and "no likelihood" in refused.err


def test_inspecting_tells_what_was_fitted(priori, sms):
    found = trained(priori)
    assert priori("inspect", "m.priori", "--json").json["fitted"] == found
    shown = priori("inspect", "m.priori").out
    assert "fitted" in shown and "calibrated" in shown and "each left out" in shown
    trained(priori, "--alpha", "1", "--calibrate", "no")
    assert priori("inspect", "m.priori", "--json").json["fitted"] is None
    assert "each left out" not in priori("inspect", "m.priori").out


def test_updating_refits_or_says_that_it_cannot(priori, sms):
    trained(priori)
    assert priori("update", "m.priori", "more.jsonl").err == ""
    assert Model.load("m.priori").fitted.facts() == trained(priori, source="both.jsonl", output="both.priori")
    assert (sms / "m.priori").read_bytes() == (sms / "both.priori").read_bytes()
    trained(priori, "--no-sample", output="bare.priori")
    ran = priori("update", "bare.priori", "more.jsonl")
    assert ran.code == 0 and "priori calibrate bare.priori SOURCE" in ran.err
    assert "stale" in priori("inspect", "bare.priori").out
    assert priori("inspect", "bare.priori", "--json").json["fitted"]["stale"] is True
    assert priori("calibrate", "bare.priori").code == 1  # it keeps nothing to fit on
    ran = priori("calibrate", "bare.priori", "both.jsonl")
    assert ran.code == 0 and ran.err == "" and "each left out" in ran.out
    trained(priori, "--no-sample", source="both.jsonl", output="fresh.priori")
    assert (sms / "bare.priori").read_bytes() == (sms / "fresh.priori").read_bytes()


def test_calibrating_on_held_out_documents(priori, sms):
    trained(priori, "--no-sample")
    before = (sms / "m.priori").read_bytes()
    refused = priori("calibrate", "m.priori", "more.jsonl")
    assert refused.code == 1 and "--held-out" in refused.err
    assert (sms / "m.priori").read_bytes() == before
    ran = priori("calibrate", "m.priori", "more.jsonl", "--held-out", "-o", "held.priori", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["fitted"]["documents"] <= 60 and ran.json["fitted"]["stale"] is False
    assert (sms / "m.priori").read_bytes() == before  # which --output leaves alone
    evaluated = priori("evaluate", "held.priori", "more.jsonl", "--json").json
    assert evaluated["log_loss"] == pytest.approx(ran.json["fitted"]["log_loss"], rel=1e-6)
    assert priori("calibrate", "m.priori", "--held-out").code == 2


def test_calibrating_may_read_the_model_another_way(priori, sms):
    trained(priori)
    again = (sms / "m.priori").read_bytes()
    assert priori("calibrate", "m.priori").code == 0
    assert (sms / "m.priori").read_bytes() == again  # it had been fitted already
    ran = priori("calibrate", "m.priori", "--event", "bernoulli", "--calibrate", "monotone", "--json")
    assert ran.code == 0, ran.err
    expected = trained(priori, "--event", "bernoulli", "--calibrate", "monotone", output="other.priori")
    assert ran.json["fitted"] == expected
    assert (sms / "m.priori").read_bytes() == (sms / "other.priori").read_bytes()
    ran = priori("calibrate", "m.priori", "--alpha", "1", "--calibrate", "no")
    assert ran.code == 0 and "nothing is left to the documents" in ran.out
    assert priori("calibrate", "m.priori", "-q").out == ""
