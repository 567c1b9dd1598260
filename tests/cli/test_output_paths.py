"""No output takes the place of something that is read, or of another output: exit 2, a line, and nothing is touched."""

import os
from pathlib import Path

import pytest

SEEDS = 'spam = ["win"]\nham = ["lunch"]\n'
LOSS = "[spam]\nham = 1\n[ham]\nspam = 5\n"
TABLE = "length,width,label\n1,2,a\n2,3,b\n3,1,a\n4,4,b\n"


@pytest.fixture
def files(mail):
    """The mail and its model, with seeds, costs, a vocabulary, a table, a folder, and other names for the mail."""
    texts = {"seeds.toml": SEEDS, "loss.toml": LOSS, "words.csv": "win\nlunch\n", "table.csv": TABLE}
    for name, text in texts.items():
        (mail / name).write_text(text, encoding="utf-8")
    for label in ("ham", "spam"):
        (mail / "folder" / label).mkdir(parents=True)
        (mail / "folder" / label / "1.csv").write_text("a text", encoding="utf-8")
    os.link(mail / "mail.csv", mail / "hard.csv")
    (mail / "soft.csv").symlink_to("mail.csv")
    (mail / "other.priori").write_bytes((mail / "mail.priori").read_bytes())
    return mail


CLUSTER = ("cluster", "mail.csv", "--classes", "2")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*CLUSTER, "-o", "mail.csv"), "-o mail.csv would take the place of mail.csv, which is read"),
        ((*CLUSTER, "-o", "./folder/../mail.csv"), "would take the place of mail.csv"),
        ((*CLUSTER, "-o", "hard.csv"), "-o hard.csv would take the place of mail.csv"),
        ((*CLUSTER, "-o", "soft.csv"), "-o soft.csv would take the place of mail.csv"),
        ((*CLUSTER, "--seeds", "seeds.toml", "-o", "seeds.toml"), "would take the place of seeds.toml"),
        ((*CLUSTER, "-o", "m.priori", "--assignments", "mail.csv"), "--assignments mail.csv would take"),
        ((*CLUSTER, "-o", "new.csv", "--assignments", "./new.csv"), "-o and --assignments name the same file"),
        (("cluster", "table.csv", "--classes", "2", "-o", "table.csv"), "would take the place of table.csv"),
        (("train", "mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("train", "ham=mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("train", "mail.csv", "--vocabulary", "words.csv", "-o", "words.csv"), "would take the place of words.csv"),
        (("train", "folder", "-o", "folder/ham/1.csv"), "would take the place of folder/ham/1.csv"),
        (("classify", "mail.priori", "mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("select", "mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("select", "mail.csv", "-o", "x.svg", "--plot", "x.svg"), "-o and --plot name the same file"),
        (("merge", "mail.priori", "other.priori", "-o", "other.priori"), "would take the place of other.priori"),
        (("evaluate", "mail.priori", "mail.csv", "--html", "mail.csv"), "--html mail.csv would take"),
        (("evaluate", "mail.priori", "mail.csv", "--html", "mail.priori"), "would take the place of mail.priori"),
        (("evaluate", "mail.priori", "mail.csv", "--loss", "loss.toml", "--html", "loss.toml"), "--html loss.toml"),
        (("update", "mail.priori", "mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("calibrate", "mail.priori", "mail.csv", "-o", "mail.csv"), "would take the place of mail.csv"),
        (("generate", "table.csv", "-o", "table.csv"), "would take the place of table.csv"),
        (("explain", "mail.priori", "mail.csv", "--row", "1", "--plot", "mail.csv"), "--plot mail.csv would"),
        (("inspect", "mail.priori", "--graph", "mail.priori"), "--graph mail.priori would"),
        (("estimate", "poisson", "table.csv", "--column", "length", "--plot", "table.csv"), "--plot table.csv"),
        (("compare-learners", "table.csv", "--plot", "table.csv"), "--plot table.csv would"),
        (("compare", "mail.csv", "--test", "table.csv", "--curve", "--plot", "table.csv"), "--plot table.csv would"),
        (("draw", "mail.priori", "-o", "mail.priori"), "would take the place of mail.priori"),
        (("train", "mail.csv", "-o", "-"), "- is no name of a file to write; name one"),
        ((*CLUSTER, "-o", "-"), "- is no name of a file to write; name one"),
    ],
)
def test_what_would_be_lost_is_refused(priori, files, arguments, said):
    before = {path: path.read_bytes() for path in files.rglob("*") if path.is_file()}
    ran = priori(*arguments)
    assert (ran.code, ran.out) == (2, "") and said in ran.err
    assert {path: path.read_bytes() for path in files.rglob("*") if path.is_file()} == before


def test_what_is_meant_goes_on(priori, files):
    assert priori("train", "folder", "-o", "folder/m.priori").code == 0  # beside the documents, not one of them
    assert priori("update", "mail.priori", "mail.csv").code == 0
    assert priori("update", "mail.priori", "mail.csv", "-o", "./mail.priori").code == 0
    assert priori("read", "mail.priori", "--alpha", "2").code == 0
    assert priori("train", "mail.csv", "-o", "/dev/null").code == 0
    assert priori("explain", "mail.priori", "win " * 2000, "--plot", "x.svg").code == 0
    assert Path("x.svg").exists()
    assert priori("inspect", "mail.priori", "--graph").code == 0
