"""Decisions of an estimator: what to do with each text or row, not only which class is the most probable."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from priori.decisions.decide import Decisions, Rule
from priori.drift import Drift, drift
from priori.operating import AnyModel, Wanted, policy_of

Floats = npt.NDArray[np.float64]


class _Estimator(Protocol):
    classes_: npt.NDArray[Any]
    n_jobs: int | None

    def predict_proba(self, X: Any) -> Floats: ...

    def _current(self) -> AnyModel: ...

    def _batches(self, X: Any) -> Iterator[Any]: ...


class Deciding:
    """An estimator that decides, and that is watched in use."""

    def decide(
        self: _Estimator,
        X: Any,
        *,
        loss: Any = None,
        reject: float | None = None,
        max_false_positive: float | Mapping[Any, float] | None = None,
        min_precision: float | Mapping[Any, float] | None = None,
        positive: Any = None,
        confidence: float | None = 0.95,
        class_prior: Any = None,
        rule: Rule = "bayes",
    ) -> Decisions:
        """What to do with each of X: the action of least expected loss, under promises that are kept.

        loss:       {decision: {truth: cost}}, a matrix in the order of `classes_`, a `priori.Loss`; None: the 0/1 loss,
                    or the `cost` of a model of tables.
        reject:     the cost of refusing an answer: a further action of that name.
        max_false_positive: at most this share of what is not `positive` is called so, with `confidence`; {label: share}
                    for several classes. The threshold is read off the documents that the model keeps, each left out
                    with its copies (of a table: the kept rows); at or below it the best of the other actions is taken.
        min_precision: at least this share of what is called `positive` is, with `confidence`.
        positive:   the class of these promises; classes_[1] of two, and to be named of more.
        confidence: over samples of documents to read the threshold off; None: the rate on average over them.
        class_prior: that of the place of use: {label: p}, "uniform", or "estimate": by EM from X, of 30 or more.
        rule:       "bayes"; "map": the 0/1 loss; "ml": the 0/1 loss under equal class priors.

        >>> from priori import TextClassifier
        >>> model = TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
        >>> model.decide(["free entry", "free lunch"], reject=0.2).actions.tolist()
        ['spam', 'reject']
        """
        posterior = self.predict_proba(X)  # first, since it is what finds out that nothing was fitted
        if loss is None and rule == "bayes":
            loss = getattr(self, "cost", None)
        wanted = Wanted(loss, reject, max_false_positive, min_precision, positive, confidence, class_prior, rule)
        policy = policy_of(self._current(), wanted, self.classes_)
        return (policy.estimated(posterior) if wanted.estimates else policy).decisions(posterior)

    def drift(self: _Estimator, X: Any) -> Drift:
        """How unlabelled X differs from what was learned: unknown words, the class mix, the accuracy to expect.

        >>> from priori import TextClassifier
        >>> model = TextClassifier().fit(["free entry now", "see you at lunch"], ["spam", "ham"])
        >>> model.drift(["free tickets now", "lunch now"]).unknown_share
        0.2
        """
        model = self._current()
        return drift(model, self._batches(X), jobs=self.n_jobs)
