"""The parameters that estimators of tables have for rows without a label."""

from typing import Literal

from priori.arguments import state_of
from priori.errors import DataError
from priori.latent.checks import UnlabelledWeight
from priori.latent.rows_fit import Search
from priori.latent.rows_learn import HiddenClasses, HiddenSettings

Unlabelled = Literal["em", "skip"]


class RowsWithoutLabels:
    """Learning by EM where labels are missing. scikit-learn wants the parameters named in each signature, too."""

    unlabelled: Unlabelled
    unlabelled_weight: UnlabelledWeight
    n_classes: int | None
    restarts: int
    most_iterations: int
    tolerance: float
    random_state: int | None

    hidden_: HiddenClasses | None  # what rows without a label had to do with it; None: none were asked, or it is loaded

    def _say_of_hidden(
        self, *, unlabelled: Unlabelled, unlabelled_weight: UnlabelledWeight, n_classes: int | None, restarts: int,
        most_iterations: int, tolerance: float, random_state: int | None,
    ) -> None:  # fmt: skip
        """Keep them as they are: they are checked when something is learned."""
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.n_classes = n_classes
        self.restarts = restarts
        self.most_iterations = most_iterations
        self.tolerance = tolerance
        self.random_state = random_state

    def _asked(self, unlabelled: Unlabelled) -> HiddenSettings:
        """What they ask for, checked."""
        search = Search(self.restarts, self.most_iterations, self.tolerance)
        if unlabelled not in ("em", "skip"):
            raise DataError(f"unlabelled={unlabelled!r} is unknown; choose em or skip")
        skip = unlabelled == "skip"
        return HiddenSettings(self.n_classes, self.unlabelled_weight, search, state_of(self.random_state), skip)
