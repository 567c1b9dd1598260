import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori import _core
from priori.text.characters import running_python
from reference import fold, is_alone, is_mark, is_word

WORD, ALONE, MARK, CASED, CASE_IGNORABLE, SPACE = 1, 2, 4, 8, 16, 32
CODES = range(0x110000)
pinned_python = pytest.mark.skipif(
    unicodedata.unidata_version != _core.UNICODE_VERSION,
    reason=f"needs a Python whose unicodedata is {_core.UNICODE_VERSION}",
)


@pytest.fixture(scope="module")
def pinned():
    return _core.Characters.pinned()


@pytest.fixture(scope="module")
def running():
    return _core.Characters(*running_python())


def every_character(characters):
    """Arrays of properties, lower and fold by code point."""
    return characters.every_character().reshape(-1, 3).T


def codes_where(predicate):
    return np.fromiter((predicate(chr(code)) for code in CODES), dtype=bool)


def cased(character):
    return (character + "Σ").lower().endswith("ς")


def case_ignorable(character):
    return ("A" + character + "Σ").lower().endswith("ς") and not cased(character)


# Text that meets every special rule: sigmas, dotted I, ignorables, marks, surrogate neighbours, all planes.
nasty_characters = st.one_of(
    st.sampled_from(
        "ΣΣΣσςİıiIAaßẞǅǆ.:'’·\u00ad\u0307\u0345ͅª\u1d2cʰ0_ \t\u0301\u200dΩÅ漢ก\U00010400\U0001d400\U0001f130"
    ),
    st.characters(exclude_categories=["Cs"]),
)
nasty_text = st.text(nasty_characters, max_size=40)
nasty_bytes = st.lists(
    st.one_of(
        st.binary(max_size=4),
        nasty_text.map(str.encode),
        # The bytes at the borders of what may follow what.
        st.lists(st.sampled_from(b"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff")).map(
            bytes
        ),
    ),
    max_size=12,
).map(b"".join)


@pinned_python
@pytest.mark.parametrize(
    ("bit", "predicate"),
    [
        (WORD, is_word),
        (ALONE, is_alone),
        (MARK, is_mark),
        (CASED, cased),
        (CASE_IGNORABLE, case_ignorable),
        (SPACE, str.isspace),
    ],
)
def test_pinned_properties_are_those_of_unicode(pinned, bit, predicate):
    differs = (every_character(pinned)[0] & bit > 0) != codes_where(predicate)
    assert not differs.any(), [hex(code) for code in np.flatnonzero(differs)[:20]]


@pinned_python
def test_pinned_lower_case_is_that_of_unicode(pinned):
    assert every_character(pinned)[1].tolist() == [ord(chr(code).lower()[0]) for code in CODES]


@pinned_python
def test_folding_keeps_base_letters_and_drops_accents(pinned):
    assert every_character(pinned)[2].tolist() == [ord(fold(chr(code)) or "\0") for code in CODES]


def test_pinned_properties_hold_where_unicode_promises_stability(pinned):
    """Whatever Python runs: letters stay letters, and code points Unicode 14 did not know have no property."""
    assert [pinned.properties(ord(c)) & ~CASED for c in "aZ_9 -漢กé"] == [1, 1, 1, 1, 32, 0, 3, 3, 1]
    assert pinned.properties(0x31350) == 0  # an ideograph of Unicode 15.0
    assert pinned.properties(0x1C89) == 0  # a capital letter of Unicode 16.0


def test_other_numbers_have_no_properties(pinned, running):
    for code in (0x110000, 0x110041, 0xFFFFFFFF):
        assert pinned.properties(code) == running.properties(code) == 0


