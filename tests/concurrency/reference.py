"""What the index has to say, computed from the tables without it."""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any, NamedTuple

from concurrency.stage import REPEATABLE_READ, Session

K1, B = 1.2, 0.75

# The rule of access, and what is valid, in words of their own.
_VISIBLE = """
select d.document_id::text, c.chunk_index, u.lexeme, cardinality(u.positions)
from rag_internal.document d
join rag_internal.collection k using (collection_id)
join rag_internal.chunk c using (document_id)
left join lateral unnest(c.tsv) u on true
where d.status = 'active'
  and (%(collection)s::text is null or k.name = %(collection)s)
  and (d.valid_from is null or d.valid_from <= statement_timestamp())
  and (d.valid_until is null or d.valid_until > statement_timestamp())
  and (%(role)s::text is null or exists (
          select from rag_internal.acl_reader r
          join rag_internal.principal p using (principal_id)
          where r.acl_id = d.acl_id
            and (p.kind = 'public' or pg_has_role(%(role)s, p.role_oid, 'usage'))))
"""
_FOUND = """
select document_id::text, chunk_index, score
from rag.bm25_search(%s, %s::text[], 100000)
order by rank
"""
_ENTRIES = """
select i.entry_id,
       (select count(*) from rag_internal.chunk c where c.document_id = i.document_id)
from rag_internal.indexed_document i
"""
_SEGMENTS = """
select entry_ids, first_indexes, first_passages, passages from rag_internal.segment
"""

Passage = tuple[str, int]


class Piece(NamedTuple):
    """Where passages of an entry lie. part: pending, or the number of a segment."""

    part: int
    first_index: int
    passages: int


def scores(
    session: Session, word: str, role: str | None, collection: str | None = None
) -> dict[Passage, float]:
    """BM25 score of each passage (document_id, chunk_index) with a word that `role` may see.

    session: of a superuser. BM25 as in Robertson and Zaragoza (2009), idf + 1 inside the logarithm.
    """
    rows = session.connection.execute(_VISIBLE, {"role": role, "collection": collection}).fetchall()
    (lexeme,) = session.run("select (tsvector_to_array(to_tsvector('english', %s)))[1]", word)
    lengths: Counter[Passage] = Counter()
    found: dict[Passage, int] = {}
    for document_id, index, own, tf in rows:
        lengths[document_id, index] += tf or 0
        if own == lexeme:
            found[document_id, index] = tf
    n, df = len(lengths), len(found)
    idf = math.log((n - df + 0.5) / (df + 0.5) + 1)
    average = sum(lengths.values()) / max(n, 1)
    return {
        passage: idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths[passage] / average))
        for passage, tf in found.items()
    }


def assert_ranking(
    root: Session, reader: Session, word: str = "valve", collection: str | None = None
) -> None:
    """Expects of bm25_search what the tables say, in order of score, document and passage."""
    rows = reader.run(_FOUND, word, [collection] if collection else None)
    expected = scores(root, word, reader.role, collection)
    found = {(document_id, index): score for document_id, index, score in rows}
    assert len(found) == len(rows)
    assert found.keys() == expected.keys(), f"{reader.role}: {found.keys() ^ expected.keys()}"
    for passage, score in found.items():
        assert math.isclose(score, expected[passage], rel_tol=1e-12)
    assert rows == sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def places(session: Session) -> dict[int, list[Piece]]:
    """Where each entry lies, the dead ones too."""
    found: dict[int, list[Piece]] = defaultdict(list)
    pending = "select entry_id, first_index, passages from rag_internal.pending"
    for entry_id, first_index, passages in session.run(pending):
        found[entry_id].append(Piece(-1, first_index, passages))
    for part, row in enumerate(session.run(_SEGMENTS)):
        for entry_id, piece in _of_segment(part, *row):
            found[entry_id].append(piece)
    return found


def _of_segment(
    part: int, entry_ids: bytes, first_indexes: bytes, first_passages: bytes, passages: int
) -> list[tuple[int, Piece]]:
    documents = len(entry_ids) // 8
    entries = struct.unpack(f"<{documents}q", entry_ids)
    indexes = struct.unpack(f"<{documents}I", first_indexes)
    starts = (*struct.unpack(f"<{documents}I", first_passages), passages)
    sizes = [stop - start for start, stop in pairwise(starts)]
    return [
        (entry, Piece(part, index, size))
        for entry, index, size in zip(entries, indexes, sizes, strict=True)
    ]


def assert_whole(session: Session) -> None:
    """Expects each living entry in one place, each other one under a tombstone, and no difference.

    session: of a superuser, in no transaction.
    """
    session.begin(REPEATABLE_READ)
    found = places(session)
    living: dict[int, int] = dict(session.run(_ENTRIES))
    dead: set[Any] = set(session.run("select entry_id from rag_internal.tombstone"))
    differences = session.run(
        "select k.name, d.* from rag_internal.collection k, rag_internal.index_differences(k) d"
    )
    session.rollback()
    assert not differences
    assert not dead & set(living)
    assert set(found) <= dead | set(living)
    for entry_id, passages in living.items():
        reached = 0
        for piece in sorted(found[entry_id], key=lambda piece: piece.first_index):
            assert piece.first_index == reached, "passages lie nowhere, or in two places"
            reached += piece.passages
        assert reached == passages
