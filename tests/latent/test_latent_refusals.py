"""What hidden classes cannot be asked of, and what is said then."""

import logging
import warnings

import numpy as np
import pytest

from priori import TextClassifier, load, store
from priori.data import read_objects
from priori.errors import DataError, ModelFileError
from priori.latent import (
    Clustering,
    Corpus,
    Recipe,
    Sampling,
    Schedule,
    Seeds,
    annealed_log_evidence,
    choose_classes,
    class_names,
    cluster,
    gibbs,
    gibbs_chains,
    uncollapsed_gibbs,
)
from priori.latent.gibbs_sampling.run import Chains
from priori.model.file import SCHEMAS
from priori.text import Analyzer

TABLE = [[3, 0, 1], [2, 0, 0], [2, 0, 1], [0, 2, 1], [0, 4, 0]]


@pytest.mark.parametrize("method", [Clustering, Sampling])
def test_texts_without_a_word(method):
    corpus = Corpus.of(lambda: read_objects(["", " ", "."]), Analyzer())
    with pytest.raises(DataError, match="none of the 3 documents has a word"):
        method(corpus, 2)
    with pytest.raises(DataError, match="none of the 2 documents has a word"):
        method(Corpus.of_counts([[0, 0], [0, 0]]), 2)


def test_labels_of_counts_are_one_text_a_document_in_any_sequence():
    some = ["b", "a", None, "a", None]
    for labels in (some, tuple(some), np.array(some, object), iter(some)):
        corpus = Corpus.of_counts(TABLE, labels)
        assert corpus.labels == ("a", "b") and corpus.cls.tolist() == [1, 0, -1, 0, -1]
    named = Corpus.of_counts(TABLE, np.array(["b", "a", "a", "a", "b"])).labels
    assert named == ("a", "b") and {type(name) for name in named} == {str}
    with pytest.raises(DataError, match="there are 2 labels of 5 documents; give one for each, None for none"):
        Corpus.of_counts(TABLE, ["a", "b"])
    for wrong in ([1, 2, 1, 2, 1], ["a", "b", float("nan"), "a", "b"]):
        with pytest.raises(DataError, match=r"the label .* is no text; give texts, and None for a"):
            Corpus.of_counts(TABLE, wrong)


def test_components_of_classes_without_a_name():
    corpus, several = Corpus.of_counts(TABLE), Recipe(components=2, restarts=1)
    with pytest.raises(DataError, match="arbitrary; name the classes by labels or seed words, or ask for 4 classes"):
        Clustering(corpus, 2, recipe=several)
    with pytest.raises(DataError, match="arbitrary"):
        Clustering(corpus, 3, recipe=several, seeds=Seeds.of({"a": ["t0"]}))
    cluster(corpus, 2, recipe=several, seeds={"a": ["t0"]})  # the other is what is left
    cluster(Corpus.of_counts(TABLE, ["a", "b", None, None, None]), recipe=several)


@pytest.mark.parametrize("classes", [0, -1, 2.5, True, "2"])
def test_no_number_of_classes(classes):
    with pytest.raises(DataError, match="is no number of classes; give a whole number from 1"):
        class_names((), None, classes)
    with pytest.raises(DataError, match="is no number of classes; give a whole number from 1"):
        Clustering(Corpus.of_counts(TABLE), classes)
    assert class_names((), None, np.int64(1)) == ("1",)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_no_seed(seed):
    corpus = Corpus.of_counts(TABLE * 4)
    for asked in (
        lambda: cluster(corpus, 2, seed=seed),
        lambda: Sampling(corpus, 2, seed=seed),
        lambda: choose_classes(corpus, [2], seed=seed),
        lambda: gibbs_chains(corpus, 2, prior=1.0, seed=seed),
        lambda: next(gibbs(corpus, 2, prior=1.0, seed=seed)),
        lambda: next(uncollapsed_gibbs(corpus, 2, prior=1.0, seed=seed)),
        lambda: annealed_log_evidence(corpus, 2, prior=1.0, seed=seed),
    ):
        with pytest.raises(DataError) as caught:
            asked()
        assert str(caught.value) == f"seed={seed!r} is no seed; give a whole number from 0"


def test_fewer_classes_than_are_named():
    with pytest.raises(DataError, match="3 classes have a label or seed words, but only 2 are asked for; ask for 3"):
        class_names(("a", "b", "c"), None, 2)
    with pytest.raises(DataError, match="2 classes have a label or seed words, but only 1 is asked for; ask for 2"):
        class_names(("a", "b"), None, 1)


