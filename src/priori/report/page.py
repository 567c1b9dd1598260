"""The page itself: one file, nothing to load, nothing that runs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from priori._version import __version__
from priori.decisions import Evaluation
from priori.plots import confusion, leave_one_out_curve, new_figure, reliability, roc
from priori.report.content import Columns, Curve, Report, counted
from priori.report.markup import CSS, bars, label, picture, section, table, text
from priori.report.sections import agreement, measures, mistakes
from priori.store import atomic_output

_SMALL = (5.2, 4.7)  # inches of a picture that stands beside another
_CLASSES = 100  # whose numbers are listed
_FEW = 6  # labels whose confusion is a small picture
_IN_ORDER = 24  # labels listed in their order; of more the worst come first
_SMALL_ERROR = 0.01  # of calibration


def write(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all."""
    made = page(report).encode("utf-8")
    with atomic_output(path) as file:
        file.write(made)


def page(report: Report) -> str:
    """The whole page as HTML."""
    found, noun = report.evaluation, report.noun
    title = f"Evaluation of {Path(report.name).name or report.name}"
    parts = [
        section("The model and the data", _facts(report)),
        *(_by_name(found, noun) if report.matched is None else [agreement(report.matched, noun)]),
        "" if report.curve is None else _left_out(report.curve, noun),
        "" if report.terms is None else _terms(report.terms),
        "" if report.columns is None else _columns(report.columns),
        _mistakes(report) if report.matched is None else "",
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{text(title)}</title>\n'
        f"<style>{CSS}</style>\n</head>\n<body>\n<main>\n<h1>{text(title)}</h1>\n{''.join(parts)}"
        f"<footer>Written by Priori {text(__version__)}</footer>\n</main>\n</body>\n</html>\n"
    )


def _by_name(found: Evaluation, noun: str) -> list[str]:
    """What compares the labels of the data with the classes of the same names."""
    good = section("How good it is", measures(found, noun))
    return [good, _probabilities(found, noun), _labels(found, noun), _ranking(found, noun)]


def _facts(report: Report) -> str:
    return f"<dl>{''.join(f'<dt>{text(name)}</dt><dd>{label(said, 1000)}</dd>' for name, said in report.facts)}</dl>\n"


def _probabilities(found: Evaluation, noun: str) -> str:
    figure = new_figure(*_SMALL)
    reliability(figure.subplots(), found.reliability, found.ece_floor, noun)
    bins = found.reliability
    verdict = _calibrated(found)
    rows = [
        (f"{p:.2%}", f"{right:.2%}", f"{n:,}")
        for p, right, n in zip(bins.confidence.tolist(), bins.accuracy.tolist(), bins.count.tolist(), strict=True)
    ]
    numbers = table(("stated probability", "were right", f"{noun}s"), rows, left=0)
    said = picture(figure, "reliability", f"Reliability diagram: calibration error {found.ece:.2%}")
    return section("Do the probabilities mean what they say?", f"<div class=pair>{said}{numbers}</div>", lead=verdict)


def _calibrated(found: Evaluation) -> str:
    """The calibration error against what chance does: its mean, and what it exceeds once in twenty times."""
    error = f"The calibration error of {found.ece:.2%}"
    if found.ece <= found.ece_chance:
        return (
            f"{error} is no more than chance alone may show ({found.ece_floor:.2%} on average, up to "
            f"{found.ece_chance:.2%}): the probabilities can be taken at their word."
        )
    bins = found.reliability
    gap = float((bins.count * (bins.accuracy - bins.confidence)).sum() / bins.count.sum())
    way = f"on the whole the model is {'too modest' if gap > 0 else 'too sure'}, by {abs(gap):.2%}"
    if abs(gap) < found.ece / 2:
        way = "the model is too sure in some places and too modest in others"
    times = f"{found.ece / found.ece_floor:.1f} times" if found.ece_floor > 0 else "more than"
    small = "small, but " if found.ece <= _SMALL_ERROR else ""
    return f"{error} is {small}{times} the {found.ece_floor:.2%} that chance alone would show: {way}."


