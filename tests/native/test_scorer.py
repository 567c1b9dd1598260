"""The scorer's two ways of finding terms: by binary search for a few, by an index of its own once that pays."""

import numpy as np
import pytest

from corpora import model_of
from priori.columns.words.readings import Readings


def random_rows(classes, documents=400, vocabulary=300):
    """Frequent words in all classes, rare ones in few, some too long to be compared by their key."""
    random = np.random.default_rng(0)
    words = [f"w{i}" if i % 7 else f"longerthansixteenbytes{i}" for i in range(vocabulary)]
    weights = 1 / np.arange(1, vocabulary + 1)
    sizes = random.integers(0, 300, documents)
    texts = [" ".join(random.choice(words, size, p=weights / weights.sum())) for size in sizes]
    return [(text, f"c{label}") for text, label in zip(texts, random.integers(0, classes, documents), strict=True)]


@pytest.mark.parametrize("classes", [1, 2, 4, 5, 8, 9, 12, 13, 16, 17, 40])
@pytest.mark.parametrize("event", ["multinomial", "complement"])
def test_a_score_is_the_same_number_whichever_way_terms_are_found(classes, event):
    rows = random_rows(classes)
    short = [text for text, _ in rows if 0 < len(text.split()) < 15]
    assert len({word for text, _ in rows for word in text.split()}) > 20 * 14  # or the index would be built for them
    searching = [
        model_of(rows, readings=Readings(event=event)).scorer.score([text], [], "joint", 1)[0] for text in short
    ]
    indexed = model_of(rows, readings=Readings(event=event))
    indexed.scorer.score([" ".join(text for text, _ in rows)], [], "joint", 1)  # so many that the index is built
    assert len(short) > 10
    np.testing.assert_array_equal(indexed.scorer.score(short, [], "joint", 1), searching)
