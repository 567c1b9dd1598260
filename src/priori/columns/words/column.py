"""Columns of text: words counted by class, read as multinomial naive Bayes reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_array

from priori.columns.base import Bools, Cells, ColumnFamily, ColumnReading, Floats, Int32s, Rows, never_learned
from priori.columns.readings import Estimate, TableReadings
from priori.columns.words.counter import Summary
from priori.columns.words.readings import Prior, Readings
from priori.data.batch import Batch
from priori.errors import DataError, EstimateError, ModelFileError
from priori.families.numerics.special import log_rising
from priori.model.classifier import Model
from priori.statistics import Counts
from priori.statistics.by_class import UNIT_BITS, ByClass, Ints, below_zero, placed_counts
from priori.statistics.term_counts import refuse_overflow
from priori.text import Analyzer

_ESTIMATES: dict[str, Estimate] = {"ml": "ml", "unbiased": "ml", "map": "map", "mean": "bayes", "bayes": "bayes"}


@dataclass(frozen=True, eq=False)
class TextCounts(ByClass):
    """Counts of terms by class, and how many rows have no text."""

    labels: tuple[str, ...]
    counts: Counts  # with those labels that have texts
    missing: Ints

    @property
    def weight(self) -> Ints:  # type: ignore[override]
        """(K,): the weight of the texts."""
        places = [self.labels.index(label) for label in self.counts.labels]
        documents = self.counts.class_documents << (UNIT_BITS - self.counts.unit_bits)
        return placed_counts(documents, places, len(self.labels))

    def placed(self, places: Sequence[int], labels: tuple[str, ...]) -> Self:
        """The same among other labels."""
        return type(self)(labels, self.counts, placed_counts(self.missing, places, len(labels)))

    def kept(self, places: npt.NDArray[np.intp], labels: tuple[str, ...]) -> Self:
        """Only these labels; the others have no texts."""
        return type(self)(labels, self.counts, self.missing[places])

    def __add__(self, other: Self) -> Self:
        self.refuse_other(other)
        return type(self)(self.labels, self.counts + other.counts, self.missing + other.missing)

    def __neg__(self) -> Self:
        return type(self)(self.labels, -self.counts, -self.missing)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextCounts):
            return NotImplemented
        return self.counts == other.counts and np.array_equal(self.missing, other.missing)

    __hash__ = None  # type: ignore[assignment]

    def held(self) -> npt.NDArray[np.bool_]:
        """(K,): whether anything is left of a class."""
        counted = {self.counts.labels[k] for k in np.unique(self.counts.pair_class).tolist()}
        held: npt.NDArray[np.bool_] = super().held() | np.array([label in counted for label in self.labels], bool)
        return held

    def refuse_negative(self, column: str) -> None:
        """Refuse counts below zero."""
        self.counts.refuse_negative()
        if (self.missing < 0).any():
            raise below_zero(column, "less than no missing texts")

    def of_all_labels(self) -> Counts:
        """The counts with every label, also those that have no text."""
        counts = self.counts
        place = np.array([self.labels.index(label) for label in counts.labels], np.int32)
        documents = np.zeros(len(self.labels), np.int64)
        documents[place] = counts.class_documents
        return replace(
            counts,
            labels=self.labels,
            class_documents=documents,
            pair_class=place[counts.pair_class],
            length_class=place[counts.length_class],
        )


@dataclass(frozen=True)
class TextColumn(ColumnFamily):
    """Words (or n-grams, as the analyzer has them), one multinomial for each class."""

    name: ClassVar[str] = "text"
    cells_are: ClassVar[str] = "texts"

    analyzer: Analyzer = field(default_factory=Analyzer)

    def __post_init__(self) -> None:
        if self.analyzer.stop_words is not None or self.analyzer.stem is not None:
            raise DataError(
                "a text column of a table has no stop words and no stems; leave them out, or learn from its text alone"
            )

    def statistics_kind(self) -> str:
        """Counts of the analyzer's terms."""
        return f"text {sorted(self.analyzer.to_json().items())}"

    def zero(self, labels: tuple[str, ...], dimensions: int) -> TextCounts:
        """The statistics of no rows."""
        return TextCounts(labels, Counts.empty(), np.zeros(len(labels), np.int64))

    def count(self, cells: pa.Array, rows: Rows) -> TextCounts:
        """Terms by class."""
        there = ~self.missing(cells) & (rows.group >= 0)
        codes = pa.array(rows.group, pa.int32(), mask=~there)
        labels = pa.array(rows.labels, pa.large_string()).take(codes)
        counter = self.analyzer.counter(False)
        if rows.weight is not None:
            refuse_overflow(float(rows.weight.sum(dtype=np.float64)))
        counter.add(cells.fill_null(""), labels, rows.weight, self.analyzer.columns({}))
        arrays = counter.finish()
        # subtle: the weights did not overflow, so the histogram of lengths is right, and it bounds every other sum
        refuse_overflow(float(((arrays["length"] + 1.0) * arrays["length_documents"]).sum()))
        counts = Counts.from_core(arrays, 0 if rows.weight is None else UNIT_BITS)
        gone = (rows.group >= 0) & ~there
        unit = np.full(len(gone), 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
        missing = np.zeros(rows.classes, np.int64)
        np.add.at(missing, rows.group[gone], unit[gone])
        return TextCounts(rows.labels, counts, missing)

    def read(self, stats: ByClass, readings: TableReadings) -> "TextReading":
        """Probabilities of the terms in each class."""
        if not isinstance(stats, TextCounts):
            raise DataError(f"{type(stats).__name__} are no counts of terms; count the column as text")
        return TextReading(self, stats, readings)

    def missing(self, cells: pa.Array) -> Bools:
        """Which texts are null."""
        gone: Bools = np.asarray(cells.is_null().to_numpy(zero_copy_only=False), dtype=bool)
        return gone

    def settings(self) -> dict[str, Any]:
        """Those of the analyzer."""
        return {"analyzer": self.analyzer.to_json()}

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `settings`."""
        analyzer = Analyzer.from_json(values["analyzer"], None)
        if analyzer.stem is not None:
            raise ModelFileError("a text column of the file has stems, unknown to this version; upgrade priori")
        return cls(analyzer)


@dataclass(frozen=True, eq=False)
class TextReading(ColumnReading):
    """p(text | class), as of `priori.TextClassifier`."""

    family: TextColumn
    stats: TextCounts
    readings: TableReadings

    @cached_property
    def model(self) -> Model:
        """The text model with every class equally probable."""
        reading = Readings(
            estimate=_ESTIMATES[self.readings.estimate],
            prior=Prior(self.readings.alpha),
            class_prior="uniform",
            unknown=self.readings.unknown,
        )
        return Model(self.family.analyzer, Summary(self.stats.of_all_labels(), None), reading)

    def log_prob(self, cells: Cells) -> Floats:
        """Of the sequences of words; words never seen say nothing (or what `unknown` has them say)."""
        classes = self.stats.classes
        if not self.stats.counts.terms:
            return np.zeros((len(cells), classes))
        document = Batch(cells.fill_null(""), None, None, {}, {}, 0, None)
        scores: Floats = self.model.log_joint(document) + np.log(classes)
        scores[self.family.missing(cells)] = 0.0
        return scores

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """As many words as a text of the class has, each drawn by itself."""
        counts = self.stats.of_all_labels()
        terms = np.array(counts.term_texts(), dtype=object)
        drawn = np.full(len(group), "", dtype=object)
        for k in np.unique(group):
            pairs = counts.pair_class == k
            share = np.full(len(terms), self.readings.alpha)
            share[counts.pair_term[pairs]] += counts.pair_occurrences[pairs] * counts.unit
            lengths = counts.length_class == k
            if not lengths.any() or not share.any():
                continue
            chance = counts.length_documents[lengths] / counts.length_documents[lengths].sum()
            for at in np.flatnonzero(group == k):
                size = int(rng.choice(counts.length[lengths], p=chance))
                drawn[at] = " ".join(rng.choice(terms, size, p=share / share.sum()))
        return drawn

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """Once for each text, class and weight: the counts without it are read anew."""
        scores = np.zeros((len(cells), self.stats.classes))
        alike: dict[tuple[str, int, int], list[int]] = {}
        weight = np.full(len(cells), 1 << UNIT_BITS) if rows.weight is None else rows.weight
        for at, (text, k, w) in enumerate(zip(cells.to_pylist(), rows.group.tolist(), weight.tolist(), strict=True)):
            if text is not None and k >= 0:
                alike.setdefault((text, k, w), []).append(at)
        for (text, k, w), places in alike.items():
            one = pa.array([text], pa.large_string())
            single = Rows(rows.labels, np.array([k], np.int32), np.array([w], np.int64))
            left = self.stats - self.family.count(one, single)
            if (left.counts.pair_occurrences < 0).any() or (left.counts.class_documents < 0).any():
                raise never_learned(places[0])
            scores[places] = type(self)(self.family, left, self.readings).log_prob(one)[0]
        return scores

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """Each text taken out of the counts of its class; the vocabulary stays, but for what no other text has."""
        counts = self.stats.of_all_labels()
        there = ~self.family.missing(cells) & (rows.group >= 0)
        scores = self.log_prob(cells)
        alpha, terms = self.readings.alpha, counts.terms
        if _ESTIMATES[self.readings.estimate] != "bayes" or alpha == 0 or not terms:
            return scores
        unit = counts.unit
        table = csr_array(
            (counts.pair_occurrences * unit, counts.pair_class, counts.pair_offsets), (terms, len(rows.labels))
        )
        total, by_term = counts.class_occurrences * unit, counts.term_totals() * unit
        encoded = self.model.encode(Batch(cells.fill_null(""), None, None, {}, {}, 0, None))
        bounds = encoded["offsets"].tolist()
        weight = rows.in_rows()
        slots = self._slots
        for at in np.flatnonzero(there):
            own, w = int(rows.group[at]), weight[at]
            term = encoded["term"][bounds[at] : bounds[at + 1]]
            times = encoded["count"][bounds[at] : bounds[at + 1]].astype(np.float64)
            last = by_term[term] <= w * times  # no other text has these
            kept, n = term[~last], times[~last]
            seen = table[kept].toarray()
            below = total.copy()
            seen[:, own] -= w * n
            below[own] -= w * times.sum()
            scores[at] = n @ (np.log(seen + alpha) - np.log(below + alpha * slots))
        return scores

    @property
    def _slots(self) -> int:
        """How many words there may be: V, and under unknown="prior" one for all others."""
        return self.stats.counts.terms + (self.readings.unknown == "prior")

    @property
    def free_parameters(self) -> int:
        """K (V - 1)."""
        return self.stats.classes * max(self.stats.counts.terms - 1, 0)

    def log_evidence(self) -> float:
        """Polya's urn, on sequences of words, class by class."""
        counts, alpha = self.stats.counts, self.readings.alpha
        if alpha <= 0:
            raise EstimateError("alpha=0 is no proper prior, so there is no evidence; use alpha > 0")
        if not counts.terms:
            return 0.0
        apart = log_rising(alpha, np.asarray(counts.pair_occurrences * counts.unit)).sum()
        total = np.asarray(counts.class_occurrences * counts.unit)
        return float(apart - log_rising(alpha * self._slots, total).sum())

    def log_likelihood(self) -> float:
        """Σ N_cj log θ_cj."""
        counts = self.stats.counts
        pseudo = self.readings.pseudo_count
        seen, total = counts.pair_occurrences * counts.unit, counts.class_occurrences * counts.unit
        below = total[counts.pair_class] + pseudo * self._slots
        return float((seen * np.log((seen + pseudo) / below)).sum())

    def __str__(self) -> str:
        return "a text column"
