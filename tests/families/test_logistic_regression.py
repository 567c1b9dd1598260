"""Logistic regression against scikit-learn, statsmodels and quadrature."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, stats
from scipy.special import expit
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import log_loss

from families.labelled import rows, with_ones
from priori.errors import DataError, EstimateError
from priori.families import LogisticModel, LogisticRegression
from priori.families.regression import softmax


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("variance", [0.3, 7.0])
def test_the_map_is_scikit_learn_s(classes, variance):
    """C is σ², and the intercept is not penalised; more than two classes have a vector each."""
    X, y = rows(classes)
    peer = Peer(C=variance, tol=1e-10, max_iter=100_000, solver="newton-cg").fit(X, y)
    model = LogisticRegression(variance).posterior(X, y).mode()
    assert model.classes == tuple(peer.classes_)
    np.testing.assert_allclose(model.weights, peer.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept, peer.intercept_, atol=2e-5)
    np.testing.assert_allclose(model.probabilities(X), peer.predict_proba(X), atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_other_intercepts(classes):
    X, y = rows(classes)
    settings = {"C": 0.8, "tol": 1e-10, "max_iter": 100_000, "solver": "newton-cg", "fit_intercept": False}
    none = LogisticRegression(0.8, None).posterior(X, y).mode()
    np.testing.assert_allclose(none.weights, Peer(**settings).fit(X, y).coef_, atol=1e-6)
    penalised = LogisticRegression(0.8, "penalised").posterior(X, y).mode()
    peer = Peer(**settings).fit(with_ones(X), y)
    np.testing.assert_allclose(np.column_stack([penalised.weights, penalised.intercept]), peer.coef_, atol=1e-6)


@pytest.mark.parametrize("prior", [LogisticRegression(0.7), LogisticRegression(0.7, None), LogisticRegression.flat()])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_gradient_is_zero_to_rounding(prior, classes):
    """At the mode the weighted errors of the probabilities are the pull of the prior."""
    X, y = rows(classes)
    model = prior.posterior(X, y).mode()
    errors = model.probabilities(X) - (y[:, None] == np.array(model.classes))
    gradient = (errors.T @ X)[-len(model.weights) :] + model.weights / prior.weight_variance
    assert np.abs(gradient).max() < 1e-10
    if prior.intercept == "flat":
        assert np.abs(errors.sum(axis=0)).max() < 1e-11


def test_maximum_likelihood_is_statsmodels_logit():
    X, y = rows(2)
    peer = sm.Logit(y == "b", with_ones(X)).fit(disp=0, tol=1e-12, maxiter=100)
    posterior = LogisticRegression.flat().posterior(X, y)
    model = posterior.mode()
    np.testing.assert_allclose([*model.weights[0], *model.intercept], peer.params, rtol=1e-8)
    assert model.score(X, y) == pytest.approx(peer.llf, rel=1e-10)
    np.testing.assert_allclose([of.std() for of in posterior.marginals().values()], peer.bse, rtol=1e-6)
    np.testing.assert_allclose(posterior.covariance(), peer.cov_params(), rtol=1e-6)
    np.testing.assert_allclose(list(posterior.interval(0.9).values()), peer.conf_int(0.1), rtol=1e-6)
    assert model.free_parameters == 4
    assert 2 * model.free_parameters - 2 * model.score(X, y) == pytest.approx(peer.aic)


def mnlogit(X, y):
    return sm.MNLogit(np.searchsorted(["a", "b", "c"], y), with_ones(X)).fit(disp=0, tol=1e-12, maxiter=100)


def summing_to_zero(differences):
    """Coefficients (K - 1, p), less those of the first class, as (K, p) whose sum over the classes is 0."""
    table = np.vstack([np.zeros(differences.shape[1]), differences])
    return table - table.mean(axis=0)


def test_maximum_likelihood_is_statsmodels_mnlogit():
    """It has differences to the first class; ours sum to 0 over the classes, and so do their errors."""
    X, y = rows(3)
    peer = mnlogit(X, y)
    posterior = LogisticRegression.flat().posterior(X, y)
    model = posterior.mode()
    table = np.column_stack([model.weights, model.intercept])
    np.testing.assert_allclose(table[1:] - table[0], peer.params.T, rtol=1e-7)
    np.testing.assert_allclose(table, summing_to_zero(peer.params.T), rtol=1e-7)
    np.testing.assert_allclose(table.sum(axis=0), 0, atol=1e-12)
    assert model.score(X, y) == pytest.approx(peer.llf, rel=1e-10)
    turn = np.kron((np.eye(3) - 1 / 3)[:, 1:], np.eye(4))  # coefficients class by class, in both
    covariance = turn @ np.asarray(peer.cov_params()) @ turn.T
    np.testing.assert_allclose(posterior.covariance(), covariance, rtol=1e-6, atol=1e-10)
    scales = [of.std() for of in posterior.marginals().values()]
    np.testing.assert_allclose(scales, np.sqrt(np.diag(covariance)), rtol=1e-6)
    reach = stats.norm.isf(0.05) * np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(
        list(posterior.interval(0.9).values()),
        np.stack([table.ravel() - reach, table.ravel() + reach], axis=1),
        rtol=1e-6,
    )
    assert list(posterior.marginals())[:4] == ["weights[a, 0]", "weights[a, 1]", "weights[a, 2]", "intercept[a]"]
    assert model.free_parameters == 8
    same = LogisticRegression.maximum_likelihood(X, y)
    np.testing.assert_allclose(same.weights, model.weights, rtol=1e-12)


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
@pytest.mark.parametrize("classes", [3, 4])
def test_maximum_likelihood_is_the_limit_of_wide_priors(classes, intercept):
    """One and the same parametrisation, so that ML and MAP stand side by side; so do what they say of one another."""
    X, y = rows(classes)
    flat = LogisticRegression.flat(intercept).posterior(X, y)
    wide = LogisticRegression(1e8, intercept).posterior(X, y)
    np.testing.assert_allclose(wide.mode().weights, flat.mode().weights, atol=1e-6)
    np.testing.assert_allclose(flat.mode().weights.sum(axis=0), 0, atol=1e-12)
    if intercept:
        np.testing.assert_allclose(wide.mode().intercept, flat.mode().intercept, atol=1e-5)
    assert flat.mode().weights.shape == (classes, 3) and flat.marginals().keys() == wide.marginals().keys()
    assert flat.mode().free_parameters == wide.mode().free_parameters
    assert str(flat.mode()).startswith("p = softmax(a: ")


@pytest.mark.parametrize("classes", [2, 3])
def test_cross_entropy_is_minus_log_p(classes):
    X, y = rows(classes)
    model = LogisticRegression(2.0).posterior(X, y).mode()
    assert -model.score(X, y) == pytest.approx(log_loss(y, model.probabilities(X), normalize=False), rel=1e-10)
    weights = np.arange(1.0, len(y) + 1)
    weighted = log_loss(y, model.probabilities(X), normalize=False, sample_weight=weights)
    assert -model.score(X, y, weights) == pytest.approx(weighted, rel=1e-10)


@pytest.mark.parametrize("prior", [LogisticRegression(0.7), LogisticRegression.flat()])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_weight_of_two_is_a_row_twice(prior, classes):
    X, y = rows(classes)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = prior.posterior(X, y, weights)
    plain = prior.posterior(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.mode().weights, plain.mode().weights, rtol=1e-8)
    np.testing.assert_allclose(weighted.covariance(), plain.covariance(), rtol=1e-7)


def test_missing_labels_are_left_out():
    X, y = rows(2, 40)
    labels = [None if i % 5 == 0 else label for i, label in enumerate(y.tolist())]
    kept = [i for i in range(40) if i % 5]
    X[0] = math.nan  # inputs of a row without a label may be missing
    model = LogisticRegression(2.0).posterior(X, labels).mode()
    np.testing.assert_allclose(model.weights, LogisticRegression(2.0).posterior(X[kept], y[kept]).mode().weights)
    X[0] = 0.0
    scores = model.log_prob(X[:3], [None, "b", "zebra"])
    assert scores[0] == 0 and -np.inf < scores[1] < 0 and scores[2] == -np.inf
    assert (model.log_prob(X[:2], [math.nan, math.nan]) == 0).all()
    X[1, 2] = math.nan
    with pytest.raises(DataError, match="row 0 has an input that is missing"):
        LogisticRegression(2.0).posterior(X, labels)


@pytest.mark.parametrize("classes", [2, 3])
def test_huge_offsets(classes):
    X, y = rows(classes)
    X = np.round(X * 2**20) / 2**20
    for prior in (LogisticRegression(2.0), LogisticRegression.flat()):
        near, far = prior.posterior(X, y), prior.posterior(X + 1e8, y)
        np.testing.assert_allclose(far.mode().weights, near.mode().weights, rtol=1e-6)
        new = X[:4] + 0.5
        rng = np.random.default_rng(2) if classes > 2 else None
        there = far.predictive(rng).probabilities(new + 1e8)
        rng = np.random.default_rng(2) if classes > 2 else None
        np.testing.assert_allclose(there, near.predictive(rng).probabilities(new), rtol=1e-6)


def test_separated_classes_have_no_maximum():
    x = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 4.0], [4.0, 6.0], [5.0, 1.0]])
    complete = [0, 0, 1, 1, 1]
    with pytest.raises(EstimateError, match=r"separated by column.* 0.*finite weight_variance"):
        LogisticRegression.maximum_likelihood(x, complete)
    quasi = np.array([[1.0], [2.0], [3.0], [3.0], [4.0], [5.0]])  # both classes at 3
    with pytest.raises(EstimateError, match="separated by column dose"):
        LogisticRegression.maximum_likelihood(quasi, [0, 0, 0, 1, 1, 1], names=("dose",))
    three = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [4.5]])  # the first class only is parted
    with pytest.raises(EstimateError, match="separated by column 0"):
        LogisticRegression.maximum_likelihood(three, ["a", "a", "b", "b", "c", "b", "c"])
    peer = Peer(C=3.0, tol=1e-10, max_iter=10_000).fit(x, complete)
    np.testing.assert_allclose(LogisticRegression(3.0).posterior(x, complete).mode().weights, peer.coef_, atol=1e-5)


def test_a_dummy_variable_that_settles_a_class():
    """Quasi-separation as it occurs: one level of a factor has one label only."""
    X, y = rows(2, 60)
    dummy = (np.arange(60) < 5).astype(float)
    y[:5] = "b"
    with pytest.raises(EstimateError, match="separated by column 3"):
        LogisticRegression.maximum_likelihood(np.column_stack([X, dummy]), y)


def test_classes_that_all_but_separate_still_have_one():
    """One row on the wrong side: a large but finite weight, and no false alarm."""
    rng = np.random.default_rng(4)
    x = np.sort(rng.normal(0, 1, 200))
    y = (x > 0).astype(int)
    y[np.searchsorted(x, 0) + 1] = 0
    model = LogisticRegression.maximum_likelihood(x, y)
    peer = sm.Logit(y, with_ones(x[:, None])).fit(disp=0, tol=1e-12, maxiter=500)
    np.testing.assert_allclose([model.weights[0, 0], model.intercept[0]], peer.params, rtol=1e-6)
    assert model.weights[0, 0] > 50


def test_what_does_not_exist_is_refused():
    X, y = rows(2, 40)
    with pytest.raises(EstimateError, match="the labels are all 'a'"):
        LogisticRegression(1.0).posterior(X, ["a"] * 40)
    with pytest.raises(EstimateError, match="the labels are all 'a'"):
        LogisticRegression(1.0).posterior(X, y, y == "a")
    with pytest.raises(EstimateError, match="there is no label"):
        LogisticRegression(1.0).posterior(X, [None] * 40)
    with pytest.raises(EstimateError, match="columns 0, 3 nearly repeat"):
        LogisticRegression.maximum_likelihood(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(EstimateError, match="column 3 does not vary"):
        LogisticRegression.maximum_likelihood(with_ones(X), y)
    with pytest.raises(EstimateError, match="there is no evidence"):
        LogisticRegression.flat().log_evidence(X, y)
    with pytest.raises(DataError, match="weight_variance=-1"):
        LogisticRegression(-1)
    with pytest.raises(DataError, match="intercept='none'"):
        LogisticRegression(1.0, "none")
    with pytest.raises(DataError, match="give rng="):
        LogisticRegression(1.0).posterior(*rows(3)).predictive()
    with pytest.raises(DataError, match="39 labels for 40 rows"):
        LogisticRegression(1.0).posterior(X, y).mode().log_prob(X, y[:-1])
    with pytest.raises(DataError, match="39 labels for 40 rows"):
        LogisticRegression(1.0).posterior(X, y[:-1])
    with pytest.raises(DataError, match="scale the data down"):
        LogisticRegression(1.0).posterior(X * 1e200, y)
    with pytest.raises(DataError, match="no columns and no intercept"):
        LogisticRegression(1.0, None).posterior(np.zeros((40, 0)), y)
    with pytest.raises(DataError, match="mass=2"):
        LogisticRegression(1.0).posterior(X, y).interval(2)
    with pytest.raises(DataError, match="do not fit 3 classes"):
        LogisticModel([[1.0]], [0.0], ("a", "b", "c"))


def test_an_intercept_alone_gives_the_shares_of_the_classes():
    """No columns: the null model. Laplace's evidence of K - 1 flat contrasts nears that of the flat measure."""
    y = ["a"] * 30 + ["b"] * 50 + ["c"] * 20
    X = np.zeros((100, 0))
    posterior = LogisticRegression(0.7).posterior(X, y)
    np.testing.assert_allclose(posterior.mode().probabilities(X[:1])[0], [0.3, 0.5, 0.2], rtol=1e-10)
    # ∫ over the logits' differences is a Dirichlet integral: Γ(30) Γ(50) Γ(20) / Γ(100); contrasts measure 1/√3 of it
    exact = math.lgamma(30) + math.lgamma(50) + math.lgamma(20) - math.lgamma(100) - 0.5 * math.log(3)
    assert posterior.log_evidence() == pytest.approx(exact, abs=2 / 100 * 3)


