"""Likelihood, AIC, BIC and evidence within a representation; standard errors; averages."""

import math

import numpy as np
import pytest
from scipy.special import betaln, gammaln, logsumexp, softmax
from selecting import LABELS, TEXTS
from sklearn.feature_extraction.text import CountVectorizer

from priori.select.label_loss import Losses, average, evidence_weights, log_mean_exp, weighted_mean
from priori.select.search import select_model

CLASSES = sorted(set(LABELS))


@pytest.fixture(scope="module")
def found():
    return select_model(TEXTS, LABELS, alphas=(0.05, 0.3, 2.0), average=True, calibrate=False)


def table(ngrams):
    """Counts by scikit-learn, (n, V), whether there, (n, V), and the labels' part of the likelihood."""
    counts = CountVectorizer(token_pattern=r"(?u)\b\w+\b", ngram_range=ngrams).fit_transform(TEXTS).toarray()
    sizes = np.array([LABELS.count(c) for c in CLASSES])
    return counts, (counts > 0).astype(float), float(sizes @ np.log(sizes / sizes.sum()))


def summed(values, shared):
    """Sums by class, (K, V), and the documents of each; or of all together."""
    member = np.array([[label == c for label in LABELS] for c in CLASSES], float)
    if shared:
        member = np.ones((1, len(LABELS)))
    return member @ values, member.sum(axis=1)


def multinomial(counts, shared):
    total = summed(counts, shared)[0]
    share = total / total.sum(axis=1, keepdims=True)
    return float(np.sum(total[total > 0] * np.log(share[total > 0])))


def bernoulli(there, shared):
    total, documents = summed(there, shared)
    phi = total / documents[:, None]
    terms = np.where(total > 0, total * np.log(np.where(phi > 0, phi, 1)), 0.0)
    absent = documents[:, None] - total
    return float((terms + np.where(absent > 0, absent * np.log(np.where(phi < 1, 1 - phi, 1)), 0.0)).sum())


def urn(counts, shared, alpha):
    total = summed(counts, shared)[0]
    size = total.shape[1] * alpha
    return float((gammaln(total + alpha) - gammaln(alpha)).sum() + (gammaln(size) - gammaln(total.sum(1) + size)).sum())


def betas(there, shared, alpha):
    total, documents = summed(there, shared)
    return float((betaln(total + alpha, documents[:, None] - total + alpha) - betaln(alpha, alpha)).sum())


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_criteria_follow_their_formulas(found, ngrams, event):
    counts, there, label = table(ngrams)
    values, likelihood, evidence = (counts, multinomial, urn) if event == "multinomial" else (there, bernoulli, betas)
    name = f"words {'1' if ngrams == (1, 1) else '1-2'} {event}"
    of = next(each for each in found.representations if each.name == name)
    classes, terms = len(CLASSES), counts.shape[1]
    free = terms - 1 if event == "multinomial" else terms
    assert of.terms == terms
    for maximum, shared, parameters in (
        (of.own, False, classes - 1 + classes * free),
        (of.shared, True, classes - 1 + free),
    ):
        log = label + likelihood(values, shared)
        assert maximum.log_likelihood == pytest.approx(log, rel=1e-12)
        assert maximum.parameters == parameters
        assert maximum.aic == pytest.approx(2 * parameters - 2 * log, rel=1e-12)
        assert maximum.bic == pytest.approx(parameters * math.log(len(TEXTS)) - 2 * log, rel=1e-12)
    assert [each.alpha for each in of.evidences] == [0.05, 0.3, 2.0]
    for each in of.evidences:
        assert each.own == pytest.approx(label + evidence(values, False, each.alpha), rel=1e-12)
        assert each.shared == pytest.approx(label + evidence(values, True, each.alpha), rel=1e-12)


@pytest.mark.parametrize("prior", ["uniform", {"ham": 0.5, "spam": 0.3, "work": 0.2}])
def test_a_given_class_prior_has_no_parameters(prior):
    counts, there, _ = table((1, 1))
    share = dict.fromkeys(CLASSES, 1 / 3) if prior == "uniform" else prior
    label = sum(math.log(share[of]) for of in LABELS)
    found = select_model(TEXTS, LABELS, ngrams=[(1, 1)], alphas=(1.0,), class_prior=prior, calibrate=False)
    terms = counts.shape[1]
    for of, likelihood, values, free in (
        (found.representations[0], multinomial, counts, terms - 1),
        (found.representations[1], bernoulli, there, terms),
    ):
        assert (of.own.parameters, of.shared.parameters) == (3 * free, free)
        assert of.own.log_likelihood == pytest.approx(label + likelihood(values, False), rel=1e-12)
        assert of.shared.log_likelihood == pytest.approx(label + likelihood(values, True), rel=1e-12)


