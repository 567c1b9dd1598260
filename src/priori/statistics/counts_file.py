"""Counts as the tables of a model file, and back with every check."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from priori.statistics.counts import UNIT_BITS, Counts
from priori.store import checks, views

PAIRS = pa.large_list(pa.struct([("class", pa.int32()), ("occurrences", pa.int64()), ("documents", pa.int64())]))
CLASSES_SCHEMA = pa.schema([("label", pa.large_string()), ("documents", pa.int64())])
TERMS_SCHEMA = pa.schema([("term", pa.large_string()), ("pairs", PAIRS)])
LENGTHS_SCHEMA = pa.schema([("class", pa.int32()), ("length", pa.int64()), ("documents", pa.int64())])

TABLES = {"classes": CLASSES_SCHEMA, "terms": TERMS_SCHEMA, "lengths": LENGTHS_SCHEMA}

LARGEST = 2.0**63  # sums of counts are 64-bit integers


def text_column(offsets: Any, data: Any) -> pa.Array:
    """A large_string array over numpy offsets and bytes."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)


def counts_to_tables(counts: Counts) -> dict[str, pa.Table]:
    """The tables classes, terms and lengths."""
    pairs = pa.StructArray.from_arrays(
        [views.from_numpy(a) for a in (counts.pair_class, counts.pair_occurrences, counts.pair_documents)],
        fields=list(PAIRS.value_type),
    )
    columns = {
        "classes": [views.from_texts(counts.labels), views.from_numpy(counts.class_documents)],
        "terms": [
            text_column(counts.term_offsets, counts.term_bytes),
            pa.LargeListArray.from_arrays(views.from_numpy(counts.pair_offsets), pairs),
        ],
        "lengths": [
            views.from_numpy(counts.length_class),
            views.from_numpy(counts.length),
            views.from_numpy(counts.length_documents),
        ],
    }
    return {name: pa.Table.from_arrays(columns[name], schema=schema) for name, schema in TABLES.items()}


def counts_from_tables(sections: Mapping[str, Any], unit_bits: object, pruned: bool) -> Counts:
    """The inverse, without copying; whatever does not add up is refused."""
    tables = {name: checks.expect_table(sections, name, schema) for name, schema in TABLES.items()}
    labels = views.column(tables["classes"], "label")
    terms, lists = views.column(tables["terms"], "term"), views.column(tables["terms"], "pairs")
    pairs = lists.values
    if unit_bits not in (0, UNIT_BITS) or type(unit_bits) is not int:
        raise checks.fault("statistics", f"the unit of the counts is {unit_bits!r}")
    counts = Counts(
        labels=tuple(labels.to_pylist()),
        class_documents=views.numbers(views.column(tables["classes"], "documents")),
        term_offsets=views.offsets(terms),
        term_bytes=views.text_bytes(terms),
        pair_offsets=views.offsets(lists),
        pair_class=views.numbers(pairs.field(0)),
        pair_occurrences=views.numbers(pairs.field(1)),
        pair_documents=views.numbers(pairs.field(2)),
        length_class=views.numbers(views.column(tables["lengths"], "class")),
        length=views.numbers(views.column(tables["lengths"], "length")),
        length_documents=views.numbers(views.column(tables["lengths"], "documents")),
        unit_bits=unit_bits,
    )
    checks.strictly_sorted_texts("classes", "label", labels)
    checks.strictly_sorted_texts("terms", "term", terms)
    checks.offsets_within("terms", "pairs", counts.pair_offsets, len(counts.pair_class))
    checks.ids_below("terms", "class", counts.pair_class, len(counts.labels))
    checks.strictly_increasing_inside("terms", "class", counts.pair_class, counts.pair_offsets)
    checks.ids_below("lengths", "class", counts.length_class, len(counts.labels))
    checks.non_negative("lengths", "length", counts.length)
    _check_sums(counts, pruned)
    if counts.canonical() is not counts:
        raise checks.fault("statistics", "a class has no counts, or the unit of the counts is finer than need be")
    return counts


def _check_sums(counts: Counts, pruned: bool) -> None:
    """Documents and features by class must be those of the lengths (a pruned model has lost some features)."""
    if bool((np.diff(counts.pair_offsets) == 0).any()):
        raise checks.fault("terms", "a term has no counts")
    if bool(((counts.pair_occurrences == 0) & (counts.pair_documents == 0)).any()):
        raise checks.fault("terms", "a count of zero is stored")
    order = counts.length_class.astype(np.int64), counts.length
    rises = (order[0][1:] > order[0][:-1]) | ((order[0][1:] == order[0][:-1]) & (order[1][1:] > order[1][:-1]))
    if not rises.all():
        raise checks.fault("lengths", "its rows are not in order")
    if float(np.abs(counts.pair_occurrences.astype(np.float64)).sum()) >= LARGEST or counts.bound() >= LARGEST:
        raise checks.fault("terms", "its counts are larger than 64-bit sums can be")
    documents, features = np.zeros((2, len(counts.labels)), np.int64)
    np.add.at(documents, counts.length_class, counts.length_documents)
    np.add.at(features, counts.length_class, counts.length_documents * counts.length)
    if not np.array_equal(documents, counts.class_documents):
        raise checks.fault("lengths", "its documents are not those of the classes")
    if not pruned and not np.array_equal(features, counts.class_occurrences):
        raise checks.fault("lengths", "its features are not those of the terms")
