"""The best k passages by BM25, exactly: a term at a time, or all postings of a part added up."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.formula import K1, Statistics, Term, addition_order, contributions
from ragsql_engine.lexical.parts import Part
from ragsql_engine.lexical.ranking import Floats, Ranking, joined, kth_largest
from ragsql_engine.lexical.selection import Selection, places, selections

# Bounds and partial scores are rounded. A passage is given up only if it stays below the k-th
# score by more than rounding can move it: sums of m terms err by m * 2^-52, relatively.
_SLACK = 1e-9

# With more candidates than this for each one wanted, a sample of them is scored first.
_SAMPLE_FROM = 8


class _Candidates(NamedTuple):
    """Passages of one part, with what is known of their scores."""

    ordinals: NDArray[Any]
    norms: Floats
    scores: Floats

    def kept(self, at: NDArray[np.intp]) -> "_Candidates":
        return _Candidates(self.ordinals.take(at), self.norms.take(at), self.scores.take(at))


class MaxScore:
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
        order = [index for index in addition_order(terms, counted) if counted.df[index]]
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
        scores = contributions(self._weights[first], posting.frequencies, norms)
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
                candidates.scores[hits] += contributions(
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


class Sum(MaxScore):
    """The same, by adding up all contributions of a part in an array over its passages."""

    def run(self) -> Ranking:
        for number, selection in enumerate(self._selections):
            if selection.count:
                self._add(number, self._summed(number, selection))
        return joined(self._found)

    def _summed(self, number: int, selection: Selection) -> _Candidates:
        """All selected passages that have a term and reach the threshold."""
        lengths = self._parts[number].lengths
        scores = np.zeros(len(lengths))
        for weight, postings in zip(self._weights, self._postings, strict=True):
            posting = postings[number]
            if posting is not None:
                norms = self._counted.norms(lengths.take(posting.ordinals))
                # no ordinal repeats
                scores[posting.ordinals] += contributions(weight, posting.frequencies, norms)
        at = np.flatnonzero(scores)
        if selection.mask is not None:
            at = at.compress(selection.mask.take(at))
        found = scores.take(at)
        kept = np.flatnonzero(found >= self._threshold)
        return _Candidates(at.take(kept), np.empty(0), found.take(kept))


def _outside(posting: Posting | None, candidates: _Candidates) -> _Candidates:
    """Candidates that a posting does not name."""
    if posting is None or not len(candidates.scores):
        return candidates
    mask = np.ones(len(candidates.scores), np.bool_)
    mask[places(posting, candidates.ordinals)[0]] = False
    return candidates.kept(np.flatnonzero(mask))
