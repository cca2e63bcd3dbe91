"""Reads the lexical index: which parts there are, and which of their passages a caller sees.

All of it is asked in the snapshot of the calling statement. What is kept between statements is
immutable (segments and their postings) or has a name that changes with it: what a caller may see is
kept under the sum of the access stamps, which is another one after any change of the readers.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical import statements
from ragsql_engine.lexical.blocks import Block, find
from ragsql_engine.lexical.cache import Cache
from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import FOREVER, Documents
from ragsql_engine.lexical.freshness import NOW, When
from ragsql_engine.lexical.parts import LEXEME, Part, SegmentPart, Visible
from ragsql_engine.lexical.pending import pending_parts
from ragsql_engine.lexical.sight import Pairs, Sight, distinct, pairs_of
from ragsql_engine.lexical.statements import Row, Rows

Int64s = NDArray[np.int64]
UInt32s = NDArray[np.uint32]
Headers = tuple[Documents, UInt32s]

Value = TypeVar("Value")

_UNKNOWN = object()  # not kept; None is kept for a term that is not there


class Reader(NamedTuple):
    """For whom the index is read: rag_internal.identity without the name."""

    principal_ids: tuple[int, ...]
    sees_everything: bool
    tenant: str
    clearance: int

    @classmethod
    def from_identity(cls, identity: Row) -> "Reader":
        """From a value of rag_internal.identity."""
        return cls(
            tuple(identity["principal_ids"]),
            identity["sees_everything"],
            identity["tenant"],
            identity["clearance"],
        )


@dataclass(frozen=True)
class View:
    """The index as one caller sees it in one statement: parts of each text configuration.

    blocks, prefixes: what was read of each segment, by its part. built: all segments there are,
    whether he sees anything in them or not. has_versions: whether any document, whoever sees it, may
    be another version of another one.
    """

    parts: dict[str, list[Part]]
    segments: dict[int, SegmentPart]
    blocks: dict[int, dict[tuple[str, str], Block | Posting]]
    prefixes: dict[int, dict[tuple[str, str], Sequence[Block]]]
    built: tuple[int, ...]
    has_versions: bool

    @property
    def all_parts(self) -> list[Part]:
        """The parts of every configuration."""
        return [part for parts in self.parts.values() for part in parts]


class Store:
    """The lexical index of one database, for one session."""

    def __init__(self, rows: Rows, limit: int) -> None:
        self._rows = rows
        self._cache = Cache(limit)
        self._dead_blob, self._dead_number = b"", 0
        self.search_id: int | None = None
        self._state: tuple[Any, Any] = None, None

    def view(
        self,
        reader: Reader,
        collections: Sequence[int] | None,
        kinds: str,
        when: When = NOW,
    ) -> View:
        """Parts with a passage that `reader` sees in `collections` (None: all).

        kinds: of the terms that pending documents are asked for, 'l', 's' or both.
        """
        state = self._read_state(when)
        scope = None if collections is None else np.unique(np.array(collections, np.int64))
        who = Who(
            key=(reader, state["stamp"], None if scope is None else scope.tobytes(), when),
            acls=self.acls(reader, state["stamp"]),
            collections=scope,
            dead=self._dead(state["dead"] or b""),
            now=state["now"],
            when=when,
        )
        view = View({}, {}, {}, {}, tuple(state["segments"]), state["has_versions"])
        for number, config in zip(state["segments"], state["configs"], strict=True):
            self._add_segment(view, number, config, who)
        waiting = pending_parts(self._rows, self._cache, kinds) if state["is_pending"] else ()
        for config, pending in waiting:
            seen = see(pending.documents, pending.lengths, who, who.dead)
            if seen.visible.count:
                pending.visible = seen.visible
                view.parts.setdefault(config, []).append(pending)
        return view

    def _read_state(self, when: When) -> Any:
        """What the index consists of. Within one search it is read once: it has one snapshot."""
        key = self.search_id, when.as_of
        if self.search_id is None or self._state[0] != key:
            self._state = key, self._rows(statements.STATE, ["timestamptz"], when.as_of)[0]
        return self._state[1]

    def sight(self, reader: Reader, collections: Sequence[int] | None, when: When = NOW) -> Sight:
        """What `reader` sees in `collections` (None: all)."""
        view = self.view(reader, collections, LEXEME, when)
        segments = [part for part in view.all_parts if isinstance(part, SegmentPart)]

        def read() -> Pairs:
            found = [pairs_of(part.documents, part.visible) for part in segments]
            return Pairs.of(distinct(found))

        # what is seen of a segment is kept as long as it is the same
        key = "pairs", tuple(part.visible for part in segments)
        pairs = self._cache.make(key, read, lambda pairs: pairs.nbytes)
        waiting = [part for part in view.all_parts if not isinstance(part, SegmentPart)]
        if waiting:
            fresh = distinct(pairs_of(part.documents, part.visible) for part in waiting)
            pairs = self._with(pairs, fresh)
        passages = sum(part.visible.count for part in view.all_parts)
        return Sight(pairs, passages, sorted(view.parts))

    def _with(self, pairs: Pairs, fresh: Int64s) -> Pairs:
        """Pairs of segments and pending documents; the same as before where nothing is new."""

        def read() -> Pairs:
            merged = distinct([pairs.values, fresh])
            return pairs if len(merged) == len(pairs.values) else Pairs.of(merged)

        key = "pairs", pairs.name, fresh.tobytes()
        return self._cache.make(key, read, lambda merged: merged.nbytes + fresh.nbytes)

    def keep(self, key: Hashable, make: Callable[[], Value], size: int) -> Value:
        """What is made once, as long as there is room for it."""
        return self._cache.make(key, make, lambda _: size)

    def acls(self, reader: Reader, stamp: str | None = None) -> Int64s | None:
        """The sharing classes that `reader` may read, sorted; None for all."""
        if reader.sees_everything:
            return None

        def read() -> Int64s:
            types = ["text", "smallint", "bigint[]"]
            ids = list(reader.principal_ids)
            row = self._rows(statements.ACLS, types, reader.tenant, reader.clearance, ids)[0]
            return np.sort(np.frombuffer(row["acls"] or b"", ">i8").astype(np.int64))

        stamp = stamp or self._read_state(NOW)["stamp"]
        return self._cache.make(("acls", reader, stamp), read, lambda acls: acls.nbytes + 100)

    def lexemes(self, question: str, config: str) -> Sequence[str]:
        """What a plain question is asked as; kept, since pages and other legs ask it again."""

        def read() -> Sequence[str]:
            rows = self._rows(statements.LEXEMES, ["text", "text"], question, config)
            return tuple(rows[0]["lexemes"])

        size = 200 + 100 * len(question)
        return self._cache.make(("lexemes", question, config), read, lambda _: size)

    def read_postings(self, view: View, kind: str, terms: Sequence[str]) -> None:
        """Give the segments of `view` their postings of `terms`, by one statement at most."""
        wanted: list[tuple[int, str]] = []
        for number, found in view.blocks.items():
            for term in terms:
                posting: Any = self._cache.get((number, kind, term), _UNKNOWN)
                if posting is _UNKNOWN:
                    wanted.append((number, term))
                elif posting is not None:
                    found[kind, term] = posting
        if not wanted:
            return
        numbers, names = zip(*wanted, strict=True)
        types = ["bigint[]", "text[]", '"char"']
        rows = self._rows(statements.BLOCKS, types, list(numbers), list(names), kind)
        read = {(row["segment_id"], row["term"]): block_of(row) for row in rows}
        for number, term in wanted:
            block = read.get((number, term))
            n = view.segments[number].documents.passages
            posting = None if block is None else find(block, term, n)
            self._cache.put((number, kind, term), posting, _size(posting))
            if posting is not None:
                view.blocks[number][kind, term] = posting

    def read_prefix(self, view: View, kind: str, prefix: str) -> None:
        """Give the segments of `view` the blocks of all terms that begin with `prefix`."""
        types = ["bigint[]", '"char"', "text", "text"]
        end = prefix + "\U0010ffff"
        rows = self._rows(statements.BLOCKS_FROM, types, list(view.segments), kind, prefix, end)
        for number, found in view.prefixes.items():
            found[kind, prefix] = [block_of(row) for row in rows if row["segment_id"] == number]

    def _add_segment(self, view: View, number: int, config: str, who: "Who") -> None:
        documents, lengths = self.segment(number)
        seen = self._seen(number, documents, lengths, who)
        if seen.visible.count:
            blocks: dict[tuple[str, str], Block | Posting] = {}
            prefixes: dict[tuple[str, str], Sequence[Block]] = {}
            part = SegmentPart(documents, lengths, blocks, prefixes, seen.visible)
            view.parts.setdefault(config, []).append(part)
            view.segments[number] = part
            view.blocks[number], view.prefixes[number] = blocks, prefixes

    def segment(self, number: int) -> Headers:
        """Documents and lengths of a segment."""

        def read() -> Headers:
            row = self._rows(statements.SEGMENT, ["bigint"], number)[0]
            return Documents.from_row(row), np.frombuffer(row["lengths"], "<u4")

        return self._cache.make(("segment", number), read, lambda s: s[0].nbytes + s[1].nbytes)

    def _seen(self, number: int, documents: Documents, lengths: UInt32s, who: "Who") -> "Seen":
        here = self._cache.make(
            ("dead", number, self._dead_number),
            lambda: who.dead[np.isin(who.dead, documents.entry_ids)],
            lambda found: found.nbytes + 100,
        )
        key = "seen", number, who.key, here.tobytes()
        seen: Seen | None = self._cache.get(key, None)
        if seen is None or not seen.since <= who.now < seen.until:
            seen = see(documents, lengths, who, here)
            mask = seen.visible.mask
            self._cache.put(key, seen, 300 if mask is None else mask.nbytes + 300)
        return seen

    def _dead(self, blob: bytes) -> Int64s:
        """The dead entries, sorted; a new list gets a new number."""
        if blob != self._dead_blob:
            self._dead_blob, self._dead_number = blob, self._dead_number + 1
        return np.frombuffer(blob, ">i8").astype(np.int64)


class Who(NamedTuple):
    """Who reads, and when. key: names what he sees; acls, collections: sorted, None for all."""

    key: Any
    acls: Int64s | None
    collections: Int64s | None
    dead: Int64s
    now: int
    when: When


class Seen(NamedTuple):
    """Which passages of a part are seen, at moments from `since` up to `until`."""

    visible: Visible
    since: int
    until: int


def see(documents: Documents, lengths: UInt32s, who: Who, dead: Int64s) -> Seen:
    """Which passages are seen; dead: those entries of `who.dead` that matter here."""
    is_any_moment = who.when.archived and who.when.as_of is None
    now = None if is_any_moment else who.now
    mask = documents.visible(who.acls, who.collections, dead, now, who.when.archived)
    passages = None if mask is None else documents.spread(mask)
    until = FOREVER if is_any_moment else documents.until(who.now)
    return Seen(Visible.of(lengths, passages), who.now, until)


def block_of(row: Row) -> Block:
    names = ("first_term", "terms", "counts", "ordinals", "frequencies")
    return Block(*(row[name] for name in names))


def _size(posting: Posting | None) -> int:
    if posting is None:
        return 150
    return 300 + sum(column.nbytes for column in posting if column is not None)
