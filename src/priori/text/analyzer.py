"""What the compiled analyzer is asked to do: a small value that is stored in every model."""

import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, get_args

from priori import _core
from priori.errors import DataError, ModelFileError
from priori.text.stems import Stemmer, algorithm_of, installed_version

Features = Literal["words", "chars", "chars_across"]
Tokenizer = Callable[[str], Iterable[str]]  # the user's function, in place of how text is cut into words
LANGUAGE_ORDER: dict[Features, int] = {"words": 3, "chars": 5, "chars_across": 5}  # n-grams of language models


class Grams(NamedTuple):
    """What the terms of a language model are: words (or else characters), and at most so many together."""

    words: bool = True
    order: int = 1

    @property
    def joiner(self) -> str:
        """What stands between two tokens of an n-gram."""
        return " " if self.words else ""

    @property
    def marks(self) -> tuple[str, ...]:
        """The terms that stand for the beginning and the end of a document, where there are any."""
        return () if self.order == 1 else ("<s>", "</s>") if self.words else ("\x02", "\x03")


def parse_ngrams(text: str) -> tuple[int, int]:
    """`"1-2"` is (1, 2) and `"2"` is (2, 2).

    >>> parse_ngrams("1-2")
    (1, 2)
    """
    match = re.fullmatch(r"\s*(\d+)\s*(?:[-:,]\s*(\d+)\s*)?", text)
    if not match:
        raise DataError(f"n-grams {text!r} are not a range; write it like 1-2, or 2 for bigrams only")
    low = int(match[1])
    return low, int(match[2] or low)


def ngrams_of(value: Any) -> tuple[int, int]:
    """A pair of whole numbers."""
    try:
        low, high = value
        return operator.index(low), operator.index(high)
    except (TypeError, ValueError) as error:
        raise DataError(f"ngrams={value!r} is no range; give the shortest and the longest, like (1, 2)") from error


