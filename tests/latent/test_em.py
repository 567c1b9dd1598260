"""EM: its objective never falls, and it does what a few lines of plain numpy do."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from priori import _core
from priori.errors import DataError, EstimateError
from priori.latent import Corpus, Recipe, Settings, State, Temper, WordPrior, cluster, em, starts

CASES = settings(derandomize=True, deadline=None, max_examples=150)


@st.composite
def problems(draw):
    """A small corpus, some of it labelled, and what EM is to ascend on it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    documents, terms, classes = draw(st.integers(1, 9)), draw(st.integers(1, 7)), draw(st.integers(1, 4))
    event = draw(st.sampled_from(["multinomial", "bernoulli"]))
    counts = rng.poisson(draw(st.sampled_from([0.4, 2.0, 30.0])), (documents, terms))
    if event == "bernoulli":
        counts = np.minimum(counts, 1)
    names = [f"c{c}" for c in range(classes)]
    labels = [draw(st.sampled_from([None, None, *names])) for _ in range(documents)]
    corpus = Corpus.of_counts(counts, [*labels], rng.integers(1, 4, documents) / 2)
    corpus = corpus.with_classes([-1 if x is None else names.index(x) for x in labels], tuple(names))
    components = draw(st.integers(1, 2))
    estimate = draw(st.sampled_from(["bayes", "map"]))
    seeds = draw(st.integers(0, 3))
    words = WordPrior(
        draw(st.sampled_from([0.05, 1.0, 4.0])) + (estimate == "map"),
        rng.integers(0, classes * components, seeds).astype(np.int32),
        rng.integers(0, terms, seeds).astype(np.int32),
        rng.uniform(0, 5, seeds),
    )
    return corpus, Settings(
        tuple(names),
        event=event,
        estimate=estimate,
        words=words,
        documents=draw(st.sampled_from([1.0, 2.5])) + (estimate == "map"),
        proportional=event == "multinomial" and estimate == "bayes" and draw(st.booleans()),
        temper=draw(st.sampled_from([Temper(), Temper.root(), Temper(0.2, -1.0)])),
        unlabelled_weight=draw(st.sampled_from([0.0, 0.1, 1.0])),
        components=components,
    )


def plain_em(corpus, settings, shares, iterations):
    """The same by loops and dense tables: (objective, log theta or phi, log pi) of every iteration."""
    X = dense(corpus)
    C, V = settings.size, corpus.terms
    lam = np.where(corpus.cls < 0, settings.unlabelled_weight, 1.0) * corpus.weight
    less = 1.0 if settings.estimate == "map" else 0.0
    a = np.full((C, V), settings.words.alpha - less)
    for c, j, more in zip(settings.words.component, settings.words.term, settings.words.more, strict=True):
        a[c, j] += more
    b = settings.documents - less
    n = X.sum(axis=1)
    t = np.minimum(1, 1 + n / (n + 1) * (settings.temper.scale * ((n + 1) / 50) ** settings.temper.power - 1))
    seeds = a - (settings.words.alpha - less)
    told = []
    for _ in range(iterations):
        pi = shares.sum(axis=0) + b
        pi = pi / pi.sum()
        if settings.event == "bernoulli":
            present, absent = shares.T @ X + a, shares.T @ (1 - X) + (settings.words.alpha - less)
            phi = present / (present + absent)
            s = np.log(pi) + X @ np.log(phi).T + (1 - X) @ np.log(1 - phi).T
            prior = (a * np.log(phi)).sum() + ((settings.words.alpha - less) * np.log(1 - phi)).sum()
        else:
            N = shares.T @ X
            if settings.proportional:
                words = N.sum(axis=1, keepdims=True)
                a = settings.words.alpha * np.where(words > 0, words / (words.mean() or 1), 1) + seeds
            theta = N + a
            theta = theta / theta.sum(axis=1, keepdims=True)
            s = np.log(pi) + X @ np.log(theta).T
            prior = (a * np.log(theta)).sum()
        for i, y in enumerate(corpus.cls):
            if y >= 0:
                s[i, settings.component_class != y] = -np.inf
        objective = (lam / t * logsumexp(t[:, None] * s, axis=1)).sum() + prior + (b * np.log(pi)).sum()
        r = np.exp(t[:, None] * s - logsumexp(t[:, None] * s, axis=1, keepdims=True))
        shares = lam[:, None] * r
        told.append((objective, (lam * logsumexp(s, axis=1)).sum(), r))
    return told


