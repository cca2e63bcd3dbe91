"""What ragsql's BM25 is measured against, over the same passages in a table of their own.

`ts_rank_cd` over GIN gets ragsql's own lexemes, of passages and of queries. pg_textsearch (Block-
Max WAND in C) analyses by itself; its index reaches to the title too. Both are all but what a
careful user would write: prepared, without joins.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.loading import CONFIG
from bench.server import Connection
from bench.timing import Way

_TABLE = """
create table bench.rival (id bigint primary key, acl_id bigint, content text, tsv tsvector);
insert into bench.rival
select row_number() over (order by c.document_id, c.chunk_index), d.acl_id,
       concat_ws(E'\\n\\n', d.title, c.content), c.tsv
from rag_internal.chunk c
join rag_internal.document d using (document_id)
join bench.document b using (document_id)
where not b.spare;
create index rival_tsv on bench.rival using gin (tsv);
"""
_GIN = """
select id from bench.rival where tsv @@ %(query)s::tsquery
order by ts_rank_cd(tsv, %(query)s::tsquery) desc limit 10
"""
_LEXEMES = "select rag_internal.question_lexemes(%s, %s)"
_TEXTSEARCH = f"""
create extension pg_textsearch;
create index rival_bm25 on bench.rival using bm25 (content) with (text_config = '{CONFIG}');
create index rival_acl on bench.rival (acl_id);
"""
_WAND = """
select id from bench.rival {scope}
order by content operator(public.<@>) public.to_bm25query(%(query)s, 'bench.rival_bm25') limit 10
"""
_SCOPE = """
where acl_id in (select r.acl_id from rag_internal.acl_reader r
                 join rag_internal.principal p using (principal_id) where p.name = %(role)s)
"""


def make_table(connection: Connection) -> None:
    """Copies the passages that are loaded, with their classes of now."""
    connection.execute("drop table if exists bench.rival")
    for statement in _TABLE.strip().split(";\n"):
        connection.execute(statement)
    connection.execute("vacuum analyze bench.rival")


def or_queries(connection: Connection, queries: Sequence[str]) -> dict[str, str]:
    """For each query its lexemes, any of which may match, as the text of a tsquery."""
    found = {}
    for query in queries:
        row = connection.execute(_LEXEMES, [query, CONFIG]).fetchone()
        lexemes = row[0] if row else []
        escaped = [lexeme.replace("\\", "\\\\").replace("'", "''") for lexeme in lexemes]
        found[query] = " | ".join(f"'{lexeme}'" for lexeme in escaped)
    return found


def gin(connection: Connection, queries: dict[str, str]) -> Way:
    """ts_rank_cd over GIN, all visible; `queries` as `or_queries` makes them."""

    def answer(query: str) -> object:
        arguments = {"query": queries[query]}
        return connection.execute(_GIN, arguments, prepare=True).fetchall()

    return answer


def textsearch_available(connection: Connection) -> bool:
    """Whether the server has pg_textsearch."""
    query = "select from pg_available_extensions where name = 'pg_textsearch'"
    return connection.execute(query).fetchone() is not None


def make_textsearch(connection: Connection) -> None:
    """Installs pg_textsearch and makes its index; call it after `make_table`."""
    connection.execute("drop extension if exists pg_textsearch cascade")
    for statement in _TEXTSEARCH.strip().split(";\n"):
        connection.execute(statement)
    connection.execute("vacuum analyze bench.rival")


def textsearch(connection: Connection, role: str | None) -> Way:
    """pg_textsearch over what `role` may read, by a b-tree on acl_id; None: over everything."""
    statement = _WAND.format(scope=_SCOPE if role else "")

    def answer(query: str) -> object:
        arguments = {"query": query, "role": role}
        return connection.execute(statement, arguments, prepare=True).fetchall()

    return answer
