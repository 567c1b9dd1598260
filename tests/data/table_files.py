"""One table in every format of file, for the tests of reading them."""

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from priori.data import Field, ReadOptions, Schema, read_table

HEADER = "flag,count,size,word,y,w"
ROWS = ["true,3,1.5,a,yes,1", ",,,,,0.5", "False, -4 ,2,b,no,2"]
TABLE = pa.table(
    {
        "flag": [True, None, False],
        "count": [3, None, -4],
        "size": [1.5, None, 2.0],
        "word": ["a", None, "b"],
        "y": ["yes", None, "no"],
        "w": [1.0, 0.5, 2.0],
    }
)
JSON = """{"flag": true, "count": 3, "size": 1.5, "word": "a", "y": "yes", "w": 1}
{"flag": null, "size": null, "w": 0.5}

{"y": "no", "word": "b", "flag": false, "count": -4, "size": 2, "w": 2}
"""
EXPECTED = Schema((Field("flag", "boolean"), Field("count", "integer"), Field("size", "real"), Field("word", "string")))
OPTIONS = ReadOptions(label="y", weight="w")
FORMATS = ["csv", "tsv", "jsonl", "parquet", "arrow"]


def write(path, lines):
    path.write_text(lines if isinstance(lines, str) else "\n".join(lines) + "\n")
    return path


def write_table(folder, kind):
    path = folder / f"t.{kind}"
    match kind:
        case "csv":
            write(path, [HEADER, *ROWS])
        case "tsv":
            write(path, [line.replace(",", "\t") for line in [HEADER, *ROWS]])
        case "jsonl":
            write(path, JSON)
        case "parquet":
            pq.write_table(TABLE, path)
        case _:
            feather.write_feather(TABLE, path)
    return path


def table_of(*sources, schema=None, types=None, **options):
    """The schema, and all batches as one list."""
    found, batches = read_table(list(sources), ReadOptions(**options), schema, types)
    return found, list(batches)


def column_of(batches, name):
    found = []
    for batch in batches:
        codes, values = batch.table.codes(name)
        found += [None if code < 0 else values[code] for code in codes]
    return found
