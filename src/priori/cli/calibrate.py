"""priori calibrate: smoothing and calibration, or the powers of columns, fitted again."""

from typing import Any

import click

from priori.cli.loaded import load_classifier
from priori.cli.options import common_options, jobs_option, read_options, source_options
from priori.cli.places import refuse_bad_places
from priori.cli.progress import Bar
from priori.cli.reading_options import reading_options
from priori.cli.saved import save_and_tell
from priori.cli.show import print_wrapped
from priori.cli.verbosity import quiet


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
