import mailbox
import os
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import read_batches, read_rows, write

from priori.data.formats.mail import split_mbox
from priori.data.formats.message import decode_bytes, read_message
from priori.errors import DataError

DATA = os.environ.get("PRIORI_DATA")  # the folder with the real mailboxes, where they are at hand


def message(subject: str, body: str) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = "Ann <ann@example.org>"
    mail.set_content(body)
    return mail


def test_an_mbox_is_one_class_with_headers_as_fields(tmp_path):
    box = mailbox.mbox(tmp_path / "spam.mbox")
    for i in range(5):
        box.add(message(f"Café {i}", f"body {i}\n\nFrom here on\nnothing\n"))
    box.close()
    for batch_bytes in (1, 1 << 20):
        batches = read_batches(tmp_path / "spam.mbox", batch_bytes=batch_bytes, keep=("From",))
        texts = [t for b in batches for t in b.text.to_pylist()]
        assert [t.split("\n")[0] for t in texts] == [f"body {i}" for i in range(5)]
        assert all("\nFrom here on" in t for t in texts)
        assert [s for b in batches for s in b.fields["subject"].to_pylist()] == [f"Café {i}" for i in range(5)]
        assert list(batches[0].fields) == ["subject", "from", "to", "reply-to"]
        assert batches[0].fields["to"].to_pylist()[0] == ""
        assert {y for b in batches for y in b.label.to_pylist()} == {"spam"}
        assert batches[0].keep["from"][0].as_py() == "Ann <ann@example.org>"
    path = tmp_path / "spam.mbox"
    assert [y for y, _ in read_rows(f"junk={path}")] == ["junk"] * 5
    assert [y for y, _ in read_rows(path, label=None)] == [None] * 5


@pytest.mark.parametrize("block", [b"From what I hear,\nit works", b"xFrom a 12:00:00", b">From b 12:00:00 2001"])
def test_only_separators_separate(block):
    box = b"From a 12:00:00 2001\nSubject: x\n\n" + block + b"\n\nFrom b\nSubject: y\n\nsecond\n"
    assert len(list(split_mbox(iter(box.splitlines(keepends=True))))) == 2


def test_a_maildir_and_a_folder_of_mailboxes(tmp_path):
    for name in ("ham", "spam"):
        box = mailbox.Maildir(tmp_path / name)
        box.add(message("one", f"{name} one"))
        box.add(message("two", f"{name} two"))
    assert sorted(read_rows(tmp_path / "ham")) == [("ham", "ham one\n"), ("ham", "ham two\n")]
    junk = mailbox.mbox(tmp_path / "junk.mbox")
    junk.add(message("three", "three"))
    junk.close()
    assert sorted({y for y, _ in read_rows(tmp_path)}) == ["ham", "junk", "spam"]
    assert len(read_rows(tmp_path)) == 5


def test_single_mails(tmp_path):
    path = write(tmp_path / "ham" / "a.eml", message("hi", "hello").as_bytes())
    write(tmp_path / "spam" / "00001.abc", message("win", "now").as_bytes())
    assert read_rows(f"ham={path}") == [("ham", "hello\n")]
    assert read_rows(path, label_required=False) == [(None, "hello\n")]
    assert read_rows(tmp_path, format="eml") == [("ham", "hello\n"), ("spam", "now\n")]
    with pytest.raises(DataError, match="LABEL="):
        read_batches(path)


def test_what_is_no_mbox_is_refused(tmp_path):
    with pytest.raises(DataError, match="not an mbox file"):
        read_batches(write(tmp_path / "a.mbox", "hello"))
    assert read_batches(write(tmp_path / "b.mbox", "")) == []


def test_plain_text_is_preferred_and_html_is_turned_to_text():
    mail = message("x", "plain words")
    mail.add_alternative("<p>rich words</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="offer.pdf")
    document = read_message(mail.as_bytes())
    assert document.text.strip() == "plain words"
    assert document.headers["attachment"] == "application/pdf offer.pdf"
    mail = message("x", " \n")
    mail.add_alternative("<p>rich&nbsp;words</p>", subtype="html")
    assert read_message(mail.as_bytes()).text.strip() == "rich words"


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ("Content-Type: text/plain; charset=nonsense", b"caf\xc3\xa9", "café"),
        ("Content-Type: text/plain; charset=utf-8", b"caf\xe9", "café"),
        ("Content-Type: text/plain; charset=us-ascii", b"caf\xc3\xa9", "café"),
        ("Content-Type: text/plain; charset=gb2312", "中文 镕".encode("gb18030"), "中文 镕"),
        ("Content-Transfer-Encoding: base64", b"aGVsbG8gd29ybGQ", "hello world"),
        ("Content-Transfer-Encoding: quoted-printable", b"caf=C3=A9 =ZZ", "café =ZZ"),
        ("Content-Type: multipart/mixed; boundary=never", b"lost words", "lost words"),
        ("Content-Type: multipart/mixed", b"lost words", "lost words"),
        ("Content-Type: ;;;", b"words", "words"),
        ("Content-Type: text/html", b"<b>wo</b>rds", "words"),
    ],
)
def test_charset_and_transfer_mistakes_are_survived(headers, body, expected):
    assert read_message(f"{headers}\n\n".encode() + body).text.strip() == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"=?utf-8?q?caf=C3=A9?= au lait", "café au lait"),
        (b"=?iso-8859-1?b?Y2Fm6Q==?=", "café"),
        (b"=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
        (b"=?nonsense?q?caf=C3=A9?=", "café"),
        (b"caf\xc3\xa9", "café"),
        (b"caf\xe9", "café"),
        (b"folded\n line", "folded line"),
        (b"=?utf-8?b?aaaaa?=", "=?utf-8?b?aaaaa?="),
    ],
)
def test_headers_are_decoded(raw, expected):
    assert read_message(b"Subject: " + raw + b"\n\nbody").headers["subject"] == expected


def test_parts_nested_without_end_do_not_break_it():
    raw = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000))
    assert "words" in read_message(raw + b"\n\nwords").text


@given(st.binary(max_size=300), st.sampled_from(["utf-7", "idna", "x\0y", "rot13", "unicode_escape", "", "utf-16"]))
def test_no_bytes_can_make_it_fail(raw, charset):
    decode_bytes(raw, charset).encode("utf-8", "surrogatepass")
    types = (b"text/html", b"multipart/alternative; boundary=a", b"message/rfc822", b"text/plain; charset*=u'%")
    for kind in types:
        message = read_message(b"Subject: =?u?b?" + raw + b"\nContent-Type: " + kind + b"\n\n--a\n" + raw)
        assert "subject" in message.headers


@pytest.mark.skipif(DATA is None, reason="PRIORI_DATA names no folder with the real mailboxes")
@pytest.mark.parametrize("name", ["ham", "spam", "mixed"])
def test_real_mailboxes_have_as_many_messages_as_the_mailbox_module_finds(name):
    path = Path(str(DATA)) / f"spamassassin_{name}.mbox"
    with closing(mailbox.mbox(path, create=False)) as box:
        count = len(box)
    documents = read_rows(path)
    assert len(documents) == count
    assert sum(not text.strip() for _, text in documents) <= 1
