"""N-gram language models as users hold them: counts that add, and tables that score, continue and draw texts."""

from priori.language_models.model import LanguageModel
from priori.language_models.table import NGramTable

__all__ = ["LanguageModel", "NGramTable"]
