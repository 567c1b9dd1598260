"""How many terms are read: the number of the least loss of documents that are left out, each choosing anew.

Powers of four first, then the powers of two beside the best, and all terms. Each number is judged with the calibration
that suits it best and, where alpha is left to the data too, at the alpha that real corpora have in common: the curve by
the number of terms is much steeper than what alpha changes in it. Alpha and calibration follow, for the number found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from priori.errors import ModelFileError
from priori.left_out import Documents, Scores, left_out_of
from priori.left_out.selecting import each_size, quick
from priori.readings import Readings
from priori.statistics import Counts

FOLDS = 10  # where to leave out one document costs a reading of all counts
COMMON_ALPHA = 0.1
_FEWEST, _EXACT = 16, 1 << 21  # pairs read anew, which takes two seconds or so; of more, folds do

Loss = Callable[[Scores, Documents], float]


@dataclass(frozen=True)
class ChosenTerms:
    """How the terms were chosen that are read."""

    terms: int | None = None  # None: it was given
    curve: tuple[tuple[int, float], ...] = ()  # mean loss by number of terms
    folds: int | None = None  # None: each document was left out alone (with its copies)

    def __str__(self) -> str:
        said = [] if self.terms is None else [f"{self.terms:,} terms"]
        return "; ".join([*said, f"terms chosen anew in {self.folds} folds"] if self.folds else said)

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {"terms": self.terms, "curve": [list(point) for point in self.curve], "folds": self.folds}

    @classmethod
    def from_json(cls, value: object) -> "ChosenTerms":
        """The inverse of `to_json`, checked."""
        if not isinstance(value, dict) or set(value) != {"terms", "curve", "folds"}:
            raise _odd(value)
        terms, curve, folds = value["terms"], value["curve"], value["folds"]
        numbers = [number for number in (terms, folds) if number is not None]
        if not isinstance(curve, list) or not all(isinstance(point, list) and len(point) == 2 for point in curve):
            raise _odd(curve)
        if not all(_whole(number) for number in [*numbers, *(point[0] for point in curve)]):
            raise _odd(value)
        for _, loss in curve:
            if isinstance(loss, bool) or not isinstance(loss, int | float) or not 0 <= loss < 2.0**1000:
                raise _odd(loss)
        return cls(terms, tuple((number, float(loss)) for number, loss in curve), folds)


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number < 2**31


def _odd(value: object) -> ModelFileError:
    return ModelFileError(f"what was fitted has terms {value!r}, which mean nothing; refit it with priori calibrate")


def in_parts(counts: Counts, readings: Readings, documents: Documents) -> tuple[Documents, int | None]:
    """The documents in folds, where to leave out each alone would take long; and how many folds."""
    blocks = len(set(documents.block.tolist()))
    if quick(readings) or blocks <= FOLDS or blocks * len(counts.pair_class) <= _EXACT:
        return documents, None
    return documents.in_folds(FOLDS), FOLDS


def choose_terms(
    counts: Counts, readings: Readings, documents: Documents, *, most: int, loss: Loss, jobs: int
) -> ChosenTerms:
    """The number of terms of least loss on about `most` documents."""
    if not isinstance(readings.prior.alpha, float):
        readings = readings.with_alpha(COMMON_ALPHA + (1.0 if readings.estimate == "map" else 0.0))
    if quick(readings):
        documents = documents.first(most)
    total = max(float(documents.loss_weight.sum()), 1.0)
    found: dict[int, float] = {}

    def look(sizes: Sequence[int]) -> None:
        sizes = [size for size in sizes if size not in found]
        if not sizes:
            return
        for size, scores in zip(sizes, _scores(counts, readings, documents, sizes, jobs), strict=True):
            found[size] = loss(scores, documents) / total

    every = max(1, counts.terms)
    look([*(size for size in (4**k for k in range(2, 16)) if size < every), every])
    best = min(found, key=lambda size: (found[size], size))
    near = (best // 2, 2 * best) if best < every else (_below(every),)
    look([size for size in near if _FEWEST <= size < every])
    best = min(found, key=lambda size: (found[size], size))
    return ChosenTerms(best, tuple(sorted(found.items())))


def _below(number: int) -> int:
    """The largest power of two that is less; 0: none is."""
    return 1 << (number - 1).bit_length() - 1 if number > 1 else 0


def _scores(counts: Counts, readings: Readings, documents: Documents, sizes: Sequence[int], jobs: int) -> list[Scores]:
    if quick(readings):
        return [left.scores(readings, jobs) for left in each_size(counts, readings, documents, sizes)]
    each = [readings.with_terms(size) for size in sizes]
    return [left_out_of(counts, one, None, documents, fixed=False).scores(one, jobs) for one in each]
