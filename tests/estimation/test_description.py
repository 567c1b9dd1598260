"""What estimates say of themselves: JSON without NaN, infinity and absence by name, tables."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import integrate

import priori
from priori.errors import DataError
from priori.estimation.description import plain
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaGamma,
    GammaPoisson,
    NormalGammaRegression,
    NormalInverseGamma,
    NormalInverseWishart,
)
from priori.families.registry import REGRESSIONS

TORONTO = [-2.5, -9.9, -12.1, -8.9, -6.0, -4.8, 2.4]
ROWS = np.array([[0.5, 40], [1, 35], [2, 50], [4, 45], [5, 30], [3, 60], [2.5, 41], [1.5, 52]])
LABELS = ["no", "yes", "no", "yes", "yes", None, "no", "yes"]


@pytest.mark.parametrize(
    "prior",
    [
        lambda much: BetaBernoulli(much, 2),
        lambda much: BetaBernoulli(2, much),
        lambda much: DirichletCategorical({"a": 1, "b": much}),
        lambda much: DirichletMultinomial(much, values=("a", "b")),
        lambda much: GammaPoisson(much, 1),
        lambda much: GammaExponential(much, 1),
        lambda much: GammaGamma(much, 1, 1, 1),
        lambda much: GammaGamma(1, 1, much, 1),
        lambda much: NormalInverseGamma(0, much, 2, 3),
        lambda much: NormalInverseGamma(0, 2, much, 3),
        lambda much: NormalInverseWishart([0, 0], much, 4, np.eye(2)),
        lambda much: NormalInverseWishart([0, 0], 1, much, np.eye(2)),
        lambda much: NormalGammaRegression(1, much, 1),
    ],
)
def test_imagined_observations_are_so_few_that_sums_are_numbers(prior):
    assert prior(1e12)
    for much in (1e200, math.inf, math.nan):
        with pytest.raises(DataError, match=r"cannot be; give a (finite number|list of finite numbers).* to 1e"):
            prior(much)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")
@pytest.mark.parametrize("family", [BetaBernoulli, GammaPoisson, GammaExponential, GammaGamma])
def test_whatever_the_size_of_a_prior_nothing_is_nan(family):
    """An interval that scipy does not find, a mode that Newton does not: they are absent, and JSON says why."""
    sizes = (1e-300, 1e-20, 3.0, 1e12) if family is GammaGamma else (1e-300, 1e-20, 3.0, 1e20, 1e100)
    for numbers in itertools.product(sizes, repeat=4 if family is GammaGamma else 2):
        found = priori.estimate(family, [1, 1, 0] if family is not GammaGamma else [1.5, 0.2, 3.0], family(*numbers))
        written = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert all(written[name] is None and why for name, why in written["absent"].items())


def test_prior_and_data_beyond_each_other():
    far = priori.estimate("gamma", [1.5, 0.2, 3.0], GammaGamma(1, 1e300, 1, 1))
    assert "do not reach" in far.log_evidence.reason
    sharp = priori.estimate("bernoulli", [1, 0, 1], BetaBernoulli(1e50, 1e20))
    assert "do not reach that far" in sharp.interval.reason and sharp.to_json()["interval"] is None


def test_infinity_is_said_as_every_language_reads_it():
    flat = priori.estimate("normal-mean", TORONTO, "flat", known={"variance": 25}).to_json()
    assert float(flat["prior"]["mean_variance"]) == math.inf
    heavy = priori.estimate("gamma", [1.0, 2.0], GammaGamma(1e-3, 1e-3, 1e-3, 1e-3)).to_json()
    assert heavy["predictive"]["standard_deviation"] == "Infinity"
    assert plain({"ends": (-math.inf, 1.0)}) == {"ends": ["-Infinity", 1.0]}
    with pytest.raises(AssertionError):
        plain([math.nan])


def moments_of(draws):
    return draws.mean(), draws.std(ddof=1)


@pytest.mark.parametrize("name", ["linear", "linear-weights", "gamma", "logistic", "normal", "bernoulli"])
def test_posteriors_are_described_by_what_they_are_not_by_their_prior(name):
    """Mean and standard deviation of every parameter against draws of the posterior."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 1))
    if name in REGRESSIONS:
        t = (
            [str(label) for label in rng.integers(0, 2, 40)]
            if name == "logistic"
            else 2 * X[:, 0] + rng.normal(size=40)
        )
        found = priori.regress(name, X, t, names=["dose"])
    else:
        found = priori.estimate(name, rng.integers(0, 2, 40) if name == "bernoulli" else rng.gamma(3, 2, 40))
    written = found.to_json()["posterior"]
    assert "seen" not in written and "theta" not in written and "data" not in written
    assert not ({"shape_shape", "penalty", "weight_variance"} & set(written))
    draws = found.posterior.sample(40_000, rng)
    for place, said in written["parameters"].items():
        mean, deviation = moments_of(np.ravel(draws[place.partition("[")[0]]))
        assert abs(said["mean"] - mean) < 6 * deviation / math.sqrt(40_000)
        assert said["standard_deviation"] == pytest.approx(deviation, rel=0.1)


