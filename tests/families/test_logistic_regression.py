"""Logistic regression against scikit-learn, statsmodels and quadrature."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import integrate, optimize, stats
from scipy.linalg import helmert
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import log_loss

import priori
from priori.errors import DataError, EstimateError
from priori.families import LogisticModel, LogisticRegression, softmax
from priori.families.laplace import log_mean_sigmoid


def rows(classes, size=150, seed=9):
    """Inputs with offsets, and labels that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -1.0, 0.5], [1.0, 2.0, 0.3], (size, 3))
    weights = rng.normal(0, 0.7, (classes, 3))
    truth = LogisticModel(weights, -weights @ [3.0, -1.0, 0.5], tuple("abcd"[:classes]))
    return X, truth.sample(X, rng)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


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


def test_draws_under_the_flat_prior_sum_to_zero():
    X, y = rows(3)
    posterior = LogisticRegression.flat().posterior(X, y)
    draws = posterior.sample(4000, np.random.default_rng(3))
    table = np.concatenate([draws["weights"], draws["intercept"][:, :, None]], axis=2)
    np.testing.assert_allclose(table.sum(axis=1), 0, atol=1e-10)
    for column, of in zip(table.reshape(4000, -1).T, posterior.marginals().values(), strict=True):
        assert stats.kstest(column, of.cdf).pvalue > 1e-6
    contrasts = np.kron(helmert(3), np.eye(4))
    centre = contrasts @ [of.mean() for of in posterior.marginals().values()]
    direct = stats.multivariate_normal(centre, contrasts @ posterior.covariance() @ contrasts.T)
    log_prob = posterior.log_prob(weights=draws["weights"][:5], intercept=draws["intercept"][:5])
    np.testing.assert_allclose(log_prob, direct.logpdf(table[:5].reshape(5, -1) @ contrasts.T), rtol=1e-6)


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


@pytest.mark.parametrize("size", [20, 80, 320, 1280])
def test_laplace_s_evidence_nears_the_integral(size):
    """Two coefficients, by quadrature over both: the relative error of the evidence falls as 1 / n."""
    rng = np.random.default_rng(size)
    x = rng.normal(0.3, 1, size)
    y = (rng.random(size) < expit(1.2 * x - 0.5)).astype(int)
    prior = LogisticRegression(2.0, "penalised")
    posterior = prior.posterior(x, y)
    laplace = posterior.log_evidence()
    (w,), (b,) = posterior.mode().weights[0], posterior.mode().intercept
    sd = np.sqrt(np.diag(posterior.covariance()))
    sign = 2.0 * y - 1

    def integrand(slope, constant):
        log_likelihood = log_expit(sign * (slope * x + constant)).sum()
        log_prior = stats.norm.logpdf([slope, constant], scale=math.sqrt(2)).sum()
        return math.exp(log_likelihood + log_prior - laplace)

    grid = np.linspace(-8, 8, 81)  # the trapezoidal rule is all but exact for such a hill
    ratio = sum(integrand(w + i * sd[0], b + j * sd[1]) for i in grid for j in grid) * 0.2**2 * sd[0] * sd[1]
    assert abs(math.log(ratio)) < 2 / size
    assert prior.log_evidence(x, y) == laplace


def test_a_flat_intercept_is_the_limit_of_wide_ones():
    """Against ∫ over (w, w₀) with density 1 for w₀, on offset inputs: the origin does not matter."""
    rng = np.random.default_rng(5)
    x = rng.normal(30, 1, 400)
    y = (rng.random(400) < expit(1.2 * (x - 30) - 0.5)).astype(int)
    laplace = LogisticRegression(2.0).log_evidence(x, y)
    sign = 2.0 * y - 1
    slopes, constants = np.linspace(-0.5, 3.0, 71), np.linspace(-2.0, 1.5, 71)
    total = sum(
        math.exp(log_expit(sign * (w * (x - 30) + b)).sum() + stats.norm.logpdf(w, scale=math.sqrt(2)) - laplace)
        for w in slopes
        for b in constants
    )
    assert math.log(total * 0.05**2) == pytest.approx(0, abs=2 / 400)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_evidence_prefers_the_truth(classes):
    """Columns that matter against columns that do not."""
    X, y = rows(classes, 400)
    noise = np.random.default_rng(1).normal(size=X.shape)
    prior = LogisticRegression(2.0)
    assert prior.log_evidence(X, y) > prior.log_evidence(noise, y) + 5
    assert prior.log_evidence(X, y) > prior.log_evidence(np.column_stack([X, noise]), y)


