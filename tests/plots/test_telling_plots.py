"""The strongest terms of each class, for any number of classes and any text."""

import pytest

from pictures import on_paper
from priori.plots import telling_figure
from priori.select import Term

ODD = ["$x_1$", r"$\frac{", "_leading", "a\nb\t\x07", "", "   ", "<&>'\"", "w" * 300]


def terms(label, words):
    return [Term(word, label, 50.0 - k, 4.0 - k / 4, 10.0, 12.0) for k, word in enumerate(words)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20, 60])
def test_any_number_of_classes_stays_on_the_paper(count):
    labels = [f"a.rather.long.label.of.class.{k}" if k % 3 == 0 else f"c{k}" for k in range(count)]
    by_class = {label: terms(label, [f"word{k}" for k in range(8)]) for label in labels}
    assert on_paper(telling_figure(by_class, terms(labels[0], [f"w{k}" for k in range(10)])))


def test_odd_words_and_classes():
    assert on_paper(telling_figure({label: terms(label, ODD) for label in ODD}, terms("", ODD)))
    assert on_paper(telling_figure({label: terms(label, ODD) for label in ODD[:2]}, terms(ODD[0], ODD)))


def test_classes_without_terms():
    assert on_paper(telling_figure({"a": [], "b": []}, []))
    assert on_paper(telling_figure({"a": [], "b": terms("b", ["x"]), "c": []}, []))