@pytest.mark.parametrize(
    ("bit", "predicate"),
    [
        (WORD, re.compile(r"\w").match),
        (SPACE, re.compile(r"\s").match),
        (CASED, cased),
        (CASE_IGNORABLE, case_ignorable),
        (ALONE | MARK, lambda character: False),
    ],
)
def test_running_properties_are_those_of_re_and_str(running, bit, predicate):
    expected = codes_where(lambda character: bool(predicate(character)))
    differs = (every_character(running)[0] & bit > 0) != expected
    assert not differs.any(), [hex(code) for code in np.flatnonzero(differs)[:20]]


def test_running_lower_case_is_that_of_str(running):
    assert every_character(running)[1].tolist() == [ord(chr(code).lower()[0]) for code in CODES]


def test_only_dotted_capital_i_becomes_two_characters(running):
    assert [chr(code) for code in CODES if len(chr(code).lower()) != 1] == ["İ"]
    assert running.lower_text("İ".encode()).decode() == "i\u0307"


def test_folding_does_not_depend_on_the_running_python(pinned, running):
    np.testing.assert_array_equal(every_character(running)[2], every_character(pinned)[2])


def test_folding_twice_is_folding_once(pinned):
    folded = every_character(pinned)[2]
    np.testing.assert_array_equal(folded[folded], folded)


@settings(max_examples=2000, deadline=None)
@given(nasty_text)
def test_lower_text_is_str_lower(running, text):
    assert running.lower_text(text.encode()).decode() == text.lower()


@pinned_python
@settings(max_examples=500, deadline=None)
@given(nasty_text)
def test_pinned_lower_text_is_str_lower(pinned, text):
    assert pinned.lower_text(text.encode()).decode() == text.lower()


def test_lower_text_of_every_character_beside_sigmas(running):
    text = "".join(f"A{chr(c)}Σ Σ{chr(c)}A AΣ{chr(c)} {chr(c)}Σ" for c in CODES if not 0xD800 <= c < 0xE000)
    assert running.lower_text(text.encode()).decode() == text.lower()


@settings(max_examples=2000, deadline=None)
@given(nasty_bytes)
def test_malformed_utf8_is_replaced_as_python_does(running, data):
    codes = _core.decode_utf8(data).tolist()
    assert "".join("\ufffd" if code == 0xFFFFFFFF else chr(code) for code in codes) == data.decode("utf-8", "replace")
    assert running.lower_text(data).decode() == data.decode("utf-8", "replace").lower()


def test_every_code_point_survives_utf8():
    text = "".join(chr(code) for code in CODES if not 0xD800 <= code < 0xE000)
    np.testing.assert_array_equal(_core.decode_utf8(text.encode()), np.array([ord(c) for c in text]))


def test_every_pair_and_border_triple_of_bytes_decodes_as_python_does():
    """Exhaustive where it matters: all leads before all bytes, and before all bytes after a border byte."""
    borders = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    for lead in range(0xC0, 0x100):
        for first in range(256):
            for rest in [b"", *(bytes([second]) for second in borders), b"\x80\x80", b"\x80\xc0", b"\xbf\xbf\xbf"]:
                data = bytes([lead, first]) + rest
                codes = _core.decode_utf8(data).tolist()
                decoded = "".join("\ufffd" if code == 0xFFFFFFFF else chr(code) for code in codes)
                assert decoded == data.decode("utf-8", "replace"), data


@pytest.mark.parametrize(
    ("ranges", "lower"),
    [
        ([[5, 3, 1]], []),
        ([[0, 9, 1], [9, 12, 1]], []),
        ([[0, 0x110000, 1]], []),
        ([], [[0x110000, 1]]),
        ([], [[1, 0x110000]]),
    ],
)
def test_impossible_tables_are_refused(ranges, lower):
    with pytest.raises(ValueError, match=r"character ranges|lower-case mapping"):
        _core.Characters(np.array(ranges, np.uint32).reshape(-1, 3), np.array(lower, np.uint32).reshape(-1, 2))


def test_running_tables_are_shared_and_read_only():
    assert running_python() is running_python()
    for array in running_python():
        assert not array.flags.writeable
