"""Label switching: classes without a name may change places from chain to chain; here they are put back.

Only classes that nothing tells apart beforehand are moved (Hidden.groups): one with labelled documents, seed words or a
prior of its own keeps its place, for giving it another's would change the posterior.
"""

import numpy as np
import numpy.typing as npt

from priori.latent.corpus import Floats

Order = npt.NDArray[np.intp]
Groups = tuple[tuple[int, ...], ...]


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
