"""The number of classes: formulas by hand, evidence by enumeration and by the urn, data whose number is known."""

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.data.folds import folds
from priori.errors import DataError
from priori.latent import (
    Clustering,
    Corpus,
    Recipe,
    Seeds,
    Settings,
    Temper,
    WordPrior,
    choose_classes,
    choose_table,
    cluster,
    em,
    enumerated_log_evidence,
    normalized_mutual_information,
)
from priori.latent.class_number import CRITERIA, choose_cells, mixings_of
from priori.latent.class_number_criteria import (
    Mixing,
    aic,
    bic,
    complete_log_evidence,
    free_parameters,
    held_out_per_word,
    log_evidences,
    stability,
)
from priori.latent.corpus import same_documents

CASES = settings(derandomize=True, deadline=None, max_examples=60)
QUICK = Recipe(restarts=3, largest_share=1.0)


def drawn(seed, shares=(0.5, 0.3, 0.2), documents=150, terms=40, words=20):
    """Documents of classes that lie well apart: words of each are drawn from few of the terms."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(terms, 0.1), len(shares))
    truth = rng.choice(len(shares), documents, p=shares)
    counts = np.array([rng.multinomial(1 + rng.poisson(words), theta[c]) for c in truth])
    return counts, truth


def mixing_of(corpus, number, recipe=QUICK, seeds=None, seed=0):
    (mixing,) = mixings_of(corpus, [number], recipe, seeds, seed=seed, jobs=1)
    return mixing


# --- formulas ---------------------------------------------------------------------------------------------------------


def test_free_parameters_aic_and_bic_by_hand():
    # shares of 3 classes: 2 are free; each class has 4 probabilities of 5 words free, or 5 of words that are there
    assert free_parameters(3, 5) == 2 + 3 * 4
    assert free_parameters(3, 5, "bernoulli") == 2 + 3 * 5
    assert free_parameters(1, 1) == 0
    assert aic(-10.0, 14) == 2 * 14 + 20.0
    assert bic(-10.0, 14, math.e**2) == pytest.approx(14 * 2 + 20.0, rel=1e-15)


def test_one_class_has_the_likelihood_of_relative_frequencies():
    counts, _ = drawn(0, documents=30)
    counts = counts[:, counts.sum(axis=0) > 0]
    row = choose_classes(Corpus.of_counts(counts), [1], criterion="bic", criteria=(), recipe=QUICK).rows[0]
    total = counts.sum(axis=0)
    likelihood = (total * np.log(total / total.sum())).sum()
    assert row.log_likelihood == pytest.approx(likelihood, rel=1e-12)
    assert row.parameters == counts.shape[1] - 1
    assert row.bic == pytest.approx(row.parameters * math.log(30) - 2 * likelihood, rel=1e-12)
    assert row.stability is None and row.evidence is None and row.held_out is None


def test_the_likelihood_is_a_maximum_that_no_tempered_fit_reaches():
    """EM without temper and prior goes on from the fit: at least as high as the fit, and where plain EM stays."""
    counts, _ = drawn(2, documents=60, words=6)
    corpus = Corpus.of_counts(counts[:, counts.sum(axis=0) > 0])
    mixing = mixing_of(corpus, 3)
    shares = mixing.summit().shares
    state, found = mixing.untempered(shares, smoothed=False)
    plain = Settings(mixing.settings.classes, estimate="ml", temper=Temper())
    first, *_, last = islice(em(corpus, plain, shares), 400)
    assert found >= first.log_likelihood
    assert found == pytest.approx(last.log_likelihood, rel=1e-5)
    tempered = next(em(corpus, mixing.settings, shares)).log_likelihood
    assert found > tempered
    assert state.settings.temper.plain and state.settings.estimate == "ml"


@CASES
@given(st.integers(0, 2**32))
def test_complete_evidence_is_the_urn_word_by_word(seed):
    rng = np.random.default_rng(seed)
    counts, labels = rng.integers(0, 3, (5, 4)), rng.integers(0, 2, 5).astype(np.int32)
    prior = WordPrior(0.4, np.array([1], np.int32), np.array([2], np.int32), np.array([1.5]))
    ours = Settings(("a", "b"), words=prior, documents=0.7)
    urns, classes = np.full((2, 4), 0.4), np.full(2, 0.7)
    urns[1, 2] += 1.5
    expected = 0.0
    for row, c in zip(counts, labels, strict=True):
        expected += math.log(classes[c] / classes.sum())
        classes[c] += 1
        for word in np.repeat(np.arange(4), row):
            expected += math.log(urns[c, word] / urns[c].sum())
            urns[c, word] += 1
    found = complete_log_evidence(Corpus.of_counts(counts), labels, ours)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


@CASES
@given(st.integers(0, 2**32))
def test_complete_evidence_of_presence_is_a_coin_for_each_word(seed):
    rng = np.random.default_rng(seed)
    counts, labels = rng.integers(0, 2, (6, 3)), rng.integers(0, 2, 6).astype(np.int32)
    ours = Settings(("a", "b"), event="bernoulli", words=WordPrior.even(0.4))
    coins, classes, expected = np.full((2, 3, 2), 0.4), np.ones(2), 0.0
    for row, c in zip(counts, labels, strict=True):
        expected += math.log(classes[c] / classes.sum())
        classes[c] += 1
        for word, there in enumerate(row):
            expected += math.log(coins[c, word, there] / coins[c, word].sum())
            coins[c, word, there] += 1
    found = complete_log_evidence(Corpus.of_counts(counts), labels, ours)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_the_evidence_of_few_documents_is_that_of_all_labelings():
    counts, _ = drawn(4, shares=(0.5, 0.5), documents=9, terms=6, words=3)
    corpus = Corpus.of_counts(counts[:, counts.sum(axis=0) > 0])
    choice = choose_classes(corpus, [1, 2, 3], criterion="evidence", criteria=(), recipe=Recipe(restarts=3, alpha=0.5))
    assert choice.evidence_kind == "annealed"
    for row in choice.rows:
        exact = enumerated_log_evidence(corpus, row.classes, prior=0.5)
        # with one class nothing is drawn, and no error is left but rounding's
        assert abs(row.evidence - exact) < 5 * row.evidence_error + 1e-11 * abs(exact)
        assert row.evidence_error < 0.2
        planted = enumerated_log_evidence(corpus, row.classes, prior=1.5)  # the prior of whose mode this is the mean
        assert abs(row.evidence - planted) > 5 * row.evidence_error
    complete = [complete_log_evidence(corpus, row.summit.shares.argmax(axis=1).astype(np.int32),
                                      mixing_of(corpus, row.classes, Recipe(alpha=0.5)).settings)
                for row in choice.rows]  # fmt: skip
    assert all(
        one <= row.evidence + 5 * row.evidence_error + 1e-9 for one, row in zip(complete, choice.rows, strict=True)
    )


def test_annealing_whose_runs_do_not_agree_is_not_shown():
    counts, _ = drawn(0, documents=150, words=40)
    corpus = Corpus.of_counts(counts[:, counts.sum(axis=0) > 0])
    mixings = [mixing_of(corpus, number) for number in (1, 3)]
    shares = [mixing.summit().shares for mixing in mixings]
    found = log_evidences(mixings, shares)
    assert found.kind == "complete" and found.errors == (None, None)
    labels = shares[1].argmax(axis=1).astype(np.int32)
    assert found.values[1] == complete_log_evidence(mixings[1].corpus, labels, mixings[1].settings)


def test_evidences_within_their_errors_are_equal():
    """Of numbers that noise may have put in order the smallest is taken; complete-data evidence has no noise."""
    corpus = Corpus.of_counts(drawn(0, documents=20)[0])
    choice = choose_classes(corpus, [1, 2, 3], criterion="bic", criteria=(), recipe=QUICK)

    def chosen(errors):
        rows = zip(choice.rows, (-10.0, -9.5, -9.0), errors, strict=True)
        told = tuple(replace(row, evidence=value, evidence_error=error) for row, value, error in rows)
        return replace(choice, rows=told).chosen_by("evidence")

    assert chosen((None, None, None)) == 3
    assert chosen((0.0, 0.2, 0.2)) == 3
    assert chosen((0.0, 0.3, 0.25)) == 2
    assert chosen((0.5, 0.0, 0.5)) == 1
    assert chosen((9.0, 0.0, 0.0)) == 1


def test_without_a_prior_there_is_no_evidence():
    corpus = Corpus.of_counts(drawn(0, documents=20)[0])
    choice = choose_classes(corpus, [1, 2], criterion="evidence", criteria=(), recipe=Recipe(estimate="ml", restarts=2))
    assert choice.evidence_kind is None and choice.chosen_by("evidence") is None
    with pytest.raises(DataError, match="evidence says nothing"):
        choice.classes  # noqa: B018


def test_held_out_likelihood_of_one_class_by_hand():
    counts, _ = drawn(1, documents=24)
    counts = counts[:, counts.sum(axis=0) > 0]
    corpus = Corpus.of_counts(counts)
    dealt = folds(24, 4, 3, groups=same_documents(corpus))
    total = 0.0
    for part in range(4):
        learned = counts[dealt != part].sum(axis=0) + 0.1
        total += (counts[dealt == part] @ np.log(learned / learned.sum())).sum()
    found = held_out_per_word(mixing_of(corpus, 1, seed=3), parts=4)
    assert found == pytest.approx(total / counts.sum(), rel=1e-12)


def test_stability_is_the_agreement_of_halves():
    """Each half learned by plain numpy from where the library's climb begins would end there too: NMI of all labels."""
    counts, truth = drawn(0, documents=80)
    corpus = Corpus.of_counts(counts[:, counts.sum(axis=0) > 0])
    mixing = mixing_of(corpus, 3)
    found = stability(mixing, splits=2, restarts=3)
    expected = []
    for split in (0, 1):
        dealt = folds(80, 2, split, groups=same_documents(corpus))
        labels = []
        for half in (0, 1):
            part = mixing.of(np.flatnonzero(dealt == half), split, 3)
            shares = part.summit().shares
            dense = counts[:, counts.sum(axis=0) > 0]
            theta = shares.T @ dense[dealt == half] + 0.1
            joint = dense @ np.log(theta / theta.sum(axis=1, keepdims=True)).T + np.log(shares.sum(axis=0) + 1)
            labels.append(joint.argmax(axis=1))
        expected.append(normalized_mutual_information(*labels))
    assert found == pytest.approx(np.mean(expected), rel=1e-12)
    assert found > 0.95  # these classes lie apart
    noise = Corpus.of_counts(np.random.default_rng(0).poisson(1.0, (80, 20)))
    assert stability(mixing_of(noise, 3), splits=2, restarts=3) < 0.3
    del truth


