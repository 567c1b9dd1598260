"""A sample as a table of the model file, and back with every check."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from priori.corpus.sample import Sample
from priori.store import checks, views

FEATURES = pa.large_list(pa.struct([("term", pa.int32()), ("count", pa.int32())]))
SCHEMA = pa.schema([("hash", pa.uint64()), ("class", pa.int32()), ("copies", pa.int64()), ("features", FEATURES)])


def sample_to_table(sample: Sample) -> pa.Table:
    """The rows as an Arrow table."""
    entries = pa.StructArray.from_arrays(
        [views.from_numpy(sample.term), views.from_numpy(sample.count)], fields=list(FEATURES.value_type)
    )
    features = pa.LargeListArray.from_arrays(views.from_numpy(sample.offsets), entries)
    columns = [views.from_numpy(sample.hash), views.from_numpy(sample.cls), views.from_numpy(sample.copies), features]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def sample_from_table(sections: Mapping[str, Any], bits: object, classes: int, terms: int) -> Sample:
    """Checked: ids within bounds, positive counts, rows in order, hashes under the threshold."""
    table = checks.expect_table(sections, "sample", SCHEMA)
    features = views.column(table, "features")
    entries = features.values
    sample = Sample(
        checks.integer("sample", "the number of leading zeros", bits, 0, 64),
        views.numbers(views.column(table, "hash")),
        views.numbers(views.column(table, "class")),
        views.numbers(views.column(table, "copies")),
        views.offsets(features),
        views.numbers(entries.field(0)),
        views.numbers(entries.field(1)),
    )
    checks.offsets_within("sample", "features", sample.offsets, len(sample.term))
    checks.ids_below("sample", "class", sample.cls, classes)
    checks.ids_below("sample", "term", sample.term, terms)
    checks.positive("sample", "copies", sample.copies)
    checks.positive("sample", "count", sample.count)
    checks.strictly_increasing_inside("sample", "term", sample.term, sample.offsets)
    if len(sample) and bool((sample.hash[1:] < sample.hash[:-1]).any()):
        raise checks.fault("sample", "its rows are not in the order of their hashes")
    if len(sample) and sample.bits and int(sample.hash[-1]) >> (64 - sample.bits):
        raise checks.fault("sample", "a hash lies over the threshold")
    return sample
