"""Covariances drawn towards a multiple of the identity: (1 - g) S + g tr(S)/d I."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def oracle_approximating(trace: Any, squares: Any, n: Any, d: int) -> Floats:
    """g = min(1, (tr(S²) + tr²(S)) / ((n + 1) (tr(S²) - tr²(S)/d))), from tr(S), tr(S²) and the weight n.

    Chen, Wiesel, Eldar & Hero (2010), equation 23, without its terms in 2/d, as scikit-learn has it. The scale of S
    cancels. Where S is a multiple of the identity already, g = 1.
    """
    whole = np.asarray(trace, np.float64) ** 2
    spread = (n + 1) * (squares - whole / d)
    most = squares + whole
    # subtle: written so that neither 0 nor what rounding leaves below 0 is divided by
    return np.where(most >= spread, 1.0, most / np.where(most >= spread, 1.0, spread))


def intensity(shrinkage: float | Literal["auto"], scatter: Floats, n: float) -> float:
    """g for a scatter matrix of weight n."""
    if shrinkage != "auto":
        return shrinkage
    return float(oracle_approximating(np.trace(scatter), (scatter**2).sum(), n, len(scatter)))


def shrunk(scatter: Floats, g: float) -> Floats:
    """(1 - g) S + g tr(S)/d I."""
    level = float(np.trace(scatter)) / len(scatter)
    return (1 - g) * scatter + g * level * np.eye(len(scatter))
