"""Every reading against its definition, on any small corpus, under any prior."""

import math
from itertools import pairwise

import numpy as np
import pytest
from definitions import Definition, NoEstimate
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from corpora import LAWS, labels, model_of, weights, words
from priori import Prior
from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.errors import DataError, EstimateError, NegativeCountError
from priori.model.explanation import explain
from priori.text import Analyzer

documents = st.lists(words, max_size=5)
corpora = st.lists(st.tuples(documents, labels), min_size=1, max_size=7)
weighted = st.lists(st.tuples(documents, labels, weights), min_size=1, max_size=7)
alphas = st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 3.0])
named = st.dictionaries(st.sampled_from(["a", "b", "amazing", "never", "ever"]), alphas, max_size=3)
queries = st.lists(st.sampled_from(["a", "a", "b", "c", "amazing", "é", "never", "new", "other"]), max_size=7)
class_priors = st.sampled_from(["ml", "uniform", 0.5, 1.0, 2.0])
vocabularies = st.sampled_from([None, None, ("a", "amazing", "b", "c", "ever", "never")])
COMBINATIONS = [
    *(("multinomial", estimate) for estimate in ("ml", "map", "bayes", "integrated")),
    *(("bernoulli", estimate) for estimate in ("ml", "map", "bayes", "integrated")),
    ("complement", "bayes"),
]


@st.composite
def priors(draw, rows):
    """A number, by word, by class and word, or all three."""
    known = sorted({row[1] for row in rows if len(row) < 3 or row[2] > 0})
    tables = draw(st.dictionaries(st.sampled_from(known), named, max_size=2)) if known else {}
    return Prior(draw(alphas), draw(named), tables)


def batch_of(words):
    return next(read_objects([" ".join(words)]))


def assert_close(found, expected):
    finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(found), finite), (found, expected)
    assert np.array_equal(found[~finite], expected[~finite])  # minus infinity, and never NaN
    assert found[finite] == pytest.approx(expected[finite], abs=1e-9)


@pytest.mark.parametrize(("event", "estimate"), COMBINATIONS)
@settings(LAWS, max_examples=60)
@given(st.data(), st.one_of(corpora, weighted))
def test_log_joints_and_explanations(event, estimate, data, rows):
    assume(any(len(row) < 3 or row[2] > 0 for row in rows))
    prior, class_prior = data.draw(priors(rows)), data.draw(class_priors)
    vocabulary, unknown, binary = data.draw(vocabularies), data.draw(st.booleans()), data.draw(st.booleans())
    assume(vocabulary is None or {*prior.terms, *(w for t in prior.classes.values() for w in t)} <= {*vocabulary})
    model = model_of(
        [(" ".join(words), *rest) for words, *rest in rows],
        Analyzer(vocabulary=vocabulary, binary=binary),
        Readings(event, estimate, prior, class_prior, "prior" if unknown else "ignore"),
    )
    weighed = [(words, label, *(rest or [1])) for words, label, *rest in rows]
    definition = Definition(weighed, prior, estimate, class_prior, vocabulary, unknown, binary)
    assert list(model.labels) == definition.labels
    query = data.draw(queries)
    try:
        expected = np.array(definition.log_joint(event, query))
    except NoEstimate:
        with pytest.raises(EstimateError, match=r"no mode|0/0"):
            model.log_joint(batch_of(query))
        return
    found = model.log_joint(batch_of(query))[0]
    assert_close(found, expected)
    check_posterior(model, batch_of(query), expected)
    check_explanation(model, batch_of(query), expected)


def check_posterior(model, batch, joint):
    if not np.isfinite(joint).any():
        with pytest.raises(EstimateError, match="smoothing"):
            model.posterior(batch)
        return
    shares = np.exp(joint - joint.max())
    assert model.posterior(batch)[0] == pytest.approx(shares / shares.sum(), abs=1e-12)


def check_explanation(model, batch, joint):
    """The contributions add up to the difference of the log joints, for every pair of classes."""
    if not np.isfinite(joint).any():
        return
    for first, label in enumerate(model.labels):
        for second, against in enumerate(model.labels):
            if first == second:
                continue
            if not np.isfinite(joint[[first, second]]).all():
                with pytest.raises(EstimateError, match="infinite"):
                    explain(model, batch, label, against)
                continue
            found = explain(model, batch, label, against)
            assert found.log_odds == pytest.approx(joint[first] - joint[second], abs=1e-9)
            assert found.log_odds == math.fsum(row.log_odds for row in found.contributions)


