"""The measures in plain words, each beside what a model that knows nothing would have."""

import math

from priori.decisions import Evaluation
from priori.report.parts import label, text


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
