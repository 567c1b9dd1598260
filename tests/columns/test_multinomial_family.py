"""The table of terms by classes says what the families say, class by class."""

import numpy as np
import pytest

from corpora import model_of
from priori.columns.words.readings import Prior, Readings
from priori.data import read_objects
from priori.families import DirichletCategorical

ROWS = [("a b a", "x"), ("b c", "x"), ("a a c c c", "y"), ("d", "y")]
TERMS = ("a", "b", "c", "d")


@pytest.mark.parametrize(("estimate", "alpha"), [("bayes", 0.7), ("map", 1.7), ("ml", 1.0)])
def test_the_multinomial_table_is_a_categorical_of_each_class(estimate, alpha):
    model = model_of(ROWS, readings=Readings(estimate=estimate, prior=Prior(alpha), class_prior="uniform"))
    for place, label in enumerate(("x", "y")):
        words = [word for text, other in ROWS if other == label for word in text.split()]
        posterior = DirichletCategorical(alpha, TERMS).posterior(DirichletCategorical.statistics(words))
        likelihood = posterior.mean() if estimate == "bayes" else posterior.mode()
        for word in ("a", "c") if label == "y" else ("a", "b", "c"):
            batch = next(read_objects([word]))
            expected = likelihood.log_prob([word])[0] + np.log(0.5)
            assert model.log_joint(batch)[0, place] == pytest.approx(expected, abs=1e-12)
