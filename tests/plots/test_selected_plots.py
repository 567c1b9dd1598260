"""The picture of a selection shows its candidates, best first."""

from pictures import on_paper, said
from priori.plots.model_selection import selection_figure
from priori.select.search import select_model


def test_candidates_with_their_losses():
    texts, labels = ["a x", "a y", "b x", "b z", "x z"], ["p", "p", "q", "q", "p"]  # without "x z", p knows no z
    found = select_model(texts, labels, estimates=("ml", "bayes"))
    figure = selection_figure(found, "mails.csv")
    words = said(figure)
    assert "mails.csv" in words and "5 documents, each document left out in turn" in words
    assert "∞" in words, "a candidate of infinite loss is named too"
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0].startswith(f"{found.best.event} {found.best.estimate}")
    assert len(names) == len(found.candidates)
    assert on_paper(figure)
