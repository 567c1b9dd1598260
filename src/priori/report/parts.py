"""Pieces of a page: text that cannot become anything else, tables, bars, pictures."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from priori.plots import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_LONG = 12  # letters of a label that a narrow column may have to break


def text(said: str) -> str:
    """User text inside HTML: escaped, with control characters as marks; lines stay lines."""
    visible = "".join(c if c == "\n" else " " if c == "\t" else _mark(c) for c in said.replace("\r\n", "\n"))
    return escape(visible, quote=True)


def _mark(character: str) -> str:
    """A character, or a mark for one that would steer and not be seen: controls, lone surrogates, noncharacters."""
    code = ord(character)
    nothing = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return "�" if nothing or unicodedata.category(character) in ("Cc", "Cs") else character


def label(said: str, limit: int = 80) -> str:
    """A label or a word, kept apart from the text around it, whichever way it runs; a long one without its middle."""
    said = said if len(said) <= limit else f"{said[: 2 * limit // 3]}…{said[-limit // 3 :]}"
    shown = text(said.replace("\n", "⏎")) if said.strip() else f"“{text(said)}”"
    if len(said) > _LONG:  # may be broken behind its own marks
        shown = re.sub(r"([./_:-])(?=[^\W\d])", r"\1<wbr>", shown)
    return f"<bdi>{shown}</bdi>"


def section(title: str, *inside: str, lead: str = "") -> str:
    """A part of the page under its own heading; lead is HTML."""
    under = f"<p class=lead>{lead}</p>" if lead else ""
    return f"<section><h2>{text(title)}</h2>{under}{''.join(inside)}</section>\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Cells are HTML already; the first `left` columns begin at the left, numbers end at the right."""
    sides = [" class=left" if place < left else "" for place in range(len(heads))]
    top = "".join(f"<th{side}>{head}</th>" for side, head in zip(sides, heads, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{side}>{cell}</td>' for side, cell in zip(sides, row, strict=True))}</tr>\n" for row in rows
    )
    return f"<div class=wide><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>\n"


def bars(rows: Sequence[tuple[str, float, str]], *, both: bool = False) -> str:
    """A list of (HTML name, value, what is written beside it) with bars from the left; both: from the middle."""
    reach = max((abs(value) for _, value, _ in rows), default=0.0) or 1.0
    items = []
    for name, value, said in rows:
        share = 100 * abs(value) / reach
        place = f"width:{share / 2:.2f}%;{'right' if value < 0 else 'left'}:50%" if both else f"width:{share:.2f}%"
        kind = " class=against" if value < 0 else ""
        items.append(f"<li><span>{name}</span><i><b{kind} style='{place}'></b></i><em>{text(said)}</em></li>")
    return f"<ul class={'odds' if both else 'bars'}>{''.join(items)}</ul>\n"


def picture(figure: "Figure", name: str, alternative: str) -> str:
    """A figure as part of the page; alternative: what it says to those who do not see it."""
    drawn = svg(figure, name).replace("<svg ", f'<svg role="img" aria-label="{text(alternative)}" ', 1)
    return f"<figure>{drawn}</figure>\n"
