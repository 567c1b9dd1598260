"""priori select: a ranking, the comparison within representations, a picture, and the best as a model file."""

import json
from pathlib import Path

import pytest

from selecting_mail import MAIL, write_mail


@pytest.fixture
def mails(priori, tmp_path):
    write_mail(tmp_path / "mails.csv")
    return tmp_path


def names(found):
    return [each["name"] for each in found["candidates"]]


def test_one_document_with_all_of_it(priori, mails):
    ran = priori("select", "mails.csv", "--json", "--average", "--folds", "3", "--holdout", "0.2")
    assert ran.code == 0, ran.err
    found = ran.json
    assert set(found) == {
        "criterion", "documents", "left_out", "alone", "folds", "held_out", "unknown", "unlabelled", "largest_block",
        "labels", "best", "rivals", "candidates", "representations", "averages", "seconds",
    }  # fmt: skip
    assert found["labels"] == ["ham", "spam"] and found["documents"] + found["held_out"] == len(MAIL)
    assert len(found["candidates"]) == 16 and found["best"] == names(found)[0]
    losses = [each["leave_one_out"]["log_loss"] for each in found["candidates"]]
    assert losses == sorted(losses)
    assert all(each["k_fold"] and each["holdout"] for each in found["candidates"])
    assert [each["representation"] for each in found["averages"]] == [
        "words 1 multinomial", "words 1 bernoulli", "words 1-2 multinomial", "words 1-2 bernoulli",
    ]  # fmt: skip
    assert all(sum(m["weight"] for m in each["members"]) == pytest.approx(1) for each in found["averages"])


def test_the_page_fits_eighty_columns_and_says_why_likelihoods_stay_within(priori, mails):
    ran = priori("select", "mails.csv", "--average", "--folds", "3", "--holdout", "0.2")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    for said in ("log loss of", "multinomial", "chosen by the documents", "Within a representation", "AIC", "evidence",
                 "never words with pairs of words", "Averaged by evidence", "best: words"):  # fmt: skip
        assert said in ran.out
    assert "held out: their loss says little" in ran.err


