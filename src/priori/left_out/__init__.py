"""Documents as if they had never been learned: exact leave-one-out, of one, of copies, of groups, of folds."""

from priori.left_out.documents import Documents
from priori.left_out.scores import LeftOut, Scores

__all__ = ["Documents", "LeftOut", "Scores"]
