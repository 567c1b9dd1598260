"""What the tests of families assert alike."""

import pytest


def assert_refused(error, call, *words):
    """The call raises this error, its line has a remedy after a semicolon, and these words."""
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "; " in message
    assert "\n" not in message
    assert "nan" not in message.split()
    assert all(word in message for word in words), message
