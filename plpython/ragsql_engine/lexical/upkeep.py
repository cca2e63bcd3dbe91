"""Keeps the index small: builds segments of what is pending, merges them, sweeps tombstones.

What is dead is told by tombstones alone. An entry lies in exactly one place, and whoever moves it
takes it from there in the same transaction; so none of this waits for writers, nor they for it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from ragsql_engine.fuzzy import may_be_meant
from ragsql_engine.lexical.arrangement import NewSegment
from ragsql_engine.lexical.blocks import Block, terms_of
from ragsql_engine.lexical.build import build
from ragsql_engine.lexical.codec import MAX_PASSAGES
from ragsql_engine.lexical.documents import Int64s
from ragsql_engine.lexical.merge import Source, merge
from ragsql_engine.lexical.parts import SURFACE
from ragsql_engine.lexical.statements import Row, Rows
from ragsql_engine.lexical.store import Store, block_of

# Rows that another session is taking are skipped; of those taken, as many as fit stay taken.
_TAKE = """
with free as materialized (
    select p.entry_id, p.first_index, p.passages
    from rag_internal.pending p
    where p.text_config = $1
    for update skip locked
), fitting as (
    select f.entry_id, f.first_index
    from (select f.*, sum(f.passages) over (order by f.entry_id, f.first_index) as passages_so_far
          from free f) f
    where f.passages_so_far <= $2
), taken as (
    delete from rag_internal.pending p
    using fitting f
    where p.entry_id = f.entry_id and p.first_index = f.first_index
    returning p.*
)
select t.entry_id, t.first_index, t.document_id, t.collection_id, t.acl_id, t.passages,
       rag_internal.microseconds(t.valid_from) as valid_from,
       rag_internal.microseconds(t.valid_until) as valid_until,
       t.lengths, t.lexemes, t.frequencies, t.surfaces
from taken t
where not exists (select from rag_internal.tombstone d where d.entry_id = t.entry_id)
"""
_CLAIM = """
select s.segment_id, s.passages
from rag_internal.segment s
where s.text_config = $1
order by s.passages, s.segment_id
for update skip locked
"""
_DEAD = """
select string_agg(int8send(t.entry_id), '' order by t.entry_id) as dead
from rag_internal.tombstone t
"""
_BLOCKS = """
select p.first_term, p.terms, p.counts, p.ordinals, p.frequencies
from rag_internal.posting p
where p.segment_id = $1 and p.kind = $2 and ($3 is null or p.first_term > $3 collate "C")
order by p.first_term
limit 2000
"""
_ADD_SEGMENT = """
insert into rag_internal.segment
    (text_config, passages, documents, entry_ids, document_ids, collection_ids, acl_ids,
     first_passages, first_indexes, valid_from, valid_until, lengths)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
returning segment_id
"""
_COLUMNS = (
    "text_config passages documents entry_ids document_ids collection_ids acl_ids "
    "first_passages first_indexes valid_from valid_until lengths"
).split()
_TYPES = ["text", "integer", "integer", *["bytea"] * 9]
_ADD_BLOCKS = """
insert into rag_internal.posting
    (segment_id, kind, first_term, terms, counts, ordinals, frequencies)
select $1, $2, b.*
from unnest($3, $4, $5, $6, $7) b (first_term, terms, counts, ordinals, frequencies)
"""
_BLOCK_TYPES = ["bigint", '"char"', "text[]", "bytea[]", "bytea[]", "bytea[]", "bytea[]"]
# A statement from PL/Python is a subtransaction, and one that writes takes a transaction id.
_BLOCKS_AT_ONCE = 500
# Not unique: a key would let one build wait for another's new words.
_ADD_WORDS = """
insert into rag_internal.word (word)
select w.word
from unnest($1) w (word)
where not exists (select from rag_internal.word known where known.word = w.word collate "C")
"""
# Tombstones first: an entry that one of them names was somewhere before, so the later statement
# sees where it lies now.
_ENTRIES = "select string_agg(int8send(p.entry_id), '') as entries from rag_internal.pending p"
_SEGMENT_ENTRIES = "select s.entry_ids, s.collection_ids from rag_internal.segment s"
_OF_COLLECTION = """
select string_agg(int8send(p.entry_id), '') as entries
from rag_internal.pending p
where $1 is null or p.collection_id = $1
"""
_BURY = """
with buried as (
    insert into rag_internal.tombstone (entry_id)
    select e.entry_id
    from unnest($1) e (entry_id)
    where not exists (select from rag_internal.indexed_document i
                      join rag_internal.document d using (document_id)
                      where i.entry_id = e.entry_id)
    on conflict do nothing
    returning 1)
select count(*) as buried from buried
"""
_SWEEP = """
with free as materialized (
    select t.entry_id
    from rag_internal.tombstone t
    where t.entry_id = any ($1)
    for update skip locked
), swept as (
    delete from rag_internal.tombstone t
    using free f
    where t.entry_id = f.entry_id
    returning 1)
