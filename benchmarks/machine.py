"""What a reader must know to judge figures: the machine, how busy it was, the commit and the versions."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent


def machine(load: float) -> str:
    """Processor, cores, system, and the load before the start."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    busy = "" if load < 0.5 else "; it was not idle, so these figures are provisional"
    system = f"{platform.system()} {platform.machine()}"
    return f"{processor}, {os.cpu_count()} cores, {system}; load {load:.1f} before the start{busy}"


def commit() -> str:
    """The commit, and whether the code has changed since."""
    git = ["git", "-C", str(HERE)]
    name = subprocess.check_output([*git, "rev-parse", "--short", "HEAD"], text=True).strip()
    changed = subprocess.check_output(
        [*git, "status", "--porcelain", "--", ":/src", ":/native", ":/benchmarks/*.py"], text=True
    )
    return name + " with uncommitted changes" * bool(changed)


def versions(*names: str) -> str:
    """Python and the packages named."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)])
