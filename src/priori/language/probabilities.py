"""p(token | history) of every n-gram that was seen, and what is left for the others; see docs/maths/language.md.

Every method is one recursion, from the empty history to the longest:

    p(w | h) = kept(hw) / total(h) + left(h) p(w | h less its first token),   p(w | nothing) = ... + left / V

Kneser-Ney and absolute discounting keep count - D and leave the sum of the D; Dirichlet keeps the count, adds mu to the
total and leaves mu / total; Jelinek-Mercer keeps (1 - l) count and leaves l. What nothing followed leaves all. Where mu
and l are not given, they are fitted: tokens shall surprise least, each left out of the counts that predict it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.language.ngrams import Nodes, Tallied, kind_of
from priori.language.smoothing import Resolved, discounts

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Curve = Callable[[float], float]

# Where the numbers are looked for: imagined counts, and weights of shorter histories.
MU: Floats = np.asarray(4.0 ** np.arange(-5, 13), np.float64)
WEIGHT: Floats = np.concatenate([2.0 ** np.arange(-20, -4), np.arange(1, 16) / 16, 1 - 2.0 ** np.arange(-5, -21, -1)])


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Of every node, the probability of its last token, and what it leaves to shorter ones as a history."""

    prob: Floats  # (n,); 1 for the mark at the beginning, which is never predicted
    left: Floats  # (n,)
    unseen: Floats  # (G,) of a token that the group has not seen, after no history: left / V
    fallback: Flags  # (G, N) where discounts are not those of the counts

    def log(self) -> tuple[Floats, Floats, Floats]:
        """The logarithms of all three: -inf where nothing is left."""
        with np.errstate(divide="ignore"):
            return np.log(self.prob), np.log(self.left), np.log(self.unseen)


def probabilities(nodes: Nodes, tallied: Tallied, resolved: Resolved, size: Floats | float) -> Probabilities:
    """`size`: V, how many tokens share what the empty history leaves; one number, or one by group."""
    kept, root_left, root_total, left, total, fallback = _shares(nodes, tallied, resolved, size)
    prob = np.ones(len(nodes.order))
    unseen = np.asarray(root_left / np.maximum(size, 1))  # no token at all is never asked for
    first = np.flatnonzero((nodes.order == 1) & nodes.predicted)
    group = nodes.group[first]
    prob[first] = _over(kept[first], root_total[group]) + unseen[group]
    for order in range(2, nodes.longest + 1):
        here = nodes.above(order)
        history = nodes.prefix[here]
        prob[here] = _over(kept[here], total[history]) + left[history] * prob[nodes.suffix[here]]
    return Probabilities(prob, left, unseen, fallback)


def _shares(
    nodes: Nodes, tallied: Tallied, resolved: Resolved, size: Floats | float
) -> tuple[Floats, Floats, Floats, Floats, Floats, Flags]:
    """kept (n,), left and total of the empty history (G,), left and total of the others (n,), fallbacks (G, N)."""
    none = np.zeros((nodes.groups, nodes.longest), bool)
    if resolved.method in ("kneser-ney", "absolute"):
        by_order, fallback = discounts(resolved, tallied.counts_of_counts)
        kind = kind_of(tallied.count)
        taken = np.where(kind >= 0, by_order[nodes.group, nodes.order - 1, np.maximum(kind, 0)], 0.0)
        # what follows a history of order n has order n + 1; the longest are no histories
        next_order = np.minimum(nodes.order, nodes.longest - 1)
        given_up = (tallied.types * by_order[nodes.group, next_order]).sum(axis=1)
        root_given_up = (tallied.root_types * by_order[:, 0]).sum(axis=1)
        kept = np.maximum(tallied.count - taken, 0.0)
        root_left, left = _left(root_given_up, tallied.root_total), _left(given_up, tallied.total)
        return kept, root_left, tallied.root_total, left, tallied.total, fallback
    numbers = resolved.by_order
    assert numbers is not None  # resolve() gives it to the methods that are left
    if resolved.method == "jelinek-mercer":
        weight = numbers[np.minimum(nodes.order, nodes.longest - 1)]  # of a history, by the order that follows it
        kept = (1 - numbers[nodes.order - 1]) * tallied.count
        left = np.where(tallied.total > 0, weight, 1.0)
        root_left = np.where(tallied.root_total > 0, numbers[0], 1.0)
        return kept, root_left, tallied.root_total, left, tallied.total, none
    imagined = numbers[np.minimum(nodes.order, nodes.longest - 1)]
    root_imagined = resolved.alpha * size
    root_total, total = tallied.root_total + root_imagined, tallied.total + imagined
    root_left = _left(np.full(nodes.groups, root_imagined), root_total)
    return tallied.count, root_left, root_total, _left(imagined, total), total, none


def _left(given_up: Floats, total: Floats) -> Floats:
    """What a history leaves: all of it where nothing followed."""
    return np.where(total > 0, given_up / np.where(total > 0, total, 1.0), 1.0)


def _over(kept: Floats, total: Floats) -> Floats:
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), 0.0)


