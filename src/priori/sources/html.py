"""HTML to the text that a reader would see, and what a filter wants besides: alt texts, hosts of links and images."""

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlsplit

_HIDDEN = frozenset({"script", "style"})  # the parser hands their content over unparsed, up to the end tag
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "o:p",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_LINKS = {"a": "href", "form": "action"}  # the host is said where the tag ends
_EMBEDDED = {"area": "href", "img": "src", "iframe": "src"}  # the host is said at once
_TAG = re.compile(r"<[^>]*>")


def html_to_text(html: str) -> str:
    """Turn HTML, however broken, into text; only block tags separate words (so V<b>ia</b>gra stays one)."""
    parser = _TextParser()
    try:
        parser.feed(html)
        parser.close()
    except AssertionError:  # html.parser gives up so on some malformed declarations ("<![if")
        return unescape(_TAG.sub(" ", html))
    return parser.text()


class _TextParser(HTMLParser):
    """Collects visible text, alt texts and link hosts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._hidden = False
        self._hosts: list[str] = []  # of the links that are open

    def text(self) -> str:
        """What was collected, with runs of blanks made one."""
        lines = ("".join(self._pieces) + " " + " ".join(self._hosts)).split("\n")
        return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in _HIDDEN
        values = dict(attrs)
        if tag not in _INLINE:
            self._pieces.append("\n")
        if values.get("alt"):
            self._pieces.append(f" {values['alt']} ")
        if tag in _EMBEDDED:
            self._pieces.append(f" {_host(values.get(_EMBEDDED[tag]))} ")
        elif tag in _LINKS:
            self._hosts.append(_host(values.get(_LINKS[tag])))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _HIDDEN:  # <script/> hides nothing
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False
        if tag in _LINKS and self._hosts:
            self._pieces.append(f" {self._hosts.pop()} ")
        if tag not in _INLINE:
            self._pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._pieces.append(data.replace("\n", " "))


def _host(link: str | None) -> str:
    try:
        return urlsplit((link or "").strip()).hostname or ""
    except ValueError:  # a malformed address has no host
        return ""
