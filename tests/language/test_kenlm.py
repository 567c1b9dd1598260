"""Models exported to ARPA score real sentences as we do when the kenlm package reads them."""

import math
from itertools import accumulate

import kenlm
import pytest
from small_corpora import LanguageModel

from corpora import dataset, needs_data
from priori import Analyzer

CLOSE = 1e-4  # log10 of a sentence; ARPA has the logarithms of each n-gram in a few digits


def as_kenlm_reads(name, order, smoothing, path, learned):
    texts, _ = dataset(name)
    texts = [" ".join(Analyzer().features_of(text)) for text in texts]
    model = LanguageModel(order=order, smoothing=smoothing, tokenizer=str.split).fit(texts[:learned])
    model.to_arpa(path)
    reader = kenlm.Model(str(path))
    assert reader.order == order
    known = {word for text in texts[:learned] for word in text.split()}
    with_unknown = 0
    for text in [*texts[:200], *texts[learned : learned + 400], "", "neverseen", "the neverseen the"]:
        expected = model.log_prob(text) / math.log(10)
        each = [p for p, _, _ in reader.full_scores(text)]
        assert math.fsum(each) == pytest.approx(expected, abs=CLOSE), text
        # subtle: its own sum is one of single floats, which alone may move a long text by more
        rounded = 2**-24 * math.fsum(map(abs, accumulate(each)))
        assert reader.score(text) == pytest.approx(expected, abs=CLOSE + rounded), text
        with_unknown += not known.issuperset(text.split())
    assert with_unknown > 50
    # a model with the words of one sentence in another order must not pass
    turned = " ".join(reversed(texts[0].split()))
    assert abs(reader.score(turned) - model.log_prob(texts[0]) / math.log(10)) > 100 * CLOSE


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:500", "jelinek-mercer:0.4", "absolute:0.7"])
@pytest.mark.parametrize("order", [2, 3, 5])
def test_messages_are_scored_alike(order, smoothing, tmp_path):
    as_kenlm_reads("sms_spam", order, smoothing, tmp_path / "sms.arpa", 4_000)


@needs_data
@pytest.mark.parametrize("order", [3, 5])
def test_sentences_of_reviews_are_scored_alike(order, tmp_path):
    as_kenlm_reads("mr", order, "kneser-ney", tmp_path / "mr.arpa", 8_000)
