"""Columns that are read together: one Gaussian, t or multinomial for each class."""
