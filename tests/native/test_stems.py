"""Stems and the words they were written as, against plain Python; each distinct word is asked for once."""

import sys

import pytest
import Stemmer
from counting import Document, add, brute_force, in_plain_words, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty_texts import texts as nasty_texts
from words_reference import features, forms, stems_of, written_words

from corpora import dataset, model_of
from priori import TextClassifier, _core, load
from priori.errors import DataError, MergeError
from priori.statistics.word_forms import Forms
from priori.text import Analyzer
from priori.text.stems import CODES

WORDS = [
    "run",
    "runs",
    "running",
    "Ran",
    "compute",
    "computers",
    "don't",
    "the",
    "é",
    "漢字",
    "x" * 17 + "ing",
    "x" * 17,
    "s",
]
LABELS = ["ham", "spam", "é"]
sentences = st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join)
some_texts = st.one_of(sentences, sentences, nasty_texts)
weights = st.sampled_from([1, 1, 2, 0, 2**20])
documents = st.lists(
    st.builds(
        Document,
        label=st.sampled_from(LABELS),
        text=some_texts,
        fields=st.tuples(st.tuples(st.just("subject:"), st.one_of(st.none(), sentences))),
        weight=weights,
    ),
    max_size=8,
)
orders = st.sampled_from([(1, 1), (1, 2), (2, 3)])
rows = st.lists(st.tuples(sentences, st.sampled_from(LABELS), st.sampled_from([1.0, 0.5, 2.0])), min_size=1, max_size=8)


def decoded(text):
    return text.encode("utf-8", "replace").decode()


def asked_of(language="english", stop_words=None, ngrams=(1, 1)):
    """A compiled analyzer, and the words that its stemmer was asked for."""
    stem, asked = Stemmer.Stemmer(language, 0), []

    def stems(words):
        asked.extend(words)
        return stem.stemWords(words)

    return _core.Analyzer.of("words", ngrams, True, False, 1, False, None, stop_words, stems), asked


def table_of(found):
    """Forms as plain values."""
    return dict(zip(zip(*found.stems_and_words, strict=True), found.occurrences, strict=True))


@settings(max_examples=300, deadline=None)
@given(some_texts, st.sampled_from(["english", "spanish", "russian", "turkish"]), orders, st.booleans())
def test_features_equal_plain_python(text, language, ngrams, stopped):
    entries = ["the", "don't", "running"] if stopped else []
    analyzer = Analyzer(stem=language, ngrams=ngrams).with_stop_words(entries or None)
    text = decoded(text)
    assert analyzer.features_of(text) == features(text, entries, language, ngrams)
    assert [word for _, word in analyzer.written(text)] == features(text, entries, None, ngrams)


@pytest.mark.parametrize("language", sorted(Stemmer.algorithms()))
def test_every_algorithm(language):
    texts, _ = dataset("sms_spam")
    analyzer = Analyzer(stem=language)
    for text in texts[:40]:
        assert analyzer.features_of(text) == features(text, (), language)


@settings(max_examples=200, deadline=None)
@given(documents, orders, st.booleans())
def test_counts_equal_brute_force(corpus, ngrams, stopped):
    """The counter goes by the words as written, the analyzer by its memory of stems: two ways to the same counts."""
    analyzer, _ = asked_of(stop_words=["the", "don t"] if stopped else None, ngrams=ngrams)
    counter = _core.Counter.of(analyzer, None, True)
    add(counter, corpus)
    finished = counter.finish()
    assert in_plain_words(finished) == brute_force(analyzer, corpus)
    expected = forms(
        [decoded(text) for d in corpus for _, text in d.segments()],
        ["the", "don't"] if stopped else [],
        weights=[d.weight for d in corpus for _ in d.segments()],
    )
    assert table_of(Forms.from_core(finished["forms"], 0)) == expected
    assert terms_of(finished["forms"]) == sorted(f"{stem}\0{word}".encode() for stem, word in expected)


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_each_distinct_word_is_asked_for_once(ngrams):
    texts, labels = dataset("sms_spam")
    analyzer, asked = asked_of(stop_words=["the", "to"], ngrams=ngrams)
    counter = _core.Counter.of(analyzer, None, True)
    for begin in range(0, len(texts), 1000):
        counter.add(texts[begin : begin + 1000], labels[begin : begin + 1000], None, [])
    counter.finish()
    distinct = {word for text in texts for word in written_words(text, ["the", "to"])}
    assert len(asked) == len(set(asked)) == len(distinct) and set(asked) == distinct
    for text in texts[:50]:  # nor is any asked for again in another pass
        analyzer.features(text)
    assert len(asked) == len(distinct)


