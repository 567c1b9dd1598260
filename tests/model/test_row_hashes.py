"""Hashes of rows, and kept rows inside models: the same whatever the order, the frame and the threads."""

import datetime
import hashlib
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_samples import ONE, content, sample_of, small_limit, tables  # noqa: F401 (the limit is that of these tests)

from priori.columns.base import Codes, Rows, label_hashes, mix, text_hashes
from priori.columns.readings import TableReadings
from priori.columns.specification import parts_of
from priori.data import ReadOptions, read_table
from priori.errors import NegativeCountError
from priori.estimators.naive_bayes import NaiveBayes
from priori.model import file  # noqa: F401 (before LIMIT is another)
from priori.model import sample as module
from priori.model.sample import RowSample
from priori.model.table_classifier import TableModel
from priori.model.totals import Labelled

CELLS = (1.0, "x", "the cat", (1.0, 2.0))


def test_some_of_the_rows_and_some_of_the_weight_are_taken():
    some = sample_of([(0, ONE, *CELLS)])
    other = sample_of([(1, ONE, *CELLS), (0, 2 * ONE, *CELLS)])
    assert content(other - some) == {
        ("a", "1.0", "x", "the cat", "[1.0, 2.0]"): ONE,
        ("b", "1.0", "x", "the cat", "[1.0, 2.0]"): ONE,
    }
    rows = other.rows(("c", "b", "a"))
    assert rows.labels == ("c", "b", "a")
    found = {label: (k, weight) for label, k, weight in zip(other.labels, rows.group, rows.weight, strict=True)}
    assert found == {"a": (2, 2 * ONE), "b": (1, ONE)}
    assert other.of_labels(("b",)).labels.tolist() == ["b"]
    assert len(other.none()) == 0


@pytest.mark.parametrize(
    "never",
    [
        (1, ONE, *CELLS),
        (0, ONE + 1, *CELLS),
        (0, ONE, 2.0, *CELLS[1:]),
        (0, ONE, None, *CELLS[1:]),
        (0, ONE, 1.0, "y", *CELLS[2:]),
    ],
    ids=["another class", "more than its weight", "another number", "a missing one", "another category"],
)
def test_what_was_never_there_cannot_be_taken(never):
    some = sample_of([(0, ONE, *CELLS)])
    with pytest.raises(NegativeCountError, match="forgotten that was never learned") as found:
        some - sample_of([never])
    assert "\n" not in str(found.value)
    with pytest.raises(NegativeCountError):
        some.none() - some


@given(first=tables, second=tables)
def test_taking_is_refused_where_dictionaries_have_too_little(first, second):
    a, b = sample_of(first), sample_of(second, 1)
    bits = max(a.bits, b.bits)
    mine, theirs = content(a.at_bits(bits)), content(b.at_bits(bits))
    if any(mine.get(row, 0) < weight for row, weight in theirs.items()):
        with pytest.raises(NegativeCountError):
            a - b
    else:
        left = {row: weight - theirs.get(row, 0) for row, weight in mine.items()}
        assert content(a - b) == {row: weight for row, weight in left.items() if weight}


def python_hash(label, cells):
    """The hash of a row of numbers, by integers of Python."""
    found = int.from_bytes(hashlib.blake2b(label.encode(), digest_size=8, person=b"label").digest(), "little")
    for cell in cells:
        bits = 0x7FF8DEAD00000000 if cell != cell else int(np.float64(cell + 0.0).view(np.uint64))
        found = ((found ^ bits) * 0x9E3779B97F4A7C15) % 2**64
        found ^= found >> 32
    return found


@given(cells=st.lists(st.floats(allow_infinity=False), max_size=5))
def test_the_hash_is_the_one_that_is_described(cells):
    hashes = label_hashes(["a"])
    mix(hashes, [np.array([cell]) for cell in cells])
    assert int(hashes[0]) == python_hash("a", cells)


def test_rows_that_differ_have_hashes_that_differ():
    """A grid of small integers, which differ in their first bits only; categories; columns that change places."""
    grid = [axis.ravel().astype(np.float64) for axis in np.meshgrid(*[np.arange(48)] * 3)]
    hashes = np.repeat(label_hashes(["a"]), len(grid[0]))
    mix(hashes, grid)
    # 48^3 random hashes would have an equal pair with a chance of 48^6 / 2^65 < 1e-9
    assert len(np.unique(hashes)) == 48**3
    codes = np.arange(1000, dtype=np.int32)
    apart = label_hashes(["a", "b"])[np.repeat([0, 1], 1000)]
    mix(apart, [Codes(np.tile(codes, 2), tuple(map(str, codes)))])
    assert len(np.unique(apart)) == 2000