def _labels(found: Evaluation, noun: str) -> str:
    few = len(found.labels) <= _FEW
    figure = new_figure(*_SMALL) if few else new_figure(8.2, 6.6)
    confusion(figure.subplots(), found, noun)
    drawn = picture(figure, "confusion", f"Confusion matrix: accuracy {found.accuracy:.2%}")
    names, more = _listed(found)
    rows = [
        (label(name), f"{each.precision:.2%}", f"{each.recall:.2%}", f"{each.f1:.3f}", f"{each.support:,}")
        for name, each in ((name, found.per_class[name]) for name in names)
    ]
    heads = ("label", "precision", "recall", "F1", f"{noun}s")
    lead = (
        "Precision: how many of those put there belong there. Recall: how many of those that belong there were found."
        + (" The labels of lowest F1 come first." if len(found.labels) > _IN_ORDER else "")
    )
    numbers = f"<div>{table(heads, rows)}{more}</div>"
    inside = f"<div class=pair>{drawn}{numbers}</div>" if few else f"<div class=whole>{drawn}</div>{numbers}"
    return section("Which labels it takes for which", inside, lead=lead)


def _listed(found: Evaluation) -> tuple[list[str], str]:
    """The labels of the table, and what is said of the rest: all in their order, or of many the worst first."""
    if len(found.labels) <= _IN_ORDER:
        return list(found.labels), ""
    occurs = found.confusion.sum(axis=0) + found.confusion.sum(axis=1) > 0
    names = [name for name, there in zip(found.labels, occurs.tolist(), strict=True) if there]
    worst = sorted(names, key=lambda name: (found.per_class[name].f1, -found.per_class[name].support))
    left, absent = len(names) - _CLASSES, len(found.labels) - len(names)
    said = [f"{left:,} more with as high an F1 or higher"] if left > 0 else []
    said += [f"{absent:,} that are neither in the data nor predicted"] if absent else []
    return worst[:_CLASSES], f"<p class=note>and {', and '.join(said)}</p>" if said else ""


def _ranking(found: Evaluation, noun: str) -> str:
    title = "How well it ranks"
    if found.auc is None:
        return section(title, lead=f"The area under the ROC curve is {text(found.auc_note or 'not measured')}.")
    pictures = []
    for low in (False, True):
        figure = new_figure(_SMALL[0], _SMALL[1] + (0.0 if len(found.labels) <= 2 else 0.8))
        roc(figure.subplots(), found, noun, low=low)
        said = "ROC curves at few false alarms" if low else f"ROC curves: area {found.auc:.4f}"
        pictures.append(picture(figure, f"roc-{'low' if low else 'all'}", said))
    lead = (
        "What other thresholds would do: the higher a curve, the more of a class is found at the same share of false "
        "alarms. The right picture looks at the few false alarms that a filter may have."
    )
    return section(title, f"<div class=pair>{''.join(pictures)}</div>", lead=lead)


def _left_out(curve: Curve, noun: str) -> str:
    alphas, losses, chosen = curve
    figure = new_figure(_SMALL[0], 3.8)
    leave_one_out_curve(figure.subplots(), alphas, losses, chosen, noun=noun)
    lead = (
        f"How the smoothing was chosen: each {noun} of the training data was scored by a model that had not learned "
        f"from it, for each alpha; {chosen:.3g} was chosen."
    )
    drawn = picture(figure, "left-out", f"Leave-one-out loss by alpha; {chosen:.3g} was chosen")
    return section("Leave-one-out", drawn, lead=lead)


def _terms(terms: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    cards = (
        f"<div class=card><h3>{label(name)}</h3>{bars([(label(word), z, f'{z:.1f}') for word, z in words])}</div>"
        for name, words in terms.items()
    )
    lead = (
        "The terms that speak most surely for each label: their log-odds against the rest, in standard errors, as the "
        "model learned them."
    )
    return section("What it goes by", f"<div class=grid>{''.join(cards)}</div>", lead=lead)


def _columns(columns: Columns) -> str:
    rows = [[label(cell) for cell in row] for row in columns.rows]
    lead = (
        "What the model counts in each column. Power: how far a column is believed (1: as if independent of the "
        "others). Under a label stand the mean of numbers, or the most frequent value."
    )
    return section("What it goes by", table([label(head) for head in columns.heads], rows, left=2), lead=lead)


def _mistakes(report: Report) -> str:
    if not report.mistakes:
        return section("The worst mistakes", lead=f"None: every {report.noun} was put right.")
    lead = (
        f"The {counted(len(report.mistakes), report.noun)} whose true label got the lowest probability. Bars are "
        "contributions to the log-odds: <span class=for>to the right</span> for the label that was predicted, "
        "<span class=against>to the left</span> for the true one; they add up to the whole log-odds. "
        f"A {report.noun} is known by its place in the data, from 0, as priori explain --row takes it."
    )
    return section("The worst mistakes", mistakes(report.mistakes, report.noun), lead=lead)
