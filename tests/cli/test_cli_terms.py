"""priori terms: rankings, pairs and pictures; and --select where counts are read."""

import pytest

from conftest import MAIL, run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.csv").write_text(MAIL, encoding="utf-8")
    assert run("train", "mail.csv", "-o", "m.priori").code == 0
    return tmp_path


@pytest.mark.parametrize("by", ["mi", "mi-words", "chi2", "log-odds", "count"])
def test_every_ranking_is_listed(folder, by):
    listed = run("terms", "m.priori", "--by", by, "-n", 4)
    assert listed.code == 0 and "speaks for" in listed.out
    told = run("terms", "m.priori", "--by", by, "-n", 4, "--json").json
    assert set(told[0]) == {"term", "label", "score", "log_odds", "documents", "occurrences"}


def test_pairs_say_where_they_were_looked_for(folder):
    listed = run("terms", "m.priori", "--pairs", "--label", "ham", "-n", 2)
    assert "within ham, of 3 kept documents, among the " in listed.out
    told = run("terms", "m.priori", "--pairs", "--among", 5, "--json").json
    assert (told["label"], told["documents"], told["among"]) == (None, 6.0, 5)
    assert run("train", "mail.csv", "-o", "n.priori", "--no-sample").code == 0
    assert "keeps no documents" in run("terms", "n.priori", "--pairs").err


def test_a_picture_is_drawn(folder):
    drawn = run("terms", "m.priori", "--plot", "t.svg")
    assert drawn.out == "t.svg: the strongest terms of 2 classes\n"
    assert "Mutual information" in (folder / "t.svg").read_text(encoding="utf-8")
    told = run("terms", "m.priori", "--plot", "t.png", "--json").json
    assert list(told["log_odds"]) == ["ham", "spam"]
    one = run("terms", "m.priori", "--plot", "o.png", "--label", "spam", "--json").json
    assert one["log_odds"] == {"spam": told["log_odds"]["spam"]}


@pytest.mark.parametrize(
    "options",
    [
        ("--among", 3),
        ("--pairs", "--plot", "a.svg"),
        ("--pairs", "--by", "chi2"),
        ("--plot", "a.svg", "--by", "chi2"),
        ("--pairs", "--among", 1),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(folder, options):
    assert run("terms", "m.priori", *options).code == 2


def test_selected_terms_are_read_for_once_and_for_good(folder):
    plain = run("classify", "m.priori", "mail.csv").out
    some = run("classify", "m.priori", "mail.csv", "--select", "mi:2").out
    assert some != plain
    assert run("read", "m.priori", "-o", "s.priori", "--select", "mi:2").code == 0
    assert run("classify", "s.priori", "mail.csv").out == some
    assert run("classify", "s.priori", "mail.csv", "--select", "all").out == plain
    assert "terms chosen by mi:2" in run("inspect", "s.priori").out
    trained = run("train", "mail.csv", "-o", "t.priori", "--select", "mi:2")
    assert trained.code == 0
    assert (folder / "t.priori").read_bytes() == (folder / "s.priori").read_bytes()
    auto = run("train", "mail.csv", "-o", "a.priori", "--select", "chi2:auto", "--json").json
    assert auto["fitted"]["select"]["terms"] >= 1
    assert "or does not read" in run("explain", "s.priori", "win lunch xyzzy").out


def test_what_is_no_selection_is_wrong_usage(folder):
    refused = run("classify", "m.priori", "mail.csv", "--select", "beauty:3")
    assert refused.code == 2 and "such as 'mi:5000'" in refused.err
    assert run("classify", "m.priori", "mail.csv", "--select", "mi:auto", "--estimate", "ml").code == 2
