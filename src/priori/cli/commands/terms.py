"""priori terms and priori tokens: the terms of a model, and what the analyzer sees in a text.

The terms are those that tell classes apart; or pairs of them, those that break the naive assumption.
"""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note, quiet
from priori.cli.models import load_texts
from priori.cli.options.common import common_options, given_options
from priori.cli.options.features import analyzer_of, analyzer_options
from priori.cli.output.terminal import Table, plural, print_json, print_line, said_count, visible, visible_term
from priori.cli.output_paths import refuse_bad_places
from priori.cli.sources import text_of

if TYPE_CHECKING:
    from priori.model.classifier import Model

_HEADS = {
    "mi": "information",
    "mi-words": "information",
    "chi2": "chi-square",
    "log-odds": "z-score",
    "count": "count",
}
_IN_PICTURE = 30  # terms that fit a picture of one class


@click.command("terms")
@click.argument("path", metavar="MODEL")
@click.option(
    "--by",
    type=click.Choice(list(_HEADS)),
    default="mi",
    show_default=True,
    help="Mutual information of presence and class, or of words and class (lecture 004), in nats; chi-square of "
    "presence by class; log-odds of a class against the rest, by their z-score; or occurrences.",
)
@click.option("--label", metavar="L", help="This class, against the rest; with --pairs, its documents alone.")
@click.option("-n", "most", type=click.IntRange(min=1), help="How many.  [default: 20; in a picture 10, of each class]")
@click.option(
    "--pairs", is_flag=True, help="The pairs of words that depend most on each other where the class is known."
)
@click.option(
    "--among", type=click.IntRange(min=2), metavar="M", help="Look for pairs among so many words.  [default: 2000]"
)
@click.option(
    "--stop-words",
    "share",
    type=click.FloatRange(min=0, max=1, max_open=True),
    metavar="SHARE",
    help="Instead, the words in more than this share of the documents, one per line: a file for train --stop-words.",
)
@click.option("--plot", "picture", metavar="FILE", help="Draw the strongest terms of each class: .svg, .png or .pdf.")
@common_options
def terms_command(
    *,
    path: str,
    by: str,
    label: str | None,
    most: int | None,
    pairs: bool,
    among: int | None,
    share: float | None,
    picture: str | None,
    as_json: bool,
) -> None:
    """List the terms that tell classes apart, most telling first; or the pairs that are not independent.

    \b
      priori terms spam.priori --by chi2
      priori terms spam.priori --label spam --pairs
      priori terms spam.priori --plot terms.svg
      priori terms spam.priori --stop-words 0.5 > stop.txt
    """
    if share is not None and (pairs or picture is not None or label is not None or most is not None):
        raise click.UsageError("--stop-words is a list of its own; leave --pairs, --plot, --label and -n out")
    if among is not None and not pairs:
        raise click.UsageError("--among is about --pairs; give that too")
    if pairs and (picture is not None or by != "mi"):
        raise click.UsageError(
            "--pairs are ranked by their information, and have no picture; leave --by and --plot out"
        )
    if picture is not None and by != "mi":
        raise click.UsageError("a picture has the log-odds of classes, and the mi; leave --by out")
    refuse_bad_places()
    if picture is not None:
        from priori.plots import picture_format

        picture_format(picture)
    model = load_texts(path)
    if model.is_language_model and share is None:  # one class: there is nothing to tell apart
        if pairs or picture is not None or label is not None or (by != "count" and given_options(frozenset({"by"}))):
            raise click.UsageError(f"{path} is a language model, whose terms have counts only; give --by count")
        by = "count"
    if share is not None:
        _stop_words(model, share, as_json)
        return
    if pairs:
        _print_pairs(model, label, most or 20, among, as_json)
        return
    if picture is not None:
        found: Any = _draw(model, picture, label, min(most or 10, _IN_PICTURE))
        if as_json:
            print_json(found)
        elif not quiet():
            of = plural(len(model.counts.labels), "class") if label is None else visible(label, 24)
            print_line(f"{picture}: the strongest terms of {of}")
        return
    _print_terms(model, by, label, most or 20, as_json)


def _print_terms(model: "Model", by: str, label: str | None, most: int, as_json: bool) -> None:
    from priori.columns.words.term_ranking import rank, with_forms

    found = rank(model.counts, by, label, most, model.analyzer.marks)  # type: ignore[arg-type]
    found = with_forms(found, model.summary.forms, model.analyzer.fields)
    if as_json:
        print_json([term.to_json() for term in found])
        return
    if model.is_language_model:
        rows = [(visible_term(t.name, 40), said_count(t.documents), said_count(t.occurrences)) for t in found]
        Table(["term", ">documents", ">occurrences"], [*rows]).print()
        return
    table = Table(["term", "speaks for", f">{_HEADS[by]}", ">log-odds", ">documents", ">occurrences"])
    for term in found:
        score = said_count(term.score) if by == "count" else f"{term.score:.4f}" if "mi" in by else f"{term.score:.2f}"
        numbers = (score, f"{term.log_odds:+.2f}", said_count(term.documents), said_count(term.occurrences))
        table.rows.append((visible_term(term.name, 40), visible(term.label, 24), *numbers))
    table.print()


