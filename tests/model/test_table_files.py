"""Files of table models: what is read is what was written, bit by bit; anything else is refused and nothing is run."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from columns.column_cases import CASES
from model.estimators import discriminant, mixed_table, naive_bayes
from priori.columns.joint.settings import NiwPrior
from priori.columns.rates import PoissonColumn
from priori.columns.registry import plain_settings, settings_of
from priori.columns.words.column import TextColumn
from priori.errors import ModelFileError
from priori.estimators.loading import table_estimator
from priori.families import GammaPoisson
from priori.model.table_classifier import TableModel
from priori.model.table_file import digest
from priori.text import Analyzer

TABLE, LABELS = mixed_table(60)
NUMBERS, CODES = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
MODELS = {
    "auto": lambda: naive_bayes().fit(TABLE, LABELS),
    "weighted": lambda: naive_bayes().fit(TABLE, LABELS, np.arange(60) / 4),
    "families": lambda: naive_bayes(
        columns={
            "age": "student", "income": "gamma", "visits": PoissonColumn(GammaPoisson(1.5, 0.5)), "job": None,
            "text": TextColumn(Analyzer(ngrams=(1, 2))), "born": "categorical",
        },
        estimate="map", alpha=1.5, missing="evidence", class_prior="uniform",
    ).fit(TABLE, LABELS),
    "joint": lambda: naive_bayes(columns={("age", "visits"): "multinomial"}).fit(TABLE, LABELS),
    "discriminant": lambda: discriminant(
        covariance="full", estimate="bayes", prior=NiwPrior(1.0, 4.0, [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    ).fit(NUMBERS, CODES),
    "whole numbers": lambda: naive_bayes(columns="gaussian", estimate="ml", class_prior={"0": 0.2, "1": 0.3, "2": 0.5})
    .fit(NUMBERS, CODES),
}  # fmt: skip
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_what_is_read_is_what_was_written(name, tmp_path):
    model = MODELS[name]()
    table = NUMBERS if name in ("discriminant", "whole numbers") else TABLE
    model.save(tmp_path / "a")
    loaded = table_estimator(TableModel.load(tmp_path / "a"))
    loaded.set_params(**{key: value for key, value in model.get_params().items() if key == "temper"})
    assert loaded.model_.statistics == model.model_.statistics
    for mine, theirs in zip(loaded.model_.parts, model.model_.parts, strict=True):
        assert (mine.to_json(), plain_settings(mine.family)) == (theirs.to_json(), plain_settings(theirs.family))
    assert loaded.model_.readings == model.model_.readings
    assert digest(loaded.model_) == digest(model.model_)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(loaded.predict_log_proba(table), model.predict_log_proba(table))
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@every_model
def test_files_that_are_cut_or_changed_are_refused(name, tmp_path):
    path = tmp_path / "model"
    MODELS[name]().save(path)
    whole = path.read_bytes()
    rng = random.Random(0)
    for _ in range(40):
        at = rng.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << rng.randrange(8)
        for data in (whole[:at], bytes(flipped), whole + b"\0"):
            path.write_bytes(data)
            with pytest.raises(ModelFileError) as error:
                TableModel.load(path)
            assert str(error.value).startswith(repr(str(path)))
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_settings_of_families_are_plain_values(case):
    plain = json.loads(json.dumps(plain_settings(case.family)))
    again = settings_of(case.family.name, plain)
    assert plain_settings(again) == plain_settings(case.family)
    assert again.statistics_kind() == case.family.statistics_kind()
    assert type(again) is type(case.family)
    if case.family.name != "gaussian_joint":  # whose prior is of arrays
        assert again == case.family


def test_damaged_models_are_refused_or_work(tmp_path):
    script = Path(__file__).with_name("hostile_tables.py")
    command = [sys.executable, "-X", "faulthandler", "-W", "error", str(script), "1", "300", str(tmp_path)]
    folders = [script.parents[1], script.parents[1] / "store"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    tally = json.loads(run.stdout)
    assert sum(tally.values()) == 300
    assert min(tally[outcome] for outcome in ("refused", "works")) > 20  # each is really reached
