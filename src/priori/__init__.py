"""Learn to classify by counting."""

from priori._version import __version__

__all__ = ["__version__"]
