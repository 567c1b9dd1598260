"""What leave-one-out must equal: models that were trained again without the documents."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from priori.classifier import Model
from priori.engines import count
from priori.left_out import Documents, LeftOut
from priori.readings import Readings
from priori.sources import Batch
from priori.store import views
from priori.text import Analyzer


def batch(texts, labels=None, weights=None):
    label = None if labels is None else views.from_texts(list(labels))
    weight = None if weights is None else pa.array(weights, pa.float64())
    return Batch(views.from_texts(list(texts)), label, weight, {}, {}, 0, None)


def trained(texts, labels, readings=None, weights=None, **analyzer):
    options = {"weighted": weights is not None, "jobs": 1}
    return Model.train([batch(texts, labels, weights)], Analyzer(**analyzer), readings or Readings(), **options)


def left_out(model, texts, labels, weights=None, groups=None, fixed=False):
    """Our scores of every document without its group (or itself), (n, K)."""
    rows = model.encode(batch(texts))
    classes = np.array([model.labels.index(label) for label in labels], np.int32)
    documents = Documents.of_encoded(rows, classes, None if weights is None else np.asarray(weights, float))
    if groups is not None:
        documents = documents.in_blocks(groups)
    found = LeftOut.of(model.counts, model.readings, model.analyzer.vocabulary, documents, fixed)
    return found.scores(model.readings).joint


def refitted(model, texts, labels, weights=None, groups=None, fixed=False):
    """The same by training again for each group."""
    groups = list(range(len(texts))) if groups is None else list(groups)
    joint = np.full((len(texts), len(model.labels)), -np.inf)
    for group in set(groups):
        out = [i for i in range(len(texts)) if groups[i] == group]
        kept = [i for i in range(len(texts)) if groups[i] != group]
        part = without(model, texts, labels, weights, kept, out, fixed)
        scores = part.log_joint(batch([texts[i] for i in out]))
        for row, i in enumerate(out):
            for k, label in enumerate(part.labels):
                joint[i, model.labels.index(label)] = scores[row, k]
    return joint


def without(model, texts, labels, weights, kept, out, fixed):
    """The model that never saw the documents that are out."""
    if fixed:  # the vocabulary of all documents is given, and stays
        words = tuple(model.counts.term_texts())
        analyzer = replace(model.analyzer, vocabulary=words)
    else:
        analyzer = model.analyzer
    weight = None if weights is None else [weights[i] for i in kept]
    options = {"weighted": weights is not None, "jobs": 1}
    data = batch([texts[i] for i in kept], [labels[i] for i in kept], weight)
    summary = count(iter([data]), analyzer, **options)
    return Model(analyzer, summary, model.readings)
