"""What ragsql's access control is measured against: row security as guides to pgvector have it.

One table with a vector and a tsvector, a policy whose subquery reads who may see which class, an
HNSW index and a GIN index; asked by the query for nearest neighbours that everybody writes, and by
the hybrid query that guides give: both rankings, joined in full and added up by reciprocal rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg import sql

from bench import recall
from bench.recall import Vectors
from bench.server import Connection

TOP = 10

_TABLES = """
create schema guide;
create table guide.passage (
    id bigint primary key, acl_id integer not null, content text not null,
    v public.vector({dimensions}) not null,
    tsv tsvector generated always as (to_tsvector('english', content)) stored);
create table guide.reader (acl_id integer, role_name name, primary key (role_name, acl_id));
grant usage on schema guide to public;
grant select on guide.passage, guide.reader to public
"""
_INDEXES = """
create index on guide.passage using hnsw (v public.vector_cosine_ops);
create index on guide.passage using gin (tsv);
create index on guide.passage (acl_id);
alter table guide.passage enable row level security;
create policy readers on guide.passage for select
using (acl_id in (select r.acl_id from guide.reader r where r.role_name = current_user));
vacuum analyze guide.passage;
vacuum analyze guide.reader
"""
NEAREST = """
select id from guide.passage order by v operator(public.<=>) %(vector)s::public.vector limit 10
"""
HYBRID = """
with words as (
    select id, row_number() over (order by ts_rank_cd(tsv, q) desc) as place
    from guide.passage, websearch_to_tsquery('english', %(words)s) q
    where tsv @@ q
    order by place
    limit 20),
meaning as (
    select id,
           row_number() over (order by v operator(public.<=>) %(vector)s::public.vector) as place
    from guide.passage
    order by place
    limit 20)
select p.id
from words w
full join meaning m on m.id = w.id
join guide.passage p on p.id = coalesce(w.id, m.id)
order by coalesce(1.0 / (60 + w.place), 0) + coalesce(1.0 / (60 + m.place), 0) desc
limit 10
"""


def load(
    connection: Connection,
    vectors: Vectors,
    texts: Sequence[str],
    classes: Sequence[int],
    read: Mapping[str, int],
) -> None:
    """Stores the passages; classes: of each one. read: how many of the first a role reads."""
    _run(connection, _TABLES.format(dimensions=vectors.shape[1]))
    copy_in = "copy guide.passage (id, acl_id, content, v) from stdin"
    with connection.cursor() as cursor, cursor.copy(copy_in) as copy:
        for number, (vector, text) in enumerate(zip(vectors, texts, strict=True)):
            copy.write_row((number, int(classes[number]), text, recall.text(vector)))
    for role, count in read.items():
        connection.execute(
            "insert into guide.reader select a, %s from generate_series(0, %s) a", [role, count - 1]
        )
    _run(connection, _INDEXES)


def drop(connection: Connection) -> None:
    """Removes the tables."""
    connection.execute("drop schema guide cascade")


def settings(connection: Connection, scan: str) -> None:
    """hnsw.iterative_scan of a session; off is what a session has that asks for nothing."""
    connection.execute(sql.SQL("set hnsw.iterative_scan = {}").format(sql.Literal(scan)))


def _run(connection: Connection, statements: str) -> None:
    for statement in statements.strip().split(";\n"):
        connection.execute(statement)
