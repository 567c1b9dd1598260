"""How alpha is chosen: by a loss, against a fine grid; by the evidence, against scipy on the evidence written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import betaln, gammaln

from corpora import model_of
from priori.columns.words.readings import Prior, Readings
from priori.errors import EstimateError
from priori.estimators.text_classifier import TextClassifier
from priori.model.fitting.hyperparameters import (
    _EVIDENCE_LEAST,
    _EVIDENCE_MOST,
    LEAST,
    _fixed_point,
    _Histogram,
    alpha_of_most_evidence,
    choose,
    penalty,
)

steady = settings(max_examples=40, deadline=None, derandomize=True)
FINE = np.geomspace(LEAST, 1e9, 20_001)
CENTRE, SPREAD = math.log(0.1), 0.7 * math.log(10)  # of the prior of log alpha


def total(loss, above):
    """The loss and what the prior of alpha adds."""
    return loss(above) + 0.5 * ((np.log(above) - CENTRE) / SPREAD) ** 2


@pytest.mark.parametrize("least", [0.0, 1.0])
@given(centre=st.floats(-7, 4), width=st.floats(0.8, 3), depth=st.sampled_from([3.0, 100.0, 1e4]))
@steady
def test_the_chosen_alpha_is_nearly_that_of_least_loss(least, centre, width, depth):
    def loss(above):  # rises to either side, at first as a parabola and then as a line
        return depth * np.log(np.cosh((np.log(above) - centre) / width))

    curve = choose(lambda alpha: float(loss(alpha - least)), least)
    assert curve.chosen in curve.alphas and min(curve.alphas) > least
    best = FINE[np.argmin(total(loss, FINE))]
    assert abs(math.log(curve.chosen - least) - math.log(best)) < 0.25 * math.log(10)  # a quarter of a step
    assert penalty(curve.chosen, least) == pytest.approx(total(lambda _: 0.0, curve.chosen - least))


def test_a_quadratic_is_found_as_near_as_it_matters():
    for centre in (-4.0, -2.3, 0.4, 5.0):

        def loss(alpha, centre=centre):
            return 50 * (math.log(alpha) - centre) ** 2

        exact = (100 * centre + CENTRE / SPREAD**2) / (100 + 1 / SPREAD**2)  # the mean of two normals
        assert math.log(choose(loss).chosen) == pytest.approx(exact, abs=0.1)


def test_at_the_edges_it_looks_further_and_then_stops():
    falling, rising = choose(lambda alpha: -100 * math.log(alpha)), choose(lambda alpha: 100 * math.log(alpha))
    assert falling.chosen == max(falling.alphas) >= 1e3
    assert rising.chosen == min(rising.alphas) == LEAST  # and no further
    assert len(falling.alphas) <= 12 and len(rising.alphas) <= 12
    map_ = choose(lambda alpha: 100 * math.log(alpha), 1.0)
    assert all(alpha > 1 for alpha in map_.alphas)


def test_where_the_loss_says_nothing_the_prior_does():
    assert choose(lambda _: 7.0).chosen == pytest.approx(0.1, rel=0.1)
    assert choose(lambda _: 7.0, 1.0).chosen == pytest.approx(1.1, rel=0.01)


def test_losses_come_in_the_order_of_alpha():
    curve = choose(lambda alpha: (math.log(alpha) + 3) ** 2)
    assert list(curve.alphas) == sorted(curve.alphas)
    assert curve.losses == pytest.approx([(math.log(alpha) + 3) ** 2 for alpha in curve.alphas])


ROWS = [
    ("free entry to win a free phone", "spam"),
    ("win win now", "spam"),
    ("see you at lunch", "ham"),
    ("lunch at noon then", "ham"),
    ("are you free at noon", "ham"),
    ("the goal at noon", "news"),
]


def tables(rows):
    words = sorted({word for text, _ in rows for word in text.split()})
    classes = sorted({label for _, label in rows})
    counts = np.array([[sum(t.split().count(w) for t, y in rows if y == c) for w in words] for c in classes], float)
    present = np.array([[sum(w in t.split() for t, y in rows if y == c) for w in words] for c in classes], float)
    sizes = np.array([sum(y == c for _, y in rows) for c in classes], float)
    return counts, present, sizes


def log_evidence(event, alpha, rows):
    counts, present, sizes = tables(rows)
    if event == "multinomial":
        v = counts.shape[1]
        by_class = gammaln(v * alpha) - gammaln(v * alpha + counts.sum(axis=1))
        return float((by_class + (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)).sum())
    absent = sizes[:, None] - present
    return float((betaln(present + alpha, absent + alpha) - betaln(alpha, alpha)).sum())


def random_rows(seed, concentration, classes=3, words=12, documents=30):
    """Documents of a Dirichlet-multinomial naive Bayes model."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(words, concentration), classes)
    labels = rng.integers(0, classes, documents)
    return [(" ".join(f"w{w}" for w in rng.choice(words, 8, p=shares[k])), f"c{k}") for k in labels]


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("rows", [ROWS, random_rows(0, 0.2), random_rows(1, 2.0)], ids=["mail", "sharp", "broad"])
def test_the_alpha_of_most_evidence_is_scipys(event, rows):
    model = model_of(rows, readings=Readings(event, prior=Prior("evidence")))
    found = model.fitted.alpha
    best = minimize_scalar(lambda log: -log_evidence(event, math.exp(log), rows), bounds=(-13, 13), method="bounded")
    if abs(best.x) > 12:  # beyond any bound
        assert found in (_EVIDENCE_LEAST, _EVIDENCE_MOST)
        return
    assert log_evidence(event, found, rows) >= -best.fun - 1e-9
    assert math.log(found) == pytest.approx(best.x, abs=1e-3)


