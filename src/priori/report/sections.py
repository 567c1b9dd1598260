"""The measures in plain words, how well found classes agree with labels, and the worst mistakes.

Each measure stands beside what a model that knows nothing would have. A mistake comes with what spoke for the wrong
label and what for the right one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.decisions.clustering_measures import matched_accuracy, normalized_mutual_information, partners
from priori.decisions.measures import Evaluation
from priori.report.content import ToldMistake, counted
from priori.report.markup import bars, label, section, table, text

# What compares the label of a document with the class of the same name, which there is not.
_BY_NAME = ("accuracy", "macro_f1", "log_loss", "brier", "ece", "ece_floor", "auc", "per_class", "cost")
_FEATURES = 6  # that are named

# --- measures ---------------------------------------------------------------------------------------------------------


def measures(found: Evaluation, noun: str) -> str:
    """A card for each measure."""
    cards = [_accuracy(found, noun), _log_loss(found, noun), _auc(found, noun), _calibration(found, noun)]
    cards += [_macro_f1(found), _brier(found)]
    cards += [_cost(found, noun)] if found.rejected is not None else []
    return f"<div class='grid three'>{''.join(cards)}</div>\n"


def _card(name: str, value: str, *said: str) -> str:
    """said: HTML."""
    return f"<div class=card>{name}<strong>{text(value)}</strong><small>{' '.join(said)}</small></div>\n"


def _accuracy(found: Evaluation, noun: str) -> str:
    largest = max(found.per_class, key=lambda each: found.per_class[each].support)
    share = found.per_class[largest].support / found.n
    always = f"Always saying {label(largest)} would be right for {share:.1%}."
    return _card(
        "Accuracy", f"{found.accuracy:.2%}", f"Share of {noun}s whose most probable label is the true one.", always
    )


def _log_loss(found: Evaluation, noun: str) -> str:
    shares = [scores.support / found.n for scores in found.per_class.values() if scores.support]
    entropy = -math.fsum(share * math.log(share) for share in shares) + 0.0
    guess = f"Knowing only how frequent each label is would cost {entropy:.4f}."
    what = f"The surprise at the true label, −ln p, in nats per {noun}; 0 is best."
    if found.log_loss_note is not None:
        return _card("Log loss", "infinite", what, f"It is {text(found.log_loss_note)}.")
    return _card("Log loss", f"{found.log_loss:.4f}", what, guess)


def _auc(found: Evaluation, noun: str) -> str:
    many = found.ranking is not None and len(found.ranking.classes) > 2
    what = (
        f"The chance that a {noun} of a class gets a higher probability of it than one of the rest does"
        f"{', the mean over the classes' if many else ''}; 0.5 is guessing, 1 is best."
    )
    note = "" if found.auc_note is None else f"({text(found.auc_note[0].upper() + found.auc_note[1:])}.)"
    return _card("Ranking (AUC)", "–" if found.auc is None else f"{found.auc:.4f}", what, note)


def _calibration(found: Evaluation, noun: str) -> str:
    what = "How far the stated probabilities are from how often they are right."
    floor = f"On so many {noun}s, perfect probabilities would show {found.ece_floor:.2%}, by chance."
    return _card("Calibration error", f"{found.ece:.2%}", what, floor)


def _macro_f1(found: Evaluation) -> str:
    what = "The mean over the labels of F1, which is high where a label is both found and not raised falsely:"
    return _card("Macro F1", f"{found.macro_f1:.4f}", what, "rare labels count as much as frequent ones; 1 is best.")


def _brier(found: Evaluation) -> str:
    what = "The squared distance of the probabilities from the truth; 0 is best, 2 the worst."
    squares = math.fsum((scores.support / found.n) ** 2 for scores in found.per_class.values())
    return _card("Brier score", f"{found.brier:.4f}", what, f"The shares of the labels would have {1 - squares:.4f}.")


def _cost(found: Evaluation, noun: str) -> str:
    what = f"The mean loss per {noun} of the decisions of least expected loss."
    rejected = f"{found.rejected or 0.0:.2%} refused an answer."
    others = [(name, count) for name, count in (found.decisions or {}).items() if name not in found.labels]
    aside = f"({', '.join(f'{label(name)} {count:,}' for name, count in others)}.)" if others else ""
    note = "" if found.cost_note is None else f"({text(found.cost_note[0].upper() + found.cost_note[1:])}.)"
    return _card("Cost", "–" if found.cost is None else f"{found.cost:.4f}", what, rejected, aside, note)


# --- classes found without labels -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Matched:
    """Classes found without labels, beside labels of other names: each is given the label that makes most right."""

    labels: tuple[str, ...]
    classes: tuple[str, ...]
    counts: npt.NDArray[np.int64]  # (labels, classes)
    accuracy: float
    nmi: float

    @classmethod
    def of(cls, found: Evaluation) -> Self | None:
        """None where some document has the label of a class, so that names can be compared."""
        learned = [name not in found.never_learned for name in found.labels]
        named, own = np.flatnonzero(np.logical_not(learned)), np.flatnonzero(learned)
        counts = found.confusion[np.ix_(named, own)]
        if counts.sum() < found.n:
            return None
        truth, given = (np.repeat(places.ravel(), counts.ravel()) for places in np.indices(counts.shape))
        return cls(
            found.never_learned,
            tuple(found.labels[place] for place in own.tolist()),
            counts,
            matched_accuracy(truth, given),
            normalized_mutual_information(truth, given),
        )

    def to_json(self, found: Evaluation) -> dict[str, Any]:
        """The evaluation without what compares names; a row of the confusion is a label, a column a class."""
        document = {name: value for name, value in found.to_json().items() if not name.endswith("_note")}
        return {
            **{name: None if name in _BY_NAME else value for name, value in document.items()},
            "labels": list(self.labels),
            "classes": list(self.classes),
            "confusion": self.counts.tolist(),
            "matched_accuracy": self.accuracy,
            "nmi": self.nmi,
        }


def agreement(matched: Matched, noun: str) -> str:
    """The part of the page: both measures, and which class holds which labels; a match is bold."""
    right = f"Share of {noun}s put right when each class is given a label."
    same = "Of labels and classes, normalized: 1 if they are the same, 0 if unrelated."
    cards = [("Matched accuracy", f"{matched.accuracy:.2%}", right), ("Mutual information", f"{matched.nmi:.4f}", same)]
    pairs = set(zip(*(places.tolist() for places in partners(matched.counts)), strict=True))
    rows = [
        [label(name), *(f"<b>{n:,}</b>" if (i, k) in pairs else f"{n:,}" for k, n in enumerate(counts))]
        for i, (name, counts) in enumerate(zip(matched.labels, matched.counts.tolist(), strict=True))
    ]
    lead = (
        f"No label of the data is one of the model's {counted(len(matched.classes), 'class')}. So each class is given "
        f"the label that makes most {noun}s right, and what compares names (calibration, ranking, F1) is left out."
    )
    shown = "".join(_card(*card) for card in cards)
    heads = ["label \\ class found", *map(label, matched.classes)]
    return section("How well it agrees", f"<div class='grid three'>{shown}</div>\n", table(heads, rows), lead=lead)


# --- mistakes ---------------------------------------------------------------------------------------------------------


def mistakes(told: Sequence[ToldMistake], noun: str) -> str:
    """One after the other."""
    return "".join(_one(each, noun) for each in told)


def _one(mistake: ToldMistake, noun: str) -> str:
    heading = (
        f"<h3><span class=against>{label(mistake.truth)}</span> taken for "
        f"<span class=for>{label(mistake.predicted)}</span></h3>"
    )
    numbers = (
        f"<p class=quiet>p({label(mistake.truth)}) {_share(mistake.log_probability)}, "
        f"p({label(mistake.predicted)}) {_share(math.log(mistake.predicted_probability))} · "
        f"{noun} {mistake.position}</p>"
    )
    excerpt = f"<blockquote>{text(mistake.excerpt)}</blockquote>" if mistake.excerpt else ""
    cells = "".join(f"<span><small>{label(name)}</small> {label(cell, 240)}</span>" for name, cell in mistake.cells)
    shown = f"<div class=cells>{cells}</div>" if cells else ""
    return f"<article>{heading}{numbers}{shown}{excerpt}{_why(mistake)}</article>\n"


def _why(mistake: ToldMistake) -> str:
    if mistake.explanation is None:
        return f"<p class=note>No explanation: {text(mistake.why_not or 'none was made')}.</p>"
    rows = []
    for each in mistake.explanation.strongest(_FEATURES):
        times = f" × {each.count:,}" if each.count > 1 and not each.feature.startswith("(") else ""
        rows.append((label(each.name) + times, each.log_odds, _odds(each.log_odds)))
    return bars(rows, both=True)


def _odds(value: float) -> str:
    """Log-odds with their sign, and the decimals that a number of this size needs."""
    return f"{value:+,.0f}".replace("-", "−") if abs(value) >= 100 else f"{value:+z.2f}".replace("-", "−")


def _share(log_probability: float) -> str:
    """A probability with the digits that tell it from 0 and from 1, as HTML.

    >>> [_share(math.log(p)) for p in (0.1234, 0.99999, 2e-7)], _share(-1000.0), _share(-math.inf)
    (['= 12.3%', '&gt; 99.99%', '= 2·10<sup>−7</sup>'], '= 5·10<sup>−435</sup>', '= 0')
    """
    if log_probability == -math.inf:
        return "= 0"
    probability = math.exp(log_probability)
    if probability < 1e-4:
        power = math.floor(log_probability / math.log(10))
        digit = round(math.exp(log_probability - power * math.log(10)))
        return f"= {digit}·10<sup>−{-power}</sup>" if digit < 10 else f"= 1·10<sup>−{-power - 1}</sup>"
    if probability > 0.9999:
        return "&gt; 99.99%"
    return f"= {probability:.1%}" if 0.01 <= probability <= 0.99 else f"= {probability:.2%}"
