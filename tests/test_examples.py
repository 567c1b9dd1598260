"""Every example in the pages and in the docstrings runs and prints what it says."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GUIDES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "fuzz" / "README.md"]
PLACES = ("src", "tests", "benchmarks", "tools", "fuzz", "native")
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "src" / "priori").rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(test):
    report = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page, tmp_path, monkeypatch):
    """The blocks of a page share their names, as a reader would expect."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(?:python|pycon)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    text = "\n".join(block for block in blocks if ">>>" in block)
    run(doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0))


FILES = {str(path.relative_to(ROOT)) for folder in PLACES for path in (ROOT / folder).rglob("*.*")}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_pages_name_are_there(page):
    """`columns/base.py` is a file of the package, or of the repository; `base.py` is the file of some folder."""
    named = re.findall(r"`([\w/]+\.(?:py|hpp|cpp))`", page.read_text(encoding="utf-8"))
    assert not [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in FILES)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    assert tests
    for test in tests:
        run(test)
