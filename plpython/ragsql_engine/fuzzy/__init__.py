"""Typing errors: what a word of a query stands for, and which passages hold what it may mean.

`corrections` says what each word means in the passages that the caller sees, `rank` scores
passages by it, `interpret` and `correct_query` write it into the query. They ask the index through the protocol
`Vocabulary` and the parts of the lexical index.
"""

from ragsql_engine.fuzzy.asked import MAX_DISTANCE, may_be_meant
from ragsql_engine.fuzzy.corrections import corrections
from ragsql_engine.fuzzy.distance import variants
from ragsql_engine.fuzzy.pieces import Forms, Piece, pieces, words_of
from ragsql_engine.fuzzy.ranking import rank
from ragsql_engine.fuzzy.rewriting import (
    Corrected,
    Correction,
    Interpretation,
    correct_query,
    interpret,
)
from ragsql_engine.fuzzy.vocabulary import Alternative, IsStop, Meaning, Vocabulary, Word

__all__ = [
    "MAX_DISTANCE",
    "Alternative",
    "Corrected",
    "Correction",
    "Forms",
    "Interpretation",
    "IsStop",
    "Meaning",
    "Piece",
    "Vocabulary",
    "Word",
    "correct_query",
    "corrections",
    "interpret",
    "may_be_meant",
    "pieces",
    "rank",
    "variants",
    "words_of",
]
