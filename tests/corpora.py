"""Corpora for the tests: the real data sets, and small random ones for the laws."""

import os
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.model.classifier import Model
from priori.text import Analyzer

DATA = os.environ.get("PRIORI_DATA")  # the folder with the real data sets, where they are at hand
SMS = Path(str(files("priori"))) / "data" / "samples" / "sms_spam.parquet"  # always there: it comes with the package

# Rows taken of each, in a fixed random order (the files are sorted by class); None takes all.
ROWS = {
    "sms_spam": None,
    "mr": None,
    "subj": None,
    "langid17": None,
    "movie_reviews": 400,
    "ag_news_sample": 6_000,
    "newsgroups20": 1_200,
    "spamassassin": 600,
    "udhr_langid": 4_000,
}
LAWS = settings(max_examples=40, deadline=None)
needs_data = pytest.mark.skipif(not DATA, reason="PRIORI_DATA names no folder with the real data sets")
EVERY_DATASET = [name if name == "sms_spam" else pytest.param(name, marks=needs_data) for name in ROWS]


@cache
def dataset(name):
    """Texts and labels."""
    table = pq.read_table(SMS if name == "sms_spam" else Path(str(DATA)) / f"{name}.parquet", columns=["text", "label"])
    order = np.random.default_rng(7).permutation(table.num_rows)[: ROWS[name]]
    table = table.take(order)
    return table["text"].to_pylist(), table["label"].to_pylist()


def model_of(rows, analyzer=None, readings=None, **options):
    """The model of rows (text, label) or (text, label, weight)."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    options.setdefault("weighted", len(columns) > 2)
    return Model.train(read_objects(*columns), analyzer or Analyzer(), readings or Readings(), **options)


def sample_rows(sample):
    """Everything a sample holds, as plain values."""
    return {name: np.asarray(getattr(sample, name)).tolist() for name in sample.__dataclass_fields__}


words = st.sampled_from(["a", "b", "c", "dd", "amazing", "é", "好", "zz"])
texts = st.lists(words, max_size=6).map(" ".join)  # the empty text too
labels = st.sampled_from(["x", "y", "z", "é"])
weights = st.integers(0, 3 << 20).map(lambda units: units / (1 << 20))
rows = st.lists(st.tuples(texts, labels), min_size=1, max_size=8)
weighted_rows = st.lists(st.tuples(texts, labels, weights), min_size=1, max_size=8)
