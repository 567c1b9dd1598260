"""priori bayes: the discrete Bayes rule."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import common_options, file_options, number_of, read_options
from priori.cli.output.terminal import Table, cut, print_json, print_line

if TYPE_CHECKING:
    from priori.data.options import ReadOptions
    from priori.families.bayes_rule import Bayes, BayesTable

_SHAPE = "write HYPOTHESIS=PRIOR:LIKELIHOOD, as in film=0.5:1/3"


@click.command("bayes")
@click.argument("beliefs", nargs=-1, metavar="[HYPOTHESIS=PRIOR:LIKELIHOOD]...")
@click.option(
    "--table",
    "path",
    metavar="FILE",
    help="A CSV or TSV table instead: a row for each hypothesis (first column), its `prior` (all equal without one), "
    "and its probability of each outcome (the other columns).",
)
@click.option(
    "--observed",
    multiple=True,
    metavar="OUTCOME",
    help="What was seen (repeatable: drawn one after another). Without it, every outcome is shown.",
)
@file_options
@common_options
def bayes_command(
    beliefs: tuple[str, ...], path: str | None, observed: tuple[str, ...], as_json: bool, **given: Any
) -> None:
    """Turn prior and likelihood into evidence, joint and posterior.

    Films are action, sci-fi or romance, books are sci-fi or romance, each kind as often as the others; and there are as
    many films as books. Something is sci-fi: how probably is it a film?

    \b
        priori bayes film=0.5:1/3 book=0.5:1/2
        priori bayes --table kinds.csv --observed sci-fi

    \b
        kinds.csv:  hypothesis,prior,action,sci-fi,romance
                    film,1/2,1/3,1/3,1/3
                    book,1/2,0,1/2,1/2

    Numbers may be fractions. The prior, and each row of a table, sums to 1.
    """
    from priori.families.bayes_rule import Bayes, bayes

    if bool(beliefs) == (path is not None):
        raise click.UsageError(f"give hypotheses or a --table: {_SHAPE}")
    if path is None and observed:
        raise click.UsageError("--observed chooses a column of a --table; a likelihood given as a number needs none")
    if path is None:
        found: Bayes | BayesTable = bayes(*_parsed(beliefs))
    else:
        prior, tables = _read(path, read_options(given))
        found = bayes(prior, tables, list(observed)) if observed else bayes(prior, tables)
    if as_json:
        print_json(found.to_json())
    elif isinstance(found, Bayes):
        _print(found)
    else:
        _print_table(found)


def _parsed(beliefs: tuple[str, ...]) -> tuple[dict[str, float], dict[str, float]]:
    prior: dict[str, float] = {}
    likelihood: dict[str, float] = {}
    for belief in beliefs:
        name, equals, numbers = belief.rpartition("=")
        first, colon, second = numbers.partition(":")
        if not (name and equals and colon):
            raise click.UsageError(f"{belief!r} is no hypothesis with its numbers; {_SHAPE}")
        if name in prior:
            raise click.UsageError(f"{name!r} is given twice; name each hypothesis once")
        try:
            prior[name], likelihood[name] = number_of(first), number_of(second)
        except ValueError:
            raise click.UsageError(f"{belief!r} has something that is no number; {_SHAPE}") from None
    return prior, likelihood


def _read(path: str, options: "ReadOptions") -> "tuple[dict[str, float] | str, dict[str, dict[str, float]]]":
    """The prior and the tables of a file; an empty cell is probability 0."""
    from priori.data.files import read_columns
    from priori.errors import DataError

    columns: dict[str, list[str | None]] = {}
    for batch in read_columns(path, options=options):
        for name, column in batch.items():
            columns.setdefault(name, []).extend(column.texts())
    first, *others = columns
    names = [name or "" for name in columns[first]]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{path} has the hypothesis {twice!r} more than once; give each one row")
    numbers = {
        column: {name: _probability(path, row, column, columns[column][row]) for row, name in enumerate(names)}
        for column in others
    }
    prior = numbers.pop("prior", "uniform")
    return prior, {name: {outcome: of[name] for outcome, of in numbers.items()} for name in names}


def _probability(path: str, row: int, column: str, text: str | None) -> float:
    from priori.errors import DataError

    try:
        return number_of(text or "0")
    except ValueError:
        raise DataError(
            f"{path} has {text!r} in row {row + 1} of column {column!r}, which is no probability; "
            "write it as 0.25 or 1/4"
        ) from None


def _print(found: "Bayes") -> None:
    from priori.formatting import said

    table = Table(["hypothesis", ">prior", ">likelihood", ">joint", ">posterior"])
    for name, prior in found.prior.items():
        numbers = (prior, found.likelihood[name], found.joint[name], found.posterior[name])
        table.rows.append((cut(str(name), 40), *map(said, numbers)))
    table.print()
    print_line(f"evidence {said(found.evidence)}, its logarithm {said(found.log_evidence)}")


def _print_table(found: "BayesTable") -> None:
    from priori.formatting import said

    names = [f">{cut(str(outcome), 20)}" for outcome in found.evidence]
    joint = Table(["joint", *names, ">prior"])
    for name, row in found.joint.items():
        joint.rows.append((cut(str(name), 40), *map(said, row.values()), said(found.prior[name])))
    joint.rows.append(("evidence", *map(said, found.evidence.values()), "1"))
    joint.print()
    posterior = Table(["posterior", *names])
    for name in found.prior:
        columns = (found.posterior.get(outcome) for outcome in found.evidence)
        posterior.rows.append((cut(str(name), 40), *("-" if of is None else said(of[name]) for of in columns)))
    posterior.print()
