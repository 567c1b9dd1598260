"""priori cluster: what it prints, writes and refuses."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import priori as package
from priori.model.classifier import Model

SMS = f"{package.__path__[0]}/data/samples/sms_spam.parquet"
TOML = 'spam = ["free", "txt", "claim", "prize"]\nham = ["love", "home", "Sorry", "zzzz"]\n'
FEW = ["--restarts", "2", "-o", "m.priori"]


@pytest.fixture
def table(priori, tmp_path):
    """Documents of two kinds, a few with a label, all with their kind."""
    rng = np.random.default_rng(0)
    words = {kind: [f"{kind}{i}" for i in range(12)] for kind in ("fruit", "metal")}
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "kind", "some"])
        for i in range(200):
            kind = "fruit" if i % 3 else "metal"
            text = " ".join([*rng.choice(words[kind], 6), *(f"all{n}" for n in rng.integers(0, 40, 4))])
            rows.writerow([f"d{i}", text, kind, kind if i < 6 else ""])
    return tmp_path


def test_one_document_of_json_and_a_model_like_any_other(priori):
    ran = priori("cluster", SMS, "--classes", 2, "--json", *FEW)
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert (found["method"], found["documents"], found["restarts"]) == ("em", 5574, 2)
    assert [each["label"] for each in found["classes"]] == ["1", "2"]
    assert sum(each["documents"] for each in found["classes"]) == pytest.approx(5574)
    assert sum(each["share"] for each in found["classes"]) == pytest.approx(1)
    assert "free" in [term["term"] for term in found["classes"][1]["words"]]
    assert max(found["objectives"]) == found["objective"] == found["objectives"][found["best_restart"] - 1]
    assert found["truth"]["labels"] == "the labels of the source" and found["truth"]["matched_accuracy"] > 0.95
    assert not found["resumed"] and found["labelled"] == 0
    posterior = priori("classify", "m.priori", "--message", "free prize, txt to claim").json["probabilities"]
    assert posterior["2"] > 0.99
    assert "tempered" in priori("inspect", "m.priori").out
    assert priori("explain", "m.priori", "free prize").code == 0


def test_the_summary_says_how_the_classes_compare_with_labels_that_were_not_used(priori):
    ran = priori("cluster", SMS, "--classes", 2, *FEW)
    lines = ran.out.splitlines()
    assert lines[0].startswith(f"{SMS}: 5,574 documents, 2 classes, ")
    assert lines[1].split() == ["class", "documents", "share", "telling", "words"]
    assert "restart " in ran.out and "beside the labels of the source, not used to learn: matched accuracy 9" in ran.out
    assert priori("-q", "cluster", SMS, "--classes", 2, *FEW).out == ""


def test_seed_words_of_toml_and_json(priori, tmp_path):
    (tmp_path / "seeds.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "seeds.json").write_text(
        json.dumps({"spam": ["free", "txt", "claim", "prize"], "ham": ["love", "home", "Sorry", "zzzz"]})
    )
    models = []
    for name in ("seeds.toml", "seeds.json"):
        ran = priori("cluster", SMS, "--seeds", name, "-o", "m.priori")
        assert ran.code == 0 and "no document has the seed word zzzz" in ran.err
        models.append((tmp_path / "m.priori").read_bytes())
    assert models[0] == models[1]
    model = Model.load(tmp_path / "m.priori")
    assert model.labels == ("ham", "spam")
    assert model.readings.prior.classes["spam"] == {"free": 10.1, "txt": 10.1, "claim": 10.1, "prize": 10.1}
    found = priori("cluster", SMS, "--seeds", "seeds.toml", "--json", "-o", "m.priori").json
    assert found["unseen_seeds"] == ["zzzz"] and found["restarts"] == 1


def test_labels_are_learned_from_only_where_they_are_asked_for(priori, table):
    found = priori("cluster", "t.csv", "--classes", 2, "--truth", "kind", "--json", *FEW).json
    assert [each["label"] for each in found["classes"]] == ["1", "2"] and found["labelled"] == 0
    assert found["truth"] == {
        "labels": "the column 'kind'",
        "documents": 200,
        "accuracy": None,
        "matched_accuracy": 1.0,
        "nmi": pytest.approx(1),
    }
    assert priori("cluster", "t.csv", "--classes", 2, "--json", *FEW).json["truth"] is None
    found = priori("cluster", "t.csv", "--label", "some", "--truth", "kind", "--json", "-o", "m.priori").json
    assert [each["label"] for each in found["classes"]] == ["fruit", "metal"] and found["restarts"] == 1
    assert found["labelled"] == 6 and found["truth"]["accuracy"] == found["truth"]["matched_accuracy"] == 1
    ran = priori("cluster", "t.csv", "--label", "some", "-o", "m.priori")
    assert "6 documents had a label and kept it" in ran.out and "beside" not in ran.out


def test_named_classes_are_right_by_their_names_and_empty_cells_are_no_truth(priori, table):
    (table / "swapped.toml").write_text(
        'metal = ["fruit1", "fruit2"]\nfruit = ["metal1", "metal2"]\n', encoding="utf-8"
    )
    found = priori("cluster", "t.csv", "--seeds", "swapped.toml", "--truth", "kind", "--json", "-o", "m.priori").json
    assert found["truth"]["accuracy"] == 0 and found["truth"]["matched_accuracy"] == 1
    ran = priori("cluster", "t.csv", "--seeds", "swapped.toml", "--truth", "kind", "-o", "m.priori")
    assert "accuracy 0.0%, matched accuracy 100.0%" in " ".join(ran.out.split())
    head, *rows = (table / "t.csv").read_text(encoding="utf-8").splitlines()
    more = [f"{row},{row.split(',')[2] if place % 2 else ''}" for place, row in enumerate(rows)]
    (table / "more.csv").write_text("\n".join([f"{head},half", *more]), encoding="utf-8")
    for how in (["--label", "some"], ["--classes", "2"]):
        found = priori("cluster", "more.csv", "--truth", "half", "--json", *how, "-o", "m.priori").json
        assert found["truth"]["documents"] == 100 and found["truth"]["matched_accuracy"] == 1
    ran = priori("cluster", "t.csv", "--label", "some", "--truth", "some", "-o", "m.priori")
    assert ran.code == 2 and "the labels of 'some' are learned from" in ran.err


def test_the_text_is_nothing_to_compare_with(priori, table):
    lines = (table / "t.csv").read_text(encoding="utf-8").replace("id,text,kind", "id,label,kind", 1)
    (table / "l.csv").write_text(lines, encoding="utf-8")
    ran = priori("cluster", "l.csv", "--text", "label", "--classes", 2, *FEW)
    assert ran.code == 0 and "beside" not in ran.out
    assert priori("cluster", "l.csv", "--text", "label", "--classes", 2, "--json", *FEW).json["truth"] is None
    assert "column 'kind'" in priori("cluster", "l.csv", "--text", "label", "--truth", "kind", "--classes", 2, *FEW).out


def test_found_classes_beside_labels_of_other_names(priori, table):
    priori("cluster", "t.csv", "--classes", 2, *FEW)
    ran = priori("evaluate", "m.priori", "t.csv", "--label", "kind")
    assert ran.code == 0 and "infinite" not in ran.err and "ROC" not in ran.err
    assert "label \\ class found" in ran.out and "fruit                133   ·" in ran.out
    assert "no label of the source (fruit, metal) is a class of m.priori (1, 2)" in ran.err
    assert "matched accuracy" in ran.out and "100.00%" in ran.out and "log loss" not in ran.out
    found = priori("evaluate", "m.priori", "t.csv", "--label", "kind", "--json").json
    assert found["matched_accuracy"] == 1 and found["nmi"] == pytest.approx(1)
    assert {found[name] for name in ("accuracy", "macro_f1", "log_loss", "brier", "ece", "auc")} == {None}
    assert not [name for name in found if name.endswith("_note")]
    assert (found["labels"], found["classes"]) == (["fruit", "metal"], ["1", "2"])
    assert found["confusion"] == [[133, 0], [0, 67]]
    ran = priori("update", "m.priori", "t.csv", "--label", "kind", "-o", "more.priori")
    assert ran.code == 0 and "priori: new to m.priori: 2 classes (fruit, metal), beside 1, 2\n" in ran.err
    ran = priori("evaluate", "more.priori", "t.csv", "--label", "kind")  # classes of these names: as ever
    assert "log loss" in ran.out and "matched" not in ran.out and "no label" not in ran.err


def test_the_page_of_found_classes_matches_them(priori, table):
    priori("cluster", "t.csv", "--classes", 2, *FEW)
    ran = priori("evaluate", "m.priori", "t.csv", "--label", "kind", "--html", "m.html")
    page = (table / "m.html").read_text(encoding="utf-8")
    assert ran.code == 0 and "How well it agrees" in page and "<strong>100.00%</strong>" in page
    assert "<td><b>133</b></td><td>0</td>" in page and "What it goes by" in page
    for other in ("Accuracy 0.00", "too sure", "ROC", "worst mistakes", "Reliability"):
        assert other not in page
    ran = priori("evaluate", "m.priori", "t.csv", "--label", "kind", "--plot", "m.svg")
    assert ran.code == 1 and "so there is no calibration to draw; leave --plot out, or use --html" in ran.err


@pytest.mark.parametrize("how", [[], ["--temper", "none"], ["--method", "gibbs", "--burn-in", "5", "--samples", "9"]])
def test_nothing_is_left_out_of_what_documents_have_taught_each_other(priori, table, how):
    assert priori("cluster", "t.csv", "--label", "some", "-o", "m.priori", *how).code == 0
    for command in ("calibrate", "evaluate"):
        left = ["--leave-one-out"] if command == "evaluate" else []
        ran = priori(command, "m.priori", "t.csv", "--label", "kind", *left)
        assert ran.code == 1 and "priori: the model has learned from documents without a label" in ran.err
    ran = priori("calibrate", "m.priori", "t.csv", "--label", "kind", "--held-out")
    assert ran.code == 0 and ("nothing is left" if how else "held-out documents") in ran.out


def test_a_label_before_a_path_is_learned_from(priori, table):
    rows = (table / "t.csv").read_text(encoding="utf-8").splitlines()
    (table / "metal.csv").write_text("\n".join([rows[0], *rows[1:20:3]]), encoding="utf-8")
    (table / "rest.csv").write_text("\n".join([rows[0], *rows[20:]]), encoding="utf-8")
    found = priori("cluster", "iron=metal.csv", "rest.csv", "--classes", 2, "--json", *FEW).json
    assert [each["label"] for each in found["classes"]] == ["iron", "1"] and found["labelled"] == 7
    assert {term["term"].rstrip("0123456789") for term in found["classes"][0]["words"][:8]} == {"metal"}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_assignments_have_a_row_for_each_document(priori, table, ending):
    file = f"a.{ending}"
    ran = priori("cluster", "t.csv", "--classes", 2, "--assignments", file, "--keep", "id", "--keep", "kind", *FEW)
    assert ran.code == 0 and f"{file}: 200 rows" in ran.out
    if ending == "csv":
        rows = list(csv.DictReader((table / file).read_text(encoding="utf-8").splitlines()))
        assert list(rows[0]) == ["row", "id", "kind", "label", "probability", "p(1)", "p(2)"]
    elif ending == "jsonl":
        rows = [json.loads(line) for line in (table / file).read_text(encoding="utf-8").splitlines()]
    else:
        rows = pq.read_table(table / file).to_pylist()
    assert [int(row["row"]) for row in rows] == list(range(200)) and [row["id"] for row in rows][:2] == ["d0", "d1"]
    assert {(row["kind"], row["label"]) for row in rows} == {("fruit", "1"), ("metal", "2")}
    classified = priori("classify", "m.priori", "t.csv").lines
    for row, other in zip(rows, classified, strict=True):
        assert other["label"] == row["label"]
        assert float(row["probability"]) == pytest.approx(other["probability"], abs=1e-5)


def test_a_column_to_keep_has_one_type(priori, table):
    numbers = pa.table({"text": ["fruit1 metal2"] * 3, "id": [1, 2, 3]})
    pq.write_table(numbers, table / "n.parquet")
    ran = priori("cluster", "t.csv", "n.parquet", "--classes", 2, "--assignments", "a.csv", "--keep", "id", *FEW)
    assert ran.code == 1 and "'id' is of different types in the sources (" in ran.err
    assert not (table / "m.priori").exists()


def test_which_words_count(priori, table):
    def terms(*arguments):
        ran = priori("cluster", "t.csv", "--classes", 2, "--json", *FEW, *arguments)
        return ran.json["terms"]

    documents = [
        set(row["text"].split()) for row in csv.DictReader((table / "t.csv").read_text(encoding="utf-8").splitlines())
    ]
    frequency = {word: sum(word in row for row in documents) for row in documents for word in row}
    for least, share in ((3, 0.2), (25, 1), (1, 0.1)):
        expected = sum(least <= count <= share * len(documents) for count in frequency.values())
        assert 0 < terms("--min-documents", least, "--max-share", share) == expected < len(frequency)
    ran = priori("cluster", "t.csv", "--classes", 2, "--min-documents", 200, *FEW)
    assert ran.code == 1 and "let others count: --min-documents 1 --max-share 1" in ran.err
    assert terms("--min-documents", 1, "--max-share", 1) == len(frequency)


def test_documents_without_a_label_may_weigh_less(priori, table):
    def sizes(*arguments):
        ran = priori("cluster", "t.csv", "--label", "some", "--json", "-o", "m.priori", *arguments)
        return [each["documents"] for each in ran.json["classes"]]

    assert sum(sizes("--unlabelled-weight", "1/2")) == pytest.approx(6 + 194 / 2, rel=1e-6)
    assert sizes("--unlabelled-weight", "1") == sizes()


def test_standard_input_is_read_once_and_gives_the_same_model(priori, table):
    assert priori("cluster", "t.csv", "--classes", 2, *FEW).code == 0
    expected = (table / "m.priori").read_bytes()
    data = (table / "t.csv").read_bytes()
    ran = priori("cluster", "-", "--classes", 2, "--jobs", "2", *FEW, stdin=data)
    assert ran.code == 0 and (table / "m.priori").read_bytes() == expected


def test_gibbs(priori, table):
    how = ["--method", "gibbs", "--burn-in", "30", "--samples", "20", "--chains", "2", "-o", "m.priori"]
    found = priori("cluster", "t.csv", "--classes", 2, "--truth", "kind", "--json", *how).json
    assert found["method"] == "gibbs" and found["sweeps"] == 50 and found["truth"]["matched_accuracy"] > 0.99
    assert set(found["diagnoses"]) >= {"log joint"}
    ran = priori("cluster", "t.csv", "--classes", 2, *how)
    assert "mean log joint" in ran.out and "50 sweeps of 2 chains" in ran.out
    assert not Model.load(table / "m.priori").analyzer.binary
    assert Model.load(table / "m.priori").calibration is None


def test_an_infinite_rhat_is_json_too(priori, tmp_path):
    (tmp_path / "two.csv").write_text("text\n" + "a a a a\nb b b b\n" * 8, encoding="utf-8")
    how = ["--method", "gibbs", "--classes", 2, "--burn-in", "3", "--samples", "4", "--chains", "2", "--json"]
    found = [priori("cluster", "two.csv", *how, "--seed", seed, "-o", "m.priori") for seed in range(12)]
    assert all(ran.code == 0 for ran in found)
    assert {str(ran.json["diagnoses"]["log joint"]["rhat"]) for ran in found} & {"Infinity", "1.0"}


def test_em_goes_as_far_as_it_is_told(priori, table):
    facts = priori("cluster", "t.csv", "--classes", 2, "--iterations", 3, "--json", *FEW).json
    assert facts["iterations"] == 3


def test_settings_reach_the_model(priori, table):
    how = ["--classes", "2", "--alpha", "1/2", "--temper", "none", "--event", "bernoulli", "--ngrams", "1-2", *FEW]
    assert priori("cluster", "t.csv", *how).code == 0
    model = Model.load(table / "m.priori")
    assert (model.readings.prior.alpha, model.readings.event, model.calibration) == (0.5, "bernoulli", None)
    assert model.analyzer.ngrams == (1, 2) and model.analyzer.binary
    assert priori("cluster", "t.csv", "--classes", 2, "--temper", "0.2,-0.4", "--repeats", *FEW).code == 0
    model = Model.load(table / "m.priori")
    assert (model.calibration.scale, model.calibration.power, model.analyzer.binary) == (0.2, -0.4, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give --classes K, or name them with --seeds"),
        (["--classes", "0"], "'0' is no number of classes; give one from 1, or a range like 2-8"),
        (["--classes", "5-2"], "'5-2' is no number of classes"),
        (["--classes", "two"], "'two' is no number of classes"),
        (["--classes", "2", "--criterion", "bic"], "--criterion chooses among numbers of classes; give a range"),
        (["--classes", "2", "--all-criteria"], "--all-criteria chooses among numbers of classes"),
        (["--classes", "2-4", "--method", "gibbs"], "is chosen by --method em; then give gibbs that number"),
        (["--classes", "2", "--max-share", "0"], "'0' is no share of the documents"),
        (["--classes", "2", "--max-share", "much"], "'much' is no share of the documents"),
        (["--classes", "2", "--min-documents", "0"], "0 is not in the range"),
        (["--classes", "2", "--unlabelled-weight", "2"], "'2' is no weight; give a number above 0, up to 1"),
        (["--classes", "2", "--burn-in", "5"], "--burn-in is for --method gibbs, and the method is em"),
        (["--classes", "2", "--method", "gibbs", "--restarts", "5"], "--restarts is for --method em"),
        (["--classes", "2", "--temper", "hot"], "none of root, none and B,G"),
        (["--classes", "2", "--temper", "0.5,-0.5"], "give G from -8 to 0 and B up to 25^G, 0.2"),
        (["--classes", "2", "--alpha", "0"], "give a number above 0"),
        (["--classes", "2", "--method", "gibbs", "--anneal", "101"], "--anneal 101 goes on after --burn-in 100"),
        (["--classes", "2", "--binary", "--repeats"], "--binary and --repeats exclude each other"),
        (["--classes", "2", "--event", "bernoulli", "--repeats"], "leave --repeats out, or --event"),
        (["--classes", "2", "--text", "kind", "--truth", "kind"], "--truth kind is the column of the text"),
        (["--classes", "2", "--text", "kind", "--label", "kind"], "--label kind is the column of the text"),
        (["--classes", "2", "--keep", "id"], "--keep is for --assignments"),
        (["--classes", "2", "--assignments", "a.txt"], "no kind of table"),
        (["--classes", "2", "--assignments", "a.csv", "--keep", "id", "--keep", "id"], "names a column twice"),
    ],
)
def test_wrong_usage(priori, table, arguments, said):
    ran = priori("cluster", "t.csv", "-o", "m.priori", *arguments)
    assert ran.code == 2 and said in ran.err and ran.out == ""
    assert not (table / "m.priori").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["t.csv", "--classes", "999"], "999 classes are asked of 200 documents; ask for fewer"),
        (["t.csv", "--classes", "9999999999"], "9,999,999,999 classes are asked of 200 documents; ask for fewer"),
        (["t.csv", "--classes", "2", "--label", "kind"], "every document has a label"),
        (["t.csv", "--classes", "2", "--label", "none"], "has no column 'none'"),
        (["t.csv", "--classes", "2", "--truth", "none"], "--truth COLUMN"),
        (
            ["t.csv", "--classes", "1", "--label", "some"],
            "2 classes have a label or seed words, but only 1 is asked for",
        ),
        (["t.csv", "--classes", "2", "--text", "body"], "--text COLUMN"),
        (["t.csv", "--classes", "2", "--where", "kind=wood"], "the data has no rows"),
        (["t.csv", "--seeds", "none.toml"], "there is no seed file none.toml; check the path"),
        (["t.csv", "--seeds", "unheard.toml"], "no document has a seed word of 'a' (nobody, nothing)"),
        (["t.csv", "--seeds", "broken.toml"], "is no TOML"),
        (["t.csv", "--seeds", "one.toml"], "one class has a label or a seed word"),
        (["none.csv", "--classes", "2"], "there is no such file"),
        (["t.csv", "--classes", "2", "-o", "none/m.priori"], "its folder does not exist"),
        (["t.csv", "--classes", "2", "-o", "."], "is a folder"),
        (["t.csv", "--classes", "2", "--assignments", "none/a.csv"], "its folder does not exist"),
    ],
)
def test_bad_input_is_one_line(priori, table, arguments, said):
    (table / "unheard.toml").write_text('a = ["nobody", "nothing"]\nb = ["fruit1"]\n', encoding="utf-8")
    (table / "broken.toml").write_text("a = [", encoding="utf-8")
    (table / "one.toml").write_text('a = ["fruit1"]', encoding="utf-8")
    ran = priori("cluster", "-o", "m.priori", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err and ran.err.startswith("priori: ") and ran.err.count("\n") == 1
    assert not list(table.glob("*.priori*"))


def test_a_device_gets_the_model_and_no_checkpoint(priori, table):
    assert priori("cluster", "t.csv", "--classes", 2, "--restarts", 1, "-o", "/dev/null").code == 0
