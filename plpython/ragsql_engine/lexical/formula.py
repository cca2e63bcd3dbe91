"""The formula of BM25, and the order in which a passage's contributions are added.

score = sum over terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))
idf = ln((N - df + 0.5) / (df + 0.5) + 1)

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section
3.3, with the idf of Lucene, which is never negative. N, df and the average length count visible
passages only. Sums of integers are exact, and a passage's contributions are added by falling
idf (then by name), so the bits of a score depend neither on the parts nor on k.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.codec import Frequencies, Posting
from ragsql_engine.lexical.parts import Part
from ragsql_engine.lexical.ranking import Floats
from ragsql_engine.lexical.selection import Selection

K1 = 1.2
B = 0.75


class Term(NamedTuple):
    """A term of a query, named once in it, with its posting in each part (None: not in it)."""

    name: str
    postings: Sequence[Posting | None]


@dataclass(frozen=True)
class Statistics:
    """Counts over the visible passages of all parts. df and idf: one for each term, in order."""

    n: int
    average_length: float
    df: tuple[int, ...]
    idf: tuple[float, ...]

    def norms(self, lengths: NDArray[Any]) -> Floats:
        """k1 * (1 - b + b * length / average), for lengths of passages."""
        return lengths * (K1 * B / self.average_length) + K1 * (1 - B)


def statistics(parts: Sequence[Part], terms: Sequence[Term]) -> Statistics:
    """N, average length, df and idf over what is visible."""
    n = sum(part.visible.count for part in parts)
    length = sum(part.visible.length for part in parts)
    seen = [Selection.of(part) for part in parts]
    df = tuple(
        sum(
            selection.frequency(posting)
            for selection, posting in zip(seen, term.postings, strict=True)
            if posting is not None and selection.count
        )
        for term in terms
    )
    idf = tuple(math.log((n - count + 0.5) / (count + 0.5) + 1) for count in df)
    return Statistics(n, length / n if length else 1.0, df, idf)


def addition_order(terms: Sequence[Term], counted: Statistics) -> list[int]:
    """Indexes of terms in the order in which contributions are added."""
    return sorted(range(len(terms)), key=lambda index: (-counted.idf[index], terms[index].name))


def contributions(weight: float, frequencies: Frequencies | None, norms: Floats) -> Floats:
    """weight * tf / (tf + norm), below `weight`; tf is 1 where frequencies are None."""
    if frequencies is None:
        return weight / (1.0 + norms)
    tf = frequencies.astype(np.float64)
    return tf * weight / (tf + norms)
