"""p(token | history) of every n-gram that was seen, and what is left for the others; see docs/maths/language.md.

Every method is one recursion, from the empty history to the longest:

    p(w | h) = kept(hw) / total(h) + left(h) p(w | h less its first token),   p(w | nothing) = ... + left / V

Kneser-Ney and absolute discounting keep count - D and leave the sum of the D; Dirichlet keeps the count, adds mu to the
total and leaves mu / total; Jelinek-Mercer keeps (1 - l) count and leaves l. What nothing followed leaves all.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priori.language.chain import Nodes, Tallied, kind_of
from priori.language.resolved import Resolved, discounts

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


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
