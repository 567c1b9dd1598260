"""A model in use, watched without labels: are these the texts, and the classes, that it was made for?

Unknown words: Σ unknown_i / Σ features_i against the same share among kept documents that were left out, by a ratio
estimator over documents (Cochran 1977, section 2.11), for the words of one document come together. Class mix: EM and
its likelihood ratio (Saerens, Latinne & Decaestecker 2002). Accuracy: the mean of max_c p(c | x), as far as the
probabilities are calibrated for such texts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.decisions import estimated_prior
from priori.engines import Progress
from priori.errors import DataError
from priori.kept import kept_of
from priori.leave_one_out import left_out_scores
from priori.left_out import Documents
from priori.operating import posterior_prior
from priori.table_classifier import TableModel
from priori.threads import threads

if TYPE_CHECKING:
    from priori.sources import Batch
    from priori.tables.batch import TableBatch

Floats = npt.NDArray[np.float64]

FAR = 3.0  # standard errors: by chance in one batch of 740 on either side
MANY = 1.5  # times the expected share: less is nothing to act on, however sure it is
SELDOM = 0.001  # the p-value below which a shift of the class mix is told: as seldom as FAR
MOVED = 0.01  # and the share that must have moved


@dataclass(frozen=True, eq=False)
class Drift:
    """How unlabelled documents differ from those that were learned. What cannot be known is None."""

    n: int
    labels: tuple[str, ...]
    class_mix: Floats  # (K,), mean of p(c | x)
    learned_mix: Floats  # (K,), the class prior of the posterior
    estimated_mix: Floats  # (K,), by EM
    p_value: float  # of no shift of the class mix
    expected_accuracy: float  # mean of max p(c | x)
    expected_log_loss: float  # mean entropy of p(c | x), in nats
    left_out_accuracy: float | None = None  # among the kept documents, each left out
    unknown_share: float | None = None  # of the features: never learned
    expected_unknown_share: float | None = None  # the same among the kept documents, each left out
    unknown_z: float | None = None  # their difference in standard errors

    @property
    def other_text(self) -> bool:
        """Whether clearly more words are unknown than would be by chance."""
        share, expected, z = self.unknown_share, self.expected_unknown_share, self.unknown_z
        return share is not None and expected is not None and z is not None and z >= FAR and share >= MANY * expected

    @property
    def other_mix(self) -> bool:
        """Whether the classes are clearly not mixed as they were."""
        return self.p_value < SELDOM and bool(np.abs(self.estimated_mix - self.learned_mix).max() >= MOVED)

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
        if z <= -FAR:
            return "fewer than by chance; some of these documents may have been learned"
        return f"{'more than by chance, but few: ' if z >= FAR else ''}much the same kind of text"

    def _said_of_mix(self) -> str:
        if self.other_text:  # then p(x | c) is not what was learned, which the estimate rests on
            return "what is said of classes and accuracy may not hold for it"
        if not self.other_mix:
            return "no sign of another class mix"
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
    posteriors, rows, n = [np.zeros((0, len(model.labels)))], _Shares.none(), 0
    for batch in batches:
        if isinstance(model, Model):
            posteriors.append(model.posterior(batch, workers))  # type: ignore[arg-type]
            rows += _Shares.of_encoded(model.encode(batch))  # type: ignore[arg-type]
        else:
            posteriors.append(model.posterior(batch))  # type: ignore[arg-type]
        n += len(batch)
        if progress is not None:
            progress(Progress(n, getattr(batch, "bytes_read", 0), getattr(batch, "bytes_total", None)))
    posterior = np.concatenate(posteriors)
    if not n:
        raise DataError("there are no documents to look at; give some")
    old = posterior_prior(model)
    found = estimated_prior(posterior, old)
    kept = model.summary.sample if isinstance(model, Model) else model.kept
    right = None if kept is None or not len(kept) else kept_of(model, workers)
    unknown = _unknown(model, rows, workers) if isinstance(model, Model) else {}
    return Drift(
        n=n,
        labels=model.labels,
        class_mix=posterior.mean(axis=0),
        learned_mix=old,
        estimated_mix=found.prior,
        p_value=found.p_value,
        expected_accuracy=float(posterior.max(axis=1).mean()),
        expected_log_loss=float(_entropy(posterior).mean()),
        left_out_accuracy=None if right is None else float((right.log_posterior.argmax(axis=1) == right.cls).mean()),
        **unknown,
    )


def _unknown(model: Model, new: "_Shares", jobs: int) -> dict[str, Any]:
    """The shares of unknown features and their distance."""
    if not new.features.sum():
        return {}
    sample = model.summary.sample
    if sample is None or not len(sample) or model.counts_known_only:  # then kept documents do not tell
        return {"unknown_share": new.share}
    kept = _kept_shares(model, Documents.of_sample(sample, model.counts.unit), jobs)
    if not kept.features.sum():
        return {"unknown_share": new.share}
    error = new.variance + kept.variance
    told = bool(len(new.features) > 1 and len(kept.features) > 1 and error > 0)
    z = (new.share - kept.share) / float(np.sqrt(error)) if told else None
    return {"unknown_share": new.share, "expected_unknown_share": kept.share, "unknown_z": z}


def _kept_shares(model: Model, documents: Documents, jobs: int) -> "_Shares":
    """Those of kept documents without themselves, copies of a text as one observation."""
    # subtle: not without its copies, for texts come again: of what was learned twice, nothing is new
    alone = replace(
        documents, weight=np.minimum(documents.weight, 1.0), block=np.arange(len(documents), dtype=np.int32)
    )
    scores = left_out_scores(model, alone, jobs=jobs)
    features = documents.weight * scores.features
    return _Shares(features - documents.weight * scores.known, features)


@dataclass(frozen=True, eq=False)
class _Shares:
    """Unknown features of each document, of how many."""

    unknown: Floats
    features: Floats

    @classmethod
    def none(cls) -> "_Shares":
        return cls(np.zeros(0), np.zeros(0))

    @classmethod
    def of_encoded(cls, rows: dict[str, Any]) -> "_Shares":
        """From what `Model.encode` gives."""
        counts = np.concatenate([[0], np.cumsum(rows["count"], dtype=np.float64)])
        unknown = rows["unknown"].astype(np.float64)
        return cls(unknown, np.diff(counts[rows["offsets"]]) + unknown)

    def __add__(self, other: "_Shares") -> "_Shares":
        return _Shares(np.concatenate([self.unknown, other.unknown]), np.concatenate([self.features, other.features]))

    @property
    def share(self) -> float:
        return float(self.unknown.sum() / self.features.sum())

    @property
    def variance(self) -> float:
        """Of the share: n / (n - 1) Σ (u_i - share f_i)² / (Σ f_i)²."""
        n = len(self.features)
        if n < 2:
            return 0.0
        off = self.unknown - self.share * self.features
        return float(n / (n - 1) * (off @ off) / self.features.sum() ** 2)


def _entropy(posterior: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 log 0 is 0
        entropy: Floats = -np.where(posterior > 0, posterior * np.log(posterior), 0.0).sum(axis=1)
    return entropy
