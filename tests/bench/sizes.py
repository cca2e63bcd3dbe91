"""How much room the lexical index takes, beside the text and the other indexes."""

from __future__ import annotations

from bench.server import Connection

PARTS = ("segment", "posting", "pending", "tombstone")
BESIDE = ("chunk_tsv", "word_trigrams")
"""The GIN index on tsv, and the trigram index over the distinct words."""
MEGABYTE = 1_000_000


def text_bytes(connection: Connection) -> int:
    """UTF-8 bytes of the passages that are in the index."""
    return _number(
        connection,
        "select sum(octet_length(c.content)) from rag_internal.chunk c "
        "join rag_internal.indexed_document i using (document_id)",
    )


def index_bytes(connection: Connection) -> int:
    """Bytes of the rows of the lexical index: what it takes without the pages' own overhead."""
    return sum(
        _number(connection, f"select coalesce(sum(pg_column_size(t)), 0) from rag_internal.{p} t")
        for p in PARTS
    )


def disk_bytes(connection: Connection) -> int:
    """Bytes of the lexical index on disk: tables, TOAST and primary keys."""
    names = [f"rag_internal.{part}" for part in PARTS]
    query = "select sum(pg_total_relation_size(t::regclass)) from unnest(%s::text[]) t"
    return _number(connection, query, names)


def other_indexes(connection: Connection) -> dict[str, int]:
    """Bytes on disk of the indexes that have other uses."""
    query = "select pg_relation_size(%s::regclass)"
    return {name: _number(connection, query, f"rag_internal.{name}") for name in BESIDE}


def _number(connection: Connection, query: str, *arguments: object) -> int:
    row = connection.execute(query, arguments or None).fetchone()
    return int(row[0]) if row else 0
