"""priori update and priori forget: the same model with more documents, or without some."""

from collections.abc import Callable
from typing import Any

import click

from priori.cli.loaded import load
from priori.cli.options import common_options, jobs_option, read_options, source_options
from priori.cli.places import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.saved import save_and_tell, tell_alpha
from priori.cli.show import listed, plural
from priori.cli.verbosity import note


def _revise(verb: str, path: str, sources: tuple[str, ...], output: str | None, given: dict[str, Any]) -> None:
    target = output or path
    as_json, jobs = given.pop("as_json"), given.pop("jobs")
    options = read_options(given)
    refuse_bad_places(path)
    model = load(path)
    with Bar("learning" if verb == "learn" else "forgetting", noun=model.noun) as bar:
        changed = model.revised(verb, sources, options, jobs, bar)
    if changed.unlabelled:
        note(f"{plural(changed.unlabelled, 'row')} without a label skipped")
    new = [label for label in changed.loaded.labels if label not in model.labels]
    if new:
        note(f"new to {path}: {plural(len(new), 'class')} ({listed(new)}), beside {listed(model.labels)}")
    save_and_tell(changed.loaded, target, [model], as_json, {"rows": changed.rows})
    if not as_json:
        tell_alpha(model, changed.loaded)


def _arguments(command: Callable[..., None]) -> Callable[..., None]:
    """What both commands take."""
    output = click.option("-o", "--output", metavar="OUT", help="The model file to write.  [default: MODEL itself]")
    sources = click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
    command = output(source_options(jobs_option(common_options(command))))
    return click.argument("model", metavar="MODEL")(sources(command))


@click.command("update")
@_arguments
def update_command(model: str, sources: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Learn more documents or rows; new classes, words and values are welcome."""
    _revise("learn", model, sources, output, given)


@click.command("forget")
@_arguments
def forget_command(model: str, sources: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Forget documents or rows: the counts are then those of a model that has never seen them."""
    _revise("forget", model, sources, output, given)