@pytest.mark.parametrize("scale", [1e-3, 0.3, 0.99, 1.0, 1.01, 3.0, 9.0, 20.0, 30.0])
def test_the_mean_of_a_sigmoid(scale):
    """Both rules against a fine one, far tails included."""
    for mean in (-500.0, -200.0, -100.0, -41.0, -20.0, -3.0, 0.0, 0.5, 7.0):
        z, step = np.linspace(-40, 40, 800_001), 80 / 800_000
        f = log_expit(mean + scale * z) - 0.5 * z * z - 0.5 * math.log(2 * math.pi)
        fine = f.max() + math.log(np.exp(f - f.max()).sum() * step)
        ours = log_mean_sigmoid(np.array([mean]), np.array([scale]))[0]
        assert ours == pytest.approx(fine, rel=1e-11, abs=1e-12)


def test_the_predictive_of_two_classes_is_the_average_over_draws():
    X, y = rows(2, 30)
    posterior = LogisticRegression(5.0).posterior(X, y)
    predictive, row = posterior.predictive(), X[:1] * 3
    rng = np.random.default_rng(6)
    drawn = posterior.expect(lambda weights, intercept: expit(weights[:, 0] @ row[0] + intercept[:, 0]), rng, 100_000)
    table = predictive.probabilities(row)
    assert abs(table[0, 1] - drawn.value) < 6 * drawn.error
    assert abs(posterior.mode().probabilities(row)[0, 1] - drawn.value) > 6 * drawn.error  # plugging in is not it
    assert table.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(predictive.log_prob(row, ["b"]), np.log(table[:, 1]))
    assert (predictive.error(row) == 0).all()
    labels = predictive.sample(np.repeat(row, 20_000, axis=0), rng)
    share = np.mean(labels == "b")
    assert abs(share - table[0, 1]) < 6 * math.sqrt(share * (1 - share) / 20_000)
    assert (predictive.predict(row) == posterior.mode().predict(row)).all()


def test_the_predictive_of_more_classes_carries_its_error():
    X, y = rows(3, 30)
    posterior = LogisticRegression(5.0).posterior(X, y)
    few = posterior.predictive(np.random.default_rng(1), 500)
    many = posterior.predictive(np.random.default_rng(2), 20_000)
    new = X[:5] * 2
    np.testing.assert_allclose(few.probabilities(new).sum(axis=1), 1)
    z = (few.probabilities(new) - many.probabilities(new)) / np.hypot(few.error(new), many.error(new))
    assert np.abs(z).max() < 6
    assert (few.error(new) > 3 * many.error(new)).all()
    assert set(few.sample(new, np.random.default_rng(3))) <= set("abc")


CONTRASTS = np.array([[1, -1, 0] / np.sqrt(2), [1, 1, -2] / np.sqrt(6)])  # of three classes, orthonormal


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
@pytest.mark.parametrize("classes", [2, 3])
def test_draws_density_and_marginals_agree(classes, intercept):
    X, y = rows(classes)
    posterior = LogisticRegression(0.7, intercept, ("x", "y", "z")).posterior(X, y)
    draws = posterior.sample(4000, np.random.default_rng(7))
    parts = [draws["weights"]] + ([draws["intercept"][:, :, None]] if intercept else [])
    table = np.concatenate(parts, axis=2).reshape(4000, -1)
    marginals, cov = posterior.marginals(), posterior.covariance()
    assert table.shape[1] == len(marginals) == len(posterior.interval())
    for column, of in zip(table.T, marginals.values(), strict=True):
        assert stats.kstest(column, of.cdf).pvalue > 1e-6
        assert stats.kstest(column + 0.2 * of.std(), of.cdf).pvalue < 1e-6
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), [of.std() for of in marginals.values()], rtol=1e-10)
    log_prob = posterior.log_prob(**{name: values[:5] for name, values in draws.items()})
    width = table.shape[1] // max(classes, 2) if classes == 3 else table.shape[1]
    keep = np.kron(CONTRASTS, np.eye(width)) if classes == 3 else np.eye(width)
    if classes == 3:  # they sum to 0, so two contrasts of them have a density
        assert np.abs(draws["weights"].sum(axis=1)).max() < 1e-12
    centre = keep @ [of.mean() for of in marginals.values()]
    direct = stats.multivariate_normal(centre, keep @ cov @ keep.T)
    np.testing.assert_allclose(log_prob, direct.logpdf(table[:5] @ keep.T), rtol=1e-6)


def test_the_covariance_of_three_classes_is_the_inverse_curvature():
    """By finite differences of -log(likelihood x prior) over all nine weights, less what the classes share."""
    X, y = rows(3)
    posterior = LogisticRegression(0.7, None).posterior(X, y)
    best = posterior.mode().weights.ravel()

    def cost(theta):
        return -LogisticModel(theta.reshape(3, 3), None, ("a", "b", "c")).score(X, y) + theta @ theta / (2 * 0.7)

    step, eye = 1e-3, np.eye(9)
    curvature = np.array(
        [
            [
                cost(best + step * (eye[i] + eye[j]))
                - cost(best + step * (eye[i] - eye[j]))
                - cost(best - step * (eye[i] - eye[j]))
                + cost(best - step * (eye[i] + eye[j]))
                for j in range(9)
            ]
            for i in range(9)
        ]
    ) / (4 * step**2)
    less = np.kron(CONTRASTS.T @ CONTRASTS, np.eye(3))
    np.testing.assert_allclose(posterior.covariance(), less @ np.linalg.inv(curvature) @ less, rtol=1e-3, atol=1e-5)


