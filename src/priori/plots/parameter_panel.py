"""One parameter: what was thought of it, what the data say, and what is thought of it now."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.plots.style import BLUE, GREEN, INK, ORANGE, PAPER, linear, name_axes, number, plain, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
SYMBOLS = {
    "probability": "θ", "probabilities": "θ", "rate": "λ", "mean": "μ", "variance": "σ²", "covariance": "Σ",
    "shape": "α", "weights": "w", "precision": "β",
}  # fmt: skip
_SINGULAR = {"probabilities": "probability", "weights": "weight"}
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉", ", ")
_CURVE = 801  # points of a curve


@dataclass(frozen=True)
class Marginal:
    """Distributions of one parameter as scipy has them, and what is marked; None is what does not exist."""

    name: str  # as `Family.marginals` names it
    posterior: Any
    prior: Any = None
    likelihood: Any = None  # scaled to integrate to 1
    mode: float | None = None
    mean: float | None = None
    interval: tuple[float, float] | None = None
    mass: float = 0.95  # of the interval
    beside: tuple[str, ...] = ()  # the other parameters

    @property
    def symbol(self) -> str:
        """Its letter; a rate beside a shape is the gamma distribution's, and has another."""
        name = self.name.partition("[")[0]
        return "β" if name == "rate" and "shape" in self.beside else SYMBOLS.get(name, name)

    @property
    def of(self) -> str:
        """The parameter, and in a vector its place: `θ of red`, `θ₁`, `Σ₀₁`."""
        place = self.name.removesuffix("]").partition("[")[2]
        if re.fullmatch(r"[0-9]+|[0-9], ?[0-9]", place):
            return self.symbol + place.translate(_SUBSCRIPT)
        return self.symbol + (f" of {shown(place, 16)}" if place else "")

    @property
    def title(self) -> str:
        """The parameter with its name before its symbol, if it has one."""
        name = self.name.partition("[")[0]
        spelled = _SINGULAR.get(name, name)
        return f"{spelled.capitalize()} {self.of}" if name in SYMBOLS else self.of[:1].upper() + self.of[1:]


def parameter(axes: "Axes", of: Marginal) -> None:
    """Draw prior, likelihood and posterior in one, with mode and mean marked and the credible interval shaded."""
    plain(axes, of.title, _note(of))
    low, high = _reach(of)
    x = np.linspace(low, high, _CURVE)
    for curve, name, style in (
        (of.prior, "prior", {"color": ORANGE, "linestyle": (0, (5, 1.5, 1, 1.5)), "zorder": 3}),
        (of.likelihood, "likelihood, scaled", {"color": GREEN, "linestyle": (0, (3, 3)), "zorder": 3}),
        (of.posterior, "posterior", {"color": BLUE}),
    ):
        if curve is not None:
            axes.plot(x, _density(curve, x), linewidth=2.4 if curve is of.posterior else 1.6, label=name, **style)
    _shade(axes, of, low, high)
    top = 1.1 * _height(of, low, high)
    _mark(axes, of, top)
    name_axes(axes, f"{of.of}{linear(axes, low, high)}", f"density{linear(axes, 0, top, side='y')}")


def _note(of: Marginal) -> str:
    """The numbers that the picture shows, with as many digits as the interval can tell apart."""
    low, high = of.interval or _span(of.posterior, 0.025)
    marks = [
        f"no {name}" if value is None else f"{name} {number(value, high - low)}"
        for name, value in (("mode", of.mode), ("mean", of.mean))
    ]
    between = f"{100 * of.mass:.4g} % from {number(low, high - low)} to {number(high, high - low)}"
    return f"{' · '.join(marks)}\n{between if of.interval else ''}"


def _shade(axes: "Axes", of: Marginal, low: float, high: float) -> None:
    """The credible interval below the posterior."""
    if of.interval is None:
        return
    inside = np.linspace(max(of.interval[0], low), min(of.interval[1], high), _CURVE)
    axes.fill_between(
        inside, _density(of.posterior, inside), color=BLUE, alpha=0.16, linewidth=0,
        label=f"{100 * of.mass:.4g} % of the posterior",
    )  # fmt: skip


