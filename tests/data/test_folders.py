import logging

import pytest
from source_helpers import read_batches, read_rows, write

from priori.errors import DataError


def test_one_subfolder_per_class_in_a_fixed_order(tmp_path, caplog):
    for name, text in {"spam/2": "win", "spam/10.txt": "now", "ham/deep/a": "hello", "ham/.hidden": "x"}.items():
        write(tmp_path / name, text)
    write(tmp_path / "README", "stray")
    with caplog.at_level(logging.WARNING):
        assert read_rows(tmp_path) == [("ham", "hello"), ("spam", "now"), ("spam", "win")]
    assert "1 files beside" in caplog.text
    batches = read_batches(tmp_path, keep=("path",), batch_bytes=1)
    assert len(batches) == 3
    assert batches[0].keep["path"].to_pylist() == [str(tmp_path / "ham/deep/a")]
    assert batches[-1].bytes_read == batches[-1].bytes_total == len("hellonowwin")


def test_a_label_for_a_whole_folder(tmp_path):
    write(tmp_path / "a", "caf\xe9".encode("latin-1"))
    assert read_rows(f"spam={tmp_path}", encoding="latin-1") == [("spam", "café")]
    assert read_rows(tmp_path, label=None, encoding="latin-1") == [(None, "café")]
    with pytest.raises(DataError, match="no subfolders"):
        read_batches(tmp_path)


def test_a_binary_document_is_refused_by_name(tmp_path):
    write(tmp_path / "ham/a", "hello")
    write(tmp_path / "ham/picture", b"\x89PNG\r\n")
    with pytest.raises(DataError, match="picture is not text"):
        read_batches(tmp_path)


def test_a_folder_of_tables(tmp_path):
    write(tmp_path / "part-1.csv", "text,label\nb,y\n")
    write(tmp_path / "part-0.csv", "text,label\na,x\n")
    assert read_rows(tmp_path) == [("x", "a"), ("y", "b")]


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="is empty"):
        read_batches(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    with pytest.raises(DataError, match="is a file"):
        read_batches(write(tmp_path / "a.csv", "text\n"), format="maildir")