def test_the_count_would_see_a_stemmer_asked_for_each_occurrence():
    """The planted bug: a call for each occurrence is as many as there are words."""
    texts, _ = dataset("sms_spam")
    words = [word for text in texts for word in written_words(text)]
    assert len(words) > 5 * len(set(words))


def test_known_words_are_not_asked_for(tmp_path, monkeypatch):
    """A model loaded where PyStemmer is missing knows its words, and says what is missing at the first other."""
    texts, labels = ["computers compute", "running runners", "a computer"], ["x", "y", "x"]
    model = TextClassifier(stem="english", ngrams=(1, 2)).fit(texts, labels)
    model.model_.save(tmp_path / "a.priori")
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    again = load(tmp_path / "a.priori")
    assert (again.predict_proba(texts) == model.predict_proba(texts)).all()
    assert again.explain("running computers").to_json() == model.explain("running computers").to_json()
    assert again.forget(texts[:1], labels[:1]).model_.counts == model.forget(texts[:1], labels[:1]).model_.counts
    for ask in (lambda: again.predict(["a computation"]), lambda: again.learn(["a computation"], ["x"])):
        with pytest.raises(DataError, match=r"the english stems of words that the model has never seen need PyStemmer"):
            ask()
    with pytest.raises(
        DataError, match=r"stems of words need PyStemmer, which is not installed; pip install 'priori\["
    ):
        TextClassifier(stem="english").fit(texts, labels)


def test_another_version_serves_while_it_agrees(tmp_path, monkeypatch):
    texts, labels = ["computers compute", "running runners"], ["x", "y"]
    model = TextClassifier(stem="english").fit(texts, labels)
    model.model_.save(tmp_path / "a.priori")
    monkeypatch.setattr(Stemmer, "version", lambda: "9.9.9")
    again = load(tmp_path / "a.priori")
    assert (again.predict_proba(["computation runs"]) == model.predict_proba(["computation runs"])).all()

    class Other:
        def __init__(self, language, cache):
            pass

        def stemWords(self, words):
            return [word[:4] for word in words]

    monkeypatch.setattr(Stemmer, "Stemmer", Other)
    again = load(tmp_path / "a.priori")
    assert (again.predict_proba(texts) == model.predict_proba(texts)).all()
    with pytest.raises(DataError, match=r"PyStemmer 9.9.9 makes 'comp' of 'compute', the model's .* 'comput'; install"):
        again.predict(["computation runs"])


@settings(max_examples=60, deadline=None)
@given(rows, rows, st.randoms(), st.integers(1, 3))
def test_models_add_subtract_and_come_in_pieces(one, other, rng, pieces):
    analyzer = Analyzer(stem="english", ngrams=(1, 2)).with_stop_words(["the"])
    a, b = model_of(one, analyzer), model_of(other, analyzer)
    whole = model_of(one + other, analyzer)
    expected = forms([text for text, *_ in one + other], ["the"], weights=[weight for *_, weight in one + other])
    assert table_of(whole.summary.forms) == expected
    assert (a + b).summary.forms == (b + a).summary.forms == whole.summary.forms
    back = (a + b) - b
    assert back.summary.forms == a.summary.forms and back.counts == a.counts
    assert len(((a + b) - (a + b)).summary.forms) == 0
    mixed = rng.sample(one + other, len(one + other))
    parts = [mixed[i::pieces] for i in range(pieces) if mixed[i::pieces]]
    total = model_of(parts[0], analyzer)
    for part in parts[1:]:
        total = total + model_of(part, analyzer)
    assert total.summary.forms == whole.summary.forms and total.counts == whole.counts


