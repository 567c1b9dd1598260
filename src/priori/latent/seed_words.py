"""Seed words: a few words for each class, said by someone who knows what the classes are about.

They are imagined counts of those words (an asymmetric Dirichlet prior), and where EM begins: documents vote by the seed
words they have. A word may be a seed of several classes.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats, Int64s
from priori.text import Analyzer

STRENGTH = 10.0  # imagined occurrences of a seed word
LARGEST = 1e9


@dataclass(frozen=True)
class Seeds:
    """{class: {word: imagined occurrences}}."""

    words: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, given: "SeedWords") -> "Seeds":
        """{class: [word, ...]}, {class: {word: strength}}, or a TOML or JSON file of that.

        >>> Seeds.of({"space": ["nasa", "orbit"], "hockey": {"nhl": 20}}).words["space"]
        {'nasa': 10.0, 'orbit': 10.0}
        """
        if isinstance(given, Seeds):
            return given
        if isinstance(given, str | os.PathLike):
            return cls._of_file(Path(given))
        if not isinstance(given, Mapping) or not given:
            raise DataError('seed words are {class: [words]}; give for instance {"space": ["nasa", "orbit"]}')
        return cls({_text(label, "class"): _strengths(label, words) for label, words in given.items()})

    @classmethod
    def _of_file(cls, path: Path) -> "Seeds":
        import tomllib

        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise DataError(f"there is no seed file {path}; check the path") from error
        except OSError as error:
            raise DataError(f"the seed file {path} cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise DataError(f"the seed file {path} is no text in UTF-8 ({error}); store it as such") from error
        is_json = path.suffix.lower() == ".json"
        kind, how = ("JSON", '{"space": ["nasa", "orbit"]}') if is_json else ("TOML", 'lines like space = ["nasa"]')
        try:
            values = json.loads(text, object_pairs_hook=_each_once) if is_json else tomllib.loads(text)
        except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
            raise DataError(f"the seed file {path} is no {kind}: {error}; write {how}") from error
        if values == {}:
            raise DataError(f"the seed file {path} names no class; write {how}")
        return cls.of(values)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that have seeds."""
        return tuple(self.words)

    def analyzed(self, analyzer: Analyzer) -> Self:
        """As the analyzer sees them: in lower case, with folded accents, n-grams of the orders it counts."""
        return type(self)({label: _as_features(analyzer, label, words) for label, words in self.words.items()})

    def unseen(self, corpus: Corpus) -> list[str]:
        """Seed words that no document has."""
        words = sorted({word for table in self.words.values() for word in table})
        return [word for word, place in zip(words, _places(corpus, words), strict=True) if place < 0]

    def entries(self, corpus: Corpus, classes: tuple[str, ...]) -> list[tuple[int, int, float]]:
        """(class, term, strength) of the words that some document has."""
        found = []
        for label, table in self.words.items():
            for strength, place in zip(table.values(), _places(corpus, table), strict=True):
                if place >= 0:
                    found.append((classes.index(label), int(place), strength))
        return found

    def prior(self, corpus: Corpus, classes: tuple[str, ...], alpha: float, components: int = 1) -> WordPrior:
        """alpha of every word, and more of the seeds of a class in each of its components."""
        entries = [
            (cls * components + k, term, strength)
            for cls, term, strength in self.entries(corpus, classes)
            for k in range(components)
        ]
        component, term, more = zip(*entries, strict=True) if entries else ((), (), ())
        return WordPrior(alpha, np.array(component, np.int32), np.array(term, np.int32), np.array(more, np.float64))

    def votes(self, corpus: Corpus, classes: tuple[str, ...]) -> Floats:
        """(n, K): how many different seed words of each class a document has; a row of 0 where it has none."""
        from scipy.sparse import csr_array

        cls, term, _ = np.array(self.entries(corpus, classes), np.float64).reshape(-1, 3).T
        member = csr_array((np.ones(len(term)), (term.astype(np.int32), cls.astype(np.int32))),
                           shape=(corpus.terms, len(classes)))  # fmt: skip
        there = csr_array((np.ones(len(corpus.term)), corpus.term, corpus.offsets), shape=(len(corpus), corpus.terms))
        return np.asarray((there @ member).toarray())

    def refuse_unheard(self, corpus: Corpus) -> None:
        """A class none of whose seeds is in any document is not told by them."""
        for label, table in self.words.items():
            if (_places(corpus, table) < 0).all():
                raise DataError(
                    f"no document has a seed word of {label!r} ({', '.join(sorted(table)[:5])}); give words that occur"
                )


SeedWords: TypeAlias = Seeds | Mapping[str, Any] | str | os.PathLike[str]  # what Seeds.of takes


def _places(corpus: Corpus, words: Iterable[str]) -> Int64s:
    """The place of each word among the terms, -1 where no document has it."""
    places = corpus.find(list(words))
    return np.where(corpus.document_frequency[places] > 0, places, -1)  # subtle: -1 is the last place, and stays -1


def _as_features(analyzer: Analyzer, label: str, words: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for word, strength in words.items():
        if analyzer.tokens != "text" or analyzer.features != "words":  # features that only the user knows how to write
            found[word] = found.get(word, 0.0) + strength
            continue
        features = analyzer.features_of(word)
        whole = [feature for feature in features if feature.count(" ") == len(word.split()) - 1]
        if not whole:
            raise DataError(
                f"the seed {word!r} of {label!r} is nothing that is counted: the analyzer sees {features or 'nothing'} "
                "in it; give single words, or count n-grams of its length"
            )
        for feature in whole:
            found[feature] = found.get(feature, 0.0) + strength
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; of a name that comes twice JSON would keep the last without a word."""
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at]))
        raise DataError(f"the seed file has {twice!r} twice; write it once, with all that belongs to it")
    return table


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"the seeds name the {what} {value!r}, which is no text; write it in quotes")
    if not value:
        raise DataError(f"the seeds name a {what} of no letters, {value!r}; give it some, or leave it out")
    return value


def _strengths(label: object, words: object) -> dict[str, float]:
    if isinstance(words, str):
        words = [words]
    if isinstance(words, Mapping):
        strengths = {_text(word, "word"): _strength(word, strength) for word, strength in words.items()}
    elif isinstance(words, Iterable):
        strengths = {_text(word, "word"): STRENGTH for word in words}
    else:
        raise DataError(f"the seeds of {label!r} are {words!r}; give a list of words")
    if not strengths:
        raise DataError(f"the class {label!r} has no seed words; give some, or leave the class out")
    return strengths


def _strength(word: object, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LARGEST:
        raise DataError(
            f"the seed {word!r} has the strength {value!r}; give imagined occurrences, above 0 and below {LARGEST:g}"
        )
    return float(value)
