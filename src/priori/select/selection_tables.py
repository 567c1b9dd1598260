"""A selection as rows of text: the ranking, all losses, and the comparison within each representation."""

import math
from collections.abc import Iterator

from priori.select.evidence import Representation
from priori.select.label_loss import Average, LabelLoss
from priori.select.selection_result import Candidate, Criterion, Selection, alpha_text

Cells = list[str]
_CRITERIA: tuple[Criterion, ...] = ("leave-one-out", "k-fold", "holdout")


def ranking(found: Selection, times: bool = True) -> list[Cells]:
    """A head and a row for each candidate, best first; a ~ is less than two standard errors behind the best."""
    head = [">#", "features", "event", "estimate", ">alpha", ">loss", ">± s.e.", ">right", *[">s"] * times]
    return [head, *(_row(found, place, each, times) for place, each in enumerate(found.candidates, 1))]


def _row(found: Selection, place: int, each: Candidate, times: bool) -> Cells:
    loss = each.loss(found.criterion)
    near = "~" if place > 1 and each.near else " "
    alpha = "" if each.alpha is None else f"{alpha_text(each.alpha)} "
    if each.alpha is not None and isinstance(each.asked, str):
        alpha = f"{each.alpha:.2g}*"
    said = [f"{place}{near}", each.features, each.event, each.estimate, alpha]
    return [*said, number(loss.log_loss), number(loss.standard_error), share(loss), *[f"{each.seconds:.1f}"] * times]


def all_losses(found: Selection) -> list[Cells]:
    """A head and a row for each candidate with every loss that was measured; empty where that is one."""
    measured = [name for name in _CRITERIA if _measured(found.best, name)]
    if len(measured) < 2:
        return []
    head = [">#", *(cell for name in measured for cell in (f">{name}", ">right"))]
    rows = []
    for place, each in enumerate(found.candidates, 1):
        losses = [each.loss(name) for name in measured]
        rows.append([str(place), *(cell for loss in losses for cell in (number(loss.log_loss), share(loss)))])
    return [head, *rows]


def _measured(each: Candidate, name: Criterion) -> bool:
    return {"leave-one-out": True, "k-fold": each.k_fold is not None, "holdout": each.holdout is not None}[name]


def within(found: Selection) -> list[Cells]:
    """A head and rows for each representation that has a likelihood: how far each model is behind the best there."""
    rows = [row for representation in found.representations for row in _within(representation)]
    return [["", ">parameters", ">AIC", ">BIC", ">evidence"], *rows] if rows else []


def _within(representation: Representation) -> Iterator[Cells]:
    own, shared = representation.own, representation.shared
    if own is None or shared is None:
        return
    yield [representation.name, "", "", "", ""]
    for name, maximum in (("own words for each class", own), ("the same words for all", shared)):
        aic = maximum.aic - min(own.aic, shared.aic)
        bic = maximum.bic - min(own.bic, shared.bic)
        yield [f"  {name}", f"{maximum.parameters:,}", points(aic), points(bic), ""]
    most = max((max(each.own, each.shared) for each in representation.evidences), default=0.0)
    for each in representation.evidences:
        yield [f"  own words, alpha {alpha_text(each.alpha)}", "", "", "", points(most - each.own)]
        yield [f"  the same, alpha {alpha_text(each.alpha)}", "", "", "", points(most - each.shared)]


def averaged(average: Average) -> Cells:
    """The averaged model in one row: representation, log loss, standard error, accuracy, and the weights."""
    weights = dict(zip(average.members, average.weights, strict=True))
    said = [f"{name} {weight:.3f}" for name, weight in weights.items() if weight >= 5e-4]
    loss = average.leave_one_out
    shown = [number(loss.log_loss), number(loss.standard_error), share(loss)]
    return [average.representation, *shown, ", ".join(said)]


def number(value: float) -> str:
    """A loss in four decimals."""
    return f"{value:.4f}" if math.isfinite(value) else "∞"


def share(loss: LabelLoss) -> str:
    """Right labels in per cent."""
    return f"{100 * loss.accuracy:.2f}%"


def points(value: float) -> str:
    """How far behind; 0 is the best.

    >>> points(0.0), points(0.25), points(26381.6), points(2.5e8)
    ('0', '+0.2', '+26,382', '+2.5e+08')
    """
    if value < 10:
        return f"+{value:.1f}" if value else "0"
    return f"+{value:,.0f}" if value < 1e7 else f"+{value:.3g}"
