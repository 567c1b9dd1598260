"""2,000 damaged models with right checksums: each is refused, or works."""

import json
import os
import subprocess
import sys
from pathlib import Path


def test_damaged_models_are_refused_or_work(tmp_path):
    script = Path(__file__).with_name("hostile_models.py")
    command = [sys.executable, "-X", "faulthandler", "-W", "error", str(script), "1", "2000", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(script.parent / "store")}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    tally = json.loads(run.stdout)
    assert sum(tally.values()) == 2000
    assert min(tally[outcome] for outcome in ("refused", "refused in use", "works")) > 20  # each is really reached
