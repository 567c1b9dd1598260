"""The options of `priori cluster`, and the values of the library that they stand for."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import Function, between, decorated, given_options, number_of
from priori.cli.options.unlabelled import weighing

if TYPE_CHECKING:
    from priori.latent.em_algorithm.iteration import Temper
    from priori.latent.gibbs_sampling.run import Chains
    from priori.latent.semi_supervised import HiddenSettings
    from priori.latent.settings import Recipe

CRITERIA = ("stability", "bic", "aic", "held-out", "evidence")
_EM_ONLY = frozenset({
    "restarts", "iterations", "components", "event", "start", "temper", "criterion", "all_criteria",
    "unlabelled_weight",
})  # fmt: skip
_GIBBS_ONLY = frozenset({"burn_in", "samples", "thin", "chains"})


def _temper(ctx: click.Context, parameter: click.Parameter, value: str) -> "Temper":
    from priori.latent.em_algorithm.iteration import Temper

    if value == "root":
        return Temper.root()
    if value == "none":
        return Temper()
    try:
        scale, power = map(number_of, value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is none of root, none and B,G; write it like 0.2,-0.5") from None
    if not (-8 < power <= 0 and 0 < scale <= 25**power):
        raise click.BadParameter(
            f"{value!r} would count words of some documents more than once; give G from -8 to 0 and B up to 25^G, "
            f"{25 ** min(0.0, max(power, -8.0)):.3g}"
        )
    return Temper(scale, power)


def _classes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | range | None:
    """A number, or the numbers to choose among."""
    if value is None:
        return None
    low, dash, high = value.partition("-")
    try:
        least, most = int(low), int(high if dash else low)
    except ValueError:
        least = most = 0
    if not 1 <= least <= most:
        raise click.BadParameter(f"{value!r} is no number of classes; give one from 1, or a range like 2-8")
    return least if least == most else range(least, most + 1)


def _share(ctx: click.Context, parameter: click.Parameter, value: str) -> float:
    try:
        share = number_of(value)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise click.BadParameter(f"{value!r} is no share of the documents; give a number above 0, up to 1")
    return share


def method_options(function: Function) -> Function:
    """Method, classes, and what each method takes."""
    option, whole = click.option, click.IntRange(min=1)
    temper = (
        "How far words are believed: root (n words as the root of n), none (all of them, as a mixture has it), or "
        "B (n / 50)^G."
    )
    options = [
        option(
            "--classes",
            callback=_classes,
            metavar="K|LOW-HIGH",
            help="How many, or from how many to how many: then one is chosen. Labels and seeds may name some, or all.",
        ),
        option(
            "--criterion",
            type=click.Choice(CRITERIA),
            default="stability",
            show_default=True,
            help="(em) What chooses among LOW-HIGH. Stability, whether halves agree, cannot say 1.",
        ),
        option("--all-criteria", is_flag=True, help="(em) Show them all, which takes longer."),
        option("--method", type=click.Choice(["em", "gibbs"]), default="em", show_default=True, help="How to search."),
        option("--seeds", "seed_file", metavar="FILE", help="Words of the classes: .toml or .json, class = [words]."),
        option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn."),
        option(
            "--alpha",
            callback=between(0),
            metavar="A",
            help="Imagined occurrences of every word (value) in every class.  [default: 0.1; of a table, 1]",
        ),
        option(
            "--event",
            type=click.Choice(["multinomial", "bernoulli"]),
            default="multinomial",
            show_default=True,
            help="(em) Words drawn, or words present and absent.",
        ),
        option(
            "--components",
            type=whole,
            default=1,
            show_default=True,
            help="(em) Of each class; the model keeps them, and a class is their sum.",
        ),
        option(
            "--restarts",
            type=whole,
            metavar="N",
            help="(em) Starts, of which the best counts.  [default: 20; of a table, 10]",
        ),
        option(
            "--start",
            type=click.Choice(["random", "spread"]),
            help="(em) From random shares, or from documents unlike each other.  [default: random; of a table, spread]",
        ),
        option(
            "--iterations",
            type=whole,
            metavar="N",
            help="(em) At most so many from each start.  [default: 200; of a table, 500]",
        ),
        option(
            "--temper",
            default="root",
            show_default=True,
            callback=_temper,
            metavar="root|none|B,G",
            help=f"(em) {temper}",
        ),
        option(
            "--anneal",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            metavar="N",
            help="Believe words less in the first N iterations or sweeps.",
        ),
        option(
            "--min-documents",
            "least_documents",
            type=whole,
            default=3,
            show_default=True,
            metavar="N",
            help="Words in fewer are left out, if there are 100 documents.",
        ),
        option(
            "--max-share",
            "largest_share",
            callback=_share,
            default="0.2",
            show_default=True,
            metavar="P",
            help="Words in a larger share of the documents are left out, likewise.",
        ),
        option(
            "--unlabelled-weight",
            callback=weighing(auto=False),
            metavar="W",
            help="(em) What a document without a label counts beside one with.  [default: 1; of a table, chosen]",
        ),
        option("--chains", type=whole, default=4, show_default=True, metavar="N", help="(gibbs) Chains."),
        option(
            "--burn-in",
            type=click.IntRange(min=0),
            default=100,
            show_default=True,
            metavar="N",
            help="(gibbs) Sweeps before the first snapshot.",
        ),
        option(
            "--samples", type=whole, default=100, show_default=True, metavar="N", help="(gibbs) Snapshots averaged."
        ),
        option("--thin", type=whole, default=1, show_default=True, metavar="N", help="(gibbs) Sweeps between two."),
    ]
    return decorated(function, options)


def refuse_other_method(method: str) -> None:
    """Options of the method that was not asked for mean nothing."""
    names, other = (_GIBBS_ONLY, "gibbs") if method == "em" else (_EM_ONLY, "em")
    for option in given_options(names):
        raise click.UsageError(f"{option} is for --method {other}, and the method is {method}")


def refuse_choosing(given: dict[str, Any]) -> None:
    """A range of numbers is chosen from by EM, and what chooses is for a range."""
    if isinstance(given["classes"], range):
        if given["method"] != "em":
            raise click.UsageError("how many classes there are is chosen by --method em; then give gibbs that number")
        return
    for option in given_options(frozenset({"criterion", "all_criteria"})):
        raise click.UsageError(f"{option} chooses among numbers of classes; give a range of them, like --classes 2-8")


def recipe_of(given: dict[str, Any]) -> "Recipe":
    """What was asked for, and all else as the recipe has it."""
    from priori.latent.settings import Recipe

    names = ("alpha", "event", "components", "restarts", "start", "iterations", "temper", "anneal", "least_documents",
             "largest_share", "unlabelled_weight")  # fmt: skip
    return Recipe(**{name: given[name] for name in names if given[name] is not None})


def chains_of(given: dict[str, Any]) -> "Chains":
    """The chains that were asked for."""
    from priori.latent.gibbs_sampling.parallel_chains import Schedule
    from priori.latent.gibbs_sampling.run import Chains

    return Chains(given["chains"], Schedule(given["burn_in"], given["samples"], given["thin"]), given["anneal"])


def settings_of(given: dict[str, Any], *, labelled: bool) -> "HiddenSettings":
    """The search for classes of rows that was asked for; the rest stays in `given`, as `priori train` gathers it."""
    from priori.latent.em_algorithm.restarts import Search
    from priori.latent.semi_supervised import HiddenSettings

    if given["method"] != "em":
        raise click.UsageError(f"--method {given['method']} is for texts, and the source is a table; leave it out")
    if isinstance(given["classes"], range):
        raise click.UsageError("how many classes a table has cannot be chosen; give one number: --classes K")
    if given["classes"] is None and not labelled:
        raise click.UsageError("how many classes there are is not known; give --classes K, or labels of some: --label")
    if given["classes"] == 1:
        raise click.UsageError("one class leaves nothing to tell apart; give --classes 2 or more")
    names = {"restarts": "restarts", "start": "start", "iterations": "most_iterations"}
    search = Search(**{to: given[name] for name, to in names.items() if given[name] is not None})
    weight = given["unlabelled_weight"]
    given |= dict.fromkeys(("estimate", "class_prior", "unknown", "temper"))
    return HiddenSettings(given["classes"], "auto" if weight is None else weight, search, given["seed"])
