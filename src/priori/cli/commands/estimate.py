"""priori estimate: one distribution by maximum likelihood, MAP and full Bayes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import between, common_options, read_options, table_options
from priori.cli.options.priors import Said, prior_of, prior_of_regression, prior_of_text
from priori.cli.output.estimates import print_estimate, print_ranking
from priori.cli.output.terminal import print_json
from priori.cli.output_paths import refuse_bad_places
from priori.cli.table_sources import Data, read_data
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.estimation.comparison import Comparison
    from priori.estimation.distribution import Estimate
    from priori.families import Family

# As in priori.families.registry, which is too slow to import for a list of names.
FAMILIES = (
    "bernoulli", "categorical", "multinomial", "poisson", "exponential", "gamma", "normal", "normal-mean",
    "multivariate-normal",
)  # fmt: skip
REGRESSIONS = ("linear", "linear-weights", "logistic")


@click.command("estimate")
@click.argument("name", metavar="FAMILY", type=click.Choice([*FAMILIES, *REGRESSIONS, "auto"]))
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
    callback=between(0),
    metavar="V",
    help="The known variance of normal-mean.",
)
@click.option("--target", metavar="COL", help="The column that a regression predicts from the others.")
@click.option("--kind", type=click.Choice(["values", "counts", "real"]), help="For auto: what the data are.")
@click.option(
    "--mass",
    callback=between(0, 1),
    default="0.95",
    show_default=True,
    metavar="P",
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
    target: str | None,
    kind: str | None,
    mass: float,
    plot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Estimate a distribution by all three schools: ML, MAP, full Bayes.

    FAMILY is bernoulli, categorical, multinomial, poisson, exponential, gamma, normal, normal-mean or
    multivariate-normal; auto ranks those that fit the data. Regressions: linear, linear-weights (its noise taken
    as known, from the data or from the prior) and logistic (of labels).

    \b
        priori estimate poisson goals.csv --column goals --prior shape=3,rate=2
        priori estimate auto heights.txt
        priori estimate linear trial.csv --column dose --column age --target effect
    """
    if name == "logistic" and plot is not None:
        raise click.UsageError("there is no picture of a logistic regression; leave --plot out")
    _refuse_misplaced(name, prior, variance, kind, target)
    _refuse_repeated(given["columns"], target, given["weight"])
    refuse_bad_places()
    if plot is not None:
        from priori.plots import picture_format

        picture_format(plot)
    columns, weight = given.pop("columns"), given.pop("weight")
    data = read_data(sources, columns, read_options(given), weight=weight, target=target)
    if name == "auto":
        result = _automatic(data, kind, mass)
    elif name in REGRESSIONS:
        result = _regressed(name, data, prior, mass)
    else:
        result = _estimated(name, data, prior, variance, mass)
    if plot is not None:
        result.draw(plot)
    if as_json:
        document = {"columns": list(data.columns), **result.estimate.to_json()}
        print_json(document if result.ranking is None else {**result.ranking.to_json(), "estimate": document})
        return
    if result.ranking is not None:
        print_ranking(result.ranking)
    print_estimate(result.estimate)


def _refuse_misplaced(name: str, prior: Said, variance: float | None, kind: str | None, target: str | None) -> None:
    """Options that the family has no use for, or cannot do without."""
    if name == "auto" and prior != "unit":
        raise click.UsageError("auto compares families under their unit priors; name a family to give a prior")
    if name != "auto" and kind is not None:
        raise click.UsageError("--kind is for auto; a family says itself what its data are")
    if (variance is None) == (name == "normal-mean"):
        needed = "needs the known --variance" if variance is None else "has no known variance; leave --variance out"
        raise click.UsageError(f"{name} {needed}")
    if (target is None) == (name in REGRESSIONS):
        needed = "needs the --target that is predicted" if target is None else "predicts nothing; leave --target out"
        raise click.UsageError(f"{name} {needed}")


def _refuse_repeated(columns: tuple[str, ...], target: str | None, weight: str | None) -> None:
    """A column has one part to play, once."""
    played = [("--column", name) for name in columns] + [("--target", target), ("--weight", weight)]
    first: dict[str, str] = {}
    for option, name in played:
        if name in first:
            again = "twice" if option == first[name] else f"as {first[name]} and as {option}"
            raise click.UsageError(f"column {name!r} is given {again}; give each column once")
        if name is not None:
            first[name] = option