# --- the numbers of a method, fitted ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LeftOutTokens:
    """How likely tokens are, each left out, by the number of a method: two sums, and their slopes.

    A token seen c times after a history of t tokens has, without itself (Zhai & Lafferty 2002, "Two-stage language
    models for information retrieval", equation 6, where a history is a document):

        Dirichlet:       Σ c log[(c - 1 + mu p) / (t - 1 + mu)]
        Jelinek-Mercer:  Σ c log[(1 - l) (c - 1) / (t - 1) + l p]

    with p what is smoothed towards. The first may have several peaks, so it is looked over before its slope is solved
    for 0. Tokens seen once have c - 1 = 0 and are summed up beforehand.
    """

    once: Floats  # (T,) how many tokens come once after histories of each length
    once_others: Floats  # (T,) t - 1 of these
    log_share: float  # Σ c log p of tokens that come once
    count: Floats  # (S,) of those that come several times
    rest: Floats  # (S,) c - 1
    others: Floats  # (S,) t - 1
    share: Floats  # (S,) p

    @classmethod
    def of(cls, count: Floats, total: Floats, share: Floats) -> Self:
        """Counts c, those of their histories t, and p; a count below one leaves nothing."""
        rest, others = np.maximum(count - 1, 0.0), np.maximum(total - 1, 0.0)
        several = rest > 0
        lengths, place = np.unique(others[~several], return_inverse=True)
        once = np.bincount(place, count[~several], len(lengths)).astype(np.float64)
        log_share = float(count[~several] @ np.log(share[~several]))
        return cls(once, lengths, log_share, *(a[several] for a in (count, rest, others, share)))

    def dirichlet(self, mu: float) -> float:
        """The log-likelihood by mu."""
        once = self.log_share + self.once @ np.log(mu / (self.once_others + mu))
        return float(once + self.count @ np.log((self.rest + mu * self.share) / (self.others + mu)))

    def dirichlet_slope(self, mu: float) -> float:
        """Its derivative, each token's difference taken before the sum."""
        once = self.once @ (self.once_others / ((self.once_others + mu) * mu))
        gain = self.others * self.share - self.rest
        return float(once + self.count @ (gain / ((self.others + mu) * (self.rest + mu * self.share))))

    def mixed(self, weight: float) -> float:
        """The log-likelihood by l: concave."""
        ratio = self.rest / self.others
        several = self.count @ np.log((1 - weight) * ratio + weight * self.share)
        return float(self._once_mixed * np.log(weight) + self.log_share + several)

    def mixed_slope(self, weight: float) -> float:
        """Its derivative."""
        ratio = self.rest / self.others
        gap = self.share - ratio
        return float(self._once_mixed / weight + self.count @ (gap / (ratio + weight * gap)))

    def curve(self, dirichlet: bool) -> tuple[Curve, Curve]:
        """The log-likelihood of one of the two, and its derivative."""
        return (self.dirichlet, self.dirichlet_slope) if dirichlet else (self.mixed, self.mixed_slope)

    @property
    def _once_mixed(self) -> float:
        """What is alone after its history is predicted by what is smoothed towards, whatever the weight."""
        return float(self.once[self.once_others > 0].sum())


def peak(value: Curve, slope: Curve, grid: Floats) -> float | None:
    """Where a function is largest: at the best root of its slope; None where it is larger at an end of the grid."""
    from scipy.optimize import brentq

    slopes = np.array([slope(x) for x in grid])
    falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    roots = [float(brentq(slope, grid[i], grid[i + 1], xtol=1e-12, rtol=1e-12)) for i in falls]
    if not roots:
        return None
    best = max(roots, key=value)
    return best if value(best) >= max(value(float(grid[0])), value(float(grid[-1]))) else None


def least_surprising(resolved: Resolved, nodes: Nodes, tallied: Tallied, size: int) -> Resolved:
    """With the number of each order, from the shortest histories on: what is shorter is smoothed already."""
    assert resolved.by_order is not None  # the methods that have a number have it by order
    numbers = resolved.by_order.copy()
    dirichlet = resolved.method == "dirichlet"
    for order in range(2 if dirichlet else 1, nodes.longest + 1):
        here = nodes.above(order)
        here = here[nodes.predicted[here]]
        if not len(here):
            continue
        so_far = replace(resolved, by_order=numbers)
        shorter = np.full(len(here), 1.0 / size)
        total = tallied.root_total[nodes.group[here]] if order == 1 else tallied.total[nodes.prefix[here]]
        if order > 1:
            shorter = probabilities(nodes, tallied, so_far, size).prob[nodes.suffix[here]]
        numbers[order - 1] = _best(LeftOutTokens.of(tallied.count[here], total, shorter), dirichlet)
    return replace(resolved, by_order=numbers)


def _best(left_out: LeftOutTokens, dirichlet: bool) -> float:
    """The highest point, or the better end where the sum rises up to one: histories say nothing, or all."""
    (value, slope), grid = left_out.curve(dirichlet), MU if dirichlet else WEIGHT
    found = peak(value, slope, grid)
    return max((float(grid[0]), float(grid[-1])), key=value) if found is None else found


def at_the_ends(resolved: Resolved) -> list[int]:
    """The orders whose number is the first or last that was looked at: no peak was found."""
    if resolved.by_order is None or resolved.method == "ml":
        return []
    grid, first = (MU, 2) if resolved.method == "dirichlet" else (WEIGHT, 1)
    return [n for n, number in enumerate(resolved.by_order.tolist(), 1) if n >= first and number in grid[[0, -1]]]
