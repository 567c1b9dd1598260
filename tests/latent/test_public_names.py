"""What priori.latent has to offer, and select of it, is there when it is touched, and in the code of some page."""

import re
from pathlib import Path

import pytest

from priori import latent, select

PAGES = "\n".join(page.read_text(encoding="utf-8") for page in (Path(__file__).parents[2] / "docs").rglob("*.md"))
CODE = "\n".join(re.findall(r"(?<!`)`[^`\n]+`(?!`)|^(?:>>>|\.\.\.) .*", PAGES, re.MULTILINE))
COMPARED = [name for name, home in select._HOME_OF.items() if home.startswith("select.method")]  # those of the lecture


@pytest.mark.parametrize("name", [*latent.__all__, *COMPARED])
def test_a_public_name_is_there_and_on_a_page(name):
    assert getattr(select if name in COMPARED else latent, name) is not None
    assert re.search(rf"\b{name}\b", CODE) is not None, f"no page knows {name}"


def test_what_is_not_there_is_said():
    assert dir(latent) == sorted(latent.__all__)
    with pytest.raises(AttributeError, match=r"'priori\.latent' has no attribute 'nothing'"):
        latent.nothing  # noqa: B018
