"""docs/format.md is true: its example runs, its first version stays readable and is still what is written."""

import re
from pathlib import Path

from contents import SCHEMAS, equal, same, small_model

from priori import store
from priori.model import file
from priori.store.arrow_views import arrow_schema

PAGE = Path(__file__).parents[2] / "docs" / "format.md"
VERSION_1 = Path(__file__).with_name("version-1.priori")


def test_example_opens_the_counts(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in example.splitlines() if line]) <= 10
    store.write(tmp_path / "spam.priori", small_model())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(example, names)
    assert names["version"] == 1
    for name in ("classes", "terms"):
        assert same(names[name], small_model()[name])
    assert "amazing" in capsys.readouterr().out


def test_page_names_the_schemas():
    """The schemas that models are written with, not copies of them."""
    page = PAGE.read_text(encoding="utf-8")
    for schema in file.SCHEMAS.values():
        for field in arrow_schema(schema):
            kind = str(field.type).replace("item: ", "")
            assert f"`{field.name}: {kind}`" in page


def test_version_1_is_read_and_written(tmp_path):
    """If the second half fails, equal models no longer have equal bytes, and old digests no longer hold."""
    assert equal(store.read(VERSION_1, SCHEMAS), small_model())
    store.write(tmp_path / "now.priori", small_model())
    assert (tmp_path / "now.priori").read_bytes() == VERSION_1.read_bytes()
