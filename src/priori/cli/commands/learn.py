"""priori update, forget, merge, calibrate and read: change a model, or make one of several, and write it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from priori.cli.messages import note, quiet, warn
from priori.cli.models import file_size, load, load_classifier
from priori.cli.options.common import common_options, jobs_option, read_options, source_options
from priori.cli.options.model import reading_options
from priori.cli.output.terminal import listed, plural, print_json, print_line, print_wrapped, size_of
from priori.cli.output_paths import refuse_bad_places
from priori.cli.progress import Bar

if TYPE_CHECKING:
    from priori.cli.models import Loaded


def _arguments(command: Callable[..., None]) -> Callable[..., None]:
    """What update and forget take."""
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


@click.command("merge")
@click.argument("paths", nargs=-1, required=True, metavar="MODEL...")
@click.option("-o", "--output", required=True, metavar="OUT", help="The model file to write.")
@common_options
def merge_command(paths: tuple[str, ...], output: str, as_json: bool) -> None:
    """Add models up: the counts are then those of one model trained on all their documents or rows."""
    refuse_bad_places()
    models = [load(path) for path in paths]
    total = models[0]
    for model in models[1:]:
        total = total.plus(model)
    if any(model.readings != total.readings for model in models):
        note(f"the models are read in different ways; the result is read as {paths[0]} is (see priori read)")
    save_and_tell(total, output, models, as_json, {"merged": list(paths)})
    if not as_json:
        tell_alpha(models[0], total)


@click.command("calibrate")
@click.argument("path", metavar="MODEL")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--held-out", is_flag=True, help="SOURCE was not learned: it is scored as it is.")
@click.option("-o", "--output", metavar="OUT", help="The model file to write.  [default: MODEL itself]")
@reading_options
@source_options
@jobs_option
@common_options
def calibrate_command(
    *,
    path: str,
    sources: tuple[str, ...],
    held_out: bool,
    output: str | None,
    jobs: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit a text model's smoothing and calibration, or the powers of a table's columns, again: by left-out data.

    Without a SOURCE by the documents or rows that the model keeps, which is done anyway whenever it learns, forgets or
    is merged. A model that keeps none (--no-sample) needs a SOURCE: what it has learned, or held-out data.

    \b
      priori calibrate spam.priori mail.csv
      priori calibrate spam.priori today.csv --held-out
    """
    if held_out and not sources:
        raise click.UsageError("--held-out is about a SOURCE; give one")
    target = output or path
    refuse_bad_places(path)
    options = read_options(given)
    model = load_classifier(path)
    before = model.read_as(given)
    with Bar("calibrating", noun=model.noun) as bar:
        changed = before.recalibrated(sources, options, held_out, jobs, bar)
    found = changed.fitted_facts()
    save_and_tell(changed, target, [model], as_json, {"fitted": found})
    if not as_json and not quiet():
        print_wrapped(changed.fitted_line(held_out))


@click.command("read")
@click.argument("path", metavar="MODEL")
@click.option("-o", "--output", metavar="OUT", help="The model file to write.  [default: MODEL itself]")
@reading_options
@common_options
def read_command(path: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Store another reading of a model's counts; nothing is trained again."""
    target = output or path
    refuse_bad_places(path)
    model = load(path)
    changed = model.read_as(given)
    changed.refuse_impossible()
    save_and_tell(changed, target, [model], as_json, {"readings": changed.readings.to_json()})


# --- what is said of the new model ------------------------------------------------------------------------------------


def save_and_tell(
    model: "Loaded", path: str, origins: "Sequence[Loaded]", as_json: bool, further: dict[str, Any]
) -> None:
    """Write a model that came from others, and say what it holds now."""
    if model.provenance is None and any(origin.provenance is not None for origin in origins):
        note("the provenance that was stored is not that of the new model, so it is left out")
    if isinstance(facts := model.fitted_facts(), dict) and facts["stale"]:
        warn(
            f"{path} keeps no {model.noun}s, so {model.left_to_data} are those of before; refit them: "
            f"priori calibrate {path} SOURCE{model.how_to_refit}"
        )
    model.save(path)
    learned, size = model.size, file_size(path)
    if as_json:
        found = {learned.key: learned.total, "labels": list(model.labels), f"{learned.part}s": learned.parts}
        print_json({"model": path, **further, **found, "file_bytes": size})
    elif not quiet():
        classes = f"{plural(len(model.labels), 'class')}, " if model.labels else ""  # a language model has none
        print_line(
            f"{path}: {plural(learned.total, learned.noun)}, {classes}{plural(learned.parts, learned.part)}"
            + ("" if size is None else f", {size_of(size)}")
        )


def tell_alpha(before: "Loaded", after: "Loaded") -> None:
    """Say what the smoothing of texts has become, where it is fitted and has moved."""
    was, now = (f"{alpha:.3g}" if (alpha := model.alpha) is not None else None for model in (before, after))
    if was is not None and now is not None and was != now and not quiet():
        print_line(f"alpha is {now} now; it was {was}")
