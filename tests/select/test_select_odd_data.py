"""Selection from data that are not all alike: rare classes, odd weights, large seeds, large blocks, mixed sources."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from selecting import LABELS, TEXTS, copies, means, refit_losses

import priori
from priori.data import read_objects
from priori.select.candidates import Grid
from priori.select.documents import Rows
from priori.select.search import How, select_among, select_model
from priori.text import Analyzer

PLAIN = {"alphas": (0.3, 1.0), "calibrate": False}
CLOSE = 1e-11  # sums of some twenty logarithms of the order of 10, each rounded


def told(found):
    """What was measured, without the seconds."""
    return [(each.name, each.leave_one_out, each.k_fold, each.holdout, each.behind) for each in found.candidates]


def holds_out(seed, text, share):
    rows = Rows.of(read_objects([*TEXTS, text], [*LABELS, "odd"]), seed=seed)
    return text in rows.split(share)[0].batch.text.to_pylist()


@pytest.mark.parametrize("label", ["a", "zebra"])  # before the other labels, and after them
@pytest.mark.parametrize("criterion", ["leave-one-out", "k-fold", "holdout"])
def test_a_held_out_class_that_is_nowhere_else_is_told_of_and_changes_nothing(label, criterion):
    text = "a new word"
    seed = next(seed for seed in range(100) if holds_out(seed, text, 0.25))
    settings = {"criterion": criterion, "holdout": 0.25, "seed": seed, "folds": 3, "average": True}
    without = select_model(TEXTS, LABELS, **settings)
    found = select_model([*TEXTS, text], [*LABELS, label], **settings)
    assert told(found) == told(without) and found.averages == without.averages
    assert (found.unknown, found.held_out) == (1, without.held_out + 1)
    assert (without.unknown, without.documents) == (0, found.documents)
    assert found.to_json()["unknown"] == 1 and label in found.labels


@pytest.mark.parametrize("seed", [1, 2])
def test_weights_are_rounded_as_they_are_learned(seed):
    weights = np.random.default_rng(seed).uniform(0.05, 3, len(TEXTS))
    weights[4] = 0.7
    learned = np.rint(weights * 2**20) / 2**20
    assert (learned != weights).any()
    for each in select_model(TEXTS, LABELS, weights=weights.tolist(), **PLAIN).candidates:
        log_loss, accuracy = means(*refit_losses(each, copies(), weights=weights.tolist()), learned)
        assert each.leave_one_out.log_loss == pytest.approx(log_loss, rel=CLOSE)
        assert each.leave_one_out.accuracy == pytest.approx(accuracy, rel=CLOSE)


def test_documents_of_one_odd_weight_can_be_left_out_again():
    """0.7 is rounded down, so that the first of its kind weighs more than was learned of it."""
    found = select_model(TEXTS, LABELS, weights=[0.7] * len(TEXTS), **PLAIN)
    assert found.best.leave_one_out.documents == len(TEXTS)


def test_a_weight_that_rounds_to_nothing_is_no_document():
    found = select_model([*TEXTS, "a new word"], [*LABELS, "other"], weights=[1.0] * len(TEXTS) + [2.0**-22], **PLAIN)
    assert found.labels == ("ham", "spam", "work") and found.documents == len(TEXTS)
    assert told(found) == told(select_model(TEXTS, LABELS, weights=[1.0] * len(TEXTS), **PLAIN))


def test_a_source_without_weights_counts_as_in_training():
    half = len(TEXTS) // 2
    plain, heavy = (TEXTS[:half], LABELS[:half]), (TEXTS[half:], LABELS[half:])
    batches = [*read_objects(*plain), *read_objects(*heavy, [2.0] * half)]
    found = select_among(batches, Grid(alphas=(1.0,), calibrate=False), How())
    weights = [1.0] * half + [2.0] * half
    assert told(found) == told(select_model(TEXTS, LABELS, weights=weights, alphas=(1.0,), calibrate=False))


def test_a_class_is_known_by_documents_that_are_not_left_out():
    """Of 30 classes with two texts each a few are left out: all of them are judged, as refits would."""
    texts = [f"w{k} v{(7 * k + 3 * j) % 11} shared u{j}" for k in range(30) for j in range(2)]
    labels = [f"c{k:02}" for k in range(30) for _ in range(2)]
    found = select_model(texts, labels, ngrams=[(1, 1)], left_out=8, **PLAIN)
    chosen = Rows.of(read_objects(texts, labels)).first(8).batch.text.to_pylist()
    assert (found.left_out, found.alone) == (8, 0) and len(chosen) == 8
    assert len({labels[texts.index(text)] for text in chosen}) > 4, "some classes are there once only"
    for each in found.candidates:
        loss, right = refit_losses(each, np.arange(60), texts, labels)
        here = np.array([text in chosen for text in texts])
        log_loss, accuracy = means(np.where(here, loss, np.nan), right)
        assert each.leave_one_out.log_loss == pytest.approx(log_loss, rel=CLOSE)
        assert each.leave_one_out.accuracy == pytest.approx(accuracy)
        assert each.leave_one_out.documents == 8


def test_any_whole_number_from_0_is_a_seed():
    settings = {"holdout": 0.25, "folds": 3, **PLAIN}
    assert told(select_model(TEXTS, LABELS, seed=2**64 + 1, **settings)) == told(
        select_model(TEXTS, LABELS, seed=1, **settings)
    )


def test_a_block_of_much_weight_is_told_of():
    groups = ["ann"] * 5 + [None] * 15
    assert "ann" not in TEXTS and len(set(copies()[:5].tolist())) == 4  # with a copy among them
    found = select_model(TEXTS, LABELS, groups=groups, **PLAIN)
    assert found.largest_block == 5 / 20 and found.unsure and found.to_json()["largest_block"] == 0.25
    few = select_model(TEXTS, LABELS, **PLAIN)
    assert few.largest_block == 2 / 20 and not few.unsure
    heavy = select_model(TEXTS, LABELS, weights=[1.0] * 19 + [9.0], criterion="k-fold", **PLAIN)
    assert heavy.largest_block == 9 / 28 and heavy.unsure


def test_rows_without_a_value_in_the_column_of_groups_stand_alone():
    batch = next(iter(read_objects(TEXTS, LABELS)))
    values = ["ann" if i in (0, 7) else "" if i % 2 else None for i in range(len(TEXTS))]
    kept = replace(batch, keep={"author": pa.array(values, pa.large_string())})
    found = select_among([kept], Grid(**PLAIN), How(), groups="author")
    groups = [value or None for value in values]
    assert told(found) == told(select_model(TEXTS, LABELS, groups=groups, **PLAIN))


def test_settings_say_all_that_the_best_was_chosen_under():
    prior = {"ham": 0.2, "spam": 0.3, "work": 0.5}
    analyzer = Analyzer(lowercase=False, fold_accents=True, min_length=2)
    best = select_model(TEXTS, LABELS, class_prior=prior, analyzer=analyzer).best
    model = priori.TextClassifier(**best.settings()).fit(TEXTS, LABELS).model_
    assert model.analyzer == best.analyzer and model.readings == best.readings
