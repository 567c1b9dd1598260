"""How many threads to use."""

import os

from priori.errors import DataError


def threads(jobs: int | None = None) -> int:
    """How many threads to use: as asked, as PRIORI_NUM_THREADS says, or one for each processor we may run on."""
    if jobs is None:
        wish = os.environ.get("PRIORI_NUM_THREADS", "")
        if wish and not wish.isdigit():
            raise DataError(f"PRIORI_NUM_THREADS={wish!r} is no number of threads; give a whole number from 1")
        jobs = (
            int(wish) if wish else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
    if not jobs or jobs < 1:
        raise DataError(f"jobs={jobs} is no number of threads; give a whole number from 1")
    return jobs
