"""A model file of version 1, committed: every later version must load it, and this one must still write its bytes."""

from pathlib import Path

import numpy as np

import priori

FILE = Path(__file__).parent / "store" / "version-1-text-model.priori"
TEXTS = ["Free entry, text WIN to 80085", "win a free phone", "Lunch at noon?", "see you at home, ¿sí?"]
LABELS = ["spam", "spam", "ham", "ham"]


def fitted():
    settings = {"ngrams": (1, 2), "alpha": {"free": 2.0}, "class_prior": 0.5, "calibrate": False}
    return priori.TextClassifier(**settings).fit(TEXTS, LABELS, sample_weight=[1, 0.5, 1, 2])


def test_it_is_read():
    old, new = priori.load(FILE), fitted()
    assert old.model_.counts == new.model_.counts
    np.testing.assert_array_equal(old.predict_proba(TEXTS), new.predict_proba(TEXTS))


def test_it_is_written_as_it_was(tmp_path):
    fitted().save(tmp_path / "again.priori")
    assert (tmp_path / "again.priori").read_bytes() == FILE.read_bytes()


def test_it_learns_on():
    assert priori.load(FILE).learn(["lunch now"], ["ham"]).predict(["lunch"]).tolist() == ["ham"]
