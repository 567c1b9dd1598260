"""How good a classifier's probabilities are: accuracy, macro F1, log loss, Brier, calibration, ranking, cost."""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priori.decisions.costs import Charges
from priori.decisions.curves import Ranking, RankingCard, Reliability, Roc, ece_by_chance, reliability
from priori.errors import DataError

UNDERFLOW = float(np.finfo(np.float64).tiny)  # probabilities below it have lost digits, or all of them
_SUM_TOLERANCE = 1e-6  # how far the probabilities of a document may be from adding up to 1
_NAMED = 3  # labels that a message names before it says how many more there are


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one label (0 where nothing was predicted or nothing was true), and its documents."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a model's probabilities are worth on labelled documents.

    accuracy:  share of documents whose most probable class is the true one.
    macro_f1:  mean F1 of the labels that occur in the truth or in the predictions.
    log_loss:  mean of -ln p(true label); infinite when a true label has probability 0.
    brier:     mean of Σ_c (p_c - 1[c is true])², the multi-class form: 0 is best, 2 the worst.
    ece:       expected calibration error, 15 equal-mass bins of the top probability.
    ece_floor: the ece that a perfectly calibrated model would show on as many documents, on average; once in twenty
               times it would show more than ece_chance.
    auc:       area under the ROC curve; of more than two classes the mean of each against the rest.
    cost:      mean loss of the decisions of least expected loss; None without a loss.
    """

    n: int
    accuracy: float
    macro_f1: float
    log_loss: float
    brier: float
    ece: float
    ece_floor: float
    ece_chance: float
    labels: tuple[str, ...]  # those of the model and those of the data, sorted
    confusion: NDArray[np.int64]  # rows truth, columns prediction, both over labels
    per_class: Mapping[str, ClassScores]
    reliability: Reliability
    unlabelled: int  # documents without a label: skipped
    impossible: int  # documents whose true label has probability 0
    never_learned: tuple[str, ...]  # labels of the data that the model does not have
    ranking: Ranking | None = None  # None where there were too many probabilities to keep
    auc: float | None = None
    auc_note: str | None = None  # why there is no auc, or what it leaves out
    cost: float | None = None
    rejected: float | None = None  # share of decisions to refuse an answer; None without a loss
    decisions: Mapping[str, int] | None = None  # how often each action was decided for; None without a loss
    cost_note: str | None = None  # what the cost leaves out

    @property
    def log_loss_note(self) -> str | None:
        """Why the log loss is infinite and what helps; None when it is finite."""
        if math.isfinite(self.log_loss):
            return None
        reasons = []
        unknown = sum(self.per_class[label].support for label in self.never_learned)
        if unknown:
            named = ", ".join(map(repr, self.never_learned[:_NAMED]))
            more = ", ..." if len(self.never_learned) > _NAMED else ""
            reasons.append(f"{unknown:,} with a label never learned ({named}{more}): learn it, or leave them out")
        if self.impossible > unknown:
            reasons.append(f"{self.impossible - unknown:,} by an estimate of 0: smooth it (alpha > 0)")
        return f"infinite, for true labels of probability 0: {'; '.join(reasons)}"

    def roc(self) -> dict[str, Roc]:
        """The ROC curve of each class against the rest; of none where auc_note says why."""
        return {} if self.ranking is None else self.ranking.roc()

    def to_json(self) -> dict[str, Any]:
        """The numbers as plain JSON values; what does not exist is null, and a note says why. Costs with a loss."""
        note = self.log_loss_note
        document: dict[str, Any] = {
            "n": self.n,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "log_loss": self.log_loss if note is None else None,
            "brier": self.brier,
            "ece": self.ece,
            "ece_floor": self.ece_floor,
            "auc": self.auc,
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "per_class": {label: asdict(scores) for label, scores in self.per_class.items()},
        }
        if self.rejected is not None:
            document |= {"cost": self.cost, "rejected": self.rejected, "decisions": dict(self.decisions or {})}
        notes = {"log_loss_note": note, "auc_note": self.auc_note, "cost_note": self.cost_note}
        return document | {name: said for name, said in notes.items() if said is not None}


class Scorecard:
    """Collects predictions batch by batch: 32 bytes a document, and its probabilities while they are few (for the auc).

    Neither the batches nor the order of the documents change a bit of the result. With a loss, (A, K) or something that
    has one as its `matrix`, the decisions of least expected loss are counted and charged, too.

    >>> card = Scorecard(["ham", "spam"])
    >>> card.add(np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2]]), ["ham", "spam", None])
    >>> evaluation = card.result()
    >>> evaluation.n, evaluation.accuracy, round(evaluation.brier, 3), evaluation.unlabelled
    (2, 1.0, 0.17, 1)
    """

    def __init__(self, classes: Sequence[str], loss: Any = None) -> None:
        if len(classes) == 0 or len(set(classes)) != len(classes):
            raise DataError(f"{len(classes)} classes cannot be scored: there must be one or more, and no two the same")
        self._classes = len(classes)
        self._codes = {label: code for code, label in enumerate(classes)}  # labels never learned are added behind
        self._truth, self._predicted = array("i"), array("i")
        self._top, self._log, self._brier = array("d"), array("d"), array("d")
        self._unlabelled = 0
        self._ranking = RankingCard(classes)
        self._charges = None if loss is None else Charges(loss, classes)

    def add(
        self,
        probabilities: NDArray[np.float64],
        truth: Sequence[str | None],
        log_probabilities: NDArray[np.float64] | None = None,
    ) -> None:
        """Score documents: probabilities (n, K) in the order of the classes; a truth of None is skipped and counted.

        Give log_probabilities (n, K) too where a probability is below UNDERFLOW: it may be 0 in floating point only,
        and would make the log loss infinite although the model did not call the label impossible.
        """
        self._check(probabilities, truth, log_probabilities)
        rows = np.array([row for row, label in enumerate(truth) if label is not None], dtype=np.intp)
        labels = [label for label in truth if label is not None]
        codes = np.array([self._codes.setdefault(label, len(self._codes)) for label in labels], dtype=np.int32)
        self._unlabelled += len(truth) - len(rows)
        if len(rows) == 0:
            return
        p = probabilities[rows]
        known = np.flatnonzero(codes < self._classes)
        log_true = np.full(len(rows), -np.inf)
        p_true = p[known, codes[known]]
        with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and meant
            log_true[known] = np.log(p_true)
        if log_probabilities is not None:
            # subtle: only there, so that a document has one logarithm, whatever else its batch holds
            small = known[p_true < UNDERFLOW]
            log_true[small] = log_probabilities[rows[small], codes[small]]
        predicted = p.argmax(axis=1)  # subtle: the first of several equal maxima wins
        self._top.frombytes(p[np.arange(len(p)), predicted].astype(np.float64).tobytes())
        off = np.array(p, dtype=np.float64, order="C")  # so that rows are summed alike in every batch
        off[known, codes[known]] -= 1.0
        # subtle: a label never learned has p = 0, so it adds (0 - 1)² = 1 of its own
        brier = np.square(off).sum(axis=1) + (codes >= self._classes)
        self._truth.frombytes(codes.tobytes())
        self._predicted.frombytes(predicted.astype(np.int32).tobytes())
        self._log.frombytes(log_true.tobytes())
        self._brier.frombytes(brier.tobytes())
        self._ranking.add(p, codes)
        if self._charges is not None:
            self._charges.add(p, codes)

    def result(self, seed: int = 0) -> Evaluation:
        """The measures of everything added so far; seed is that of the simulated noise floor."""
        n = len(self._top)
        if n == 0:
            raise DataError(
                f"nothing to evaluate: none of {self._unlabelled:,} documents has a label; name the label column"
            )
        truth, predicted = np.array(self._truth), np.array(self._predicted)
        top, correct = np.array(self._top), truth == predicted
        labels = tuple(sorted(self._codes))
        confusion = self._confusion(labels, truth, predicted)
        per_class = {label: _scores(confusion, row) for row, label in enumerate(labels)}
        occurs = confusion.sum(axis=0) + confusion.sum(axis=1) > 0
        bins, chance = reliability(top, correct), ece_by_chance(top, np.random.default_rng(seed))
        (ranking, auc_note), charges = self._ranking.result(), self._charges
        return Evaluation(
            n=n,
            accuracy=int(correct.sum()) / n,
            macro_f1=math.fsum(s.f1 for s in per_class.values()) / int(occurs.sum()),
            log_loss=(0.0 - math.fsum(self._log)) / n,
            brier=math.fsum(self._brier) / n,
            ece=bins.ece,
            ece_floor=float(chance.mean()),
            ece_chance=float(np.quantile(chance, 0.95)),
            labels=labels,
            confusion=confusion,
            per_class=per_class,
            reliability=bins,
            unlabelled=self._unlabelled,
            impossible=int(np.isneginf(self._log).sum()),
            never_learned=tuple(sorted(list(self._codes)[self._classes :])),
            ranking=ranking,
            auc=None if ranking is None else ranking.auc,
            auc_note=auc_note,
            cost=None if charges is None else charges.cost,
            rejected=None if charges is None else charges.rejected,
            decisions=None if charges is None else charges.decisions,
            cost_note=None if charges is None else charges.note,
        )

    def _confusion(self, labels: tuple[str, ...], truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.int64]:
        size = len(labels)
        place = np.empty(size, dtype=np.int64)  # of a code among the sorted labels
        place[[self._codes[label] for label in labels]] = np.arange(size)
        return np.bincount(place[truth] * size + place[predicted], minlength=size * size).reshape(size, size)

    def _check(self, p: NDArray[np.float64], truth: Sequence[str | None], log_p: NDArray[np.float64] | None) -> None:
        shape = (len(truth), self._classes)
        for name, given in (("probabilities", p), ("log_probabilities", log_p)):
            if given is not None and np.shape(given) != shape:
                raise DataError(
                    f"{name} of shape {np.shape(given)} do not fit {shape[0]} labels and {shape[1]} classes: "
                    f"give a row for each document and a column for each class"
                )
        # subtle: written so that a NaN fails
        if not (np.all(p >= 0) and np.all(np.abs(p.sum(axis=1) - 1) <= _SUM_TOLERANCE)):
            raise DataError("the probabilities of some document are no distribution: each row must add up to 1")
        if log_p is not None and not np.all(log_p <= _SUM_TOLERANCE):
            raise DataError("some logarithm of a probability is above 0 or not a number: give natural logarithms")
        for label in truth:
            if not (label is None or isinstance(label, str)):
                raise DataError(f"the true label {label!r} is not text: give str, or None where there is none")


def evaluation_of(
    classes: Sequence[str], log_probabilities: NDArray[np.float64], truth: Sequence[str | None], loss: Any = None
) -> Evaluation:
    """The measures of documents whose log p(y | x), (n, K), are at hand all at once."""
    card = Scorecard(classes, loss)
    card.add(np.exp(log_probabilities), truth, log_probabilities)
    return card.result()


def _scores(confusion: NDArray[np.int64], label: int) -> ClassScores:
    right, truth, predicted = (
        int(x) for x in (confusion[label, label], confusion[label].sum(), confusion[:, label].sum())
    )
    return ClassScores(
        precision=right / predicted if predicted else 0.0,
        recall=right / truth if truth else 0.0,
        f1=2 * right / (truth + predicted) if truth + predicted else 0.0,
        support=truth,
    )
