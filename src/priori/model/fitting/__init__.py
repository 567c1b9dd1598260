"""Readings fitted from a model's own documents, each left out: how much to smooth, and how far to believe a score.

The fitting itself is in `priori.fitted.fit`, loaded where something is to be fitted.
"""

from priori.fitted.calibration import Calibration
from priori.fitted.fitted import Fitted

__all__ = ["Calibration", "Fitted"]