def test_the_evidence_of_three_classes_is_laplace_s_over_all_weights():
    """What the classes share has its prior before and after, so leaving it out changes nothing."""
    X, y = rows(3)
    posterior = LogisticRegression(0.7, None).posterior(X, y)
    model = posterior.mode()
    log_prior = stats.norm.logpdf(model.weights, scale=math.sqrt(0.7)).sum()
    within = np.kron(CONTRASTS, np.eye(3))
    log_det = np.linalg.slogdet(within @ posterior.covariance() @ within.T)[1] + 3 * math.log(0.7)
    whole = model.score(X, y) + log_prior + 4.5 * math.log(2 * math.pi) + 0.5 * log_det
    assert posterior.log_evidence() == pytest.approx(whole, rel=1e-9)


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


def test_probabilities_integrate_under_the_density():
    """One coefficient: the density of Laplace's normal integrates to 1."""
    X, y = rows(2)
    posterior = LogisticRegression(0.7, None).posterior(X[:, 0], y)
    total, _ = integrate.quad(lambda w: math.exp(posterior.log_prob(weights=[[w]])), -3, 3, points=[0])
    assert total == pytest.approx(1, abs=1e-8)
    assert posterior.mean() is posterior.mode() and posterior.proper


def test_they_print_as_mathematics():
    X, y = rows(3)
    prior = LogisticRegression(0.7, names=("x", "y", "z"))
    assert str(LogisticRegression.flat()) == "w ~ flat" and str(LogisticRegression(1.0)) == "w ~ 𝒩(0, I)"
    assert str(prior) == "w ~ 𝒩(0, 0.7·I)" and not prior.proper and LogisticRegression(1.0, None).proper
    posterior = prior.posterior(X, y)
    assert str(posterior.mode()).startswith("p = softmax(a: ") and "·z" in str(posterior.mode())
    assert "~" in str(posterior)
    assert "p(b) = σ(" in str(prior.posterior(*rows(2)).mode())


@pytest.mark.parametrize("classes", [2, 3])
def test_frozen_labels_are_multinomials_of_one_trial(classes):
    X, y = rows(classes)
    posterior = LogisticRegression(0.7).posterior(X, y)
    for of in (posterior.mode(), posterior.predictive(np.random.default_rng(5), 50)):
        frozen = of.freeze(X[:7])
        shown = (y[:7, None] == np.array(of.classes)).astype(int)
        np.testing.assert_allclose(frozen.logpmf(shown), of.log_prob(X[:7], y[:7]), rtol=1e-9)
        np.testing.assert_allclose(frozen.mean(), of.probabilities(X[:7]), rtol=1e-12)
        assert np.isfinite(of.freeze(X * 100).pmf(np.eye(classes, dtype=int)[0])).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_predictive_scores_too(classes):
    X, y = rows(classes)
    predictive = LogisticRegression(0.7).posterior(X, y).predictive(np.random.default_rng(5), 50)
    weights = np.arange(len(y)) % 3
    assert predictive.score(X, y) == pytest.approx(predictive.log_prob(X, y).sum())
    assert predictive.score(X, y, weights) == pytest.approx(
        -log_loss(y, predictive.probabilities(X), normalize=False, sample_weight=weights), rel=1e-9
    )
    odd = np.array([*y[:-1], "zebra"])
    assert predictive.score(X, odd) == -np.inf
    assert np.isfinite(predictive.score(X, odd, np.arange(len(y))[::-1]))  # impossible, but of no weight


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


def test_ml_and_map_stand_side_by_side():
    X, y = rows(3)
    found = priori.regress("logistic", X, y, LogisticRegression(2.0), names=("x", "y", "z"))
    table = found.parameters()
    assert len(table) == 12 and all(None not in (each.ml, each.map, each.mean, each.interval) for each in table)
    by_name = {each.name: each for each in table}
    assert by_name["weights[c, 1]"].ml == found.ml.weights[2, 1]
    assert by_name["intercept[a]"].map == found.map.intercept[0]


def test_a_prior_too_weak_to_hold_separated_classes_is_refused():
    """The mode exists, but farther away than rounding lets it be found."""
    X, y = np.arange(10.0)[:, None], np.arange(10) > 4.5
    weight = LogisticRegression(1e6).posterior(X, y).mode().weights[0, 0]
    away = X[:, 0] - 4.5  # by symmetry the log-odds are weight * away: one equation, solved by bisection
    found = optimize.brentq(lambda w: (np.abs(away) * expit(-w * np.abs(away))).sum() - w / 1e6, 1, 100)
    assert weight == pytest.approx(found, rel=1e-8)
    with pytest.raises(EstimateError, match=r"separated.* not too large"):
        LogisticRegression(1e20).posterior(X, y)
