"""Classes of several components: what the model says is what EM had, and a class is the sum of its parts."""

import numpy as np
import pytest
from scipy.special import logsumexp

import priori
from priori.data import read_objects
from priori.errors import DataError
from priori.latent import Corpus, Recipe, cluster
from priori.text import Analyzer


@pytest.fixture(scope="module")
def texts():
    """Two classes; one of them is of two sorts that share no words."""
    rng = np.random.default_rng(0)
    sorts = {"sport": ["puck goal ice skate team", "bat base pitch inning mound"], "food": ["bread soup salt oven pan"]}
    made = [(label, " ".join(rng.choice(words.split(), 7))) for label, kinds in sorts.items() for words in kinds * 40]
    order = rng.permutation(len(made))
    labels = [made[i][0] if k < 30 else None for k, i in enumerate(order)]
    return [made[i][1] for i in order], labels, [made[i][0] for i in order]


def test_a_class_of_two_sorts(texts, tmp_path):
    words, labels, truth = texts
    corpus = Corpus.of(lambda: read_objects(words, labels), Analyzer(binary=True))
    found = cluster(corpus, recipe=Recipe(components=2, largest_share=1.0))
    model = found.model
    assert model.labels == ("food", "sport")
    assert model.counts.labels == ("food (1)", "food (2)", "sport (1)", "sport (2)")
    batch = next(read_objects(words))
    assert (np.array(model.labels)[model.posterior(batch).argmax(axis=1)] == truth).mean() > 0.95
    parts = model._score(batch, "joint", 1)
    joint = np.stack([logsumexp(parts[:, :2], axis=1), logsumexp(parts[:, 2:], axis=1)], axis=1)
    np.testing.assert_allclose(model.log_joint(batch), joint, rtol=1e-12)
    unlabelled = ~corpus.labelled
    np.testing.assert_allclose(model.posterior(batch)[unlabelled], found.probabilities[unlabelled], atol=1e-4)
    assert model.posterior_of_texts(words[:3]) == pytest.approx(model.posterior(batch)[:3])
    assert [term.label for term in found.telling(2)["sport"]] == ["sport", "sport"]
    model.save(tmp_path / "parts.priori")
    back = priori.load(tmp_path / "parts.priori")
    assert back.classes_.tolist() == ["food", "sport"]
    assert (back.predict_proba(words) == model.posterior_of_texts(words)).all()
    with pytest.raises(DataError, match="several components"):
        back.explain(words[0])
