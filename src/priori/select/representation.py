"""One representation of the texts, counted once: what every candidate that shares it is read from."""

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.corpus.summary import Summary
from priori.engines import count
from priori.fitted.fit import most_looked_at
from priori.left_out import Documents
from priori.readings import Readings
from priori.select.rows import Rows
from priori.text import Analyzer


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
