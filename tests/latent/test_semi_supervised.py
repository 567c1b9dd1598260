"""Half-labelled texts: the unlabelled ones help, and weigh what held-out documents say."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import cross_val_score

import priori
from priori import TextClassifier
from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.errors import DataError
from priori.latent import Corpus
from priori.latent.result import counts_of
from priori.latent.semi_supervised import _Learner, learn_half_labelled
from priori.latent.unlabelled_weight import HeldOut
from priori.text import Analyzer

BUNDLED = priori.__path__[0] + "/data/samples/sms_spam.parquet"


@pytest.fixture(scope="module")
def mail():
    """(texts, labels) of the bundled messages, each text once, shuffled."""
    table = pq.read_table(BUNDLED)
    found = dict(zip(table["text"].to_pylist(), table["label"].to_pylist(), strict=True))
    texts, labels = np.array(list(found), object), np.array(list(found.values()))
    order = np.random.default_rng(0).permutation(len(texts))
    return texts[order], labels[order]


def half_labelled(labels, per_class, seed=0):
    rng = np.random.default_rng(seed)
    some = np.full(len(labels), None, object)
    for label in np.unique(labels):
        some[rng.choice(np.flatnonzero(labels == label), per_class, replace=False)] = label
    return some.tolist()


def test_unlabelled_texts_help_where_labels_are_few(mail):
    texts, labels = mail
    train, test = slice(0, 2500), slice(2500, None)
    some = half_labelled(labels[train], 5)
    model = TextClassifier().fit(list(texts[train]), some)
    alone = TextClassifier(unlabelled="skip").fit(list(texts[train]), some)
    helped, without = (m.score(list(texts[test]), labels[test]) for m in (model, alone))
    assert helped > 0.95 > without  # 0.98 and 0.7 or so
    assert model.hidden_.unlabelled_weight == 0.1
    assert model.hidden_.losses[0.1] < model.hidden_.losses[0.0]
    assert (model.hidden_.labelled, model.hidden_.unlabelled) == (10, 2490)
    assert alone.hidden_ is None
    evaluation = model.evaluate(list(texts[test]), labels[test])
    assert evaluation.log_loss < 0.2  # an honest one: as sure as it may be


def test_the_weight_falls_to_zero_where_unlabelled_texts_are_of_something_else(mail):
    """They have two kinds too, words of this or that, and the labels have nothing to do with these kinds."""
    rng = np.random.default_rng(1)
    kinds = [["alpha", "beta", "gamma", "delta"], ["rho", "sigma", "tau", "phi"]]
    signs = {"up": ["north", "high"], "down": ["south", "low"]}
    made = [(label, " ".join([*rng.choice(kinds[rng.integers(2)], 6), rng.choice(signs[label])]))
            for label in ("up", "down") for _ in range(60)]  # fmt: skip
    unlabelled = [" ".join(rng.choice(kinds[i % 2], 6)) for i in range(2000)]
    texts = [text for _, text in made] + unlabelled
    labels = [label for label, _ in made] + [None] * len(unlabelled)
    model = TextClassifier().fit(texts, labels)
    assert model.hidden_.unlabelled_weight == 0
    assert model.hidden_.losses[0.0] <= model.hidden_.losses[0.1]
    alone = TextClassifier().fit([text for _, text in made], [label for label, _ in made])
    assert model.model_.counts == alone.model_.counts
    assert (model.predict_proba(texts[:50]) == alone.predict_proba(texts[:50])).all()


def test_a_given_weight_is_taken(mail):
    texts, labels = mail[0][:400], mail[1][:400]
    some = half_labelled(labels, 10)
    for weight in (0.0, 0.3, 1):
        model = TextClassifier(unlabelled_weight=weight).fit(list(texts), some)
        assert model.hidden_.unlabelled_weight == weight
    with pytest.raises(DataError, match="'auto' or a number from 0 to 1"):
        TextClassifier(unlabelled_weight=-0.1).fit(list(texts), some)
    with pytest.raises(DataError, match="choose em or skip"):
        TextClassifier(unlabelled="gibbs").fit(list(texts), some)


def test_one_label_a_class_and_a_class_of_one(mail):
    texts, labels = mail[0][:800], mail[1][:800]
    model = TextClassifier().fit(list(texts), half_labelled(labels, 1))
    assert model.hidden_.losses == {}  # nothing can be held out
    some = half_labelled(labels, 6)
    some[some.index("spam")] = "odd"  # a class of one document
    odd = TextClassifier().fit(list(texts), some)
    assert odd.classes_.tolist() == ["ham", "odd", "spam"]
    np.testing.assert_allclose(odd.predict_proba(list(texts)).sum(axis=1), 1, rtol=1e-12)


def test_all_labelled_is_the_ordinary_model(mail):
    texts, labels = mail[0][:300], mail[1][:300]
    found = learn_half_labelled(lambda: read_objects(list(texts), list(labels)), Analyzer(), Readings.automatic())
    assert found.model.counts == TextClassifier().fit(list(texts), list(labels)).model_.counts
    assert (found.unlabelled_weight, found.losses) == (0.0, {})


def test_the_same_seed_gives_the_same_whatever_the_threads(mail, tmp_path):
    texts, labels = mail[0][:1500], mail[1][:1500]
    some = half_labelled(labels, 5)
    one, two = (TextClassifier(n_jobs=jobs).fit(list(texts), some) for jobs in (1, 3))
    assert one.model_.counts == two.model_.counts
    assert (one.predict_proba(list(texts)) == two.predict_proba(list(texts))).all()
    one.save(tmp_path / "half.priori")
    back = priori.load(tmp_path / "half.priori")
    assert (back.predict_proba(list(texts)) == one.predict_proba(list(texts))).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"event": "bernoulli"},
        {"event": "complement"},
        {"event": "auto"},
        {"estimate": "integrated"},
        {"estimate": "map"},
        {"estimate": "ml"},
        {"alpha": 0.5},
        {"alpha": "evidence"},
        {"calibrate": False},
        {"calibrate": "monotone"},
        {"class_prior": "uniform"},
        {"class_prior": {"ham": 0.9, "spam": 0.1}},
        {"ngrams": (1, 2)},
        {"features": "chars", "ngrams": (2, 3)},
        {"max_terms": 300},
        {"keep_sample": False},
        {"vocabulary": ["free", "call", "you", "txt", "i"]},
        {"tokenizer": str.split},
    ],
    ids=str,
)
def test_every_reading(mail, settings):
    texts, labels = list(mail[0][:400]), mail[1][:400]
    model = TextClassifier(unlabelled_weight=0.1, **settings).fit(texts, half_labelled(labels, 15))
    log_posterior = model.predict_log_proba(texts)
    assert not np.isnan(log_posterior).any()
    np.testing.assert_allclose(np.exp(log_posterior).sum(axis=1), 1, rtol=1e-9)
    assert model.score(texts, labels) > 0.6


def test_counts_and_weights_come_as_they_may(mail):
    from sklearn.feature_extraction.text import CountVectorizer

    texts, labels = list(mail[0][:500]), mail[1][:500]
    some = half_labelled(labels, 10)
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out().tolist()
    counted = TextClassifier(feature_names=names).fit(X, some)
    read = TextClassifier(compat="sklearn").fit(texts, some)
    np.testing.assert_allclose(counted.predict_proba(X), read.predict_proba(texts), rtol=1e-9)
    doubled = TextClassifier(unlabelled_weight=0.1).fit(texts, some, np.full(len(texts), 2.0))
    assert doubled.model_.counts.class_documents.sum() > 0


def test_scikit_learn_scores_folds_of_labelled_texts(mail):
    texts, labels = np.array(list(mail[0][:600]), object), mail[1][:600]
    some = np.array(half_labelled(labels, 20), object)
    splits = list(priori.select.labelled_folds(some, 4))
    for train, test in splits:
        assert all(label is not None for label in some[test])
        assert set(train) | set(test) == set(range(600))
        assert not set(train) & set(test)
    assert sorted(np.concatenate([test for _, test in splits])) == np.flatnonzero(some != np.array(None)).tolist()
    scores = cross_val_score(TextClassifier(), texts, some, cv=splits, scoring="accuracy")
    assert scores.mean() > 0.8


def test_fractional_counts_are_those_of_weighted_documents(mail):
    texts, labels = list(mail[0][:200]), list(mail[1][:200])
    corpus = Corpus.of(lambda: read_objects(texts, labels), Analyzer())
    weight = np.random.default_rng(2).random(200)
    shares = np.eye(2)[corpus.cls] * weight[:, None]
    whole = TextClassifier(alpha=1.0, calibrate=False).fit(texts, labels, weight).model_.counts
    assert counts_of(corpus, corpus.labels, shares) == whole
    assert counts_of(corpus, ("spam", "ham"), shares[:, ::-1]) == whole  # whatever the order of the classes


def test_shares_of_less_than_a_unit_are_counted():
    """Rounded one by one they could add up to more than the document; what is cut off goes to its largest."""
    rng = np.random.default_rng(0)
    corpus = Corpus.of_counts(rng.integers(0, 3, (300, 20)))
    shares = rng.dirichlet(np.full(300, 0.5), 300) * rng.choice([3e-5, 1.4e-3, 1.0], (300, 1))
    classes = tuple(f"c{k:03d}" for k in range(300))
    counts = counts_of(corpus, classes, shares)
    assert counts.class_documents.sum() == np.rint(shares.sum(axis=1) * 2**20).sum()
    assert (counts.class_documents >= 0).all() and (counts.pair_occurrences > 0).all()
    for odd in (-1e-9, np.nan):
        with pytest.raises(DataError, match="negative or not finite"):
            counts_of(corpus, classes, np.where(shares == shares[0, 0], odd, shares))


def test_a_proportional_prior_is_smoothed_alike_in_every_class():
    texts, labels = ["a b c d", "a a b", "c d e f g h", "x y"], ["u", "u", "v", "v"]
    prior = priori.Prior(0.3, proportional=True)
    model = TextClassifier(alpha=prior, calibrate=False, class_prior="uniform").fit(texts, labels)
    words = sorted(set(" ".join(texts).split()))
    counts = np.zeros((2, len(words)))
    for text, label in zip(texts, labels, strict=True):
        for word in text.split():
            counts["uv".index(label), words.index(word)] += 1
    total = counts.sum(axis=1)
    alpha = 0.3 * total / total.mean()
    theta = (counts + alpha[:, None]) / (total + alpha * len(words))[:, None]
    query = ["a", "c", "x", "x"]
    expected = np.log(0.5) + np.log(theta[:, [words.index(word) for word in query]]).sum(axis=1)
    np.testing.assert_allclose(model.log_joint([" ".join(query)])[0], expected, rtol=1e-14)
    with pytest.raises(DataError, match="posterior mean"):
        TextClassifier(alpha=prior, event="bernoulli").fit(texts, labels)


def test_no_labels_at_all(mail):
    texts, labels = list(mail[0][:3000]), mail[1][:3000]
    found = TextClassifier(n_classes=2, random_state=1).fit(texts)
    assert found.classes_.tolist() == ["1", "2"]
    told = np.array(["ham", "spam"])[(found.predict(texts) == "2").astype(int)]  # the larger class comes first
    assert (told == labels).mean() > 0.94
    again = TextClassifier(n_classes=2, random_state=1, n_jobs=3).fit(texts, [None] * len(texts))
    assert again.model_.counts == found.model_.counts
    # it predicts by the responsibilities it has learned by, but for counts in units of 2^-20
    np.testing.assert_allclose(found.predict_proba(texts), found.hidden_.probabilities, atol=1e-4)


def test_seed_words_name_the_classes(mail, tmp_path):
    texts, labels = list(mail[0][:3000]), mail[1][:3000]
    seeds = {"spam": ["FREE", "win", "txt"], "ham": ["lol", "love", "sorry"]}
    model = TextClassifier(seeds=seeds).fit(texts)
    assert model.score(texts, labels) > 0.94
    file = tmp_path / "seeds.toml"
    file.write_text('spam = ["free", "win", "txt"]\nham = ["lol", "love", "sorry"]\n', encoding="utf-8")
    read = TextClassifier(seeds=str(file)).fit(texts)
    assert read.model_.counts == model.model_.counts
    model.save(tmp_path / "seeded.priori")
    back = priori.load(tmp_path / "seeded.priori")
    assert (back.predict_proba(texts[:100]) == model.predict_proba(texts[:100])).all()


def test_what_is_not_known_is_asked_for():
    with pytest.raises(DataError, match="n_classes=K, or seeds="):
        TextClassifier().fit(["a", "b"], [None, None])
    with pytest.raises(DataError, match="y is None"):
        TextClassifier().fit(["a", "b"])
    with pytest.raises(DataError, match="no document has a seed word"):
        TextClassifier(seeds={"a": ["x"], "b": ["y"]}).fit(["a b", "c d"])
    with pytest.raises(DataError, match="ask for fewer"):
        TextClassifier(n_classes=3).fit(["a", "b"])
    with pytest.raises(DataError, match="is no seed"):
        TextClassifier(n_classes=2, random_state=-1).fit(["a", "b", "c"])


def test_a_class_whose_words_no_other_document_has():
    texts, labels = ["a b", "a c", "d e", "d f", "g", "h"], [1, None, 1, None, 0, 0]
    model = TextClassifier().fit(texts, labels)
    np.testing.assert_allclose(model.predict_proba([*texts, ""]).sum(axis=1), 1, rtol=1e-12)
    assert repr(model.hidden_).startswith("<HalfLabelled: 4 documents with a label, 2 without, at weight ")
    empty = TextClassifier().fit(["", "", "x", "x y", "x"], ["e", "e", "f", "f", None])
    assert not np.isnan(empty.predict_log_proba(["", "x", "z"])).any()


def noise(rng, documents):
    return [" ".join(f"w{i}" for i in rng.integers(0, 3000, 12)) for _ in range(documents)]


def test_copies_of_held_out_texts_take_no_part():
    """Labels that mean nothing, each text twice: were the copy learned from, the held-out one would be known."""
    rng = np.random.default_rng(0)
    texts = noise(rng, 1300)
    labels = rng.choice(["a", "b"], 1300).tolist()
    found = TextClassifier().fit([*texts, *texts, *noise(rng, 300)], [*labels, *labels, *[None] * 300]).hidden_
    assert found.losses[0.1] > 0.99 * np.log(2)
    assert found.labelled == 2600


def signs_and_kinds(rng, documents):
    """Labels by a sign that most documents have; what divides the documents is something else."""
    kinds = [[f"k{kind}w{i}" for i in range(100)] for kind in range(2)]
    texts, labels = [], []
    for row in range(documents):
        label = row % 2
        words = [*rng.choice(kinds[rng.integers(2)], 12)]
        texts.append(" ".join([*words, f"sign{label}{rng.integers(3)}"] if rng.random() < 0.8 else words))
        labels.append("ab"[label])
    return texts, labels


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_a_text_is_judged_once_however_many_copies_it_has(seed):
    """Copies of one easy text would say that unlabelled documents help, which do harm here."""
    texts, labels = signs_and_kinds(np.random.default_rng(seed), 680)
    copies = ["buy cheap pills now sign00"] * 150
    some = [*labels[:80], *["a"] * 150, *[None] * 600]
    found = TextClassifier().fit([*texts[:80], *copies, *texts[80:]], some).hidden_
    assert found.unlabelled_weight == 0
    assert found.losses[0.1] > found.losses[0.0] + 0.1


def test_both_weights_are_judged_by_the_same_texts():
    """What labels alone say of each is what a model without the text says, by the alpha and calibration of all."""
    texts, labels = signs_and_kinds(np.random.default_rng(3), 200)
    texts[5], labels[5] = texts[3], labels[3]  # a copy
    some = [*labels[:60], *[None] * 140]
    batches = lambda: read_objects(texts, some)  # noqa: E731
    found = learn_half_labelled(batches, Analyzer(), Readings.automatic())
    corpus = Corpus.of(batches, Analyzer(binary=True))
    held = HeldOut.deal(corpus, 0)
    assert sorted(held.rows.tolist()) == [row for row in range(60) if row != 5]
    assert held.weight[held.rows.tolist().index(3)] == 2 and held.weight.sum() == 60
    alone = TextClassifier().fit(texts[:60], labels[:60])
    own = []
    for row in held.rows:
        others = [k for k in range(60) if texts[k] != texts[row]]
        refit = alone.model_.fitted.resolved(alone.model_.readings)
        without = TextClassifier(alpha=refit.prior.alpha, calibrate=False)
        without.fit([texts[k] for k in others], [labels[k] for k in others])
        joint, length = without.log_joint([texts[row]]), float(len(texts[row].split()))
        p = alone.model_.fitted.calibration.log_posterior(joint, np.array([length]), ("a", "b"))
        own.append(p[0, "ab".index(labels[row])])
    assert found.losses[0.0] == pytest.approx(-np.mean(own), rel=1e-9)


def test_what_is_impossible_where_nothing_is_imagined_has_no_loss(mail):
    texts, labels = list(mail[0][:600]), mail[1][:600]
    for calibrate in (True, False):
        model = TextClassifier(alpha=0.0, calibrate=calibrate).fit(texts, half_labelled(labels, 20))
        assert np.isfinite(list(model.hidden_.losses.values())).all()
        assert len(model.hidden_.losses) == 2


def test_what_is_held_out_is_held_out_with_its_copies():
    texts = ["a b c", "c b a", "d e", "f g", "h i", "j k", "a b c", "l m n", "d e d e", "a c b"]
    labels = ["x", "y", "x", "y", "x", "y", None, None, None, "x"]
    corpus = Corpus.of(lambda: read_objects(texts, labels), Analyzer(binary=True))
    held = HeldOut.deal(corpus, 0)
    assert held.rows.tolist() == [0, 1, 2, 3, 4, 5]  # a text with two labels is judged by both
    assert held.fold[0] == held.fold[1]
    assert np.flatnonzero(held.copies(np.array([0]))).tolist() == [0, 1, 6, 9]
    assert np.flatnonzero(held.copies(np.array([2]))).tolist() == [2, 8]
    learner = _Learner(corpus, Readings.automatic(), 0.1, None, 1, 0)
    shares = learner._shares(np.array([0]))
    assert (shares[[0, 1, 6, 9]] == 0).all()  # unlabelled copies too
    assert (shares[[2, 3, 4, 5]].sum(axis=1) > 0).all()


def test_the_model_is_read_as_em_has_read_it(mail):
    texts, labels = mail[0][:600], mail[1][:600]
    model = TextClassifier(unlabelled_weight=0.1).fit(list(texts), half_labelled(labels, 10)).model_
    prior = model.plain_readings.prior
    assert prior.proportional and prior.alpha == 0.03 and model.fitted.held_out


def test_documents_of_weight_0_say_nothing(mail):
    texts, labels = list(mail[0][:900]), mail[1][:900]
    some = half_labelled(labels[:600], 20)
    wrong = ["spam" if label == "ham" else "ham" for label in labels[600:]]
    weight = np.concatenate([np.ones(600), np.zeros(300)])
    for settings in ({}, {"unlabelled_weight": 0.1}):
        alone = TextClassifier(**settings).fit(texts[:600], some)
        beside = TextClassifier(**settings).fit(texts, some + wrong, weight)
        assert beside.hidden_.unlabelled_weight == alone.hidden_.unlabelled_weight
        assert beside.score(texts[:600], labels[:600]) > 0.95


def test_the_parts_that_texts_come_in_do_not_matter(mail):
    texts, labels = list(mail[0][:400]), mail[1][:400]
    some = half_labelled(labels, 10)
    whole = TextClassifier().partial_fit(texts, some)
    parts = TextClassifier().partial_fit(texts[:200], some[:200]).partial_fit(texts[200:], some[200:])
    assert whole.model_.counts == parts.model_.counts
    assert whole.hidden_ is None


def test_polars_texts_and_generators(mail):
    import polars as pl

    texts, labels = list(mail[0][:300]), mail[1][:300]
    some = half_labelled(labels, 10)
    frame = TextClassifier(unlabelled_weight=0.1).fit(pl.Series(texts), pl.Series(some))
    assert frame.model_.counts == TextClassifier(unlabelled_weight=0.1).fit(texts, some).model_.counts
    generated = TextClassifier(n_classes=2).fit(text for text in texts)
    assert generated.classes_.tolist() == ["1", "2"]


def test_as_many_classes_as_are_labelled_is_half_labelled(mail):
    texts, labels = list(mail[0][:500]), mail[1][:500]
    some = half_labelled(labels, 10)
    told = TextClassifier(n_classes=2).fit(texts, some)
    assert told.model_.counts == TextClassifier().fit(texts, some).model_.counts
    three = TextClassifier(n_classes=3).fit(texts, some)
    assert three.classes_.tolist() == ["1", "ham", "spam"]
    with pytest.warns(UserWarning, match="every text has a label"):
        TextClassifier(n_classes=3).fit(texts, labels)
    with pytest.warns(UserWarning, match="no text has the seed words zzzz"):
        TextClassifier(seeds={"spam": ["free", "zzzz"], "ham": ["love"]}).fit(texts)


@pytest.mark.parametrize(
    "settings",
    [
        {"event": "bernoulli"},
        {"estimate": "map"},
        {"estimate": "map", "alpha": 2.0},
        {"alpha": 0.5},
        {"class_prior": 20.0},
        {"class_prior": 20.0, "estimate": "map"},
    ],
    ids=str,
)
def test_what_em_ascends_is_what_the_model_is_read_by(mail, settings):
    texts = list(mail[0][:600])
    model = TextClassifier(n_classes=2, **settings).fit(texts)
    np.testing.assert_allclose(model.predict_proba(texts), model.hidden_.probabilities, atol=1e-3)


def test_what_is_no_mixture_is_refused():
    for settings in ({"event": "complement"}, {"estimate": "integrated"}, {"alpha": {"a": 2.0}}):
        with pytest.raises(DataError, match="EM"):
            TextClassifier(n_classes=2, **settings).fit(["a b", "c d", "a d"])
    for classes in (0, 2.0, "2", True):
        with pytest.raises(DataError, match="n_classes"):
            TextClassifier(n_classes=classes).fit(["a b", "c d", "a d"])
