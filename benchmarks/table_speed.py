"""How fast tables are learned and classified, against scikit-learn's estimators on the split columns."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

import table_data
from pairs import Bench, Work
from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.naive_bayes import NaiveBayes

PEERS = "GaussianNB + CategoricalNB"
TARGET_ROWS = 1_000_000
REALS = {f"real {place}": "gaussian" for place in range(table_data.COLUMNS)}


@dataclass(frozen=True)
class Split:
    """The peers: one for the reals, one for the codes."""

    gaussian: GaussianNB
    categorical: CategoricalNB

    def log_joint(self, numbers: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """log p(x, y); both have the prior in them, so once it is taken off."""
        both = self.gaussian.predict_joint_log_proba(numbers) + self.categorical.predict_joint_log_proba(counted)
        return both - self.categorical.class_log_prior_


def fit_split(numbers: np.ndarray, counted: np.ndarray, y: np.ndarray) -> Split:
    """Each on its own columns."""
    return Split(GaussianNB().fit(numbers, y), CategoricalNB().fit(counted, y))


def training(bench: Bench, sizes: list[int]) -> None:
    """30 mixed columns: fit alone, and fit with the first row classified, for ours reads its sums when first asked."""
    for size in sizes:
        y = table_data.labels(size)
        frame, (numbers, counted) = table_data.frame(y), table_data.arrays(y)
        row = frame.iloc[:1]
        split = partial(fit_split, numbers, counted, y)

        for name, model, target in (
            ("", NaiveBayes(), 3.0),
            (" on one processor", NaiveBayes(n_jobs=1), None),
            (", reals gaussian", NaiveBayes(columns=REALS), None),
        ):
            asked = target if size == TARGET_ROWS else None
            bench.against(
                f"train{name}, {size:,} rows / {PEERS}",
                lambda model=model, frame=frame, y=y: model.fit(frame, y),
                split,
                asked,
            )
            bench.against(
                f"train and classify a row{name}, {size:,} rows / {PEERS}",
                lambda model=model, frame=frame, y=y, row=row: model.fit(frame, y).predict_log_proba(row),
                lambda split=split, numbers=numbers, counted=counted: split().log_joint(numbers[:1], counted[:1]),
            )
        strings(bench, y, numbers, split)


def strings(bench: Bench, y: np.ndarray, numbers: np.ndarray, split: Work) -> None:
    """The same where the categories are strings: ours takes them as they are, the peer has them encoded or encodes."""
    table, model = table_data.arrow(y), NaiveBayes()
    named = np.column_stack([table_data.VALUES.astype(object)[codes] for codes in table_data.codes(y)])

    def encoding() -> Split:
        codes = OrdinalEncoder(dtype=np.int64).fit_transform(named)
        return fit_split(numbers, codes, y)

    for theirs, peer in ((f"OrdinalEncoder + {PEERS}", encoding), (f"{PEERS} on codes", split)):
        bench.against(f"train, Arrow strings, {len(y):,} rows / {theirs}", lambda: model.fit(table, y), peer)


def predicting(bench: Bench, size: int) -> None:
    """log p(x, y) of all classes, and one row at a time, from models that have been asked before."""
    y = table_data.labels(size)
    frame, (numbers, counted) = table_data.frame(y), table_data.arrays(y)
    ours = NaiveBayes().fit(frame, y)
    peer = fit_split(numbers, counted, y)
    for rows in (1, size):
        few = frame.iloc[:rows]
        bench.against(
            f"log joint, {rows:,} row{'s' * (rows > 1)} / {PEERS}",
            lambda few=few: ours.log_joint(few),
            lambda rows=rows: peer.log_joint(numbers[:rows], counted[:rows]),
        )


def discriminants(bench: Bench, sizes: list[int]) -> None:
    """Shared covariance, by default settings, on the 15 reals as one array."""
    for size in sizes:
        y = table_data.labels(size)
        numbers, _ = table_data.arrays(y)
        for solver in ("lsqr", "svd"):
            bench.against(
                f"discriminant, {size:,} x {table_data.COLUMNS} / LinearDiscriminantAnalysis({solver})",
                lambda numbers=numbers, y=y: GaussianDiscriminant().fit(numbers, y),
                lambda solver=solver, numbers=numbers, y=y: LinearDiscriminantAnalysis(solver=solver).fit(numbers, y),
            )
