"""Clustering: planted classes are found, and the model that is written predicts as it was learned."""

import numpy as np
import pytest

from priori.columns.words.readings import Readings
from priori.columns.words.term_ranking import log_odds, z_scores
from priori.data import read_objects
from priori.errors import DataError
from priori.latent import (
    Clustering,
    Corpus,
    Recipe,
    Sampling,
    Schedule,
    Seeds,
    State,
    Temper,
    cluster,
    matched_accuracy,
    starts,
)
from priori.latent.gibbs_sampling.run import Chains
from priori.latent.result import by_size
from priori.model.classifier import Model
from priori.model.fitting.calibration import Calibration
from priori.text import Analyzer

# Shares are rounded to 2^-20, which moves log theta by at most V 2^-21 / (alpha V + N_c) and a score by n of these: far
# below this for the documents here.
ROUNDED = 1e-5


def texts(documents=150, seed=0):
    """Documents of three kinds of unequal size, each with words of its own and words of all; and their kinds."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(3, documents, p=[0.5, 0.3, 0.2])
    own = [[f"{name}{i}" for i in range(15)] for name in ("apple", "berry", "cherry")]
    common = [f"word{i}" for i in range(40)]
    written = [
        " ".join([*rng.choice(own[kind], rng.integers(2, 7)), *rng.choice(common, rng.integers(1, 12))])
        for kind in kinds
    ]
    return written, kinds


def batches(written, labels=None):
    return lambda: read_objects(written, labels)


WRITTEN, KINDS = texts()


def encoded(labels=None, **settings):
    return Corpus.of(batches(WRITTEN, labels), Analyzer(**{"binary": True, **settings}))


SEEDS = {"apples": ["apple1", "apple2"], "b": {"berry3": 2.5}}


@pytest.mark.parametrize("temper", [Temper.root(), Temper(), Temper(0.2, -0.4)])
@pytest.mark.parametrize(
    ("event", "binary", "seeds"),
    [
        ("multinomial", True, None),
        ("multinomial", False, None),
        ("multinomial", True, SEEDS),
        ("multinomial", False, SEEDS),
        ("bernoulli", True, None),
    ],
)
def test_the_model_predicts_with_the_responsibilities_it_learned_by(event, temper, binary, seeds, tmp_path):
    run = Clustering(
        encoded(binary=binary),
        3,
        recipe=Recipe(event=event, temper=temper, restarts=2, iterations=12),
        seeds=None if seeds is None else Seeds.of(seeds),
    )
    for _ in run:
        pass
    found = run.found()
    found.model.save(tmp_path / "m.priori")
    for model in (found.model, Model.load(tmp_path / "m.priori")):
        (batch,) = batches(WRITTEN)()
        posterior = model.posterior(batch)[:, [model.labels.index(name) for name in found.classes]]
        np.testing.assert_allclose(posterior, found.probabilities, atol=ROUNDED, rtol=0)
    # and these are the E-step's: of the parameters that the M-step makes of what the last E-step gave
    state = State(run.corpus, run.settings, run._climb.summit().shares)
    order = by_size(run.names, run.known, run._climb.summit().shares.sum(axis=0))
    np.testing.assert_array_equal(found.probabilities, state.responsibilities()[:, order])


@pytest.mark.parametrize("temper", [Temper.root(), Temper()])
@pytest.mark.parametrize(
    ("event", "estimate", "alpha", "seeds", "documents"),
    [
        ("multinomial", "bayes", 0.1, SEEDS, 0.5),
        ("multinomial", "bayes", 0.1, SEEDS, 20.0),
        ("multinomial", "map", 1.5, SEEDS, 1.0),
        ("multinomial", "map", 1.5, SEEDS, 20.0),
        ("multinomial", "ml", 0.1, None, 0.5),
        ("multinomial", "ml", 0.1, SEEDS, 20.0),
        ("bernoulli", "map", 1.5, None, 1.0),
        ("bernoulli", "map", 1.5, None, 20.0),
    ],
)
def test_the_model_is_read_by_the_estimate_and_the_documents_that_it_learned_by(
    event, estimate, alpha, seeds, documents, temper
):
    recipe = Recipe(event=event, estimate=estimate, alpha=alpha, documents=documents, temper=temper, restarts=2)
    found = cluster(encoded(), 3, recipe=recipe, seeds=seeds)
    (batch,) = batches(WRITTEN)()
    model = found.model
    posterior = model.posterior(batch)[:, [model.labels.index(name) for name in found.classes]]
    np.testing.assert_allclose(posterior, found.probabilities, atol=ROUNDED, rtol=0)


def test_a_gibbs_model_has_the_documents_that_the_chains_imagined():
    run = Sampling(encoded(), 3, recipe=Recipe(documents=20.0), chains=Chains(1, Schedule(2, 8)))
    for _ in run:
        pass
    found = run.found()
    expected = (found.sizes + 20) / (found.sizes.sum() + 60)
    (empty,) = batches([""])()  # a text without words tells p(y) alone
    posterior = found.model.posterior(empty)[0, [found.model.labels.index(name) for name in found.classes]]
    np.testing.assert_allclose(posterior, expected, atol=150 * 2.0**-20)


def test_an_estimate_that_em_cannot_repeat():
    with pytest.raises(DataError, match="choose ml, map or bayes"):
        Recipe(estimate="integrated")


def test_what_was_found_says_so_in_a_line():
    found = cluster(encoded(), 3, recipe=Recipe(restarts=1, iterations=3))
    assert repr(found).startswith("<Found: 3 classes ('1', '2', '3'), 150 documents, log-likelihood -")
    assert len(repr(found)) < 100


def test_planted_classes_are_found_and_numbered_from_the_largest():
    found = cluster(encoded(), 3)
    assert matched_accuracy(KINDS, found.assigned) > 0.98
    assert found.classes == ("1", "2", "3")
    assert list(found.sizes) == sorted(found.sizes, reverse=True)
    assert found.sizes.sum() == pytest.approx(150) and found.shares.sum() == pytest.approx(1)
    own = [{term.term.rstrip("0123456789") for term in found.telling(5)[name]} for name in found.classes]
    assert own == [{"apple"}, {"berry"}, {"cherry"}]
    assert found.facts["restarts"] == 20 == len(found.facts["objectives"])
    assert max(found.facts["objectives"]) == found.facts["objective"]
    assert found.facts["objectives"].index(found.facts["objective"]) == found.facts["best_restart"] - 1


def test_gibbs_finds_them_too_and_its_model_counts_what_it_says():
    run = Sampling(encoded(binary=False), 3, chains=Chains(2, Schedule(40, 40)))
    for _ in run:
        pass
    found = run.found()
    assert matched_accuracy(KINDS, found.assigned) > 0.98
    assert list(found.sizes) == sorted(found.sizes, reverse=True)
    counts = found.model.counts
    np.testing.assert_allclose(counts.class_documents * counts.unit, found.sizes, atol=150 * 2.0**-21)


def test_chains_of_which_it_is_not_known_whether_they_agree_are_not_averaged(monkeypatch):
    run = Sampling(encoded(), 3, chains=Chains(3, Schedule(20, 10)))
    for _ in run:
        pass
    monkeypatch.setattr("priori.latent.gibbs_sampling.run.installed", lambda: False)
    found, result = run.found(), run.result(diagnose=False)
    assert not found.facts["averaged"] and found.facts["diagnoses"] == {}
    best = result.by_chain[result.best]
    np.testing.assert_array_equal(found.probabilities, best[:, np.argsort(-best.sum(axis=0), kind="stable")])
    assert found.log_likelihood == result.log_joint[:, 21:].mean(axis=1).max()


def test_what_was_sampled_so_far_is_averaged_and_nothing_is_not():
    run = Sampling(encoded(), 3, chains=Chains(2, Schedule(10, 20)))
    with pytest.raises(DataError, match="no snapshot has been taken yet, 0 sweeps from the start; iterate first"):
        run.found()
    steps = iter(run)
    while run.sweep < 10:
        next(steps)
    with pytest.raises(DataError, match="10 sweeps from the start; iterate first, over the burn-in of 10 and more"):
        run.result()
    for draws in (1, 5):  # too few to judge, and enough
        while run.sweep < 10 + draws:
            next(steps)
        found = run.found()
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1, rtol=1e-12)
        assert found.facts["sweeps"] == 10 + draws and bool(found.facts["diagnoses"]) == (draws > 4)


def test_labels_and_seeds_name_classes_whatever_their_order():
    # the label "zebra" is class 0 of the corpus, but not of the classes, which the seeds add "apples" to
    labels = ["zebra" if kind == 2 and i % 2 else None for i, kind in enumerate(KINDS)]
    seeds = Seeds.of({"apples": ["apple1", "apple4", "apple7"]})
    for method in (Clustering, Sampling):
        run = method(encoded(labels), 3, seeds=seeds)
        for _ in run:
            pass
        found = run.found()
        assert found.classes == ("apples", "zebra", "1")
        kept = np.array([label is not None for label in labels])
        assert (found.probabilities[kept] == [0, 1, 0]).all()
        truth = np.array([0, 2, 1])[KINDS]
        assert (found.assigned == truth).mean() > 0.95


def test_labels_alone_begin_where_they_say_and_once():
    labels = [None if i % 5 else ["a", "b", "c"][kind] for i, kind in enumerate(KINDS)]
    found = cluster(encoded(labels))
    assert found.classes == ("a", "b", "c") and found.facts["restarts"] == 1
    assert (found.assigned == KINDS).mean() > 0.98


def named_right(monkeypatch, recognizing=True):
    """The share of documents with the right name, by seed, where one document of each of two kinds has a label."""
    if not recognizing:
        monkeypatch.setattr(starts, "recognized", lambda corpus, settings, shares, *_: shares)
    names = np.array(["apples", "berries", "1"])
    first = [int(np.flatnonzero(kind == KINDS)[0]) for kind in range(2)]
    labels = [names[KINDS[i]] if i in first else None for i in range(len(KINDS))]
    right = []
    for seed in range(4):
        found = cluster(encoded(labels), 3, seed=seed, recipe=Recipe(restarts=2))
        right.append((np.array(found.classes)[found.assigned] == names[KINDS]).mean())
    return right


def test_few_labels_name_the_classes_they_mean(monkeypatch):
    assert min(named_right(monkeypatch)) > 0.95
    assert min(named_right(monkeypatch, recognizing=False)) < 0.5  # what it is for


def test_documents_without_a_seed_are_drawn_among_the_classes_of_which_nothing_is_known():
    data = Corpus.of_counts([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2]])
    seeds = Seeds.of({"a": ["t0"], "b": ["t1"]})
    run = Clustering(data, 4, seeds=seeds, recipe=Recipe(restarts=3))
    assert run.restarts == 3 and Clustering(data, 3, seeds=seeds).restarts == 1  # of which nothing would be drawn
    start = starts.voted(run.corpus, run.settings, seeds, 0)
    assert start[:2].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert (start[2:, :2] == 0).all() and (start[2:, 2:] > 0).all()
    np.testing.assert_allclose(start.sum(axis=1), 1)
    run = Clustering(data, 2, seeds=seeds)
    assert run.restarts == 1
    assert (starts.voted(run.corpus, run.settings, seeds, 0)[2:] == 0).all()


def test_components_of_a_seeded_class_do_not_begin_alike():
    seeds = Seeds.of({"a": ["apple1", "apple2", "berry1", "berry2"], "c": ["cherry1", "cherry3"]})
    run = Clustering(encoded(), seeds=seeds, recipe=Recipe(components=2, restarts=5))
    for _ in run:
        pass
    found = run.found()
    assert found.probabilities.shape == (150, 2) and run.restarts == 5
    sizes = run._climb.summit().shares.sum(axis=0)[:2]
    assert abs(sizes[0] - sizes[1]) > 5  # apples and berries, of which there are more and fewer


def test_z_scores_of_expected_counts_are_those_of_counts():
    rng = np.random.default_rng(0)
    table = rng.poisson(2.0, (30, 3))
    words = [f"t{i:02d}" for i in range(30)]
    documents = {label: [" ".join(np.repeat(words, table[:, c]))] for c, label in enumerate("abc")}
    counts = Model.train(
        read_objects([text for each in documents.values() for text in each], list(documents)),
        Analyzer(),
        Readings(),
    ).counts
    seen = table.sum(axis=1) > 0
    for c, label in enumerate("abc"):
        np.testing.assert_allclose(z_scores(table.astype(float))[seen, c], log_odds(counts, label)[1], rtol=1e-12)
    assert (z_scores(np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]]))[1] == 0).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"classes": 200}, "200 classes are asked of 150 documents"),
        ({"classes": None}, "say it: --classes K"),
        ({"classes": 1, "seeds": Seeds.of({"a": ["apple1"], "b": ["berry1"]})}, "2 classes have a label or seed words"),
        ({"seeds": Seeds.of({"a": ["nobody"], "b": ["berry1"]})}, "no document has a seed word of 'a'"),
        ({"seeds": Seeds.of({"a": ["apple1"]}), "recipe": Recipe(event="bernoulli")}, "the Bernoulli has none"),
    ],
)
def test_what_cannot_be_asked(change, said):
    with pytest.raises(DataError, match=said):
        Clustering(encoded(), **{"classes": 2, **change})
    if "recipe" not in change:
        with pytest.raises(DataError, match=said):
            Sampling(encoded(), **{"classes": 2, **change})


def test_nothing_is_hidden_where_all_is_labelled():
    with pytest.raises(DataError, match="every document has a label"):
        Clustering(encoded(["a", "b"] * 75))


def test_the_bernoulli_counts_nothing_twice():
    with pytest.raises(DataError, match="counted twice"):
        Clustering(encoded(binary=False), 2, recipe=Recipe(event="bernoulli"))


def test_chains_that_cannot_be():
    for wrong in ({"number": 0}, {"schedule": Schedule(0, 0)}, {"schedule": Schedule(5, 5), "anneal": 6}):
        with pytest.raises(DataError):
            Chains(**wrong)


def test_a_calibration_without_noise_is_kept_and_its_logarithms_are_finite():
    calibration = Temper.root().calibration()
    assert calibration.given and Calibration.from_json(calibration.to_json()) == calibration
    joint, length = np.array([[0.0, -9000.0]]), np.array([0.0])
    assert calibration.log_posterior(joint, length, ("a", "b")).tolist() == [[0.0, -9000.0]]
    # and so has the compiled one: 4,000 words of one class, believed fully
    run = Clustering(Corpus.of_counts(np.diag([4000, 4000])), 2, recipe=Recipe(temper=Temper(0.999, 0), restarts=1))
    for _ in run:
        pass
    model = run.found().model
    (batch,) = read_objects(["t0 " * 4000, "t1 " * 4000], None)
    log_posterior, posterior = model.log_posterior(batch), model.posterior(batch)
    assert (log_posterior.min(axis=1) < -750).all() and np.isfinite(log_posterior).all()
    assert sorted(posterior.ravel().tolist()) == [0, 0, 1, 1]
