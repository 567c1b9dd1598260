"""The page of an evaluation: whole, safe, the same for any batches, and true to the numbers."""

import csv
import doctest
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import priori.report.sections
from bundled_tables import bundled, mixed_with_holes
from corpora import dataset, model_of
from priori.data import ReadOptions, read, read_table
from priori.decisions import Worst
from priori.model.evaluation import evaluate, evaluate_table
from priori.model.table_classifier import TableModel
from priori.report import page, table_report, text_report, write

VOID = {"meta", "wbr"}
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a'b\x07\x1b[2Jc",
    "\u202eevil & <b>",
    "</style>",
]


class Reader(HTMLParser):
    """Every tag with its attributes and every text; tags must close in their order."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], Counter(), [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags[tag] += 1
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def checked(source):
    """The page, read; nothing on it runs, nothing is loaded, and every name in it is one."""
    found = Reader(source)
    assert source.startswith("<!DOCTYPE html>") and source.endswith("</html>\n")
    allowed = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "h3",
        "section",
        "p",
        "dl",
        "dt",
        "dd",
    }
    allowed |= {
        "bdi",
        "wbr",
        "div",
        "strong",
        "small",
        "figure",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
    }
    allowed |= {"span", "i", "b", "em", "sup", "article", "blockquote", "footer"}
    allowed |= {"svg", "g", "path", "text", "tspan", "use", "defs", "clippath", "rect"}
    assert set(found.tags) <= allowed
    names = [value for name, value in found.attributes if name == "id"]
    assert len(names) == len(set(names))
    used = [value for name, value in found.attributes if name in ("xlink:href", "href", "src", "action")]
    used += re.findall(r"url\(([^)]*)\)", " ".join(value or "" for _, value in found.attributes))
    assert {f"#{name}" for name in names} == set(used)
    assert all(not name.startswith("on") for name, _ in found.attributes)
    addresses = {value for _, value in found.attributes if value and "://" in value}
    assert addresses == NAMESPACES
    assert "://" not in priori.report.markup.CSS and "@import" not in priori.report.markup.CSS
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", source)
    return found


def written_by(priori, model, source, *more):
    ran = priori("evaluate", model, source, "--html", "report.html", *more)
    assert ran.code == 0, ran.err
    return checked(Path("report.html").read_text(encoding="utf-8")), ran


def test_the_page_of_texts_has_the_numbers_and_the_worst_mistakes(mail, priori):
    (mail / "more.csv").write_text(
        "text,label\nfree lunch at noon,spam\nsee you at lunch,ham\nwin a phone,ham\nlunch,\n", encoding="utf-8"
    )
    found, ran = written_by(priori, "mail.priori", "more.csv", "--json", "--plot", "both.svg")
    assert (mail / "both.svg").stat().st_size > 0
    assert f"Accuracy {ran.json['accuracy']:.2%}" in found.text.replace("Accuracy", "Accuracy ")
    for number in (f"{ran.json['log_loss']:.4f}", f"{ran.json['brier']:.4f}", f"{ran.json['auc']:.4f}"):
        assert number in found.text
    assert "spam taken for ham" in found.text and "ham taken for spam" in found.text
    assert "free lunch at noon" in found.text and "win a phone" in found.text
    assert found.tags["article"] == 2 and found.tags["svg"] == 5
    assert "3 documents, and 1 without a label, skipped" in found.text
    assert "Leave-one-out" in found.text  # for alpha was fitted


def test_the_bars_of_a_mistake_are_its_explanation(mail, priori):
    (mail / "more.csv").write_text("text,label\nfree lunch at noon,spam\nsee you,ham\n", encoding="utf-8")
    found, _ = written_by(priori, "mail.priori", "more.csv")
    why = priori("explain", "mail.priori", "free lunch at noon", "--label", "ham", "--against", "spam", "--json").json
    for row in why["contributions"]:
        assert f"{row['feature']}{row['log_odds']:+z.2f}".replace("-", "−") in found.text


def test_hostile_labels_words_and_texts_are_only_text(priori, tmp_path):
    with (tmp_path / "evil.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        for label, other in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], strict=True):
            rows.writerows([(f"{label} word", label)] * 4 + [(f"{other} word\nhttp://evil.example", label)])
    assert priori("train", "evil.csv", "-o", "<i>evil.priori").code == 0
    found, _ = written_by(priori, "<i>evil.priori", "evil.csv")
    for label in (HOSTILE[0], HOSTILE[1], "a'b��[2Jc", HOSTILE[3], HOSTILE[4]):
        assert label in found.text
    assert "Evaluation of <i>evil.priori" in found.text
    assert "http://evil.example" in found.text


def test_a_hostile_table_is_only_text(priori, tmp_path):
    with (tmp_path / "evil.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*HOSTILE[:2], "label"])
        for k in range(12):
            rows.writerow([HOSTILE[k % 3], k, HOSTILE[3 + (k * k // 3) % 2]])
    assert priori("train", "evil.csv", "--table", "-o", "m.priori").code == 0
    found, _ = written_by(priori, "m.priori", "evil.csv")
    assert HOSTILE[0] in found.text and HOSTILE[3] in found.text


def test_the_page_of_a_table_has_its_columns_and_cells(priori, tmp_path):
    X, y = mixed_with_holes("wine")
    X.assign(wine=[f"grape {k}" for k in y]).to_csv(tmp_path / "wine.csv", index=False)
    X.assign(wine=[f"grape {(k + (at % 40 == 0)) % 3}" for at, k in enumerate(y)]).to_csv("noisy.csv", index=False)
    assert priori("train", "wine.csv", "--label", "wine", "-o", "m.priori").code == 0
    found, ran = written_by(priori, "m.priori", "noisy.csv", "--label", "wine", "--json")
    assert found.tags["article"] == min(10, round((1 - ran.json["accuracy"]) * ran.json["n"])) > 0
    for column in X.columns:
        assert column in found.text
    assert "row 0" in found.text  # whose label was changed
    assert "predictswine" in found.text


def test_a_perfect_model_has_no_mistakes(mail, priori):
    found, _ = written_by(priori, "mail.priori", "mail.csv", "--where", "split=train")
    assert "None: every document was put right" in found.text
    assert found.tags["article"] == 0


def test_one_class_and_labels_never_learned_can_be_shown(mail, priori):
    (mail / "new.csv").write_text("text,label\nwin,news\nlunch,ham\n", encoding="utf-8")
    found, ran = written_by(priori, "mail.priori", "new.csv")
    assert "infinite" in found.text and "nothing to tell it from" in found.text
    assert "the area under the ROC curve is not measured" in ran.err
    (mail / "one.csv").write_text("text,label\na b,x\nc,x\n", encoding="utf-8")
    assert priori("train", "one.csv", "-o", "one.priori").code == 0
    written_by(priori, "one.priori", "one.csv")


def test_an_impossible_class_is_said_and_not_explained(mail, priori):
    (mail / "more.csv").write_text("text,label\nlunch,spam\nwin,ham\n", encoding="utf-8")
    found, _ = written_by(priori, "mail.priori", "more.csv", "--estimate", "ml", "--alpha", "0")
    assert "No explanation: one of the two classes is impossible" in found.text


def test_a_bad_place_is_refused_before_the_work(mail, priori):
    ran = priori("evaluate", "mail.priori", "nothing.csv", "--html", "none/report.html")
    assert ran.code == 1 and "its folder does not exist" in ran.err


def report_of_texts(model, path, batch_bytes, **more):
    worst = Worst(model.labels)
    found = evaluate(model, read(str(path), ReadOptions(batch_bytes=batch_bytes)), worst=worst)
    return text_report(model, found, worst.result(), name="m", sources=["a"], **more)


@pytest.fixture(scope="module")
def sms(tmp_path_factory):
    texts, labels = dataset("sms_spam")
    path = tmp_path_factory.mktemp("sms") / "test.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts[3000:], labels[3000:], strict=True)])
    return model_of(list(zip(texts[:3000], labels[:3000], strict=True))), path


def test_batches_do_not_change_a_byte(sms):
    model, path = sms
    pages = {page(report_of_texts(model, path, size)) for size in (1 << 12, 50_000, 1 << 24)}
    assert len(pages) == 1
    checked(pages.pop())


def test_the_mistakes_are_those_of_brute_force(sms):
    model, path = sms
    found = report_of_texts(model, path, 1 << 13)
    ((batch,),) = [list(read(str(path), ReadOptions(batch_bytes=1 << 26)))]
    p, truth = model.posterior(batch), np.array(batch.label.to_pylist())
    predicted = np.array(model.labels)[p.argmax(axis=1)]
    of_truth = p[np.arange(len(p)), [model.labels.index(label) for label in truth]]
    wrong = np.flatnonzero(predicted != truth)
    worst = wrong[np.argsort(of_truth[wrong], kind="stable")][:10]
    assert [mistake.position for mistake in found.mistakes] == worst.tolist()
    for mistake in found.mistakes:
        assert np.exp(mistake.log_probability) == pytest.approx(of_truth[mistake.position])
        odds = np.log(mistake.predicted_probability) - mistake.log_probability
        assert mistake.explanation.log_odds == pytest.approx(odds, rel=1e-9)
        assert mistake.excerpt[:20] == batch.text[mistake.position].as_py().decode().strip()[:20]


def test_batches_of_a_table_do_not_change_a_byte(tmp_path):
    X, y = bundled("digits")
    X.assign(label=y).to_csv(tmp_path / "digits.csv", index=False)
    import priori

    estimator = priori.NaiveBayes().fit(X, y.astype(str))
    model = estimator.model_
    assert isinstance(model, TableModel)
    pages = set()
    for size in (1 << 12, 1 << 22):
        _, rows = read_table(
            [str(tmp_path / "digits.csv")], ReadOptions(text=None, batch_bytes=size), schema=model.schema
        )
        worst = Worst(model.labels)
        found = evaluate_table(model, rows, worst=worst)
        pages.add(page(table_report(model, found, worst.result(), name="m")))
    assert len(pages) == 1
    found = checked(pages.pop())
    assert found.tags["article"] == 10


def test_the_leave_one_out_curve_is_shown_where_there_is_one(sms, tmp_path):
    model, path = sms
    assert "Leave-one-out" not in page(report_of_texts(model, path, 1 << 24))
    report = report_of_texts(model, path, 1 << 24, curve=([0.01, 0.1, 1.0], [0.3, 0.2, 0.4], 0.1))
    write(report, tmp_path / "a.html")
    found = checked((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "Leave-one-out" in found.text and "0.1 was chosen" in found.text
    assert found.tags["svg"] == 5


def test_many_classes_long_names_and_bytes_that_are_no_text(tmp_path):
    rng = np.random.default_rng(0)
    labels = [f"{'long' * 40} {k}" for k in range(130)]
    rows = [(f"word{k} {'x' * 3000} w{rng.integers(9)}", labels[k]) for k in range(130) for _ in range(2)]
    model = model_of(rows)
    worst = Worst(model.labels)
    from priori.data import read_objects

    batches = list(read_objects([text for text, _ in rows], labels * 2))
    found = evaluate(model, batches, worst=worst)
    report = text_report(model, found, worst.result(), name="m")
    assert all(len(mistake.excerpt) < 700 for mistake in report.mistakes)
    read_page = checked(page(report))
    assert "and 30 more with as high an F1 or higher" in read_page.text
    worst = sorted(scores.f1 for scores in found.per_class.values())[:100]
    listed = re.findall(r"<td>(\d\.\d{3})</td>", page(report))
    assert listed == [f"{f1:.3f}" for f1 in worst]
    assert "long" * 30 not in read_page.text
    hostile = replace(report.mistakes[0], excerpt="\x00\ud800\ufffe", cells=[("a", "\x85")])
    checked(page(replace(report, mistakes=[hostile])))


def test_docstring_example():
    assert doctest.testmod(priori.report.sections).failed == 0


def test_the_calibration_is_judged_by_what_chance_does():
    from priori.decisions import Scorecard
    from priori.report.page import _calibrated

    rng = np.random.default_rng(0)
    top = rng.uniform(0.97, 1, 4000)
    right = rng.random(4000) < top

    def verdict(shift):
        p = np.minimum(top + shift, 1)
        card = Scorecard(["a", "b"])
        card.add(np.column_stack([p, 1 - p]), ["a" if yes else "b" for yes in right])
        return card.result(), _calibrated(card.result())

    found, said = verdict(0)
    assert found.ece <= found.ece_chance and found.ece_floor < found.ece_chance and "at their word" in said
    found, said = verdict(0.006)  # a small error, and yet twice what chance would show
    times = found.ece / found.ece_floor
    assert found.ece < 0.01 and times > 2
    assert f"small, but {times:.1f} times the {found.ece_floor:.2%}" in said and "too sure, by" in said
