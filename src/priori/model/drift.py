"""A model in use, watched without labels: are these the texts, and the classes, that it was made for?

Unknown words: their share against the same among kept documents that were left out (`unknown_words.py`). Class mix: EM
and its likelihood ratio (Saerens, Latinne & Decaestecker 2002), the learned mix being one of chance too; and mean_i
p(c | x_i) against that of kept documents, each left out, for a model may lean to a class without any shift. Accuracy:
the mean of max_c p(c | x), as far as the probabilities are calibrated for such texts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.decisions import estimated_prior
from priori.errors import DataError
from priori.model.classifier import Model
from priori.model.decision_rule import posterior_prior
from priori.model.evaluation import Kept, kept_of
from priori.model.learning import Progress
from priori.model.table_classifier import TableModel
from priori.model.unknown_words import UnknownWords, unknown_words
from priori.threads import threads

if TYPE_CHECKING:
    from priori.data.batch import Batch, TableBatch

Floats = npt.NDArray[np.float64]

FAR = 3.0  # standard errors: so far above by chance in one of 740 sets of documents, and as often so far below
MANY = 1.5  # times the expected share, or as many times less: less is nothing to act on, however sure it is
SELDOM = 0.001  # the p-value below which a shift of the class mix is told: by chance in one of 1,000, if calibrated
MOVED = 0.01  # and the share that must have moved, as well as the mean of p(c | x), by FAR, of some class


@dataclass(frozen=True, eq=False)
class Drift:
    """How unlabelled documents differ from those that were learned. What cannot be known is None."""

    n: int
    labels: tuple[str, ...]
    class_mix: Floats  # (K,), mean of p(c | x)
    learned_mix: Floats  # (K,), the class prior of the posterior
    estimated_mix: Floats  # (K,), by EM
    p_value: float  # of no shift of the class mix, the learned one being of chance too
    expected_accuracy: float  # mean of max p(c | x)
    expected_log_loss: float  # mean entropy of p(c | x), in nats
    left_out_accuracy: float | None = None  # among the kept documents, each left out
    unknown_share: float | None = None  # of the features: never learned
    expected_unknown_share: float | None = None  # the same among the kept documents, each left out
    unknown_z: float | None = None  # their difference in standard errors
    mix_z: float | None = None  # of the mean of p(c | x) and that of the kept documents: of the class farthest off

    @property
    def other_text(self) -> bool:
        """Whether clearly more words are unknown than would be by chance."""
        share, expected, z = self.unknown_share, self.expected_unknown_share, self.unknown_z
        return share is not None and expected is not None and z is not None and z >= FAR and share >= MANY * expected

    @property
    def known_text(self) -> bool:
        """Whether clearly fewer words are unknown than would be by chance."""
        share, expected, z = self.unknown_share, self.expected_unknown_share, self.unknown_z
        return share is not None and expected is not None and z is not None and z <= -FAR and MANY * share <= expected

    @property
    def other_mix(self) -> bool:
        """Whether the classes are clearly not mixed as they were."""
        moved = bool(np.abs(self.estimated_mix - self.learned_mix).max() >= MOVED)
        return moved and self.p_value < SELDOM and (self.mix_z is None or self.mix_z >= FAR)

    @property
    def verdict(self) -> str:
        """What that means, in plain words."""
        said = [self._said_of_words(), self._said_of_mix()]
        return "; ".join(part for part in said if part)

    def _said_of_words(self) -> str:
        share, expected = self.unknown_share, self.expected_unknown_share
        if share is None:
            return ""
        told = f"{share:.1%} of words were never learned"
        if expected is None:
            return f"{told}, and the model keeps no documents to compare with"
        return f"{told}, {expected:.1%} would be expected: {self._kind_of_text()}"

    def _kind_of_text(self) -> str:
        z = self.unknown_z
        if z is None:
            return "too few documents to tell"
        if self.other_text:
            return "another kind of text; label some of it, and learn it"
        if self.known_text:
            return "fewer than by chance; some of these documents may have been learned"
        if abs(z) < FAR:
            return "much the same kind of text"
        return f"{'more' if z > 0 else 'fewer'} than by chance, but not by much: much the same kind of text"

    def _said_of_mix(self) -> str:
        if self.other_text:  # then p(x | c) is not what was learned, which the estimate rests on
            return "what is said of classes and accuracy may not hold for it"
        if not self.other_mix:
            leans = self.p_value < SELDOM and self.mix_z is not None and self.mix_z < FAR
            return f"no sign of another class mix{', for learned ones look as moved' if leans else ''}"
        k = int(np.abs(self.estimated_mix - self.learned_mix).argmax())
        learned, now = self.learned_mix[k], self.estimated_mix[k]
        return f"the class mix has moved: {self.labels[k]} {now:.1%} instead of {learned:.1%}; give it to the model"

    def to_json(self) -> dict[str, Any]:
        """Plain values, by name."""
        mixes = ("class_mix", "learned_mix", "estimated_mix")
        return {
            "n": self.n,
            "unknown_share": self.unknown_share,
            "expected_unknown_share": self.expected_unknown_share,
            "unknown_z": self.unknown_z,
            **{name: dict(zip(self.labels, getattr(self, name).tolist(), strict=True)) for name in mixes},
            "p_value": self.p_value,
            "mix_z": self.mix_z,
            "expected_accuracy": self.expected_accuracy,
            "left_out_accuracy": self.left_out_accuracy,
            "expected_log_loss": self.expected_log_loss,
            "other_text": self.other_text,
            "other_mix": self.other_mix,
            "verdict": self.verdict,
        }


def drift(
    model: Model | TableModel,
    batches: "Iterable[Batch | TableBatch]",
    *,
    jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Drift:
    """Unlabelled documents or rows against what was learned; of a table only the class mix is compared."""
    workers = threads(jobs)
    posteriors, rows, n = [np.zeros((0, len(model.labels)))], UnknownWords.none(), 0
    for batch in batches:
        if isinstance(model, Model):
            posteriors.append(model.posterior(batch, workers))  # type: ignore[arg-type]
            rows += UnknownWords.of_encoded(model.whole.encode(batch))  # type: ignore[arg-type]
        else:
            posteriors.append(model.posterior(batch))  # type: ignore[arg-type]
        n += len(batch)
        if progress is not None:
            progress(Progress(n, getattr(batch, "bytes_read", 0), getattr(batch, "bytes_total", None)))
    posterior = np.concatenate(posteriors)
    if not n:
        raise DataError("there are no documents to look at; give some")
    old = posterior_prior(model)
    possible = old > 0  # a class prior may say that a class is not there
    found = estimated_prior(np.ascontiguousarray(posterior[:, possible]), old[possible])
    mix = np.zeros(len(old))
    mix[possible] = found.prior
    kept = model.summary.sample if isinstance(model, Model) else model.kept
    right = None if kept is None or not len(kept) else kept_of(model, workers)
    unknown = unknown_words(model.whole, rows, workers) if isinstance(model, Model) else {}
    return Drift(
        n=n,
        labels=model.labels,
        class_mix=posterior.mean(axis=0),
        learned_mix=old,
        estimated_mix=mix,
        p_value=found.p_value_over(1 + n / learned_from(model)),
        expected_accuracy=float(posterior.max(axis=1).mean()),
        expected_log_loss=float(_entropy(posterior).mean()),
        left_out_accuracy=None if right is None else float((right.log_posterior.argmax(axis=1) == right.cls).mean()),
        mix_z=None if right is None else _farthest(posterior, right),
        **unknown,
    )


def learned_from(model: Model | TableModel) -> float:
    """How many documents or rows the class prior inside p(c | x) rests on: those learned, or calibrated on if fewer."""
    if not isinstance(model, Model):
        return float(max(1.0, model.statistics.n.sum()))
    learned = float(model.counts.class_documents.sum()) * model.counts.unit
    fitted = model.fitted
    looked_at = fitted.documents if fitted is not None and fitted.calibration is not None else 0
    return max(1.0, min(learned, looked_at) if looked_at else learned)


def _farthest(posterior: Floats, kept: Kept) -> float | None:
    """The largest difference over classes of two means of p(c | x), in standard errors; None of fewer than two rows."""
    if len(posterior) < 2 or len(kept.weight) < 2:
        return None
    mean, variance = _mean(posterior, np.ones(len(posterior)))
    left_out_mean, left_out_variance = _mean(np.exp(kept.log_posterior), kept.weight)
    apart, error = np.abs(mean - left_out_mean), np.sqrt(variance + left_out_variance)
    told = error > 0  # a class of prior 0 has p = 0 everywhere
    return float(np.max(apart[told] / error[told], initial=0.0))


def _mean(rows: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Σ w_i p_i / Σ w_i and its variance, of each column."""
    n, total = len(rows), weight.sum()
    mean = weight @ rows / total
    return mean, n / (n - 1) * (weight**2 @ (rows - mean) ** 2) / total**2


def _entropy(posterior: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 log 0 is 0
        entropy: Floats = -np.where(posterior > 0, posterior * np.log(posterior), 0.0).sum(axis=1)
    return entropy
