"""A new order for documents and their postings: what building and merging have in common."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical.blocks import Block, Flat
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import Bools, Documents, Int64s, UInt32s, UInt64s

KINDS = ("l", "s")  # lexemes, surface forms
GONE = -1


class NewSegment(NamedTuple):
    """A segment to store: its row without segment_id, and its blocks of each kind, in order."""

    row: dict[str, Any]
    blocks: dict[str, list[Block]]


def arrange(documents: Documents, live: Bools) -> tuple[list[Documents], Int64s]:
    """The documents of new segments, and where each passage goes.

    `documents` may be in any order, and more than a segment takes. The new ones are in order of
    (acl_id, collection_id, document_id, chunk_index). Where passages of a document follow one
    another, they become one document; a segment ends between documents, unless one is too long
    for any. int64[passages]: number of the segment << 16 | ordinal there, or GONE.
    """
    counts = documents.counts
    order = np.lexsort(
        (
            documents.entry_ids,
            documents.first_indexes,
            documents.document_ids[:, 1],
            documents.document_ids[:, 0],
            documents.collection_ids,
            documents.acl_ids,
        )
    )
    order = order[live[order] & (counts[order] > 0)]
    goes_on = _goes_on(documents, order)
    cuts = _cuts(counts[order], ~goes_on)
    moves: Int64s = np.full(documents.passages, GONE, np.int64)
    segments = []
    for number, (first, last) in enumerate(pairwise(cuts)):
        chosen = order[first:last]
        sizes = counts[chosen]
        starts = np.cumsum(sizes) - sizes
        old = np.repeat(documents.first_passages[chosen].astype(np.int64) - starts, sizes)
        ordinals = np.arange(len(old))
        moves[old + ordinals] = number * MAX_PASSAGES + ordinals
        begins = ~goes_on[first:last]
        begins[0] = True
        segments.append(_selected(documents, chosen[begins], starts[begins], len(old)))
    return segments, moves


def _goes_on(documents: Documents, order: Int64s) -> Bools:
    """bool[order]: whether a document goes on with the passages of the one before."""
    before, after = order[:-1], order[1:]
    same = documents.entry_ids[before] == documents.entry_ids[after]
    for column in (documents.acl_ids, documents.collection_ids):
        same &= column[before] == column[after]
    same &= (documents.document_ids[before] == documents.document_ids[after]).all(axis=1)
    ends = documents.first_indexes[before] + documents.counts[before]
    return np.append(False, same & (ends == documents.first_indexes[after]))[: len(order)]


def _cuts(sizes: Int64s, begins: Bools) -> list[int]:
    """Places between documents, 0 and all of them included, with a segment from each to the next."""
    ends = np.cumsum(sizes)
    firsts = np.flatnonzero(begins)
    whole = np.add.reduceat(sizes, firsts) if len(firsts) else sizes
    too_long = np.repeat(whole > MAX_PASSAGES, np.diff(firsts, append=len(sizes)))
    allowed = np.append(np.flatnonzero(begins | too_long), len(sizes))
    room = np.append(0, ends)[allowed]  # passages before each allowed place
    cuts = [0]
    at = 0
    while allowed[at] < len(sizes):
        at = int(np.searchsorted(room, room[at] + MAX_PASSAGES, "right")) - 1
        cuts.append(int(allowed[at]))
    return cuts


def _selected(documents: Documents, chosen: Int64s, starts: Int64s, passages: int) -> Documents:
    return replace(
        documents,
        entry_ids=documents.entry_ids[chosen],
        document_ids=documents.document_ids[chosen],
        collection_ids=documents.collection_ids[chosen],
        acl_ids=documents.acl_ids[chosen],
        first_passages=starts.astype(np.uint32),
        first_indexes=documents.first_indexes[chosen],
        valid_from=documents.valid_from[chosen],
        valid_until=documents.valid_until[chosen],
        passages=passages,
    )


def rearranged(lengths: UInt32s, moves: Int64s, segments: Sequence[Documents]) -> list[UInt32s]:
    """The lengths of the new segments' passages."""
    placed = np.zeros(len(segments) * MAX_PASSAGES, np.uint32)
    kept = moves != GONE
    placed[moves[kept]] = lengths[kept]
    rows = placed.reshape(len(segments), MAX_PASSAGES)
    return [row[: segment.passages] for row, segment in zip(rows, segments, strict=True)]


def segment_row(documents: Documents, lengths: UInt32s, text_config: str) -> dict[str, Any]:
    """The row of `segment`, but for segment_id."""
    return documents.to_row() | {
        "text_config": text_config,
        "lengths": lengths.astype("<u4").tobytes(),
    }


def passage_keys(moves: Int64s) -> UInt64s:
    """uint64[passages]: what the keys of a passage's postings have in common.

    A key is one integer that sorts by segment, term and ordinal, and carries the frequency:
    16 bits of segment, 24 of the term's place among the terms (40 where there is one segment
    only, which may have more terms), 16 of ordinal, 8 of frequency.
    """
    places = moves.astype(np.uint64)
    return places >> np.uint64(16) << np.uint64(48) | (places & np.uint64(0xFFFF)) << np.uint64(8)


def rank_keys(ranks: NDArray[Any]) -> UInt64s:
    """What the keys of a term's postings have in common."""
    return ranks.astype(np.uint64) << np.uint64(24)


def distribute(terms: list[str], keys: UInt64s, has_frequencies: bool, segments: int) -> list[Flat]:
    """The postings of each segment, by the keys of all postings, in any order.

    terms: ascending; a key's rank is the place there. `keys` is overwritten.
    """
    keys.sort(kind="stable")  # several sorted runs, when merging; and no slower when building
    bounds = np.array([number << 48 for number in range(1, segments)], np.uint64)
    parts = np.split(keys, np.searchsorted(keys, bounds))
    return [_flat(terms, part, number, has_frequencies) for number, part in enumerate(parts)]


def _flat(terms: list[str], keys: UInt64s, segment: int, has_frequencies: bool) -> Flat:
    """The postings of one segment, by their sorted keys."""
    places = keys >> np.uint64(8)
    if (places[1:] == places[:-1]).any():
        raise IndexDamaged("a passage has a term twice")
    ordinals = places.astype(np.uint16)
    places >>= np.uint64(16)
    places -= np.uint64(segment << 24)
    ranks = places.astype(np.uint32)
    begins = np.append(True, ranks[1:] != ranks[:-1])[: len(ranks)]
    present = ranks[begins]
    if len(present) < len(terms):
        terms = [terms[rank] for rank in present.tolist()]
        ranks = np.cumsum(begins, dtype=np.uint32) - np.uint32(1)
    return Flat(terms, ranks, ordinals, keys.astype(np.uint8) if has_frequencies else None)
