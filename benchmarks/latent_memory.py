"""How much memory EM takes: `python latent_memory.py ARRAYS ITERATIONS CLASSES` is a process that is measured.

It loads encoded documents, notes what is resident, iterates, and prints how much more was resident at the peak.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

import report
from priori.latent import Corpus

SPARE = 50e6  # bytes beside the counts and two tables
ITERATIONS = 10
ARRAYS = ("term_offsets", "term_bytes", "offsets", "term", "count", "cls", "weight")


def size(corpus: Corpus) -> int:
    """Bytes of the encoded documents."""
    return sum(getattr(corpus, name).nbytes for name in ARRAYS)


def figures(corpus: Corpus, classes: int, folder: Path) -> list[report.Figure]:
    """What EM takes besides the encoded documents, and together with them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "corpus.npz"
    np.savez(path, **{name: getattr(corpus, name) for name in ARRAYS})
    counts, table = size(corpus), 8 * classes * corpus.terms
    allowed = (counts + 2 * table + SPARE) / 1e6
    print("memory", file=sys.stderr)
    grown = int(
        subprocess.check_output([sys.executable, __file__, str(path), str(ITERATIONS), str(classes)], text=True)
    )
    said = f"counts {counts / 1e6:.0f} MB, two tables {2 * table / 1e6:.0f} MB, and 50 MB"
    of = f"memory of {ITERATIONS} iterations"
    return [
        report.Figure(f"{of} beside the counts; target: {said}", grown / 1e6, " MB", None, None, allowed, False),
        report.Figure(f"{of} with the counts; same target", (grown + counts) / 1e6, " MB", None, None, allowed, False),
        report.Figure(f"{of} beside the counts / two tables", grown / (2 * table), " x"),
    ]


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


def _child(path: str, iterations: int, classes: int) -> None:
    from priori.latent import Settings, State, starts
    from priori.text import Analyzer

    with np.load(path) as stored:
        arrays = {name: stored[name] for name in ARRAYS}
    corpus = Corpus(Analyzer(), (), *(arrays[name] for name in ARRAYS))
    settings = Settings(tuple(map(str, range(classes))))
    few = corpus.rows(np.arange(100))
    State(few, settings, starts.random(few, settings, 0), 1).step(1)  # whatever is loaded when first used
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    state = State(corpus, settings, starts.random(corpus, settings, 0), 2)
    for iteration in range(1, iterations + 1):
        state.step(iteration)
    print(_status("VmHWM") - before)


if __name__ == "__main__":
    _child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
