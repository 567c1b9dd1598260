"""What the tests of families assert alike."""

import numpy as np
import pytest
from hypothesis import assume

from priori.errors import EstimateError


def assert_refused(error, call, *words):
    """The call raises this error, its line has a remedy after a semicolon, and these words."""
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "; " in message
    assert "\n" not in message
    assert "nan" not in message.split()
    assert all(word in message for word in words), message


def assert_mode_is_best(posterior):
    """No parameters near the mode, if there is one, have a larger density."""
    try:
        mode = posterior.mode()
    except EstimateError:
        assume(False)
    draws = posterior.sample(20, np.random.default_rng(0))
    at_mode = {name: mode.parameters[name] for name in draws}
    best = float(posterior.log_prob(**at_mode))
    for share in (1.0, 0.1, 1e-3):
        near = {name: (1 - share) * np.asarray(at_mode[name]) + share * values for name, values in draws.items()}
        assert (posterior.log_prob(**near) <= best + 1e-9 * max(1.0, abs(best))).all()
