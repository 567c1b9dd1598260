import csv
import gzip
import io
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import read_batches, read_rows, strings, write

from priori._core import SplitProblem, split_first_row, split_rows
from priori.errors import DataError

CELL = st.text(alphabet="ab\",;\t\n\r 'é中", max_size=12)


def split_all(data: bytes, block: int, width: int, wanted: list[int], delimiter: str = ",", quote: str = '"') -> list:
    """Split a byte string block by block as a reader does: the reference for chunking."""
    table: list[list[bytes]] = [[] for _ in wanted]
    pending, start = b"", 0
    while True:
        last = start >= len(data)
        pending += data[start : start + block]
        start += block
        split = split_rows(
            np.frombuffer(pending, np.uint8), last, ord(delimiter), ord(quote) if quote else -1, width, wanted
        )
        assert split.problem == SplitProblem.none
        for column, (offsets, values) in zip(table, split.take_columns(), strict=True):
            content = values.tobytes()
            column += [content[a:b] for a, b in pairwise(offsets)]
        pending = pending[split.consumed :]
        if last:
            assert pending == b""
            return table


@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1)),
    st.integers(1, 9),
    st.sampled_from(["\n", "\r\n"]),
    st.data(),
)
def test_what_the_csv_module_writes_is_read_back_at_every_block_size(table, block, line_end, data):
    width = len(table[0])
    wanted = data.draw(st.lists(st.integers(0, width - 1), unique=True))
    written = io.StringIO()
    # The module quotes a carriage return only if its line ends have one; unquoted before a newline it is a line end.
    quoting = csv.QUOTE_MINIMAL if line_end == "\r\n" else csv.QUOTE_ALL
    csv.writer(written, lineterminator=line_end, quoting=quoting).writerows(table)
    columns = split_all(written.getvalue().encode(), block, width, wanted)
    assert columns == [[row[i].encode() for row in table] for i in wanted]


@given(st.text(alphabet='ab",\n', max_size=30), st.integers(1, 7))
def test_stray_quotes_are_read_as_the_csv_module_reads_them(text, block):
    reader = csv.reader(io.StringIO(text, newline=""))
    expected = [row for row in reader if row]
    data = np.frombuffer(text.encode(), np.uint8)
    width = len(expected[0]) if expected else 1
    split = split_rows(data, True, ord(","), ord('"'), width, [])
    if split.problem == SplitProblem.unterminated:
        with pytest.raises(csv.Error):
            list(csv.reader(io.StringIO(text, newline=""), strict=True))
    elif all(len(row) == width for row in expected):
        columns = split_all(text.encode(), block, width, list(range(width)))
        assert list(map(list, zip(*columns, strict=True))) == [[cell.encode() for cell in row] for row in expected]
    else:
        assert split.problem == SplitProblem.ragged
        assert split.rows == next(i for i, row in enumerate(expected) if len(row) != width)


@given(st.lists(st.lists(st.binary(max_size=9), min_size=2, max_size=2), min_size=1), st.integers(1, 5))
def test_raw_tsv_keeps_every_byte(table, block):
    table = [[bytes(b for b in cell if b not in b"\t\r\n") or b"x" for cell in row] for row in table]
    data = b"".join(b"\t".join(row) + b"\n" for row in table)
    columns = split_all(data, block, 2, [0, 1], "\t", "")
    assert columns == [[row[0] for row in table], [row[1] for row in table]]


def test_a_wanted_column_beyond_the_width_is_refused():
    with pytest.raises(ValueError, match="beyond"):
        split_rows(np.zeros(1, np.uint8), True, 44, -1, 1, [1])


def test_the_first_row_waits_for_its_end():
    assert split_first_row(np.frombuffer(b"a,b", np.uint8), False, 44, 34).rows == 0
    assert split_first_row(np.frombuffer(b'"a\n,b"', np.uint8), True, 44, 34).rows == 1


@pytest.mark.parametrize("batch_bytes", [1, 7, 100, 1 << 20])
def test_csv_equals_pyarrow(tmp_path, batch_bytes):
    table = [("text", "label", "id")] + [(f'line {i},\n"quoted" {i}', f"00{i % 3}", str(i)) for i in range(50)]
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(table)
    as_text = {name: pa.string() for name in table[0]}
    parse, convert = pcsv.ParseOptions(newlines_in_values=True), pcsv.ConvertOptions(column_types=as_text)
    oracle = pcsv.read_csv(path, parse_options=parse, convert_options=convert)
    batches = read_batches(path, keep=("id",), batch_bytes=batch_bytes)
    assert [s for b in batches for s in strings(b.text)] == oracle["text"].to_pylist()
    assert [s for b in batches for s in strings(b.label)] == oracle["label"].to_pylist()
    assert [s for b in batches for s in strings(b.keep["id"])] == oracle["id"].to_pylist()
    assert batches[-1].bytes_read == batches[-1].bytes_total == path.stat().st_size


def test_tsv_has_no_quoting_unless_asked(tmp_path):
    path = write(tmp_path / "a.tsv", 'label\ttext\nham\t"Hi" he said\nspam\t"open\n')
    assert read_rows(path) == [("ham", '"Hi" he said'), ("spam", '"open')]
    path = write(tmp_path / "b.tsv", 'label\ttext\nham\t"tab\there"\n')
    assert read_rows(path, quote='"') == [("ham", "tab\there")]


