"""The real program: pipes, Ctrl-C, a cold start, terminals."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli_decisions import spam  # noqa: F401 - a fixture

PRIORI = [sys.executable, "-c", "from priori.cli import main; main()"]


def start(*arguments, **settings):
    return subprocess.Popen(
        [*PRIORI, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of several batches."""
    path = tmp_path_factory.mktemp("large") / "large.tsv"
    words = [f"word{i * i % 9973}" for i in range(4000)]
    with path.open("w", encoding="utf-8") as file:
        file.write("label\ttext\n")
        for i in range(12000):
            start_at = i * 37 % 3000
            file.write(f"{'ham' if i % 3 else 'spam'}\t{' '.join(words[start_at : start_at + 300])} x{i}\n")
    return path


def test_a_reader_that_has_seen_enough_is_no_error(mail, large):
    program = start("classify", "mail.priori", large, cwd=mail)
    assert program.stdout.readline().startswith('{"label"')
    program.stdout.close()
    assert program.wait(timeout=30) == 0
    assert program.stderr.read() == ""
    program.stderr.close()


def test_a_full_disk_is_one_line(mail):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PRIORI, "classify", "mail.priori", "mail.csv"], cwd=mail, stdout=full, stderr=-1, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("priori: ") and done.stderr.count(b"\n") == 1


def test_ctrl_c_is_answered_at_once_and_leaves_nothing(mail):
    endless = subprocess.Popen(["yes", "ham\tfree entry to win a phone"], stdout=subprocess.PIPE)
    how = ["--format", "tsv", "--no-header", "--text", "1", "--label", "0", "--ngrams", "1-3"]
    program = start("train", "-", "-o", "stopped.priori", *how, cwd=mail, stdin=endless.stdout)
    endless.stdout.close()
    time.sleep(1.5)
    assert program.poll() is None, program.communicate()
    program.send_signal(signal.SIGINT)
    asked = time.perf_counter()
    out, err = program.communicate(timeout=20)
    assert time.perf_counter() - asked < 2
    assert endless.wait(timeout=5) != 0  # its pipe broke
    assert (program.returncode, out, err.strip()) == (130, "", "priori: stopped")
    assert sorted(path.name for path in mail.iterdir()) == ["mail.csv", "mail.priori"]


def test_ctrl_c_while_waiting_for_a_silent_pipe(mail):
    for command in (
        ["train", "-", "-o", "x.priori"],
        ["classify", "mail.priori", "-"],
        ["evaluate", "mail.priori", "-"],
    ):
        program = start(*command, cwd=mail, stdin=subprocess.PIPE)
        time.sleep(1)
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=5) == 130
        program.communicate()


HEAVY = "sklearn scipy matplotlib rich pandas polars duckdb pyarrow.parquet pyarrow.compute pyarrow.csv pyarrow.dataset"
# A message is classified by words alone: nothing that reads sources or tables is loaded, and no other kind of column.
UNUSED = ("pyarrow", "priori.data.", "priori.plots", "priori.columns.", "priori.estimators", "priori.model.table_")
USED = tuple(
    f"priori.{name}"
    for name in ("data.labels", "data.folds", "columns.words", "columns.readings", "columns.class_prior")
)
NEVER = "priori.columns.words.column"  # words beside other columns
LEFT_OUT = ("priori.columns.words.left_out", "priori.data.folds", "priori.language.ngrams")  # of promises, and n-grams


@pytest.mark.parametrize(
    "arguments",
    [
        ["classify", "mail.priori", "--message", "free phone"],
        ["classify", "mail.priori", "--message", "free phone", "--loss", "loss.toml"],
        ["train", "mail.csv", "-o", "x.priori"],
        ["evaluate", "mail.priori", "mail.csv"],
        ["explain", "mail.priori", "free phone"],
        ["inspect", "mail.priori"],
        ["update", "mail.priori", "mail.csv", "-o", "x.priori"],
        ["bayes", "film=0.5:1/3", "book=0.5:1/2"],
        ["--help"],
    ],
)
def test_a_cold_start_loads_no_more_than_it_uses(mail, arguments):
    (mail / "loss.toml").write_text("[spam]\nham = 10\n", encoding="utf-8")
    loaded = loaded_by(mail, arguments)
    assert not loaded & set(HEAVY.split())
    if arguments[0] == "classify":
        assert not unused(loaded)
        assert not {name for name in loaded if name.startswith(LEFT_OUT)}
    if arguments[0] == "--help":
        assert "numpy" not in loaded and "priori.cli.commands.train" not in loaded


def test_a_promise_needs_neither_sources_nor_tables(spam):  # noqa: F811
    loaded = loaded_by(".", ["classify", "spam.priori", "--message", "w1 w2", "--max-false-positive", "0.05"])
    assert not loaded & (set(HEAVY.split()) - {"scipy"})
    assert not unused(loaded)


def unused(loaded):
    """Of what is loaded, what a text that is classified has no use for."""
    return {name for name in loaded if name == NEVER or (name.startswith(UNUSED) and not name.startswith(USED))}


def loaded_by(folder, arguments):
    """The modules that a command has loaded when it ends."""
    code = (
        "import sys\nfrom priori.cli.app import app\n"
        "try:\n    app.main(prog_name='priori')\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "print('loaded', *sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stderr.rsplit("loaded", 1)[1].split())


def on_a_terminal(arguments, folder, program=PRIORI, **environment):
    """Run with stdout and stderr a terminal of 80 columns, and give what it shows."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "50", **environment}
    running = subprocess.Popen([*program, *arguments], cwd=folder, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert running.wait(timeout=30) == 0
    return shown.decode()


def test_a_terminal_gets_tables_and_bars_and_colour_unless_it_wants_none(mail):
    chart = on_a_terminal(["classify", "mail.priori", "--message", "free phone"], mail)
    assert "█" in chart and "\x1b[" in chart and "spam" in chart
    plain = on_a_terminal(["classify", "mail.priori", "--message", "free phone"], mail, NO_COLOR="1")
    assert "█" in plain and "\x1b[32" not in plain and "\x1b[1;32" not in plain
    lines = on_a_terminal(["classify", "mail.priori", "--message", "free phone", "--json"], mail)
    assert lines.startswith('{"label": "spam"') and "\x1b" not in lines
    table = on_a_terminal(["evaluate", "mail.priori", "mail.csv"], mail)
    assert "───" in table and max(len(line) for line in re.sub("\x1b\\[[0-9;]*m", "", table).splitlines()) <= 80


def test_a_long_training_shows_how_far_it_is(mail, large):
    impatient = "import priori.cli.progress as p; p._PATIENCE = 0; from priori.cli import main; main()"
    program = [sys.executable, "-c", impatient]
    shown = on_a_terminal(["train", str(large), "-o", "x.priori"], mail, program)
    assert "training" in shown and "MB/s" in shown and "docs" in shown
    assert "training" not in on_a_terminal(["-q", "train", str(large), "-o", "x.priori"], mail, program)
