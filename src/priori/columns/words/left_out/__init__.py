"""Documents as if they had never been learned: exact leave-one-out, of one, of copies, of groups, of folds."""

from priori.left_out.documents import Documents
from priori.left_out.language import LanguageLeftOut
from priori.left_out.scores import LeftOut, Scores
from priori.left_out.selecting import left_out_of

__all__ = ["Documents", "LanguageLeftOut", "LeftOut", "Scores", "left_out_of"]