def test_bytes_are_the_same_for_any_threads_and_after_forgetting(tmp_path):
    texts, labels = dataset("sms_spam")
    settings = {"stem": "english", "stop_words": "english", "alpha": 1, "calibrate": False}
    files = []
    for jobs in (1, 2, 4):
        model = TextClassifier(**settings, n_jobs=jobs).fit(texts[:3000], labels[:3000])
        files.append(tmp_path / f"{jobs}.priori")
        model.model_.save(files[-1])
    model.learn(texts[3000:4000], labels[3000:4000]).forget(texts[3000:4000], labels[3000:4000])
    files.append(tmp_path / "back.priori")
    model.model_.save(files[-1])
    assert len({file.read_bytes() for file in files}) == 1
    again = load(files[0])
    assert again.model_.summary.forms == model.model_.summary.forms
    assert (again.predict_proba(texts[:100]) == model.predict_proba(texts[:100])).all()


def test_scores_are_those_of_texts_that_were_stemmed_before():
    texts, labels = dataset("sms_spam")
    texts, labels = texts[:1500], labels[:1500]
    stemmed = [" ".join(stems_of(written_words(text, ["the", "to"]), "english")) for text in texts]
    ours = TextClassifier(stem="english", stop_words=["the", "to"], ngrams=(1, 2), n_jobs=2).fit(texts, labels)
    plain = TextClassifier(ngrams=(1, 2)).fit(stemmed, labels)
    assert ours.model_.counts == plain.model_.counts
    fixed = {"alpha": 0.5, "calibrate": False}
    ours.set_params(**fixed), plain.set_params(**fixed)
    assert (ours.predict_proba(texts) == plain.predict_proba(stemmed)).all()
    lists = [written_words(text) for text in texts]
    assert (ours.predict_proba(lists) == plain.predict_proba([text.split() for text in stemmed])).all()
    assert ours.log_joint(texts[:50]).tolist() == plain.log_joint(stemmed[:50]).tolist()


def test_tokens_of_a_user_are_stemmed_and_pruned_models_keep_what_they_need():
    texts, labels = ["Runs Running", "runs; run", "computes"], ["x", "y", "x"]
    model = TextClassifier(tokenizer=str.split, stem="english").fit(texts, labels)
    assert table_of(model.model_.summary.forms) == forms([], ()) | {
        ("Run", "Runs"): 1, ("Run", "Running"): 1, ("runs;", "runs;"): 1, ("run", "run"): 1, ("comput", "computes"): 1,
    }  # fmt: skip
    pruned = TextClassifier(stem="english", max_terms=1).fit(["runs running", "run computes"], ["x", "y"])
    assert pruned.model_.summary.forms.stems_and_words == (["run"] * 3, ["run", "running", "runs"])
    assert pruned.predict(["runs"]).shape == (1,)


def test_the_words_stay_visible():
    model = TextClassifier(stem="english", ngrams=(1, 2)).fit(
        ["computers compute computers", "a computer", "runs"], ["x", "x", "y"]
    )
    told = model.model_.summary.forms
    assert told.of("comput") == [("computers", 2.0), ("compute", 1.0), ("computer", 1.0)]
    assert told.of("compu") == told.of("computer") == []
    explained = {row.feature: row.words for row in model.explain("computation computers computing").contributions}
    assert explained["comput"] == ("computation", "computers", "computing")
    assert explained["comput comput"] == ("computation computers", "computers computing")


def test_words_with_nul_and_models_that_do_not_merge():
    with pytest.raises(DataError, match="a word holds a NUL character, so it has no stem"):
        TextClassifier(stem="english").fit([["a\0b"], ["b"]], ["x", "y"])
    data = [("a", "x"), ("b", "y")]
    english, spanish, plain = (model_of(data, Analyzer(stem=name)) for name in ("english", "spanish", None))
    for other in (spanish, plain):
        with pytest.raises(MergeError, match="their analyzers differ in stem"):
            _ = english + other


def test_codes_name_algorithms():
    assert set(CODES.values()) <= set(Stemmer.algorithms())
    assert Analyzer(stem="en") == Analyzer(stem="english")
    with pytest.raises(DataError, match=r"no stems of 'klingon'; choose one of arabic, "):
        Analyzer(stem="klingon")


def test_threads_that_score_ask_for_stems_too():
    """Words never seen, met by several threads at once: none waits for another for ever, and scores are the same."""
    texts, labels = dataset("sms_spam")
    fixed = {"stem": "english", "alpha": 1, "calibrate": False}
    one, four = (TextClassifier(**fixed, n_jobs=jobs).fit(texts[:50], labels[:50]) for jobs in (1, 4))
    many = texts * 2
    assert (one.predict_proba(many) == four.predict_proba(many)).all()