def _mark(axes: "Axes", of: Marginal, top: float) -> None:
    """Mode and mean: a stem each, and a dot on the posterior."""
    mode = "joint mode (MAP)" if of.beside else "mode (MAP)"
    styles = (("-", INK, 7.5), ((0, (2, 2)), PAPER, 4.5))  # where they meet, the small one leaves the large one seen
    for value, name, (line, fill, size) in zip((of.mode, of.mean), (mode, "mean"), styles, strict=True):
        if value is not None:
            height = min(float(_density(of.posterior, np.array([value]))[0]), top)
            axes.plot([value, value], [0, height], color=INK, linewidth=1.0, linestyle=line, zorder=4)
            axes.plot(
                value, height, marker="o", markersize=size, markerfacecolor=fill, markeredgecolor=INK, linestyle=line,
                color=INK, linewidth=1.0, label=name, zorder=5, clip_on=False,
            )  # fmt: skip


def _density(curve: Any, x: Floats) -> Floats:
    """The density; where it has a pole, nothing is drawn."""
    with np.errstate(divide="ignore"):
        y: Floats = np.asarray(curve.pdf(x), np.float64)
    return np.where(np.isfinite(y), y, np.nan)


def _reach(of: Marginal) -> tuple[float, float]:
    """From where to where: all of the posterior, the likelihood even if far away, the prior as far as it reaches here.

    A likelihood or a prior may be very wide, and must not squeeze the posterior to a spike.
    """
    low, high = _core(of.posterior)
    width = high - low
    if of.likelihood is not None:
        start, end = _core(of.likelihood)
        middle = float(of.likelihood.ppf(0.5))
        low, high = min(low, max(start, middle - width)), max(high, min(end, middle + width))
    if of.prior is not None:
        start, end = _span(of.prior, 0.025)
        room = 0.3 * (high - low)
        low, high = min(low, max(start, low - room)), max(high, min(end, high + room))
    near = 0.1 * (high - low)  # an edge of what is possible, 0 say, is shown if it is this near
    start, end = (float(edge) for edge in of.posterior.support())
    return (start if low - near < start else low - 0.3 * near), (end if high + near > end else high + 0.3 * near)


def _core(curve: Any) -> tuple[float, float]:
    """Where a curve can be told from 0; of a heavy tail what is not much wider than the rest."""
    spans = [span for tail in (0.025, 0.1, 0.25, 0.4) if np.isfinite(span := _span(curve, tail)).all()]
    if not spans:
        raise EstimateError("a curve reaches beyond the largest number, so it cannot be drawn; give a narrower prior")
    (low, high), (lowest, highest) = spans[0], _span(curve, 0.0005)
    return max(lowest, low - 0.35 * (high - low)), min(highest, high + 0.35 * (high - low))


def _span(curve: Any, tail: float) -> tuple[float, float]:
    """The quantiles that leave so much out at both sides."""
    with np.errstate(divide="ignore"):  # a heavy tail may end at infinity
        return float(curve.ppf(tail)), float(curve.isf(tail))


def _height(of: Marginal, low: float, high: float) -> float:
    """How high the picture must be: all of the posterior, and of the others what does not make it small."""
    tallest = _peak(of.posterior, low, high)
    if of.likelihood is not None:
        tallest = max(tallest, min(_peak(of.likelihood, low, high), 3 * tallest))
    if of.prior is not None:
        mostly_here = of.prior.cdf(high) - of.prior.cdf(low) > 0.5
        limit = 2.5 if mostly_here and not any(_poles(of.prior)) else 1.2
        tallest = max(tallest, min(_peak(of.prior, low, high), limit * tallest))
    return tallest


def _peak(curve: Any, low: float, high: float) -> float:
    """The greatest height of a curve; of a pole at its edge as much as stands a little inside."""
    inside = 0.03 * (high - low)
    left, right = _poles(curve)
    start, end = (float(edge) for edge in curve.support())
    low, high = max(low, start + inside if left else low), min(high, end - inside if right else high)
    return float(np.nanmax(_density(curve, np.linspace(low, high, _CURVE))))


def _poles(curve: Any) -> tuple[bool, bool]:
    """Whether the density is infinite at the lower and at the upper end of what is possible."""
    with np.errstate(divide="ignore"):
        left, right = (bool(np.isfinite(edge) and np.isinf(curve.pdf(edge))) for edge in curve.support())
    return left, right
