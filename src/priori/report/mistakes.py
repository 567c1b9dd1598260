"""The worst mistakes, each with what spoke for the wrong label and what for the right one."""

import math
from collections.abc import Sequence

from priori.report.content import ToldMistake
from priori.report.parts import bars, label, text

_FEATURES = 6  # that are named


def mistakes(told: Sequence[ToldMistake], noun: str) -> str:
    """One after the other."""
    return "".join(_one(each, noun) for each in told)


def _one(mistake: ToldMistake, noun: str) -> str:
    heading = (
        f"<h3><span class=against>{label(mistake.truth)}</span> taken for "
        f"<span class=for>{label(mistake.predicted)}</span></h3>"
    )
    numbers = (
        f"<p class=quiet>p({label(mistake.truth)}) {_share(mistake.log_probability)}, "
        f"p({label(mistake.predicted)}) {_share(math.log(mistake.predicted_probability))} · "
        f"{noun} {mistake.position}</p>"
    )
    excerpt = f"<blockquote>{text(mistake.excerpt)}</blockquote>" if mistake.excerpt else ""
    cells = "".join(f"<span><small>{label(name)}</small> {label(cell, 240)}</span>" for name, cell in mistake.cells)
    shown = f"<div class=cells>{cells}</div>" if cells else ""
    return f"<article>{heading}{numbers}{shown}{excerpt}{_why(mistake)}</article>\n"


def _why(mistake: ToldMistake) -> str:
    if mistake.explanation is None:
        return f"<p class=note>No explanation: {text(mistake.why_not or 'none was made')}.</p>"
    rows = []
    for each in mistake.explanation.strongest(_FEATURES):
        times = f" × {each.count:,}" if each.count > 1 and not each.feature.startswith("(") else ""
        rows.append((label(each.name) + times, each.log_odds, _odds(each.log_odds)))
    return bars(rows, both=True)


def _odds(value: float) -> str:
    """Log-odds with their sign, and the decimals that a number of this size needs."""
    return f"{value:+,.0f}".replace("-", "−") if abs(value) >= 100 else f"{value:+z.2f}".replace("-", "−")


def _share(log_probability: float) -> str:
    """A probability with the digits that tell it from 0 and from 1, as HTML.

    >>> [_share(math.log(p)) for p in (0.1234, 0.99999, 2e-7)], _share(-1000.0), _share(-math.inf)
    (['= 12.3%', '&gt; 99.99%', '= 2·10<sup>−7</sup>'], '= 5·10<sup>−435</sup>', '= 0')
    """
    if log_probability == -math.inf:
        return "= 0"
    probability = math.exp(log_probability)
    if probability < 1e-4:
        power = math.floor(log_probability / math.log(10))
        digit = round(math.exp(log_probability - power * math.log(10)))
        return f"= {digit}·10<sup>−{-power}</sup>" if digit < 10 else f"= 1·10<sup>−{-power - 1}</sup>"
    if probability > 0.9999:
        return "&gt; 99.99%"
    return f"= {probability:.1%}" if 0.01 <= probability <= 0.99 else f"= {probability:.2%}"
