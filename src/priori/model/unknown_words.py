"""How many words of new documents were never learned, and how many would be by chance.

share = Σ u_i / Σ f_i, u_i of the f_i features of document i being unknown: of new documents a ratio estimator (Cochran
1977, section 2.11), for the words of one document come together. Of kept documents that are left out it is the
estimate of the unseen by Good 1953, whose error has two parts. Let a word come λ times among the documents: left out,
it is unknown where it came once, with probability λ e^-λ; what is unseen holds λ of it, with e^-λ. The difference is 0
on average, and its square is λ e^-λ + λ² e^-λ: n₁ + 2 n₂ over all words, n_k of which came k times (Esty 1983). With
words that come together the sum is, by the same steps for each pair of words,

    Σ_i (u_i - share f_i)² + Σ_{i ≠ j} s_ij s_ji,   s_ij: the features of i of which no document but i and j has any.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.grouped_rows import Documents
from priori.model.classifier import Model
from priori.model.leave_one_out import left_out_scores

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class UnknownWords:
    """Unknown features of each document, of how many."""

    unknown: Floats
    features: Floats
    shared: float = 0.0  # Σ_{i ≠ j} s_ij s_ji, where documents were left out

    @classmethod
    def none(cls) -> Self:
        """Of no documents."""
        return cls(np.zeros(0), np.zeros(0))

    @classmethod
    def of_encoded(cls, rows: dict[str, Any]) -> Self:
        """From what `Model.encode` gives."""
        counts = np.concatenate([[0], np.cumsum(rows["count"], dtype=np.float64)])
        unknown = rows["unknown"].astype(np.float64)
        return cls(unknown, np.diff(counts[rows["offsets"]]) + unknown)

    @classmethod
    def of_kept(cls, model: Model, documents: Documents, jobs: int) -> Self:
        """Of kept documents without themselves, copies of a text as one observation."""
        # subtle: not without its copies, for texts come again: of what was learned twice, nothing is new
        alone = replace(
            documents, weight=np.minimum(documents.weight, 1.0), block=np.arange(len(documents), dtype=np.int32)
        )
        scores = left_out_scores(model, alone, jobs=jobs)
        features = documents.weight * scores.features
        return cls(features - documents.weight * scores.known, features, _shared_by_two(model, documents))

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            unknown=np.concatenate([self.unknown, other.unknown]),
            features=np.concatenate([self.features, other.features]),
        )

    @property
    def share(self) -> float:
        """Σ u_i / Σ f_i."""
        return float(self.unknown.sum() / self.features.sum())

    @property
    def variance(self) -> float:
        """Of the share, about what is unseen: (n / (n - 1) Σ (u_i - share f_i)² + shared) / (Σ f_i)²."""
        n = len(self.features)
        if n < 2:
            return 0.0
        off = self.unknown - self.share * self.features
        return float((n / (n - 1) * (off @ off) + self.shared) / self.features.sum() ** 2)


def unknown_words(model: Model, new: UnknownWords, jobs: int) -> dict[str, float | None]:
    """The shares of unknown features and their distance, as `Drift` names them."""
    if not new.features.sum():
        return {}
    sample = model.summary.sample
    if sample is None or not len(sample) or model.counts_known_only:  # then kept documents do not tell
        return {"unknown_share": new.share}
    kept = UnknownWords.of_kept(model, Documents.of_sample(sample, model.counts.unit, model.analyzer.binary), jobs)
    if not kept.features.sum():
        return {"unknown_share": new.share}
    return {"unknown_share": new.share, "expected_unknown_share": kept.share, "unknown_z": _distance(new, kept)}


def _distance(new: UnknownWords, kept: UnknownWords) -> float | None:
    """That of the shares, in standard errors; None where there is none."""
    if len(new.features) < 2 or len(kept.features) < 2:
        return None
    apart, error = new.share - kept.share, new.variance + kept.variance
    if error > 0:
        return apart / float(np.sqrt(error))
    return 0.0 if apart == 0 else None  # every word of all documents is known, say


def _shared_by_two(model: Model, documents: Documents) -> float:
    """Σ_{i ≠ j} s_ij s_ji over kept documents.

    Of a share q of all documents, q² of the pairs are kept: over (Σ f_i)² of the kept it estimates the same as of all.
    """
    counts = model.counts
    learned = np.bincount(counts.pair_term, counts.pair_documents * counts.unit, counts.terms)  # documents of each term
    row = np.repeat(np.arange(len(documents)), np.diff(documents.offsets))
    entries = np.flatnonzero((learned == 2)[documents.term])
    # a copy is a document of its own; a weight between whole numbers is none, and its terms are not in two
    entries = np.repeat(entries, np.floor(documents.weight[row[entries]]).astype(np.intp))
    term = documents.term[entries]
    both = np.bincount(term, minlength=counts.terms) == 2
    entries = entries[both[term]]
    first, second = entries[np.argsort(documents.term[entries], kind="stable")].reshape(-1, 2).T  # rows ascend
    _, pair = np.unique(row[first] * len(documents) + row[second], return_inverse=True)
    once = documents.once
    of_first, of_second = (
        np.bincount(pair.ravel(), None if once else documents.count[side].astype(np.float64))
        for side in (first, second)
    )
    return 2.0 * float(of_first @ of_second)
