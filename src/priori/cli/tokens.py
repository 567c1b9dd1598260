"""priori tokens: what the analyzer sees."""

from typing import Any

import click

from priori.cli.analyzer_options import analyzer_of, analyzer_options
from priori.cli.inputs import text_of
from priori.cli.options import common_options
from priori.cli.show import print_json, print_line, visible
from priori.cli.verbosity import note


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
        from priori.cli.models import load_texts

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
