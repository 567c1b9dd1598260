"""Ours against a peer in one process, in turns: a noisy minute hits both alike."""

import sys
from collections.abc import Callable
from time import perf_counter

import report
from measure import Run, best

Work = Callable[[], object]


def seconds(work: Work) -> float:
    """One call, or the mean of as many as take about 20 ms."""
    start = perf_counter()
    work()
    once = perf_counter() - start
    calls = max(1, int(0.02 / max(once, 1e-9)))
    start = perf_counter()
    for _ in range(calls):
        work()
    return (perf_counter() - start) / calls


class Bench:
    """Pairs of contenders, measured in turns."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.figures: list[report.Figure] = []
        self.rows: list[list[str]] = []

    def against(self, name: str, ours: Work, theirs: Work, target: float | None = None) -> None:
        """How many times as fast as a peer."""
        print(name, file=sys.stderr)
        taken = [[seconds(work) for work in (ours, theirs)] for _ in range(self.rounds)]
        mine, peer = ([Run(pair[i], pair[i], 0) for pair in taken] for i in range(2))
        self.figures.append(report.ratio(name, mine, 1, peer, 1, target))
        self.rows.append([name, f"{1e3 * best(mine):,.3f}", f"{1e3 * best(peer):,.3f}"])

    def alone(self, name: str, ours: Work, target: float) -> None:
        """Microseconds."""
        taken = [1e6 * seconds(ours) for _ in range(self.rounds)]
        self.figures.append(report.Figure(name, min(taken), " us", min(taken), max(taken), target, at_least=False))
