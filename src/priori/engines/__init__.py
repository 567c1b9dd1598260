"""Where the sum runs: map a batch, combine, finish."""

from priori.corpus.summary import Summary
from priori.engines.local import count
from priori.engines.summary import Progress, summarize

__all__ = ["Progress", "Summary", "count", "summarize"]
