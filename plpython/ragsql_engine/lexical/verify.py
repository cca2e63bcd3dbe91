"""Whether the index says what the passages say: both sides are computed anew and compared."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.blocks import Block, passage_sums, unpack
from ragsql_engine.lexical.documents import Documents
from ragsql_engine.lexical.parts import LEXEME, SURFACE
from ragsql_engine.lexical.statements import Row, Rows
from ragsql_engine.lexical.store import Store, block_of

UInt64s = NDArray[np.uint64]
Key = tuple[int, int, int]  # halves of the document id, chunk_index

_EXPECTED = """
select d.document_id, c.chunk_index, d.acl_id, d.collection_id, d.text_config, i.entry_id,
       coalesce(rag_internal.microseconds(v.starts), -9223372036854775808) as valid_from,
       coalesce(rag_internal.microseconds(v.ends), 9223372036854775807) as valid_until,
       c.tsv = n.tsv as up_to_date,
       rag_internal.pack_terms(tsvector_to_array(n.tsv)) as lexemes,
       l.frequencies, l.length,
       rag_internal.pack_terms(tsvector_to_array(rag_internal.surface_forms(
           rag_internal.surface_text(d.title, c.heading, c.content)))) as surfaces
from (select d.* from rag_internal.document d
      where d.collection_id = $1
        and ($2 is null or d.document_id > $2)
      order by d.document_id
      limit 100) d
join rag_internal.collection k using (collection_id)
left join rag_internal.indexed_document i using (document_id)
left join rag_internal.chunk c using (document_id)
cross join lateral rag_internal.indexed_validity(d.status, d.valid_from, d.valid_until) v
cross join lateral (
    select rag_internal.index_text(d.title, c.heading, c.content, d.text_config, k.title_weight,
                                   k.heading_weight) as tsv) n
cross join lateral (
    select coalesce(sum(cardinality(t.positions)), 0)::integer as length,
           coalesce(string_agg(set_byte('\\x00', 0, least(cardinality(t.positions), 255)), ''), '')
               as frequencies
    from unnest(n.tsv) t) l
order by d.document_id, c.chunk_index
"""
_PENDING = """
select p.entry_id, p.document_id, p.first_index, p.acl_id, p.collection_id, p.text_config,
       p.passages,
       coalesce(rag_internal.microseconds(p.valid_from), -9223372036854775808) as valid_from,
       coalesce(rag_internal.microseconds(p.valid_until), 9223372036854775807) as valid_until,
       p.lengths, p.lexemes, p.frequencies, p.surfaces
from rag_internal.pending p
where p.collection_id = $1
  and not exists (select from rag_internal.tombstone t where t.entry_id = p.entry_id)
