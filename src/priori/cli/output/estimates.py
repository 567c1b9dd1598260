"""Estimates and rankings of families, as they are printed."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from priori.cli.messages import note
from priori.cli.output.terminal import Table, cut, facts, heading, plural, print_line

if TYPE_CHECKING:
    from priori.estimation.comparison import Comparison
    from priori.estimation.distribution import Absent, Estimate, Parameter

_MOST = 20  # parameters shown
_OPEN = {
    "covariance": "off the diagonal it has no closed form",
    "precision": "the noise is taken as known",
}


def print_estimate(found: "Estimate") -> None:
    """The three schools side by side, then what they are made of."""
    there = f"{plural(found.n, 'observation')}" + (f", {found.missing:,} missing" if found.missing else "")
    heading(f"{found.family.name}: {there}")
    rows = found.parameters()
    _print_schools(rows[:_MOST], f"{100 * found.mass:g} % interval")
    if len(rows) > _MOST:
        note(f"{len(rows) - _MOST:,} more parameters are not shown; --json has them all")
    readings = _readings(found)
    facts([(name, _said(value)) for name, value in readings.items() if value or value == 0]).print()
    schools = {"ML": found.ml, "MAP": found.map, "mean": found.mean, "interval": found.interval}
    for reason, names in _absent({**schools, **readings}).items():
        print_line(f"no {', '.join(names)}: {reason}")
    for reason, names in _without_interval(found, rows[:_MOST]).items():
        print_line(f"no interval of {', '.join(cut(name, 40) for name in names)}: {reason}")


def _print_schools(rows: "Sequence[Parameter]", share: str) -> None:
    """The parameters; the intervals in a table of their own where the terminal is too narrow."""
    cells = []
    for each in rows:
        say = _digits(each)
        between = "-" if each.interval is None else f"{say(each.interval[0])} to {say(each.interval[1])}"
        cells.append((cut(each.name, 40), say(each.ml), say(each.map), say(each.mean), between))
    whole = Table(["parameter", ">ML", ">MAP", ">mean", f">{share}"], list(cells))
    if not rows:
        return
    if whole.fits():
        whole.print()
        return
    Table(whole.columns[:4], [row[:4] for row in cells]).print()
    Table([whole.columns[0], whole.columns[4]], [(row[0], row[4]) for row in cells]).print()


def _readings(found: "Estimate") -> dict[str, Any]:
    return {
        "prior": f"{found.prior}{_flatness(found)}",
        "posterior": str(found.posterior),
        "predictive": found.predictive,
        "log-likelihood": found.log_likelihood,
        "free parameters": found.free_parameters,
        "AIC": found.aic,
        "BIC": found.bic,
        "log evidence": found.log_evidence,
    }


def _flatness(found: "Estimate") -> str:
    """What keeps a prior from being a distribution; with a flat intercept there is evidence, with flat weights none."""
    if found.prior.proper:
        return ""
    return "  (flat intercept)" if isinstance(found.log_evidence, float) else "  (improper)"


def _without_interval(found: "Estimate", rows: "Sequence[Parameter]") -> dict[str, list[str]]:
    """Parameters that have no interval though others have, by the reason why not."""
    lacking: dict[str, list[str]] = {}
    for each in rows if found.interval else ():
        if each.interval is None:
            lacking.setdefault(_OPEN.get(each.name.partition("[")[0], "it is not estimated"), []).append(each.name)
    return lacking


def _absent(readings: dict[str, Any]) -> dict[str, list[str]]:
    """What does not exist, by the reason why not: several things often lack the same."""
    from priori.estimation.distribution import Absent

    found: dict[str, list[str]] = {}
    for name, value in readings.items():
        if isinstance(value, Absent):
            found.setdefault(value.reason, []).append(name)
    return found


def _said(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else str(value)


def _score(value: "float | Absent") -> str:
    return _said(value) if isinstance(value, int | float) else "-"


def _digits(each: "Parameter") -> Callable[[float | None], str]:
    """How the numbers of a row are said: as fine as its interval makes sense of."""
    width = each.interval[1] - each.interval[0] if each.interval else 0.0
    decimals = 3 - math.floor(math.log10(width)) if 0 < width < math.inf else -1

    def say(value: float | None) -> str:
        if value is None:
            return "-"
        if not 0 <= decimals <= 8 or abs(value) >= 1e12:
            return f"{value + 0.0:.6g}"
        return f"{value + 0.0:,.{decimals}f}"

    return say


def print_ranking(ranking: "Comparison") -> None:
    """The families, the most probable first; with less beside them where the terminal is narrow."""
    long = ("log-likelihood", "free parameters", "AIC", "BIC", "log evidence", "probability")
    short = ("log-lik.", "free", "AIC", "BIC", "log evid.", "prob.")
    tables = [_ranked(ranking, long), _ranked(ranking, short), _ranked(ranking, short[2:])]
    next((table for table in tables if table.fits()), tables[-1]).print()
    if len(ranking.rows) == 1:
        note(f"{ranking.best.name} is the only family that fits such data, so its probability says nothing")
    for name, why in ranking.refused.items():
        note(f"{name} is left out: {why}")


def _ranked(ranking: "Comparison", heads: Sequence[str]) -> Table:
    table = Table(["family", *(f">{head}" for head in heads)], strong=frozenset({0}))
    for row in ranking.rows:
        found = row.estimate
        scores = (found.log_likelihood, found.free_parameters, found.aic, found.bic, found.log_evidence)
        probability = f"{row.probability:.4f}" if isinstance(row.probability, float) else "-"
        table.rows.append((row.name, *[*map(_score, scores), probability][-len(heads) :]))
    return table