def test_standard_deviations_by_quadrature():
    posterior = GammaGamma(2.0, 0.5, 3.0, 0.7).posterior(GammaGamma.statistics([1.5, 0.2, 3.0, 2.2]))
    for of in (*posterior.marginals().values(), posterior.predictive().freeze()):
        low, high = float(of.ppf(1e-12)), float(of.isf(1e-12))
        mean = integrate.quad(lambda x, of=of: x * of.pdf(x), low, high, limit=400, points=[of.median()])[0]
        square = integrate.quad(lambda x, of=of, m=mean: (x - m) ** 2 * of.pdf(x), low, high, limit=400,
                                points=[of.median()])[0]  # fmt: skip
        assert of.std() == pytest.approx(math.sqrt(square), rel=1e-4)
    assert GammaGamma(2.0, 0.5, 3.0, 0.7).of_shape.std() == pytest.approx(math.sqrt(2) / 0.5)


def test_moments_that_do_not_exist_are_null():
    one = priori.estimate("normal", [1.0, 4.0], NormalInverseGamma(0, 1e-3, -0.6, 3)).to_json()["posterior"]
    assert one["parameters"]["mean"] == {"mean": None, "standard_deviation": None}
    assert one["parameters"]["variance"]["mean"] == "Infinity"
    improper = priori.estimate("normal", [1.0], NormalInverseGamma(0, 1, -1, 0)).to_json()["posterior"]
    assert improper["parameters"] == {} and improper["kappa"] == 2


def test_predictives_are_described_by_what_they_predict_with():
    found = priori.regress("linear", ROWS, ROWS @ [2, 0.5] + [1, -1, 1, -1, 1, -1, 1, -1], names=["dose", "age"])
    said = found.to_json()["predictive"]
    at = np.array([said["weights"]]) @ ROWS.T + said["intercept"]
    np.testing.assert_allclose(at[0], found.predictive.predict(ROWS))
    assert said["degrees"] == found.predictive.degrees and said["noise"] == found.predictive.noise
    labelled = priori.regress("logistic", ROWS, LABELS).to_json()["predictive"]
    assert labelled["classes"] == ["no", "yes"] and "draws" not in labelled


def test_columns_have_their_names_everywhere():
    counts = priori.estimate("multinomial", [[1, 2], [3, 4]], DirichletMultinomial(2, values=("x", "y"))).to_json()
    assert counts["ml"]["values"] == counts["map"]["values"] == ["x", "y"]
    rows = priori.estimate("multivariate-normal", ROWS, names=["dose", "age"])
    names = ["mean[dose]", "mean[age]", "covariance[dose, dose]", "covariance[age, age]"]
    assert list(rows.to_json()["interval"]) == list(rows.to_json()["posterior"]["parameters"]) == names
    assert [row.name for row in rows.parameters()] == [*names, "covariance[dose, age]"]
    assert next(iter(priori.estimate("multivariate-normal", ROWS).interval)) == "mean[0]"


def test_it_prints_as_a_table():
    """All parameters by name, what became of the prior, the evidence; what does not exist is said, not left out."""
    found = priori.estimate("normal", [*TORONTO, None])
    lines = str(found).splitlines()
    assert lines[0] == "normal: n = 7, 1 missing" and lines[1].split()[:4] == ["parameter", "ML", "MAP", "mean"]
    assert [line.split()[0] for line in lines[2:4]] == ["mean", "variance"]
    assert str(found.posterior) in lines[4] and lines[5].startswith("log evidence -22.75")
    flat = str(priori.estimate("normal", TORONTO, "flat"))
    assert "log evidence none: " in flat
