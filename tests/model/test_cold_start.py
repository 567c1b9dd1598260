"""One message is classified from a cold start, so a model is loaded and read without anything heavy."""

import subprocess
import sys

from priori.columns.words.readings import Readings
from priori.data import read_objects
from priori.model.classifier import Model
from priori.text import Analyzer

HEAVY = {"pyarrow", "pandas", "scipy", "sklearn", "numpy.ma", "logging", "pathlib", "urllib", "priori.data.files"}

SCRIPT = """
import sys
from priori.model.classifier import Model
model = Model.load(sys.argv[1])
print(*model.posterior_of_texts([sys.argv[2]])[0].tolist())
print(*sys.modules)
"""


def test_a_model_is_loaded_and_scores_without_heavy_modules(tmp_path):
    texts, labels = ["free entry now", "see you at lunch", "free lunch"], ["spam", "ham", "ham"]
    for number, analyzer in enumerate((Analyzer(), Analyzer(vocabulary=("free", "été", "lunch")))):
        model = Model.train(read_objects(texts, labels), analyzer, Readings())
        path = tmp_path / f"{number}.priori"
        model.save(path)
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, path, "free été"], capture_output=True, text=True, check=True
        )
        scores, modules = run.stdout.splitlines()
        assert [float(score) for score in scores.split()] == model.posterior_of_texts(["free été"])[0].tolist()
        assert not HEAVY & set(modules.split())


def test_a_loaded_model_is_the_saved_one(tmp_path):
    model = Model.train(read_objects(["free entry", "see you"], ["spam", "ham"]), Analyzer(), Readings())
    model.save(tmp_path / "a.priori")
    again = Model.load(tmp_path / "a.priori")
    assert again.counts == model.counts
    assert again.analyzer == model.analyzer
    again.save(tmp_path / "b.priori")
    assert (tmp_path / "b.priori").read_bytes() == (tmp_path / "a.priori").read_bytes()
