"""Freeze what the library computes, to compare before and after a change that must change nothing.

    python tools/freeze.py record BEFORE/.venv/bin/python before.json   # the Python of a clone after `make build`
    python tools/freeze.py record .venv/bin/python after.json
    python tools/freeze.py compare before.json after.json               # to the bit; exit 1 where a figure differs
    python tools/freeze.py race BEFORE/.venv/bin/python .venv/bin/python   # six timings in nine pairs; 1 below 0.97

A figure is a digest of bytes, or a number with all its digits: models (frozen_models.py) with their files, statistics,
fitted numbers, posteriors, left-out posteriors, explanations and draws; EM's objectives by seed; and which modules a
cold start loads, where after may load less, but never more. The race is in frozen_times.py.
"""

import argparse
import hashlib
import json
import marshal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from frozen_times import SURROUNDINGS, race

# What is loaded when these end: a statement, or the words of a command.
STARTS: dict[str, str | list[str]] = {
    "import priori": "import priori; priori.__version__",
    "priori.TextClassifier": "import priori; priori.TextClassifier",
    "priori.NaiveBayes": "import priori; priori.NaiveBayes",
    "priori --help": ["--help"],
    "priori classify --message": ["classify", "MODEL", "--message", "free phone"],
    "priori explain": ["explain", "MODEL", "free phone"],
    "priori inspect": ["inspect", "MODEL"],
    "priori train": ["train", "TEXTS", "-o", "OUT"],
    "priori evaluate": ["evaluate", "MODEL", "TEXTS"],
    "priori forget": ["forget", "MODEL", "TEXTS", "-o", "OUT"],
    "priori merge": ["merge", "MODEL", "MODEL", "-o", "OUT"],
    "priori generate": ["generate", "MODEL"],
    "priori cluster": ["cluster", "TEXTS", "--classes", "2", "--min-documents", "1", "-o", "OUT"],
    "priori bayes": ["bayes", "film=0.5:1/3", "book=0.5:1/2"],
    "priori classify, of a table": ["classify", "TABLE_MODEL", "TABLE"],
    "priori inspect, of a table": ["inspect", "TABLE_MODEL"],
    **{
        f"priori {name} --help": [name, "--help"] for name in ("train", "classify", "cluster", "demo", "estimate", "lm")
    },
}
COMMAND = """from priori.cli.app import app
try:
    app.main(prog_name="priori")
except SystemExit as end:
    assert not end.code
"""


def plain(value: Any) -> Any:
    """Nothing is rounded: arrays as digests with their first numbers, floats in hexadecimal."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        first = [float(each).hex() for each in value.ravel()[:3]]
        return {"shape": list(value.shape), "first": first, "sha256": sha256(np.ascontiguousarray(value).tobytes())}
    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
        return [plain(each) for each in value]
    number = value.item() if isinstance(value, np.integer) else value
    return number if number is None or isinstance(number, bool | int | str) else str(number)  # dates


def sha256(data: bytes) -> str:
    """The digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def of_file(model: Any) -> dict[str, Any]:
    """The bytes of the model file, the digests of its sections, and its readings with what was fitted."""
    from priori import store

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.priori"
        model.save(path)
        sections = store.read(str(path))
        readings = {name: value for name, value in sections.items() if isinstance(value, dict)}
        return {"bytes": sha256(path.read_bytes()), "digests": dict(sections.digests), "readings": readings}


def record_here() -> dict[str, Any]:
    """All figures of the tree that is imported."""
    import frozen_models
    import priori

    figures: dict[str, Any] = {}
    for name, made in [*frozen_models.text_models(), *frozen_models.table_models(), frozen_models.language()]:
        model, said = made()
        figures[name] = said | {"file": of_file(model)}
    for name, traced in frozen_models.traces():
        figures[name] = traced()
    return {"package": str(Path(priori.__file__).parent), "figures": plain(figures), "starts": starts()}


