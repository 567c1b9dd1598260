"""A smoothing as a value: text and back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.errors import DataError
from priori.language.smoothing import Smoothing


@given(st.sampled_from(["dirichlet", "jelinek-mercer", "absolute"]), st.floats(1e-300, 1.0))
def test_its_text_says_all_of_it(method, parameter):
    """Files hold the text: a number that lost a digit there would be another reading."""
    one = Smoothing(method, parameter)
    assert Smoothing.of(str(one)) == one


def test_whole_numbers_are_written_plainly():
    assert str(Smoothing("dirichlet", 500.0)) == "dirichlet:500"
    assert str(Smoothing()) == "kneser-ney"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("witten-bell", "is unknown; choose kneser-ney"),
        ("kneser-ney:0.7", "takes no number; leave 0.7 out"),
        ("dirichlet:", "'' is no number; give an imagined count"),
        ("dirichlet:-1", "is out of range; give an imagined count from 0"),
        ("dirichlet:inf", "out of range"),
        ("jelinek-mercer:1.5", "is out of range; give the weight of shorter histories, from 0 to 1"),
        ("absolute:0", "is out of range; give a discount above 0"),
        ("absolute:nan", "out of range"),
    ],
)
def test_what_is_no_smoothing_is_refused(text, said):
    with pytest.raises(DataError, match=said.replace("(", r"\(")):
        Smoothing.of(text)
