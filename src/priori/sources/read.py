"""The door for files: any number of sources as one stream of batches."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from priori.errors import DataError
from priori.sources.batch import Batch
from priori.sources.columnar import read_arrow, read_parquet
from priori.sources.delimited import read_delimited
from priori.sources.documents import read_documents
from priori.sources.jsonl import read_jsonl
from priori.sources.lines import read_fasttext, read_lines
from priori.sources.locate import Piece, locate
from priori.sources.mail import read_mail_files, read_mbox, read_single_mail
from priori.sources.options import ReadOptions
from priori.sources.sniff import format_of_bytes
from priori.sources.streams import ByteStream, as_text, open_stream

Source = str | Path


def read(source: Source | Sequence[Source], options: ReadOptions | None = None) -> Iterator[Batch]:
    """Yield the documents of one or several sources in batches, in order; memory does not grow with the corpus.

    A source is a file, a folder, "-" for stdin, a URL that pyarrow opens, or LABEL=PATH, which labels all of PATH.
    """
    options = options or ReadOptions()
    pieces = locate([source] if isinstance(source, str | Path) else list(source), options)
    if options.label_required and options.label_of_some and len(pieces) > 1:
        return _some_labelled(_read_pieces(pieces, replace(options, label_required=False)), options.label)
    return _read_pieces(pieces, options)


def _some_labelled(batches: Iterator[Batch], column: str | None) -> Iterator[Batch]:
    labelled = False
    for batch in batches:
        labelled |= batch.label is not None
        yield batch
    if not labelled:
        raise DataError(f"no source has labels or a column {column!r}. Name the one with the labels: --label COLUMN.")


def _read_pieces(pieces: Sequence[Piece], options: ReadOptions) -> Iterator[Batch]:
    sizes = [piece.size for piece in pieces]
    known = [size for size in sizes if size is not None]
    total = sum(known) if len(known) == len(sizes) else None
    before = 0
    for piece in pieces:
        position = 0
        for batch in _read_piece(piece, options):
            position = batch.bytes_read
            yield replace(batch, bytes_read=before + position, bytes_total=total)
        before += position if piece.size is None else piece.size


def _read_piece(piece: Piece, options: ReadOptions) -> Iterator[Batch]:
    match piece.format:
        case "folder":
            yield from read_documents(piece.name, piece.files, options, piece.label)
        case "maildir":
            yield from read_mail_files(piece.name, piece.files, options, piece.label)
        case "parquet" if piece.name != "-":
            yield from read_parquet(piece.name, options, piece.label)
        case "arrow" if piece.name != "-":
            yield from read_arrow(piece.name, options, piece.label)
        case _:
            with open_stream(piece.name) as stream:
                yield from _read_stream(stream, piece, options)


def _read_stream(stream: ByteStream, piece: Piece, options: ReadOptions) -> Iterator[Batch]:
    format = piece.format or format_of_bytes(stream.peek())
    match format:
        case "mbox":
            yield from read_mbox(stream, options, piece.label)
        case "eml":
            yield from read_single_mail(stream, options, piece.label)
        case "jsonl":
            yield from read_jsonl(as_text(stream, options.encoding), options, piece.label)
        case "txt":
            yield from read_lines(as_text(stream, options.encoding), options, piece.label)
        case "fasttext":
            yield from read_fasttext(as_text(stream, options.encoding), options, piece.label)
        case "parquet":
            yield from read_parquet(stream, options, piece.label)
        case "arrow":
            yield from read_arrow(stream, options, piece.label)
        case _:
            yield from read_delimited(as_text(stream, options.encoding), format, options, piece.label)