def test_candidates_are_chosen_by_options(priori, mails):
    ran = priori(
        "select", "mails.csv", "--json", "--events", "multinomial,bernoulli", "--ngrams", "1", "--ngrams", "1-3",
        "--features", "words", "--estimates", "bayes", "--alphas", "0.1,1", "--binary", "--criterion", "k-fold",
        "--folds", "4", "--no-calibrate",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = ran.json
    assert sorted(names(found)) == sorted(
        f"words {n}{once} {event} bayes {alpha}"
        for n in ("1", "1-3") for once in ("", " once")
        for event in ("multinomial", "bernoulli") for alpha in ("0.1", "1") if not (once and event == "bernoulli")
    )  # fmt: skip
    assert found["criterion"] == "k-fold" and not any(each["calibrated"] for each in found["candidates"])
    losses = [each["k_fold"]["log_loss"] for each in found["candidates"]]
    assert losses == sorted(losses)


def test_stdin_is_read_once(priori, mails):
    text = Path("mails.csv").read_text(encoding="utf-8")
    piped = priori("select", "-", "--format", "csv", "--json", stdin=text)
    assert piped.code == 0, piped.err
    assert names(piped.json) == names(priori("select", "mails.csv", "--json").json)


def test_sources_of_several_kinds_are_one(priori, mails):
    for number, (text, label, _) in enumerate(MAIL):
        folder = mails / "folder" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    alone = priori("select", "folder", "--json", "--alphas", "1")
    both = priori("select", "folder", "mails.csv", "--json", "--alphas", "1")
    assert alone.code == both.code == 0, both.err
    assert both.json["documents"] == 2 * alone.json["documents"] == 2 * len(MAIL)


def test_the_best_is_trained_on_all_documents(priori, mails):
    ran = priori("select", "mails.csv", "--holdout", "0.2", "-o", "best.priori", "--json")
    assert ran.code == 0 and ran.json["model"] == "best.priori"
    best = ran.json["candidates"][0]
    looked = priori("inspect", "best.priori", "--json").json
    assert looked["documents"] == len(MAIL)
    assert json.dumps(best["event"]) in json.dumps(looked)
    Path("new.txt").write_text("win a free prize\n", encoding="utf-8")
    classified = priori("classify", "best.priori", "new.txt")
    assert classified.code == 0 and classified.lines[0]["label"] == "spam"


def test_groups_are_a_column(priori, mails):
    ran = priori("select", "mails.csv", "--group", "author", "--folds", "4", "--json")
    assert ran.code == 0, ran.err
    apart = priori("select", "mails.csv", "--json").json
    assert ran.json["candidates"][0]["leave_one_out"] != apart["candidates"][0]["leave_one_out"]
    missing = priori("select", "mails.csv", "--group", "nobody")
    assert missing.code == 1 and "nobody" in missing.err and "Traceback" not in missing.err


def test_a_picture_is_drawn(priori, mails):
    ran = priori("select", "mails.csv", "--plot", "candidates.svg")
    assert ran.code == 0 and Path("candidates.svg").read_bytes().startswith(b"<?xml")
    assert priori("select", "mails.csv", "--plot", "candidates.doc").code in {1, 2}


def test_rows_that_say_nothing_are_told_of(priori, tmp_path):
    rows = [*MAIL, ("no label here", "", "x"), ("the only invoice", "bill", "x")]
    write_mail(tmp_path / "odd.csv", rows)
    ran = priori("select", "odd.csv")
    assert ran.code == 0
    assert "1 row without a label left aside" in ran.err and "1 document not judged" in ran.err
    assert "of the weight" not in ran.err


def test_a_held_out_class_that_is_nowhere_else_is_told_of(priori, tmp_path):
    write_mail(tmp_path / "rare.csv", [*MAIL, ("the only invoice", "bill", "x")])
    runs = [priori("select", "rare.csv", "--holdout", "0.3", "--seed", str(seed), "--json") for seed in range(8)]
    assert all(ran.code == 0 for ran in runs)
    assert {ran.json["unknown"] for ran in runs} == {0, 1}
    for ran in runs:
        assert ("1 document held out but not judged" in ran.err) == (ran.json["unknown"] == 1)
        assert ran.json["unknown"] + ran.json["alone"] == 1


def test_a_block_of_much_weight_is_told_of(priori, tmp_path):
    rows = [(text, label, "ann" if place % 3 == 0 else "") for place, (text, label, _) in enumerate(MAIL)]
    write_mail(tmp_path / "authors.csv", rows)
    ran = priori("select", "authors.csv", "--group", "author")
    assert ran.code == 0 and "one group, has 35% of the weight: ± s.e. says little" in ran.err
    assert "of the weight" not in priori("select", "authors.csv").err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["mails.csv", "--alphas", "x"], 2, "write them like"),
        (["mails.csv", "--events", "poisson"], 2, "'poisson' is unknown"),
        (["mails.csv", "--estimates", "mean"], 2, "'mean' is unknown"),
        (["mails.csv", "--ngrams", "2-1"], 2, "no range"),
        (["mails.csv", "--folds", "500"], 1, "different texts"),
        (["mails.csv", "--estimates", "map", "--alphas", "0.5"], 1, "no candidate exists"),
        (["mails.csv", "--text", "body"], 1, "priori compare-learners"),
        (["mails.csv", "-o", "nowhere/best.priori"], 1, "nowhere"),
        (["one.csv"], 1, "one class only"),
    ],
)
def test_refusals_are_one_line(priori, mails, arguments, code, says):
    write_mail(mails / "one.csv", [row for row in MAIL if row[1] == "ham"])
    ran = priori("select", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err and "Traceback" not in ran.err
