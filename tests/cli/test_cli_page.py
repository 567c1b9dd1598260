"""docs/cli.md names what there is."""

import re
from pathlib import Path

import click
import pytest

from priori.cli.app import app
from priori.columns.words.readings import Prior

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def commands():
    with click.Context(app, info_name="priori") as context:
        found = {name: app.get_command(context, name) for name in app.list_commands(context)}
    groups = [(name, group) for name, group in found.items() if isinstance(group, click.Group)]
    return found | {f"{name} {each}": command for name, group in groups for each, command in group.commands.items()}


def test_every_command_is_on_the_page():
    table = PAGE.split("## What every command")[0]
    assert all(re.search(rf"`{name}[` ]", table) for name in commands())


def test_every_option_on_the_page_exists_and_every_option_of_train_is_there():
    known = {
        name
        for command in commands().values()
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
    }
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE)) - {"--help"}
    assert named <= known
    train = {name for option in commands()["train"].params for name in option.opts if name.startswith("--")}
    assert train - named <= {"--output", "--quiet", "--verbose"}


def test_the_prior_file_on_the_page_can_be_read(tmp_path):
    (tmp_path / "prior.toml").write_text(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1], encoding="utf-8")
    prior = Prior.from_toml(tmp_path / "prior.toml")
    assert (prior.alpha, prior.terms["free"], prior.classes["spam"]["winner"]) == (0.5, 2.0, 5.0)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, monkeypatch, capsys):
    monkeypatch.setenv("_PRIORI_COMPLETE", f"{shell}_source")
    monkeypatch.setattr("click.shell_completion.BashComplete._check_version", staticmethod(lambda: None))
    with pytest.raises(SystemExit) as end:
        app.main([], prog_name="priori")
    assert end.value.code == 0 and "_PRIORI_COMPLETE" in capsys.readouterr().out
