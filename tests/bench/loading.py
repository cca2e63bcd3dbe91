"""Puts passages into ragsql's tables quickly, doing in bulk what an ingest does one by one.

All that knows ragsql's tables is here. Documents get ids that end in a zero byte: a tile is the
same documents with another last byte, in the same order, so that its segments are copies.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from psycopg import sql

from bench.corpus import Document
from bench.server import Connection, seconds

CONFIG = "english"
BATCH = 2048
"""Passages that are pending when an ingest builds a segment."""
SMALL, LARGE = 16_384, 65_536
"""Passages of the segments that an ingest merges, and of the largest ones."""

_STAGES = """
create schema bench;
create table bench.document (document_id uuid, source text, title text, content text,
                             spare boolean);
create table bench.passage (document_id uuid, chunk_index integer, content text, at integer);
create table bench.entry (like rag_internal.pending);
create table bench.kept (like rag_internal.pending);
"""
_DOCUMENTS = """
insert into rag_internal.document (document_id, collection_id, source, title, content,
                                   content_hash, attributes, indexed_as, acl_id, text_config)
select d.document_id, k.collection_id, d.source, d.title, d.content,
       sha256(convert_to(d.content, 'UTF8')),
       jsonb_build_object('source', d.source, 'title', d.title), '{}', k.acl_id, k.text_config
from bench.document d, rag_internal.collection k
where k.name = %s
"""
_CHUNKS = """
insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                start_line, end_line, tsv, words_skipped)
select p.document_id, p.chunk_index, p.content, p.at, p.at + length(p.content), 1, 1,
       rag_internal.index_text(d.title, '{}', p.content, k.text_config, k.title_weight,
                               k.heading_weight),
       rag_internal.words_skipped(p.content)
from bench.passage p
join rag_internal.document d using (document_id)
join rag_internal.collection k using (collection_id)
"""
_BATCHES = """
select array_agg(b.document_id)
from (select d.document_id,
             floor((sum(count(*)) over (order by d.document_id) - count(*)) / %s) as number
      from bench.document d join bench.passage p using (document_id)
      where not d.spare
      group by d.document_id) b
group by b.number
order by b.number
"""
EMPTY = """
truncate rag_internal.pending, rag_internal.posting, rag_internal.segment,
         rag_internal.tombstone, rag_internal.indexed_document
"""
_REFILL = """
with entry as (
    insert into rag_internal.pending
    select (jsonb_populate_record(e, jsonb_build_object('acl_id', d.acl_id))).*
    from bench.entry e join rag_internal.document d using (document_id)
    where e.document_id = any (%s)
    returning document_id, entry_id)
insert into rag_internal.indexed_document (document_id, entry_id)
select distinct document_id, entry_id from entry
"""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Where the time went (see `server.seconds`); entries: packed words and lexemes, and pending."""

    analysis: float
    entries: float
    build: float
    merge: float

    @property
    def total(self) -> float:
        """What an ingest spends, embedding apart."""
        return self.analysis + self.entries + self.build + self.merge


def make_collection(connection: Connection, name: str, title_weight: int | None = None) -> None:
    """The only collection, empty and without a model; title_weight None: the default."""
    connection.execute("select rag.drop_collection(name) from rag.list_collections()")
    connection.execute(EMPTY)
    connection.execute(
        "select rag.create_collection(name => %s, model => 'none', text_config => %s)",
        [name, CONFIG],
    )
    if title_weight is not None:
        connection.execute(
            "update rag_internal.collection set title_weight = %s where name = %s",
            [title_weight, name],
        )


def load(
    connection: Connection,
    collection: str,
    documents: Sequence[Document],
    spare: Sequence[Document] = (),
) -> float:
    """Stores documents and the lexemes of their passages; seconds that the analysis took.

    None of them is in the lexical index then; `index` leaves out the spare ones. The GIN index on
    tsv is made afterwards, outside the time: it is reported by itself.
    """
    connection.execute("drop schema if exists bench cascade")
    connection.execute(_STAGES)
    _copy(connection, documents, False)
    _copy(connection, spare, True)
    connection.execute("analyze bench.document, bench.passage")
    connection.execute(_DOCUMENTS, [collection])
    gin = _drop_gin(connection)
    analysis = seconds(connection, partial(connection.execute, _CHUNKS))
    for definition in gin:
        connection.execute(definition)
    connection.execute("vacuum analyze rag_internal.document, rag_internal.chunk")
    return analysis


