"""Imports point downwards only, and `import priori` is light."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "priori"
LAYERS = [  # from the bottom; a module may import from the rows above its own
    {"_core", "_version", "errors"},
    {"arguments", "components", "log", "smoothing", "term_selection", "threads"},
    {"readings", "sources", "store", "text"},
    {"frames", "groups", "html", "labels", "statistics", "table_readings"},
    {"language", "rankings"},
    {"corpus", "decisions", "events", "families", "tables"},
    {"engines", "estimation", "left_out", "text_scoring"},
    {"fitted"},
    {"classifier", "regression", "retrieval"},
    {"explain_language", "language_models", "model_file", "recalibrate"},
    {"columns", "evaluate", "explain", "leave_one_out", "select", "text_sample"},
    {"inspection", "table_classifier", "table_data", "text_left_out"},
    {"latent"},
    {"plots", "table_advice", "table_explain", "table_file"},
    {"table_inspection", "table_left_out", "table_recalibrate", "table_sample"},
    {"kept", "table_evaluate", "unknown_words"},
    {"operating"},
    {"drift"},
    {"deciding", "estimating"},
    {"tabular_hidden", "text_drawing", "text_learning", "text_unlabelled"},
    {"demo", "report", "sklearn", "tabular_base"},
    {"tabular"},
    {"learners", "loading"},
    {"cli"},
]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
# The only ways up, taken inside functions: Model.save and Model.load are doors to the layer that knows files.
DOORS = {
    ("classifier", "model_file"),
    *(("table_classifier", door) for door in ("table_file", "table_left_out", "table_recalibrate")),
}


def imports():
    """(importer, imported) by first name under priori, imports inside functions too."""
    for path in PACKAGE.rglob("*.py"):
        importer = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if importer == "__init__":  # it only names what it loads when touched
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path} has a relative import"
                # `from priori import _core` names a module; in `from priori.text import x` the module is text
                names = [f"priori.{a.name}" for a in node.names] if node.module == "priori" else [node.module or ""]
            found = {name.split(".")[1] for name in names if name.startswith("priori.")}
            yield from ((importer, imported) for imported in found - {importer})


def test_imports_point_downwards():
    edges = set(imports())
    unplaced = {name for edge in edges for name in edge} - set(HEIGHT)
    assert not unplaced, "give them a layer above"
    upwards = {(a, b) for a, b in edges - DOORS if HEIGHT[a] <= HEIGHT[b]}
    assert not upwards


def test_the_package_is_light():
    heavy = ["sklearn", "scipy", "matplotlib", "rich", "pyarrow", "pandas", "polars", "duckdb", "click"]
    code = f"import sys, priori; priori.__version__; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
    code = f"import sys, priori.classifier; print([m for m in {heavy} if m in sys.modules and m != 'pyarrow'])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
