import json
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from adult import ADULT, write
from priori.cli.app import app

MAIL = """text,label,id,split
free entry to win,spam,1,train
"win a free phone, now",spam,2,train
see you at lunch,ham,3,train
lunch was good,ham,4,test
call now to win,spam,5,test
are you free at noon,ham,6,train
"""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments, stdin=None, env=None):
    result = CliRunner(env=env).invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="priori")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def priori(tmp_path, monkeypatch):
    """Run a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def mail(priori, tmp_path):
    (tmp_path / "mail.csv").write_text(MAIL, encoding="utf-8")
    assert priori("train", "mail.csv", "-o", "mail.priori").code == 0
    return tmp_path


@pytest.fixture
def adult(priori, tmp_path):
    write(tmp_path / "adult.csv", ADULT)
    assert priori("train", "adult.csv", "--label", "income", "-o", "m.priori").code == 0
    return tmp_path
