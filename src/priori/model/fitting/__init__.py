"""What readings leave to documents or rows, each left out: alpha, the number of terms, calibration, powers of columns.

Of texts, the fitting itself is in `priori.model.fitting.words`, loaded where something is to be fitted.
"""