def test_a_candidate_has_the_numbers_of_its_representation_and_the_complement_has_none(found):
    for each in found.candidates:
        values = each.to_json()
        if each.event == "complement":
            assert [values[name] for name in ("log_evidence", "aic", "bic", "parameters", "log_likelihood")] == [
                None
            ] * 5
        else:
            assert values["aic"] == each.representation.own.aic
            at = {e.alpha: e.own for e in each.representation.evidences}
            assert values["log_evidence"] == at[each.alpha]


def test_averages_are_mixtures_by_evidence(found):
    counts, _, label = table((1, 1))
    of = next(each for each in found.averages if each.representation == "words 1 multinomial")
    alphas = [float(name.split()[-1]) for name in of.members]
    assert len(alphas) == 6  # both estimates
    direct = softmax([label + urn(counts, False, alpha) for alpha in alphas])
    np.testing.assert_allclose(of.weights, direct, rtol=1e-9, atol=1e-300)
    losses = [each.leave_one_out.log_loss for each in found.candidates if each.representation.name == of.representation]
    assert of.leave_one_out.log_loss <= max(losses)  # a mixture is at least as good as its worst, by convexity
    assert {each.representation for each in found.averages} == {
        f"words {n} {event}" for n in ("1", "1-2") for event in ("multinomial", "bernoulli")
    }


def test_the_averaged_posterior_by_enumeration():
    rng = np.random.default_rng(3)
    posteriors = rng.dirichlet([1, 1, 1], size=(4, 30))
    classes, weight, block = rng.integers(3, size=30), rng.random(30) + 0.5, np.arange(30) // 2
    log_evidence = [-1200.0, -1201.5, -1199.0, -5000.0]
    direct = np.exp(np.array(log_evidence) - logsumexp(log_evidence))
    mixed = np.tensordot(direct, posteriors, 1)
    losses = Losses.of(np.log(posteriors[0]), classes, weight, block)
    found = average("x", list("abcd"), log_evidence, list(np.log(posteriors)), losses=losses, classes=classes)
    np.testing.assert_allclose(found.weights, direct, rtol=1e-12)
    own = -np.log(mixed[np.arange(30), classes])
    assert found.leave_one_out.log_loss == pytest.approx(np.average(own, weights=weight), rel=1e-12)
    assert found.leave_one_out.accuracy == pytest.approx(np.average(mixed.argmax(1) == classes, weights=weight))


def test_impossible_members_do_not_spoil_a_mixture():
    parts = [np.array([[-np.inf, -np.inf]]), np.log([[0.25, 0.75]])]
    np.testing.assert_allclose(np.exp(log_mean_exp(parts, np.log([0.5, 0.5]))), [[0.125, 0.375]])
    np.testing.assert_array_equal(np.exp(evidence_weights([-3.0, -1e9])), [1.0, 0.0])


def test_the_standard_error_is_that_of_independent_blocks():
    rng = np.random.default_rng(5)
    values = rng.normal(size=50)
    mean, error = weighted_mean(values, np.ones(50), np.arange(50))
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / math.sqrt(50))
    twice = np.repeat(values, 2)
    blocks = np.repeat(np.arange(50), 2)
    assert weighted_mean(twice, np.ones(100), blocks) == pytest.approx((mean, error))
    naive = weighted_mean(twice, np.ones(100), np.arange(100))[1]
    assert naive < 0.75 * error, "copies that are taken for news make it too small"
    assert weighted_mean(values, np.full(50, 2.0), np.arange(50)) == pytest.approx((mean, error))
    assert weighted_mean(values[:1], np.ones(1), np.zeros(1, int)) == (pytest.approx(values[0]), 0.0)


def test_how_far_behind_is_measured_on_the_same_documents():
    rng = np.random.default_rng(6)
    base = rng.gamma(2.0, size=400)
    other = base + 0.01 + rng.normal(scale=0.001, size=400)
    first, second = (Losses(loss, loss > 0, np.ones(400), np.arange(400)) for loss in (base, other))
    behind, error = second.behind(first)
    assert behind == pytest.approx((other - base).mean())
    assert error == pytest.approx((other - base).std(ddof=1) / 20)
    assert error < first.told().standard_error / 100
    assert first.behind(first) == (0.0, 0.0)
