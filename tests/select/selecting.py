"""What selection must equal: models trained again on a part of the documents, and judged on the rest."""

import re

import numpy as np

from priori.data import read_objects
from priori.model.classifier import Model

TEXTS = [
    "free entry to win cash", "win a free phone now", "Win a FREE phone, now!", "cash prize call now", "call to claim",
    "see you at lunch", "lunch was good", "are you free at noon", "call me at home", "home now",
    "meeting moved to noon", "the report is late", "please review the report", "the meeting was long", "late again",
    "the meeting was long", "", "win win win", "report the prize", "you see the phone",
]  # fmt: skip
LABELS = ["spam"] * 5 + ["ham"] * 5 + ["work"] * 5 + ["ham", "ham", "spam", "work", "ham"]


def words(text):
    return tuple(re.findall(r"\w+", text.lower()))


def copies():
    """The block of each text: those of the same words."""
    seen = {}
    return np.array([seen.setdefault(words(text), len(seen)) for text in TEXTS])


def refit_losses(candidate, part, texts=TEXTS, labels=LABELS, weights=None):
    """The loss of each text under a model that never saw its part, and whether its label was the most probable.

    NaN where the class is not there without the part.
    """
    loss, right = np.full(len(texts), np.nan), np.zeros(len(texts), bool)
    for name in set(part.tolist()):
        kept = [i for i in range(len(texts)) if part[i] != name]
        out = [i for i in range(len(texts)) if part[i] == name]
        weight = None if weights is None else [weights[i] for i in kept]
        batches = read_objects([texts[i] for i in kept], [labels[i] for i in kept], weight)
        options = {"weighted": weights is not None, "jobs": 1}
        model = Model.train(batches, candidate.analyzer, candidate.readings, **options)
        log_posterior = model.log_posterior(next(read_objects([texts[i] for i in out])))
        for row, i in enumerate(out):
            if labels[i] in model.labels:
                loss[i] = -log_posterior[row, model.labels.index(labels[i])]
                right[i] = model.labels[log_posterior[row].argmax()] == labels[i]
    return loss, right


def means(loss, right, weights=None):
    known = np.isfinite(loss)
    weights = np.ones(len(loss)) if weights is None else np.asarray(weights)
    return np.average(loss[known], weights=weights[known]), np.average(right[known], weights=weights[known])
