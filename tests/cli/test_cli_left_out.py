"""priori evaluate of what was learned, of decisions, and of documents without labels."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss
from test_cli_decisions import COSTS, LABELS, messages, spam, write  # noqa: F401 - spam is a fixture

from adult import ADULT, ADULT_COLUMNS
from priori import load
from priori.decisions import Loss


@pytest.fixture
def learned(spam):  # noqa: F811
    rows = messages(300, 0)
    return spam, [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def test_kept_documents_are_left_out_with_their_copies(priori, learned):
    model, X, y, _ = learned
    ran = priori("evaluate", "spam.priori")
    assert ran.out.splitlines()[0] == "300 kept documents, each left out with its copies"
    found = priori("evaluate", "spam.priori", "--json").json
    logs = model.leave_one_out(X, y, groups="texts")
    assert found["left_out"] is True and found["n"] == 300
    assert found["log_loss"] == pytest.approx(log_loss(y, np.exp(logs)))
    assert found["accuracy"] == accuracy_score(y, model.classes_[logs.argmax(axis=1)])


def test_learned_documents_are_left_out_alone_or_with_their_group(priori, learned):
    model, X, y, groups = learned
    for options, given in ([], None), (["--group", "decision"], groups):
        found = priori("evaluate", "spam.priori", "old.csv", "--leave-one-out", *options, "--json").json
        logs = model.leave_one_out(X, y, groups=given)
        assert found["log_loss"] == pytest.approx(log_loss(y, np.exp(logs)))
    apart = priori("evaluate", "spam.priori", "old.csv", "--json").json
    assert apart["log_loss"] < found["log_loss"] and "left_out" not in apart


def test_documents_without_a_group_stand_alone(priori, learned, tmp_path):
    write(tmp_path / "alone.csv", [(text, label, "") for text, label, _ in messages(300, 0)])
    alone = priori("evaluate", "spam.priori", "old.csv", "--leave-one-out", "--json").json
    grouped = priori("evaluate", "spam.priori", "alone.csv", "--leave-one-out", "--group", "decision", "--json").json
    together = priori("evaluate", "spam.priori", "old.csv", "--leave-one-out", "--group", "label", "--json")
    assert grouped["log_loss"] == pytest.approx(alone["log_loss"])
    assert together.code == 0  # without its group no class is left but the other
    assert together.json["accuracy"] == 0


def test_decisions_are_charged(priori, learned):
    model, X, y, _ = learned
    ran = priori("evaluate", "spam.priori", "old.csv", "--loss", "loss.toml", "--json").json
    loss = Loss.of(COSTS, LABELS).with_reject(0.3)
    index = loss.best(model.predict_proba(X))
    truth = np.array([LABELS.index(label) for label in y])
    assert ran["cost"] == pytest.approx(loss.matrix[index, truth].mean())
    counts = {action: int((index == k).sum()) for k, action in enumerate(loss.actions)}
    assert ran["decisions"] == counts
    assert ran["rejected"] == pytest.approx(counts["reject"] / len(index))
    said = ", ".join(f"{action} {count:,}" for action, count in counts.items())
    assert said in priori("evaluate", "spam.priori", "old.csv", "--loss", "loss.toml").out
    assert priori("evaluate", "spam.priori", "--reject", "0", "--json").json["rejected"] == 1
    assert "rejected" in priori("evaluate", "spam.priori", "--reject", "0.1").out
    assert "rejected" not in priori("evaluate", "spam.priori").out


def test_tables_are_left_out_too(priori, adult):
    kept = priori("evaluate", "m.priori", "--json").json
    rows = priori("evaluate", "m.priori", "adult.csv", "--leave-one-out", "--json").json
    assert kept["n"] == rows["n"] and kept["left_out"] is True
    assert kept["log_loss"] == pytest.approx(rows["log_loss"])
    assert "kept rows, each left out\n" in priori("evaluate", "m.priori").out
    groups = priori("evaluate", "m.priori", "adult.csv", "--leave-one-out", "--group", "zip", "--json").json
    X = {name: [None if row[k] == "?" else row[k] for row in ADULT] for k, name in enumerate(ADULT_COLUMNS[:-1])}
    X["zip"] = [int(code) for code in X["zip"]]
    y = [row[-1] for row in ADULT]
    logs = load("m.priori").leave_one_out(X, y, groups=X["zip"])
    truth = [sorted(set(y)).index(label) for label in y]
    assert groups["log_loss"] == pytest.approx(-logs[np.arange(len(y)), truth].mean())
    drift = priori("evaluate", "m.priori", "adult.csv", "--unlabelled", "--json").json
    assert drift["unknown_share"] is None and drift["n"] == rows["n"]


def test_a_page_about_unlabelled_documents(priori, learned, tmp_path):
    (tmp_path / "bare.csv").write_text("text\n" + "\n".join(row[0] for row in messages(90, 5, 0.85)), encoding="utf-8")
    ran = priori("evaluate", "spam.priori", "bare.csv", "--unlabelled")
    found = priori("evaluate", "spam.priori", "bare.csv", "--unlabelled", "--json").json
    assert ran.out.splitlines()[0] == found["verdict"]
    assert "the class mix has moved" in found["verdict"] and found["other_mix"]
    assert found["estimated_mix"]["spam"] == pytest.approx(0.85, abs=0.12)
    assert "estimated share" in ran.out
    assert priori("evaluate", "spam.priori", "new.csv", "--unlabelled", "--json").json == found


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--leave-one-out"], "about a SOURCE"),
        (["--unlabelled"], "about a SOURCE"),
        (["--html", "x.html"], "that was not learned"),
        (["old.csv", "--html", "x.html", "--leave-one-out"], "that was not learned"),
        (["old.csv", "--leave-one-out", "--unlabelled"], "give one of them"),
        (["old.csv", "--group", "decision"], "--leave-one-out leaves out together"),
        (["old.csv", "--unlabelled", "--plot", "x.svg"], "needs labels"),
        (["old.csv", "--unlabelled", "--reject", "0.1"], "needs labels"),
    ],
)
def test_what_does_not_go_together_is_refused(priori, spam, arguments, why):  # noqa: F811
    ran = priori("evaluate", "spam.priori", *arguments)
    assert ran.code == 2 and why in ran.err


def test_a_model_that_keeps_nothing_needs_a_source(priori, spam):  # noqa: F811
    priori("train", "old.csv", "-o", "bare.priori", "--no-sample")
    ran = priori("evaluate", "bare.priori")
    assert ran.code == 1 and "keeps no documents" in ran.err and "SOURCE" in ran.err
    assert "keeps no documents" in priori("evaluate", "bare.priori", "new.csv", "--unlabelled").out
