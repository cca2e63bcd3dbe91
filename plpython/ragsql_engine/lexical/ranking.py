"""Rankings: passages in their order, cut where the order says and nowhere else."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.documents import Bools
from ragsql_engine.lexical.parts import Part
from ragsql_engine.lexical.selection import Selection, selections

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_LAST = np.uint64((1 << 64) - 1)  # no half of a document_id is higher


class Ranking(NamedTuple):
    """Passages by (score desc, document_id, chunk_index), the best first.

    parts: int64[m], index of the part. ordinals: int64[m], the passage in it. scores: float64[m].
    """

    parts: Places
    ordinals: Places
    scores: Floats

    def take(self, at: NDArray[np.intp]) -> "Ranking":
        """The passages at these indexes."""
        return Ranking(self.parts.take(at), self.ordinals.take(at), self.scores.take(at))


def ranked(parts: Sequence[Part], found: Ranking, k: int) -> Ranking:
    """The first k of passages in any order. k: 1 or more."""
    if len(found.scores) > k:
        found = _without_late_ties(parts, found, k)
    high, low, indexes = _keys(parts, found)
    order = np.lexsort((indexes, low, high, -found.scores))[:k]
    return found.take(order)


def unranked(
    parts: Sequence[Part], k: int, allowed: Sequence[Bools | None] | None = None
) -> Ranking:
    """The first k visible, allowed passages by (document_id, chunk_index), with score 0."""
    found: list[Ranking] = []
    last = _LAST
    for number, (part, selection) in enumerate(zip(parts, selections(parts, allowed), strict=True)):
        ordinals, last = _first(part, selection, k, last)
        found.append(Ranking(np.full(len(ordinals), number), ordinals, np.zeros(len(ordinals))))
    return ranked(parts, joined(found), k)


def joined(rankings: Sequence[Ranking]) -> Ranking:
    """All passages of these, in no order."""
    if not rankings:
        return Ranking(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    return Ranking(
        np.concatenate([ranking.parts for ranking in rankings]),
        np.concatenate([ranking.ordinals for ranking in rankings]),
        np.concatenate([ranking.scores for ranking in rankings]),
    )


def kth_largest(values: Floats, k: int) -> float:
    """The k-th largest of k values or more."""
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _without_late_ties(parts: Sequence[Part], found: Ranking, k: int) -> Ranking:
    """Leave out what is below the k-th score, and ties at it that surely come after k passages.

    A common word makes tens of thousands of ties, and sorting them all by their keys would cost
    more than finding them.
    """
    threshold = kth_largest(found.scores, k)
    above = np.flatnonzero(found.scores > threshold)
    ties = np.flatnonzero(found.scores == threshold)
    wanted = k - len(above)
    high = _keys(parts, found.take(ties))[0]
    last = np.partition(high, wanted - 1)[wanted - 1]
    kept = np.concatenate([above, ties.compress(high <= last)])
    return found.take(kept)


def _keys(
    parts: Sequence[Part], found: Ranking
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Places]:
    """What documents.keys says of each passage, whatever part it lies in."""
    count = len(found.parts)
    high, low = np.empty(count, np.uint64), np.empty(count, np.uint64)
    indexes = np.empty(count, np.int64)
    order = np.argsort(found.parts, kind="stable")
    bounds = np.searchsorted(found.parts.take(order), np.arange(len(parts) + 1))
    for number, part in enumerate(parts):
        at = order[bounds[number] : bounds[number + 1]]
        if len(at):
            high[at], low[at], indexes[at] = part.documents.keys(found.ordinals.take(at))
    return high, low, indexes


def _first(part: Part, selection: Selection, k: int, last: np.uint64) -> tuple[Places, np.uint64]:
    """Ordinals of a part among which are those of its passages that are among the first k.

    last: k passages have no higher first half of a document_id; a lower one is returned if found.
    """
    documents, mask = part.documents, selection.mask
    high = documents.document_ids[:, 0]
    inside = np.flatnonzero(high <= last) if selection.count else np.empty(0, np.intp)
    if mask is not None:
        before = np.concatenate([[0], np.cumsum(mask)])  # selected passages before an ordinal
        starts = documents.first_passages.take(inside).astype(np.int64)
        ends = starts + documents.counts.take(inside)
        inside = inside.compress(before.take(ends) > before.take(starts))
    else:
        inside = inside.compress(documents.counts.take(inside) > 0)
    if len(inside) >= k:  # each has a selected passage, so the first k documents are enough
        own = high.take(inside)
        last = np.partition(own, k - 1)[k - 1]
        inside = inside.compress(own <= last)
    chosen = np.zeros(len(documents), np.bool_)
    chosen[inside] = True
    passages = documents.spread(chosen)
    return np.flatnonzero(passages if mask is None else passages & mask), last
