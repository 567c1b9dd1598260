"""Counting once more, with dictionaries: what the compiled counter is held against."""

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from priori import _core


@dataclass(frozen=True)
class Document:
    """A label, texts with the prefix of each (the first has none), and a weight."""

    label: str
    text: str
    fields: tuple[tuple[str, str | None], ...] = ()
    weight: int = 1

    def segments(self) -> list[tuple[str, str]]:
        return [("", self.text), *((prefix, text) for prefix, text in self.fields if text is not None)]


@dataclass
class Counts:
    """Everything a counter counts, in dictionaries; the sample apart."""

    pairs: dict[tuple[bytes, str], tuple[int, int]] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    lengths: dict[tuple[str, int], int] = field(default_factory=dict)


def brute_force(
    analyzer: Any, documents: Iterable[Document], *, binary: bool = False, vocabulary: Sequence[str] | None = None
) -> Counts:
    """The definition of the counts."""
    occurrences: Tally[tuple[bytes, str]] = Tally()
    containing: Tally[tuple[bytes, str]] = Tally()
    by_class: Tally[str] = Tally()
    lengths: Tally[tuple[str, int]] = Tally()
    for document in documents:
        if document.weight == 0:
            continue
        terms = row_of(analyzer, document, binary=binary, vocabulary=vocabulary)
        for term, count in terms.items():
            occurrences[term, document.label] += document.weight * count
            containing[term, document.label] += document.weight
        by_class[document.label] += document.weight
        lengths[document.label, sum(terms.values())] += document.weight
    pairs = {pair: (count, containing[pair]) for pair, count in occurrences.items()}
    return Counts(pairs, dict(by_class), dict(lengths))


def row_of(analyzer: Any, document: Document, *, binary: bool, vocabulary: Sequence[str] | None) -> dict[bytes, int]:
    """The terms of one document with their counts."""
    found = [term for prefix, text in document.segments() for term in analyzer.features(text, prefix)]
    allowed = found if vocabulary is None else [term for term in found if term in set(vocabulary)]
    return {term.encode(): 1 if binary else count for term, count in Tally(allowed).items()}


def count(analyzer: Any, documents: Sequence[Document], vocabulary: Sequence[str] | None = None) -> dict[str, Any]:
    """The same by the compiled counter, documents of one set of prefixes in one call."""
    counter = _core.Counter.of(analyzer, None if vocabulary is None else list(vocabulary), True)
    add(counter, documents)
    result: dict[str, Any] = counter.finish()
    return result


def add(counter: Any, documents: Sequence[Document]) -> None:
    if not documents:
        return
    prefixes = [prefix for prefix, _ in documents[0].fields]
    columns = [(p, [document.fields[i][1] for document in documents]) for i, p in enumerate(prefixes)]
    weights = np.array([document.weight for document in documents], np.int64)
    counter.add([d.text for d in documents], [d.label for d in documents], weights, columns)


def terms_of(finished: dict[str, Any]) -> list[bytes]:
    data, offsets = finished["term_bytes"].tobytes(), finished["term_offsets"].tolist()
    return [data[begin:end] for begin, end in pairwise(offsets)]


def in_plain_words(finished: dict[str, Any]) -> Counts:
    """What finish() returned, as dictionaries. Refuses what is not in canonical order."""
    terms, labels = terms_of(finished), finished["labels"]
    assert all(a < b for a, b in pairwise(terms)), "terms are not strictly sorted"
    assert all(a.encode() < b.encode() for a, b in pairwise(labels)), "labels are not sorted"
    counts = Counts(documents=dict(zip(labels, finished["class_documents"].tolist(), strict=True)))
    offsets, classes = finished["pair_offsets"].tolist(), finished["pair_class"].tolist()
    values = list(zip(finished["pair_occurrences"].tolist(), finished["pair_documents"].tolist(), strict=True))
    for term, begin, end in zip(terms, offsets[:-1], offsets[1:], strict=True):
        assert begin < end, "a term without classes"
        assert sorted(set(classes[begin:end])) == classes[begin:end], "classes are not strictly sorted"
        for i in range(begin, end):
            counts.pairs[term, labels[classes[i]]] = values[i]
    lengths = zip(finished["length_class"].tolist(), finished["length"].tolist(), strict=True)
    for (cls, length), documents in zip(lengths, finished["length_documents"].tolist(), strict=True):
        assert (labels[cls], length) not in counts.lengths
        counts.lengths[labels[cls], length] = documents
    return counts


def combined(left: dict[str, Any], right: dict[str, Any], sign: int = 1) -> dict[str, Any]:
    """left + sign * right, as the statistics add: terms by the core, classes and lengths here."""
    labels = sorted({*left["labels"], *right["labels"]}, key=str.encode)
    place = {label: i for i, label in enumerate(labels)}
    maps = [np.array([place[label] for label in side["labels"]], np.int32) for side in (left, right)]
    arrays, left_terms, right_terms = _core.combine(left, right, *maps, 1, sign)
    documents: Tally[int] = Tally()
    lengths: Tally[tuple[int, int]] = Tally()
    for side, classes, factor in ((left, maps[0], 1), (right, maps[1], sign)):
        for cls, number in enumerate(side["class_documents"].tolist()):
            documents[int(classes[cls])] += factor * number
        keys = zip(classes[side["length_class"]].tolist(), side["length"].tolist(), strict=True)
        for key, number in zip(keys, side["length_documents"].tolist(), strict=True):
            lengths[key] += factor * number
    keys_left = sorted(key for key, number in lengths.items() if number)
    sample = None if sign < 0 else merged_sample(left, right, maps, (left_terms, right_terms))
    return arrays | {
        "labels": labels,
        "class_documents": np.array([documents[i] for i in range(len(labels))], np.int64),
        "length_class": np.array([cls for cls, _ in keys_left], np.int32),
        "length": np.array([length for _, length in keys_left], np.int64),
        "length_documents": np.array([lengths[key] for key in keys_left], np.int64),
        "sample": sample,
    }


def merged_sample(left: dict[str, Any], right: dict[str, Any], classes: Any, terms: Any) -> dict[str, Any]:
    a, b = left["sample"], right["sample"]
    result: dict[str, Any] = _core.canonical_sample(
        max(a["bits"], b["bits"]),
        np.concatenate([a["hash"], b["hash"]]),
        np.concatenate([classes[0][a["class"]], classes[1][b["class"]]]),
        np.concatenate([a["copies"], b["copies"]]),
        np.concatenate([a["offsets"], b["offsets"][1:] + a["offsets"][-1]]),
        np.concatenate([terms[0][a["term"]], terms[1][b["term"]]]),
        np.concatenate([a["count"], b["count"]]),
    )
    return result


def assert_same(a: dict[str, Any], b: dict[str, Any]) -> None:
    """Equal to the last bit, in the same order."""
    assert a.keys() == b.keys()
    for name, value in a.items():
        if isinstance(value, dict):
            assert_same(value, b[name])
        elif isinstance(value, np.ndarray):
            assert value.dtype == b[name].dtype, name
            assert np.array_equal(value, b[name]), name
        else:
            assert value == b[name], name
