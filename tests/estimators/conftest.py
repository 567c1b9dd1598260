"""The estimator that most tests begin with."""

import pytest
from messages import LABELS, TEXTS

from priori import TextClassifier


@pytest.fixture
def fitted():
    """Fitted to five messages."""
    return TextClassifier().fit(TEXTS, LABELS)
