"""Runs of processes: pinned to processors, in turns, with wall-clock, processor time and peak memory."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter


@dataclass(frozen=True)
class Contender:
    """A process to measure."""

    name: str
    command: Sequence[str]
    size: int = 0  # bytes of text it goes through
    reports: bool = False  # prints the seconds of its work, start-up and imports left out
    processors: int = 1
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """What one run took."""

    seconds: float
    processor_seconds: float  # user and system: the steadier figure on a busy machine
    peak_bytes: int


def run(contender: Contender) -> Run:
    """Run a process on the last of our processors."""
    ours = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, ours[-contender.processors :])  # the child inherits it
    try:
        start = perf_counter()
        process = subprocess.Popen(
            contender.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if contender.reports else subprocess.DEVNULL,
            env=os.environ | contender.environment,
            text=True,
        )
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
    finally:
        os.sched_setaffinity(0, ours)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{contender.name} failed with exit code {process.returncode}: {' '.join(contender.command)}")
    if contender.reports:
        seconds = float(output)
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def in_turns(contenders: Sequence[Contender], rounds: int, note: Callable[[str], None]) -> dict[str, list[Run]]:
    """Every contender once, then every one again: a noisy minute hits all alike."""
    runs: dict[str, list[Run]] = {contender.name: [] for contender in contenders}
    for number in range(1, rounds + 1):
        for contender in contenders:
            note(f"round {number} of {rounds}: {contender.name}")
            runs[contender.name].append(run(contender))
    return runs


def best(runs: Sequence[Run]) -> float:
    """The least seconds."""
    return min(run.seconds for run in runs)


def spread(runs: Sequence[Run]) -> float:
    """How much longer the longest took than the shortest, as a fraction."""
    return max(run.seconds for run in runs) / best(runs) - 1


def peak(runs: Sequence[Run]) -> int:
    """The most memory that was resident, in bytes."""
    return max(run.peak_bytes for run in runs)
