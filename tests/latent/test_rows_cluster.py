"""Classes found in the table of a file."""

import json

import numpy as np
import pytest

from priori import NaiveBayes, load
from priori.cli.commands.cluster import cluster_table
from priori.cli.options.columns import ColumnChoice
from priori.data import ReadOptions
from priori.errors import DataError
from priori.latent.semi_supervised import HiddenSettings

READINGS = ("estimate", "alpha", "class_prior", "unknown", "missing", "temper")


def given(**others):
    """What the options of `priori train` gather of a table."""
    nothing = dict.fromkeys((*READINGS, "like", "covariance", "shrinkage"))
    return {**nothing, "columns": ColumnChoice("auto", {}), "classifier": "naive-bayes", **others}


@pytest.fixture
def flowers(tmp_path):
    rng = np.random.default_rng(0)
    k = np.repeat([0, 1], [30, 20])
    rows = [
        f"{height:.3f},{'ab'[v]},{'yes' if v else 'no'}" for height, v in zip(rng.normal(6.0 * k, 1), k, strict=True)
    ]
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(["height,kind,tall", *rows]) + "\n", encoding="utf-8")
    return path


def test_classes_of_a_file(flowers, tmp_path, capsys):
    output = tmp_path / "found.priori"
    options = ReadOptions(label="truth")
    cluster_table([str(flowers)], options, given(), HiddenSettings(2), labelled=True, output=str(output), as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["sizes"] == pytest.approx({"1": 30, "2": 20}, abs=0.01)
    assert told["converged"] is True
    assert (told["labelled"], told["unlabelled"]) == (0, 50)
    model = load(output)
    assert model.predict({"height": [0.0, 6.0], "kind": ["a", "b"], "tall": ["no", "yes"]}).tolist() == ["1", "2"]
    table = {name: [] for name in ("height", "kind", "tall")}
    for line in flowers.read_text(encoding="utf-8").splitlines()[1:]:
        height, kind, tall = line.split(",")
        table["height"].append(float(height))
        table["kind"].append(kind)
        table["tall"].append(tall)
    again = NaiveBayes(n_classes=2).fit(table)
    assert again.model_.statistics.n == pytest.approx(model.model_.statistics.n, abs=1e-3)
    cluster_table([str(flowers)], options, given(), HiddenSettings(2), labelled=True, output=str(output))
    assert capsys.readouterr().out.splitlines()[0] == "1: 30.0 rows (60.0%)"


def test_a_file_without_labels_needs_a_number_of_classes(flowers, tmp_path):
    with pytest.raises(DataError, match="n_classes=K"):
        cluster_table(
            [str(flowers)], ReadOptions(), given(), HiddenSettings(), labelled=True, output=str(tmp_path / "x.priori")
        )
    assert not (tmp_path / "x.priori").exists()
