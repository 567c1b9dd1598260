"""What five criteria say of each number of classes, as a table and in sentences."""

from priori.families.say import grid
from priori.latent.number import CRITERIA, Criterion, NumberChoice


def choose_table(choice: NumberChoice) -> str:
    """The rows as a text, the best of each column starred, and a line on what was chosen by what."""
    return "\n".join([grid(choose_cells(choice)), *choose_said(choice)])


def choose_said(choice: NumberChoice) -> list[str]:
    """What was chosen by what, in sentences."""
    number = "1 class" if choice.classes == 1 else f"{choice.classes} classes"
    told = [f"{number}, by {_NAMES[choice.criterion]}."]
    told += [f"{_NAMES[name][0].upper()}{_NAMES[name][1:]} would choose {other}." for name, other in _others(choice)]
    if choice.criterion == "stability":
        told.append("Stability cannot say that there is one class only: look at BIC, and at how low the values are.")
    if choice.evidence_kind == "complete":
        told.append("The evidence is of the likeliest labels alone, log p(D, L): less than log p(D).")
    if choice.tempered:
        told.append("Fits are tempered; log-likelihoods are of EM that goes on from them untempered.")
    return told


_NAMES: dict[Criterion, str] = {
    "aic": "AIC",
    "bic": "BIC",
    "evidence": "evidence",
    "held_out": "held-out likelihood",
    "stability": "stability",
}


def _others(choice: NumberChoice) -> list[tuple[Criterion, int]]:
    found = [(name, choice.chosen_by(name)) for name in CRITERIA if name != choice.criterion]
    return [(name, number) for name, number in found if number is not None]


def choose_cells(choice: NumberChoice) -> list[list[str]]:
    """The head and the rows of the table, as cells."""
    head = ["classes", "log-likelihood", "parameters", "AIC", "BIC"]
    shown: list[tuple[Criterion, str, str]] = [("aic", "AIC", ",.0f"), ("bic", "BIC", ",.0f")]
    evidence = "log evidence" if choice.evidence_kind == "annealed" else "log p(D, L)"
    further: list[tuple[Criterion, str, str]] = [
        ("evidence", evidence, ",.1f"),
        ("held_out", "held out, a word", ".4f"),
        ("stability", "stability", ".3f"),
    ]
    shown += [one for one in further if any(row.of(one[0]) is not None for row in choice.rows)]
    head += [name for _, name, _ in shown[2:]]
    best = {name: choice.chosen_by(name) for name, _, _ in shown}
    rows = []
    for row in choice.rows:
        cells = [f"{row.classes}", f"{row.log_likelihood:,.1f}", f"{row.parameters:,}"]
        for name, _, digits in shown:
            value = row.of(name)
            star = "*" if best[name] == row.classes else ""
            cells.append("–" if value is None else f"{value:{digits}}{star}")
        rows.append(cells)
    return [head, *rows]
