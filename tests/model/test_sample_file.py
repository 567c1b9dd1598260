"""The kept rows in a model file: what is read is what was written; whatever is not the rows of the model is refused."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from model.estimators import mixed_table
from priori import store
from priori.errors import ModelFileError
from priori.estimators.naive_bayes import NaiveBayes
from priori.model import sample, sample_file
from priori.model.table_classifier import TableModel
from priori.store.table_types import Lists, Table, Texts

TABLE, LABELS = mixed_table(50)
COLUMNS = {("age", "visits"): "gaussian_joint"}


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "model.priori"
    NaiveBayes(columns=COLUMNS).fit(TABLE, LABELS, np.arange(50) % 3 / 2 + 0.5).save(place)
    return place


def changed(path, section, **columns):
    """The file with other columns in one section."""
    sections = dict(store.read(path))
    table = sections[section]
    now = {column.name: table[column.name] for column in table.schema}
    for name, change in columns.items():
        now[name] = change(now[name])
    sections[section] = Table(table.schema, now)
    store.write(path, sections)


def at(place, value):
    def change(values):
        values = values.copy()
        values[place] = value
        return values

    return change


def items(change):
    return lambda lists: Lists(lists.offsets, change(lists.items))


def refused(path, words):
    with pytest.raises(ModelFileError, match=words) as found:
        TableModel.load(path)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("columns", ["auto", COLUMNS])
def test_what_is_read_is_what_was_written(columns, tmp_path, monkeypatch):
    for limit in (4096, 8):
        monkeypatch.setattr(sample, "LIMIT", limit)
        model = NaiveBayes(columns=columns).fit(TABLE, LABELS, np.arange(50) % 3).model_
        model.save(tmp_path / "a")
        found = TableModel.load(tmp_path / "a")
        assert found.kept == model.kept
        assert (found.kept.bits > 0) == (limit == 8)
        found.save(tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_rows_are_read_as_none(tmp_path):
    model = NaiveBayes().fit(TABLE, LABELS).forget(TABLE, LABELS)
    kept = model.model_.kept
    assert len(kept) == 0
    sections = sample_file.sample_sections(kept, ())
    assert sample_file.sample_of(sections, 0, model.model_.parts, ()) == kept
    NaiveBayes(keep_sample=False).fit(TABLE, LABELS).save(tmp_path / "m")
    assert TableModel.load(tmp_path / "m").kept is None
    assert not {name for name in store.names(tmp_path / "m") if name.startswith("sample")}


def test_the_sections_are_as_docs_format_says(path):
    sections = store.read(path)
    rows = sections["sample_rows"]
    assert [column.name for column in rows.schema] == ["hash", "class", "weight"]
    assert len(rows["hash"]) == 50
    assert rows["weight"].sum() == sections["table_classes"]["weight"].sum()  # in units of 2^-20
    parts = sections["table"]["parts"]
    held = sorted([*sections["sample_numbers"]["part"], *sections["sample_codes"]["part"]])
    assert held == list(range(len(parts)))
    joint = sections["sample_numbers"]["cells"]
    assert joint.offsets[1] - joint.offsets[0] == 2 * 50  # both columns of the joint part, row by row


def test_a_hash_that_is_not_that_of_its_row_is_refused(path):
    changed(path, "sample_rows", hash=lambda hashes: hashes + np.uint64(1))
    refused(path, "a hash is not that of its row")


def test_a_cell_that_was_changed_is_refused(path):
    changed(path, "sample_numbers", cells=items(at(3, 17.25)))
    refused(path, "a hash is not that of its row")


def test_another_class_is_refused(path):
    changed(path, "sample_rows", **{"class": lambda classes: (classes + 1) % 3})
    refused(path, "a hash is not that of its row")


@pytest.mark.parametrize("place", [-1, 3])
def test_classes_out_of_range_are_refused(path, place):
    changed(path, "sample_rows", **{"class": at(0, place)})
    refused(path, "class has ids")


@pytest.mark.parametrize("weight", [0, -5])
def test_weights_that_are_none_are_refused(path, weight):
    changed(path, "sample_rows", weight=at(7, weight))
    refused(path, "which is not above zero")


def test_weights_beyond_all_counts_are_refused(path):
    changed(path, "sample_rows", weight=lambda weight: np.full_like(weight, 2**62))
    refused(path, "weigh more than counts can hold")


def test_more_rows_than_are_ever_kept_are_refused(path, monkeypatch):
    monkeypatch.setattr(sample_file, "LIMIT", 49)
    refused(path, "more rows than 49")


def test_rows_in_another_order_are_refused(path):
    """A whole permutation, so that every hash is still that of its row."""
    back = slice(None, None, -1)
    sections = dict(store.read(path))
    rows, numbers, codes = (sections[name] for name in sample_file.TABLES)
    sections["sample_rows"] = Table(
        rows.schema, {name: rows[name][back].copy() for name in ("hash", "class", "weight")}
    )
    cells, bounds = numbers["cells"].items, numbers["cells"].offsets
    lots = [cells[start:end] for start, end in pairwise(bounds)]
    turned = np.concatenate([lot.reshape(50, -1)[back].ravel() for lot in lots])
    sections["sample_numbers"] = Table(
        numbers.schema, {"part": numbers["part"], "cells": Lists(numbers["cells"].offsets, turned)}
    )
    turned = codes["codes"].items.reshape(-1, 50)[:, back].ravel()
    lists = {"part": codes["part"], "values": codes["values"], "codes": Lists(codes["codes"].offsets, turned)}
    sections["sample_codes"] = Table(codes.schema, lists)
    store.write(path, sections)
    refused(path, "hash is not in strictly increasing order")


@pytest.mark.parametrize("cell", [np.inf, -np.inf])
def test_infinite_cells_are_refused(path, cell):
    changed(path, "sample_numbers", cells=items(at(0, cell)))
    refused(path, "holds what it cannot hold")


@pytest.mark.parametrize("code", [-2, 1000])
def test_codes_out_of_range_are_refused(path, code):
    changed(path, "sample_codes", codes=items(at(0, code)))
    refused(path, "holds what it cannot hold")


def test_values_in_another_order_are_refused(path):
    """Their codes would be others than those of equal rows elsewhere."""
    changed(path, "sample_codes", values=lambda lists: Lists(lists.offsets, Texts.of(list(lists.items)[::-1])))
    refused(path, "holds what it cannot hold")


@pytest.mark.parametrize("section", ["sample_numbers", "sample_codes"])
@pytest.mark.parametrize("part", [-1, 99])
def test_parts_that_are_not_there_are_refused(path, section, part):
    changed(path, section, part=at(0, part))
    refused(path, "part has ids")


def test_parts_that_are_held_twice_are_refused(path):
    changed(path, "sample_codes", part=at(1, int(store.read(path)["sample_codes"]["part"][0])))
    refused(path, "part is not in strictly increasing order")


def test_numbers_of_a_part_of_codes_are_refused(path):
    sections = dict(store.read(path))
    codes = sections["sample_codes"]["part"]
    numbers = sections["sample_numbers"]
    single = int(codes[codes > numbers["part"][1]][0])
    changed(path, "sample_numbers", part=lambda parts: np.sort(np.where(parts == parts[-1], single, parts)))
    refused(path, "sample_numbers|sample_rows")


def test_a_missing_part_is_refused(path):
    sections = dict(store.read(path))
    codes = sections["sample_codes"]
    bounds = codes["codes"].offsets
    values = codes["values"].offsets
    fewer = {
        "part": codes["part"][:-1].copy(),
        "values": Lists(values[:-1].copy(), Texts.of(list(codes["values"].items)[: values[-2]])),
        "codes": Lists(bounds[:-1].copy(), codes["codes"].items[: bounds[-2]].copy()),
    }
    sections["sample_codes"] = Table(codes.schema, fewer)
    store.write(path, sections)
    refused(path, "the cells of a part are missing")
    del sections["sample_codes"]
    store.write(path, sections)
    refused(path, "section 'sample_codes' is missing")


def test_too_few_cells_are_refused(path):
    def shorter(lists):
        bounds = lists.offsets.copy()
        bounds[-1] -= 1
        return Lists(bounds, lists.items[:-1].copy())

    changed(path, "sample_numbers", cells=shorter)
    refused(path, "entries where 50 are expected")


@pytest.mark.parametrize("bits", [1, 64, 65, -1, None, 0.5, True])
def test_a_threshold_that_is_not_that_of_the_rows_is_refused(path, bits):
    sections = dict(store.read(path))
    sections["readings"] = {**sections["readings"], "sample_bits": bits}
    store.write(path, sections)
    refused(path, "than its threshold lets through|the threshold of the sample")


def test_texts_are_read_as_they_were(path):
    kept = TableModel.load(path).kept
    texts = next(cells for cells in kept.cells if isinstance(cells, pa.Array))
    assert sorted(texts.to_pylist(), key=str) == sorted(TABLE["text"], key=str)
