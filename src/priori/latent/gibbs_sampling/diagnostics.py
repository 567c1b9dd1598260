"""Whether chains agree: rank-normalised R-hat and bulk ESS (Vehtari et al. 2021); and how their classes match.

R-hat and ESS are those of arviz-stats. Classes without a name may change places from chain to chain; `order_by` puts
them back. Only classes that nothing tells apart beforehand are moved (Hidden.groups): one with labelled documents, seed
words or a prior of its own keeps its place, for giving it another's would change the posterior.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, PrioriError
from priori.latent.corpus import Floats

Order = npt.NDArray[np.intp]
Groups = tuple[tuple[int, ...], ...]

LARGEST_RHAT = 1.1  # above it, chains are in different places
LEAST_DRAWS = 4


@dataclass(frozen=True)
class Diagnosis:
    """One quantity of several chains. R-hat near 1: they cannot be told apart; ESS: independent draws worth as much."""

    rhat: float
    ess: float

    @property
    def agree(self) -> bool:
        """Whether R-hat is no larger than 1.1."""
        return self.rhat <= LARGEST_RHAT

    @property
    def said(self) -> str:
        """R-hat with two digits; ∞ where no chain moves and they are in different places."""
        return "∞" if np.isinf(self.rhat) else f"{self.rhat:.2f}"


def installed() -> bool:
    """Whether arviz-stats is there."""
    return find_spec("arviz_stats") is not None


def array_stats() -> Any:
    """arviz-stats' functions of arrays."""
    try:
        from arviz_stats.base import array_stats as found
    except ModuleNotFoundError as error:
        raise PrioriError(
            "R-hat and ESS need arviz-stats; pip install 'priori[mcmc]', or ask for chains with diagnose=False"
        ) from error
    return found


def diagnose(draws: Floats) -> Diagnosis:
    """Of a quantity (chains, draws) that does not depend on the order of the classes. One chain is cut into halves."""
    if draws.shape[0] == 1:
        half = draws.shape[1] // 2
        draws = np.stack([draws[0, :half], draws[0, half : 2 * half]])
    if draws.shape[1] < LEAST_DRAWS:
        raise DataError(f"{draws.shape[1]} draws a chain say nothing of their agreement; take at least {LEAST_DRAWS}")
    if (draws == draws[:, :1]).all():  # no chain moves, so that there is no variance to divide by
        same = bool((draws == draws[0, 0]).all())
        return Diagnosis(1.0 if same else np.inf, float(draws.size if same else len(draws)))
    stats = array_stats()
    with np.errstate(invalid="ignore", divide="ignore"):
        rhat = float(stats.rhat(draws, method="rank"))
        ess = float(stats.ess(draws, method="bulk"))
    # subtle: 0 / 0 is left where all but the middle draws, which the halves of odd chains leave out, are one number
    return Diagnosis(1.0 if np.isnan(rhat) else rhat, ess)


def worst(diagnoses: Mapping[str, Diagnosis]) -> tuple[str, Diagnosis]:
    """The quantity with the largest R-hat, by name."""
    return max(diagnoses.items(), key=lambda pair: pair[1].rhat)


def order_by(similarity: Floats, groups: Groups) -> Order:
    """order[k]: which class of the other takes place k, so that the sum of similarities is largest (Hungarian)."""
    from scipy.optimize import linear_sum_assignment

    order = np.arange(len(similarity))
    for group in groups:
        places = np.array(group)
        rows, columns = linear_sum_assignment(similarity[np.ix_(places, places)], maximize=True)
        order[places[rows]] = places[columns]
    return order


def sorted_within(sizes: npt.NDArray[np.int64], groups: Groups) -> npt.NDArray[np.int64]:
    """Sizes (..., K) that do not depend on the order of classes that can change places: largest first in each group."""
    out = sizes.copy()
    for group in groups:
        out[..., group] = -np.sort(-sizes[..., group], axis=-1)
    return out