# --- data whose number of classes is known ----------------------------------------------------------------------------


def chosen_over_seeds(drawn_by, numbers, seeds):
    """How often each criterion, and as the planted bug the likelihood without any penalty, chooses which number."""
    chosen = {name: Counter() for name in (*CRITERIA, "likelihood")}
    for seed in range(seeds):
        choice = choose_classes(
            Corpus.of_counts(drawn_by(seed)), numbers, criterion="bic", recipe=QUICK, folds=3, splits=2, restarts=2
        )
        for name in CRITERIA:
            chosen[name][choice.chosen_by(name)] += 1
        chosen["likelihood"][max(choice.rows, key=lambda row: row.log_likelihood).classes] += 1
    return chosen


def test_every_criterion_mostly_finds_classes_that_lie_apart():
    chosen = chosen_over_seeds(lambda seed: drawn(seed, documents=100)[0], range(2, 5), 5)
    for name in CRITERIA:
        assert chosen[name][3] >= 3, name
    assert chosen["bic"][3] == 5
    assert chosen["likelihood"][3] == 0


def test_the_fit_of_the_number_chosen_has_the_classes():
    counts, truth = drawn(0)
    recipe = Recipe(restarts=5, largest_share=1.0)
    choice = choose_classes(
        Corpus.of_counts(counts), range(2, 5), criteria=("stability",), recipe=recipe, splits=3, restarts=3
    )
    assert choice.classes == 3
    labels = choice[3].summit.shares.argmax(axis=1)
    assert normalized_mutual_information(truth, labels) > 0.95


