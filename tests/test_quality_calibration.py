"""Probabilities of the default text classifier out of fold, against scikit-learn's calibration of naive Bayes."""

import pytest

from calibrated_peers import DEFAULT, ONE, PEERS, RAW, RAW_ONE, pooled_folds, scores
from corpora import dataset

ALPHAS = (0.03, 0.1, 0.3)  # where the peers' best lie; the benchmark searches wider


@pytest.fixture(scope="module")
def scored():
    texts, labels = dataset("sms_spam")
    return scores(texts, labels, pooled_folds(texts, 5), ALPHAS)


def test_the_default_is_calibrated(scored):
    assert scored[DEFAULT].excess <= 0.015


def test_the_default_has_a_lower_log_loss_than_peers_calibrated_by_folds(scored):
    for peer in PEERS:
        assert scored[DEFAULT].evaluation.log_loss < scored[peer].evaluation.log_loss, peer


def test_without_calibration_it_would_not(scored):
    raw = scored[RAW].evaluation
    assert raw.log_loss > scored[DEFAULT].evaluation.log_loss
    assert any(raw.log_loss > scored[peer].evaluation.log_loss for peer in PEERS)


@pytest.mark.parametrize(("automatic", "one"), [(DEFAULT, ONE), (RAW, RAW_ONE)])
def test_automatic_smoothing_costs_no_accuracy(scored, automatic, one):
    assert scored[automatic].evaluation.accuracy >= scored[one].evaluation.accuracy - 0.002
