"""Encoded documents: rows of term ids and counts, that leave-one-out, EM, Gibbs and calibration walk over."""
