import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.data.formats.message import html_to_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("V<b>ia</b>g<!-- x -->ra", "Viagra"),
        ("one<br>two<p>three<td>four", "one\ntwo\nthree\nfour"),
        ("<style>p {}</style>seen<script>if (a<b) hide()</script>", "seen"),
        ("caf&eacute; &#233; &lt;b&gt;", "café é <b>"),
        ("<a href='http://shop.example.com/x?y'>click</a> here", "click shop.example.com here"),
        ("<a href='http://never.example.com'>closed", "closed never.example.com"),
        ("<img src='http://img.example.com/1.gif' alt='buy now'>", "buy now img.example.com"),
        ("<a href='http://[broken'>x</a>", "x"),
        ("<![if nonsense]>kept<![endif]>", "kept"),
        ("a < b", "a < b"),
        ("many   blanks\n\n and lines", "many blanks and lines"),
    ],
)
def test_what_a_reader_would_see(html, text):
    assert html_to_text(html) == text


@given(st.text(alphabet="<>!-/&;#[]'\"= abpscript", max_size=200))
def test_broken_html_never_fails(html):
    assert isinstance(html_to_text(html), str)