def test_the_evidence_rises_at_every_step():
    counts = tables(ROWS)[0]
    values, totals = _Histogram.of(counts.ravel()), _Histogram.of(counts.sum(axis=1))
    v, alpha, before = float(counts.shape[1]), 50.0, -math.inf
    for _ in range(200):
        now = log_evidence("multinomial", alpha, ROWS)
        assert now >= before - 1e-12 * abs(now)
        before, alpha = now, alpha * values.rise(alpha) / (v * totals.rise(v * alpha))
    end = _fixed_point(values, totals, v)
    assert log_evidence("multinomial", end, ROWS) >= before  # where no step goes further
    assert end == pytest.approx(end * values.rise(end) / (v * totals.rise(v * end)), rel=1e-9)


def test_evidence_says_where_there_is_none():
    with pytest.raises(EstimateError, match="no likelihood"):
        TextClassifier(event="complement", alpha="evidence").fit(*zip(*ROWS, strict=True)).predict(["a"])
    with pytest.raises(EstimateError, match="same for all words"):
        TextClassifier(alpha=Prior("evidence", {"win": 2.0})).fit(*zip(*ROWS, strict=True)).predict(["a"])
    for vocabulary in (["win"], ["unheard", "of"]):  # one word; none that occurs
        with pytest.raises(EstimateError, match="too few words"):
            TextClassifier(alpha="evidence", vocabulary=vocabulary).fit(*zip(*ROWS, strict=True)).predict(["a"])


def test_evidence_of_many_classes_and_words_takes_little_room():
    import tracemalloc

    rows = [(f"w{i} w{i + 1} w{i + 2}", f"c{i % 900}") for i in range(3000)]
    counts = model_of(rows).counts
    readings = Readings("bernoulli", prior=Prior("evidence"))
    tracemalloc.start()
    assert 0 < alpha_of_most_evidence(counts, readings, None) < 1
    assert tracemalloc.get_traced_memory()[1] < 900 * 3002  # bytes: less than one for each word and class
    tracemalloc.stop()


@pytest.mark.parametrize(("estimate", "least"), [("bayes", 0.0), ("map", 1.0), ("integrated", 0.0)])
def test_automatic_alpha_is_above_what_the_estimate_needs(estimate, least):
    model = TextClassifier(estimate=estimate).fit(*zip(*ROWS, strict=True))
    fitted = model.model_.fitted
    assert fitted.alpha > least and fitted.curve.chosen == fitted.alpha
    assert np.isfinite(model.predict_proba(["win lunch"])).all()