@dataclass(frozen=True)
class _Result:
    """What was found, and how it is drawn to a file."""

    estimate: "Estimate"
    draw: Callable[[str], None]
    ranking: "Comparison | None" = None


def _estimated(name: str, data: Data, prior: Said, variance: float | None, mass: float) -> _Result:
    from priori.estimation.distribution import estimate
    from priori.families.registry import family_named

    family, known = family_named(name), {} if variance is None else {"variance": variance}
    values, weights = _values(family, data), data.weights()
    chosen = prior_of(family, prior, known, values, data.columns)
    names = data.columns if family.support in ("tallies", "vectors") else ()
    try:
        found = estimate(family, values, chosen, weights, mass=mass, known=known, names=names)
    except DataError as error:
        raise data.located(error, family.statistics, values) from error
    return _Result(found, lambda path: _draw(found, values, data, path))


def _values(family: "type[Family[Any]]", data: Data) -> Any:
    """The data as the family takes them."""
    if family.support in ("tallies", "vectors"):
        return data.rows()
    if len(data.columns) > 1:
        raise click.UsageError(f"{family.name} has one value in each observation; give one --column")
    return data.labels(data.columns[0]) if family.support == "values" else data.numbers(data.columns[0])


def _automatic(data: Data, kind: str | None, mass: float) -> _Result:
    from priori.estimation.automatic import auto
    from priori.estimation.distribution import attempt

    if len(data.columns) > 1:
        raise click.UsageError("auto ranks families of one column; give one --column")
    values, weights = data.labels(data.columns[0]) if kind == "values" else data.values(), data.weights()
    try:
        ranking = auto(values, weights, kind)  # type: ignore[arg-type]
    except DataError as error:
        raise data.located(error) from error
    best = ranking.best.estimate
    found = replace(best, mass=mass, interval=attempt(lambda: best.posterior.interval(mass)))
    return _Result(found, lambda path: _draw(found, values, data, path), ranking)


def _regressed(name: str, data: Data, prior: Said, mass: float) -> _Result:
    from numpy.random import default_rng

    from priori.estimation.regression import regress
    from priori.families.registry import regression_named

    family, X = regression_named(name), data.rows()
    t = _targets(data, name, X)
    chosen = prior_of_regression(family, prior, data.columns)
    try:  # the draws of a predictive are not printed, so any seed will do
        found = regress(family, X, t, chosen, data.weights(), names=data.columns, mass=mass, rng=default_rng(0))
    except DataError as error:
        raise data.located(error) from error
    return _Result(found, lambda path: _draw_line(found, X, t, (*data.columns, data.others["target"]), path))


def _targets(data: Data, name: str, X: Any) -> Any:
    """What a regression predicts; nothing in rows that are left out."""
    import numpy as np

    whole = ~np.isnan(X[:, 0])
    if name != "logistic":
        return np.where(whole, data.numbers(data.others["target"]), np.nan)
    labels = data.labels(data.others["target"])
    return [label if there else None for label, there in zip(labels, whole, strict=True)]


def _draw(found: "Estimate", values: Any, data: Data, path: str) -> None:
    from priori.plots import estimate_figure, save

    save(estimate_figure(found, values, data.weights(), data.columns), path)


def _draw_line(found: "Estimate", X: Any, t: Any, names: tuple[str, ...], path: str) -> None:
    from priori.estimation.distribution import Absent
    from priori.plots import estimate_figure, new_figure, regression, save

    if len(names) > 2:
        save(estimate_figure(found), path)
        return
    model = found.map if isinstance(found.ml, Absent) else found.ml
    if isinstance(model, Absent) or isinstance(found.predictive, Absent):
        raise DataError(f"there is nothing to draw: {model}")
    figure = new_figure(7.0, 5.0)
    regression(figure.subplots(), X, t, model=model, predictive=found.predictive, mass=found.mass, names=names)  # type: ignore[arg-type]
    save(figure, path)
