"""Options of how counts are read, and the readings that they stand for."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.columns import table_reading_options
from priori.cli.options.common import Function, decorated
from priori.cli.options.features import word_options

if TYPE_CHECKING:
    from priori.columns.readings import ClassPrior
    from priori.columns.words.readings import Alpha, Readings
    from priori.language.smoothing import Smoothing


def _alpha(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "Alpha | None":
    if value is None or value in {"auto", "evidence"}:
        return value  # type: ignore[return-value]
    try:
        alpha = float(value)
    except ValueError:
        alpha = math.nan
    if not 0 <= alpha < math.inf:
        raise click.BadParameter(f"{value!r} is no prior count; give auto, evidence, or a number from 0, such as 0.5")
    return alpha


def _class_prior(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "ClassPrior | None":
    if value is None:
        return None
    if value in {"ml", "uniform"}:
        return value  # type: ignore[return-value]
    try:
        if "=" not in value:
            return float(value)
        parts = (part.rpartition("=") for part in value.split(","))
        return {label.strip(): float(share) for label, _, share in parts}
    except ValueError:
        raise click.BadParameter(f"{value!r} is none of ml, uniform, a number, or label=p,label=p") from None


def _smoothing(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "Smoothing | None":
    if value is None:
        return None
    from priori.errors import DataError
    from priori.language.smoothing import Smoothing

    try:
        return Smoothing.of(value)
    except DataError as error:
        raise click.BadParameter(str(error)) from None


def _selection(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None or value == "all":
        return value
    from priori.columns.words.term_selection import TermSelection
    from priori.errors import DataError

    try:
        return str(TermSelection.of(value))
    except DataError as error:
        raise click.BadParameter(str(error).partition("; ")[2]) from error


def reading_options(function: Function) -> Function:
    """How the counts are read; gathered by `changed_readings`."""
    option = click.option
    events = click.Choice(["multinomial", "bernoulli", "complement", "language", "auto"])
    estimates = click.Choice(["ml", "unbiased", "map", "mean", "bayes", "integrated"])
    return decorated(
        function,
        [
            option(
                "--event",
                type=events,
                help="The event model of texts; language: an n-gram model of each class, as --ngrams and --smoothing "
                "say; auto chooses among the first three.  [default: multinomial]",
            ),
            option(
                "--smoothing",
                callback=_smoothing,
                metavar="METHOD[:NUMBER]",
                help="Of --event language: kneser-ney, absolute, dirichlet or jelinek-mercer.  [default: kneser-ney]",
            ),
            option(
                "--estimate",
                type=estimates,
                help="Of parameters (unbiased, mean: tables; integrated: texts).  [default: bayes; mean if gaussian]",
            ),
            option(
                "--alpha",
                callback=_alpha,
                metavar="auto|evidence|NUMBER",
                help="Imagined count of every term or value; auto and evidence choose it, for texts.  "
                "[default: auto; 1 for tables]",
            ),
            option("--prior", "prior_file", metavar="FILE.toml", help="Imagined counts by term, or by class and term."),
            option(
                "--class-prior",
                callback=_class_prior,
                metavar="ml|uniform|NUMBER|LABEL=P,...",
                help="Of the classes: by frequency, equal, a Dirichlet's alpha, or given.  [default: ml]",
            ),
            option(
                "--unknown",
                type=click.Choice(["ignore", "prior"]),
                help="Words or values never seen: left out, or given the prior's mass.  [default: ignore]",
            ),
            option(
                "--calibrate",
                type=click.Choice(["yes", "monotone", "no"]),
                help="Believe scores as far as left-out documents show; by a monotone map too; or as they are.  "
                "[default: yes, for texts]",
            ),
            option(
                "--select",
                metavar="RANKING:N|RANKING:auto|all",
                callback=_selection,
                help="The only terms that are read, by mi, mi-words, chi2, log-odds or count, as in mi:5000; auto: as "
                "many as left-out documents want.  [default: all]",
            ),
            *table_reading_options(),
        ],
    )


def changed_readings(readings: "Readings", given: dict[str, Any], fresh: "Alpha" = "auto") -> "Readings":
    """The readings with what was asked for changed, and all else as it was.

    fresh: the alpha of a reading that wants one, after one that had none.
    """
    from priori.columns.words.readings import Prior
    from priori.errors import DataError

    prior_file, alpha, calibrate = given.pop("prior_file"), given.pop("alpha"), given.pop("calibrate")
    select = given.pop("select")
    names = ("event", "estimate", "class_prior", "unknown", "smoothing")
    changes: dict[str, Any] = {name: value for name in names if (value := given.pop(name)) is not None}
    if "smoothing" in changes and "language" not in (changes.get("event"), readings.event):
        raise click.UsageError("--smoothing is of language models; add --event language, or leave it out")
    if prior_file is not None or alpha is not None:
        prior = readings.prior if prior_file is None else Prior.from_toml(prior_file)
        changes["prior"] = prior if alpha is None else replace(prior, alpha=alpha)
    elif _no_alpha(readings.event, readings.smoothing) and not _no_alpha(
        changes.get("event", readings.event), changes.get("smoothing", readings.smoothing)
    ):
        changes["prior"] = Prior(fresh)
    if calibrate is not None:
        changes["calibrate"] = {"yes": True, "no": False}.get(calibrate, calibrate)
    if select is not None:
        changes["select"] = None if select == "all" else select
    try:
        return replace(readings, **changes)
    except DataError as error:
        raise click.UsageError(str(error)) from error


def _no_alpha(event: str, smoothing: "Smoothing") -> bool:
    """Whether a reading has no use for an alpha."""
    return event == "language" and smoothing.method != "dirichlet"


def lm_options(function: Function) -> Function:
    """What a language model counts, gathered by `analyzer_of`, and how that is read."""
    option = click.option
    methods = "kneser-ney, absolute, dirichlet, jelinek-mercer or ml.  [default: kneser-ney]"
    unknown = "Words never seen: one slot for all of them, or passed over."
    words = word_options(of_classes=False)
    kinds = click.Choice(["words", "chars"])
    return decorated(
        function,
        [
            option("--smoothing", callback=_smoothing, metavar="METHOD[:NUMBER]", default="kneser-ney", help=methods),
            option(
                "--alpha",
                type=click.FloatRange(min=0),
                default=1.0,
                metavar="NUMBER",
                show_default=True,
                help="(dirichlet) Imagined count of every word.",
            ),
            option(
                "--unknown", type=click.Choice(["prior", "ignore"]), default="prior", show_default=True, help=unknown
            ),
            option("--features", type=kinds, default="words", show_default=True, help="Words, or characters."),
            *words,
        ],
    )
