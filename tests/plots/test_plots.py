"""Every picture is drawn from ordinary and from odd data, and nothing in it is cut off or written over."""

import logging
import math
import re
import subprocess
import sys
import threading
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures import on_paper, written
from priori.decisions import Scorecard
from priori.errors import PrioriError
from priori.plots import (
    Explained,
    confusion,
    demo_figure,
    explanation,
    graphical_model,
    new_figure,
    picture_format,
    reliability,
    save,
    top_terms,
)
from priori.plots.style import shown

ODD = ["$x_1$", r"$\frac{", "_leading", "a\nb\t\x07", "", "   ", "naïve é", "<&>'\"", "w" * 300, "100%", "%s {}"]
ROWS = [("free", 2, 3.1), ("win", 1, 1.5), ("(class prior)", 1, -1.9), ("$1,000", 1, 0.7)]


def evaluation(labels, n=600, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.3] * len(labels), size=n)
    truth = (rng.random((n, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)
    card = Scorecard(labels)
    card.add(p, [labels[k] for k in truth])
    return card.result()


def demo(labels=("ham", "spam"), rows=ROWS):
    terms = {label: [(f"word{k}", 5.0 - k / 2) for k in range(8)] for label in labels}
    return demo_figure(evaluation(list(labels)), terms, Explained(rows, labels[-1], labels[0], "free $ to WIN"))


def one(draw, *arguments, width=6, height=5, **options):
    figure = new_figure(width, height)
    draw(figure.subplots(), *arguments, **options)
    return figure


MODEL = {"classes": ["ham", "spam"], "documents": 5574, "words": 81175, "vocabulary": 8713}


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20, 60])
def test_any_number_of_classes_stays_on_the_paper(count, tmp_path):
    labels = [f"a.rather.long.label.of.class.{k}" if k % 3 == 0 else f"c{k}" for k in range(count)]
    figure = demo(labels)
    assert on_paper(figure)
    save(figure, tmp_path / "demo.png")


def test_odd_labels_and_words(tmp_path):
    terms = {label: [(word, 1.0) for word in ODD] for label in ODD}
    figure = demo_figure(evaluation(ODD), terms, Explained([(w, 1, 1.0) for w in ODD], ODD[0], ODD[8], "\n".join(ODD)))
    assert on_paper(figure)
    for name in ("demo.svg", "demo.pdf", "demo.png"):
        save(figure, tmp_path / name)
    assert "$x_1$" in (tmp_path / "demo.svg").read_text()


def test_scripts_without_a_font_are_said_once_and_kept_in_svg(tmp_path, caplog):
    figure = one(top_terms, {"Ægypt": [("\U00013080", 1.0), ("\U0001e030", 2.0)]})
    with caplog.at_level(logging.WARNING):
        save(figure, tmp_path / "a.svg")
        assert not caplog.records
        save(figure, tmp_path / "a.png")
    assert "\U00013080" in (tmp_path / "a.svg").read_text()
    assert len(caplog.records) == 1
    assert "no installed font has" in caplog.text


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.pdf"])
def test_same_picture_same_bytes(name, tmp_path):
    first, second = tmp_path / f"1{name}", tmp_path / f"2{name}"
    save(demo(), first)
    save(demo(), second)
    assert first.read_bytes() == second.read_bytes()
    assert not re.search(rb"<dc:date>|CreationDate", first.read_bytes())


def test_threads_draw_the_same(tmp_path):
    threads = [threading.Thread(target=lambda k=k: save(demo(), tmp_path / f"{k}.svg")) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({(tmp_path / f"{k}.svg").read_bytes() for k in range(4)}) == 1


@given(st.text(max_size=200), st.integers(6, 40))
def test_shown_text_is_short_and_visible(text, limit):
    got = shown(text, limit)
    assert len(got) <= 2 * limit + 2 + sum(1 for c in text if unicodedata.combining(c))
    assert got.strip()
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in got)


def test_short_text_is_shown_as_it_is():
    for text in ("spam", "rec.sport.hockey", "$1,000", "日本語"):
        assert shown(text) == text
    long = shown("comp.sys.ibm.pc.hardware.and.more")
    assert long.startswith("comp.sys")
    assert long.endswith("more")


