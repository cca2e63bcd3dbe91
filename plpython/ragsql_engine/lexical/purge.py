"""Takes what is dead out of the index at once, where upkeep leaves it to the next merge.

Sessions keep what they decoded of a segment under its number. So nothing is changed in place: a
segment that holds something dead is written again without it, under another number.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.blocks import Block, postings_of
from ragsql_engine.lexical.documents import COLUMNS, Bools, Int64s
from ragsql_engine.lexical.merge import Source, merge
from ragsql_engine.lexical.parts import SURFACE
from ragsql_engine.lexical.statements import Rows
from ragsql_engine.lexical.store import Store
from ragsql_engine.lexical.upkeep import Upkeep

# Purges one after the other: two that each wait for a segment of the other would wait for ever.
# Reading, ingesting, building and merging go on.
_ONE_AT_A_TIME = "lock table rag_internal.segment in share update exclusive mode"
# Waits for who is building a row: by then what it held lies in a segment.
_DELETE_PENDING = """
delete from rag_internal.pending p where p.document_id = any ($1)
"""
_DELETE_DEAD_PENDING = """
delete from rag_internal.pending p using rag_internal.tombstone t where t.entry_id = p.entry_id
"""
_SEGMENTS = """
select array(select s.segment_id from rag_internal.segment s order by s.segment_id) as numbers
"""
_ENTRIES = """
select s.entry_ids, s.document_ids from rag_internal.segment s where s.segment_id = $1
"""
# Waits for who is merging it: by then another one has what it held.
_LOCK = """
select s.text_config from rag_internal.segment s where s.segment_id = $1 for update
"""
_DELETE = "delete from rag_internal.segment s where s.segment_id = $1"
# Who has built a segment has this lock until the end of its transaction; who comes later waits, and
# then adds the words that it misses.
_LOCK_WORDS = "lock table rag_internal.word in share row exclusive mode"
_WORDS = "select string_agg(w.word, chr(1)) as words from rag_internal.word w"
_FRESH_WORDS = "select p.surfaces from rag_internal.pending p"
_TERMS = """
select p.first_term, p.terms
from rag_internal.posting p
where p.segment_id = $1 and p.kind = $2 and ($3 is null or p.first_term > $3 collate "C")
order by p.first_term
limit 2000
"""
_DELETE_WORDS = """
delete from rag_internal.word w where w.word = any ($1)
"""


class Purge:
    """Rewrites segments; to be called at read committed, where each statement sees the last."""

    def __init__(
        self, rows: Rows, store: Store, upkeep: Upkeep, pause: Callable[[], object]
    ) -> None:
        self._rows = rows
        self._store = store
        self._upkeep = upkeep
        self._pause = pause

    def erase(self, document_ids: Sequence[str]) -> int:
        """Take all entries of documents that are deleted out of the index; how many postings."""
        self._rows(_ONE_AT_A_TIME, [])
        self._rows(_DELETE_PENDING, ["uuid[]"], list(document_ids))
        wanted = np.array([bytes.fromhex(name.replace("-", "")) for name in document_ids], "S16")
        postings = 0
        for number in self._all_segments():
            found = self._entries(number, "document_ids", wanted)
            # an older snapshot of whoever else rewrote it: what it became comes later
            if len(found):
                postings += self._rewrite(number, found) or 0
        self._upkeep.sweep()
        return postings

    def step(self) -> bool:
        """Rewrite one segment with something dead; False, after a sweep, where none has."""
        self._rows(_ONE_AT_A_TIME, [])
        self._rows(_DELETE_DEAD_PENDING, [])
        dead = self._upkeep.dead()
        for number in self._all_segments():
            found = self._entries(number, "entry_ids", dead)
            if len(found) and self._rewrite(number, found) is not None:
                return True
        self._upkeep.sweep()
        return False

    def prune_words(self) -> int:
        """Remove the words that no entry has, dead ones included; how many."""
        self._rows(_LOCK_WORDS, [])
        words = self._rows(_WORDS, [])[0]["words"]
        unused = set(words.split("\x01")) if words else set()
        # what a later statement finds no more in pending lies in a segment by then
        for row in self._rows(_FRESH_WORDS, []):
            fresh = row["surfaces"].replace(b"\x02", b"").decode()
            unused.difference_update(fresh.split("\x01"))
        for number in self._all_segments():
            for terms in self._terms(number):
                unused.difference_update(terms)
            self._pause()
        if unused:
            self._rows(_DELETE_WORDS, ["text[]"], sorted(unused))
        return len(unused)

    def _all_segments(self) -> Iterator[int]:
        """Each segment once, those that come meanwhile included: until there is no other."""
        seen: set[int] = set()
        while fresh := [n for n in self._rows(_SEGMENTS, [])[0]["numbers"] if n not in seen]:
            seen.update(fresh)
            yield from fresh

    def _entries(self, number: int, column: str, among: NDArray[Any]) -> Int64s:
        """The entries of a segment whose `column` is among these; none where the segment is gone."""
        rows = self._rows(_ENTRIES, ["bigint"], number)
        if not rows:
            return np.empty(0, np.int64)
        entries = np.frombuffer(rows[0]["entry_ids"], "<i8")
        form = "S16" if column == "document_ids" else COLUMNS[column]
        mask: Bools = np.isin(np.frombuffer(rows[0][column], form), among)
        found: Int64s = entries[mask].astype(np.int64)
        return found

    def _rewrite(self, number: int, entries: Int64s) -> int | None:
        """Write a segment again without these entries and the dead ones; how many postings less.

        None where somebody else has just done that.
        """
        claimed = self._rows(_LOCK, ["bigint"], number)
        if not claimed:
            return None
        before = _Count()
        documents, lengths, blocks = self._upkeep.source(number)
        source = Source(documents, lengths, {k: before.of(b) for k, b in blocks.items()})
        dead = np.union1d(self._upkeep.dead(), entries)
        left = 0
        for segment in merge([source], dead, claimed[0]["text_config"], self._pause):
            self._upkeep.add(segment)
            left += sum(postings_of(b) for own in segment.blocks.values() for b in own)
        if not before.postings:
            # nothing lives: its blocks were not read
            for own in self._upkeep.source(number).blocks.values():
                before.postings += sum(map(postings_of, own))
        self._rows(_DELETE, ["bigint"], number)
        return before.postings - left

    def _terms(self, number: int) -> Iterator[list[str]]:
        """The surface forms of a segment."""
        last: str | None = None
        types = ["bigint", '"char"', "text"]
        while rows := self._rows(_TERMS, types, number, SURFACE, last):
            for row in rows:
                yield row["terms"].decode().split("\x01")
            last = rows[-1]["first_term"]


class _Count:
    """How many postings went through."""

    def __init__(self) -> None:
        self.postings = 0

    def of(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The same blocks."""
        for block in blocks:
            self.postings += postings_of(block)
            yield block
