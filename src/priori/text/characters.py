"""The characters of the running Python: what its re calls a word character and str.lower makes lower case.

The default analyzer pins one Unicode version, compiled in. Only compat="sklearn" needs these tables, for it promises
the tokens that CountVectorizer gives under this very Python.
"""

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from priori.errors import PrioriError

CODE_POINTS = 0x110000
# The bits of priori::Property in native/unicode.hpp that this module fills in.
WORD, CASED, CASE_IGNORABLE, SPACE = 1, 8, 16, 32
DOTTED_CAPITAL_I = 0x130  # the one character whose lower case is two: i and a dot above
FINAL_SIGMA = 0x3C2
PART = 0x4000  # characters asked about at a time: all at once would spend its time on fresh memory


@lru_cache(maxsize=1)
def running_python() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Rows (first, last, properties) of character ranges and rows (from, to) of lower-case mappings."""
    codes = np.arange(CODE_POINTS, dtype=np.uint32)
    text = _text(codes)
    properties = np.zeros(CODE_POINTS, dtype=np.uint32)
    for pattern, bit in ((r"\w+", WORD), (r"\s+", SPACE)):
        for match in re.finditer(pattern, text):
            properties[match.start() : match.end()] |= bit
    for part in np.split(codes, CODE_POINTS // PART):
        properties[part] |= _case_context(part)
    lower = _lower(text)
    changed = np.flatnonzero(lower != codes).astype(np.uint32)
    return _frozen(_ranges(properties)), _frozen(np.column_stack([changed, lower[changed]]))


def _text(codes: NDArray[np.uint32]) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)


def _lower(text: str) -> NDArray[np.uint32]:
    """The one-to-one lower case of every character, for U+0130 the first of its two."""
    lower = _codes(text.lower())
    if len(lower) != CODE_POINTS + 1:
        raise PrioriError(
            'compat="sklearn" cannot follow str.lower here: this Python lower-cases other characters than U+0130 to '
            "several; use the default analyzer"
        )
    return np.delete(lower, DOTTED_CAPITAL_I + 1)


def _case_context(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Which characters are cased or case-ignorable to the rule for the final sigma, found by asking str.lower.

    The sigma in "AΣxA" is final only if x is neither; that in "xΣ " only if x is cased. A character that is both
    counts as ignorable, in str.lower and so here.
    """
    neither = _sigma_is_final(codes, "AΣxA")
    cased = ~neither
    cased[cased] = _sigma_is_final(codes[cased], "xΣ ")
    return np.select([neither, cased], [0, CASED], CASE_IGNORABLE).astype(np.uint32)


def _sigma_is_final(codes: NDArray[np.uint32], context: str) -> NDArray[np.bool_]:
    """For each character, put in place of the x, whether str.lower makes the sigma beside it final."""
    # U+0130 would shift the rest by one; İ is a capital letter like any other here, so J takes its place.
    probes = np.tile(_codes(context), (len(codes), 1))
    probes[:, context.index("x")] = np.where(codes == DOTTED_CAPITAL_I, ord("J"), codes)
    lower = _codes(_text(probes.ravel()).lower()).reshape(probes.shape)
    final: NDArray[np.bool_] = lower[:, context.index("Σ")] == FINAL_SIGMA
    return final


def _ranges(properties: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Rows (first, last, properties) of neighbouring characters alike, without those that have no property."""
    first = np.flatnonzero(np.diff(properties, prepend=properties[0] ^ 1))
    last = np.append(first[1:], len(properties)) - 1
    some = properties[first] != 0
    return np.column_stack([first[some], last[some], properties[first[some]]]).astype(np.uint32)


def _frozen(array: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The array made read-only, for all callers share it."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
