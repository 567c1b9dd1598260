"""Bad input: one clear line, the right exit code, and nothing half-written."""

import re

import pytest


def files(folder):
    return sorted(path.name for path in folder.rglob("*"))


def refused(ran, code=1):
    """One line that a person can read."""
    assert ran.code == code, (ran.out, ran.err)
    assert ran.out == ""
    if code == 1:
        assert re.fullmatch(r"priori: [^\n]{10,}\n", ran.err), ran.err
    assert "Traceback" not in ran.err
    return ran.err


CASES = {
    "nothing": (b"", "is empty"),
    "binary": (bytes(range(256)) * 20, "not text"),
    "parquet in name only": (b"PAR1 this is not one", "not text"),
    "no such text": (b"body,label\nhello,ham\n", "no column 'text'"),
    "no such label": (b"text,class\nhello,ham\n", "no column 'label'"),
    "no rows": (b"text,label\n", "no rows"),
    "no labels": (b"text,label\nhello,\n", "none of the 1 rows has a label"),
    "ragged": (b"text,label\nhello,ham,more\n", "line 2"),
    "bad label bytes": (b"text,label\nhello,\xff\xfe\n", "label"),
    "utf-16": ("text,label\nhello,ham\n".encode("utf-16"), "--encoding utf-16"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_data_leaves_one_line_and_no_model(priori, tmp_path, name):
    content, expected = CASES[name]
    (tmp_path / "bad.csv").write_bytes(content)
    assert expected in refused(priori("train", "bad.csv", "-o", "out.priori"))
    assert files(tmp_path) == ["bad.csv"]


def test_bad_data_leaves_an_old_model_and_an_old_table_alone(priori, mail):
    (mail / "bad.csv").write_bytes(b"text,label\nfine,ham\nragged,ham,1\n")
    (mail / "out.parquet").write_bytes(b"old")
    before = (mail / "mail.priori").read_bytes()
    refused(priori("update", "mail.priori", "bad.csv"))
    refused(priori("classify", "mail.priori", "bad.csv", "-o", "out.parquet"))
    assert (mail / "mail.priori").read_bytes() == before
    assert (mail / "out.parquet").read_bytes() == b"old"
    assert files(mail) == ["bad.csv", "mail.csv", "mail.priori", "out.parquet"]


@pytest.mark.parametrize("command", ["inspect", "terms", "classify", "evaluate", "explain", "update", "merge", "read"])
def test_bad_models_are_refused_by_every_command(priori, mail, command):
    good = (mail / "mail.priori").read_bytes()
    middle = len(good) // 2
    bad = {
        "cut": good[:middle],
        "empty": b"",
        "foreign": b"text,label\n" * 100,
        "flipped": good[:middle] + bytes([good[middle] ^ 0xFF]) + good[middle + 1 :],
        "long": good + b"more",
    }
    rest = {
        "classify": ["--message", "hi"], "evaluate": ["mail.csv"], "explain": ["hi"], "update": ["mail.csv"],
        "merge": ["mail.priori", "-o", "x.priori"], "read": ["-o", "x.priori"],
    }  # fmt: skip
    for name, content in bad.items():
        (mail / name).write_bytes(content)
        assert name in refused(priori(command, name, *rest.get(command, [])))
        assert (mail / name).read_bytes() == content
    assert "no such file" in refused(priori(command, "nowhere.priori", *rest.get(command, [])))
    assert not (mail / "x.priori").exists()


def test_places_that_cannot_be_written_are_refused_before_the_work(priori, mail):
    assert "folder" in refused(priori("train", "mail.csv", "-o", "nowhere/m.priori"))
    assert "folder" in refused(priori("train", "nowhere.csv", "-o", "."))
    assert "folder" in refused(priori("classify", "mail.priori", "mail.csv", "-o", "nowhere/o.csv"))
    assert "folder" in refused(priori("merge", "mail.priori", "-o", "nowhere/o.priori"))


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["train"],
        ["train", "mail.csv"],
        ["train", "mail.csv", "-o", "x.priori", "--alpha", "most"],
        ["train", "mail.csv", "-o", "x.priori", "--alpha", "-1"],
        ["train", "mail.csv", "-o", "x.priori", "--alpha", "nan"],
        ["train", "mail.csv", "-o", "x.priori", "--ngrams", "2-1"],
        ["train", "mail.csv", "-o", "x.priori", "--ngrams", "a"],
        ["train", "mail.csv", "-o", "x.priori", "--class-prior", "most"],
        ["train", "mail.csv", "-o", "x.priori", "--class-prior", "ham=0.5,spam=0.6"],
        ["train", "mail.csv", "-o", "x.priori", "--where", "split"],
        ["train", "mail.csv", "-o", "x.priori", "--format", "xml"],
        ["train", "mail.csv", "-o", "x.priori", "--max-terms", "0"],
        ["train", "mail.csv", "-o", "x.priori", "--jobs", "0"],
        ["classify", "mail.priori"],
        ["classify", "mail.priori", "mail.csv", "-o", "table.xls"],
        ["classify", "mail.priori", "mail.csv", "--top", "0"],
        ["classify", "mail.priori", "--message", "hi", "--keep", "id"],
        ["explain", "mail.priori", "hi", "--source", "mail.csv"],
    ],
)
def test_wrong_usage_is_exit_2(priori, mail, arguments):
    ran = priori(*arguments)
    assert ran.code == 2
    assert not (mail / "x.priori").exists()