def dense(corpus):
    table = np.zeros((len(corpus), corpus.terms))
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    table[rows, corpus.term] = corpus.count
    return table


@CASES
@given(problems(), st.integers(0, 2**32))
def test_the_objective_never_falls(problem, seed):
    corpus, asked = problem
    asked = replace(asked, proportional=False)
    steps = em(corpus, asked, starts.random(corpus, asked, seed), jobs=1)
    objectives = np.array([next(steps).objective for _ in range(25)])
    size = np.abs(dense(corpus)).sum() * 40 + np.abs(objectives).max()  # terms of the sum, each below 40 or so
    assert np.diff(objectives).min() >= -64 * np.finfo(float).eps * size


@CASES
@given(problems(), st.integers(0, 2**32))
def test_every_iteration_is_that_of_plain_numpy(problem, seed):
    corpus, asked = problem
    start = starts.random(corpus, asked, seed)
    lam = np.where(corpus.cls < 0, asked.unlabelled_weight, 1.0) * corpus.weight
    expected = plain_em(corpus, asked, start * lam[:, None], 4)
    steps = em(corpus, asked, start, jobs=1)
    for objective, log_likelihood, _ in expected[:3]:
        step = next(steps)
        assert step.objective == pytest.approx(objective, rel=1e-10, abs=1e-9)
        assert step.log_likelihood == pytest.approx(log_likelihood, rel=1e-10, abs=1e-9)
    np.testing.assert_allclose(step.state.responsibilities(), expected[3][2], rtol=1e-7, atol=1e-12)


def test_an_objective_of_the_wrong_temper_falls():
    """The planted bug: responsibilities of t = 1/4 do not ascend the plain log-likelihood."""
    rng = np.random.default_rng(3)
    corpus = Corpus.of_counts(rng.poisson(3.0, (12, 6)))
    asked = Settings(("a", "b"), temper=Temper(0.25, 0.0))
    steps = em(corpus, asked, starts.random(corpus, asked, 0), jobs=1)
    told = [next(steps) for _ in range(30)]
    assert np.diff([step.objective for step in told]).min() > -1e-9
    assert np.diff([step.log_likelihood + step.state.mixture.log_prior for step in told]).min() < -1e-3


def test_the_mean_under_alpha_is_the_mode_under_alpha_and_one():
    rng = np.random.default_rng(5)
    corpus = Corpus.of_counts(rng.poisson(2.0, (8, 5)), ["a", None, "b", None, None, None, "a", None])
    mean = Settings(("a", "b"), estimate="bayes", words=WordPrior.even(0.5), documents=1.0)
    mode = Settings(("a", "b"), estimate="map", words=WordPrior.even(1.5), documents=2.0)
    start = starts.random(corpus, mean, 1)
    for one, other in zip(range(6), zip(em(corpus, mean, start), em(corpus, mode, start), strict=False), strict=False):
        assert one >= 0
        assert other[0].objective == other[1].objective


def test_maximum_likelihood_is_the_lecture_s_expected_relative_frequencies():
    corpus = Corpus.of_counts([[2, 0, 1], [0, 3, 0], [1, 1, 0]])
    asked = Settings(("A", "B"), estimate="ml", temper=Temper())
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    state = State(corpus, asked, shares)
    theta = np.exp(state.mixture.table + state.mixture.per_feature)
    expected = shares.T @ dense(corpus)
    np.testing.assert_allclose(theta.T, expected / expected.sum(axis=1, keepdims=True), rtol=1e-15)
    np.testing.assert_allclose(np.exp(state.mixture.log_weight), shares.sum(axis=0) / 3, rtol=1e-15)


