"""Stop words: lists by language, files, or the user's own, as the analyzer sees them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from priori.errors import DataError

if TYPE_CHECKING:
    from priori.text.analyzer import Analyzer

StopWords: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None"

INSTALL = "pip install 'priori[words]'"
# What English writes short, which scikit-learn's list leaves out; and the s of "John's".
_SHORT = """
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd we'll
they're they've they'd they'll that's that'd that'll there's there'd there'll here's who's who'd who'll what's what'll
where's when's why's how's let's isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't
shan't shouldn't can't couldn't mustn't mightn't needn't could've should've would've might've must've s
"""


def entries_of(given: Any, analyzer: "Analyzer") -> tuple[str, ...] | None:
    """What is to be taken out, as texts of this analyzer look; None where nothing was given.

    A language ("spanish" or "es"), a path, several of these, or words. A text alone is a language, or the name of a
    file; several texts are languages if all of them are names of one ("it" and "no" are words), else words.
    """
    if given is None:
        return None
    if isinstance(given, str):
        words = file_of(given) if given not in languages() and is_file(given) else list_of(given)
    else:
        words = _of_several([given] if isinstance(given, os.PathLike) else given)
    entries = [entry for word in words for entry in _as_seen(word, analyzer)]
    if not entries:
        raise DataError("the stop words are none that a text could have; give words, or leave stop_words out")
    return tuple(sorted(set(entries), key=str.encode))


def _of_several(given: Any) -> list[str]:
    found: list[str] = []
    texts: list[str] = []
    if not isinstance(given, Iterable):
        raise DataError(f"stop_words={given!r} is no list; give words, languages or paths")
    for each in given:
        if isinstance(each, os.PathLike):
            found += file_of(each)
        elif isinstance(each, str):
            texts.append(str(each))
        else:
            raise DataError(f"the stop word {each!r} is no text; give words, languages or paths")
    if set(texts) <= set(languages().values()):
        return found + [word for language in texts for word in list_of(language)]
    return found + texts


def _as_seen(word: str, analyzer: "Analyzer") -> list[str]:
    """The run of words that the analyzer makes of an entry, with spaces between.

    Where only the user knows how words are told apart, entries are his words; and CountVectorizer takes them as given.
    """
    if analyzer.tokens == "callable" or analyzer.compat is not None:
        return [word] if word and " " not in word else []
    run = analyzer.bare().features_of(word)
    return [" ".join(run)] if run else []


def is_file(name: str) -> bool:
    """Whether there is a file of that name, whatever the name."""
    return os.path.isfile(name)  # noqa: PTH113 - which may be asked of any text, however long


def file_of(path: "str | os.PathLike[str]") -> list[str]:
    """The words of a file, one per line."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the stop words {os.fspath(path)} cannot be read: {error}") from error
    words = [line.strip() for line in lines if line.strip() and not line.startswith("# ")]
    if not words:
        raise DataError(f"the file of stop words {os.fspath(path)} has none; give one word per line, or leave it out")
    return words


def languages() -> dict[str, str]:
    """Every language with a list, by its name and by its code: English always, the others with stop-words installed.

    >>> languages()["en"]
    'english'
    """
    names = {"english": "english", "en": "english"}
    try:
        import stop_words
    except ImportError:
        return names
    for code, name in stop_words.LANGUAGE_MAPPING.items():
        names |= {code: name, name: name}
    return names


def list_of(language: str) -> list[str]:
    """The stop words of a language: of English scikit-learn's and contractions, of others those of stop-words."""
    known = languages()
    if language not in known:
        names = sorted(set(known.values()))
        more = f" (more with {INSTALL})" if len(names) == 1 else ""
        if set(language) & {".", "/", os.sep}:
            raise DataError(f"there is no file {language!r} of stop words, nor a language of that name; check the path")
        raise DataError(
            f"there are no stop words of {language!r}, only of {', '.join(names)}{more}; give one of these, or a file"
        )
    if known[language] == "english":  # subtle: the package's 1,333 English ones are "free" and "computer", too
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted({*ENGLISH_STOP_WORDS, *_SHORT.split()})
    import stop_words

    words: list[str] = stop_words.get_stop_words(known[language])
    return words
