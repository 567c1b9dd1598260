"""What `priori train` does with rows that have no label: it skips them, or lets them help by EM."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click

from priori.cli.messages import note
from priori.cli.options.common import Function, decorated, given_options, number_of
from priori.cli.output.terminal import plural
from priori.cli.sources import labels_are_given

if TYPE_CHECKING:
    from priori.data.options import ReadOptions

Weight = float | Literal["auto"]


def weighing(*, auto: bool) -> Callable[[click.Context, click.Parameter, str | None], Weight | None]:
    """The callback of an option that says what a row without a label weighs; `auto`: it may be told to ask the labels,
    and may then be 0, too."""
    kinds = "auto, or a number from 0 to 1" if auto else "a number above 0, up to 1"

    def parsed(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Weight | None:
        if value is None:
            return None
        if auto and value == "auto":
            return "auto"
        try:
            weight = number_of(value)
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= 1 or (weight == 0 and not auto):
            raise click.BadParameter(f"{value!r} is no weight; give {kinds}")
        return weight

    return parsed


def unlabelled_options(function: Function) -> Function:
    """--unlabelled, and what it takes; gathered by `Unlabelled.of`."""
    option = click.option
    return decorated(
        function,
        [
            option(
                "--unlabelled",
                type=click.Choice(["em", "skip"]),
                default="skip",
                show_default=True,
                help="Rows without a label: let them help, by EM (sources are read more than once), or not.",
            ),
            option(
                "--unlabelled-weight",
                callback=weighing(auto=True),
                default="auto",
                show_default=True,
                metavar="auto|W",
                help="(em) What such a row counts beside a labelled one; auto: as held-out labels say, or nothing.",
            ),
            option(
                "--seed",
                type=click.IntRange(min=0),
                default=0,
                show_default=True,
                help="(em) Of the folds that are held out.",
            ),
        ],
    )


@dataclass(frozen=True)
class Unlabelled:
    """What was asked for."""

    em: bool
    weight: Weight
    seed: int

    @classmethod
    def of(cls, given: dict[str, Any]) -> "Unlabelled":
        """Its options are taken out of `given`."""
        em = given.pop("unlabelled") == "em"
        if not em:
            for option in given_options(frozenset({"unlabelled_weight", "seed"})):
                raise click.UsageError(f"{option} is for --unlabelled em; add that, or leave {option} out")
        return cls(em, given.pop("unlabelled_weight"), given.pop("seed"))

    def read(self, sources: Sequence[str], options: "ReadOptions") -> "ReadOptions":
        """How the sources are to be read: where they may help, some of them may have no labels at all."""
        if not self.em:
            return options
        return replace(options, label_of_some=True, names_label=not labels_are_given(sources))


@dataclass(frozen=True)
class Helped:
    """What rows without a label had to do with a model that EM was asked for."""

    labelled: int
    unlabelled: int
    weight: float
    losses: Mapping[float, float]  # log loss of labelled rows, held out, by weight

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        losses = [{"unlabelled_weight": weight, "log_loss": loss} for weight, loss in self.losses.items()]
        return {
            "labelled": self.labelled,
            "unlabelled": self.unlabelled,
            "unlabelled_weight": self.weight,
            "held_out": losses,
        }

    def __str__(self) -> str:
        rows = f"{plural(self.labelled, 'row')} with a label, {self.unlabelled:,} without"
        if not self.unlabelled:
            return rows
        said = f"{rows}, which weigh {self.weight:g}" if self.weight else f"{rows}, which are left out"
        losses = [
            f"{loss:.4f} {f'at {weight:g}' if weight else 'without them'}" for weight, loss in self.losses.items()
        ]
        return f"{said}; log loss of held-out labels: {', '.join(losses)}" if losses else said


def note_skipped(unlabelled: int) -> None:
    """Rows that were not learned from, and what would."""
    if unlabelled:
        them = "it help" if unlabelled == 1 else "them help"
        note(f"{plural(unlabelled, 'row')} without a label skipped; --unlabelled em lets {them}")
