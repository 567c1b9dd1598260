"""The models to choose among: representations of the texts, and readings of their counts.

Each representation is counted once; every candidate that shares it is read from these counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from time import perf_counter

import numpy as np
import numpy.typing as npt

from priori.columns.readings import ClassPrior, Estimate
from priori.columns.words.counter import Summary
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Alpha, Calibrate, Event, Prior, Readings
from priori.data.labels import LabelType
from priori.errors import DataError
from priori.model.classifier import Model
from priori.model.fitting.words import most_looked_at
from priori.model.learning import count
from priori.select.documents import Rows
from priori.text.analyzer import Analyzer, Features, parse_ngrams

EVENTS: tuple[Event, ...] = ("multinomial", "bernoulli", "complement")
ESTIMATES: tuple[Estimate, ...] = ("bayes", "integrated")
ALPHAS: tuple[Alpha, ...] = ("auto", 1.0)
NGRAMS: dict[str, tuple[tuple[int, int], ...]] = {
    "words": ((1, 1), (1, 2)),
    "chars": ((2, 4), (3, 5)),
    "chars_across": ((2, 4), (3, 5)),
}


@dataclass(frozen=True)
class Grid:
    """Every combination of these, as far as it means something of its own."""

    events: Sequence[Event] = EVENTS
    ngrams: Sequence[tuple[int, int] | str] | None = None  # such as (1, 2) or "1-2"; None: those of NGRAMS
    features: Sequence[Features] = ("words",)
    binary: Sequence[bool] = (False,)
    estimates: Sequence[Estimate] = ESTIMATES
    alphas: Sequence[Alpha] = ALPHAS
    calibrate: Calibrate = True
    class_prior: ClassPrior = "ml"
    label_type: LabelType = "str"
    analyzer: Analyzer = field(default_factory=Analyzer)  # all else about the texts

    def __post_init__(self) -> None:
        for name in ("events", "ngrams", "features", "binary", "estimates", "alphas"):
            values = getattr(self, name)
            if isinstance(values, str) or (values is not None and not len(values)):
                raise DataError(f"{name}={values!r} names no candidates; give a list of at least one")
        if not any(next(self.readings(analyzer), None) for analyzer in self.analyzers()):
            raise DataError("no candidate exists: a mode needs alpha >= 1, other estimates alpha > 0; add some")

    def analyzers(self) -> list[Analyzer]:
        """One for each way of turning a text into features."""
        found = []
        for features in self.features:
            if features not in NGRAMS:
                raise DataError(f"features={features!r} is unknown; choose {', '.join(NGRAMS)}")
            for ngrams, binary in product(self.ngrams or NGRAMS[features], self.binary):
                low, high = parse_ngrams(ngrams) if isinstance(ngrams, str) else ngrams
                found.append(replace(self.analyzer, features=features, ngrams=(low, high), binary=bool(binary)))
        return list(dict.fromkeys(found))

    def readings(self, analyzer: Analyzer) -> Iterator[Readings]:
        """The ways of reading its counts, by event."""
        seen = set()
        for event, asked, alpha in product(self.events, self.estimates, self.alphas):
            # A word is there or not: integrated out, that is the posterior mean. The complement has no likelihood.
            estimate = "bayes" if asked == "integrated" and event != "multinomial" else asked
            prior = Prior(1.0 if estimate == "ml" else alpha)  # which ML does not read
            reading = Readings(
                event, estimate, prior, self.class_prior, label_type=self.label_type, calibrate=self.calibrate
            )
            again = event == "bernoulli" and analyzer.binary and False in self.binary  # a word is there or not
            if _exists(reading) and not again and (event, estimate, prior.alpha) not in seen:
                seen.add((event, estimate, prior.alpha))
                yield reading


def _exists(readings: Readings) -> bool:
    """Whether the estimate exists whatever was counted."""
    alpha = readings.prior.alpha
    if readings.estimate == "ml":  # the complement would take the logarithm of 0
        return readings.event != "complement"
    if alpha == "evidence":  # of which the complement has none; and it may lie where there is no mode
        return readings.event != "complement" and readings.estimate != "map"
    if alpha == "auto":
        return True
    if readings.estimate == "map":
        return alpha > 1 if readings.event == "complement" else alpha >= 1
    return alpha > 0


def name_of(analyzer: Analyzer) -> str:
    """What is counted, in short.

    >>> name_of(Analyzer(ngrams=(1, 2))), name_of(Analyzer(features="chars", ngrams=(3, 3), binary=True))
    ('words 1-2', 'chars 3 once')
    """
    low, high = analyzer.ngrams
    orders = f"{low}" if low == high else f"{low}-{high}"
    return f"{analyzer.features.replace('_', ' ')} {orders}{' once' * analyzer.binary}"


@dataclass(frozen=True, eq=False)
class Counted:
    """The statistics of all rows, and those of the rows that are left out, encoded."""

    model: Model  # under a reading that leaves nothing to the documents
    rows: Rows  # that are left out, the first of all
    documents: Documents
    scored: npt.NDArray[np.intp]  # those of the rows that are judged: their class is known without them
    seconds: float

    @classmethod
    def of(cls, rows: Rows, analyzer: Analyzer, most: int, jobs: int) -> "Counted":
        """One pass over all rows, each of whose labels must occur, and another over at most so many of them."""
        began = perf_counter()
        model = Model(analyzer, summary_of(rows, analyzer, jobs), Readings())
        chosen = rows.first(min(most, most_looked_at(len(rows.labels))))
        documents = Documents.of_encoded(model.encode(chosen.batch), chosen.cls, chosen.weight)
        documents = replace(documents, block=chosen.block)
        scored = np.flatnonzero(chosen.elsewhere(chosen.block, learned=rows))
        return cls(model, chosen, documents, scored, perf_counter() - began)


def summary_of(rows: Rows, analyzer: Analyzer, jobs: int) -> Summary:
    """The counts of some rows, and documents kept as any training keeps them."""
    return count(rows.batches(), analyzer, weighted=rows.batch.weight is not None, jobs=jobs)