def test_where_there_is_one_class_all_but_stability_mostly_say_so():
    def same_words(seed):
        return np.random.default_rng(seed).multinomial(20, np.full(15, 1 / 15), 80)

    chosen = chosen_over_seeds(same_words, range(1, 4), 5)
    for name in ("aic", "held_out"):
        assert chosen[name][1] >= 3, name
    for name in ("bic", "evidence"):
        assert chosen[name][1] == 5, name
    assert chosen["stability"][1] == 0  # it has nothing to say of one class
    assert chosen["likelihood"][1] == 0


# --- the choice -------------------------------------------------------------------------------------------------------


def test_the_table_stars_the_best_and_says_who_chose():
    counts, _ = drawn(0, documents=60)
    told = []
    choice = choose_classes(
        Corpus.of_counts(counts), [2, 1, 3, 2], recipe=QUICK, splits=1, folds=2, progress=lambda *at: told.append(at)
    )
    assert [row.classes for row in choice.rows] == [1, 2, 3] and told == [(done, 7) for done in range(7)]
    head, *rows = choose_cells(choice)
    assert len(rows) == 3 and all(len(row) == len(head) for row in rows)
    for column in range(3, len(head)):
        assert sum(row[column].endswith("*") for row in rows) == 1
    text = choose_table(choice)
    assert f"{choice.classes} classes, by stability." in text and "BIC would choose" in text
    assert "untempered" in text and "Stability cannot say that there is one class only" in text
    plain = json.loads(json.dumps(choice.to_json(), allow_nan=False))
    assert plain["rows"][0]["stability"] is None and plain["classes"] == choice.classes
    assert plain["chosen_by"]["bic"] == choice.chosen_by("bic")
    with pytest.raises(DataError, match="no row of 9 classes"):
        choice[9]


