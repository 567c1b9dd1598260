"""Tables that come with scikit-learn, as they are and made mixed: numbers, categories and booleans, with holes."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn import datasets

LOADERS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}
MISSING = 0.1  # the share of cells that go missing, whatever they hold


@cache
def bundled(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of numbers and its labels."""
    data = LOADERS[name](as_frame=True)
    return data.data, data.target.to_numpy()


@cache
def mixed_with_holes(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """By turns a number, a category (low, middle, high: the thirds) and a boolean (above the median); then holes.

    The thirds and the median are of the whole table, for they are how the data came to be and not a step of learning.
    """
    numbers, y = bundled(name)
    holes = np.random.default_rng(0).random(numbers.shape) < MISSING
    columns = {}
    for place, column in enumerate(numbers):
        values, missing = numbers[column].to_numpy(float), holes[:, place]
        if place % 3 == 0:
            columns[column] = np.where(missing, np.nan, values)
        elif place % 3 == 1:
            thirds = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)
            columns[column] = pd.Categorical.from_codes(np.where(missing, -1, thirds), ["low", "middle", "high"])
        else:
            columns[column] = pd.array(np.where(missing, None, values > np.median(values)), dtype="boolean")
    return pd.DataFrame(columns), y