def starts() -> dict[str, Any]:
    """By start: how many of our modules are loaded, and which ones of others."""
    import priori

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.csv").write_text("text,label\nfree phone,spam\nsee you,ham\n")
        Path(folder, "x.csv").write_text("a,b,label\n1,u,yes\n2,v,no\n3,u,yes\n")
        priori.TextClassifier().fit(["free phone", "see you"], ["spam", "ham"]).save(f"{folder}/m.priori")
        priori.NaiveBayes().fit({"a": [1, 2, 3], "b": ["u", "v", "u"]}, ["yes", "no", "yes"]).save(f"{folder}/x.priori")
        files = {"MODEL": "m.priori", "TEXTS": "t.csv", "OUT": "o.priori", "TABLE_MODEL": "x.priori", "TABLE": "x.csv"}
        found = {}
        for name, start in STARTS.items():
            words = [] if isinstance(start, str) else [files.get(word, word) for word in start]
            code = f"import sys\n{start if isinstance(start, str) else COMMAND}\nprint(*sys.modules, file=sys.stderr)"
            command = [sys.executable, "-c", code, *words]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
            modules = done.stderr.splitlines()[-1].split()
            ours = [each for each in modules if each.split(".")[0] == "priori"]
            size = sum(map(compiled_size, ours))
            found[name] = {"ours": len(ours), "code": size, "others": sorted(set(modules) - set(ours))}
    return found


@cache
def compiled_size(module: str) -> int:
    """Bytes of a module's compiled code."""
    spec = find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return 0
    return len(marshal.dumps(compile(Path(spec.origin).read_bytes(), spec.origin, "exec", dont_inherit=True)))


def differences(before: Any, after: Any, at: str = "") -> list[str]:
    """Where two records differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = dict.fromkeys([*before, *after])
        return [line for key in keys for line in differences(before.get(key), after.get(key), f"{at} / {key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [line for place, pair in pairs for line in differences(*pair, f"{at} / {place}")]
    return [] if before == after else [f"{at.removeprefix(' / ')}: {before} became {after}"]


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Figures that differ, and starts that load more than before."""
    found = differences(before["figures"], after["figures"])
    for name, was in before["starts"].items():
        now = after["starts"][name]
        more = sorted(set(now["others"]) - set(was["others"]))
        sizes = [f"{each['ours']} ({each['code'] / 1000:.0f} kB)" for each in (was, now)]
        ours = f"{sizes[0]} of our modules, now {sizes[1]}"
        print(f"{name}: {ours}; {len(was['others'])} of others, now {len(now['others'])}")
        if now["ours"] > was["ours"] or more:
            found.append(f"{name} loads {ours}; and more of others: {', '.join(more) or 'none'}")
    return found


def count(value: Any) -> int:
    """How many figures a record has."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 1 if values is None else sum(map(count, values))


def main() -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    arguments = {
        "record": ("python", "output"),
        "compare": ("before", "after"),
        "race": ("before", "after"),
        "here": (),
    }
    for verb, names in arguments.items():
        for name in names if (words := verbs.add_parser(verb)) else ():
            words.add_argument(name)
    verbs.choices["race"].add_argument("--pairs", type=int, default=9)
    given = parser.parse_args()
    if given.verb == "here":
        print(json.dumps(record_here(), indent=1))
    elif given.verb == "record":
        command = [given.python, __file__, "here"]
        done = subprocess.run(command, env=SURROUNDINGS, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        Path(given.output).write_text(done.stdout)
        record = json.loads(done.stdout)
        print(f"{count(record['figures']):,} figures of {record['package']}")
    elif given.verb == "compare":
        before, after = (json.loads(Path(path).read_text()) for path in (given.before, given.after))
        found = compare(before, after)
        print(*found[:40], sep="\n", end="\n" * bool(found))
        print(f"{count(before['figures']):,} figures: {f'{len(found)} differences' if found else 'all the same'}")
        return int(bool(found))
    else:
        return race(given.before, given.after, given.pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