def yes_and_no(seed=0, n=400, columns=5):
    """Columns and labels of the same two texts."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    told = rng.random((columns, n)) < 0.2 + 0.15 * np.arange(columns)[:, None]
    answers = np.array(["no", "yes"], dtype=object)
    table = {f"q{j}": answers[np.where(told[j], label, rng.integers(0, 2, n))].tolist() for j in range(columns)}
    return table, answers[label].tolist()


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_labels_and_cells_of_the_same_texts_do_not_undo_each_other(columns):
    """As many hashes as there are different pairs of a label and a row."""
    answers = ("no", "yes")
    cells = np.array(list(product([-1, 0, 1], repeat=columns)), np.int32)
    lots = [Codes(np.tile(column, 2), answers) for column in cells.T]
    hashes = label_hashes(answers)[np.repeat([0, 1], len(cells))]
    mix(hashes, lots)
    assert len(np.unique(hashes)) == 2 * 3**columns
    assert not set(label_hashes(answers).tolist()) & set(text_hashes(answers).tolist())
    module.LIMIT = 4096
    table, y = yes_and_no(columns=columns)
    kept = NaiveBayes().fit(table, y).model_.kept
    different = set(zip(*table.values(), y, strict=True))
    assert len(kept) == len(np.unique(kept.hashes)) == len(different)
    assert kept.weight.sum() == 400 * ONE


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=5)
def test_tempers_and_files_of_such_a_table_do_not_depend_on_the_order(tmp_path_factory, seed):
    module.LIMIT = 4096
    place = tmp_path_factory.mktemp("order")
    table, y = yes_and_no()
    order = np.random.default_rng(seed).permutation(len(y))
    mixed = {name: [column[i] for i in order] for name, column in table.items()}
    first, second = NaiveBayes().fit(table, y), NaiveBayes().fit(mixed, [y[i] for i in order])
    assert first.model_.kept == second.model_.kept
    np.testing.assert_array_equal(first.model_.tempers, second.model_.tempers)
    first.save(place / "a")
    second.save(place / "b")
    assert (place / "a").read_bytes() == (place / "b").read_bytes()


def test_rows_are_mixed_in_blocks_as_they_are_alone():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(5000, 3))
    hashes = np.repeat(label_hashes(["a"]), 5000)
    mix(hashes, [table])
    for at in (0, 2047, 2048, 4095, 4096, 4999):
        assert int(hashes[at]) == python_hash("a", table[at])


def test_a_sample_is_not_smaller_than_chance_has_it():
    """Of 1500 different rows 94 begin with four zeros and 47 with five, more or less 6.7: LIMIT 64 asks for five but in
    one table of 200. The mean of 60 sizes is 47 but for 0.87; 5 away from it have a chance below 1e-7."""
    module.LIMIT = 64
    rng = np.random.default_rng(0)
    sizes = []
    for table in range(60):
        kinds = [
            rng.integers(0, 900, (1500, 3)) * 1.0,
            rng.normal(size=(1500, 2)),
            rng.integers(0, 2, (1500, 40)) * 1.0,
        ]
        found = RowSample.of([kinds[table % 3]], Rows(("a",), np.zeros(1500, np.int32)))
        assert len(found) <= 64
        sizes.append(len(found))
    assert abs(np.mean(sizes) - 1500 / 32) < 5


def test_a_table_of_few_different_rows_is_kept_whole():
    """However often each of them occurs."""
    cells = [np.arange(6000) % 5 * 1.0]
    found = RowSample.of(cells, Rows(("a",), np.zeros(6000, np.int32)))
    assert found.bits == 0
    assert sorted(found.cells[0].tolist()) == [0, 1, 2, 3, 4]
    assert found.weight.tolist() == [1200 * ONE] * 5


def big_table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    day = datetime.date(2020, 1, 1)
    table = {
        "n": [None if rng.random() < 0.2 else float(x) for x in rng.integers(0, 9, n) / 4],
        "k": rng.integers(0, 50, n).tolist(),
        "c": [None if rng.random() < 0.2 else str(x) for x in rng.choice(["u", "v", "wé"], n)],
        "b": (rng.random(n) < 0.5).tolist(),
        "d": [day + datetime.timedelta(int(x)) for x in rng.integers(0, 900, n)],
        "text": [" ".join(rng.choice(["the", "cat", "mat"], 2)) for _ in range(n)],
    }
    return table, rng.choice(["no", "yes"], n).tolist()


@pytest.mark.parametrize("jobs", [1, 4])
def test_pandas_arrow_and_csv_have_the_same_rows(tmp_path, monkeypatch, jobs):
    monkeypatch.setattr(module, "LIMIT", 100)
    table, y = big_table()
    arrow = pa.table(table)
    frame = pd.DataFrame(table).assign(c=lambda f: f["c"].astype(object), d=lambda f: pd.to_datetime(f["d"]).dt.date)
    expected = NaiveBayes(n_jobs=1).fit(arrow, y).model_.kept
    assert 25 <= len(expected) <= 100
    assert NaiveBayes(n_jobs=jobs).fit(frame, y).model_.kept == expected
    chunks = pa.concat_tables([arrow.slice(0, 77), arrow.slice(77)])
    assert NaiveBayes(n_jobs=jobs).fit(chunks, y).model_.kept == expected
    parts = NaiveBayes(n_jobs=jobs).fit(arrow.slice(200), y[200:])
    assert parts.learn(arrow.slice(0, 200), y[:200]).model_.kept == expected
    path = tmp_path / "table.csv"
    pd.DataFrame({**table, "label": y}).to_csv(path, index=False)
    schema, batches = read_table([str(path)], ReadOptions(label="label"))
    data = (Labelled.of(batch) for batch in batches)
    parts = parts_of(schema, "auto")
    assert TableModel.train(data, schema, parts, TableReadings(), keep_sample=True, jobs=jobs).kept == expected


def test_learning_nothing_keeps_the_rows():
    table, y = big_table(40)
    model = NaiveBayes().fit(table, y).model_
    assert model.learn([]).kept == model.kept == model.forget([]).kept


def test_rows_that_weigh_two_may_be_forgotten_one_at_a_time(tmp_path):
    """And a class of which nothing is left has no rows in the file."""
    model = NaiveBayes().fit({"c": ["x", "y", "x", "z"]}, ["p", "p", "q", "q"], [1, 1, 1, 2])
    model.forget({"c": ["z", "z"]}, ["q", "q"])
    assert model.model_.kept == NaiveBayes().fit({"c": ["x", "y", "x"]}, ["p", "p", "q"]).model_.kept
    model.forget({"c": ["x"]}, ["q"]).save(tmp_path / "m")
    assert model.model_.kept.labels.tolist() == ["p", "p"]


def test_what_was_never_learned_but_might_have_been_is_refused():
    """The sums allow it, the kept rows do not; the model stays as it was."""
    table = {"c": ["x", "y", "x", "z", "x", "y"], "d": ["u", "v", "u", "v", "v", "u"]}
    model = NaiveBayes().fit(table, ["p", "p", "q", "q", "p", "p"])
    before = model.model_
    with pytest.raises(NegativeCountError, match="forgotten that was never learned"):
        model.forget({"c": ["x"], "d": ["v"]}, ["q"])
    assert model.model_ is before
    plain = NaiveBayes(keep_sample=False).fit(table, ["p", "p", "q", "q", "p", "p"])
    with pytest.warns(UserWarning, match="keeps no rows"):
        plain.forget({"c": ["x"], "d": ["v"]}, ["q"])
    assert np.isfinite(plain.predict_log_proba(table)).all()


def test_a_class_that_is_gone_has_no_rows_in_the_file(tmp_path):
    """Rows that were never learned are not missed where they would not be kept; one of their class may be kept."""
    module.LIMIT = 2
    gone = 0
    for name in map(str, range(200)):
        model = NaiveBayes().fit({"c": ["x", "y", name, "z"], "d": ["u", "v", name, "w"]}, ["p", "p", "q", "q"])
        never = {"c": [name, "z"], "d": ["w", name]}
        if "q" not in model.model_.kept.labels:
            continue
        bits = model.model_.kept.bits
        rows = NaiveBayes().fit(never, ["q", "q"]).model_.kept
        if len(rows.at_bits(max(bits, rows.bits))):
            continue
        model.forget(never, ["q", "q"]).save(tmp_path / "m")
        assert set(model.model_.kept.labels) <= {"p"}
        assert TableModel.load(tmp_path / "m").kept == model.model_.kept
        gone += 1
    assert gone
