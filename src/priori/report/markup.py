"""Pieces of a page, and how they look: narrow and wide, light and dark, on paper.

User text in them cannot become anything else.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from priori.plots.save import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONG = 12  # letters of a label that a narrow column may have to break

CSS = """
:root { --ink:#22262a; --quiet:#5f6871; --line:#d9dee2; --paper:#fff; --ground:#f5f6f8; --blue:#0072b2;
  --orange:#d55e00; color-scheme:light dark }
* { box-sizing:border-box }
body { margin:0; background:var(--ground); color:var(--ink); font:16px/1.5 system-ui,"Segoe UI",Roboto,sans-serif }
main { max-width:1180px; margin:0 auto; padding:24px 16px 48px }
h1 { font-size:1.7rem; line-height:1.2; margin:.2em 0 .6em; overflow-wrap:anywhere }
h2 { font-size:1.2rem; margin:0 0 .3em }
h3 { font-size:1rem; margin:0 0 .4em; overflow-wrap:anywhere }
p { margin:.3em 0 .8em }
.lead, .note { color:var(--quiet); max-width:72ch }
section { background:var(--paper); border:1px solid var(--line); border-radius:10px; padding:20px; margin:16px 0 }
dl { display:grid; grid-template-columns:max-content 1fr; gap:2px 16px; margin:0 }
dt { color:var(--quiet) }
dd { margin:0; overflow-wrap:anywhere; min-width:0 }
bdi { unicode-bidi:isolate }
.grid { display:grid; grid-template-columns:repeat(auto-fit,minmax(min(100%,250px),1fr)); gap:16px }
.three { grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr)) }
.pair { display:grid; grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr)); gap:16px 24px;
  align-items:start }
.card { border:1px solid var(--line); border-radius:8px; padding:12px 14px; min-width:0 }
.card strong { display:block; font-size:1.6rem; line-height:1.2; font-variant-numeric:tabular-nums }
.card small { color:var(--quiet); display:block; line-height:1.4; margin-top:4px; font-size:.85rem }
figure { margin:0; text-align:center }
svg { width:100%; max-width:640px; height:auto; display:block; margin:0 auto }
.whole { overflow-x:auto } .whole svg { max-width:820px; min-width:540px }
svg text { font-family:"DejaVu Sans",Verdana,system-ui,sans-serif !important }
.wide { overflow-x:auto; max-width:100% }
table { border-collapse:collapse; font-size:.9rem; width:100%; font-variant-numeric:tabular-nums }
th, td { padding:4px 10px; text-align:right; border-bottom:1px solid var(--line); vertical-align:top }
th { color:var(--quiet); font-weight:600; white-space:nowrap }
.left { text-align:left; overflow-wrap:anywhere; min-width:9em }
td:first-child, th:first-child { padding-left:0 }
ul { list-style:none; margin:0; padding:0; font-size:.88rem }
li { display:grid; gap:8px; align-items:center; padding:1px 0 }
.bars li { grid-template-columns:minmax(0,9em) 1fr 3.2em }
.odds li { grid-template-columns:minmax(0,18em) 1fr 4.4em }
li span { overflow-wrap:anywhere; line-height:1.25 }
li em { font-style:normal; white-space:nowrap; text-align:right; color:var(--quiet); font-variant-numeric:tabular-nums }
li i { position:relative; height:12px; display:block; min-width:0 }
.odds li i { background:linear-gradient(var(--line),var(--line)) center/1px 100% no-repeat }
li b { position:absolute; top:0; bottom:0; background:var(--blue); border-radius:2px; min-width:1px;
  print-color-adjust:exact }
li b.against { background:var(--orange) }
blockquote { margin:.4em 0 .8em; padding:8px 12px; border-left:3px solid var(--line); background:var(--ground);
  white-space:pre-wrap; overflow-wrap:anywhere; unicode-bidi:plaintext; max-height:16em; overflow-y:auto;
  font-size:.92rem }
article { border-top:1px solid var(--line); padding:16px 0 }
article:first-of-type { border-top:0; padding-top:4px }
article:last-child { padding-bottom:0 }
.cells { display:flex; flex-wrap:wrap; gap:4px 8px; margin:.4em 0 .8em; font-size:.85rem }
.cells span { border:1px solid var(--line); border-radius:6px; padding:1px 8px; overflow-wrap:anywhere; min-width:0 }
.cells small, article .quiet { color:var(--quiet) }
.for { color:var(--blue) } .against { color:var(--orange) }
footer { color:var(--quiet); font-size:.85rem; text-align:center }
@media (max-width:520px) { section { padding:14px 12px } dl { grid-template-columns:1fr } dd { margin-bottom:6px }
  .odds li { grid-template-columns:minmax(0,9em) 1fr 4.4em } th, td { padding:4px 3px; font-size:.8rem }
  .left { min-width:5em } th { white-space:normal } }
@media (prefers-color-scheme:dark) {
  :root { --ink:#e6e8ea; --quiet:#a3abb3; --line:#3a4046; --paper:#1b1b1b; --ground:#121416; --blue:#4aa8dc;
    --orange:#f08a4b }
  svg { filter:invert(.895) hue-rotate(180deg) } }
@media print {
  :root { --ink:#000; --quiet:#444; --line:#ccc; --paper:#fff; --ground:#fff; --blue:#0072b2; --orange:#d55e00 }
  html { font-size:11px } body { font-size:1rem } main { max-width:none; padding:0 }
  svg { filter:none; max-width:9cm } .whole svg { max-width:15cm; min-width:0 } .pair { grid-template-columns:1fr 1fr }
  section { border:0; padding:0; margin:0 0 14pt } article, .card, figure, tr { break-inside:avoid }
  h2, h3, .lead { break-after:avoid } p { break-inside:avoid }
  blockquote { max-height:none } .wide { overflow:visible } }
"""


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
