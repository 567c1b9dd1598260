"""priori estimate: one distribution by maximum likelihood, MAP and full Bayes."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.columns import Data, read_data
from priori.cli.estimates import print_estimate, print_ranking
from priori.cli.models import refuse_bad_place
from priori.cli.options import common_options, read_options, table_options
from priori.cli.priors import Said, prior_of, prior_of_text
from priori.cli.show import print_json

if TYPE_CHECKING:
    from priori.estimation import Estimate
    from priori.families import Family
    from priori.select.compare import Comparison

# As in priori.families.named, which is too slow to import for a list of names.
FAMILIES = (
    "bernoulli", "categorical", "multinomial", "poisson", "exponential", "normal", "normal-mean", "multivariate-normal",
)  # fmt: skip


@click.command("estimate")
@click.argument("name", metavar="FAMILY", type=click.Choice([*FAMILIES, "auto"]))
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--prior",
    default="unit",
    show_default=True,
    callback=prior_of_text,
    metavar="PRIOR",
    help="unit (worth one observation), flat (MAP is ML), or parameters, as in alpha=2,beta=2.",
)
@click.option(
    "--variance",
    type=click.FloatRange(0, min_open=True),
    metavar="V",
    help="The known variance of normal-mean.",
)
@click.option("--kind", type=click.Choice(["values", "counts", "real"]), help="For auto: what the data are.")
@click.option(
    "--mass",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the credible interval.",
)
@click.option("--plot", metavar="FILE", help="Draw prior, likelihood, posterior and data, as .svg, .png or .pdf.")
@table_options
@common_options
def estimate_command(
    name: str,
    sources: tuple[str, ...],
    *,
    prior: Said,
    variance: float | None,
    kind: str | None,
    mass: float,
    plot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Estimate a distribution by all three schools: ML, MAP, full Bayes.

    FAMILY is bernoulli, categorical, multinomial, poisson, exponential, normal, normal-mean or multivariate-normal;
    auto ranks those that fit the data.

    \b
        priori estimate poisson goals.csv --column goals --prior shape=3,rate=2
        priori estimate auto heights.txt
    """
    if name == "auto" and (prior != "unit" or variance is not None):
        raise click.UsageError("auto compares families under their unit priors; name a family to give a prior")
    if name != "auto" and kind is not None:
        raise click.UsageError("--kind is for auto; a family says itself what its data are")
    if plot is not None:
        from priori.plots import picture_format

        refuse_bad_place(plot)
        picture_format(plot)
    columns, weight = given.pop("columns"), given.pop("weight")
    data = read_data(sources, columns, weight, read_options(given))
    if name == "auto":
        found, values, ranking = _automatic(data, kind, mass)
    else:
        found, values = _estimated(name, data, prior, variance, mass)
        ranking = None
    if plot is not None:
        _draw(found, values, data, plot)
    if as_json:
        document = {"columns": list(data.columns), **found.to_json()}
        print_json(document if ranking is None else {**ranking.to_json(), "estimate": document})
        return
    if ranking is not None:
        print_ranking(ranking)
    print_estimate(found, data.columns)


def _estimated(name: str, data: Data, prior: Said, variance: float | None, mass: float) -> "tuple[Estimate, Any]":
    from priori.estimation import estimate
    from priori.families.named import family_named

    family = family_named(name)
    known = {} if variance is None else {"variance": variance}
    if set(known) != set(family.known):
        needed = "needs the known --variance" if family.known else "has no known variance; leave --variance out"
        raise click.UsageError(f"{name} {needed}")
    values = _values(family, data)
    chosen = prior_of(family, prior, known, values, data.columns)
    return estimate(family, values, chosen, data.weights(), mass=mass, known=known), values


def _values(family: "type[Family[Any]]", data: Data) -> Any:
    """The data as the family takes them."""
    if family.support in ("tallies", "vectors"):
        return data.rows()
    if len(data.columns) > 1:
        raise click.UsageError(f"{family.name} has one value in each observation; give one --column")
    return data.texts() if family.support == "values" else data.numbers(data.columns[0])


def _automatic(data: Data, kind: str | None, mass: float) -> "tuple[Estimate, Any, Comparison]":
    from dataclasses import replace

    from priori.select.auto import auto

    if len(data.columns) > 1:
        raise click.UsageError("auto ranks families of one column; give one --column")
    values = data.texts() if kind == "values" else data.values()
    ranking = auto(values, data.weights(), kind)  # type: ignore[arg-type]
    best = ranking.best.estimate
    return replace(best, mass=mass, interval=best.posterior.interval(mass)), values, ranking


def _draw(found: "Estimate", values: Any, data: Data, path: str) -> None:
    from priori.plots import estimate_figure, save

    save(estimate_figure(found, values, data.weights()), path)
