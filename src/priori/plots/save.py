"""Pictures on disk: whole or not at all, and the same bytes for the same picture."""

import io
import logging
import os
import re
import threading
import warnings
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from priori.errors import PrioriError
from priori.store import atomic_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_log = logging.getLogger("priori.plots.save")
_saving = threading.Lock()  # matplotlib's settings and Python's warning filters belong to the whole process
_DPI = 160
_NAMED = 20  # characters that a message names
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "Priori"},
    "pdf": {"CreationDate": None, "Creator": "Priori", "Producer": None},
    "png": {"Software": None},
}
_METADATA_BLOCK = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r'(<\w[^<>]*?) id="([^"<>]*)"')
_REFERENCE = re.compile(r'(?:url\(|xlink:href=")#([\w.-]+)')
# Fonts that fill in what DejaVu Sans (which comes with matplotlib) lacks, where they are installed.
_FILL_INS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans SC",
    "WenQuanYi Zen Hei", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo", "Noto Sans Devanagari",
    "Noto Sans Thai",    "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Hebrew", "Noto Sans Ethiopic", "Noto Emoji",
    "Symbola", "Arial Unicode MS", "STIXGeneral",  # the last comes with matplotlib, and has the letters of mathematics
)  # fmt: skip


def picture_format(path: str | os.PathLike[str]) -> str:
    """svg, png or pdf, by the ending of a name."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in _METADATA:
        raise PrioriError(
            f"{os.fspath(path)}: a picture cannot be written as {ending or 'a file without an ending'}; "
            f"let the name end in .svg, .png or .pdf"
        )
    return ending


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure. The text of an SVG stays text, so that its reader's fonts draw every script."""
    kind = picture_format(path)
    missing = _prepare(figure)
    if missing and kind != "svg":
        _log.warning("no installed font has %s: boxes are drawn; install one (Noto, say), or write an .svg", missing)
    with atomic_output(path) as file:
        _write(figure, file, kind)


def svg(figure: "Figure", name: str) -> str:
    """A figure to stand inside a page, as SVG; name tells its parts from those of other pictures of the page."""
    _prepare(figure)
    file = io.BytesIO()
    _write(figure, file, "svg")
    drawn = file.getvalue().decode("utf-8")
    drawn = _METADATA_BLOCK.sub("", drawn[drawn.index("<svg") :], count=1).replace(" \n", "\n")
    used = set(_REFERENCE.findall(drawn))
    # subtle: only inside of tags, for a text of the picture may look like an attribute
    drawn = _ID.sub(lambda m: f'{m[1]} id="{name}-{m[2]}"' if m[2] in used else m[1], drawn)
    return _REFERENCE.sub(lambda m: m[0].replace(f"#{m[1]}", f"#{name}-{m[1]}"), drawn)


def _prepare(figure: "Figure") -> str:
    """Give every text the fonts there are; the characters that none of them has."""
    from matplotlib.text import Text

    families = _families()
    texts = figure.findobj(Text)
    for text in texts:
        text.set_fontfamily(families)
        text.set_usetex(False)
        text.set_parse_math(False)
    return _without_glyph({c for text in texts for c in text.get_text()}, families)


def _write(figure: "Figure", file: IO[bytes], kind: str) -> None:
    import matplotlib

    settings = {"svg.hashsalt": "priori", "svg.fonttype": "none", "pdf.fonttype": 42, "path.simplify": True}
    with _saving, matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # said before, once and in a line
        figure.savefig(file, format=kind, dpi=_DPI, metadata=_METADATA[kind], facecolor=figure.get_facecolor())


@lru_cache(maxsize=1)
def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(name for name in _FILL_INS if name in installed)]


def _without_glyph(characters: set[str], families: list[str]) -> str:
    """Those characters that none of the fonts can draw."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=family))) for family in families]
    missing = sorted(c for c in characters if c != "\n" and not any(font.get_char_index(ord(c)) for font in fonts))
    return "".join(missing[:_NAMED]) + ("…" if len(missing) > _NAMED else "")
