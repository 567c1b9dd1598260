"""Readings fitted from a model's own documents, each left out: how much to smooth, and how far to believe a score."""

from priori.fitted.calibration import Calibration
from priori.fitted.fitted import Fitted, fit_readings

__all__ = ["Calibration", "Fitted", "fit_readings"]