def test_the_choice_does_not_depend_on_threads():
    corpus = Corpus.of_counts(drawn(0, documents=60)[0])
    one, two = (choose_classes(corpus, [2, 3], recipe=QUICK, splits=1, folds=2, jobs=jobs).to_json() for jobs in (1, 2))
    assert one == two


def test_known_labels_and_seed_words_keep_their_classes():
    counts, truth = drawn(0, documents=60)
    counts = counts[:, counts.sum(axis=0) > 0]
    names = [("x", "y", "z")[c] if i < 20 else None for i, c in enumerate(truth)]
    corpus = Corpus.of_counts(counts, names)
    word = corpus.term_text(int(counts[truth == 0].sum(axis=0).argmax()))
    seeds = Seeds({"w": {word: 5.0}})  # a class before the others in order, so that theirs move on by one
    mixing = mixing_of(corpus, 5, seeds=seeds)
    assert mixing.settings.classes == ("w", "x", "y", "z", "1")
    assert [mixing.settings.classes[c] if c >= 0 else None for c in mixing.corpus.cls] == names
    shares = mixing.summit().shares
    known = mixing.corpus.labelled
    np.testing.assert_array_equal(shares[known].argmax(axis=1), mixing.corpus.cls[known])
    with pytest.raises(DataError, match="3 classes have a label"):
        choose_classes(corpus, [2], recipe=QUICK)


