"""Where the sum runs: map a batch, combine, finish."""

from priori.engines.local import count
from priori.engines.summary import Progress, Summary, summarize

__all__ = ["Progress", "Summary", "count", "summarize"]
