"""Texts that meet every special rule of the analyzer, for Hypothesis."""

from hypothesis import strategies as st

SPECIAL = [
    *"aZ_09 .,'-\t\n\r\v\f\0\x1c\x1f\x7f\x85\xa0",  # ASCII, controls, spaces
    *"ΣσςΑΟİıIßẞǅÅéñȺẞK",  # sigmas, dotted I, letters whose lower case has another length
    *"\u0301\u0307\u0345\u0308\u20dd\u1ab0\ufe20",  # combining marks
    *"\u00ad\u200b\u200d\u2019\u00b7\u02bc:",  # what a capital sigma looks past
    *"漢字かガ゙กิ่ຂမြកំꀀ𗀀𠀀\u3000\u30fc\u3005",  # scripts without spaces, with marks of their own
    *"हिन्दीশব্দ한국어العربيةעבריתⅧ²½٣",  # marks inside words, Hangul, right to left, numbers of all kinds
    *"𝔘𐐀😀\U0001f1e9\ufffd\ufffe\U0010ffff",
]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff"]
WORDS = ["the", "The", "a", "ΟΔΟΣ", "ΣΑΣ", "İstanbul", "x" * 17, "snake_case", "हिन्दी", "漢字", "ที่นี่", "é" * 9]

pieces = st.one_of(
    st.sampled_from(SPECIAL),
    st.sampled_from(SPECIAL),
    st.sampled_from(SURROGATES),
    st.sampled_from(WORDS),
    st.sampled_from(["  ", "\r\n", "\u3000 ", "a" * 8, "abcdefgh ", "0123456789" * 7]),  # long ASCII: the block path
    st.characters(),
)
texts = st.lists(pieces, max_size=40).map("".join)

# Lead bytes without their followers, followers alone, overlong forms, surrogates, past the last code point.
BROKEN = [
    *(bytes([lead]) for lead in (0x80, 0xBF, 0xC0, 0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF)),
    b"\xc0\xaf",
    b"\xe0\x80\x80",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
]
damaged_texts = st.lists(
    st.one_of(
        st.sampled_from(BROKEN),
        pieces.map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=5),
    ),
    max_size=30,
).map(b"".join)
