"""What probabilities are worth on texts that were not learned, against scikit-learn's calibration of naive Bayes."""

import sys
from collections.abc import Mapping

import calibration_data
import report
from calibrated_peers import DEFAULT, ONE, PEERS, RAW, RAW_ONE, Scored, scores

MOST_EXCESS = 0.015  # of the calibration error above its noise floor
MOST_LOST = -0.2  # points of accuracy by automatic smoothing
LOWER_ON = 6  # of seven sets, the log loss

Found = Mapping[str, Mapping[str, Scored]]  # by data set, then by contender

HEADS = ["", "accuracy", "log loss", "Brier", "ECE", "ECE floor", "excess", "seconds", "of it alpha"]
CALIBRATED = ["texts", "rows judged", "ECE", "ECE floor", "excess", f"<= {MOST_EXCESS}"]
LOSSES = ["texts", "log loss: ours", "lowest of the peers", "", "lower", "seconds: ours", "peer", "fastest peer"]
SMOOTHING = ["texts", "calibrated: auto", "alpha 1", "gain", "raw: auto", "alpha 1", "gain"]


def measure(folds: int) -> dict[str, dict[str, Scored]]:
    """Every data set with the scores on it."""
    found = {}
    for name in calibration_data.names():
        print(f"quality: {name}", file=sys.stderr)
        corpus = calibration_data.corpus(name)
        found[name] = scores(corpus.texts, corpus.labels, corpus.splits(folds))
    return found


def figures(found: Found) -> list[report.Figure]:
    """The targets."""
    excesses = [100 * scored[DEFAULT].excess for scored in found.values()]
    asked = LOWER_ON if len(found) == len(calibration_data.NAMES) else None
    lower = sum(_lower(scored) for scored in found.values())
    gains = {kind: [_gain(scored, *pair) for scored in found.values()] for kind, pair in _PAIRS.items()}
    times = [scored[DEFAULT].seconds / min(scored[peer].seconds for peer in PEERS) for scored in found.values()]
    sets = f"{len(found)} sets of texts"
    return [
        report.Figure(
            f"points of ECE above its floor, highest of {sets}",
            *(max(excesses), "", min(excesses), max(excesses), 100 * MOST_EXCESS),
            at_least=False,
        ),
        report.Figure(f"log loss lower than that of all four peers, of {sets}", lower, "", target=asked),
        report.Figure(
            f"seconds / those of the fastest peer, highest of {sets}",
            *(max(times), " x", min(times), max(times), 1.0),
            at_least=False,
        ),
        *(
            figure
            for kind, points in gains.items()
            for figure in (
                report.Figure(
                    f"points gained by automatic smoothing, {kind}: lowest",
                    *(min(points), "", min(points), max(points), MOST_LOST),
                ),
                report.Figure(
                    f"points gained by automatic smoothing, {kind}: mean", sum(points) / len(points), "", target=0
                ),
            )
        ),
    ]


def sections(found: Found) -> list[str]:
    """The verdicts, then every set by itself."""
    parts = [
        "### Calibrated by default",
        report.table(CALIBRATED, [_calibrated(name, scored[DEFAULT]) for name, scored in found.items()]),
        "### Log loss and time",
        report.table(LOSSES, [_losses(name, scored) for name, scored in found.items()]),
        "### Automatic smoothing",
        report.table(SMOOTHING, [_smoothing(name, scored) for name, scored in found.items()]),
    ]
    for name, scored in found.items():
        parts += [f"### {name}", report.table(HEADS, [[who, *_cells(score)] for who, score in scored.items()])]
    return parts


_PAIRS = {"calibrated": (DEFAULT, ONE), "raw": (RAW, RAW_ONE)}


def _gain(scored: Mapping[str, Scored], auto: str, one: str) -> float:
    return 100 * (scored[auto].evaluation.accuracy - scored[one].evaluation.accuracy)


def _lower(scored: Mapping[str, Scored]) -> bool:
    return all(scored[DEFAULT].evaluation.log_loss < scored[peer].evaluation.log_loss for peer in PEERS)


def _calibrated(name: str, scored: Scored) -> list[str]:
    it = scored.evaluation
    cells = [f"{value:.4f}" for value in (it.ece, it.ece_floor, scored.excess)]
    return [name, f"{it.n:,}", *cells, _yes(scored.excess <= MOST_EXCESS)]


def _losses(name: str, scored: Mapping[str, Scored]) -> list[str]:
    best = min(PEERS, key=lambda peer: scored[peer].evaluation.log_loss)
    mine, peer = scored[DEFAULT], scored[best]
    fastest = min(scored[peer].seconds for peer in PEERS)
    losses = [f"{it.evaluation.log_loss:.4f}" for it in (mine, peer)]
    seconds = [f"{value:.2f}" for value in (mine.seconds, peer.seconds, fastest)]
    return [name, *losses, best, _yes(_lower(scored)), *seconds]


def _smoothing(name: str, scored: Mapping[str, Scored]) -> list[str]:
    cells = [name]
    for auto, one in _PAIRS.values():
        cells += [f"{100 * scored[who].evaluation.accuracy:.2f} %" for who in (auto, one)]
        cells.append(f"{_gain(scored, auto, one):+.2f}")
    return cells


def _cells(scored: Scored) -> list[str]:
    it = scored.evaluation
    calibration = [f"{value:.4f}" for value in (it.ece, it.ece_floor, scored.excess)]
    searching = f"{scored.searching:.2f}" if scored.searching else ""
    return [
        f"{100 * it.accuracy:.2f} %", f"{it.log_loss:.4f}", f"{it.brier:.4f}", *calibration, f"{scored.seconds:.2f}",
        searching,
    ]  # fmt: skip


def _yes(found: bool) -> str:
    return "yes" if found else "NO"