def test_seed_files(tmp_path):
    missing = tmp_path / "none.toml"
    with pytest.raises(DataError) as caught:
        Seeds.of(missing)
    assert str(caught.value) == f"there is no seed file {missing}; check the path"
    with pytest.raises(DataError) as caught:
        Seeds.of(tmp_path)
    assert str(caught.value) == f"the seed file {tmp_path} cannot be read: Is a directory"
    for name, text in (("a.toml", "# nothing yet\n"), ("a.json", "{}"), ("b.toml", "")):
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match="names no class; write "):
            Seeds.of(tmp_path / name)
    for text, said in (
        ('{"a": ["x"], "a": ["y"]}', "has 'a' twice; write it once"),
        ('{"a": {"x": 1, "x": 2}}', "has 'x' twice"),
        ('{"a": ["x"]', r"is no JSON: .*; write \{"),
        ('{"": ["x"]}', "name a class of no letters"),
        ('{"a": [""]}', "name a word of no letters"),
        ('{"a": [1]}', "the word 1, which is no text; write it in quotes"),
        ('{"a": {"x": 0}}', r"has the strength 0; give imagined occurrences, above 0 and below 1e\+09"),
        ('{"a": {"x": true}}', "has the strength True"),
    ):
        (tmp_path / "c.json").write_text(text)
        with pytest.raises(DataError, match=said):
            Seeds.of(tmp_path / "c.json")
    (tmp_path / "c.toml").write_bytes(b"\xff")
    with pytest.raises(DataError, match="no text in UTF-8"):
        Seeds.of(tmp_path / "c.toml")


def test_the_number_of_classes_of_texts_that_are_not_encoded():
    with pytest.raises(DataError, match=r"documents are a Corpus here, not a list; encode texts with Corpus\.of"):
        choose_classes(["free entry", "see you"], [2, 3])


def test_chains_that_disagree_are_said_to_and_the_best_is_taken(caplog):
    rng = np.random.default_rng(0)  # four topics for two classes: each chain ends at its own pairs of them
    theta = rng.dirichlet(np.full(20, 0.1), 4)
    counts = np.array([rng.multinomial(200, theta[i % 4]) for i in range(60)])
    run = Sampling(Corpus.of_counts(counts), 2, chains=Chains(6, Schedule(20, 20)))
    for _ in run:
        pass
    with caplog.at_level(logging.WARNING, "priori"):
        found = run.found()
    assert not found.facts["averaged"]
    (record,) = caplog.records
    assert "the chains do not agree: R-hat of the " in record.getMessage()
    assert record.getMessage().endswith(", so the best of them is taken alone; run longer, or anneal")


def shore_and_wood():
    """Forty texts of two kinds; some of the labels, and all."""
    rng = np.random.default_rng(0)
    words = [["ship", "sail", "salt", "and", "the", "sea"], ["tree", "leaf", "moss", "and", "the", "wood"]]
    texts = [" ".join(rng.choice(words[row % 2], 9)) for row in range(40)]
    truth = [("sea", "wood")[row % 2] for row in range(40)]
    return texts, [label if row < 8 else None for row, label in enumerate(truth)], truth


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"calibrate": False},
        {"calibrate": False, "alpha": 0.1},
        {"n_classes": 3},
        {"n_classes": 3, "calibrate": False},
        {"seeds": {"sea": ["ship"], "wood": ["moss"]}, "calibrate": False},
    ],
    ids=str,
)
def test_what_was_learned_without_labels_cannot_be_left_out_or_forgotten(settings, tmp_path):
    texts, some, truth = shore_and_wood()
    model = TextClassifier(unlabelled_weight=0.1, **settings).fit(texts, some)
    model.save(tmp_path / "half.priori")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some of them have a calibration, which is stale
        merged = model + model
    for each in (model, load(tmp_path / "half.priori"), merged):
        for call in (each.recalibrate, each.leave_one_out, each.k_fold):
            with pytest.raises(DataError, match="learned from documents without a label"):
                call(texts[:8], truth[:8])
        with pytest.raises(DataError, match="none can be forgotten: each counts in parts"):
            each.forget(texts[:8], truth[:8])


def test_half_labelled_texts_are_calibrated_by_others_and_weighted_ones_can_be_left_out(tmp_path):
    texts, some, truth = shore_and_wood()
    model = TextClassifier(unlabelled_weight=0.1).fit(texts, some)
    model.recalibrate(texts[8:], truth[8:], held_out=True)
    rng = np.random.default_rng(1)
    weighted = TextClassifier(keep_sample=False).fit(texts, truth, sample_weight=rng.uniform(0.5, 2, 40))
    weighted.save(tmp_path / "weighted.priori")
    assert load(tmp_path / "weighted.priori").leave_one_out(texts, truth).shape == (40, 2)
    nothing = TextClassifier(unlabelled_weight=0.0).fit(texts, some)  # what has no weight has taught nothing
    assert nothing.forget(texts[:1], truth[:1]).model_.counts.class_documents.sum() == 7


@pytest.mark.parametrize("value", [1, "yes", None])
def test_a_file_that_does_not_say_whether_documents_had_labels(value, tmp_path):
    texts, _, _ = shore_and_wood()
    TextClassifier(n_classes=2).fit(texts).save(tmp_path / "m.priori")
    sections = dict(store.read(tmp_path / "m.priori", SCHEMAS))
    sections["readings"] = {**sections["readings"], "hidden": value}
    store.write(tmp_path / "m.priori", sections)
    with pytest.raises(ModelFileError, match="whether some documents had no label is"):
        load(tmp_path / "m.priori")
