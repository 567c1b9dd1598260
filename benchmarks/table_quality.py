"""How good the automatic choice is out of fold, against the recipes of tests/recipes.py, which a test runs too."""

import sys
from collections.abc import Iterator
from pathlib import Path

import report
from priori.estimators.naive_bayes import NaiveBayes

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the source package has tests, and no benchmarks

from bundled_tables import LOADERS, bundled, mixed_with_holes
from recipes import Score, most_accurate, out_of_fold, recipe_scores

OURS = "NaiveBayes()"
HEADS = ["", "accuracy", "log loss", "ECE", "ECE floor"]
VERDICTS = [
    "table", "rows", "most accurate recipe", "rows right: ours", "theirs", "as accurate", "log loss: ours", "theirs",
    "lower", "lowest of all recipes", "lower",
]  # fmt: skip
Scores = dict[str, Score]  # ours first


def all_scores(folds: int) -> Iterator[tuple[str, Scores]]:
    """Every table with the scores on it."""
    for name in LOADERS:
        for said, make in ((name, bundled), (f"{name}, mixed with holes", mixed_with_holes)):
            print(f"quality: {said}", file=sys.stderr)
            X, y = make(name)
            yield said, {OURS: out_of_fold(NaiveBayes, X, y, folds), **dict(recipe_scores(X, y, folds))}


def verdict(table: str, scores: Scores) -> list[str]:
    """Ours against the most accurate recipe, and against the lowest log loss of any."""
    ours, theirs = scores[OURS], {name: score for name, score in scores.items() if name != OURS}
    name = most_accurate(theirs)
    rows, error = ours.behind(theirs[name])
    lowest = min(score.evaluation.log_loss for score in theirs.values())
    mine, peer = ours.evaluation.log_loss, theirs[name].evaluation.log_loss
    behind = "yes" if rows <= 0 else f"NO: {rows} row{'s' * (rows > 1)} behind (standard error {error:.1f})"
    return [
        table, f"{len(ours.right):,}", name, f"{ours.right.sum():,}", f"{theirs[name].right.sum():,}", behind,
        _loss(mine), _loss(peer), _yes(mine < peer), _loss(lowest), _yes(mine < lowest),
    ]  # fmt: skip


def sections(folds: int) -> list[str]:
    """The verdicts, then every table by itself."""
    found = dict(all_scores(folds))
    parts = [report.table(VERDICTS, [verdict(table, scores) for table, scores in found.items()])]
    for table, scores in found.items():
        lines = [[name, *_cells(score)] for name, score in scores.items()]
        parts += [f"### {table.capitalize()}", report.table(HEADS, lines)]
    return parts


def _cells(score: Score) -> list[str]:
    it = score.evaluation
    return [f"{100 * it.accuracy:.2f} %", _loss(it.log_loss), f"{it.ece:.3f}", f"{it.ece_floor:.3f}"]


def _loss(value: float) -> str:
    return f"{value:.4f}" if value < 100 else f"{value:,.0f}"


def _yes(found: bool) -> str:
    return "yes" if found else "NO"
