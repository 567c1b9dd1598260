"""Fuzzes the reader of model files: `python fuzz/model.py SECONDS [SEED]`.

Runs tests/store/damage.py, round after round in processes of their own, until the time is over. A crash, a file wrongly
accepted or an exception of the wrong kind ends it with exit code 1, the damaged file kept.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

DAMAGE = Path(__file__).parents[1] / "tests" / "store" / "damage.py"
FILES_A_ROUND = 1_000


def damage(seed: int, folder: str) -> Counter[str] | None:
    """What became of a round of damaged files, None if the reader failed."""
    command = [sys.executable, "-X", "faulthandler", str(DAMAGE), str(seed), str(FILES_A_ROUND), folder]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode == 0:
        return Counter(json.loads(run.stdout)["tally"])
    print(run.stderr, file=sys.stderr)
    print(f"model: finding, exit code {run.returncode}; replay with: {' '.join(command)}", file=sys.stderr)
    return None


def main(seconds: float, seed: int) -> int:
    """Damage until the time is over; the exit code."""
    print(f"model: seed {seed}", flush=True)
    begin = time.monotonic()
    tally: Counter[str] = Counter()
    folder = tempfile.mkdtemp(prefix="priori-fuzz-")
    while not tally or time.monotonic() - begin < seconds:
        outcome = damage(seed, folder)
        if outcome is None:
            return 1
        tally += outcome
        seed += 1
    for file in Path(folder).iterdir():
        file.unlink()
    Path(folder).rmdir()
    refused = sum(count for name, count in tally.items() if name.endswith("refused"))
    spent = time.monotonic() - begin
    print(f"model: {tally.total()} damaged files in {spent:.0f} s, {refused} refused, nothing found")
    return 0


if __name__ == "__main__":
    start = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**31)
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0, start))
