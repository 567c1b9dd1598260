"""What update, forget, merge and read say when they have written a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priori.cli.models import file_size
from priori.cli.show import plural, print_json, print_line, size_of
from priori.cli.verbosity import note, quiet, warn

if TYPE_CHECKING:
    from priori.cli.loaded import Loaded


def tell_alpha(before: "Loaded", after: "Loaded") -> None:
    """Say what the smoothing of texts has become, where it is fitted and has moved."""
    was, now = (f"{alpha:.3g}" if (alpha := model.alpha) is not None else None for model in (before, after))
    if was is not None and now is not None and was != now and not quiet():
        print_line(f"alpha is {now} now; it was {was}")


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
