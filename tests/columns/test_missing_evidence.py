"""What missing cells say, where a class has none of what is there, or where nothing was imagined."""

from fractions import Fraction

import numpy as np
import pytest

from model.estimators import naive_bayes
from priori.errors import EstimateError

nan = np.nan


def test_the_logistic_regression_knows_that_cells_are_there():
    X = np.array([[1.0], [2.0], [nan], [3.0], [nan], [nan], [nan], [5.0]])
    model = naive_bayes(columns="poisson", estimate="map", alpha=2.0, missing="evidence").fit(X, [0] * 4 + [1] * 4)
    whole = np.array([[0.0], [2.0], [7.0]])
    np.testing.assert_allclose(model.to_logistic().posterior(whole), model.predict_proba(whole), atol=1e-12)


def test_counts_given_their_total_where_a_class_has_none_of_the_columns_that_are_there():
    """Under ml the first class never has the second column, so (?, 1) is impossible there; (?, 0) says nothing."""
    model = naive_bayes(columns="multinomial", estimate="ml").fit([[1, 0], [2, 3]], [0, 1])
    found = model.predict_proba([[nan, 1.0], [nan, 0.0], [2.0, nan]])
    np.testing.assert_allclose(found, [[0, 1], [0.5, 0.5], [0.5, 0.5]])
    first = naive_bayes(columns="multinomial", estimate="ml").fit([[0, 1], [2, 3]], [0, 1])
    np.testing.assert_allclose(first.predict_proba([[3.0, nan]]), [[0, 1]])


def test_no_evidence_without_a_proper_prior_of_missing_cells():
    X = np.array([[1.0], [nan], [3.0], [2.0]])
    with pytest.raises(EstimateError, match="column 'x0': alpha=0 is no proper prior of missing cells"):
        naive_bayes(columns="poisson", alpha=0.0, missing="evidence").fit(X, [0, 0, 1, 1]).model_.log_evidence()


def test_the_evidence_of_missing_cells_is_polyas_urn():
    """One of two missing, then none of two, under Beta(1, 1): 1/2 1/3 and 1/2 2/3."""
    X = np.array([[1.0], [nan], [3.0], [2.0]])
    ignored, evident = (
        naive_bayes(columns="poisson", missing=missing).fit(X, [0, 0, 1, 1]).model_.log_evidence()
        for missing in ("ignore", "evidence")
    )
    assert np.exp(evident - ignored) == pytest.approx(float(Fraction(1, 6) * Fraction(1, 3)), rel=1e-12)
