"""The picture of an estimate: its parameters, one by one, and the data under what was fitted and is predicted.

>>> import priori
>>> from priori.families import DirichletCategorical
>>> from priori.plots import estimate_figure, save
>>> data = list("abacabab")
>>> save(estimate_figure(priori.estimate(DirichletCategorical, data), data), "estimate.png")
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.estimation.description import by_name, named_place
from priori.estimation.distribution import Absent, Estimate
from priori.families import Family
from priori.families.base import DISCRETE
from priori.plots.data_panels import categories, cloud, numbers, whole_numbers
from priori.plots.parameter_panel import Marginal, parameter
from priori.plots.style import INK, MATHEMATICS, QUIET, SMALL, counted, legend_below, new_figure, number, shown
from priori.statistics import Categories, CountVectors
from priori.statistics.observations import as_numbers, as_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
Panel = Callable[["Axes"], None]
_PANELS = 4  # in a row


def estimate_figure(estimate: Estimate, values: Any = None, weights: Any = None, names: Sequence[str] = ()) -> "Figure":
    """Draw each parameter's prior, likelihood and posterior, and the data, if given, under the densities."""
    marginals = _marginals(estimate, names)
    data = _data(estimate, values, weights, names) if values is not None else None
    chosen = _largest(marginals, _PANELS - (data is not None))
    panels: list[Panel] = [lambda axes, of=of: parameter(axes, of) for of in chosen]  # type: ignore[misc]
    panels += [data] if data is not None else []
    if not panels:
        estimate.posterior.require_proper("a picture of it")
        raise EstimateError("there is no parameter to draw and no data were given; give the data too")
    figure = new_figure(max(3.9 * len(panels), 6.5), 4.7)
    row = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, draw in zip(row, panels, strict=True):
        draw(axes)
    for place in {0, len(panels) - 1} if data is not None else {0}:
        legend_below(row[place])
    _head(figure, estimate, len(chosen), len(marginals))
    return figure


def _marginals(estimate: Estimate, names: Sequence[str]) -> list[Marginal]:
    """Every parameter by itself; none if the posterior does not integrate to 1."""
    if not estimate.posterior.proper:
        return []
    flat = _flat_posterior(estimate)
    posterior = estimate.posterior.marginals()
    prior = estimate.prior.marginals() if estimate.prior.proper else {}
    # by their order: under the flat prior the values of a multinomial have no names
    likelihood = dict(zip(posterior, flat.marginals().values(), strict=True)) if flat.proper else {}
    interval = {} if isinstance(estimate.interval, Absent) else estimate.interval
    modes, means = (by_name(of, list(posterior)) for of in (estimate.map, estimate.mean))
    return [
        Marginal(
            named_place(name, names), of, prior.get(name), likelihood.get(name), modes.get(name), means.get(name),
            interval.get(name), estimate.mass, tuple(other for other in posterior if other != name),
        )
        for name, of in posterior.items()
    ]  # fmt: skip


def _flat_posterior(estimate: Estimate) -> Family[Any]:
    """The likelihood as a distribution of the parameters: the posterior under the flat prior."""
    stats: Any = estimate.statistics
    if isinstance(stats, Categories):  # values that only the prior knows have their probabilities too
        stats = Categories(_names(estimate), stats.of_values(_names(estimate)))
    return estimate.family.flat(stats, **estimate.known).posterior(stats)


def _names(estimate: Estimate) -> tuple[Any, ...]:
    """The values of a family of values, in the order of its parameters."""
    names: tuple[Any, ...] = estimate.posterior.values  # type: ignore[attr-defined]
    return names


def _largest(marginals: list[Marginal], most: int) -> list[Marginal]:
    """As many as there is room for, in their order; of the probabilities of many categories the largest."""
    if len(marginals) <= most or not all(of.name.startswith("probabilities[") for of in marginals):
        return marginals[:most]
    ranked = sorted(range(len(marginals)), key=lambda place: -marginals[place].posterior.mean())
    return [marginals[place] for place in sorted(ranked[:most])]


