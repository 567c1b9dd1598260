"""Documents ranked by what a query would cost them: a language model of each."""

from priori.retrieval.collection import Collection
from priori.retrieval.query_likelihood import QueryLikelihood

__all__ = ["Collection", "QueryLikelihood"]
