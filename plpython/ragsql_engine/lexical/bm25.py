"""BM25 over the passages a reader sees: statistics, the exact best k by MaxScore, explanations.

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
from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.parts import Part
from ragsql_engine.lexical.ranking import (
    Floats,
    Ranking,
    joined,
    kth_largest,
    ranked,
    unranked,
)
from ragsql_engine.lexical.selection import Selection, places, selections

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

K1 = 1.2
B = 0.75

# Bounds and partial scores are rounded. A passage is given up only if it stays below the k-th
# score by more than rounding can move it: sums of m terms err by m * 2^-52, relatively.
_SLACK = 1e-9

# With more candidates than this for each one wanted, a sample of them is scored first.
_SAMPLE_FROM = 8


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


class Explained(NamedTuple):
    """What one term adds to the score of a passage; nothing where tf is 0."""

    name: str
    tf: int
    df: int
    idf: float
    length_factor: float
    contribution: float


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
    return ranked(parts, _Search(parts, terms, k, allowed, counted).run(), k)


def explain(
    parts: Sequence[Part], terms: Sequence[Term], counted: Statistics, part: int, ordinal: int
) -> list[Explained]:
    """What each term adds to a passage's score, in the order in which they are added."""
    norms = counted.norms(parts[part].lengths[ordinal : ordinal + 1])
    explained = []
    for index in _order(terms, counted):
        posting = terms[index].postings[part]
        found = None if posting is None else _occurrences(posting, ordinal)
        idf, df = counted.idf[index], counted.df[index]
        if found is None:
            explained.append(Explained(terms[index].name, 0, df, idf, 0.0, 0.0))
            continue
        tf = 1 if found.frequencies is None else int(found.frequencies[0])
        factor = float(_contributions(K1 + 1, found.frequencies, norms)[0])
        added = float(_contributions(idf * (K1 + 1), found.frequencies, norms)[0])
        explained.append(Explained(terms[index].name, tf, df, idf, factor, added))
    return explained


def _occurrences(posting: Posting, ordinal: int) -> Posting | None:
    """The posting of one passage alone."""
    at = places(posting, np.array([ordinal], posting.ordinals.dtype))[1]
    if not len(at):
        return None
    frequencies = posting.frequencies
    return Posting(posting.ordinals.take(at), None if frequencies is None else frequencies.take(at))


def _order(terms: Sequence[Term], counted: Statistics) -> list[int]:
    """Indexes of terms in the order in which contributions are added."""
    return sorted(range(len(terms)), key=lambda index: (-counted.idf[index], terms[index].name))


def _contributions(weight: float, frequencies: Frequencies | None, norms: Floats) -> Floats:
    """weight * tf / (tf + norm), below `weight`; tf is 1 where frequencies are None."""
    if frequencies is None:
        return weight / (1.0 + norms)
    tf = frequencies.astype(np.float64)
    return tf * weight / (tf + norms)


class _Candidates(NamedTuple):
    """Passages of one part, with what is known of their scores."""

    ordinals: NDArray[np.uint16]
    norms: Floats
    scores: Floats

    def kept(self, at: NDArray[np.intp]) -> "_Candidates":
        return _Candidates(self.ordinals.take(at), self.norms.take(at), self.scores.take(at))


