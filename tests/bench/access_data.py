"""Passages with vectors in many sharing classes, and the roles that read a share of them.

Rows go into the tables directly, without triggers; the lexical index is made by what an ingest
calls, the vector index once all vectors are there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from psycopg import sql

from bench import loading, recall
from bench.recall import Ids, Vectors
from bench.server import Connection

CONFIG = "english"
MODEL = "bench-access"
COLLECTIONS = 20
PER_DOCUMENT, FEWEST = 10, 4
"""Passages of a document, and of the first one, which a role sees alone."""
SEED = 6

ADMIN = "bench_admin"
"""A role that sees everything, by being of rag_admin."""
ALL = "bench_all"
SHARES = {
    ALL: 1.0,
    "bench_half": 0.5,
    "bench_tenth": 0.1,
    "bench_hundredth": 0.01,
    "bench_thousandth": 0.001,
    "bench_four": 0.00004,
}
"""Roles, and the share of the passages that each sees; who sees fewer sees a part of the others."""

_COLLECTIONS = """
select rag.create_collection('access-' || n, model => %s, text_config => %s)
from generate_series(0, %s) n
"""
_STAGE = """
create temporary table passage_to_load (
    number integer, document integer, class integer, content text, v halfvec)
"""
_ACLS = """
insert into rag_internal.acl (reader_set)
select sha256(gen_random_uuid()::text::bytea) from generate_series(1, %s)
returning acl_id
"""
_READERS = """
insert into rag_internal.acl_reader (principal_id, acl_id)
select p.principal_id, a
from rag_internal.principal p, unnest(%s::bigint[]) a
where p.kind = 'role' and p.name = %s
"""
_PRINCIPAL = """
insert into rag_internal.principal (kind, name, role_oid)
select 'role', r.rolname, r.oid from pg_roles r where r.rolname = %s
on conflict do nothing
"""
_ROWS = {
    "document": """
    insert into rag_internal.document (collection_id, source, content, content_hash, attributes,
                                       indexed_as, acl_id, text_config)
    select k.collection_id, l.document::text, string_agg(l.content, E'\n' order by l.number),
           sha256(l.document::text::bytea), jsonb_build_object('part', l.document %% 2), '{}',
           (%(acls)s::bigint[])[min(l.class) + 1], k.text_config
    from passage_to_load l
    join rag_internal.collection k on k.name = 'access-' || l.document %% %(collections)s
    group by l.document, k.collection_id, k.text_config
    """,
    "chunk": """
    insert into rag_internal.chunk (document_id, chunk_index, content, start_offset, end_offset,
                                    start_line, end_line, tsv)
    select d.document_id, row_number() over (partition by l.document order by l.number) - 1,
           l.content, 0, 1, 1, 1,
           rag_internal.index_text(null, '{}', l.content, k.text_config, k.title_weight,
                                   k.heading_weight)
    from passage_to_load l
    join rag_internal.document d on d.source = l.document::text
    join rag_internal.collection k using (collection_id)
    """,
    "embedding": """
    insert into rag_internal.embedding (model_id, chunk_id, acl_id, collection_id, embed_hash, v)
    select k.model_id, c.chunk_id, d.acl_id, d.collection_id, sha256(l.number::text::bytea), l.v
    from (select p.*, row_number() over (partition by p.document order by p.number) - 1 as place
          from passage_to_load p) l
    join rag_internal.document d on d.source = l.document::text
    join rag_internal.chunk c on c.document_id = d.document_id and c.chunk_index = l.place
    join rag_internal.collection k on k.collection_id = d.collection_id
    """,
}
_EMPTY = "truncate rag_internal.document, rag_internal.acl_reader cascade"
_INDEX = "select rag_internal.index_document(d.document_id) from rag_internal.document d"
_BUILD = "select rag_internal.build_vector_index(m) from rag_internal.model m where m.name = %s"
_HNSW = """
select format('embedding_%%s_hnsw', m.model_id) from rag_internal.model m where m.name = %s
"""
_IDS = """
select d.source::integer, c.chunk_index, c.document_id
from rag_internal.chunk c join rag_internal.document d using (document_id)
"""
_GATHER = """
with one as (select * from rag_internal.collection where name = 'access-0'),
     moved as (update rag_internal.embedding e
               set acl_id = k.acl_id, collection_id = k.collection_id from one k)
update rag_internal.document d set acl_id = k.acl_id, collection_id = k.collection_id from one k
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """The document of each passage, the class of each document, how many classes a role reads."""

    count: int
    document_of: Ids
    class_of: Ids
    read: dict[str, int]

    def seen(self, role: str) -> Ids:
        """Numbers of the passages that a role sees."""
        classes = self.class_of[self.document_of]
        return np.flatnonzero(classes < self.read[role])


