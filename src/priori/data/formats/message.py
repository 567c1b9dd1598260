"""One e-mail: its text (MIME decoded, HTML as its reader sees it), its headers and its attachments."""

import codecs
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlsplit

_ENCODED_WORD = re.compile(r"=\?[^?\s]*\?[bqBQ]\?[^?]*\?=")
# Supersets that mailers mean when they name the smaller one.
_MEANT = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ks_c_5601-1987": "cp949"}
# Not charsets of any mail, and slow or noisy on hostile input.
_REFUSED = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"})

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


@dataclass(frozen=True)
class MailDocument:
    """What is read from one message; header names are lower-case."""

    text: str
    headers: dict[str, str]


def read_message(raw: bytes) -> MailDocument:
    """Decode one message. Nothing in it can make this fail: mistakes are read as well as they can be."""
    try:
        message = message_from_bytes(raw)
        texts, attachments = _walk(message)
    except RecursionError:  # parts nested thousands deep: no mailer does that
        message = BytesHeaderParser().parsebytes(raw)
        texts, attachments = [decode_bytes(raw.partition(b"\n\n")[2], None)], []
    headers: dict[str, str] = {}
    for name, value in message.raw_items():
        key, text = name.lower(), decode_header_text(str(value))
        headers[key] = f"{headers[key]}\n{text}" if key in headers else text
    headers["attachment"] = " ".join(attachments)
    return MailDocument("\n".join(text for text in texts if text.strip()), headers)


def _walk(part: Message) -> tuple[list[str], list[str]]:
    """The texts and the attachments of a part and all that it holds."""
    if part.is_multipart():
        children = [(child.get_content_type(), _walk(child)) for child in _children(part)]
        attachments = [name for _, (_, names) in children for name in names]
        if part.get_content_type() == "multipart/alternative":
            return _best_alternative([(kind, texts) for kind, (texts, _) in children]), attachments
        return [text for _, (texts, _) in children for text in texts], attachments
    kind = part.get_content_type()
    if kind.startswith("multipart/"):  # its boundary was never found, so the parts stand in the text
        text = decode_bytes(_payload_bytes(part), _charset(part))
        return [html_to_text(text) if "<html" in text.lower() else text], []
    if not kind.startswith("text/") or part.get_content_disposition() == "attachment":
        return [], [f"{kind} {_filename(part)}".strip()]
    text = decode_bytes(_payload_bytes(part), _charset(part))
    return [html_to_text(text) if kind == "text/html" else text], []


def _best_alternative(choices: list[tuple[str, list[str]]]) -> list[str]:
    """The plain text if it says anything, or else the last that does (mailers put the richest last)."""
    spoken = [(kind, texts) for kind, texts in choices if any(text.strip() for text in texts)]
    for kind, texts in spoken:
        if kind == "text/plain":
            return texts
    return spoken[-1][1] if spoken else []


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _payload_bytes(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (TypeError, ValueError):  # the email package trips over a garbled charset parameter
        del part["Content-Type"]
        payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (LookupError, ValueError, MessageError):  # the parameter itself is garbled
        return None


def _filename(part: Message) -> str:
    try:
        return decode_header_text(part.get_filename() or "")
    except (LookupError, ValueError, TypeError, MessageError):  # the parameter itself is garbled
        return ""


def decode_bytes(data: bytes, charset: str | None) -> str:
    """Bytes as text: by the charset named, else as UTF-8, else as cp1252, which reads almost everything."""
    for name in (charset, "utf-8"):
        try:
            return data.decode(_codec(name)) if name else data.decode()
        except (LookupError, ValueError):  # unknown or wrong charset: try the next
            continue
    return data.decode("cp1252", "replace")


def _codec(charset: str) -> str:
    name = codecs.lookup(charset.strip().strip("'\"")).name
    if name in _REFUSED:
        raise LookupError(f"{name} is not a charset")
    return _MEANT.get(name, name)


def decode_header_text(value: str) -> str:
    """A header as text: encoded words (RFC 2047) and raw 8-bit bytes decoded, folded lines joined."""
    value = " ".join(_without_surrogates(value).split())
    if _ENCODED_WORD.search(value) is None:
        return value
    try:
        chunks = decode_header(value)
    except (HeaderParseError, ValueError, LookupError):  # broken base64: leave it as it stands
        return value
    decoded = "".join(chunk if isinstance(chunk, str) else _chunk_text(chunk, charset) for chunk, charset in chunks)
    return " ".join(decoded.split())


def _chunk_text(chunk: bytes, charset: str | None) -> str:
    if charset is None:  # subtle: decode_header hands unencoded pieces back in this encoding
        return chunk.decode("raw-unicode-escape", "replace")
    return decode_bytes(chunk, charset)


def _without_surrogates(value: str) -> str:
    """Raw 8-bit bytes, which the parser keeps as surrogates, as the characters they most likely are."""
    if value.isascii():
        return value
    return decode_bytes(value.encode("utf-8", "surrogateescape"), None)


# --- HTML -------------------------------------------------------------------------------------------------------------


def html_to_text(html: str) -> str:
    """Turn HTML, however broken, into text; only block tags separate words (so V<b>ia</b>gra stays one).

    What a filter wants besides is kept: alt texts, hosts of links and images.
    """
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