def index(connection: Connection, analysis: float = 0) -> Seconds:
    """Indexes what `load` stored, in the rhythm of an ingest; entries are kept for `reindex`."""
    entries = build = merge = 0.0
    for batch in batches(connection):
        entries += seconds(connection, partial(_make_entries, connection, batch))
        connection.execute("insert into bench.entry select * from rag_internal.pending")
        build += seconds(connection, partial(_build, connection))
        merge += seconds(connection, partial(_merge, connection, SMALL))
    _vacuum(connection)
    return Seconds(analysis, entries, build, merge)


def reindex(connection: Connection) -> None:
    """Indexes the same documents again under the classes that they have now."""
    connection.execute(EMPTY)
    for batch in batches(connection):
        connection.execute(_REFILL, [batch])
        _build(connection)
        _merge(connection, SMALL)
    merge_all(connection)


def merge_all(connection: Connection) -> float:
    """Merges into as few segments as there can be; seconds that it took."""

    def merge() -> None:
        while _merge(connection, LARGE):
            pass

    spent = seconds(connection, merge)
    _vacuum(connection)
    return spent


def batches(connection: Connection) -> list[list[uuid.UUID]]:
    """Documents in portions of about BATCH passages."""
    return [row[0] for row in connection.execute(_BATCHES, [BATCH])]


def segment_sizes(connection: Connection) -> list[int]:
    """Passages of each segment, the largest first."""
    rows = connection.execute("select passages from rag_internal.segment order by 1 desc")
    return [row[0] for row in rows]


def set_aside(connection: Connection) -> None:
    """Makes entries of the spare documents, and keeps them apart from pending."""
    connection.execute(
        "select rag_internal.index_document(d.document_id) from bench.document d where d.spare"
    )
    connection.execute("insert into bench.kept select * from rag_internal.pending")
    fill_pending(connection, False)


def fill_pending(connection: Connection, full: bool) -> None:
    """Puts the entries that were set aside into pending, or takes them out."""
    connection.execute("delete from rag_internal.pending")
    if full:
        connection.execute("insert into rag_internal.pending select * from bench.kept")
    connection.execute("vacuum rag_internal.pending")


def _copy(connection: Connection, documents: Sequence[Document], spare: bool) -> None:
    with connection.cursor() as cursor:
        with cursor.copy("copy bench.document from stdin") as copy:
            for document in documents:
                content = "\n\n".join(document.passages)
                row = (document_id(document), document.source, document.title, content, spare)
                copy.write_row(row)
        with cursor.copy("copy bench.passage from stdin") as copy:
            for document in documents:
                start = 0
                for number, passage in enumerate(document.passages):
                    copy.write_row((document_id(document), number, passage, start))
                    start += len(passage) + 2


def document_id(document: Document) -> uuid.UUID:
    """The id of a document, always the same; its last byte is zero."""
    digest = hashlib.blake2b(document.source.encode(), digest_size=15).digest()
    return uuid.UUID(bytes=digest + b"\0")


def _make_entries(connection: Connection, batch: list[uuid.UUID]) -> None:
    connection.execute("select rag_internal.index_document(d) from unnest(%s::uuid[]) d", [batch])


def _build(connection: Connection) -> None:
    while _scalar(connection, "select rag_internal.build_segment(%s)", [CONFIG]):
        pass


def _merge(connection: Connection, most: int) -> bool:
    query = "select rag_internal.merge_segments(%s, %s)"
    return bool(_scalar(connection, query, [CONFIG, most]))


def _vacuum(connection: Connection) -> None:
    tables = ("segment", "posting", "pending", "tombstone", "indexed_document", "word")
    names = sql.SQL(", ").join(sql.Identifier("rag_internal", table) for table in tables)
    connection.execute(sql.SQL("vacuum analyze {}").format(names))


def _drop_gin(connection: Connection) -> list[str]:
    """Drops the GIN indexes on passages; the statements that make them again."""
    rows = connection.execute(
        "select indexrelid::regclass::text, pg_get_indexdef(indexrelid) "
        "from pg_index join pg_class c on c.oid = indexrelid join pg_am a on a.oid = c.relam "
        "where indrelid = 'rag_internal.chunk'::regclass and a.amname = 'gin'"
    ).fetchall()
    for name, _ in rows:
        connection.execute(sql.SQL("drop index {}").format(sql.SQL(name)))
    return [definition for _, definition in rows]


def _scalar(connection: Connection, query: str, arguments: list[object]) -> object:
    row = connection.execute(query, arguments).fetchone()
    return row[0] if row else None
