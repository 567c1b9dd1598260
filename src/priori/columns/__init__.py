"""Families of the columns of a table, class by class: how cells are counted, and what the counts say of new ones.

>>> from priori import columns
>>> columns.Categorical(("red", "green", "blue")).values
('red', 'green', 'blue')
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "BernoulliColumn": "categories",
    "BinnedColumn": "bins",
    "Categorical": "categories",
    "ColumnFamily": "base",
    "ExponentialColumn": "rates",
    "FAMILIES": "registry",
    "GammaColumn": "rates",
    "GaussianColumn": "normal",
    "GaussianColumns": "joint.column",
    "LognormalColumn": "normal",
    "MultinomialColumns": "joint.multinomial",
    "NiwPrior": "joint.settings",
    "PoissonColumn": "rates",
    "StudentColumn": "normal",
    "TextColumn": "words.column",
    "parts_of": "specification",
}


def __getattr__(name: str) -> Any:  # loaded when first touched: a family needs not the others
    if name in _HOMES:
        return getattr(import_module(f"priori.columns.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.columns' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
