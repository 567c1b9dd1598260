"""The written forms of stems as a table of a model file, and back with every check."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from priori import _core
from priori.statistics.counts import UNIT_BITS
from priori.statistics.counts_file import LARGEST
from priori.statistics.forms import Forms
from priori.store import checks
from priori.store.columns import Column, Table, Texts, Values

SCHEMA = (Column("stem", "large_string"), Column("word", "large_string"), Column("occurrences", "int64"))


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
