"""A page of figures in two halves, each measured apart: what is not measured stays as it was last."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import machine
import report

HERE = Path(__file__).parent
Half = Callable[[bool], list[str]]  # of whether it is to be quick: the parts of the page


def facts(load: float, libraries: Sequence[str], more: dict[str, str]) -> str:
    """What a reader must know to judge figures."""
    known = {
        "machine": machine.machine(load),
        "commit": machine.commit(),
        "versions": machine.versions(*libraries),
        **more,
    }
    return "\n".join(f"- {name}: {fact}" for name, fact in known.items())


def figures(found: list[report.Figure]) -> str:
    """Figures as a table."""
    heads = [*report.FIGURE_HEADS[:2], "lowest .. highest", *report.FIGURE_HEADS[3:]]
    return report.table(heads, [figure.cells() for figure in found])


def run(name: str, title: str, read: str, *, speed: Half, quality: Half, doc: str | None, quick: str) -> None:
    """Measure what the command line asks for, print the page, and write docs/benchmarks-NAME.md if told to."""
    page, folder = HERE.parent / "docs" / f"benchmarks-{name}.md", HERE / "data" / name
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--only", choices=("speed", "quality"), help="measure one half")
    parser.add_argument("--write-docs", action="store_true", help=f"write docs/{page.name}")
    arguments = parser.parse_args()
    parts = [
        f"# {title}",
        f"Written by `make bench-{name} BENCH_ARGS=--write-docs`; no figure here was typed by hand.",
        read,
    ]
    for half, measure in (("speed", speed), ("quality", quality)):
        kept = folder / f"{half}.json"
        if arguments.only in (None, half):
            found = measure(arguments.quick)
            if arguments.write_docs:
                folder.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(found), encoding="utf-8")
            parts += found
        elif arguments.write_docs and kept.is_file():
            parts += json.loads(kept.read_text(encoding="utf-8"))
    text = "\n\n".join(parts)
    print(text)
    if arguments.write_docs:
        page.write_text(text + "\n", encoding="utf-8")