def test_estimates_that_do_not_exist_name_the_remedy(priori, mail):
    err = refused(priori("classify", "mail.priori", "--message", "lunch phone", "--estimate", "ml"))
    assert "probability 0 in every class" in err and "alpha" in err
    assert "no class 'eggs'" in refused(priori("explain", "mail.priori", "hi", "--label", "eggs"))
    assert "no class 'eggs'" in refused(priori("terms", "mail.priori", "--label", "eggs"))


def test_models_that_do_not_fit_are_not_merged(priori, mail):
    priori("train", "mail.csv", "-o", "two.priori", "--ngrams", "1-2")
    assert "ngrams" in refused(priori("merge", "mail.priori", "two.priori", "-o", "x.priori"))
    priori("train", "mail.csv", "-o", "other.priori", "--alpha", "2")
    ran = priori("merge", "mail.priori", "other.priori", "-o", "x.priori")
    assert ran.code == 0 and "read in different ways" in ran.err


def test_bad_helping_files(priori, mail):
    (mail / "bad.toml").write_text("alpha = \n", encoding="utf-8")
    (mail / "bad.txt").write_bytes(b"\xff\xfe\x00")
    (mail / "none.txt").write_bytes(b"\n\n")
    train = ["train", "mail.csv", "-o", "x.priori"]
    assert "bad.toml" in refused(priori(*train, "--prior", "bad.toml"))
    assert "bad.txt" in refused(priori(*train, "--vocabulary", "bad.txt"))
    assert "vocabulary is empty" in refused(priori(*train, "--vocabulary", "none.txt"))
    assert "no such file" in refused(priori(*train, "--vocabulary", "nowhere.txt"))
    assert "PRIORI_NUM_THREADS" in refused(priori(*train, env={"PRIORI_NUM_THREADS": "many"}))


def test_odd_labels_and_words_cannot_drive_a_terminal(priori, tmp_path):
    (tmp_path / "odd.jsonl").write_text(
        '{"text": "free \\u001b[31mred", "label": "\\u001b[2Jspam"}\n{"text": "lunch", "label": "ham\\nham"}\n',
        encoding="utf-8",
    )
    assert priori("train", "odd.jsonl", "-o", "odd.priori").code == 0
    for command in (
        ["inspect", "odd.priori"],
        ["evaluate", "odd.priori", "odd.jsonl"],
        ["explain", "odd.priori", "free"],
        ["terms", "odd.priori"],
        ["terms", "odd.priori", "--label", "x"],
    ):
        ran = priori(*command)
        assert "\x1b" not in ran.out + ran.err, command


def test_help_and_version(priori):
    assert priori("--version").out.startswith("priori ")
    whole = priori("--help").out
    for name in whole.split("Commands:")[1].split("\n"):
        if name.strip():
            command = name.split()[0]
            ran = priori(command, "--help")
            assert ran.code == 0
            within = [line.split()[0] for line in ran.out.partition("\nCommands:\n")[2].splitlines()]
            for each in [ran] if not within else [priori(command, one, "--help") for one in within]:
                assert each.code == 0 and "--json" in each.out, command