@pytest.mark.parametrize("classes", [1, 2, 3, 5, 20, 33, 70])
def test_threads_and_instruction_sets_change_nothing(classes):
    rng = np.random.default_rng(classes)
    counts = rng.poisson(0.05, (13_000, 40)) * rng.integers(1, 4, (13_000, 40))
    counts[5, 3] = 200_000  # more than an entry of the layout holds
    corpus = Corpus.of_counts(counts)
    asked = Settings(tuple(f"c{c:02d}" for c in range(classes)))
    start = starts.random(corpus, asked, 0)
    told = []
    for jobs in (1, 2, 3):
        steps = em(corpus, asked, start, jobs=jobs)
        step = [next(steps) for _ in range(3)][-1]
        told.append((step.objective, step.sizes, step.state.shares()))
    for other in told[1:]:
        assert other[0] == told[0][0]
        assert (other[1] == told[0][1]).all()
        assert (other[2] == told[0][2]).all()
    lam = corpus.weight
    reference = plain_em(corpus, asked, start * lam[:, None], 4)
    assert told[0][0] == pytest.approx(reference[2][0], rel=1e-10)
    np.testing.assert_allclose(told[0][2], reference[3][2], rtol=1e-6, atol=1e-9)


def test_labelled_documents_stay_where_they_are():
    corpus = Corpus.of_counts([[5, 0], [0, 5], [1, 4]], ["b", "a", None])
    asked = Settings(corpus.labels)
    step = next(em(corpus, asked, starts.random(corpus, asked, 0)))
    assert step.state.responsibilities()[:2].tolist() == [[0, 1], [1, 0]]


def test_errors_say_what_to_do():
    corpus = Corpus.of_counts([[1, 0], [0, 1]], ["a", "b"])
    with pytest.raises(DataError, match="choose multinomial or bernoulli"):
        Settings(("a",), event="complement")
    with pytest.raises(DataError, match="a number from 1"):
        Settings(("a",), components=0)
    with pytest.raises(DataError, match="finite number from 0"):
        Settings(("a",), unlabelled_weight=-1)
    with pytest.raises(EstimateError, match="no mode"):
        next(em(corpus, Settings(("a", "b"), estimate="map"), np.eye(2)))
    unsmoothed = Settings(("a", "b"), estimate="ml")
    with pytest.raises(EstimateError, match="smooth with alpha > 0"):
        next(em(corpus, unsmoothed, np.eye(2)[::-1].copy()))


def test_a_start_is_a_distribution_over_what_is_allowed():
    corpus = Corpus.of_counts(np.ones((4, 2)), ["a", None, "b", None])
    asked = Settings(corpus.labels, components=2)
    for start in map(partial(starts.random, corpus, asked), range(3)):
        np.testing.assert_allclose(start.sum(axis=1), 1, rtol=1e-15)
        assert (start[0, 2:] == 0).all() and (start[2, :2] == 0).all() and (start[1] > 0).all()


def test_logarithms_are_within_a_unit_of_the_last_place():
    rng = np.random.default_rng(0)
    counts = np.concatenate([np.exp(rng.uniform(-700, 700, (3000, 7))), 1 + rng.normal(0, 1e-9, (500, 7))])
    counts[0] = [0.0, 5e-324, 1e-310, 1.0, 0.5, 2.0, 1e300]
    out = np.empty_like(counts)
    for jobs in (1, 2):
        sums = _core.log_table(counts, np.zeros(7), out, jobs)
        with np.errstate(divide="ignore"):
            exact = np.log(counts.astype(np.longdouble))
        finite = np.isfinite(exact)
        assert (out[~finite] == exact[~finite]).all()
        assert (np.abs(out[finite] - exact[finite]) <= np.spacing(np.abs(out[finite]))).all()
        np.testing.assert_allclose(sums[1:], exact[:, 1:].sum(axis=0).astype(float), rtol=1e-11, atol=1e-9)


