"""What users say of learning without labels, refused with a line that names the value."""

from typing import Literal

import numpy as np

from priori.errors import DataError
from priori.readings import Readings

UnlabelledWeight = float | Literal["auto"]


def weight_of(unlabelled_weight: UnlabelledWeight) -> float | None:
    """What a row without a label counts beside one with: a number from 0 to 1; None: left to the data."""
    if unlabelled_weight == "auto":
        return None
    real = isinstance(unlabelled_weight, int | float | np.integer | np.floating)
    if not real or isinstance(unlabelled_weight, bool) or not 0 <= unlabelled_weight <= 1:
        raise DataError(f"unlabelled_weight={unlabelled_weight!r} is no weight; give 'auto' or a number from 0 to 1")
    return float(unlabelled_weight)


def refuse_selection(readings: Readings) -> None:
    """Refuse to choose words by classes that they are to help to find."""
    if readings.select is not None:
        raise DataError(
            f"select={readings.select!r} chooses words by classes that are known, and some texts have no label; leave "
            "select out, or skip those texts (unlabelled='skip')"
        )
