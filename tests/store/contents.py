"""Sections for the tests: small ones shaped like a model's, and Hypothesis strategies for any others."""

import pyarrow as pa
from hypothesis import strategies as st

from priori.store.arrow_views import columns_of
from priori.store.table_types import Table

PAIRS = pa.large_list(pa.struct([("class", pa.int32()), ("occurrences", pa.int64()), ("documents", pa.int64())]))
ARROW_SCHEMAS = {
    "classes": pa.schema([("label", pa.string()), ("documents", pa.int64())]),
    "terms": pa.schema([("term", pa.large_string()), ("pairs", PAIRS)]),
}
SCHEMAS = {name: columns_of(schema) for name, schema in ARROW_SCHEMAS.items()}


def small_model():
    """Two reviews and a mail, in the shape that docs/format.md describes."""
    pairs = [[(0, 2, 1)], [(0, 1, 1), (1, 3, 2)], [], [(1, 1, 1)]]
    named = [[dict(zip(("class", "occurrences", "documents"), pair, strict=True)) for pair in row] for row in pairs]
    return {
        "analyzer": {"lowercase": True, "ngrams": [1, 2], "shift": 0},
        "classes": pa.table({"label": ["ham", "spam"], "documents": [1, 2]}, schema=ARROW_SCHEMAS["classes"]),
        "terms": pa.table(
            {"term": ["amazing", "free", "refund", "été"], "pairs": named}, schema=ARROW_SCHEMAS["terms"]
        ),
        "readings": {"alpha": 0.5, "event": "multinomial", "labels": ["ham", None]},
    }


def equal(left, right):
    """Whether two mappings hold the same sections in the same order."""
    return list(left) == list(right) and all(same(left[name], right[name]) for name in left)


def same(left, right):
    """Whether two sections are equal, whoever's tables they are."""
    left, right = (side.to_arrow() if isinstance(side, Table) else side for side in (left, right))
    return left.equals(right) if isinstance(left, pa.Table) else left == right


integers = st.integers(-(2**63), 2**63 - 1)
names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
json_values = st.recursive(
    st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
_leaves = st.sampled_from(
    [
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.large_binary()),
    ]
)
types = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        inner.map(pa.list_),
        inner.map(pa.large_list),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda parts: pa.struct([(f"p{i}", p) for i, p in enumerate(parts)])
        ),
    ),
    max_leaves=3,
)


def values(kind):
    """Any value of an Arrow type."""
    if pa.types.is_integer(kind):
        low = 0 if pa.types.is_unsigned_integer(kind) else -(2 ** (kind.bit_width - 1))
        return st.integers(low, low + 2**kind.bit_width - 1)
    if pa.types.is_floating(kind):
        return st.floats(width=kind.bit_width, allow_nan=False)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: values(field.type) for field in kind})
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return st.lists(values(kind.value_type), max_size=3)
    return st.binary(max_size=4) if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) else texts


@st.composite
def columns(draw):
    """A type and the values of a column."""
    kind = draw(types)
    return kind, draw(st.lists(values(kind), max_size=6))


@st.composite
def tables(draw):
    """A table of one to three columns."""
    size = draw(st.integers(0, 4))
    kinds = draw(st.lists(types, min_size=1, max_size=3))
    rows = {f"c{i}": (kind, draw(st.lists(values(kind), min_size=size, max_size=size))) for i, kind in enumerate(kinds)}
    return pa.table({name: pa.array(items, kind) for name, (kind, items) in rows.items()})


sections = st.dictionaries(names, tables() | json_values, max_size=4)
