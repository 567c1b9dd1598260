"""priori merge: models added up."""

import click

from priori.cli.loaded import load
from priori.cli.options import common_options
from priori.cli.places import refuse_bad_places
from priori.cli.saved import save_and_tell, tell_alpha
from priori.cli.verbosity import note


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
