"""Mailboxes: mbox files, Maildir folders and single messages, one document per mail."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from priori.data.batch import Batch
from priori.data.formats.text_files import Document, gather
from priori.data.options import ReadOptions, Selection, select
from priori.data.streams import ByteStream, open_stream
from priori.errors import DataError

_TIME = re.compile(rb"\d:\d\d")
_HEADER = re.compile(rb">?From |[!-9;-~]+[ \t]*:")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mbox(stream: ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the messages of an mbox file."""
    if not stream.peek(1):
        return  # an empty mailbox is an empty file
    if not stream.peek(5).startswith(b"From "):
        raise DataError(
            f"{stream.name} is not an mbox file: its first line does not begin with 'From '. Check --format."
        )
    selection = _selection(stream.name, options, label)
    documents = (_document(raw, stream.name, stream.raw_position) for raw in split_mbox(stream.lines()))
    yield from gather(documents, selection, options.batch_bytes)


def read_mail_files(name: str, files: Sequence[Path], options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield one document per file, each a message (a Maildir, or .eml files)."""
    yield from gather(mail_documents(files), _selection(name, options, label), options.batch_bytes)


def read_single_mail(stream: ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the one message of a stream."""
    raw = stream.readall()
    documents = [_document(raw, stream.name, stream.raw_position)]
    yield from gather(documents, _selection(stream.name, options, label), options.batch_bytes)


def mail_documents(files: Sequence[Path]) -> Iterator[Document]:
    """Read every file as one message."""
    position = 0
    for path in files:
        with open_stream(str(path)) as stream:
            raw = stream.readall()
        position += len(raw)
        yield _document(raw, str(path), position)


def mail_options(options: ReadOptions) -> ReadOptions:
    """The options as they apply to mail: the body is the text, headers are fields, any header may be kept."""
    lowered = replace(
        options,
        text="text",
        fields=tuple(dict.fromkeys(name.lower() for name in (*options.mail_headers, *options.fields))),
        keep=tuple(name.lower() for name in options.keep),
        where=tuple((name.lower(), value) for name, value in options.where),
        but_where=tuple((name.lower(), value) for name, value in options.but_where),
    )
    if options.weight is not None:
        raise DataError(f"Mail has no column {options.weight!r} with weights. Leave --weight away.")
    return lowered


def _selection(name: str, options: ReadOptions, label: str | None) -> Selection:
    options = mail_options(options)
    if options.label is not None and label is None and options.label_required:
        raise DataError(f"{name} is mail without a label. Give one for all of it: LABEL={name}.")
    conditions = (column for column, _ in (*options.where, *options.but_where))
    anything = dict.fromkeys(("text", *options.fields, *options.keep, *conditions))
    return select(name, replace(options, label_required=False), list(anything), label)


def _document(raw: bytes, path: str, position: int) -> Document:
    from priori.data.formats.message import read_message  # the email package is slow to import

    mail = read_message(raw)
    return Document(mail.text, {**mail.headers, "path": path}, len(raw), position)


def split_mbox(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Split an mbox at its "From " lines, which are dropped; ">From " in a body becomes "From ".

    A separator stands at the start or behind a blank line, and has a time in it or a header below it: so a sentence
    that begins with "From " in a body that was never quoted does not cut a message in two.
    """
    message: list[bytes] = []
    candidate: bytes | None = None
    started = False
    blank = True
    for line in lines:
        if candidate is not None:
            if _TIME.search(candidate) or _HEADER.match(line):
                if started:
                    yield _unquoted(message)
                started, message = True, []
            else:
                message.append(candidate)
            candidate = None
        if blank and line.startswith(b"From "):
            candidate = line
        else:
            message.append(line)
        blank = line in {b"\n", b"\r\n"}
    if candidate is not None and (not started or _TIME.search(candidate)):
        if started:
            yield _unquoted(message)
        message, started = [], True
    elif candidate is not None:
        message.append(candidate)
    if started:
        yield _unquoted(message)


def _unquoted(lines: list[bytes]) -> bytes:
    return _QUOTED_FROM.sub(rb"\1", b"".join(lines))
