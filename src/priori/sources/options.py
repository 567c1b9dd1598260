"""How sources are read: one frozen value that every reader takes."""

from dataclasses import dataclass

MAIL_HEADERS = ("subject", "from", "to", "reply-to")


@dataclass(frozen=True)
class ReadOptions:
    """Which columns play which role, and how the bytes of a source are to be understood."""

    text: str | None = "text"  # None: a table whose rows have no text; the columns to keep are all that is wanted
    label: str | None = "label"  # None: labels are not wanted, even where there are some
    weight: str | None = None
    fields: tuple[str, ...] = ()  # further columns with text, each with features of its own
    keep: tuple[str, ...] = ()  # columns to pass through; none, of a table without a text: all of them
    where: tuple[tuple[str, str], ...] = ()  # (column, value): only rows whose column has this text
    but_where: tuple[tuple[str, str], ...] = ()  # (column, value): rows that meet all of these are left out
    format: str | None = None  # one of FORMATS in sniff.py; None: from the extension or the first bytes
    encoding: str = "utf-8"
    delimiter: str | None = None  # None: a comma for csv, a tab for tsv
    quote: str | None = None  # None: '"' for csv, no quoting for tsv; "" turns quoting off
    header: bool = True  # False: columns are named "0", "1", ...
    mail_headers: tuple[str, ...] = MAIL_HEADERS  # headers that become fields of a mail
    batch_bytes: int = 4 << 20  # about how many bytes of input make one batch
    asked: tuple[
        tuple[str, str], ...
    ] = ()  # (column, the option that named it): what a complaint names, or else its remedy
    label_required: bool = True  # False: the label column is used if it is there
    label_of_some: bool = False  # of several sources it is enough that one has labels; the others are unlabelled
    names_label: bool = True  # False: LABEL=PATH and columns give labels, the names of files and folders do not
    leave_out: tuple[str, ...] = ()  # columns that are not meant where all of a table without a text are kept
    may_lack: tuple[str, ...] = ()  # columns of a table of which JSON lines may have some only; others are then missing
    typed: bool = False  # of a table without a text: the numbers, strings, true and false of JSON stay what they are
