"""Scores of documents whose classes are known: how many are put right, how many cannot be decided, how sure it was."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.decisions.clustering_measures import Places, normalized_mutual_information, partners
from priori.latent.corpus import Floats

UNDECIDED = -1


@dataclass(frozen=True)
class Judgement:
    """What held-out documents say. One that cannot be decided is not right."""

    documents: int
    right: int
    undecided: int  # every class has probability 0, or the best two have the same
    impossible: int  # their own class has probability 0 and another has not: each makes the log loss infinite
    nmi: float  # of truth and decisions, the undecided being a class of their own
    log_loss: float  # -mean log p(true class); where every class has probability 0 they count as equally likely

    @property
    def accuracy(self) -> float:
        """Right of all."""
        return self.right / self.documents

    def to_json(self) -> dict[str, Any]:
        """Plain values; null for a log loss that is infinite."""
        return {
            "accuracy": self.accuracy,
            "right": self.right,
            "undecided": self.undecided,
            "impossible": self.impossible,
            "nmi": self.nmi,
            "log_loss": self.log_loss if np.isfinite(self.log_loss) else None,
        }


def judge(
    log_joint: Floats,  # (n, C)
    truth: npt.NDArray[np.int32],  # (n,) from 0 to classes - 1
    classes: int,
    *,
    length: npt.ArrayLike,  # (n,) features that were added up
    temper: npt.ArrayLike = 1.0,  # (n,) p(c | x) is proportional to p(x, c)^t
    named: bool = True,
) -> Judgement:
    """Judge scores of C components. named: the first are the classes; else they are matched (Hungarian method)."""
    decided = decisions(log_joint, length)
    components = log_joint.shape[1]
    mine = np.where(np.arange(components) < classes, np.arange(components), -1)
    if not named:
        mine = matching(truth, decided, classes, components)
    given = np.where(decided >= 0, mine[decided], UNDECIDED)
    log_posterior = _log_posterior(log_joint * np.asarray(temper, np.float64).reshape(-1, 1))
    whose = np.full(classes, -1)
    whose[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
    own = np.where(whose[truth] >= 0, log_posterior[np.arange(len(truth)), whose[truth]], -np.inf)
    return Judgement(
        len(truth),
        int((given == truth).sum()),
        int((decided == UNDECIDED).sum()),
        int(np.isneginf(own).sum()),
        normalized_mutual_information(truth, decided),
        float(0.0 - own.mean()),  # subtle: not -own.mean(), which is -0.0 where every probability is 1
    )


def decisions(log_joint: Floats, length: npt.ArrayLike) -> Places:
    """(n,) the component with the largest score; -1 where there is none, or two have it.

    Scores that differ by no more than adding up n + 1 rounded logarithms can make them are the same.
    """
    best = log_joint.max(axis=1)
    size = np.asarray(length, np.float64) + 2
    slack = np.finfo(np.float64).eps * size * np.where(np.isfinite(best), np.abs(best), 0.0)
    first = (log_joint >= (best - slack)[:, None]).sum(axis=1) == 1
    return np.where(first & np.isfinite(best), log_joint.argmax(axis=1), UNDECIDED)


def matching(truth: npt.NDArray[np.int32], decided: Places, classes: int, components: int) -> Places:
    """(components,) the class that each stands for, so that most documents are right; -1: none is left for it."""
    table = np.zeros((classes, components), np.int64)
    np.add.at(table, (truth[decided >= 0], decided[decided >= 0]), 1)
    rows, columns = partners(table)
    mine = np.full(components, -1)
    mine[columns] = rows
    return mine


def _log_posterior(scores: Floats) -> Floats:
    best = scores.max(axis=1, keepdims=True)
    shifted = scores - np.where(np.isfinite(best), best, 0.0)
    shifted[np.isneginf(best[:, 0])] = 0.0  # no class is possible: nothing is known
    log_posterior: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return log_posterior
