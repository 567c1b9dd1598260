"""What `TextClassifier` learns from the same documents, beside the lecture's techniques: labels, and texts without."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from priori.classifier import Model
from priori.latent.clustering import cluster
from priori.latent.corpus import Corpus, Floats
from priori.latent.half_labelled import learn_half_labelled
from priori.latent.technique_models import Scored, Task
from priori.readings import Readings
from priori.sources import Batch
from priori.text import Analyzer
from priori.threads import threads


def text_classifier(task: Task) -> Scored:
    """Alpha and calibration fitted on documents left out; unlabelled ones help as far as the labelled ones allow."""
    train = counted_batch(task.train)
    once = task.train.analyzer.binary

    def read() -> Iterator[Batch]:
        yield train

    found = learn_half_labelled(
        read, Analyzer(binary=once), Readings.automatic(), seed=task.seed, jobs=task.jobs, keep_sample=True
    )
    told = "its defaults: alpha and calibration by leaving out"
    if found.unlabelled:
        told += f"; an unlabelled document weighs {found.unlabelled_weight:g}"
    return Scored(_in_order(found.model, task), task.test.length, np.ones(len(task.test)), told)


def hidden_text_classifier(task: Task) -> Scored:
    """TextClassifier(n_classes=K), where no text has a label: the classes have no names, and no order."""
    analyzer = Analyzer(binary=True)
    train = counted_batch(task.train)
    corpus = Corpus.of(lambda: iter([train]), analyzer, jobs=task.jobs)
    model = cluster(corpus, len(task.classes), seed=task.seed, jobs=task.jobs).model
    log_posterior = model.log_posterior(counted_batch(task.test), threads(task.jobs))
    told = f"n_classes={len(task.classes)}, and else its defaults: EM as it is tuned"
    return Scored(log_posterior, task.test.length, np.ones(len(task.test)), told)


def _in_order(model: Model, task: Task) -> Floats:
    """(n, K) log p(c | x); a class that the model does not know is impossible."""
    posterior = model.log_posterior(counted_batch(task.test), threads(task.jobs))
    scores = np.full((len(task.test), len(task.classes)), -np.inf)
    for column, label in enumerate(model.labels):
        scores[:, task.classes.index(label)] = posterior[:, column]
    return scores


def counted_batch(corpus: Corpus) -> Batch:
    """The documents as counts of their terms, as a source gives them."""
    terms = pa.array(corpus.term_texts(), pa.string())
    text = pa.MapArray.from_arrays(
        pa.array(corpus.offsets, pa.int32()),
        terms.take(pa.array(corpus.term)),
        pa.array(corpus.count.astype(np.int64)),
    )
    names = [corpus.labels[c] if c >= 0 else None for c in corpus.cls.tolist()]
    return Batch(text, pa.array(names, pa.string()), None, {}, {}, 0, None)
