"""The words of a column of texts, counted once: what EM reads of it, however often it begins and at any weights."""

import numpy as np
from scipy.sparse import csr_array

from priori.columns.base import Cells, Rows
from priori.columns.words.column import TextColumn
from priori.columns.words.counter import Summary
from priori.columns.words.readings import Readings
from priori.data.batch import Batch
from priori.model.classifier import Model


def words_of(family: TextColumn, cells: Cells) -> csr_array:
    """How often each text has each word, (n, V); a missing one has none."""
    counts = family.count(cells, Rows(("",), np.zeros(len(cells), np.int32))).counts
    texts = Batch(cells.fill_null(""), None, None, {}, {}, 0, None)
    encoded = Model(family.analyzer, Summary(counts, None), Readings()).encode(texts)
    numbers = encoded["count"].astype(np.float64)
    return csr_array((numbers, encoded["term"], encoded["offsets"]), (len(cells), counts.terms))
