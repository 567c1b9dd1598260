"""The four estimation techniques of lecture 001, each from documents with or without labels to scores of others.

Supervised ones are one M-step: maximum likelihood is relative frequencies, with a prior it is the posterior mean. EM
repeats it over expected counts, Gibbs sampling over sampled ones. Beside them stands what `TextClassifier` learns from
the same documents: from labels and texts without, or from texts alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.special import gammaln

from priori.columns.words.em import Mixture, WordPrior
from priori.columns.words.readings import Readings
from priori.data.batch import Batch
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats
from priori.latent.em_algorithm.iteration import Settings, State, Temper
from priori.latent.em_algorithm.restarts import Climb
from priori.latent.em_algorithm.run import cluster
from priori.latent.gibbs_sampling.chains import diagnosed, gibbs_chains
from priori.latent.gibbs_sampling.diagnostics import LARGEST_RHAT, installed, worst
from priori.latent.semi_supervised import learn_half_labelled
from priori.latent.settings import Recipe
from priori.model.classifier import Model
from priori.text import Analyzer
from priori.threads import threads


@dataclass(frozen=True)
class Effort:
    """What is imagined, and how long EM and Gibbs may look."""

    alpha: float = 1.0  # imagined count of every word in each class (the lecture's gamma), and so
    documents: float = 1.0  # of documents (its alpha and beta); maximum likelihood and the tuned EM go without
    restarts: int = 20
    iterations: int = 200
    chains: int = 4
    burn_in: int = 100
    samples: int = 100

    def __post_init__(self) -> None:
        for name in ("alpha", "documents"):
            if not 0 < getattr(self, name) < np.inf:
                raise DataError(f"{name}={getattr(self, name)} imagines nothing; give a finite number above 0")
        for name, least in (("restarts", 1), ("iterations", 1), ("chains", 1), ("burn_in", 0), ("samples", 8)):
            if getattr(self, name) < least:
                raise DataError(f"{name}={getattr(self, name)} is too few; give a whole number from {least}")


USUAL = Effort()


@dataclass(frozen=True, eq=False)
class Task:
    """Documents to learn from, documents to score, and the classes; the first have the corpus's labels."""

    train: Corpus
    test: Corpus
    classes: tuple[str, ...]
    seed: int
    effort: Effort
    jobs: int | None = None

    def labelled_only(self) -> tuple[Corpus, Corpus]:
        """Without unlabelled documents, and without words that only they have: nobody has told what those mean."""
        own = self.train.rows(np.flatnonzero(self.train.labelled))
        keep = own.document_frequency > 0
        keep |= not keep.any()  # subtle: the labelled may be empty texts, and a vocabulary may not
        return own.of_terms(keep), self.test.of_terms(keep)

    @property
    def every_class_has_labels(self) -> bool:
        """Whether EM can begin at the labels."""
        return len(np.unique(self.train.cls[self.train.labelled])) == len(self.classes)


@dataclass(frozen=True, eq=False)
class Scored:
    """log p(x, c) of the documents to score, and how it was come by."""

    log_joint: Floats  # (n, C)
    length: npt.NDArray[np.int64]  # (n,)
    temper: Floats  # (n,)
    settings: str
    note: str | None = None


Technique = Callable[[Task], Scored]


def relative_frequencies(task: Task) -> Scored:
    """Supervised maximum likelihood: N_cj / N_c, D_c / D."""
    train, test = task.labelled_only()
    settings = Settings(task.classes, estimate="ml", temper=Temper())
    mixture = State(train, settings, _members(train, len(task.classes)), task.jobs).mixture
    return _scored(mixture, test, settings.temper, f"maximum likelihood, {_counted(train)}")


def bayesian(task: Task) -> Scored:
    """Supervised posterior mean: (N_cj + alpha) / (N_c + alpha V), (D_c + 1) / (D + K). The lecture's product form."""
    train, test = task.labelled_only()
    mixture = State(train, _smoothed(task), _members(train, len(task.classes)), task.jobs).mixture
    return _scored(mixture, test, Temper(), f"posterior mean, alpha {task.effort.alpha:g}, {_counted(train)}")


def integrated(task: Task) -> Scored:
    """Supervised, the parameters integrated out: a word that comes again in a document has updated the urn."""
    train, test = task.labelled_only()
    state = State(train, _smoothed(task), _members(train, len(task.classes)), task.jobs)
    alpha = task.effort.alpha
    counts, total = state.sums.gathered, state.sums.length + alpha * train.terms
    row = np.repeat(np.arange(len(test)), np.diff(test.offsets))
    log_joint = np.empty((len(test), len(task.classes)))
    for c in range(len(task.classes)):
        before = counts[test.term, c] + alpha
        gained = np.bincount(row, gammaln(before + test.count) - gammaln(before), len(test))
        log_joint[:, c] = gained - (gammaln(total[c] + test.length) - gammaln(total[c])) + state.mixture.log_weight[c]
    told = f"parameters integrated out (Pólya urn), alpha {alpha:g}, {_counted(train)}"
    return Scored(log_joint, test.length, np.ones(len(test)), told)


