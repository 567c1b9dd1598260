"""What the file holds depends on the documents alone: not on batches, order, threads or formats."""

import csv
import random
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import LAWS, dataset, model_of, rows, sample_rows, texts, weighted_rows
from priori.columns.words.readings import Readings
from priori.data import ReadOptions, read, read_objects
from priori.model.classifier import Model
from priori.model.file import STATISTICS, digest
from priori.store import read as read_sections
from priori.text import Analyzer

ANALYZERS = [
    Analyzer(),
    Analyzer(ngrams=(1, 2), binary=True),
    Analyzer(features="chars", ngrams=(2, 3)),
    Analyzer(vocabulary=("a", "amazing", "never")),
]


@pytest.fixture
def saved(tmp_path):
    """The bytes of a model's file."""

    def bytes_of(model):
        model.save(tmp_path / "model.priori")
        return (tmp_path / "model.priori").read_bytes()

    return bytes_of


@pytest.fixture(scope="module")
def sms():
    return list(zip(*dataset("sms_spam"), strict=True))


def in_batches(rows, size):
    """The rows cut into batches of `size`, each as the sources give them."""
    for start in range(0, len(rows), size):
        yield from read_objects(*(list(column) for column in zip(*rows[start : start + size], strict=True)))


def train(rows, size, jobs, analyzer=None, **options):
    options.setdefault("weighted", len(rows[0]) > 2)
    return Model.train(in_batches(rows, size), analyzer or Analyzer(), Readings(), jobs=jobs, **options)


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_batches_order_and_threads_do_not_show(sms, saved, analyzer):
    expected = saved(train(sms, len(sms), 1, analyzer))
    shuffled = random.Random(3).sample(sms, len(sms))
    for order, size, jobs in [(sms, 97, 1), (sms, 1_000, 3), (shuffled, 4_096, 2), (shuffled, 211, 8)]:
        assert saved(train(order, size, jobs, analyzer)) == expected


def test_nor_with_weights(sms, saved):
    rng = np.random.default_rng(5)
    weighted = [(text, label, float(w)) for (text, label), w in zip(sms, rng.uniform(0, 3, len(sms)), strict=True)]
    expected = saved(train(weighted, len(sms), 1))
    assert saved(train(random.Random(1).sample(weighted, len(sms)), 133, 4)) == expected


