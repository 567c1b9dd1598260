"""priori cluster stopped by Ctrl-C, SIGTERM and SIGKILL: nothing is broken, and it goes on to the same model.

The program is told to send itself the signal at a step that is known, so that nothing here depends on speed.
"""

import hashlib
import re
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from test_cli_processes import PRIORI, on_a_terminal, start
from test_cluster import SMS

EM = ["cluster", "sms.parquet", "--classes", "2", "--restarts", "2", "-o", "m.priori"]
GIBBS = [*EM[:4], "--method", "gibbs", "--burn-in", "13", "--samples", "3", "--chains", "2", "-o", "m.priori"]
METHODS = {"em": EM, "gibbs": GIBBS}

BEGIN = """
import os
import priori.latent.checkpoint as checkpoint
from priori.cli.commands import cluster, cluster_search
from priori.cli import main
checkpoint.LEAST_SECONDS, checkpoint.LARGEST_PART = {seconds}, float("inf")
"""
AT_STEP = """
class Watching(cluster_search.Watching):
    steps = 0
    def __call__(self, step):
        Watching.steps += 1
        for _ in range({times}):
            if Watching.steps == {step}:
                os.kill(os.getpid(), {signal})
cluster_search.Watching = Watching
main()
"""
AT_REPLACE = """
replace, count = os.replace, 0
def killing(source, target):
    global count
    count += target.endswith({ending!r})
    if count == {number} and {before}:
        os.kill(os.getpid(), 9)
    replace(source, target)
    if count == {number}:
        os.kill(os.getpid(), 9)
os.replace = killing
main()
"""


def program(code, eager=True, **values):
    """The program with some of its parts exchanged. Eager: with a checkpoint after every step, whatever that costs."""
    begin = BEGIN.format(seconds=0.0 if eager else 1000.0)
    return [sys.executable, "-c", begin + (code.format(**values) if values else code)]


def heed_hangups():
    """Under nohup they are ignored, and whoever is started inherits that."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def run(arguments, folder, command=PRIORI):
    return subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60,
        preexec_fn=heed_hangups,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The digests of the models of runs that were never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    documents = pq.read_table(SMS, columns=["text", "label"]).slice(0, 1200)
    pq.write_table(documents.rename_columns(["text", "kind"]), folder / "sms.parquet")  # nothing to compare with
    digests = {"folder": folder}
    for method, arguments in METHODS.items():
        assert run(arguments, folder).returncode == 0
        digests[method] = digest(folder)
    assert files(folder) == ["m.priori"]
    return digests


@pytest.fixture
def folder(whole, tmp_path):
    """A folder of its own with the documents."""
    (tmp_path / "sms.parquet").symlink_to(whole["folder"] / "sms.parquet")
    return tmp_path


def digest(folder):
    return hashlib.sha256((folder / "m.priori").read_bytes()).hexdigest()


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "sms.parquet")


@pytest.mark.parametrize(
    ("method", "number"),
    [("em", signal.SIGINT), ("em", signal.SIGTERM), ("em", signal.SIGHUP), ("gibbs", signal.SIGINT)],
)
def test_asked_to_stop_it_stores_the_step_under_way_and_goes_on_from_it(method, number, whole, folder):
    ran = run(METHODS[method], folder, program(AT_STEP, False, step=11, times=1, signal=int(number)))
    assert (ran.returncode, ran.stdout) == (128 + number, "")
    at = "restart 1 of 2, iteration 11" if method == "em" else "sweep 10 of 16"  # the first step is the start
    assert ran.stderr == f"priori: stopped at {at}; kept in m.priori.partial: the same command goes on from there\n"
    assert files(folder) == ["m.priori.partial"]
    ran = run(METHODS[method], folder)
    assert ran.returncode == 0 and f"priori: going on from m.priori.partial: {at} (--fresh" in ran.stderr
    assert files(folder) == ["m.priori"] and digest(folder) == whole[method]


@pytest.mark.parametrize(("method", "step"), [("em", 1), ("em", 9), ("gibbs", 9)])
def test_killed_at_any_step_it_loses_that_step_at_most(method, step, whole, folder):
    ran = run(METHODS[method], folder, program(AT_STEP, step=step, times=1, signal=9))
    assert ran.returncode == -9
    if step == 1:  # before anything was stored
        assert files(folder) == []
    ran = run(METHODS[method], folder)
    if step > 1:  # the step under way is lost, those before it are not
        at = "restart 1 of 2, iteration 8" if method == "em" else "sweep 7 of 16"
        assert ran.stderr.startswith(f"priori: going on from m.priori.partial: {at} ")
    assert files(folder) == ["m.priori"] and digest(folder) == whole[method]


@pytest.mark.parametrize("before", [True, False])
def test_killed_while_it_stores_it_leaves_the_old_checkpoint_or_the_new(before, whole, folder):
    command = program(AT_REPLACE, ending=".partial", number=5, before=before)
    assert run(EM, folder, command).returncode == -9
    assert [name for name in files(folder) if not name.startswith(".priori-")] == ["m.priori.partial"]
    ran = run(EM, folder)
    assert f"iteration {4 if before else 5} " in ran.stderr and digest(folder) == whole["em"]


@pytest.mark.parametrize("before", [True, False])
def test_killed_while_it_writes_the_model_it_leaves_none_or_all_of_it(before, whole, folder):
    command = program(AT_REPLACE, False, ending="m.priori", number=1, before=before)
    assert run(EM, folder, command).returncode == -9
    assert (folder / "m.priori").exists() != before
    assert before or digest(folder) == whole["em"]
    assert run(EM, folder).returncode == 0 and digest(folder) == whole["em"]


def test_asked_twice_it_stops_at_once_and_keeps_what_it_had(whole, folder):
    ran = run(EM, folder, program(AT_STEP, step=6, times=2, signal=int(signal.SIGINT)))
    assert ran.returncode == 130 and ran.stderr == (
        "priori: stopped at once; m.priori.partial is kept, from which the same command goes on\n"
    )
    ran = run(EM, folder)
    assert "iteration 5 " in ran.stderr and digest(folder) == whole["em"]


AFTER_THE_MODEL = """
tell = cluster.tell
def signalled(*told):
    os.kill(os.getpid(), {signal})
    tell(*told)
