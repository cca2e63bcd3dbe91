"""BM25 over the passages a reader sees: statistics, the exact best k, explanations."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.formula import (
    K1,
    Statistics,
    Term,
    addition_order,
    contributions,
    statistics,
)
from ragsql_engine.lexical.maxscore import MaxScore, Sum
from ragsql_engine.lexical.parts import Part
from ragsql_engine.lexical.ranking import Ranking, ranked, unranked
from ragsql_engine.lexical.selection import places

__all__ = [
    "Explained",
    "Ranking",
    "Statistics",
    "Term",
    "explain",
    "statistics",
    "top_k",
    "unranked",
]

# Up to so many postings, adding up all of them costs less than finding out which do not matter.
_FEW_POSTINGS = 1 << 18


class Explained(NamedTuple):
    """What one term adds to the score of a passage; nothing where tf is 0."""

    name: str
    tf: int
    df: int
    idf: float
    length_factor: float
    contribution: float


def top_k(
    parts: Sequence[Part],
    terms: Sequence[Term],
    k: int,
    allowed: Sequence[Bools | None] | None = None,
    counted: Statistics | None = None,
) -> Ranking:
    """The k best passages by (score desc, document_id, chunk_index); all, if fewer match.

    allowed: for each part bool[n], or None where nothing is left out; it changes no score.
    counted: what `statistics` said of these parts and terms.
    """
    counted = counted or statistics(parts, terms)
    postings = sum(len(p.ordinals) for term in terms for p in term.postings if p is not None)
    search = Sum if postings <= _FEW_POSTINGS else MaxScore
    return ranked(parts, search(parts, terms, k, allowed, counted).run(), k)


def explain(
    parts: Sequence[Part], terms: Sequence[Term], counted: Statistics, part: int, ordinal: int
) -> list[Explained]:
    """What each term adds to a passage's score, in the order in which they are added."""
    norms = counted.norms(parts[part].lengths[ordinal : ordinal + 1])
    explained = []
    for index in addition_order(terms, counted):
        posting = terms[index].postings[part]
        found = None if posting is None else _occurrences(posting, ordinal)
        idf, df = counted.idf[index], counted.df[index]
        if found is None:
            explained.append(Explained(terms[index].name, 0, df, idf, 0.0, 0.0))
            continue
        tf = 1 if found.frequencies is None else int(found.frequencies[0])
        factor = float(contributions(K1 + 1, found.frequencies, norms)[0])
        added = float(contributions(idf * (K1 + 1), found.frequencies, norms)[0])
        explained.append(Explained(terms[index].name, tf, df, idf, factor, added))
    return explained


def _occurrences(posting: Posting, ordinal: int) -> Posting | None:
    """The posting of one passage alone."""
    at = places(posting, np.array([ordinal], posting.ordinals.dtype))[1]
    if not len(at):
        return None
    frequencies = posting.frequencies
    return Posting(posting.ordinals.take(at), None if frequencies is None else frequencies.take(at))
