"""priori generate draws documents that the other commands read again."""

import pytest


def test_documents_are_json_lines_or_a_table(priori, mail):
    ran = priori("generate", "mail.priori", "-n", 20, "--seed", 3)
    assert ran.code == 0 and ran.err == "" and len(ran.lines) == 20
    assert {tuple(row) for row in ran.lines} == {("label", "text")}
    assert {row["label"] for row in ran.lines} == {"ham", "spam"}
    assert priori("generate", "mail.priori", "-n", 20, "--seed", 3, "--json").out == ran.out
    assert priori("generate", "mail.priori", "-n", 20, "--seed", 4).out != ran.out
    only = priori("generate", "mail.priori", "--label", "spam", "--label-column", "kind").lines
    assert [row["kind"] for row in only] == ["spam"] * 10
    for name in ("g.csv", "g.parquet", "g.jsonl.gz"):
        ran = priori("generate", "mail.priori", "-o", name, "-n", 20, "--seed", 3)
        assert ran.out == "" and "20 documents" in ran.err
        assert priori("evaluate", "mail.priori", name, "--json").json["n"] == 20


def test_fields_are_columns(priori, tmp_path):
    (tmp_path / "f.csv").write_text("text,title,label\ngood phone,buy it,yes\nbad screen,never again,no\n")
    assert priori("train", "f.csv", "--field", "title", "--alpha", 0, "--estimate", "ml", "-o", "f.priori").code == 0
    rows = priori("generate", "f.priori", "-n", 50, "--seed", 0).lines
    assert set(rows[0]) == {"label", "text", "title"}
    for column, words in (("text", {"good", "phone", "bad", "screen"}), ("title", {"buy", "it", "never", "again"})):
        assert {word for row in rows for word in row[column].split()} == words


@pytest.mark.parametrize(
    ("trained", "given", "code", "says"),
    [
        ((), ("--label", "eggs"), 1, "no class 'eggs'; the model's are ham, spam"),
        ((), ("--label-column", "text"), 2, "--label-column"),
        (("--event", "complement"), (), 1, "discriminant"),
        (("--ngrams", "1-2"), (), 1, "language model"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(priori, mail, trained, given, code, says):
    assert priori("train", "mail.csv", "-o", "m.priori", *trained).code == 0
    ran = priori("generate", "m.priori", *given)
    assert ran.code == code and says in ran.err and ran.out == ""
    assert code == 2 or ran.err.count("\n") == 1
