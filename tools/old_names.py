"""Where modules are still called by the names that they had at an earlier revision.

    python tools/old_names.py REVISION    # prints FILE:LINE: NAME; exit 1 where there is any

A module that has moved is looked for as a dotted name (`priori.sources.read`, unless a package still has a public name
that is written so), as a path (`sources/read.py`), and, where no file is called so any more, as the bare name of its
file (`sniff.py`); a folder in code marks (`sources/`) or of tests. CHANGELOG.md tells of the past and is not searched.
"""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SEARCHED = ("src", "tests", "docs", "benchmarks", "fuzz", "tools", "native", "README.md", "CONTRIBUTING.md", "Makefile")
SUFFIXES = {".py", ".md", ".toml", ".hpp", ".cpp", ".h", ""}
PACKAGE = "src/priori/"


def git(*words: str) -> list[str]:
    """The lines that a git command prints."""
    return subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=True).stdout.splitlines()


def modules(files: list[str]) -> set[str]:
    """Paths below the package, without their ending: packages as folders, modules as files."""
    found = {name.removeprefix(PACKAGE).removesuffix(".py") for name in files if name.startswith(PACKAGE)}
    return {name.removesuffix("/__init__") for name in found}


def patterns(revision: str) -> re.Pattern[str]:
    """What to look for."""
    tracked, earlier = git("ls-files"), git("ls-tree", "-r", "--name-only", revision)
    old = modules([name for name in earlier if name.endswith(".py")])
    gone = sorted(old - modules([name for name in tracked if name.endswith(".py")]))
    leaves = {Path(name).name for name in gone} - {Path(name).stem for name in tracked}
    rooms, tests = (folders(earlier, top) - folders(tracked, top) for top in (PACKAGE, "tests/"))
    looks = (  # how a name is written, around any of some names
        (r"(?<![\w.])priori\.{}\b", [name.replace("/", ".") for name in gone if not is_public(name)]),
        (r"(?<![\w/])(?:src/)?priori/{}\.py\b", gone),
        (r"(?<![\w/]){}\.py\b", [name for name in gone if "/" in name] + sorted(leaves)),
        (r"`(?:src/)?(?:priori/)?{}/", sorted(rooms)),
        (r"\btests/{}\b", sorted(tests)),
    )
    found = [look.format(f"(?:{'|'.join(map(re.escape, names))})") for look, names in looks if names]
    return re.compile("|".join(found) if found else r"(?!)")  # which matches nothing


def folders(files: list[str], top: str) -> set[str]:
    """The folders that stand directly in another."""
    return {name.removeprefix(top).split("/")[0] for name in files if name.startswith(top) and "/" in name[len(top) :]}


def is_public(name: str) -> bool:
    """Whether a package has a public name that is written as an old module was."""
    package, _, leaf = name.rpartition("/")
    names = TOP / PACKAGE / package / "__init__.py"
    return names.is_file() and f'"{leaf}"' in names.read_text(encoding="utf-8")


def main() -> int:
    """Print what is found."""
    wanted, found = patterns(sys.argv[1]), 0
    for name in git("ls-files", *SEARCHED):
        path = TOP / name
        if path.suffix not in SUFFIXES or not path.is_file() or path.samefile(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in wanted.finditer(line):
                print(f"{name}:{number}: {match[0]}")
                found += 1
    print(f"{found} old names" if found else "no old names are left")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
