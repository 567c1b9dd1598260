"""A file appears whole or not at all, and nothing is left behind."""

import errno
import os
import resource
import stat
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from contents import small_model

from priori import store
from priori.store import atomic_output


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def test_failure_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    for failure in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(failure), atomic_output(path, "w") as file:
            file.write("half of the new")
            file.flush()
            raise failure
        assert path.read_text() == "old"
        assert names_in(tmp_path) == ["a.txt"]


def test_nothing_is_seen_before_the_end(tmp_path):
    path = tmp_path / "a.bin"
    with atomic_output(path) as file:
        file.write(b"new")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert names_in(tmp_path) == ["a.bin"]


def test_text_is_utf8_with_plain_line_ends(tmp_path):
    with atomic_output(tmp_path / "a.txt", "w") as file:
        file.write("é\n")
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    with pytest.raises(ValueError, match="mode"), atomic_output(tmp_path / "a.txt", "a"):
        pass


def test_permissions(tmp_path):
    """A new file gets what the umask allows; a replaced one keeps its own, so that private stays private."""
    path = tmp_path / "a.bin"
    umask = os.umask(0o027)
    try:
        store.write(path, small_model())
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        store.write(path, small_model())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(umask)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a.bin")
    for text in (b"one", b"two"):
        with atomic_output(tmp_path / "link") as file:
            file.write(text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real" / "a.bin").read_bytes() == text


@pytest.mark.parametrize("place", ["missing/a.bin", "file/a.bin", "."])
def test_impossible_places(tmp_path, place):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OSError, match=r"cannot be written, .*: (create|give)") as error,
        atomic_output(tmp_path / place),
    ):
        pass
    assert error.value.filename == str(tmp_path / place)
    assert names_in(tmp_path) == ["file"]


def test_read_only_folder(tmp_path, monkeypatch):
    if os.geteuid() == 0:  # nothing is read-only for root, so the system's answer is imitated

        def refuse(path, *_):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

        monkeypatch.setattr(os, "open", refuse)
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="choose a folder you may write to"):
        store.write(tmp_path / "a.priori", small_model())
    tmp_path.chmod(0o700)
    assert names_in(tmp_path) == []


def test_full_disk(tmp_path):
    """The kernel itself refuses to let the file grow; the old one survives."""
    path = tmp_path / "a.priori"
    store.write(path, small_model())
    before = path.read_bytes()
    large = pa.table({"x": pa.array(range(100_000))})
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match=r"cannot be written, .*choose another place") as error:
            store.write(path, {"x": large})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert error.value.errno == errno.EFBIG
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["a.priori"]


def test_full_disk_noticed_at_flush(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left on device: free some space"):
        store.write(tmp_path / "a.priori", small_model())
    assert names_in(tmp_path) == []


def test_other_errors_of_the_block_are_not_relabelled(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such file .*'elsewhere'"), atomic_output(tmp_path / "a"):
        open("elsewhere")  # noqa: PTH123, SIM115


def test_pipes_and_devices_are_written_as_they_are(tmp_path):
    with atomic_output("/dev/null") as file:
        file.write(b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    if Path("/dev/full").exists():  # Linux only
        with pytest.raises(OSError, match="free some space"):
            store.write("/dev/full", small_model())
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    store.write(pipe, small_model())
    reader.join()
    store.write(tmp_path / "file", small_model())
    assert got == [(tmp_path / "file").read_bytes()]


def test_the_order_of_things(tmp_path, monkeypatch):
    """Flush the file, then rename, then flush the folder: any other order can lose both files in a power cut."""
    seen = []
    flush, rename = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (seen.append(stat.S_ISDIR(os.fstat(fd).st_mode)), flush(fd)))
    monkeypatch.setattr(os, "replace", lambda *a, **k: (seen.append("rename"), rename(*a, **k)))
    store.write(tmp_path / "a.priori", small_model())
    assert seen == [False, "rename", True]