cluster.tell = signalled
main()
"""


def test_asked_to_stop_when_the_model_is_written_it_says_what_was_found(whole, folder):
    ran = run(EM, folder, program(AFTER_THE_MODEL, False, signal=int(signal.SIGINT)))
    assert (ran.returncode, ran.stderr) == (0, "") and "m.priori: " in ran.stdout
    assert files(folder) == ["m.priori"] and digest(folder) == whole["em"]


def test_a_signal_that_is_not_to_be_heard_is_not(whole, folder):
    command = program("import signal; signal.signal(1, signal.SIG_IGN)\n" + AT_STEP, False, step=6, times=2, signal=1)
    ran = run(EM, folder, command)  # as under nohup
    assert (ran.returncode, ran.stderr) == (0, "") and digest(folder) == whole["em"]


def test_ctrl_c_from_outside(whole, folder):
    slow = program("cluster_search.Watching.__call__ = lambda self, step: __import__('time').sleep(0.05)\nmain()\n")
    running = subprocess.Popen([*slow, *EM], cwd=folder, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while not (folder / "m.priori.partial").exists() and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert running.returncode == 130 and re.search("stopped at restart [12] of 2, iteration", said)
    assert run(EM, folder).returncode == 0 and digest(folder) == whole["em"]


def test_ctrl_c_while_reading_leaves_nothing(folder):
    running = start("cluster", "-", "--classes", "2", "-o", "m.priori", cwd=folder, stdin=subprocess.PIPE)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=5) == 130
    running.communicate()
    assert files(folder) == []


def test_fresh_starts_anew_and_what_cannot_be_used_is_said_in_a_line(whole, folder):
    run(EM, folder, program(AT_STEP, False, step=11, times=1, signal=15))
    for other, said in (
        (["--seed", "1"], "is of other settings (seed 0 there, 1 here); give those again, or start anew with --fresh"),
        (["--where", "kind=ham"], "is of other documents; start anew with --fresh"),
    ):
        ran = run([*EM, *other], folder)
        assert (ran.returncode, ran.stderr) == (1, f"priori: the checkpoint m.priori.partial {said}\n")
    ran = run([*EM, "--fresh"], folder)
    assert (ran.returncode, ran.stderr) == (0, "") and digest(folder) == whole["em"]
    assert files(folder) == ["m.priori"]
    run(EM, folder, program(AT_STEP, False, step=11, times=1, signal=15))
    for command in (["classify", "m.priori.partial", "sms.parquet"], ["inspect", "m.priori.partial"]):
        assert "m.priori.partial is no model yet but a checkpoint of priori cluster; the" in run(command, folder).stderr
    (folder / "m.priori.partial").write_bytes(b"torn")
    ran = run(EM, folder)
    assert ran.returncode == 1 and ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("priori: the checkpoint m.priori.partial cannot be used: ")
    assert ran.stderr.endswith("; start anew with --fresh\n")
    assert digest(folder) == whole["em"]  # the model of before stays


def test_a_disk_that_is_full_for_checkpoints_does_not_end_the_work(whole, folder):
    full = "def full(self): raise OSError(28, 'No space left on device')\ncheckpoint.Checkpoint.save = full\nmain()\n"
    ran = run(EM, folder, program(full))
    assert ran.returncode == 0 and digest(folder) == whole["em"]
    assert ran.stderr.startswith("priori: warning: how far it has come cannot be stored (No space left on device)")
    assert ran.stderr.count("\n") == 1


PATIENT = (
    "import priori.cli.progress as w; w._PATIENCE = w._BETWEEN = w._NOW_AND_THEN = 0; w._LARGEST_PART = 1e9\nmain()\n"
)


@pytest.mark.parametrize("method", METHODS)
def test_a_terminal_is_shown_the_words_as_they_sharpen_and_others_a_line(method, folder):
    command = program(PATIENT, False)
    shown = on_a_terminal(METHODS[method], folder, command)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", shown)
    said = "restart 2 of 2, iteration 12: objective -" if method == "em" else "sweep 14 of 16: log joint -"
    assert said in shown and re.search(r"\n2 +[\d,]+ .*call +.*free", shown.replace("\r", ""))
    assert max(len(line) for line in re.split("[\r\n]+", shown)) <= 80
    assert f"priori: {said}" in run(METHODS[method], folder, command).stderr


def test_a_terminal_may_be_small_and_quiet_is_quiet(folder):
    command = program(PATIENT, False)
    arguments = [*EM[:3], "30", *EM[4:], "--restarts", "1"]
    shown = on_a_terminal(arguments, folder, command, LINES="12", COLUMNS="60")
    assert "... and 24 smaller classes" in shown
    assert run([*EM, "-q"], folder, command).stderr == ""