def _data(estimate: Estimate, values: Any, weights: Any, names: Sequence[str]) -> Panel | None:
    """How the data are drawn; None where they have too many dimensions."""
    fitted = ("mode (MAP)", estimate.map) if isinstance(estimate.ml, Absent) else ("maximum likelihood", estimate.ml)
    both = (fitted, ("predictive", estimate.predictive))
    models: list[tuple[str, Any]] = [(name, of) for name, of in both if not isinstance(of, Absent)]
    if isinstance(estimate.statistics, Categories | CountVectors):
        return _shares(estimate, [fitted, ("predictive", estimate.mean)])
    note = f"{shown(str(models[0][1]), 44) if models else 'nothing could be fitted'}\n{_evidence(estimate)}"
    array = as_numbers(values).astype(np.float64)
    weight = as_weights(weights, len(array))
    if array.ndim != 1:
        whole = array[~np.isnan(array).any(axis=1)]
        pairs = models and array.shape[1] == 2 and len(whole)
        around = f"ellipses hold 50 and 95 %\n{_evidence(estimate)}"
        return (lambda axes: cloud(axes, whole, models, around, names)) if pairs else None
    there = ~np.isnan(array) & (weight > 0)
    if not there.any():
        return None
    draw = whole_numbers if estimate.family.support in DISCRETE else numbers
    name = names[0] if names else "value"
    return lambda axes: draw(axes, array[there], weight[there], models, note, name=name)


def _shares(estimate: Estimate, models: list[tuple[str, Any]]) -> Panel:
    """Shares of values. For one observation of them the predictive is the mean of the posterior."""
    names, stats = _names(estimate), estimate.statistics
    counts = stats.of_values(names) if isinstance(stats, Categories) else stats.counts  # type: ignore[attr-defined]
    shares = [(name, _probabilities(of, names)) for name, of in models if not isinstance(of, Absent)]
    note = f"{counted(len(names), 'value')}\n{_evidence(estimate)}"
    return lambda axes: categories(axes, names, counts, shares, note)


def _evidence(estimate: Estimate) -> str:
    value = estimate.log_evidence
    return "no evidence" if isinstance(value, Absent) else f"log evidence {number(value, 1.0)}"


def _probabilities(of: Any, names: tuple[Any, ...]) -> Floats:
    """What a model says of each value; values that only the prior knows have none under maximum likelihood."""
    places = [f"probabilities[{name}]" for name in names]
    known = by_name(of, places)
    return np.array([known.get(place, 0.0) for place in places])


def _head(figure: "Figure", estimate: Estimate, seen: int, marginals: int) -> None:
    """What was estimated from how much, and below it how the prior became the posterior."""
    from matplotlib.text import Annotation

    name = estimate.family.name.replace("-", " ").capitalize()
    free = 0 if isinstance(estimate.free_parameters, Absent) else estimate.free_parameters
    total = max(marginals, free)  # covariances have no marginal that scipy knows
    more = f" · {seen} of {total:,} parameters" if 0 < seen < total else ""
    note = _story(estimate, int(6 * figure.get_figwidth()))
    room = "\n " * len(note.splitlines())  # for the note, which is written in another size
    heading = f"{name}: {counted(estimate.n, 'observation')}{more}{room}"
    title = figure.suptitle(heading, x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
    style: dict[str, Any] = {"fontsize": SMALL + 1, "color": QUIET, "fontfamily": MATHEMATICS, "parse_math": False}
    figure.add_artist(Annotation(note, xy=(0, 0), xycoords=title, va="bottom", **style))


def _story(estimate: Estimate, limit: int) -> str:
    """Prior to posterior, each in so many letters; and what has no curve."""
    prior, posterior = shown(str(estimate.prior), limit), shown(str(estimate.posterior), limit)
    if not estimate.prior.proper:
        flat = str(estimate.prior) == str(estimate.family.flat(estimate.statistics, **estimate.known))
        prior = f"{'flat' if flat else 'improper'} prior, which has no curve"
    if not estimate.posterior.proper:
        return f"{prior}  →  improper posterior, which has none"
    story = f"{prior}  →  {posterior}"
    return story if _flat_posterior(estimate).proper else f"{story}\nthe likelihood does not integrate to 1: no curve"
