"""What leave-one-out must equal: models that were trained again without the documents."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from priori.columns.words.left_out.closed_form import LeftOut
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Readings
from priori.data import Batch
from priori.model.classifier import Model
from priori.model.learning import count
from priori.store import arrow_views
from priori.text import Analyzer


def batch(texts, labels=None, weights=None):
    label = None if labels is None else arrow_views.from_texts(list(labels))
    weight = None if weights is None else pa.array(weights, pa.float64())
    return Batch(arrow_views.from_texts(list(texts)), label, weight, {}, {}, 0, None)


def trained(texts, labels, readings=None, weights=None, max_terms=None, **analyzer):
    options = {"weighted": weights is not None, "jobs": 1, "max_terms": max_terms}
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


def refitted(model, texts, labels, weights=None, groups=None, fixed=False, scores=Model.log_joint):
    """The same by training again for each group: log p(x, y), or another of the model's scores, (n, K)."""
    groups = list(range(len(texts))) if groups is None else list(groups)
    joint = np.full((len(texts), len(model.labels)), -np.inf)
    for group in dict.fromkeys(groups):
        out = [i for i in range(len(texts)) if groups[i] == group]
        kept = [i for i in range(len(texts)) if groups[i] != group and (weights is None or weights[i] > 0)]
        if not kept:  # no class is left
            continue
        part = without(model, texts, labels, weights, kept, fixed)
        found = scores(part, batch([texts[i] for i in out]))
        for row, i in enumerate(out):
            for k, label in enumerate(part.labels):
                joint[i, model.labels.index(label)] = found[row, k]
    return joint


def without(model, texts, labels, weights, kept, fixed):
    """The model that never saw the documents that are not kept, its smoothing and calibration as they were."""
    weight = None if weights is None else [weights[i] for i in kept]
    data = batch([texts[i] for i in kept], [labels[i] for i in kept], weight)
    options = {"weighted": weights is not None, "jobs": 1}
    analyzer = model.analyzer
    named = {*model.readings.prior.terms, *(word for table in model.readings.prior.classes.values() for word in table)}
    if analyzer.vocabulary is None and (fixed or model.dropped is not None):
        words = set(model.counts.term_texts())
        if not fixed:  # those that have a place and still occur
            words &= set(count(iter([data]), analyzer, **options).counts.term_texts())
        if words | named:
            analyzer = replace(analyzer, vocabulary=tuple(sorted(words | named, key=str.encode)))
        else:  # no word has a place
            data = batch([""] * len(kept), [labels[i] for i in kept], weight)
    summary = replace(count(iter([data]), analyzer, **options), sample=None)
    readings = known_classes(model.readings, summary.counts.labels)
    stored = None if model.fitted is None else replace(model.fitted, readings=readings)
    part = Model(analyzer, summary, readings, stored=stored)
    if fixed or model.dropped is not None:
        return _counting_as(model, part)
    return part


def known_classes(readings, labels):
    """Without priors of classes that are gone, though the words they name keep their places."""
    prior = readings.prior
    classes = {label: table for label, table in prior.classes.items() if label in labels}
    gone = {word for label, table in prior.classes.items() if label not in labels for word in table}
    terms = {**dict.fromkeys(gone, prior.alpha), **prior.terms}
    return replace(readings, prior=replace(prior, terms=terms, classes=classes))


def _counting_as(model, part):
    """A given vocabulary stands for a fixed or pruned one, whose documents may be longer than their known words."""

    class Counting(Model):
        counts_known_only = model.counts_known_only

    return Counting(part.analyzer, part.summary, part.readings, stored=part.stored)
