"""Write native/unicode_tables.hpp: the character properties of the one Unicode version the default analyzer pins.

    python3.11 tools/make_unicode_tables.py

Words must not change with the Python that happens to run, and no two Python releases need agree on Unicode. So the
tables are made once, by a Python whose unicodedata has exactly the pinned version, and committed as data.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

PINNED = "14.0.0"
TARGET = Path(__file__).resolve().parent.parent / "native" / "unicode_tables.hpp"
ALL = [chr(code) for code in range(0x110000)]

# The bits of priori::Property in native/unicode.hpp.
WORD, ALONE, MARK, CASED, CASE_IGNORABLE, SPACE = 1, 2, 4, 8, 16, 32

# Names of letters in scripts written without spaces between words: the ideographs and kana of East Asia, and the
# scripts of South-East Asia that Unicode's line breaking (UAX #14) leaves to a dictionary.
ALONE_NAMES = re.compile(
    r"CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|IDEOGRAPHIC|VERTICAL IDEOGRAPHIC|HANGZHOU NUMERAL|OLD CHINESE|MASU MARK"
    r"|HIRAGANA|HENTAIGANA|KATAKANA|HALFWIDTH KATAKANA|VERTICAL KANA|BOPOMOFO"
    r"|YI SYLLABLE|NUSHU|KHITAN SMALL SCRIPT|TANGUT"
    r"|THAI|LAO|KHMER|MYANMAR|TAI LE|NEW TAI LUE|TAI THAM|TAI VIET|AHOM"
)
TANGUT_IDEOGRAPHS = (range(0x17000, 0x18B00), range(0x18D00, 0x18D80))  # unicodedata 14.0.0 does not name them

# Blocks of diacritics that accent folding drops. Marks outside (Indic vowel signs, kana voicing) spell the word.
DIACRITICS = (
    range(0x0300, 0x0370),
    range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00),
    range(0x20D0, 0x2100),
    range(0xFE20, 0xFE30),
)


def is_alone(character: str) -> bool:
    """Whether a character is a word of its own, as its script puts no spaces between words."""
    category = unicodedata.category(character)
    if category[0] != "L" and category != "Nl":
        return False
    name = unicodedata.name(character, "")
    return bool(ALONE_NAMES.match(name)) or any(ord(character) in block for block in TANGUT_IDEOGRAPHS)


def case_context(character: str) -> int:
    """What a character means to a capital sigma beside it; one both cased and ignorable counts as ignorable."""
    cased = (character + "Σ").lower().endswith("ς")
    seen_through = ("A" + character + "Σ").lower().endswith("ς")
    return CASED if cased else CASE_IGNORABLE if seen_through else 0


def properties(character: str) -> int:
    """The property bits of one character."""
    category = unicodedata.category(character)
    bits = case_context(character)
    bits |= WORD if category[0] in "LMN" or character == "_" else 0
    bits |= MARK if category[0] == "M" else 0
    bits |= ALONE if is_alone(character) else 0
    bits |= SPACE if character.isspace() else 0
    return bits


def is_diacritic(character: str) -> bool:
    """Whether accent folding drops this mark."""
    return unicodedata.category(character)[0] == "M" and any(ord(character) in block for block in DIACRITICS)


def fold(character: str) -> int:
    """The base of an accented character, 0 for an accent itself, otherwise the character unchanged."""
    if is_diacritic(character):
        return 0
    base, *marks = unicodedata.normalize("NFD", character)
    return ord(base) if marks and all(map(is_diacritic, marks)) else ord(character)


def constant_runs(values: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """[first, last, value] of neighbouring codes with one value, from (code, value) in order of code."""
    run: list[int] = []
    for code, value in values:
        if run and code == run[1] + 1 and value == run[2]:
            run[1] = code
        else:
            if run:
                yield run
            run = [code, code, value]
    if run:
        yield run


def shifted_runs(shifts: list[tuple[int, int]]) -> Iterator[list[int]]:
    """[first, last, stride, shift] of codes 1 or 2 apart that are shifted alike, from (code, shift) in order."""
    run: list[int] = []
    for code, shift in shifts:
        gap = code - run[1] if run else 0
        if run and shift == run[3] and gap in (1, 2) and (run[0] == run[1] or gap == run[2]):
            run[1:3] = [code, gap]
        else:
            if run:
                yield run
            run = [code, code, 1, shift]
    if run:
        yield run


def table(kind: str, name: str, rows: Iterable[list[int]]) -> Iterator[str]:
    """One constexpr array, with as many rows as fit on each line."""
    yield f"inline constexpr {kind} {name}[] = {{"
    line = "   "
    for row in rows:
        item = " {" + ", ".join(f"{value:#x}" for value in row) + "},"
        if len(line + item) > 120:
            yield line
            line = "   "
        line += item
    yield line
    yield "};"


HEADER = f"""\
// Character properties of Unicode {PINNED}: data, written by tools/make_unicode_tables.py, not by hand.
// Source: the Unicode Character Database {PINNED}, read through Python's unicodedata.
// It is committed because words must stay the same whatever Python builds or runs Priori.
#pragma once

#include <cstdint>

namespace priori {{
// clang-format off

inline constexpr const char* kUnicodeVersion = "{PINNED}";

// The characters first..last have these Property bits; ranges are disjoint and in order.
struct PropertyRange {{ uint32_t first, last, properties; }};
// Of first..last every stride-th character becomes lower case by adding shift.
struct LowerRun {{ uint32_t first, last, stride; int32_t shift; }};
// The characters first..last lose their accents and become base; 0 drops them.
struct FoldRun {{ uint32_t first, last, base; }};
"""


def lines() -> Iterator[str]:
    """The lines of the header file."""
    bits = ((code, properties(character)) for code, character in enumerate(ALL))
    # U+0130 alone becomes two characters, i and a dot above: the table has the i, the caller adds the dot.
    shifts = [(code, ord(character.lower()[0]) - code) for code, character in enumerate(ALL)]
    folds = [(code, fold(character)) for code, character in enumerate(ALL)]
    yield HEADER
    yield from table("PropertyRange", "kPropertyRanges", (run for run in constant_runs(bits) if run[2]))
    yield ""
    yield from table("LowerRun", "kLowerRuns", shifted_runs([pair for pair in shifts if pair[1]]))
    yield ""
    yield from table("FoldRun", "kFoldRuns", constant_runs(pair for pair in folds if pair[0] != pair[1]))
    yield ""
    yield "// clang-format on"
    yield "}  // namespace priori"


def main() -> None:
    """Write the tables, or refuse under another Unicode version."""
    if unicodedata.unidata_version != PINNED:
        sys.exit(
            f"Python {sys.version.split()[0]} has Unicode {unicodedata.unidata_version}, "
            f"but the tables pin {PINNED}: run this with Python 3.11"
        )
    TARGET.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
