"""How much memory training takes over the data: `python table_memory.py KIND ROWS WORK` is a process that is measured.

It makes a table (frame: pandas with categories; arrow: with plain strings; split: the arrays of the peers), does
nothing with it (make), fits (fit), or fits and classifies a row (ask), and prints its peak and the bytes of the table.
"""

import subprocess
import sys
from pathlib import Path

import report

SMALL = 1_000  # rows of the process that is taken off: all modules are loaded, and there is next to no data
NAMES = {
    "frame": "pandas frame with categories",
    "arrow": "Arrow table with plain strings",
    "split": "GaussianNB + CategoricalNB on their arrays",
}
WORKS = {"make": "making the table alone", "fit": "fit", "ask": "fit and classify a row"}


def figures(rows: int) -> list[report.Figure]:
    """(peak with the data - peak with 1,000 rows) / bytes of the table's columns."""
    found = []
    for kind, name in NAMES.items():
        for work, said in WORKS.items():
            peak, size = _measured(kind, rows, work)
            without, _ = _measured(kind, SMALL, work)
            target = 1.5 if kind == "frame" and work == "fit" and rows >= 1_000_000 else None
            value = (peak - without) / size
            found.append(
                report.Figure(f"{name}, {size / 1e6:,.0f} MB: {said}", value, " x", target=target, at_least=False)
            )
    return found


def _measured(kind: str, rows: int, work: str) -> tuple[int, int]:
    print(f"memory: {kind}, {rows:,} rows, {work}", file=sys.stderr)
    command = [sys.executable, __file__, kind, str(rows), work]
    peak, size = subprocess.check_output(command, text=True).split()
    return int(peak), int(size)


def _peak() -> int:
    """Of this process alone: what getrusage says would count the memory of the parent that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _child(kind: str, rows: int, work: str) -> None:
    import table_data
    from priori.estimators.naive_bayes import NaiveBayes
    from table_speed import fit_split

    y = table_data.labels(rows)
    if kind == "split":
        X = table_data.arrays(y)
        size = sum(part.nbytes for part in X)
    else:
        X = table_data.frame(y) if kind == "frame" else table_data.arrow(y)
        size = int(X.memory_usage(index=False).sum()) if kind == "frame" else X.nbytes
    if work != "make":
        model = fit_split(*X, y) if kind == "split" else NaiveBayes().fit(X, y)
        if work == "ask" and kind == "split":
            model.log_joint(*(part[:1] for part in X))
        elif work == "ask":
            model.predict_log_proba(X[:1])
    print(_peak(), size)


if __name__ == "__main__":
    _child(sys.argv[1], int(sys.argv[2]), sys.argv[3])
