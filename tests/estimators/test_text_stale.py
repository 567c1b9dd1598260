"""Texts without kept documents: what was fitted is stale after a change, and can be fitted again."""

import pytest
from messages import LABELS, TEXTS

from priori import TextClassifier
from priori.errors import DataError

MORE, MORE_LABELS = ["free parking here", "lunch at noon", "win now"], ["ham", "ham", "spam"]
CHANGES = {
    "learn": lambda m: m.learn(MORE, MORE_LABELS),
    "partial_fit": lambda m: m.partial_fit(MORE, MORE_LABELS),
    "forget": lambda m: m.forget(TEXTS[:1], LABELS[:1]),
    "+": lambda m: m + TextClassifier(keep_sample=False).fit(MORE, MORE_LABELS),
    "-": lambda m: m - TextClassifier(keep_sample=False).fit(TEXTS[:2], LABELS[:2]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore:only one class")
def test_a_change_without_documents_is_told(change):
    model = TextClassifier(keep_sample=False).fit(TEXTS, LABELS)
    with pytest.warns(UserWarning, match="alpha and calibration are those of before"):
        changed = CHANGES[change](model)
    assert changed.model_.fitted.stale
    changed = CHANGES[change](TextClassifier().fit(TEXTS, LABELS)) if change not in "+-" else None
    assert changed is None or not changed.model_.fitted.stale  # warnings are errors


def test_given_numbers_are_never_stale():
    model = TextClassifier(keep_sample=False, alpha=1, calibrate=False).fit(TEXTS, LABELS)
    assert model.learn(MORE, MORE_LABELS).model_.fitted is None  # warnings are errors


def test_fitted_again_on_what_was_learned_it_is_what_a_model_has_that_kept_it():
    keeps = TextClassifier().fit(TEXTS + MORE, LABELS + MORE_LABELS)
    model = TextClassifier(keep_sample=False).fit(TEXTS, LABELS)
    with pytest.warns(UserWarning, match="those of before"):
        model.learn(MORE, MORE_LABELS)
    assert model.recalibrate(TEXTS + MORE, LABELS + MORE_LABELS) is model
    assert model.model_.fitted == keeps.model_.fitted
    with pytest.raises(DataError, match="never seen 'of'"):
        model.recalibrate(["unheard of"], ["ham"])
    assert not model.recalibrate(["unheard of", "free"], ["ham", "spam"], held_out=True).model_.fitted.stale