def test_empty_labels_are_null_and_zeros_stay(tmp_path):
    path = write(tmp_path / "a.csv", "text,label\nx,001\ny,\n,1.50\n")
    assert read_rows(path) == [("001", "x"), (None, "y"), ("1.50", "")]


def test_without_a_header_columns_have_numbers(tmp_path):
    path = write(tmp_path / "sms", "ham\thello\nspam\twin")
    assert read_rows(path, header=False, label="0", text="1") == [("ham", "hello"), ("spam", "win")]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", b"\xef\xbb\xbftext,label\r\ncaf\xc3\xa9,a\r\n", {}),
        ("a.csv", "text,label\ncafé,a\n".encode("utf-16"), {"encoding": "utf-16"}),
        ("a.csv", "text,label\ncafé,a\n".encode("cp1252"), {"encoding": "cp1252"}),
        ("a.csv", "text;label\ncafé;a\n", {"delimiter": ";"}),
        ("a.csv", "text\tlabel\ncafé\ta\n", {"delimiter": "\\t"}),
        ("a.csv.gz", gzip.compress(b"text,label\n", mtime=0) + gzip.compress("café,a".encode(), mtime=0), {}),
        ("a.tsv.zst", pa.compress("text\tlabel\ncafé\ta\n".encode(), "zstd", asbytes=True), {}),
        ("a.csv", "\n\nlabel,text\n\na,café\n\n\n", {}),
        ("a.csv", "label,text\na,café\n\r", {}),
    ],
)
def test_one_row_in_many_clothes(tmp_path, name, content, options):
    for batch_bytes in (1, 3, 1 << 16):
        assert read_rows(write(tmp_path / name, content), batch_bytes=batch_bytes, **options) == [("a", "café")]


def test_a_line_of_fifty_megabytes(tmp_path):
    text = "word " * 10_000_000
    batches = read_batches(write(tmp_path / "a.tsv", f"label\ttext\nham\t{text}\nspam\tshort\n"))
    assert [s for b in batches for s in strings(b.label)] == ["ham", "spam"]
    assert batches[0].text[0].as_py() == text.encode()


def test_where_and_weights(tmp_path):
    path = write(tmp_path / "a.csv", "text,label,split,w\na,x,train,1\nb,y,test,2\nc,x,train,0.5\n")
    (batch,) = read_batches(path, where=(("split", "train"),), weight="w")
    assert strings(batch.text) == ["a", "c"]
    assert batch.weight.to_pylist() == [1.0, 0.5]
    assert read_batches(path, where=(("split", "dev"),)) == []
    (others,) = read_batches(path, but_where=(("split", "train"),))
    assert len(others) + len(batch) == len(read_batches(path)[0]) and len(others)
    assert read_batches(path, where=(("split", "train"),), but_where=(("split", "train"),)) == []


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", {}, "is empty"),
        (b"\n\n", {}, "is empty"),
        (b"text,label\na,b\nc\n", {}, "line 3: 1 fields where 2 are expected.*--delimiter"),
        (b'text,label\n"a\nb",c\nd,e,f\n', {}, "line 4: 3 fields where 2"),
        (b'text,label\na,b\n"c,d\n', {}, "line 3: a quote opens here and is never closed.*--quote"),
        (b'"text,label\n', {}, "line 1: a quote opens"),
        (b"body,label\na,b\n", {}, "no column 'text'; its columns are 'body', 'label'.*--text"),
        (b"text,class\na,b\n", {}, "no column 'label'.*--label"),
        (b"text;label\na;b\n", {}, "--delimiter"),
        (b"a message of its own\n", {}, "plain lines: --format txt"),
        (b"text,text,label\na,b,c\n", {}, "2 columns called 'text'"),
        (b"PAR1\x15\x04,label\n", {}, "Parquet"),
        (b"\x89PNG\r\n\x1a\n", {}, "PNG"),
        (b"text,label\na\0b,c\n", {}, "NUL"),
        ("text,label\na,b\n".encode("utf-16"), {}, "--encoding utf-16"),
        (b"text,label\na,\xe9\n", {}, "column 'label' is not UTF-8.*--encoding"),
        (b"text,label\n\x81,b\n", {"encoding": "cp1252"}, "not cp1252 text"),
        (b"text,label\na,b\n", {"encoding": "nonsense"}, "no encoding 'nonsense'"),
        (b"text,label\na,b\n", {"delimiter": "::"}, "not one ASCII character"),
        (b"text,label\na,b\n", {"format": "xls"}, "no format 'xls'"),
        (b"text,label,w\na,b,-1\n", {"weight": "w"}, "must be a finite number"),
        (b"text,label,w\na,b,?\n", {"weight": "w"}, "is not a number"),
        (gzip.compress(b"text,label\n" * 5000, mtime=0)[:60], {}, "damaged or cut short"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, content, options, message):
    path = write(tmp_path / "bad.csv", content)
    with pytest.raises(DataError, match=message) as caught:
        read_batches(path, **options)
    assert "\n" not in str(caught.value)


def test_invalid_utf8_in_the_text_passes(tmp_path):
    (batch,) = read_batches(write(tmp_path / "a.csv", b"text,label\na\xff\xfe,b\n"))
    assert batch.text.to_pylist() == [b"a\xff\xfe"]


def test_labels_need_not_be_there_or_wanted(tmp_path):
    path = write(tmp_path / "a.csv", "text,label\na,b\n")
    assert read_rows(path, label=None) == [(None, "a")]
    path = write(tmp_path / "b.csv", "text\na\n")
    assert read_rows(path, label_required=False) == [(None, "a")]