select count(*) as swept from swept
"""

TIERS = (16_384, MAX_PASSAGES)
"""Sizes that segments are merged up to, tier by tier."""
_FAN_IN = 6  # segments of the lowest tier that are merged
_FAR_LARGER = 10
_DEAD_SHARE = 0.2  # above it, a segment is worth writing again
_MOST_DEAD = 2000  # entries of a segment: every search reads all tombstones
_MOST_BUILT = 16_384


class Upkeep:
    """Changes the index; to be called at read committed, where each statement sees the last."""

    def __init__(self, rows: Rows, store: Store, pause: Callable[[], object]) -> None:
        self._rows = rows
        self._store = store
        self._pause = pause

    def build(self, text_config: str) -> int:
        """Build a segment of pending entries; how many passages it has."""
        rows = self._rows(_TAKE, ["text", "integer"], text_config, _MOST_BUILT)
        segment = build(rows, text_config, self._pause)
        if segment is None:
            return 0
        self.add(segment)
        words = filter(may_be_meant, chain.from_iterable(map(terms_of, segment.blocks[SURFACE])))
        self._rows(_ADD_WORDS, ["text[]"], list(words))
        return int(segment.row["passages"])

    def merge(self, text_config: str, most_passages: int) -> bool:
        """Merge segments up to a tier of `most_passages`; whether there was anything to merge."""
        claimed = self._rows(_CLAIM, ["text"], text_config)
        dead = self.dead()
        chosen = self._choice(claimed, dead, most_passages)
        if not chosen:
            return False
        sources = [self.source(number) for number in chosen]
        for segment in merge(sources, dead, text_config, self._pause):
            self.add(segment)
        self._rows(
            "delete from rag_internal.segment s where s.segment_id = any ($1)",
            ["bigint[]"],
            list(chosen),
        )
        return True

    def sweep(self) -> int:
        """Remove tombstones whose entries lie nowhere; how many."""
        dead = self.dead()
        if not len(dead):
            return 0
        alive = [np.frombuffer(self._rows(_ENTRIES, [])[0]["entries"] or b"", ">i8")]
        # all by one statement: between two, a merge can remove a segment
        alive += [
            np.frombuffer(row["entry_ids"], "<i8") for row in self._rows(_SEGMENT_ENTRIES, [])
        ]
        gone = dead[~np.isin(dead, np.concatenate(alive).astype(np.int64))]
        if not len(gone):
            return 0
        return int(self._rows(_SWEEP, ["bigint[]"], gone.tolist())[0]["swept"])

    def bury(self, collection_id: int | None) -> int:
        """Leave tombstones of a collection's entries (None: all) that are no document's."""
        pending = self._rows(_OF_COLLECTION, ["bigint"], collection_id)[0]["entries"]
        entries = [np.frombuffer(pending or b"", ">i8")]
        for row in self._rows(_SEGMENT_ENTRIES, []):
            every = np.frombuffer(row["entry_ids"], "<i8")
            if collection_id is not None:
                every = every[np.frombuffer(row["collection_ids"], "<i8") == collection_id]
            entries.append(every)
        found = np.unique(np.concatenate(entries).astype(np.int64)).tolist()
        return int(self._rows(_BURY, ["bigint[]"], found)[0]["buried"])

    def dead(self) -> Int64s:
        """The entries that have a tombstone, sorted."""
        blob = self._rows(_DEAD, [])[0]["dead"] or b""
        return np.frombuffer(blob, ">i8").astype(np.int64)

    def _choice(self, claimed: Sequence[Row], dead: Int64s, most_passages: int) -> Sequence[int]:
        """Segments to merge, the smallest first: those of the lowest tier that is full."""
        for row in claimed:
            documents, _ = self._store.segment(row["segment_id"])
            gone = documents.among(dead)
            share = documents.counts[gone].sum() / documents.passages
            if np.count_nonzero(gone) > _MOST_DEAD or (
                share > _DEAD_SHARE and row["passages"] <= most_passages
            ):
                return [row["segment_id"]]
        for size in TIERS:
            if size > most_passages:
                break
            chosen = _fitting(claimed, size)
            if len(chosen) >= (2 if size == MAX_PASSAGES else _FAN_IN):
                return chosen
        return []

    def source(self, number: int) -> Source:
        """A segment, to be merged."""
        documents, lengths = self._store.segment(number)
        return Source(documents, lengths, {k: self._blocks(number, k) for k in ("l", "s")})

    def _blocks(self, number: int, kind: str) -> Iterator[Block]:
        last: str | None = None
        while rows := self._rows(_BLOCKS, ["bigint", '"char"', "text"], number, kind, last):
            yield from map(block_of, rows)
            last = rows[-1]["first_term"]

    def add(self, segment: NewSegment) -> None:
        """Store a new segment."""
        values: list[Any] = [segment.row[name] for name in _COLUMNS]
        number = self._rows(_ADD_SEGMENT, _TYPES, *values)[0]["segment_id"]
        for kind, blocks in segment.blocks.items():
            waiting = iter(blocks)
            while some := list(islice(waiting, _BLOCKS_AT_ONCE)):
                columns = [list(column) for column in zip(*some, strict=True)]
                self._rows(_ADD_BLOCKS, _BLOCK_TYPES, number, kind, *columns)


def _fitting(claimed: Sequence[Row], size: int) -> list[int]:
    """The smallest segments, as many as are together at most `size` passages.

    One that is far larger than the smaller ones together is not worth writing again for them.
    """
    chosen: list[int] = []
    passages = 0
    for row in claimed:
        if passages + row["passages"] > size or row["passages"] > _FAR_LARGER * passages > 0:
            break
        passages += row["passages"]
        chosen.append(row["segment_id"])
    return chosen