@dataclass(frozen=True)
class Analyzer:
    """Bytes to features: which, and how.

    >>> Analyzer(ngrams=(1, 2)).features_of("Free entry!")
    ['free', 'entry', 'free entry']
    """

    features: Features = "words"  # or character n-grams inside words ("chars"), or across them ("chars_across")
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    fold_accents: bool = False
    min_length: int = 1  # shorter words are left out; scripts without spaces are exempt
    binary: bool = False  # count a feature once per document
    compat: Literal["sklearn"] | None = None  # exactly CountVectorizer's tokens under the running Python
    fields: tuple[str, ...] = ()  # further text per document, its features prefixed "name:"
    tokens: Literal["text", "callable"] = "text"  # who finds the words in a text: we, or the user's function
    boundaries: bool = False  # documents begin and end with a mark, which n-grams include
    vocabulary: tuple[str, ...] | None = None  # the only terms that count, sorted; None: all
    stop_words: tuple[str, ...] | None = None  # words, and runs of words, that do not count; see `with_stop_words`
    stem: str | None = None  # the language by whose rules words are counted as their stems
    stem_version: str | None = None  # of PyStemmer; None: that which is installed

    def __post_init__(self) -> None:
        if self.features not in get_args(Features):
            raise DataError(f"features={self.features!r} is unknown; choose words, chars or chars_across")
        low, high = self.ngrams
        if not 1 <= low <= high <= 16:
            raise DataError(f"ngrams={self.ngrams!r} is no range within 1 to 16; give it like (1, 2)")
        if not 1 <= self.min_length < 2**31:
            raise DataError(f"min_length={self.min_length} is no length of a word; give 1 or more")
        if self.tokens not in ("text", "callable"):
            raise DataError(f"tokens={self.tokens!r} is unknown; choose text or callable")
        if self.compat not in (None, "sklearn"):
            raise DataError(f"compat={self.compat!r} is unknown; the only one is 'sklearn'")
        if self.compat and self.fold_accents:
            raise DataError("compat='sklearn' has no accent folding of ours; leave out fold_accents")
        if self.boundaries and self.features == "chars":
            raise DataError("n-grams inside words know no beginning of a document; give features='chars_across'")
        if self.boundaries and self.fields:
            raise DataError("documents with further fields have no one beginning and end; join the columns first")
        if self.vocabulary is not None:
            if not self.vocabulary:
                raise DataError("the vocabulary is empty, so nothing could be counted; give at least one term")
            object.__setattr__(self, "vocabulary", tuple(sorted(set(self.vocabulary), key=str.encode)))
        self._settle_words()

    def _settle_words(self) -> None:
        """Stop words in order, and the stems' algorithm and version by their names."""
        if self.features != "words" and (self.stop_words is not None or self.stem is not None):
            raise DataError(f"stop words and stems are of words, not of features={self.features!r}; leave them out")
        if self.stop_words is not None:
            if not all(self.stop_words):
                raise DataError("there are no stop words, or one is empty; give words, or leave stop_words out")
            object.__setattr__(self, "stop_words", tuple(sorted(set(self.stop_words), key=str.encode)))
        if self.stem is not None and self.stem_version is None:
            object.__setattr__(self, "stem", algorithm_of(self.stem))
            object.__setattr__(self, "stem_version", installed_version())

    def with_stop_words(self, given: Any) -> Self:
        """Without the stop words of a language, a file or a list, as this analyzer sees them."""
        from priori.text.stop_words import entries_of

        return replace(self, stop_words=entries_of(given, self))

    def bare(self) -> Self:
        """The same analyzer of all single words, as they are written and however short."""
        return replace(
            self, ngrams=(1, 1), min_length=1, vocabulary=None, stop_words=None, stem=None, stem_version=None
        )

    @cached_property
    def native(self) -> _core.Analyzer:
        """The compiled analyzer."""
        characters = None
        min_length = self.min_length
        if self.compat:
            from priori.text.characters import running_python

            characters = _core.Characters(*running_python())
            min_length = max(2, min_length)
        return _core.Analyzer.of(
            self.features,
            self.ngrams,
            self.lowercase,
            self.fold_accents,
            min_length,
            self.binary,
            characters,
            None if self.stop_words is None else list(self.stop_words),
            self.stemmer,
            self.boundaries,
        )

    @cached_property
    def stemmer(self) -> Stemmer | None:
        """What the compiled analyzer asks for the stems of words that are new to it."""
        return None if self.stem is None else Stemmer(self.stem, self.stem_version or "")

    def counter(self, keep_sample: bool) -> _core.Counter:
        """An empty counter of documents."""
        return _core.Counter.of(self.native, None if self.vocabulary is None else list(self.vocabulary), keep_sample)

    def features_of(self, text: str | bytes) -> list[str]:
        """The features of a text, in order."""
        return self.native.features(text)

    def written(self, text: str | bytes | list[str], prefix: str = "") -> list[tuple[str, str]]:
        """Each feature of a text, or of words already told apart, with the words that it was written as.

        >>> Analyzer(stem="english", ngrams=(2, 2)).written("Computers computing")
        [('comput comput', 'computers computing')]
        """
        native = self.native
        if isinstance(text, list):
            return list(zip(native.features_of_words(text), native.features_of_words(text, True), strict=True))
        return list(zip(native.features(text, prefix), native.features(text, prefix, True), strict=True))

    def refuse_counts(self) -> None:
        """Counts serve single features only."""
        if self.stop_words is not None or self.stem is not None:
            raise DataError("counts are taken as they came, so they have no stop words and no stems; leave these out")
        if self.ngrams != (1, 1):
            raise DataError("counts have lost the order of the words, so they have no n-grams; give ngrams=(1, 1)")

    def of_language(self, order: int | None) -> Self:
        """The same for language models: n-grams of every length up to `order`, across words, between marks."""
        order = LANGUAGE_ORDER[self.features] if order is None else order
        features: Features = "chars_across" if self.features == "chars" else self.features
        return replace(self, features=features, ngrams=(1, order), boundaries=order > 1)

    @property
    def grams(self) -> Grams:
        """How language models are to take terms apart."""
        return Grams(self.features == "words", self.ngrams[1])

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands for the beginning and the end of documents, where anything does; as terms."""
        return self.grams.marks if self.boundaries else ()

    def refuse_chainless(self) -> None:
        """Language models read n-grams of every order, in order."""
        if self.features == "chars":
            raise DataError("n-grams inside words are no language model; count with features='chars_across'")
        if self.ngrams[0] != 1:
            raise DataError(f"a language model is made of all shorter n-grams too; give ngrams=(1, {self.ngrams[1]})")
        if self.ngrams[1] > 1 and not self.boundaries:
            raise DataError(
                "these n-grams know no beginning and end of documents, so they are no language model; train with "
                "event='language'"
            )
        if self.binary or self.vocabulary is not None:
            raise DataError("a language model counts every token each time; leave out binary and the vocabulary")

    def columns(self, fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """The further texts that this analyzer knows of, with the prefix of their features."""
        return [(f"{name}:", fields[name]) for name in self.fields if name in fields]

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_json(self) -> dict[str, Any]:
        """All but the vocabulary and the stop words, tables of their own; with the Unicode version words follow."""
        values = asdict(replace(self, vocabulary=None, stop_words=None))
        del values["vocabulary"], values["stop_words"]
        if not self.boundaries:
            del values["boundaries"]  # so that versions that know nothing of them can read what has none
        stem, version = values.pop("stem"), values.pop("stem_version")
        if stem is not None:  # what is not asked for is not written: older versions read such files
            values["stem"] = {"algorithm": stem, "version": version}
        if self.stop_words is not None:
            values["stop_words"] = len(self.stop_words)
        values["ngrams"] = list(self.ngrams)
        values["fields"] = list(self.fields)
        values["unicode"] = unicodedata.unidata_version if self.compat else _core.UNICODE_VERSION
        return values

    @classmethod
    def from_json(
        cls,
        values: Mapping[str, Any],
        vocabulary: tuple[str, ...] | None,
        stop_words: tuple[str, ...] | None = None,
    ) -> Self:
        """The inverse of `to_json`."""
        expected = cls(boundaries=bool(values.get("boundaries", False))).to_json()
        stem, listed = values.get("stem"), values.get("stop_words")
        values = {name: value for name, value in values.items() if name not in ("stem", "stop_words")}
        if listed != (None if stop_words is None else len(stop_words)) or isinstance(listed, bool):
            raise ModelFileError("the file's stop words are not those of its analyzer; the file is damaged")
        if set(values) != set(expected):
            raise ModelFileError(
                f"the analyzer's settings are {sorted(values)}, not those of this version; upgrade priori"
            )
        for name, value in values.items():
            if name != "compat" and type(value) is not type(expected[name]):
                raise ModelFileError(f"the analyzer's {name} is {value!r}; the file is damaged, restore a copy")
        settings = {name: value for name, value in values.items() if name != "unicode"}
        if not all(isinstance(name, str) for name in values["fields"]) or [type(n) for n in values["ngrams"]] != [
            int,
            int,
        ]:
            raise ModelFileError("the analyzer's settings are of other types than ours; the file is damaged")
        settings["ngrams"] = tuple(values["ngrams"])
        settings["fields"] = tuple(values["fields"])
        if stem is not None:
            settings |= _stem_of(stem)
        try:
            return cls(**settings, vocabulary=vocabulary, stop_words=stop_words)
        except DataError as error:
            raise ModelFileError(f"the analyzer of the file cannot be built: {error}") from error


def _stem_of(value: Any) -> dict[str, str]:
    """The algorithm of a file and its version, which must not be installed to be known."""
    if not isinstance(value, dict) or set(value) != {"algorithm", "version"}:
        raise ModelFileError(f"the analyzer's stem is {value!r}; the file is damaged, restore a copy")
    algorithm, version = value["algorithm"], value["version"]
    if not all(isinstance(text, str) and re.fullmatch(r"[\w.]+", text) for text in (algorithm, version)):
        raise ModelFileError(f"the analyzer's stem is {value!r}; the file is damaged, restore a copy")
    return {"stem": algorithm, "stem_version": version}