def plan(passages: int, count: int) -> Plan:
    """Documents at random in `count` classes, of which the first few make up each share.

    A class of a smaller share is in every larger one; a share has as many classes as it has of
    all, and one more than the next smaller.
    """
    numbers = np.arange(passages)
    documents = np.where(numbers < FEWEST, 0, numbers // PER_DOCUMENT + 1)
    sizes = np.bincount(documents)
    chance = random.Random(SEED)
    order = [0, *chance.sample(range(1, len(sizes)), len(sizes) - 1)]
    class_of = np.zeros(len(sizes), dtype=np.int64)
    read: dict[str, int] = {}
    first = done = filled = 0
    for role, share in reversed(SHARES.items()):
        last = count if share == 1 else max(first + 1, round(share * count))
        start = done
        # what is left over is of the next share, so that none is larger than it says
        while done < len(order) and filled + sizes[order[done]] <= max(share * passages, FEWEST):
            filled += int(sizes[order[done]])
            class_of[order[done]] = first + (done - start) % (last - first)
            done += 1
        read[role] = first = last
    return Plan(count, documents, class_of, read)


def text(originals: Sequence[str], source: int) -> str:
    """The text of a vector of recall.Set: copies get another passage's text behind their own."""
    copy, number = divmod(source, len(originals))
    other = originals[(number + copy * 4999) % len(originals)]
    return f"{originals[number]} {other}" if copy else originals[number]


def make_roles(connection: Connection) -> None:
    """Makes the roles, which log in, and ragsql's names for those that read a share."""
    for name in (ADMIN, *SHARES):
        known = connection.execute("select from pg_roles where rolname = %s", [name]).fetchone()
        if known is None:
            group = "rag_admin" if name == ADMIN else "rag_reader"
            create = sql.SQL("create role {} login in role {}")
            connection.execute(create.format(sql.Identifier(name), sql.Identifier(group)))
    for name in SHARES:
        connection.execute(_PRINCIPAL, [name])


def add_model(connection: Connection, dimensions: int) -> None:
    """The model MODEL, which embeds nothing by itself."""
    connection.execute("select rag.add_model(%s, 'external', %s)", [MODEL, dimensions])


def make_collections(connection: Connection, model: str = MODEL) -> None:
    """Empty collections that are searched by the model."""
    connection.execute(_COLLECTIONS, [model, CONFIG, COLLECTIONS - 1])


def load(
    connection: Connection,
    vectors: Vectors,
    texts: Sequence[str],
    chosen: Plan,
    model: str = MODEL,
) -> None:
    """Stores and indexes passages, with vectors of the model, in place of what was there."""
    connection.execute(_STAGE)
    with connection.cursor() as cursor, cursor.copy("copy passage_to_load from stdin") as copy:
        for number, (vector, text) in enumerate(zip(vectors, texts, strict=True)):
            document = int(chosen.document_of[number])
            row = number, document, int(chosen.class_of[document]), text, recall.text(vector)
            copy.write_row(row)
    connection.execute("analyze passage_to_load")
    connection.execute("set session_replication_role = replica")
    connection.execute(_EMPTY)
    drop_index(connection, model)
    acls = [row[0] for row in connection.execute(_ACLS, [chosen.count])]
    for table, statement in _ROWS.items():
        connection.execute(statement, {"acls": acls, "collections": COLLECTIONS})
        connection.execute(sql.SQL("analyze rag_internal.{}").format(sql.Identifier(table)))
    connection.execute("reset session_replication_role")
    for role, count in chosen.read.items():
        connection.execute(_READERS, [acls[:count], role])
    connection.execute("drop table passage_to_load")
    index(connection)
    connection.execute(_BUILD, [model])
    connection.execute("vacuum analyze")


def index(connection: Connection) -> None:
    """Makes the lexical index, in as few segments as there can be."""
    connection.execute(loading.EMPTY)
    connection.execute(_INDEX)
    connection.execute("call rag.maintain()")


def drop_index(connection: Connection, model: str = MODEL) -> None:
    """Drops the vector index: rows are written faster without."""
    row = connection.execute(_HNSW, [model]).fetchone()
    assert row is not None
    index = sql.Identifier("rag_internal", row[0])
    connection.execute(sql.SQL("drop index if exists {}").format(index))


def gather(connection: Connection) -> None:
    """Puts all documents into the first collection, and into its class."""
    connection.execute("set session_replication_role = replica")
    drop_index(connection)
    connection.execute(_GATHER)
    connection.execute("reset session_replication_role")
    index(connection)
    connection.execute("vacuum analyze")


def is_loaded(connection: Connection) -> bool:
    """Whether there are passages."""
    return connection.execute("select from rag_internal.chunk limit 1").fetchone() is not None


def numbers(connection: Connection, chosen: Plan) -> dict[tuple[str, int], int]:
    """The number of each passage, by its document's id and its place there."""
    first = np.searchsorted(chosen.document_of, np.arange(int(chosen.document_of[-1]) + 1))
    rows = connection.execute(_IDS)
    return {(str(identity), index): int(first[doc]) + index for doc, index, identity in rows}
