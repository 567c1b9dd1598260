"""The whole analyzer once more: slow, short and plainly right, to hold the compiled one against.

It uses the unicodedata of the running Python. The default mode pins Unicode 14.0.0, which Python 3.11 has; under
another Python the two may differ in characters that Unicode added since.
"""

import re
import unicodedata
from typing import Literal

# Blocks of the scripts written without spaces between words.
ALONE_BLOCKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x3000, 0x312F),  # CJK symbols, Hiragana, Katakana, Bopomofo
    (0x31A0, 0x31BF),  # Bopomofo
    (0x31F0, 0x31FF),  # Katakana
    (0x3400, 0x9FFF),  # Han
    (0xA000, 0xA48F),  # Yi
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x11700, 0x1174F),  # Ahom
    (0x16FE0, 0x18D7F),  # Tangut, Khitan
    (0x1AFF0, 0x1B2FF),  # Kana, Nushu
    (0x20000, 0x3FFFF),  # Han
)
DIACRITIC_BLOCKS = ((0x0300, 0x036F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))


def in_blocks(character: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in blocks)


def is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" or character == "_"


def is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def is_alone(character: str) -> bool:
    category = unicodedata.category(character)
    return (category[0] == "L" or category == "Nl") and in_blocks(character, ALONE_BLOCKS)


def is_diacritic(character: str) -> bool:
    return is_mark(character) and in_blocks(character, DIACRITIC_BLOCKS)


def fold(character: str) -> str:
    """The base of an accented character, nothing for an accent, any other character as it is."""
    if is_diacritic(character):
        return ""
    base, *marks = unicodedata.normalize("NFD", character)
    return base if marks and all(map(is_diacritic, marks)) else character


def begins_token(before: str, character: str) -> bool:
    """Whether a word character begins a new token after another word character."""
    return is_alone(character) or (is_alone(before[0]) and not is_mark(character))


def default_words(text: str, min_length: int) -> list[str]:
    """Runs of word characters; one of a script without spaces stands alone, with its marks, however short."""
    tokens = [""]
    for character in text:
        if not is_word(character):
            tokens.append("")
        elif tokens[-1] and begins_token(tokens[-1], character):
            tokens.append(character)
        else:
            tokens[-1] += character
    return [token for token in tokens if token and (len(token) >= min_length or is_alone(token[0]))]


def word_ngrams(tokens: list[str], shortest: int, longest: int) -> list[str]:
    """All n-grams of the shortest size in order, then those of the next size, and so on."""
    return [
        " ".join(tokens[start : start + size])
        for size in range(shortest, longest + 1)
        for start in range(len(tokens) - size + 1)
    ]


def char_ngrams(text: str, shortest: int, longest: int) -> list[str]:
    """Character n-grams across words, runs of white space made one space."""
    text = re.sub(r"\s\s+", " ", text)
    return [
        text[start : start + size] for size in range(shortest, longest + 1) for start in range(len(text) - size + 1)
    ]


def padded_char_ngrams(text: str, shortest: int, longest: int) -> list[str]:
    """Character n-grams inside each word between spaces; a word not longer than n is taken whole, once."""
    ngrams = []
    for word in text.split():
        padded = f" {word} "
        for size in range(shortest, longest + 1):
            if size >= len(padded):
                ngrams.append(padded)
                break
            ngrams += [padded[start : start + size] for start in range(len(padded) - size + 1)]
    return ngrams


def reference_features(
    text: str,
    *,
    features: Literal["words", "chars", "chars_across"] = "words",
    ngrams: tuple[int, int] = (1, 1),
    lowercase: bool = True,
    fold_accents: bool = False,
    min_length: int = 1,
    compat: Literal["sklearn"] | None = None,
) -> list[str]:
    """The features of a text in order."""
    if lowercase:
        text = text.lower()
    if fold_accents:
        text = "".join(map(fold, text))
    if features == "chars":
        return padded_char_ngrams(text, *ngrams)
    if features == "chars_across":
        return char_ngrams(text, *ngrams)
    if compat == "sklearn":
        tokens = [token for token in re.findall(r"\w+", text) if len(token) >= max(2, min_length)]
    else:
        tokens = default_words(text, min_length)
    return word_ngrams(tokens, *ngrams)
