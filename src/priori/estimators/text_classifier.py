"""The scikit-learn estimator: raw text in, labels and probabilities out, with learn, forget, + and -."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from priori.columns.readings import ClassPrior, Estimate
from priori.columns.words.readings import Alpha, Calibrate, Event, Prior, Readings
from priori.data.batch import Batch
from priori.data.frames import frame_like
from priori.data.labels import from_texts, to_texts
from priori.data.objects import is_sparse, matrix_batch, read_objects
from priori.decisions.measures import Evaluation, Scorecard
from priori.errors import DataError
from priori.estimators.model_verbs import Deciding, Drawing, LeavingOut, given
from priori.estimators.text_learning import Learning
from priori.estimators.unlabelled import Unlabelled, WithoutLabels, warn_of_one_class
from priori.language.smoothing import Smoothing
from priori.latent.settings import UnlabelledWeight
from priori.model.classifier import Model
from priori.model.explanation import Explanation, explain
from priori.model.learning import Progress
from priori.text import Analyzer
from priori.text.analyzer import Features, ngrams_of
from priori.text.stop_words import StopWords
from priori.threads import threads

Floats = npt.NDArray[np.float64]


class TextClassifier(WithoutLabels, Learning, LeavingOut, Drawing, Deciding, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for raw text, in every event model, from counts that add and subtract.

    ngrams: the shortest and the longest run of features that counts; None is (1, 1), and of language models (1, 3) of
        words or (1, 5) of characters.
    event="language" compares n-gram language models, one of each class: `smoothing` as of priori.LanguageModel.
    stop_words: words that do not count: a language ("english"), a path, several of these, or words.
    stem: the language by whose rules words count as their stems ("english").
    Where labels are missing (None, NaN or null), `unlabelled` is "em", so that those texts help, or "skip".
    unlabelled_weight: what one of them weighs, from 0 to 1; "auto": a tenth, or 0 where labelled texts that are held
        out say so.
    n_classes: how many classes there are, where labels do not name them all; others are called "1", "2", ...
    seeds: a few words of each class, {class: [words]}, or a TOML or JSON file of that.
    random_state: the seed of what EM draws, a whole number from 0; None is 0. `hidden_` tells what was found.
    select: the only terms that are read, "mi:5000", "chi2:5000", "mi-words:", "log-odds:" or "count:", or "mi:auto" for
        the number of least left-out loss; None: all. They are chosen from the counts as they are, whatever is learned.

    >>> model = TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
    >>> model.predict_proba(["free lunch"]).round(3).tolist()
    [[0.41, 0.59]]
    >>> model.learn(["free pizza for lunch"], ["ham"]).predict(["free lunch"]).tolist()
    ['ham']
    """

    classes_: npt.NDArray[Any]
    hidden_ = None  # where nothing without a label was learned from
    _seen: tuple[Any, ...]  # the parameters of the reading that model_ has
    _place: npt.NDArray[np.intp] | None  # column of each of the model's labels; None where they agree

    def __init__(
        self,
        *,
        features: Features = "words",
        ngrams: tuple[int, int] | None = None,
        lowercase: bool = True,
        fold_accents: bool = False,
        min_length: int = 1,
        binary: bool = False,
        compat: Literal["sklearn"] | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        vocabulary: Sequence[str] | None = None,
        stop_words: StopWords = None,
        stem: str | None = None,
        feature_names: Sequence[str] | None = None,
        event: Event = "multinomial",
        estimate: Estimate = "bayes",
        alpha: Alpha | Prior | Mapping[str, Any] = "auto",
        class_prior: ClassPrior = "ml",
        unknown: Literal["ignore", "prior"] = "ignore",
        smoothing: str | Smoothing = "kneser-ney",
        calibrate: Calibrate = True,
        select: str | None = None,
        max_terms: int | None = None,
        keep_sample: bool = True,
        unlabelled: Unlabelled = "em",
        unlabelled_weight: UnlabelledWeight = "auto",
        n_classes: int | None = None,
        seeds: Any = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.features = features
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.fold_accents = fold_accents
        self.min_length = min_length
        self.binary = binary
        self.compat = compat
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary
        self.stop_words = stop_words
        self.stem = stem
        self.feature_names = feature_names
        self.event = event
        self.estimate = estimate
        self.alpha = alpha
        self.class_prior = class_prior
        self.unknown = unknown
        self.smoothing = smoothing
        self.calibrate = calibrate
        self.select = select
        self.max_terms = max_terms
        self.keep_sample = keep_sample
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.n_classes = n_classes
        self.seeds = seeds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    # --- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from texts and labels, from nothing. A label of None means unlabelled; see `unlabelled`."""
        if y is None and (self.n_classes is not None or self.seeds is not None):
            X = X if hasattr(X, "__len__") or is_sparse(X) else list(X)
            y = [None] * (X.shape[0] if is_sparse(X) else len(X))
        batches, kind = self._labelled(X, y, sample_weight)
        labels = to_texts(y)[0]
        if self._hidden(labels):
            model, hidden = self._learned_hidden(
                labels, batches, self._analyzer(), self._readings(kind), **self._training(sample_weight)
            )
        else:
            model, hidden = self._trained(batches, kind, sample_weight), None
        warn_of_one_class(model)
        self.given_classes_ = ()
        self._take(model)
        self.hidden_ = hidden
        return self

    def _trained(self, batches: Iterator[Batch], kind: Any, sample_weight: Any) -> Model:
        return Model.train(batches, self._analyzer(), self._readings(kind), **self._training(sample_weight))

    def _training(self, sample_weight: Any) -> dict[str, Any]:
        return {
            "max_terms": self.max_terms,
            "tokenizer": self.tokenizer,
            "keep_sample": self.keep_sample,
            "weighted": sample_weight is not None,
            "jobs": self.n_jobs,
            "progress": self.progress,
        }

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more; the same as `learn`. `classes` may name classes still to come.

        Texts without a label are skipped: what is learned must not depend on the parts that texts come in.
        """
        named = () if classes is None else tuple(text for text in to_texts(classes)[0] if text is not None)
        if hasattr(self, "model_"):
            self.learn(X, y, sample_weight)
        else:
            self.given_classes_ = ()
            self._take(self._trained(*self._labelled(X, y, sample_weight), sample_weight))  # perhaps of one class yet
        if named:
            self.given_classes_ = tuple(sorted({*self.given_classes_, *named}))
            self._take(self.model_)
        return self

    # --- predicting --------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """p(y | x), one row per text, columns in the order of `classes_`."""
        model = self._current()
        if type(X) is list and X and type(X[0]) is str:
            posterior = model.posterior_of_texts(X, self.n_jobs)
        else:
            posterior = self._over(X, model.posterior)
        return posterior if self._place is None else self._placed(posterior, 0.0)

    def predict_log_proba(self, X: Any) -> Floats:
        """log p(y | x): finite where p is too small for a float; -inf only where a class is impossible."""
        log_posterior = self._over(X, self._current().log_posterior)
        return log_posterior if self._place is None else self._placed(log_posterior, -np.inf)

    def log_joint(self, X: Any) -> Floats:
        """log p(x, y) of the word sequences, not normalised over y."""
        joint = self._over(X, self._current().log_joint)
        return joint if self._place is None else self._placed(joint, -np.inf)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each text."""
        posterior = self.predict_proba(X)  # first, since it is what finds out that nothing was fitted
        predicted: npt.NDArray[Any] = self.classes_[posterior.argmax(axis=1)]
        return predicted

    def classify(self, X: Any) -> Any:
        """Label, probability and the probability of each class, as a frame of the same kind as X (else pyarrow's)."""
        posterior = self.predict_proba(X)
        columns: dict[str, Any] = {
            "label": self.classes_[posterior.argmax(axis=1)],
            "probability": posterior.max(axis=1),
            **{f"p({label})": posterior[:, index] for index, label in enumerate(self.classes_)},
        }
        return frame_like(X, columns)

    def explain(self, text: Any, label: Any = None, against: Any = None) -> Explanation:
        """The contributions of a text's features to the log-odds of `label` against `against`, which add up exactly."""
        if not isinstance(text, str):
            raise DataError(f"one text can be explained at a time; {type(text).__name__} is not a str")
        names = [None if name is None else str(name) for name in (label, against)]
        return explain(self._current(), next(read_objects([text])), *names)

    def evaluate(self, X: Any = None, y: Any = None) -> Evaluation:
        """Accuracy, log loss, Brier score and calibration on labelled texts; without any on the kept, each left out."""
        if not given(X, y):
            return self._kept_evaluation()
        posterior = self.predict_proba(X)
        card = Scorecard([str(label) for label in self.classes_])
        underflow = bool((posterior == 0).any())  # then the logarithms say more than the probabilities
        card.add(posterior, to_texts(y)[0], self.predict_log_proba(X) if underflow else None)
        return card.result()

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The terms, sorted."""
        return np.array(self._current().counts.term_texts(), dtype=object)

    # --- files and views ---------------------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from priori.estimators.notebook import model_card

        return model_card(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags

    # --- inside ------------------------------------------------------------------------------------------------------

    def _learned(self) -> str:
        counts = self.model_.counts
        documents = int(counts.class_documents.sum()) * counts.unit
        return f"{len(counts.labels)} classes, {documents:,g} documents, {counts.terms:,} terms"

    def _analyzer(self) -> Analyzer:
        ngrams = None if self.ngrams is None else ngrams_of(self.ngrams)
        analyzer = Analyzer(
            features=self.features,
            ngrams=ngrams or (1, 1),
            lowercase=self.lowercase,
            fold_accents=self.fold_accents,
            min_length=self.min_length,
            binary=self.binary,
            compat=self.compat,
            tokens="callable" if self.tokenizer is not None else "text",
            vocabulary=None if self.vocabulary is None else tuple(self.vocabulary),
            stem=self.stem,
        ).with_stop_words(self.stop_words)
        if self.event != "language":
            return analyzer
        return analyzer.of_language(None if ngrams is None else ngrams[1])

    def _readings(self, kind: Any) -> Readings:
        prior = Prior.of(self.alpha)
        smoothing = Smoothing.of(self.smoothing)
        return Readings(
            self.event,
            self.estimate,
            prior,
            self.class_prior,
            self.unknown,
            kind,
            self.calibrate,
            smoothing=smoothing,
            select=self.select,
        )

    def _settings(self) -> tuple[Any, ...]:
        return (
            self.event,
            self.estimate,
            self.alpha,
            self.class_prior,
            self.unknown,
            self.smoothing,
            self.calibrate,
            self.select,
        )

    def _current(self) -> Model:
        """The model read as the parameters now say: set_params needs no retraining."""
        if not hasattr(self, "model_"):
            check_is_fitted(self, "model_")
        now = self._settings()
        if self._seen != now:
            self.model_ = self.model_.read_as(self._readings(self.model_.readings.label_type))
            self._seen = deepcopy(now)  # a dict that is changed in place must not equal itself
        return self.model_

    def _take(self, model: Model) -> None:
        self.model_ = model
        self._seen = deepcopy(self._settings())
        texts = tuple(sorted({*model.labels, *self.given_classes_}))
        classes = from_texts(texts, model.readings.label_type)
        order = np.argsort(classes, kind="stable")
        self.classes_ = classes[order]
        column = {texts[index]: place for place, index in enumerate(order)}
        place = np.array([column[label] for label in model.labels], np.intp)
        same = len(place) == len(texts) and bool((place == np.arange(len(place))).all())
        self._place = None if same else place

    def _with(self, model: Model) -> Self:
        other: Self = clone(self)
        other.given_classes_ = self.given_classes_
        other._take(model)
        return other

    def _placed(self, values: Floats, missing: float) -> Floats:
        full = np.full((len(values), len(self.classes_)), missing)
        full[:, self._place] = values
        return full

    def _changing(self, X: Any, y: Any, sample_weight: Any) -> tuple[Model, Iterator[Batch], dict[str, Any]]:
        model = self._current()
        batches, kind = self._labelled(X, y, sample_weight)
        if kind != model.readings.label_type and any(label is not None for label in to_texts(y)[0]):
            raise DataError(f"the labels are of type {kind}, but {model.readings.label_type} was learned; convert them")
        weighted = sample_weight is not None
        return model, batches, {"weighted": weighted, "jobs": self.n_jobs, "progress": self.progress}

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Iterator[Batch], Any]:
        if y is None:
            raise DataError("y is None: learning needs a label for each text (None among them means unlabelled)")
        labels, kind = to_texts(y)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        if is_sparse(X):
            return iter([matrix_batch(X, self.feature_names, labels, weights)]), kind
        return read_objects(_as_texts(X), labels, weights), kind

    def _batches(self, X: Any) -> Iterator[Batch]:
        return iter([matrix_batch(X, self.feature_names, None, None)]) if is_sparse(X) else read_objects(_as_texts(X))

    def _over(self, X: Any, score: Callable[..., Floats]) -> Floats:
        jobs = threads(self.n_jobs)
        parts = [score(batch, jobs) for batch in self._batches(X)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.model_.labels)))


def _as_texts(X: Any) -> Any:
    if isinstance(X, str):
        raise DataError("one text came where several are expected; put it in a list: [text]")
    return X
