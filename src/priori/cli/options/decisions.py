"""Decisions on the command line: their options, and predictions with what is to be done."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from priori.cli.messages import note
from priori.cli.options.common import between, given_options, number_of
from priori.cli.output.terminal import visible

if TYPE_CHECKING:
    from priori.cli.models import Loaded
    from priori.cli.output.predictions import Predictions
    from priori.decisions import Loss, PriorEstimate, Threshold
    from priori.model.decision_rule import Wanted

Function = TypeVar("Function", bound=Callable[..., Any])


def loss_options(function: Function) -> Function:
    """What decisions cost; gathered by `loss_of`."""
    reject = "What it costs to refuse an answer: below 1 where a mistake costs 1."
    for option in (
        click.option("--reject", callback=_cost, metavar="COST", help=reject),
        click.option("--loss", "loss_file", metavar="FILE.toml", help="What decisions cost: truth = cost by decision."),
    ):
        function = option(function)
    return function


def decision_options(function: Function) -> Function:
    """How decisions are made; gathered by `wanted_of`."""
    rate = "At most this share of what is not --positive is called so: a threshold from left-out documents or rows."
    shift = "The class mix here, if not the one learned; `estimate` finds it in the data, all held in memory."
    options = [
        click.option("--max-false-positive", callback=between(0, 1), metavar="RATE", help=rate),
        click.option(
            "--min-precision",
            callback=between(0, 1),
            metavar="P",
            help="At least this share of what is called --positive is.",
        ),
        click.option("--positive", metavar="LABEL", help="The class of these promises.  [default: the second of two]"),
        click.option(
            "--confidence",
            callback=between(0, 1),
            default="0.95",
            show_default=True,
            metavar="P",
            help="How sure a promise is.",
        ),
        click.option("--shift", callback=_shift, metavar="LABEL=P,...|uniform|estimate", help=shift),
    ]
    for option in reversed(options):
        function = option(function)
    return loss_options(function)


def loss_of(given: dict[str, Any], labels: tuple[str, ...]) -> "Loss | None":
    """The loss that was asked for, over these classes; its options are taken out of `given`."""
    path, reject = given.pop("loss_file"), given.pop("reject")
    if path is None and reject is None:
        return None
    from priori.decisions import Loss

    loss = Loss.of(None, labels) if path is None else Loss.from_toml(path, labels)
    return loss if reject is None else loss.with_reject(reject)


def wanted_of(given: dict[str, Any], labels: tuple[str, ...]) -> "Wanted | None":
    """What decisions are asked to keep to; None where nothing is asked."""
    loss = loss_of(given, labels)
    names = ("max_false_positive", "min_precision", "positive", "confidence")
    options = {name: given.pop(name) for name in names}
    prior = given.pop("shift")
    promises = options["max_false_positive"] is not None or options["min_precision"] is not None
    if not promises:
        for option in given_options(frozenset({"positive", "confidence"})):
            raise click.UsageError(f"{option} is about a promise; give --max-false-positive or --min-precision with it")
    elif options["positive"] is None and len(labels) != 2:
        raise click.UsageError(f"which of {len(labels)} classes is the promise about? name it: --positive LABEL")
    if loss is None and prior is None and all(options[name] is None for name in names[:3]):
        return None
    from priori.errors import DataError
    from priori.model.decision_rule import Wanted

    try:
        return Wanted(loss=loss, class_prior=prior, **options)
    except DataError as error:
        raise click.UsageError(str(error)) from error


def decided(model: "Loaded", wanted: "Wanted", predicted: "Iterator[Predictions]") -> "Iterator[Predictions]":
    """Predictions under the class mix that was asked for, and with decisions; thresholds are told on stderr."""
    from priori.model.decision_rule import policy_of

    policy = policy_of(model.model, wanted)
    for label, threshold in policy.thresholds.items():
        note(said_threshold(label, threshold, model.noun) + (" (before --shift)" if wanted.class_prior else ""))
    if wanted.estimates:
        import numpy as np

        parts = list(predicted)  # the mix is that of all of them
        posterior = [part.posterior for part in parts]
        policy = policy.estimated(np.concatenate([np.zeros((0, len(model.labels))), *posterior]))
        if policy.estimate is not None:
            note(_said_mix(model.labels, policy.estimate))
        predicted = iter(parts)
    for part in predicted:
        made = policy.decisions(part.posterior) if wanted.decides else None
        yield replace(part, posterior=policy.shifted(part.posterior), decided=made)


def said_threshold(label: str, threshold: "Threshold", noun: str) -> str:
    """One line about a threshold and its promise."""
    name, rate, sure = visible(label, 30), _percent(threshold.rate), threshold.confidence
    share = f"at most {rate} of the others" if threshold.promise == "false positives" else f"at least {rate} is {name}"
    confidence = "" if sure is None else f", with {_percent(sure)} confidence"
    found = "" if threshold.recall is None else f"; {threshold.recall:.1%} of {name} is above"
    return f"{name} above {threshold.value:.4f}: {share}{confidence}, from {threshold.n:,} {noun}s left out{found}"


def said_decisions(decisions: Mapping[str, int], most: int = 8) -> str:
    """One line about how often each action was decided for; of many the most frequent ones.

    >>> said_decisions({"ham": 1200, "spam": 30, "aside": 0})
    'ham 1,200, spam 30, aside 0'
    """
    frequent = set(sorted(decisions, key=lambda name: -decisions[name])[:most])
    said = ", ".join(f"{visible(name, 30)} {count:,}" for name, count in decisions.items() if name in frequent)
    return said if len(decisions) <= most else f"{said}, and {len(decisions) - most:,} more actions"


def _said_mix(labels: tuple[str, ...], found: "PriorEstimate", most: int = 5) -> str:
    order = sorted(range(len(labels)), key=lambda k: -found.prior[k])
    shares = ", ".join(f"{visible(labels[k], 30)} {found.prior[k]:.1%}" for k in order[:most])
    more = ", ..." if len(order) > most else ""
    return f"estimated class mix: {shares}{more} (p = {found.p_value:.2g} if it were that learned)"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _cost(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return number_of(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no cost; give a number, such as 0.1") from None


def _shift(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    if value is None or value in {"uniform", "estimate"}:
        return value
    parts = [part.rpartition("=") for part in value.split(",")]
    try:
        shares = {label.strip(): number_of(share) for label, _, share in parts}
    except ValueError:
        raise click.BadParameter(f"{value!r} is none of uniform, estimate, or label=p,label=p") from None
    if len(shares) < len(parts):
        raise click.BadParameter(f"{value!r} names a class twice; give each once")
    return shares