def test_a_name_must_tell_a_format(tmp_path):
    assert [picture_format(n) for n in ("a.svg", "b.PNG", "c.d.pdf")] == ["svg", "png", "pdf"]
    for name in ("a.gif", "svg"):
        with pytest.raises(PrioriError, match=r"end in \.svg, \.png or \.pdf"):
            save(demo(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_reliability_tells_error_and_floor():
    result = evaluation(["a", "b"])
    text = "\n".join(written(one(reliability, result.reliability, result.ece_floor)))
    assert f"calibration error {result.ece:.2%}" in text
    assert f"perfect calibration would show {result.ece_floor:.2%}" in text
    assert "600 documents" in text


def test_confusion_writes_every_count_that_is_not_zero():
    for labels in (["ham", "spam"], [f"group{k:02}" for k in range(20)]):
        result = evaluation(labels)
        numbers = [t for t in written(one(confusion, result)) if t.isdigit()]
        cells = [str(c) for c in result.confusion.flat if c]
        ticks = [str(k + 1) for k in range(20)] if len(labels) == 20 else []
        assert sorted(numbers) == sorted(cells + ticks)


def test_of_many_labels_the_most_mistaken_are_shown():
    labels = [f"label{k:02}" for k in range(40)]
    card = Scorecard(labels)
    for k in range(40):  # 10 documents of each, and for the last 24 labels some mistakes
        p = np.zeros((10, 40))
        p[:, k] = 1
        p[:2, k], p[:2, 16 + (k - 15) % 24] = (0, 1) if k >= 16 else (1, 0)
        card.add(p / p.sum(axis=1, keepdims=True), [labels[k]] * 10)
    text = "\n".join(written(one(confusion, card.result())))
    assert "the 24 of 40 labels with errors" in text  # and not one without
    assert "label16" in text
    assert "label15" not in text


@pytest.mark.parametrize(("wrong", "said"), [(0, "the 24 of 40 most frequent labels"), (2, "the 4 of 40 labels with"),
                                             (30, "the 24 of 40 labels with most errors")])  # fmt: skip
def test_labels_without_errors_do_not_fill_up_the_confusion(wrong, said):
    labels = [f"label{k:02}" for k in range(40)]
    truth = [label for k, label in enumerate(labels) for _ in range(3 if k < 24 else 2)]
    p = np.array([np.eye(40)[labels.index(label)] for label in truth])
    for k in range(wrong):  # a document of label k is taken for its neighbour, of few labels for one far away
        p[truth.index(labels[k])] = np.eye(40)[k + 1 if wrong > 2 else 39 - k]
    card = Scorecard(labels)
    card.add(p, truth)
    found = written(one(confusion, card.result()))
    assert said in "\n".join(found)
    shown = {text.split()[0] for text in found if text.startswith("label")}
    assert len(shown) == (4 if wrong == 2 else 24)
    if wrong == 0:
        assert shown == set(labels[:24])


@pytest.mark.parametrize("rows", [ROWS, [(f"w{k}", 1, (-1) ** k / (k + 1)) for k in range(40)], []])
def test_explanation_adds_up(rows):
    """The bars go from 0 to the sum, each from where the last one ended, and the last bar is the sum."""
    figure = one(explanation, rows, "spam", "ham")
    *steps, total = figure.axes[0].patches
    position = 0.0
    for step in steps:
        assert step.get_x() == pytest.approx(position)
        position += step.get_width()
    wanted = math.fsum(value for _, _, value in rows)
    assert position == pytest.approx(wanted)
    assert total.get_width() == pytest.approx(wanted)
    assert f"{wanted:+.2f}".replace("-", "−") in written(figure)
    assert len(steps) <= 13


def test_explanation_with_infinite_evidence():
    impossible = [*ROWS, ("never seen in spam", 1, -math.inf)]
    assert written(one(explanation, impossible, "spam", "ham")).count("−∞") == 2
    assert "undefined (∞ − ∞)" in written(one(explanation, [*impossible, ("x", 1, math.inf)], "spam", "ham"))


def test_explanation_says_how_often():
    assert "free ×2" in written(one(explanation, ROWS, "spam", "ham"))


def test_top_terms_without_any():
    assert on_paper(one(top_terms, {}))
    assert on_paper(one(top_terms, {"a": [], "b": [("x", -1.0)]}))


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("width", [5, 10, 20])
def test_graphical_model(event, width):
    figure = one(graphical_model, **MODEL, event=event, alpha=0.25, gamma="given", width=width, height=width / 2)
    text = "\n".join(written(figure))
    for number in ("5,574", "81,175" if event != "bernoulli" else "8,713", "8,713", "0.25", "γ: given", "2 classes"):
        assert number in text
    assert on_paper(figure)


def test_graphical_model_without_priors():
    text = "\n".join(written(one(graphical_model, **MODEL, alpha=None, gamma=None)))
    assert "π by maximum likelihood" in text
    assert "θ by maximum likelihood" in text
    assert "α" not in text
    assert "γ" not in text


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_stays_light_and_pyplot_is_never_loaded():
    assert run("import sys, priori.plots; print('matplotlib' in sys.modules)") == "False"
    code = (
        "import sys; from priori.plots import new_figure; new_figure(1, 1); print('matplotlib.pyplot' in sys.modules)"
    )
    assert run(code) == "False"


def test_missing_matplotlib_is_said_with_its_remedy():
    code = """
import sys
sys.modules["matplotlib"] = None
from priori.errors import PrioriError
from priori.plots import new_figure
try:
    new_figure(1, 1)
except PrioriError as error:
    print(error)
"""
    assert run(code) == "pictures need matplotlib; pip install 'priori[plots]'"