def test_numbers_that_mean_nothing_are_refused():
    for counts in ([[0.5, 1.5]], [[2**33, 1]], [[-1, 1]], [1, 2]):
        with pytest.raises(DataError, match="whole numbers"):
            Corpus.of_counts(counts)
    for weight in ([-1.0], [np.nan], [1.0, 2.0]):
        with pytest.raises(DataError, match="a weight is negative"):
            Corpus.of_counts([[1, 2]], weight=weight)
    with pytest.raises(DataError, match="no mode"):
        Settings(("a", "b"), estimate="map", documents=0.5)
    with pytest.raises(DataError, match="imagined documents"):
        Settings(("a", "b"), documents=-0.7)
    for alpha in (np.nan, -0.5):
        with pytest.raises(DataError, match="alpha="):
            State(Corpus.of_counts([[1, 2]]), Settings(("a",), words=WordPrior.even(alpha)), np.ones((1, 1)))
    with pytest.raises(DataError, match="there or not"):
        State(Corpus.of_counts([[1, 2]]), Settings(("a",), event="bernoulli"), np.ones((1, 1)))
    with pytest.raises(DataError, match="more than once"):
        Recipe(temper=Temper(0.18, -1.0))
    for odd in ({"anneal": -5}, {"least_iterations": 0}, {"tolerance": np.nan}, {"alpha": np.nan}, {"alpha": 1e308}):
        with pytest.raises(DataError, match=f"{next(iter(odd))}="):
            Recipe(**odd)
    for weight, estimate, said in ([0, 0], "bayes", "every document has weight 0"), ([1, 0], "ml", "may have words"):
        with pytest.raises(DataError, match=said):
            cluster(Corpus.of_counts([[1, 0], [0, 1]], weight=weight), 2, recipe=Recipe(estimate=estimate))


def test_annealing_goes_before_the_iterations():
    """However long it takes, what is compared in the end is the objective itself, climbed until it stands."""
    rng = np.random.default_rng(3)
    corpus = Corpus.of_counts(rng.poisson(np.repeat([[3, 1, 0.2], [0.2, 1, 3]], 15, axis=0)))
    plain, slow = (cluster(corpus, 2, recipe=Recipe(restarts=1, iterations=40, anneal=n)).facts for n in (0, 300))
    assert slow["iterations"] > 300
    assert slow["objective"] == pytest.approx(plain["objective"], rel=1e-6)


def test_a_document_of_weight_0_stops_nothing():
    corpus = Corpus.of_counts([[2, 1, 0], [1, 2, 0], [0, 0, 3]], weight=[1.0, 1.0, 0.0])
    asked = Settings(("a", "b"), estimate="ml", temper=Temper())
    step = next(em(corpus, asked, np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])))
    assert np.isfinite(step.objective)
    empty = Corpus.of_counts(np.zeros((2, 3), int))
    assert np.isfinite(next(em(empty, asked, np.full((2, 2), 0.5))).objective)


def test_the_largest_count_has_room():
    corpus = Corpus.of_counts([[2**31 - 1, 0], [0, 1]])
    asked = Settings(("a", "b"))
    assert np.isfinite(next(em(corpus, asked, np.eye(2))).objective)


def test_what_is_written_to_is_not_converted():
    """A copy would take the sums, and the caller's array stay as it was."""
    corpus = Corpus.of_counts([[1, 0], [0, 2]])
    rows = corpus.blocked(1, 1)
    for wrong in (np.zeros((2, 1), np.float32), np.zeros((2, 2), order="F")):
        with pytest.raises(TypeError):
            _core.m_pass(rows, np.ones((2, wrong.shape[1])), wrong, 1)
        with pytest.raises(TypeError):
            _core.log_table(np.ones(wrong.shape), np.ones(wrong.shape[1]), wrong, 1)
