"""Stems by PyStemmer: the algorithms of Snowball, each told by its name and the version of the package."""

from collections.abc import Callable
from typing import Any

from priori.errors import DataError

CODES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def algorithm_of(language: str) -> str:
    """The algorithm of a language, by its name or its code.

    >>> algorithm_of("en")
    'english'
    """
    known = _stemmer("stems of words").algorithms()
    name = CODES.get(language, language)
    if name not in known:
        raise DataError(f"there are no stems of {language!r}; choose one of {', '.join(sorted(known))}")
    return name


def installed_version() -> str:
    """The version of PyStemmer that is here."""
    version: str = _stemmer("stems of words").version()
    return version


class Stemmer:
    """The stems of words, by an algorithm of some version.

    A word of the model has the stem that is stored there. For others PyStemmer must be here, in the version of the
    model or in one that agrees with it on all the words the model knows.
    """

    def __init__(self, algorithm: str, version: str) -> None:
        self.algorithm = algorithm
        self.version = version
        self.known: Callable[[], tuple[list[str], list[str]]] | None = None  # stems and words that a model has stored
        self._stem: Callable[[list[str]], list[str]] | None = None

    def __call__(self, words: list[str]) -> list[str]:
        """The stem of each word."""
        if self._stem is None:
            self._stem = self._checked()
        return self._stem(words)

    def _checked(self) -> Callable[[list[str]], list[str]]:
        package = _stemmer(f"the {self.algorithm} stems of words that the model has never seen")
        if self.algorithm not in package.algorithms():
            raise DataError(f"PyStemmer {package.version()} has no stems of {self.algorithm!r}; upgrade PyStemmer")
        stemmer = package.Stemmer(self.algorithm, 0)  # no cache of its own: each word is asked for once
        stem: Callable[[list[str]], list[str]] = stemmer.stemWords
        if package.version() != self.version:
            self._refuse_others(stem, package.version())
        return stem

    def _refuse_others(self, stem: Callable[[list[str]], list[str]], version: str) -> None:
        remedy = f"install that of the model: pip install PyStemmer=={self.version}"
        if self.known is None:
            raise DataError(f"stems are asked for of PyStemmer {self.version}, and {version} is here; {remedy}")
        stems, words = self.known()
        if not words:
            raise DataError(f"stems are asked for of PyStemmer {self.version}, and {version} is here; {remedy}")
        for word, mine, theirs in zip(words, stems, stem(words), strict=True):
            if mine != (theirs or word):
                raise DataError(
                    f"PyStemmer {version} makes {theirs!r} of {word!r}, the model's {self.version} {mine!r}; {remedy}"
                )


def _stemmer(what: str) -> Any:
    try:
        import Stemmer as package  # noqa: N813 - its own name
    except ImportError as error:
        raise DataError(f"{what} need PyStemmer, which is not installed; pip install 'priori[words]'") from error
    return package
