"""Imports point downwards only, and `import priori` is light."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "priori"
ROOMS = [  # from the bottom; a module may import from its own room and from the rows above it
    {"_core", "_version", "errors"},
    {"validation", "formatting", "threads", "log"},
    {"store"},
    {"text"},
    {"data"},
    {"statistics"},
    {"families"},
    {"language"},
    {"columns"},
    {"estimation"},
    {"decisions"},
    {"model"},
    {"latent"},
    {"select"},
    {"plots"},
    {"report"},
    {"estimators"},
    {"cli"},
]
HEIGHT = {name: height for height, names in enumerate(ROOMS) for name in names}
# What still points up; this list may only shrink: a column of words holds a model until texts and tables have one.
UPWARDS = {("columns.words.column", "model")}


def imports():
    """(module, room that it imports from), imports inside functions too."""
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts == ("__init__",):  # it only names what it loads when touched
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path} has a relative import"
                # `from priori import _core` names a module; in `from priori.text import x` the module is text
                names = [f"priori.{a.name}" for a in node.names] if node.module == "priori" else [node.module or ""]
            found = {name.split(".")[1] for name in names if name.startswith("priori.")}
            yield from ((".".join(parts), room) for room in found - {parts[0]})


def test_imports_point_downwards():
    edges = set(imports())
    unplaced = {name for module, room in edges for name in (module.split(".")[0], room)} - set(HEIGHT)
    assert not unplaced, "give them a room above"
    assert {(module, room) for module, room in edges if HEIGHT[module.split(".")[0]] <= HEIGHT[room]} == UPWARDS


@pytest.mark.parametrize(
    "package", [path.parent for path in sorted(PACKAGE.rglob("__init__.py"))], ids=lambda p: p.name
)
def test_public_names_are_there(package):
    """Those that are loaded when first touched too."""
    module = import_module(".".join(["priori", *package.relative_to(PACKAGE).parts]))
    names = {*getattr(module, "__all__", ()), *getattr(module, "_HOME_OF", getattr(module, "_HOMES", ()))}
    assert not [name for name in names if not hasattr(module, name)]


def test_the_package_is_light():
    heavy = ["sklearn", "scipy", "matplotlib", "rich", "pyarrow", "pandas", "polars", "duckdb", "click"]
    code = f"import sys, priori; priori.__version__; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
    code = f"import sys, priori.model.classifier; print([m for m in {heavy} if m in sys.modules and m != 'pyarrow'])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
