"""New segments from several, without what is dead."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from ragsql_engine.errors import IndexDamaged
from ragsql_engine.lexical.arrangement import (
    GONE,
    KINDS,
    NewSegment,
    arrange,
    distribute,
    passage_keys,
    rank_keys,
    rearranged,
    segment_row,
)
from ragsql_engine.lexical.blocks import Block, Flat, joined, postings_of, unpack
from ragsql_engine.lexical.documents import COLUMNS, Documents, Int64s, UInt32s, UInt64s
from ragsql_engine.lexical.packing import Packer

_BATCH = 1_000_000  # postings at once: about 100 ms, some 50 MB


class Source(NamedTuple):
    """A segment to merge: lengths are uint32[n]; the blocks of each kind are read once, in order."""

    documents: Documents
    lengths: UInt32s
    blocks: Mapping[str, Iterable[Block]]


def merge(
    sources: Sequence[Source],
    dead: Int64s,
    text_config: str,
    pause: Callable[[], object] = lambda: None,
) -> list[NewSegment]:
    """Segments of at most MAX_PASSAGES passages, all sources' but those of the `dead` entries.

    dead: sorted distinct entry ids. `pause` is called about every 100 ms. Memory is that of the
    new blocks and of two million postings. XX002 where a source is damaged.
    """
    if not sources:
        return []
    if any(len(source.lengths) != source.documents.passages for source in sources):
        raise IndexDamaged("a segment has another number of lengths than passages")
    documents = _together([source.documents for source in sources])
    segments, moves = arrange(documents, ~documents.among(dead))
    pause()
    lengths = rearranged(np.concatenate([source.lengths for source in sources]), moves, segments)
    own_moves = np.split(moves, np.cumsum([len(source.lengths) for source in sources])[:-1])
    blocks: list[dict[str, list[Block]]] = [{} for _ in segments]
    for kind in KINDS if segments else ():
        streams = [
            _Stream(source.blocks[kind], own)
            for source, own in zip(sources, own_moves, strict=True)
        ]
        for number, packed in enumerate(_merged(streams, [s.passages for s in segments], pause)):
            blocks[number][kind] = packed
    return [
        NewSegment(segment_row(segment, own, text_config), own_blocks)
        for segment, own, own_blocks in zip(segments, lengths, blocks, strict=True)
    ]


def _together(parts: Sequence[Documents]) -> Documents:
    """Documents of several segments, their passages numbered on."""
    starts = np.cumsum([0] + [part.passages for part in parts])
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    columns["first_passages"] = np.concatenate(
        [part.first_passages + np.uint32(start) for part, start in zip(parts, starts, strict=False)]
    )
    return Documents(**columns, passages=int(starts[-1]))


def _merged(
    streams: Sequence["_Stream"], sizes: Sequence[int], pause: Callable[[], object]
) -> list[list[Block]]:
    """The blocks of each new segment (of `sizes` passages), of one kind."""
    packers = [Packer(size) for size in sizes]
    blocks: list[list[Block]] = [[] for _ in sizes]
    while sum(stream.fill(_BATCH // len(streams)) for stream in streams):  # fills them all
        # What a source has not read yet lies above its last term.
        limit = min((stream.last for stream in streams if stream.goes_on), default=None)
        flats = _combined([stream.take(limit) for stream in streams], len(sizes))
        for own, packer, flat in zip(blocks, packers, flats, strict=True):
            own += packer.add(flat)
        pause()
    return [own + packer.finish() for own, packer in zip(blocks, packers, strict=True)]


class _Stream:
    """The postings of a source, by their terms."""

    def __init__(self, blocks: Iterable[Block], moves: Int64s) -> None:
        self._blocks = iter(blocks)
        self._keys = passage_keys(moves)
        self._live = moves != GONE
        self._some_gone = not self._live.all()
        self._flat = unpack([], 0)
        self.goes_on = True

    def fill(self, postings: int) -> bool:
        """Read on up to about so many postings; False if there are none any more."""
        missing = postings - len(self._flat.ordinals)
        read = []
        while self.goes_on and missing > 0:
            block = next(self._blocks, None)
            if block is None:
                self.goes_on = False
            else:
                read.append(block)
                missing -= postings_of(block)
        self._flat = joined(self._flat, unpack(read, len(self._keys)))
        return bool(self._flat.terms)

    @property
    def last(self) -> str:
        """The highest term read."""
        return self._flat.terms[-1]

    def take(self, limit: str | None) -> tuple[Flat, UInt64s]:
        """The postings of terms up to `limit` (None: all), and their keys, yet without ranks."""
        size = len(self._flat.terms)
        stop = size if limit is None else bisect_right(self._flat.terms, limit)
        taken, self._flat = self._flat.of_terms(0, stop), self._flat.of_terms(stop, size)
        if self._some_gone:
            taken = taken.only(self._live[taken.ordinals])
        keys = self._keys[taken.ordinals]
        if taken.frequencies is not None:
            keys |= taken.frequencies
        return taken, keys


def _combined(pieces: Sequence[tuple[Flat, UInt64s]], segments: int) -> list[Flat]:
    """The postings of each new segment, from those of each source."""
    # Sorting merges runs that are in order.
    terms = list(dict.fromkeys(sorted(chain.from_iterable(flat.terms for flat, _ in pieces))))
    places = dict(zip(terms, count(), strict=False))
    for flat, keys in pieces:
        ranks = np.fromiter(map(places.__getitem__, flat.terms), np.uint32)
        keys |= rank_keys(ranks)[flat.term_index]
    has_frequencies = any(flat.frequencies is not None for flat, _ in pieces)
    return distribute(
        terms, np.concatenate([keys for _, keys in pieces]), has_frequencies, segments
    )