@pytest.mark.parametrize("estimate", ["ml", "map", "bayes", "integrated"])
@LAWS
@given(st.data(), corpora, st.booleans())
def test_theta_of_every_class_sums_to_one(estimate, data, rows, unknown):
    prior = data.draw(priors(rows))
    assume(any(words for words, _ in rows))
    model = model_of(
        [(" ".join(words), label) for words, label in rows],
        readings=Readings("multinomial", estimate, prior, "uniform", "prior" if unknown else "ignore"),
    )
    try:
        reading = model.weights.reading
    except EstimateError:
        return
    joined = reading.term_bytes.tobytes()
    terms = [joined[i:j].decode() for i, j in pairwise(reading.term_offsets)]
    assert {*prior.terms} <= {*terms}
    documents = [[term] for term in terms] + ([["never seen at all"]] if unknown else [])
    theta = np.exp(model.log_joint(next(read_objects(documents)))) * len(model.labels)
    assert theta.sum(axis=0) == pytest.approx(np.ones(len(model.labels)), abs=1e-12)


@LAWS
@given(corpora, queries, class_priors)
def test_the_mode_under_two_is_the_mean_under_one(rows, query, class_prior):
    texts = [(" ".join(words), label) for words, label in rows]
    given_prior = "uniform" if isinstance(class_prior, float) else class_prior  # it has a mode and a mean of its own
    for event in ("multinomial", "bernoulli"):
        mode = model_of(texts, readings=Readings(event, "map", Prior(2.0), given_prior))
        mean = model_of(texts, readings=Readings(event, "bayes", Prior(1.0), given_prior))
        assert_close(mode.log_joint(batch_of(query)), mean.log_joint(batch_of(query)))


@LAWS
@given(st.data(), corpora)
def test_a_document_of_one_word_is_the_same_integrated(data, rows):
    prior = data.draw(priors(rows))
    texts = [(" ".join(words), label) for words, label in rows]
    mean, urn = (model_of(texts, readings=Readings("multinomial", e, prior)) for e in ("bayes", "integrated"))
    for word in ("a", "amazing", "new", ""):
        assert_close(mean.log_joint(batch_of([word])), urn.log_joint(batch_of([word])))
    twice = batch_of(["a", "a"])
    if urn.weights.reading.terms > 1 and any("a" in words for words, _ in rows):  # one word alone is certain anyway
        assert (urn.log_joint(twice) > mean.log_joint(twice)).all()  # the first one makes the second likelier


REVIEWS = [("amazing great", "+"), ("awful", "-")]


def test_maximum_likelihood_is_honest():
    model = model_of(REVIEWS, readings=Readings(estimate="ml"))
    assert model.posterior(batch_of(["amazing"])).tolist() == [[1.0, 0.0]]
    assert model.posterior(batch_of(["new"])).tolist() == [[0.5, 0.5]]  # never seen anywhere: ignored
    with pytest.raises(EstimateError, match="smoothing"):
        model.posterior(batch_of(["amazing", "awful"]))
    with pytest.raises(EstimateError, match="smooth"):
        model_of([*REVIEWS, ("", "0")], readings=Readings(estimate="ml")).posterior(batch_of(["amazing"]))


def test_the_slot_alone_has_no_relative_frequency():
    """No words at all, so the slot for unknown ones is all there is: 0/0 under ML, certain under Bayes."""
    rows = [("", "x"), ("", "y")]
    with pytest.raises(EstimateError, match="0/0"):
        model_of(rows, readings=Readings(estimate="ml", unknown="prior")).log_joint(batch_of(["new"]))
    model = model_of(rows, readings=Readings(unknown="prior"))
    assert np.exp(model.log_joint(batch_of(["new", "other"]))).tolist() == [[0.5, 0.5]]


def test_words_that_all_documents_have_are_required():
    """Bernoulli by maximum likelihood: phi = 1 makes the lack of a word impossible, and its presence no news."""
    rows = [("the a", "x"), ("the b", "x"), ("the c", "y"), ("c d", "y")]
    model = model_of(rows, readings=Readings("bernoulli", "ml"))
    definition = Definition([(text.split(), label, 1) for text, label in rows], Prior(), "ml")
    for query in (["the", "a"], ["a"], ["the"], ["c"], ["the", "c", "d"], ["the", "a", "the"], []):
        assert_close(model.log_joint(batch_of(query))[0], np.array(definition.log_joint("bernoulli", query)))
    assert model.posterior(batch_of(["the", "a"])).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("alpha", [0.5, 0.999])
def test_no_mode(event, alpha):
    with pytest.raises(EstimateError, match="alpha >= 1"):
        model_of(REVIEWS, readings=Readings(event, "map", Prior(alpha))).posterior(batch_of(["amazing"]))
    with pytest.raises(EstimateError, match="alpha >= 1"):  # no word is missing anywhere, but the slot is
        readings = Readings(event, "map", Prior(alpha), unknown="prior")
        model_of([("a b", "x"), ("a b", "y"), ("", "x"), ("", "y")], readings=readings).posterior(batch_of(["a"]))


def test_a_mode_where_only_words_with_counts_have_little_prior():
    rows = [("a b a", "x"), ("a", "y")]
    prior = Prior(2.0, {"a": 0.5})
    model = model_of(rows, readings=Readings("multinomial", "map", prior))
    definition = Definition([(text.split(), label, 1) for text, label in rows], prior, "map")
    assert_close(model.log_joint(batch_of(["a", "b"]))[0], np.array(definition.log_joint("multinomial", ["a", "b"])))