class _Search:
    """MaxScore (Turtle and Flood 1995), a term at a time, over all parts.

    A passage is met at the first of its terms in the order of addition, and scored to the end at
    once: later terms are looked up. `threshold`, the k-th score so far, drops a passage as soon
    as the bounds of the terms still to come cannot carry it there, and ends the search when a
    passage of nothing but those terms cannot get there.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        terms: Sequence[Term],
        k: int,
        allowed: Sequence[Bools | None] | None,
        counted: Statistics,
    ) -> None:
        self._parts = parts
        self._k = k
        self._counted = counted
        self._selections = selections(parts, allowed)
        order = [index for index in _order(terms, counted) if counted.df[index]]
        self._postings = [terms[index].postings for index in order]
        self._weights = [counted.idf[index] * (K1 + 1) for index in order]
        self._rest = [sum(self._weights[index:]) for index in range(len(order) + 1)]
        self._threshold = -math.inf
        self._found: list[Ranking] = []
        self._count = 0

    def run(self) -> Ranking:
        """Every passage at or above the k-th score, and maybe others."""
        for first in range(len(self._postings)):
            for number, selection in enumerate(self._selections):
                if self._limit(first) > 0:
                    return joined(self._found)
                posting = self._postings[first][number]
                if posting is not None and selection.count:
                    self._add(number, self._met(first, number, selection.of_posting(posting)))
        return joined(self._found)

    def _limit(self, index: int) -> float:
        """What a passage must have before the terms from `index` on to reach the threshold."""
        return self._threshold * (1 - _SLACK) - self._rest[index]

    def _met(self, first: int, number: int, posting: Posting) -> _Candidates:
        """Passages of a posting that no earlier term has, scored, as far as they can matter."""
        norms = self._counted.norms(self._parts[number].lengths.take(posting.ordinals))
        scores = _contributions(self._weights[first], posting.frequencies, norms)
        candidates = _Candidates(posting.ordinals, norms, scores)
        if self._threshold == -math.inf and len(scores) > _SAMPLE_FROM * self._k:
            self._sample(first, number, candidates)
        candidates = self._reaching(first + 1, candidates)
        for earlier in self._postings[:first]:
            candidates = _outside(earlier[number], candidates)
        return self._completed(first, number, candidates)

    def _sample(self, first: int, number: int, candidates: _Candidates) -> None:
        """Set a first threshold: the k-th score among the best candidates of 2 k stretches.

        A candidate that an earlier term has is worth more than its score here, so the k-th score
        of all cannot be lower.
        """
        width = len(candidates.scores) // (2 * self._k)
        rows = candidates.scores[: 2 * self._k * width].reshape(-1, width)
        sample = candidates.kept(rows.argmax(axis=1) + np.arange(0, rows.size, width))
        self._threshold = kth_largest(self._completed(first, number, sample).scores, self._k)

    def _completed(self, first: int, number: int, candidates: _Candidates) -> _Candidates:
        """The scores with all later terms, of candidates that reach the threshold."""
        for index in range(first + 1, len(self._postings)):
            posting = self._postings[index][number]
            if not len(candidates.scores):
                break
            if posting is not None:
                hits, at = places(posting, candidates.ordinals)
                frequencies = posting.frequencies
                candidates.scores[hits] += _contributions(
                    self._weights[index],
                    None if frequencies is None else frequencies.take(at),
                    candidates.norms.take(hits),
                )
            candidates = self._reaching(index + 1, candidates)
        return candidates

    def _reaching(self, index: int, candidates: _Candidates) -> _Candidates:
        """Candidates that can still reach the threshold with the terms from `index` on."""
        limit = self._limit(index)
        if limit <= 0:
            return candidates
        return candidates.kept(np.flatnonzero(candidates.scores >= limit))

    def _add(self, number: int, candidates: _Candidates) -> None:
        """Take scored passages in, and raise the threshold to the k-th score."""
        count = len(candidates.scores)
        if not count:
            return
        ordinals = candidates.ordinals.astype(np.int64)
        self._found.append(Ranking(np.full(count, number), ordinals, candidates.scores))
        self._count += count
        if self._count < self._k:
            return
        found = joined(self._found)
        self._threshold = kth_largest(found.scores, self._k)
        kept = np.flatnonzero(found.scores >= self._threshold)
        self._found = [found.take(kept)]
        self._count = len(kept)


def _outside(posting: Posting | None, candidates: _Candidates) -> _Candidates:
    """Candidates that a posting does not name."""
    if posting is None or not len(candidates.scores):
        return candidates
    mask = np.ones(len(candidates.scores), np.bool_)
    mask[places(posting, candidates.ordinals)[0]] = False
    return candidates.kept(np.flatnonzero(mask))
