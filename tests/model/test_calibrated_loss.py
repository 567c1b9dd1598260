"""The log loss of calibrated scores: against the formula written out, and its gradient against complex steps."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize, rosen, rosen_der
from scipy.special import expit, logsumexp, softmax

from priori import _core
from priori.model.fitting.calibration import (
    OFFSET,
    PRIORS,
    Calibration,
    Found,
    LeftOutLabels,
    fit_calibration,
    log_normalized,
    minimized,
    prior_centre,
)

LABELS = ("a", "b", "c", "d")


def scored(rows=60, classes=4, seed=0, spread=20.0):
    """Scores that know something of the labels, and documents of many lengths, one of them empty."""
    rng = np.random.default_rng(seed)
    cls = rng.integers(0, classes, rows).astype(np.int32)
    features = rng.integers(1, 400, rows).astype(float)
    features[0] = 0
    joint = rng.normal(-300, spread, (rows, classes))
    joint[np.arange(rows), cls] += spread
    return LeftOutLabels(joint, features, cls, rng.choice([0.5, 1.0, 3.0], rows))


def log_probabilities(joint, n, parameters):
    """The formulas of calibration.py, one document at a time; complex parameters too."""
    log_scale, power, logit = parameters[:3]
    noise = 1 / (1 + np.exp(-logit))
    t = 1 + n / (n + 1) * (np.exp(log_scale + power * np.log((n + 1) / 50)) - 1)
    exponents = t * (joint - joint.max()) + n / (n + 5) * parameters[3:]
    q = np.exp(exponents - exponents[np.argmax(exponents.real)])
    return np.log((1 - noise) * q / q.sum() + noise / len(joint))


def slow_loss(parameters, data):
    return -sum(
        w * log_probabilities(row, n, parameters)[y]
        for row, n, y, w in zip(data.joint, data.features, data.cls, data.weight, strict=True)
    )


def fast_loss(parameters, data):
    length = np.log((data.features + 1) / 50)
    return _core.calibrated_loss(data.joint, data.cls, data.weight, length, np.asarray(parameters, float))


POINTS = [
    prior_centre(4),
    np.array([0.0, 0.0, -15.0, 0, 0, 0, 0]),
    np.array([-1.0, -0.5, 0.5, 0.3, -2.0, 1.0, 0.0]),
    np.array([1.0, 0.4, -6.0, -0.3, 2.0, 1.0, 5.0]),
]


@pytest.mark.parametrize("parameters", POINTS)
@pytest.mark.parametrize("spread", [1.0, 20.0, 500.0])
def test_loss_and_gradient_are_those_of_the_formula(parameters, spread):
    data = scored(spread=spread)
    loss, gradient = fast_loss(parameters, data)
    assert loss == pytest.approx(slow_loss(parameters, data), rel=1e-12)
    tiny = 1e-200j * np.eye(len(parameters))
    exact = [slow_loss(parameters + step, data).imag / 1e-200 for step in tiny]
    np.testing.assert_allclose(gradient, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())
    near = approx_fprime(parameters, lambda p: fast_loss(p, data)[0], 1e-6)
    np.testing.assert_allclose(gradient, near, rtol=1e-3, atol=1e-3 * np.abs(exact).max())


def test_a_class_that_is_impossible_for_a_document_takes_no_part():
    data = scored()
    data.joint[3:9, (data.cls[3] + 1) % 4] = -np.inf
    data.joint[np.arange(60), data.cls] = np.where(np.isfinite(data.joint), data.joint, -300)[np.arange(60), data.cls]
    loss, gradient = fast_loss(POINTS[2], data)
    far = LeftOutLabels(np.maximum(data.joint, -1e9), data.features, data.cls, data.weight)
    expected, slopes = fast_loss(POINTS[2], far)
    assert loss == expected
    np.testing.assert_array_equal(gradient, slopes)


def test_arrays_that_do_not_fit_are_refused():
    data = scored()
    with pytest.raises(ValueError, match="out of range"):
        fast_loss(POINTS[0], LeftOutLabels(data.joint, data.features, data.cls + 1, data.weight))
    with pytest.raises(ValueError, match="parameters"):
        fast_loss(POINTS[0][:-1], data)
    with pytest.raises(ValueError, match="weight"):
        fast_loss(POINTS[0], LeftOutLabels(data.joint, data.features, data.cls, data.weight[1:]))


def posterior_loss(parameters, data, offsets=True):
    """With what the normal priors say, written independently."""
    centre = np.array([-2.5, -0.75, -3.5, 0, 0, 0, 0])
    deviation = np.array([0.8, 0.25, 1.0, 1, 1, 1, 1])
    where = slice(None) if offsets else slice(3)
    return slow_loss(parameters, data) + 0.5 * float((((parameters - centre) / deviation)[where] ** 2).sum())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("offsets", [True, False])
def test_the_fit_is_the_optimum_that_scipy_finds(seed, offsets):
    assert PRIORS == ((-2.5, 0.8), (-0.75, 0.25), (-3.5, 1.0)) and OFFSET == 1.0  # which posterior_loss has written out
    data = scored(seed=seed, spread=[3.0, 10.0, 40.0, 200.0][seed])
    found = fit_calibration(data, offsets=offsets)
    assert found.loss == pytest.approx(posterior_loss(found.parameters, data, offsets), rel=1e-10)

    def whole(free):
        return posterior_loss(np.append(free, np.zeros(7 - len(free))), data, offsets)

    size = 7 if offsets else 3
    best = minimize(whole, np.zeros(size), method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-14, "gtol": 1e-8})
    assert found.loss <= best.fun + 1e-6 * (1 + best.fun)
    if not offsets:
        assert (found.parameters[3:] == 0).all()
    again = fit_calibration(
        data, Found(best.x if offsets else np.append(best.x, np.zeros(4)), best.fun), offsets=offsets
    )
    assert again.loss == pytest.approx(found.loss, rel=1e-6)


def test_without_documents_the_fit_is_the_centre_of_the_priors():
    none = LeftOutLabels(np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
    found = fit_calibration(none)
    np.testing.assert_array_equal(found.parameters, prior_centre(4))
    calibration = found.calibration(LABELS)
    assert (calibration.scale, calibration.noise) == pytest.approx((np.exp(-2.5), expit(-3.5)))


def test_the_log_posterior_is_the_formula_and_sums_to_one():
    data = scored()
    calibration = Found(POINTS[2], 0.0).calibration(LABELS)
    expected = [log_probabilities(row, n, POINTS[2]) for row, n in zip(data.joint, data.features, strict=True)]
    found = calibration.log_posterior(data.joint, data.features, LABELS)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    np.testing.assert_allclose(logsumexp(found, axis=1), 0, atol=1e-12)
    # a document without features has the class prior, mixed with noise, whatever else was fitted
    prior = np.log([[0.1, 0.2, 0.3, 0.4]])
    noise = calibration.noise
    mixed = (1 - noise) * np.exp(prior) + noise / 4
    np.testing.assert_allclose(np.exp(calibration.log_posterior(prior, np.zeros(1), LABELS)), mixed, rtol=1e-12)


def test_a_class_that_is_gone_leaves_the_noise_to_the_others():
    data = scored()
    calibration = Calibration(0.3, -0.2, 0.1, dict(zip(LABELS, (0.5, -1.0, 0.0, 2.0), strict=True)))
    gone = np.zeros((60, 4), bool)
    gone[:, 1] = True
    data.joint[:, 1] = -np.inf
    found = calibration.log_posterior(data.joint, data.features, LABELS, gone)
    fewer = calibration.log_posterior(np.delete(data.joint, 1, axis=1), data.features, ("a", "c", "d"))
    assert (found[:, 1] == -np.inf).all()
    np.testing.assert_allclose(np.delete(found, 1, axis=1), fewer, rtol=1e-11)


def test_log_normalized_is_the_softmax():
    scores = np.random.default_rng(1).normal(0, 300, (20, 5))
    scores[0, 2] = -np.inf
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.exp(log_normalized(scores)), softmax(scores, axis=1), rtol=1e-9, atol=1e-300)


def test_descent_finds_the_valley_of_rosenbrock():
    for start in ([-1.2, 1.0], [3.0, -4.0, 2.0, 0.5], [0.0] * 10):
        x, value = minimized(lambda x: (rosen(x), rosen_der(x)), np.array(start), 1e-14)
        np.testing.assert_allclose(x, 1, atol=1e-4)
        assert value < 1e-9 and value == pytest.approx(rosen(x), abs=1e-15)


def test_descent_solves_quadratics_as_algebra_does():
    rng = np.random.default_rng(2)
    for condition in (1.0, 1e2, 1e4):
        basis = np.linalg.qr(rng.normal(size=(8, 8)))[0]
        matrix = basis @ np.diag(np.geomspace(1, condition, 8)) @ basis.T
        b = rng.normal(size=8)

        def quadratic(x, matrix=matrix, b=b):
            return 0.5 * x @ matrix @ x - b @ x, matrix @ x - b

        x, value = minimized(quadratic, np.zeros(8), 1e-15)
        np.testing.assert_allclose(x, np.linalg.solve(matrix, b), atol=1e-5)
        assert value == pytest.approx(-0.5 * b @ np.linalg.solve(matrix, b), rel=1e-9)


def test_descent_never_gives_back_more_than_it_was_given():
    def kinked(x):  # not smooth: no promise holds
        return float(np.abs(x).sum()), np.sign(x)

    start = np.array([0.3, -2.0])
    assert minimized(kinked, start, 1e-12)[1] <= 2.3
    flat = minimized(lambda x: (5.0, np.zeros(2)), start, 1e-9)
    assert flat[1] == 5.0 and (flat[0] == start).all()

    def walled(x):  # infinite beyond 1, as a loss that no probability has
        return (float("inf"), np.full(1, np.nan)) if x[0] > 1 else (float((x[0] - 2) ** 2), 2 * (x - 2))

    assert 0.9 < minimized(walled, np.zeros(1), 1e-12)[0][0] <= 1
