"""Counts of terms, and the written forms of stems, as tables of a model file; and back with every check."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from priori import _core
from priori.statistics.term_counts import UNIT_BITS, Counts
from priori.statistics.word_forms import Forms
from priori.store import checks
from priori.store.table_types import Column, Lists, Schema, Table, Texts, Values

PAIR = (Column("class", "int32"), Column("occurrences", "int64"), Column("documents", "int64"))
CLASSES = (Column("label", "large_string"), Column("documents", "int64"))
TERMS = (Column("term", "large_string"), Column("pairs", "large_list", Column("item", "struct", *PAIR)))
LENGTHS = (Column("class", "int32"), Column("length", "int64"), Column("documents", "int64"))

TABLES = {"classes": CLASSES, "terms": TERMS, "lengths": LENGTHS}

# The table of written forms.
SCHEMA = (Column("stem", "large_string"), Column("word", "large_string"), Column("occurrences", "int64"))

LARGEST = 2.0**63  # sums of counts are 64-bit integers


def counts_to_tables(counts: Counts) -> dict[str, Table]:
    """The tables classes, terms and lengths."""
    pairs = (counts.pair_class, counts.pair_occurrences, counts.pair_documents)
    lengths = (counts.length_class, counts.length, counts.length_documents)
    columns: dict[str, tuple[Values, ...]] = {
        "classes": (Texts.of(counts.labels), counts.class_documents),
        "terms": (Texts(counts.term_offsets, counts.term_bytes), Lists(counts.pair_offsets, _table(PAIR, pairs))),
        "lengths": lengths,
    }
    return {name: _table(schema, columns[name]) for name, schema in TABLES.items()}


def _table(schema: Schema, columns: tuple[Values, ...]) -> Table:
    return Table(schema, {column.name: values for column, values in zip(schema, columns, strict=True)})


def counts_from_tables(sections: Mapping[str, Any], unit_bits: object, pruned: bool) -> Counts:
    """The inverse, without copying; whatever does not add up is refused."""
    classes, terms, lengths = (checks.expect_table(sections, name, schema) for name, schema in TABLES.items())
    pairs = terms["pairs"].items
    if unit_bits not in (0, UNIT_BITS) or type(unit_bits) is not int:
        raise checks.fault("statistics", f"the unit of the counts is {unit_bits!r}")
    counts = Counts(
        labels=tuple(classes["label"]),
        class_documents=classes["documents"],
        term_offsets=terms["term"].offsets,
        term_bytes=terms["term"].data,
        pair_offsets=terms["pairs"].offsets,
        pair_class=pairs["class"],
        pair_occurrences=pairs["occurrences"],
        pair_documents=pairs["documents"],
        length_class=lengths["class"],
        length=lengths["length"],
        length_documents=lengths["documents"],
        unit_bits=unit_bits,
    )
    checks.strictly_sorted_texts("classes", "label", classes["label"])
    checks.strictly_sorted_texts("terms", "term", terms["term"])
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


# --- written forms ----------------------------------------------------------------------------------------------------


def forms_to_table(forms: Forms) -> Table:
    """Rows in the order of their stems, then words."""
    stems, words = forms.split()
    values: dict[str, Values] = {
        "stem": Texts(*stems),
        "word": Texts(*words),
        "occurrences": forms.counts.pair_occurrences,
    }
    return Table(SCHEMA, values)


def forms_from_table(sections: Mapping[str, Any], unit_bits: object) -> Forms:
    """The inverse; whatever does not add up is refused."""
    table = checks.expect_table(sections, "forms", SCHEMA)
    if unit_bits not in (0, UNIT_BITS) or type(unit_bits) is not int:
        raise checks.fault("statistics", f"the unit of the forms is {unit_bits!r}")
    for name in ("stem", "word"):
        if (table[name].data == 0).any():
            raise checks.fault("forms", f"a {name} holds a NUL character")
    if (table["occurrences"] == 0).any():
        raise checks.fault("forms", "a count of zero is stored")
    if float(np.abs(table["occurrences"].astype(np.float64)).sum()) >= LARGEST:
        raise checks.fault("forms", "its counts are larger than 64-bit sums can be")
    forms = Forms.joined(table["stem"], table["word"], table["occurrences"], unit_bits)
    if not _core.is_strictly_sorted(forms.counts.term_offsets, forms.counts.term_bytes):
        raise checks.fault("forms", "its rows are not in order, or one stands twice")
    if forms.counts.unit_bits != unit_bits:
        raise checks.fault("forms", "the unit of its occurrences is finer than need be")
    return forms
