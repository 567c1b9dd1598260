"""What clustering has found: classes in order, a model like any other, and p(y | x) of every document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.components import component_names
from priori.fitted import Fitted
from priori.latent.corpus import Corpus
from priori.latent.counted import counted_model, named_alphas
from priori.latent.seeds import Seeds
from priori.readings import Estimate, Prior, Readings

if TYPE_CHECKING:
    from priori.classifier import Model
    from priori.latent.temper import Temper
    from priori.select.terms import Term
    from priori.statistics import Counts

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Found:
    """The classes that were found. Those without a name are "1", "2", ... from the largest to the smallest."""

    classes: tuple[str, ...]
    sizes: Floats  # (K,) expected documents, in the order of the classes
    probabilities: Floats  # (n, K) p(y | x), in the order of the classes; 1 for the label of a labelled document
    model: "Model"
    log_likelihood: float  # of EM untempered, of Gibbs the mean log joint after burn-in
    named: tuple[str, ...] = ()  # classes that labels or seed words have named
    unseen: tuple[str, ...] = ()  # seed words that no document has
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the method has to say of itself
    by_class: "Counts | None" = None  # where classes have several components, of which the model has the counts

    def __repr__(self) -> str:
        named = ", ".join(repr(name) for name in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        classes = "1 class" if len(self.classes) == 1 else f"{len(self.classes)} classes"
        return (
            f"<Found: {classes} ({named}), {len(self.probabilities):,} documents, "
            f"log-likelihood {self.log_likelihood:,.2f}>"
        )

    @property
    def shares(self) -> Floats:
        """(K,) of the documents."""
        return np.asarray(self.sizes / self.sizes.sum())

    @property
    def assigned(self) -> npt.NDArray[np.intp]:
        """(n,) the place of each document's most probable class."""
        return np.asarray(self.probabilities.argmax(axis=1))

    def telling(self, most: int = 10) -> dict[str, list["Term"]]:
        """The words of each class against the rest, by the z-score of their log-odds."""
        from priori.select.terms import rank

        counts = self.model.counts if self.by_class is None else self.by_class
        empty: dict[str, list[Term]] = {name: [] for name in self.classes}
        return empty | {name: rank(counts, "log-odds", name, most) for name in self.classes if name in counts.labels}


def by_size(names: tuple[str, ...], known: tuple[str, ...], sizes: Floats) -> npt.NDArray[np.intp]:
    """order[k]: the place that takes place k, so that of the classes without a name the largest come first.

    >>> by_size(("ham", "1", "2"), ("ham",), np.array([5.0, 2.0, 9.0]))
    array([0, 2, 1])
    """
    order = np.arange(len(names))
    free = np.array([k for k, name in enumerate(names) if name not in known], np.intp)
    order[free] = free[np.argsort(-sizes[free], kind="stable")]
    return order


def model_of(
    corpus: Corpus,
    classes: tuple[str, ...],
    shares: Floats,
    *,
    event: str,
    estimate: Estimate,
    alpha: float,
    documents: float,
    seeds: Seeds | None,
    temper: "Temper | None" = None,
) -> "Model":
    """The model of documents that belong to components of classes by these shares, (n, C), times their weights.

    It is read as EM has read the expected counts: by the same estimate, alpha and imagined documents. Under a temper
    its p(y | x) is p(x, y)^t, as the responsibilities were.
    """
    if estimate == "ml":  # the mean with nothing imagined; a reading called ml cannot be tempered
        estimate, alpha, documents, seeds = "bayes", 0.0, 0.0, None
    components = shares.shape[1] // len(classes)
    parts = {part: label for label in classes for part in component_names(label, components)}
    words = {} if seeds is None else named_alphas(corpus, classes, seeds.words)
    more = {
        part: {word: alpha + value for word, value in words[label].items()}
        for part, label in parts.items()
        if label in words
    }
    tempered = temper is not None and not temper.plain
    readings = Readings(
        event=event,  # type: ignore[arg-type]  # one of the two that have a mixture
        estimate=estimate,
        prior=Prior(alpha, classes={label: table for label, table in more.items() if table}),
        class_prior=documents,
        calibrate=tempered,
        components=parts if components > 1 else {},
    )
    fitted = Fitted(readings, None, temper.calibration()) if temper is not None and tempered else None
    return counted_model(corpus, tuple(parts), np.ascontiguousarray(shares), readings, fitted)