def test_formats_do_not_show(sms, saved, tmp_path):
    table = pa.table({"text": [text for text, _ in sms], "label": [label for _, label in sms]})
    pq.write_table(table, tmp_path / "sms.parquet", row_group_size=500)
    with (tmp_path / "sms.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("label", "text"), *((label, text) for text, label in sms)])
    table.to_pandas().to_json(tmp_path / "sms.jsonl", orient="records", lines=True)
    expected = saved(model_of(sms))
    for name in ("sms.parquet", "sms.csv", "sms.jsonl"):
        for batch_bytes in (1 << 12, 4 << 20):
            batches = read(tmp_path / name, ReadOptions(batch_bytes=batch_bytes))
            assert saved(Model.train(batches, Analyzer(), Readings())) == expected, name


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_forgetting_half_of_the_messages(sms, saved, tmp_path, analyzer):
    keep, drop = sms[::2], sms[1::2]
    forgotten = model_of(sms, analyzer).forget(in_batches(drop, 300))
    fresh = model_of(keep, analyzer)
    assert saved(forgotten) == saved(fresh)  # the sample too: it is small enough to hold every document
    assert saved(fresh + model_of(drop, analyzer) - model_of(drop, analyzer)) == saved(fresh)


def test_a_sample_that_overflows_is_chosen_by_content(saved):
    """25,000 documents are more than a sample holds, so that the threshold must be lowered on the way."""
    many = [(f"w{i} w{i % 97}", "xy"[i % 2]) for i in range(25_000)]
    whole = train(many, 25_000, 1)
    assert whole.summary.sample.bits > 0
    assert 0 < len(whole.summary.sample) <= 20_000
    assert saved(train(random.Random(2).sample(many, len(many)), 999, 4)) == saved(whole)
    half = len(many) // 2
    assert saved(model_of(many[:half]) + model_of(many[half:])) == saved(whole)
    rest = saved(whole - model_of(many[half:]))
    assert sections(rest) == sections(saved(model_of(many[:half])))


def sections(data):
    """The checksums of the additive sections of a file."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        found = read_sections(file.name)
    return {name: found.digests[name] for name in STATISTICS if name in found}


# --- laws on any small corpus ------------------------------------------------------------------------------------


def assert_same(left, right):
    """Equal statistics, and equal bytes of them."""
    assert left.counts == right.counts
    assert digest(left) == digest(right)


@LAWS
@given(st.one_of(rows, weighted_rows), st.one_of(rows, weighted_rows), st.sampled_from(ANALYZERS))
def test_what_is_added_can_be_taken_back(a, b, analyzer):
    a, b = maybe(a, analyzer), maybe(b, analyzer)
    assert_same(a + b, b + a)
    assert_same(a + b - b, a)
    assert_same(a - b + b, a)  # negative counts in between are legal
    assert_same(a - a + b, b)


@LAWS
@given(rows, weighted_rows, rows)
def test_merging_is_associative(a, b, c):
    a, b, c = maybe(a), maybe(b), maybe(c)
    assert_same((a + b) + c, a + (b + c))
    assert_same(a - (b + c), a - b - c)


@LAWS
@given(st.data(), st.one_of(rows, weighted_rows), st.sampled_from(ANALYZERS))
def test_any_split_in_any_order_is_training_on_all(data, corpus, analyzer):
    whole = maybe(corpus, analyzer)
    order = data.draw(st.permutations(corpus))
    size = data.draw(st.integers(1, len(corpus)))
    again = maybe(order, analyzer, size=size, jobs=data.draw(st.integers(1, 3)))
    assert_same(whole, again)
    assert sample_rows(whole.summary.sample) == sample_rows(again.summary.sample)
    cut = data.draw(st.integers(1, len(corpus)))
    parts = maybe(corpus[:cut], analyzer) + maybe(corpus[cut:] or [("", None, 1.0)[: len(corpus[0])]], analyzer)
    assert_same(whole, parts)
    assert sample_rows(whole.summary.sample) == sample_rows(parts.summary.sample)
    assert_same(whole.forget(in_batches(order[:size], 3), weighted=len(corpus[0]) > 2), maybe(order[size:], analyzer))


@LAWS
@given(rows)
def test_weight_two_is_the_row_twice_and_zero_is_no_row(corpus):
    twice = maybe([(text, label, 2.0) for text, label in corpus])
    assert_same(twice, maybe(corpus + corpus))
    assert twice.counts.unit_bits == 0  # whole weights leave no trace of having been weights
    assert sample_rows(twice.summary.sample) == sample_rows(maybe(corpus + corpus).summary.sample)
    assert_same(maybe([*((text, label, 1.0) for text, label in corpus), ("new words", "w", 0.0)]), maybe(corpus))
    halves = [(text, label, 0.5) for text, label in corpus]
    assert_same(maybe(halves + halves), maybe(corpus))


@LAWS
@given(rows, texts)
def test_a_model_survives_its_file(tmp_path_factory, corpus, text):
    path = tmp_path_factory.mktemp("model") / "m.priori"
    model = model_of(corpus)
    model.save(path)
    loaded = Model.load(path)
    assert_same(model, loaded)
    batch = next(read_objects([text]))
    assert np.array_equal(model.log_joint(batch), loaded.log_joint(batch))
    loaded.save(path.with_name("again.priori"))
    assert path.read_bytes() == path.with_name("again.priori").read_bytes()


def maybe(corpus, analyzer=None, size=None, **options):
    """A model of rows that may be none or all of weight zero: `Model.train` would refuse to make one of nothing."""
    model = model_of([("", "x")], analyzer)
    empty = model.forget(in_batches([("", "x")], 1))
    if not corpus:
        return empty
    return empty.learn(in_batches(corpus, size or len(corpus)), weighted=len(corpus[0]) > 2, **options)


def test_the_statistics_of_nothing():
    nothing = maybe([])
    assert nothing.counts == type(nothing.counts).empty()
    assert nothing.labels == ()
