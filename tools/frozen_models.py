"""What is frozen: a dozen models of texts, tables and language, and figures that are read off each.

Only names that users have are called, so that the same script runs before and after a change of the tree. Where a
public name changes, change it here too, and record both sides with this version.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer

import priori
from priori import latent

Figures = dict[str, Any]
Made = Callable[[], tuple[Any, Figures]]  # a model that has learned, and what it says
EM_STEPS = 8


def messages(most: int | None = None) -> tuple[list[str], list[str]]:
    """Texts and labels of the bundled messages."""
    (path,) = Path(priori.__file__).parent.rglob("sms_spam.parquet")
    table = pq.read_table(path).slice(0, most)
    return table["text"].to_pylist(), table["label"].to_pylist()


def mixed_table(name: str) -> tuple[dict[str, list[Any]], list[str]]:
    """A table that comes with scikit-learn, by turns numbers, categories and booleans, a tenth of the cells missing."""
    data = getattr(datasets, f"load_{name}")()
    numbers, holes = data.data, np.random.default_rng(0).random(data.data.shape) < 0.1
    table: dict[str, list[Any]] = {}
    for place, column in enumerate(data.feature_names):
        values = numbers[:, place]
        thirds = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)
        cells = [
            values.tolist(),
            np.array(["low", "middle", "high"])[thirds].tolist(),
            (values > np.median(values)).tolist(),
        ]
        table[str(column)] = [
            None if hole else cell for cell, hole in zip(cells[place % 3], holes[:, place], strict=True)
        ]
    return table, [str(data.target_names[k]) for k in data.target]


def numbers_table(name: str) -> tuple[dict[str, list[float]], list[str]]:
    """A table that comes with scikit-learn, as it is."""
    data = getattr(datasets, f"load_{name}")()
    columns = {str(column): data.data[:, place].tolist() for place, column in enumerate(data.feature_names)}
    return columns, [str(data.target_names[k]) for k in data.target]


def words_of_messages(most: int | None = None) -> Any:
    """Which words are in which of the bundled messages, for EM and Gibbs."""
    counted = CountVectorizer(binary=True, min_df=3, dtype=np.int64).fit_transform(messages(most)[0])
    return latent.Corpus.of_counts(counted.toarray())


def few(labels: list[str], every: int) -> list[str | None]:
    """Labels of one row in so many."""
    return [label if place % every == 0 else None for place, label in enumerate(labels)]


# --- texts -----------------------------------------------------------------------------------------------------------


def of_texts(model: Any, texts: list[str], labels: list[Any], *, left_out: bool = True, draws: bool = True) -> Figures:
    """What a classifier of texts says."""
    model.fit(texts, labels)
    some = [*texts[:300], "", "words never seen: qwertz uiopü"]
    figures: Figures = {
        "log_posterior": model.predict_log_proba(some),
        "log_joint": model.log_joint(some),
        "explained": [model.explain(text).to_json() for text in some[:5]],
    }
    if draws:
        figures["drawn"] = model.sample(5, random_state=0)[0]
    if left_out:
        figures["evaluated"] = model.evaluate(texts[:500], labels[:500]).to_json()
        figures["left_out"] = model.leave_one_out(texts[:300], labels[:300])
        smaller = model.forget(texts[:100], labels[:100])
        figures["after_forgetting"] = smaller.predict_log_proba(some)
        figures["after_learning"] = smaller.learn(texts[:50], labels[:50]).predict_log_proba(some)
    return figures


def text_models() -> Iterator[tuple[str, Made]]:
    """A classifier of each event model and of each way to learn."""
    texts, labels = messages(2000)

    def made(*, draws: bool = True, **settings: Any) -> Made:
        model = priori.TextClassifier(**settings)
        return lambda: (model, of_texts(model, texts, labels, draws=draws))

    yield "multinomial", made()
    yield "multinomial, bigrams, integrated", made(draws=False, ngrams=(1, 2), estimate="integrated", alpha=0.5)
    yield "multinomial, stems, chosen terms", made(stem="english", stop_words="english", select="mi:500")
    yield "bernoulli", made(event="bernoulli")
    yield "complement", made(draws=False, event="complement", class_prior="uniform")
    yield "language", made(event="language", features="chars", ngrams=(1, 3))

    def half_labelled() -> tuple[Any, Figures]:
        model = priori.TextClassifier(random_state=0)
        figures = of_texts(model, texts, few(labels, 40), left_out=False)
        losses = {f"{weight:g}": loss for weight, loss in model.hidden_.losses.items()}
        return model, figures | {"weight": model.hidden_.unlabelled_weight, "losses": losses}

    yield "half-labelled texts", half_labelled


def language() -> tuple[str, Made]:
    """Language models of the messages by each smoothing."""
    texts, _ = messages(2000)

    def made() -> tuple[Any, Figures]:
        model = priori.LanguageModel(order=3).fit(texts)
        figures: Figures = {"log_prob": model.log_prob(texts[:100]), "perplexity": model.perplexity(texts[:200])}
        for smoothing in ("dirichlet", "jelinek-mercer", "absolute"):
            other = priori.LanguageModel(order=2, smoothing=smoothing).fit(texts)
            figures[smoothing] = [other.perplexity(texts[:200]), *(other.parameters or ())]
        return model, figures | {"drawn": model.sample(3, seed=0), "next": model.next("see you")}

    return "language model", made


# --- tables ----------------------------------------------------------------------------------------------------------


def of_table(model: Any, table: dict[str, list[Any]], labels: list[Any], *, left_out: bool = True) -> Figures:
    """What a classifier of tables says."""
    model.fit(table, labels)
    some = {name: cells[:60] for name, cells in table.items()}
    figures: Figures = {
        "log_posterior": model.predict_log_proba(some),
        "log_joint": model.log_joint(some),
        "explained": model.explain({name: cells[:1] for name, cells in table.items()}).to_json(),
        "drawn": model.sample(4, random_state=0)[0].to_pydict(),
    }
    if left_out:
        figures["left_out"] = model.leave_one_out(some, labels[:60])
        figures["log_evidence"] = model.log_evidence()
        smaller = model.forget({name: cells[:20] for name, cells in table.items()}, labels[:20])
        figures["after_forgetting"] = smaller.predict_log_proba(some)
    return figures


def table_models() -> Iterator[tuple[str, Made]]:
    """Naive Bayes over columns of all kinds with holes, and discriminant analysis."""
    mixed, cultivars = mixed_table("wine")
    plain, species = numbers_table("iris")

    def made(model: Any, table: Any, labels: Any) -> Made:
        return lambda: (model, of_table(model, table, labels))

    yield "table with holes", made(priori.NaiveBayes(), mixed, cultivars)
    yield "table, missing cells as evidence", made(priori.NaiveBayes(missing="evidence", temper=1.0), mixed, cultivars)
    families = dict(zip(plain, ("gaussian", "gamma", "student", "lognormal"), strict=True))
    yield "table, families given", made(priori.NaiveBayes(columns=families), plain, species)
    for covariance in ("shared", "full", "diagonal"):
        model = priori.GaussianDiscriminant(covariance=covariance)
        yield f"discriminant, {covariance} covariance", made(model, plain, species)

    def half_labelled() -> tuple[Any, Figures]:
        model = priori.NaiveBayes(random_state=0)
        figures = of_table(model, mixed, few(cultivars, 6), left_out=False)
        return model, figures | {"losses": {f"{k:g}": v for k, v in model.hidden_.losses.items()}}

    yield "half-labelled table", half_labelled


# --- EM and Gibbs ----------------------------------------------------------------------------------------------------


def traces() -> Iterator[tuple[str, Callable[[], Figures]]]:
    """Objectives of EM by iteration, for several seeds; responsibilities of a Gibbs sampler."""
    corpus, recipe = words_of_messages(600), latent.Recipe(restarts=3)
    mixed, _ = mixed_table("wine")

    def em_of_texts() -> Figures:
        found: Figures = {f"seed {seed}": [] for seed in range(3)}
        for seed, objectives in enumerate(found.values()):
            for iteration in latent.Clustering(corpus, 2, recipe=recipe, seed=seed, jobs=1):
                objectives.append(iteration.step.objective)
        return found

    def em_of_rows() -> Figures:
        found: Figures = {}
        for seed in range(3):
            models = [
                priori.NaiveBayes(n_classes=3, restarts=2, most_iterations=steps, random_state=seed)
                for steps in range(1, EM_STEPS + 1)
            ]
            found[f"seed {seed}"] = [model.fit(mixed, None).hidden_.objectives for model in models]
        return found

    def gibbs_of_texts() -> Figures:
        result = latent.gibbs_chains(corpus, 2, prior=0.1, seed=1, chains=2, burn_in=10, samples=10, jobs=1)
        return {"by_chain": result.by_chain, "log_joint": result.log_joint}

    yield "EM of texts", em_of_texts
    yield "EM of rows", em_of_rows
    yield "Gibbs of texts", gibbs_of_texts
