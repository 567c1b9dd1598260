"""Figures against their targets, for the terminal and for docs/benchmarks.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from measure import Contender, Run, best, peak, spread


@dataclass(frozen=True)
class Figure:
    """One line of the report: a value with its spread, and what was asked for."""

    name: str
    value: float
    unit: str
    least: float | None = None  # the lowest and highest of the rounds, taken one by one
    most: float | None = None
    target: float | None = None
    at_least: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def cells(self) -> list[str]:
        """The line, cell by cell."""
        between = "" if self.least is None or self.most is None else f"{_short(self.least)} .. {_short(self.most)}"
        target = "" if self.target is None else f"{'>=' if self.at_least else '<='} {_short(self.target)}"
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        return [self.name, f"{_short(self.value)}{self.unit}", between, target, verdict]


def ratio(
    name: str, ours: list[Run], size: int, theirs: list[Run], their_size: int, target: float | None = None
) -> Figure:
    """How many times the bytes per second of the other: best against best, and round by round."""
    factor = size / their_size
    rounds = [factor * b.seconds / a.seconds for a, b in zip(ours, theirs, strict=True)]
    return Figure(name, factor * best(theirs) / best(ours), " x", min(rounds), max(rounds), target)


def slowdown(name: str, ours: list[Run], yardstick: list[Run], target: float | None = None) -> Figure:
    """How many times the seconds of a yardstick."""
    rounds = [a.seconds / b.seconds for a, b in zip(ours, yardstick, strict=True)]
    return Figure(name, best(ours) / best(yardstick), " x", min(rounds), max(rounds), target, at_least=False)


def measured(contenders: Sequence[Contender], runs: dict[str, list[Run]]) -> list[list[str]]:
    """Every contender as it was measured."""
    rows = []
    for contender in contenders:
        taken = runs[contender.name]
        rate = f"{contender.size / best(taken) / 1e6:.1f}" if contender.size else ""
        size = f"{contender.size / 1e6:.0f}" if contender.size else ""
        processor = f"{min(run.processor_seconds for run in taken):.3f}"
        memory = f"{peak(taken) / 1e6:.0f}"
        rows.append([contender.name, size, f"{best(taken):.3f}", f"+{spread(taken):.0%}", rate, processor, memory])
    return rows


FIGURE_HEADS = ["figure", "value", "round by round", "target", ""]
MEASURED_HEADS = ["measured", "MB", "best s", "spread", "MB/s", "processor s", "peak MB"]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose columns are in line on a terminal too."""
    lines = [list(heads), *map(list, rows)]
    widths = [max(2, *(len(line[i]) for line in lines)) for i in range(len(heads))]  # a rule needs a dash and a colon
    pad = [[cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))]
           for line in lines]  # fmt: skip
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in [pad[0], rule, *pad[1:]])


def page(facts: dict[str, str], figures: Sequence[Figure], rows: Sequence[Sequence[str]]) -> str:
    """All of it as Markdown."""
    return "\n\n".join(
        [
            "# Benchmarks",
            "Written by `make bench BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
            "\n".join(f"- {name}: {fact}" for name, fact in facts.items()),
            "## Figures and targets\n\nValues are best against best; beside them the lowest and highest of the rounds.",
            table(FIGURE_HEADS, [figure.cells() for figure in figures]),
            "## Measurements",
            "Wall-clock of whole processes that read from the page cache, pinned to one core unless two threads are "
            "named. The Python peers are timed from inside: their imports and start-up do not count, nor does saving "
            "(ours does both). They run on a part of the file; ratios are of bytes per second.",
            table(MEASURED_HEADS, rows),
        ]
    )


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 10 else f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