def test_a_complement_without_smoothing_is_refused():
    for readings in (Readings("complement", "ml"), Readings("complement", "bayes", Prior(0.0))):
        with pytest.raises(EstimateError, match="alpha > 0"):
            model_of(REVIEWS, readings=readings).posterior(batch_of(["amazing"]))
    with pytest.raises(EstimateError, match="integrated"):
        model_of(REVIEWS, readings=Readings("complement", "integrated")).posterior(batch_of(["amazing"]))
    with pytest.raises(EstimateError, match="alpha > 0"):
        model_of(REVIEWS, readings=Readings("multinomial", "integrated", Prior(0.0))).posterior(batch_of(["amazing"]))


@example([("b c", "x")])  # more documents with "a" than documents
@example([("a b", "y")])
@example([("", "x")])
@given(st.just([("a c c", "x")]))
def test_negative_counts_are_statistics_but_no_estimates(forgotten):
    model = model_of([("a b", "x"), ("a c", "x"), ("d", "y")])
    smaller = model - model_of(forgotten)  # which is legal
    for event in ("multinomial", "bernoulli"):
        with pytest.raises(NegativeCountError, match="forgotten"):
            smaller.read_as(Readings(event)).posterior(batch_of(["a"]))
    whole = smaller + model_of(forgotten)
    assert whole.posterior(batch_of(["a"])).tolist() == model.posterior(batch_of(["a"])).tolist()


# --- how priors are given ----------------------------------------------------------------------------------------


def test_every_way_to_give_a_prior(tmp_path):
    path = tmp_path / "prior.toml"
    path.write_text(
        'alpha = 0.5\n[terms]\ngreat = 2\n"très bien" = 0.25\n[classes."+"]\namazing = 3.5\n[classes.neg]\nawful = 4\n',
        encoding="utf-8",
    )
    from_file = Prior.from_toml(path)
    assert from_file == Prior(0.5, {"great": 2, "très bien": 0.25}, {"+": {"amazing": 3.5}, "neg": {"awful": 4}})
    assert Prior.of(0.5) == Prior(0.5)
    assert Prior.of({"great": 2}) == Prior(1.0, {"great": 2.0})
    assert Prior.of({"+": {"great": 2}}) == Prior(1.0, {}, {"+": {"great": 2.0}})
    assert Prior.of(from_file) is from_file
    assert Prior.from_json(from_file.to_json()) == from_file
    assert Prior(np.float32(0.5), {"a": np.int64(2)}).to_json() == {"alpha": 0.5, "terms": {"a": 2.0}, "classes": {}}
    assert type(Prior(np.int64(2)).to_json()) is float


@pytest.mark.parametrize("alpha", [-1, math.nan, math.inf, True, None, "1", {"a": -1}, {"a": 1, "x": {"b": 1}}, {1: 2}])
def test_no_prior(alpha):
    with pytest.raises(DataError):
        Prior.of(alpha)


@pytest.mark.parametrize("text", ["alpha = -1", "alpha = 'a'", "beta = 1", "terms = 3", "classes = {a = 1}", "alpha ="])
def test_no_prior_file(tmp_path, text):
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(DataError):
        Prior.from_toml(tmp_path / "p.toml")
    with pytest.raises(DataError, match="cannot be read"):
        Prior.from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "prior", [None, [0.5, 0.5], "auto", -1, math.nan, True, {"+": 0.5}, {"+": 2, "-": -1}, {"+": "a", "-": 1}, {}]
)
def test_no_class_prior(prior):
    with pytest.raises(DataError):
        Readings(class_prior=prior)


def test_a_prior_must_fit_the_model():
    for prior, fact in [(Prior(1, {}, {"0": {"a": 1}}), "class '0'"), (Prior(1, {"new": 1}), "'new'")]:
        vocabulary = ("amazing", "awful") if prior.terms else None
        model = model_of(REVIEWS, Analyzer(vocabulary=vocabulary), Readings(prior=prior))
        with pytest.raises(DataError, match=fact):
            model.posterior(batch_of(["amazing"]))
    with pytest.raises(DataError, match="lacks '-'"):
        model_of(REVIEWS, readings=Readings(class_prior={"+": 1.0})).posterior(batch_of(["amazing"]))


def test_a_given_vocabulary_fixes_its_size():
    """Lecture 002: a dictionary of V words, of which these reviews use two."""
    dictionary = ("amazing", "awful", *(f"word{i}" for i in range(48)))
    model = model_of(REVIEWS, Analyzer(vocabulary=dictionary), Readings(class_prior="uniform"))
    likelihood = np.exp(model.log_joint(batch_of(["amazing"]))[0]) / 0.5
    assert likelihood == pytest.approx([(1 + 1) / (1 + 50), (0 + 1) / (1 + 50)])  # "great" is not in the dictionary
    assert model.counts.terms == 2