def test_many_coefficients_need_no_matrix(monkeypatch):
    X, y = rows(3)
    direct = LogisticRegression(0.7).most_probable(X, y)
    monkeypatch.setattr(softmax, "DIRECT", 0)
    np.testing.assert_allclose(LogisticRegression(0.7).most_probable(X, y).weights, direct.weights, rtol=1e-8)
    np.testing.assert_allclose(
        LogisticRegression.maximum_likelihood(X, y).weights,
        summing_to_zero(mnlogit(X, y).params.T)[:, :-1],
        rtol=1e-6,
    )


def test_more_columns_than_rows():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(20, 50))
    y = rng.integers(0, 2, 20)
    peer = Peer(C=0.5, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(LogisticRegression(0.5).posterior(X, y).mode().weights, peer.coef_, atol=1e-6)
    with pytest.raises(EstimateError, match="rows of weight 20 leave 50 coefficients open"):
        LogisticRegression.maximum_likelihood(X, y)


def test_the_mode_alone_is_refused_where_the_posterior_is():
    """A column and its copy, all but: under a wide prior neither has three digits."""
    X, y = rows(3)
    X = np.column_stack([X, X[:, 0] * (1 + 1e-13)])
    prior = LogisticRegression(1e14, names=("age", "dose", "size", "years"))
    for read in (prior.posterior, prior.most_probable):
        with pytest.raises(EstimateError, match=r"columns age, years.* nearly repeat each other"):
            read(X, y)
    near = LogisticRegression(2.0)
    np.testing.assert_array_equal(near.most_probable(X, y).weights, near.posterior(X, y).mode().weights)


def test_a_prior_too_weak_to_hold_separated_classes_is_refused():
    """The mode exists, but farther away than rounding lets it be found."""
    X, y = np.arange(10.0)[:, None], np.arange(10) > 4.5
    weight = LogisticRegression(1e6).posterior(X, y).mode().weights[0, 0]
    away = X[:, 0] - 4.5  # by symmetry the log-odds are weight * away: one equation, solved by bisection
    found = optimize.brentq(lambda w: (np.abs(away) * expit(-w * np.abs(away))).sum() - w / 1e6, 1, 100)
    assert weight == pytest.approx(found, rel=1e-8)
    with pytest.raises(EstimateError, match=r"separated.* not too large"):
        LogisticRegression(1e20).posterior(X, y)