"""
_SEGMENTS = "select s.segment_id, s.text_config from rag_internal.segment s order by s.segment_id"
_BLOCKS = """
select p.first_term, p.terms, p.counts, p.ordinals, p.frequencies
from rag_internal.posting p
where p.segment_id = $1 and p.kind = $2
order by p.first_term
"""
_DEAD = "select string_agg(int8send(t.entry_id), '') as dead from rag_internal.tombstone t"


class Passage(NamedTuple):
    """What an index says of a passage. lexemes, surfaces: sums over its terms."""

    entry_id: int
    acl_id: int
    collection_id: int
    text_config: str
    valid_from: int
    valid_until: int
    length: int
    lexemes: int
    surfaces: int


def differences(rows: Rows, store: Store, collection_id: int) -> Iterator[dict[str, Any]]:
    """Rows of rag.index_difference of a collection."""
    values = _Values()
    indexed: dict[Key, list[Passage]] = defaultdict(list)
    for key, passage in _indexed(rows, store, collection_id, values):
        indexed[key].append(passage)
    for row, key, expected in _expected(rows, collection_id, values):
        if not row["up_to_date"]:
            yield _difference("outdated", key, "its lexemes are not what the analyzer makes today")
        there = indexed.pop(key, [])
        if not there:
            yield _difference("missing", key, "no segment and no pending entry has it")
        elif len(there) > 1:
            yield _difference("doubled", key, f"it is in the index {len(there)} times")
        for passage in there:
            wrong = [
                n for n, a, b in zip(Passage._fields, passage, expected, strict=True) if a != b
            ]
            if wrong:
                yield _difference("wrong", key, f"the index has other {', '.join(wrong)}")
    for key in indexed:
        yield _difference("dead", key, "the index has a passage that does not exist")


def _difference(kind: str, key: Key, detail: str) -> dict[str, Any]:
    document_id = f"{key[0]:016x}{key[1]:016x}"
    return {"kind": kind, "document_id": document_id, "chunk_index": key[2], "detail": detail}


class _Values(dict[str, int]):
    """A number for each term, the same each time."""

    def __missing__(self, term: str) -> int:
        digest = blake2b(term.encode(), digest_size=8).digest()
        value = self[term] = int.from_bytes(digest, "little")
        return value

    def of(self, terms: Iterable[str]) -> UInt64s:
        """uint64 of each term."""
        return np.array([self[term] for term in terms], np.uint64)

    def sum(self, packed: bytes, frequencies: bytes | None) -> int:
        """The sum over the terms of one packed passage."""
        values = self.of(packed.decode().rstrip("\x02").split("\x01")[:-1])
        if frequencies is not None:
            values *= np.frombuffer(frequencies, np.uint8)
        return int(values.sum(dtype=np.uint64))


def _expected(
    rows: Rows, collection_id: int, values: _Values
) -> Iterator[tuple[Row, Key, Passage]]:
    last: str | None = None
    while page := rows(_EXPECTED, ["bigint", "uuid"], collection_id, last):
        last = page[-1]["document_id"]
        for row in page:
            if row["chunk_index"] is not None:
                sums = (
                    values.sum(row["lexemes"], row["frequencies"]),
                    values.sum(row["surfaces"], None),
                )
                yield row, (*_halves(row["document_id"]), row["chunk_index"]), _passage(row, sums)


def _passage(row: Mapping[str, Any], sums: tuple[int, int]) -> Passage:
    return Passage._make([*(row[name] for name in Passage._fields[:-2]), *sums])


def _indexed(
    rows: Rows, store: Store, collection_id: int, values: _Values
) -> Iterator[tuple[Key, Passage]]:
    for row in rows(_PENDING, ["bigint"], collection_id):
        yield from _of_pending(row, values)
    dead = np.frombuffer(rows(_DEAD, [])[0]["dead"] or b"", ">i8").astype(np.int64)
    for row in rows(_SEGMENTS, []):
        documents, lengths = store.segment(row["segment_id"])
        chosen = (documents.collection_ids == collection_id) & ~np.isin(documents.entry_ids, dead)
        if chosen.any():
            sums = [
                _sums(rows, row["segment_id"], kind, documents.passages, values)
                for kind in (LEXEME, SURFACE)
            ]
            for at in np.flatnonzero(chosen):
                yield from _of_segment(documents, int(at), row["text_config"], lengths, sums)


def _sums(rows: Rows, number: int, kind: str, n: int, values: _Values) -> UInt64s:
    blocks: list[Block] = [block_of(r) for r in rows(_BLOCKS, ["bigint", '"char"'], number, kind)]
    flat = unpack(blocks, n)
    return passage_sums(flat, n, values.of(flat.terms))


def _of_segment(
    documents: Documents, at: int, config: str, lengths: NDArray[np.uint32], sums: list[UInt64s]
) -> Iterator[tuple[Key, Passage]]:
    first = int(documents.first_passages[at])
    index = int(documents.first_indexes[at])
    high, low = (int(half) for half in documents.document_ids[at])
    fixed = (
        int(documents.entry_ids[at]),
        int(documents.acl_ids[at]),
        int(documents.collection_ids[at]),
        config,
        int(documents.valid_from[at]),
        int(documents.valid_until[at]),
    )
    for step in range(int(documents.counts[at])):
        place = first + step
        own = (int(lengths[place]), int(sums[0][place]), int(sums[1][place]))
        yield (high, low, index + step), Passage(*fixed, *own)


def _of_pending(row: Row, values: _Values) -> Iterator[tuple[Key, Passage]]:
    lengths = np.frombuffer(row["lengths"], ">u4")
    lexemes, surfaces = (row[name].split(b"\x02")[:-1] for name in ("lexemes", "surfaces"))
    start = 0
    for step in range(row["passages"]):
        stop = start + lexemes[step].count(b"\x01")
        sums = (
            values.sum(lexemes[step], row["frequencies"][start:stop]),
            values.sum(surfaces[step], None),
        )
        start = stop
        key = (*_halves(row["document_id"]), row["first_index"] + step)
        yield key, _passage({**row, "length": int(lengths[step])}, sums)


def _halves(document_id: str) -> tuple[int, int]:
    digits = document_id.replace("-", "")
    return int(digits[:16], 16), int(digits[16:], 16)
