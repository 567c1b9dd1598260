"""Hypothesis without deadlines: a busy machine is no failure. One thread for each worker's algebra: they are many."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
