"""priori cluster --classes LOW-HIGH: the number is chosen, told, and used."""

import json
import sys

import pytest
from test_cluster import FEW, table  # noqa: F401  a fixture
from test_cluster_stopped import run as run_program

from priori.latent.class_number import choose_classes
from priori.model.classifier import Model

HOW = ["--truth", "kind", *FEW]


def test_the_number_is_chosen_and_used(priori, table):  # noqa: F811
    ran = priori("cluster", "t.csv", "--classes", "2-4", "--json", *HOW)
    assert (ran.code, ran.err) == (0, "")
    choice = ran.json["choice"]
    assert (choice["classes"], choice["criterion"]) == (2, "stability")
    assert [row["classes"] for row in choice["rows"]] == [2, 3, 4]
    assert all(row["held_out"] is row["evidence"] is None for row in choice["rows"])
    assert Model.load(table / "m.priori").labels == ("1", "2") and ran.json["truth"]["matched_accuracy"] == 1
    expected = (table / "m.priori").read_bytes()
    ran = priori("cluster", "t.csv", "--classes", 2, "--json", *HOW)
    assert ran.json["choice"] is None and (table / "m.priori").read_bytes() == expected


def test_the_table_says_who_chose(priori, table):  # noqa: F811
    lines = priori("cluster", "t.csv", "--classes", "2-3", *HOW).out.splitlines()
    assert lines[0] == "Number of classes"
    assert lines[1].split() == ["classes", "log-likelihood", "parameters", "AIC", "BIC", "stability"]
    assert [line.split()[0] for line in lines[2:4]] == ["2", "3"] and lines[2].endswith("*")
    assert lines[5].startswith("2 classes, by stability. ") and "cannot say that there is one class only" in lines[5]
    assert lines[6].startswith("t.csv: 200 documents, 2 classes, ")
    assert priori("-q", "cluster", "t.csv", "--classes", "2-3", *HOW).out == ""


@pytest.mark.parametrize("criterion", ["bic", "aic", "held-out", "evidence"])
def test_by_another_criterion(priori, table, criterion):  # noqa: F811
    ran = priori("cluster", "t.csv", "--classes", "1-3", "--criterion", criterion, "--json", *HOW)
    choice, name = ran.json["choice"], criterion.replace("-", "_")
    assert choice["criterion"] == name and choice["chosen_by"][name] == choice["classes"]
    assert [each["label"] for each in ran.json["classes"]] == [str(k + 1) for k in range(choice["classes"])]
    assert {key for key in ("held_out", "evidence", "stability") if choice["rows"][1][key] is not None} <= {name}


def test_all_criteria(priori, table):  # noqa: F811
    ran = priori("cluster", "t.csv", "--classes", "1-2", "--criterion", "bic", "--all-criteria", "--json", *HOW)
    assert None not in ran.json["choice"]["chosen_by"].values()


def test_labels_and_seeds_count(priori, table):  # noqa: F811
    (table / "seeds.json").write_text(json.dumps({"iron": ["Metal1", "metal2"]}), encoding="utf-8")
    ran = priori("cluster", "t.csv", "--classes", "2-3", "--seeds", "seeds.json", "--json", *HOW)
    assert ran.json["classes"][0]["label"] == "iron"
    ran = priori("cluster", "t.csv", "--classes", "1-3", "--label", "some", *FEW)
    assert ran.code == 1 and "2 classes have a label or seed words, but only 1 is asked for" in ran.err
    ran = priori("cluster", "t.csv", "--classes", "2-101", *FEW)
    assert ran.code == 1 and "101 classes are asked of" in ran.err


def test_what_the_search_would_refuse_is_refused_before_the_choice(priori, table, monkeypatch):  # noqa: F811
    monkeypatch.setattr(
        "priori.latent.class_number_criteria.Mixing.summit", lambda mixing: pytest.fail("something was fitted")
    )
    (table / "seeds.json").write_text(json.dumps({"iron": ["metal1"]}), encoding="utf-8")
    for how, said in (
        (["--components", "2"], "which of the components make up a class without a name is arbitrary"),
        (["--event", "bernoulli", "--seeds", "seeds.json"], "the Bernoulli has none; use multinomial"),
        (["--label", "kind"], "every document has a label, so that no class is hidden"),
    ):
        ran = priori("cluster", "t.csv", "--classes", "2-3", *how, *FEW)
        assert (ran.code, ran.out) == (1, "") and said in ran.err and ran.err.count("\n") == 1


def test_ctrl_c_while_it_chooses_keeps_nothing_and_says_so(priori, table):  # noqa: F811
    stop = """
import os, signal
import priori.latent.class_number as number
measured = number._measured
def stopped(*arguments, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return measured(*arguments, **named)
number._measured = stopped
from priori.cli import main
main()
"""
    ran = run_program(["cluster", "t.csv", "--classes", "2-3", *FEW], table, [sys.executable, "-c", stop])
    assert (ran.returncode, ran.stdout) == (130, "")
    said = "stopped while the number of classes was chosen; nothing is kept, and the same command begins anew"
    assert ran.stderr == f"\npriori: {said}\n" and not list(table.glob("m.priori*"))


def test_stopped_after_the_choice_it_says_how_to_go_on_without_it(priori, table):  # noqa: F811
    stop = """
import os, signal
from priori.cli.commands import cluster, cluster_search as search
from priori.cli import main
search.Watching.__call__ = lambda self, step: os.kill(os.getpid(), signal.SIGTERM) if step.restart == 1 else None
cluster.Stopping._asked = lambda self, number, frame: setattr(self, "by", number)
main()
"""
    ran = run_program(["cluster", "t.csv", "--classes", "2-3", *FEW], table, [sys.executable, "-c", stop])
    assert ran.returncode == 143 and "the same command with --classes 2 goes on from there" in ran.stderr
    ran = priori("cluster", "t.csv", "--classes", 2, "--json", *FEW)
    assert ran.json["resumed"]


def test_the_library_has_the_same_names():
    from priori.cli.options.clustering import CRITERIA
    from priori.latent import class_number

    assert {name.replace("-", "_") for name in CRITERIA} == set(class_number.CRITERIA)
    assert choose_classes.__kwdefaults__["criterion"] == "stability"
