"""The exceptions of Priori. Every message states a fact, its cause and a remedy.

PrioriError
├── DataError            the data given cannot be used as it is (also a ValueError)
│   ├── CellTypeError        a value is of a type that no column of a table can hold (also a TypeError)
│   └── NegativeCountError   more was forgotten than learned, so no estimate exists
├── ModelFileError       a model file is damaged, foreign or newer than this version
├── EstimateError        the estimate asked for does not exist (0/0, no mode) for these counts (also a ValueError)
└── MergeError           two models, or a model and data, do not fit together (also a ValueError)
"""


class PrioriError(Exception):
    """Anything Priori reports to its user."""


class DataError(PrioriError, ValueError):
    """The data given cannot be used as it is."""


class CellTypeError(DataError, TypeError):
    """A value is of a type that no column of a table can hold."""


class NegativeCountError(DataError):
    """More was forgotten than learned, so no estimate exists."""


class ModelFileError(PrioriError):
    """A model file is damaged, foreign or newer than this version."""


class EstimateError(PrioriError, ValueError):
    """The estimate asked for does not exist for these counts."""


class MergeError(PrioriError, ValueError):
    """Two models, or a model and data, do not fit together."""