def test_seed_words_are_analyzed_as_for_a_clustering_however_they_are_given(tmp_path):
    counts, truth = drawn(0, documents=60)
    corpus = Corpus.of_counts(counts)
    most = [counts[truth == c].sum(axis=0).argmax() for c in range(3)]
    table = {name: [corpus.term_text(int(term)).upper()] for name, term in zip("xyz", most, strict=True)}
    (tmp_path / "seeds.json").write_text(json.dumps(table), encoding="utf-8")
    expected = cluster(corpus, seeds=table, recipe=QUICK)
    for seeds in (table, Seeds.of(table), tmp_path / "seeds.json", str(tmp_path / "seeds.json")):
        (row,) = choose_classes(corpus, [3], criterion="bic", criteria=(), recipe=QUICK, seeds=seeds).rows
        np.testing.assert_array_equal(row.summit.shares.argmax(axis=1), expected.assigned)
    with pytest.raises(DataError, match="no document has a seed word of 'x'"):
        choose_classes(corpus, [3], seeds={"x": ["nobody"]})
    empty = np.pad(counts, ((0, 0), (0, 1)))  # a term of no document
    with pytest.raises(DataError, match="no document has a seed word of 'x'"):
        choose_classes(Corpus.of_counts(empty), [3], seeds={"x": [f"t{counts.shape[1]}"]})


@pytest.mark.parametrize(
    ("recipe", "seeds", "labelled", "said"),
    [
        (Recipe(components=2), None, 0, "which of the components make up a class without a name is arbitrary"),
        (Recipe(event="bernoulli"), {"a": ["t00"]}, 0, "the Bernoulli has none; use multinomial"),
        (Recipe(event="bernoulli"), None, 0, "some are counted twice; count binary"),
        (QUICK, None, 30, "every document has a label"),
        (QUICK, None, 3, "3 classes have a label or seed words, but only 2 are asked for"),
    ],
)
def test_what_a_clustering_refuses_is_refused_before_any_fitting(recipe, seeds, labelled, said, monkeypatch):
    monkeypatch.setattr(Mixing, "summit", lambda mixing: pytest.fail("something was fitted"))
    counts, _ = drawn(0, documents=30)
    corpus = Corpus.of_counts(counts, ["x", "y", "z"] * (labelled // 3) + [None] * (30 - labelled))
    least = 3 if labelled == 30 else 2
    with pytest.raises(DataError, match=said):
        Clustering(corpus, least, recipe=recipe, seeds=seeds)
    with pytest.raises(DataError, match=said):
        choose_classes(corpus, [least, 4], recipe=recipe, seeds=seeds)


def test_several_components_and_bernoulli_words_have_their_parameters():
    counts, _ = drawn(0, documents=40)
    corpus = Corpus.of_counts(np.minimum(counts[:, counts.sum(axis=0) > 0], 1), ["a"] * 4 + [None] * 36)
    terms = corpus.terms
    recipe = Recipe(restarts=2, components=2, event="bernoulli", alpha=1.0)
    choice = choose_classes(corpus, [2], criterion="bic", criteria=("evidence", "stability"), recipe=recipe, splits=1)
    assert choice.rows[0].parameters == 3 + 4 * terms
    assert choice.evidence_kind == "complete" and 0 <= choice.rows[0].stability <= 1


def test_what_cannot_be_chosen_among():
    corpus = Corpus.of_counts(drawn(0, documents=20)[0])
    with pytest.raises(DataError, match="no number of classes"):
        choose_classes(corpus, [])
    with pytest.raises(DataError, match="no number of classes"):
        choose_classes(corpus, [0, 1])
    with pytest.raises(DataError, match="11 classes are asked of 20 different documents"):
        choose_classes(corpus, [2, 11])
    with pytest.raises(DataError, match="30 classes are asked of 20 documents"):
        choose_classes(corpus, [30])
    with pytest.raises(DataError, match="criterion 'icl' is unknown"):
        choose_classes(corpus, [2], criterion="icl")


@pytest.mark.parametrize("criterion", [held_out_per_word, stability])
def test_copies_of_a_document_are_on_one_side(criterion, monkeypatch):
    counts, _ = drawn(5, documents=40)
    corpus = Corpus.of_counts(np.concatenate([counts, counts]))
    mixing, learned, of = mixing_of(corpus, 2), [], Mixing.of

    def noting(self, rows, *given):
        learned.append(set(rows.tolist()))
        return of(self, rows, *given)

    monkeypatch.setattr(Mixing, "of", noting)
    criterion(mixing, 2, 1)
    assert len(learned) == (2 if criterion is held_out_per_word else 4)
    assert all((row in part) == (row + 40 in part) for part in learned for row in range(40))
