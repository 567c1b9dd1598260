"""priori rank prints documents as JSON lines, the likeliest first."""

import pytest

NEWS = "body,label\nthe cat sat on the cat,x\na dog ran,y\nthe dog and the dog and a cat,y\n"


def test_documents_are_ranked(priori, tmp_path):
    (tmp_path / "news.csv").write_text(NEWS)
    ran = priori("rank", "news.csv", "cat zebra", "--text", "body", "--smoothing", "dirichlet:2", "-n", 2)
    assert ran.code == 0 and [row["index"] for row in ran.lines] == [0, 2]
    assert list(ran.lines[0]) == ["index", "score", "text"] and ran.lines[0]["text"] == "the cat sat on the cat"
    assert "no document has 'zebra': left out" in ran.err and "3 documents; dirichlet:2" in ran.err
    quiet = priori("rank", "news.csv", "cat", "--text", "body", "--json", "-q")
    assert quiet.err == "" and len(quiet.lines) == 3
    only = priori("rank", "news.csv", "dog", "--text", "body", "--where", "label=y", "-q").lines
    assert {row["text"] for row in only} == {"a dog ran", "the dog and the dog and a cat"}
    piped = priori("rank", "-", "lunch", "--format", "txt", stdin="free lunch\nsee you\n")
    assert piped.lines[0]["text"] == "free lunch" and "left-out words find no best mu" in piped.err


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        (("news.csv", "zebra", "--text", "body"), 1, "no document has a word of 'zebra'"),
        (("news.csv", "cat"), 1, "text"),
        (("none.csv", "cat"), 1, "none.csv"),
        (("news.csv", "cat", "--text", "body", "--smoothing", "bm25"), 2, "choose dirichlet"),
        (("news.csv",), 2, "QUERY"),
    ],
)
def test_what_cannot_be_ranked_is_said(priori, tmp_path, given, code, says):
    (tmp_path / "news.csv").write_text(NEWS)
    ran = priori("rank", *given)
    assert ran.code == code and says in ran.err and ran.out == ""