def em_as_in_the_lecture(task: Task) -> Scored:
    """Maximum likelihood from expected counts: raw, untempered."""
    effort = task.effort
    recipe = Recipe(estimate="ml", alpha=0.0, temper=Temper(), restarts=effort.restarts, iterations=effort.iterations)
    settings = recipe.settings(task.train, task.classes)
    mixture, how = _climbed(task, task.train, settings, recipe)
    return _scored(
        mixture, task.test, settings.temper, f"maximum likelihood, {_counted(task.train)}, untempered; {how}"
    )


def em_tuned(task: Task) -> Scored:
    """EM as `priori cluster` has it: tempered, every word once a document, frequent and rare words left out."""
    recipe = Recipe(restarts=task.effort.restarts, iterations=task.effort.iterations)
    train = recipe.terms(_once(task.train))
    test = _once(task.test).of_terms(train.find(task.train.term_texts()) >= 0)
    settings = recipe.settings(train, task.classes)
    mixture, how = _climbed(task, train, settings, recipe)
    left = ""
    if train.terms < task.train.terms:
        left = f", terms of {recipe.least_documents} documents to {recipe.largest_share:.0%} of them"
    told = f"posterior mean, alpha {recipe.alpha:g}, {_counted(train)}{left}, tempered by 1/√length; {how}"
    return _scored(mixture, test, settings.temper, told)


def gibbs_sampling(task: Task) -> Scored:
    """The collapsed sampler; its snapshots give the posterior means that documents are scored by."""
    effort = task.effort
    result = gibbs_chains(
        task.train,
        len(task.classes),
        prior=effort.alpha,
        class_prior=effort.documents,
        seed=task.seed,
        chains=effort.chains,
        burn_in=effort.burn_in,
        samples=effort.samples,
        diagnose=False,
        jobs=task.jobs,
    )
    sweeps = f"{effort.chains} chains of {effort.burn_in} + {effort.samples} sweeps"
    told = f"posterior mean, alpha {effort.alpha:g}, {_counted(task.train)}; {sweeps}"
    shares, note = result.probabilities, None
    if not installed():
        note = "R-hat, which says whether chains agree, needs arviz-stats: pip install 'priori[mcmc]'"
    else:
        _, rhat = worst(diagnosed(result))
        told += f", R-hat {rhat.said}"
        if not rhat.agree:
            shares = result.by_chain[result.best]
            note = (
                f"the chains do not agree (R-hat {rhat.said}, above {LARGEST_RHAT}); shown is the one with the largest "
                "log joint"
            )
    mixture = State(task.train, _smoothed(task), shares, task.jobs).mixture
    return _scored(mixture, task.test, Temper(), told, note)


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


def _climbed(task: Task, train: Corpus, settings: Settings, recipe: Recipe) -> tuple[Mixture, str]:
    """The highest of several random starts, or from the labels where every class has some."""
    climb = Climb(train, settings, recipe, seed=task.seed, jobs=task.jobs)
    for _ in climb:
        pass
    how = "from the labels" if task.every_class_has_labels else f"best of {recipe.restarts} starts"
    return State(train, settings, climb.summit().shares, task.jobs).mixture, how


def _smoothed(task: Task) -> Settings:
    effort = task.effort
    words = WordPrior.even(effort.alpha)
    return Settings(task.classes, estimate="bayes", words=words, documents=effort.documents, temper=Temper())


def _members(corpus: Corpus, classes: int) -> Floats:
    """(n, K): each labelled document in its class."""
    members = np.zeros((len(corpus), classes))
    members[corpus.labelled, corpus.cls[corpus.labelled]] = 1.0
    return members


def _once(corpus: Corpus) -> Corpus:
    analyzer = replace(corpus.analyzer, binary=True)
    return replace(corpus, count=np.ones_like(corpus.count), analyzer=analyzer)


def _counted(corpus: Corpus) -> str:
    return "a word counts once a document" if corpus.analyzer.binary else "raw counts"


def _scored(mixture: Mixture, test: Corpus, temper: Temper, told: str, note: str | None = None) -> Scored:
    log_joint = mixture.log_joint(test.offsets, test.term, test.count, test.length)
    return Scored(log_joint, test.length, temper.factors(test.length), told, note)


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
