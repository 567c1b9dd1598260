"""priori read: another reading of the same counts, stored."""

from typing import Any

import click

from priori.cli.loaded import load
from priori.cli.options import common_options
from priori.cli.places import refuse_bad_places
from priori.cli.reading_options import reading_options
from priori.cli.saved import save_and_tell


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
