"""What priori evaluate --unlabelled prints: a model watched without labels."""

from typing import TYPE_CHECKING

from priori.cli.show import print_line, print_wrapped, visible
from priori.cli.table import Table, facts

if TYPE_CHECKING:
    from priori.drift import Drift

_MOST = 30  # classes, of those that moved most


def print_drift(found: "Drift", many: str) -> None:
    """The verdict first, then the numbers."""
    print_wrapped(found.verdict)
    print_line()
    rows = [(many, f"{found.n:,}")]
    if found.unknown_share is not None:
        rows.append(("words never learned", f"{found.unknown_share:.2%}"))
    if found.expected_unknown_share is not None:
        apart = "" if found.unknown_z is None else f"  ({found.unknown_z:+.1f} standard errors)"
        rows.append(("expected", f"{found.expected_unknown_share:.2%}{apart}"))
    rows.append(("expected accuracy", f"{found.expected_accuracy:.2%}  (if the probabilities hold for such {many})"))
    if found.left_out_accuracy is not None:
        rows.append(("learned ones, left out", f"{found.left_out_accuracy:.2%}"))
    rows.append(("expected log loss", f"{found.expected_log_loss:.4f} nats"))
    apart = "" if found.mix_z is None else f"  (mean probabilities: {found.mix_z:.1f} standard errors at most)"
    rows.append(("same class mix", f"p = {found.p_value:.2g}{apart}"))
    facts(rows).print()
    table = Table(["class", ">learned", ">mean probability", ">estimated share"])
    moved = abs(found.estimated_mix - found.learned_mix)
    for k in sorted(range(len(found.labels)), key=lambda k: -moved[k])[:_MOST]:
        shares = (found.learned_mix[k], found.class_mix[k], found.estimated_mix[k])
        table.rows.append((visible(found.labels[k], 30), *(f"{share:.2%}" for share in shares)))
    table.print()