def _stop_words(model: "Model", share: float, as_json: bool) -> None:
    """The words of a corpus that are in so many documents that they tell little of any."""
    from priori.columns.words.term_ranking import frequent_words
    from priori.errors import DataError

    analyzer = model.analyzer
    if analyzer.features != "words" or analyzer.stem is not None or analyzer.ngrams[0] > 1:
        raise DataError("the model does not count words as they are written; train one of single words, without --stem")
    words = [word for word in frequent_words(model.counts, share) if word not in analyzer.marks]
    words = [word for word in words if not any(word.startswith(f"{name}:") for name in analyzer.fields)]
    if not words:
        note(f"no word is in more than {share:.4g} of the documents")
    if as_json:
        print_json(words)
    else:
        for word in words:
            print_line(word)


def _print_pairs(model: "Model", label: str | None, most: int, among: int | None, as_json: bool) -> None:
    from priori.select.dependence import AMONG, dependent_pairs

    found = dependent_pairs(model, label, most, among or AMONG)
    if as_json:
        print_json(found.to_json())
        return
    table = Table(["word", "with", ">information", ">documents", ">with", ">both", ">if independent"])
    for pair in found.pairs:
        table.rows.append((
            visible_term(pair.first, 30), visible_term(pair.second, 30), f"{pair.information:.4f}",
            said_count(pair.first_documents), said_count(pair.second_documents), said_count(pair.together),
            f"{pair.expected:.1f}",
        ))  # fmt: skip
    table.print()
    if not quiet():
        where = "within each class, on average" if label is None else f"within {visible(label, 24)}"
        of = f"of {said_count(found.documents)} kept documents, among the {found.among:,} words in most of them"
        print_line(f"{where}, {of}" if found.pairs else f"no two words depend on each other {where}, {of}")


def _draw(model: "Model", picture: str, label: str | None, most: int) -> dict[str, Any]:
    from priori.columns.words.term_ranking import Term, rank
    from priori.plots import save, telling_figure

    counts, marks = model.counts, model.analyzer.marks
    largest = sorted(range(len(counts.labels)), key=lambda k: -int(counts.class_documents[k]))
    by_class: dict[str, list[Term]] = {name: [] for name in (counts.labels if label is None else (label,))}
    for term in rank(counts, "log-odds", label, most, marks):
        by_class[term.label].append(term)
    shown = {counts.labels[k]: by_class[counts.labels[k]] for k in largest} if len(by_class) > 20 else by_class
    information = rank(counts, "mi", label, most if len(by_class) != 2 else 2 * most, marks)
    save(telling_figure(shown, information), picture)
    terms = {name: [term.to_json() for term in found] for name, found in by_class.items()}
    return {"picture": picture, "log_odds": terms, "information": [term.to_json() for term in information]}


# --- tokens -----------------------------------------------------------------------------------------------------------


@click.command("tokens")
@click.argument("text", metavar="TEXT")
@click.option("--model", "path", metavar="MODEL", help="Use the analyzer of this model.")
@analyzer_options
@common_options
@click.pass_context
def tokens_command(ctx: click.Context, /, text: str, path: str | None, as_json: bool, **given: Any) -> None:
    """Show the features of TEXT (- for standard input), one per line and in order."""
    from priori.errors import DataError

    analyzer = analyzer_of(given)
    if path is not None:
        changed = [name for name in given_names(ctx) if name != "path"]
        if changed:
            raise click.UsageError(f"--model brings its own analyzer; leave --{changed[0].replace('_', '-')} away")
        analyzer = load_texts(path).analyzer
        if analyzer.tokens != "text":
            raise DataError(f"{path} was trained on words told apart elsewhere, so it sees nothing in a text")
    features = analyzer.features_of(text_of(text))
    if analyzer.vocabulary is not None:
        known = set(analyzer.vocabulary)
        counted = [feature for feature in features if feature in known]
        if len(counted) < len(features):
            note(f"{len(features) - len(counted):,} features outside the given vocabulary left out")
        features = counted
    if as_json:
        print_json(features)
    else:
        for feature in features:
            print_line(visible(feature))


def given_names(ctx: click.Context) -> list[str]:
    """The analyzer options that the user has given."""
    from click.core import ParameterSource

    command_line = ParameterSource.COMMANDLINE
    skip = {"text", "path", "as_json"}
    return [name for name in ctx.params if name not in skip and ctx.get_parameter_source(name) == command_line]
