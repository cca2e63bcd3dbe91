"""No argument of the interface becomes SQL: hostile names are names, whoever gives them."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from support import Database, RoleFactory
from support.identities import Connection

HOSTILE = [
    "x'; drop schema rag cascade; --", 'x"; drop schema rag cascade; --', "$$; select 1; $$ %I %L %s",
    "{x,\"y'} \\'; select 1; --", "x') or true -- ${x} $1 :x @x %1$s",
]  # fmt: skip
# a statement that does not parse, or that means something that is not there
BROKEN = {"42601", "42P01", "42703", "42883", "42P02", "XX000", "22025", "2201B"}
FUNCTIONS = """
select p.proname, p.prokind, p.proargnames, a.types, p.pronargdefaults
from pg_proc p
cross join lateral (
    select array_agg(format_type(t, null) order by n) as types
    from unnest(p.proargtypes) with ordinality u (t, n)) a
where p.pronamespace = 'rag'::regnamespace
  and a.types && array['text', 'text[]', 'jsonb', 'name']
order by 1
"""
# what a caller gives where an argument has to be something
PLAIN = {
    "text": "'x'", "text[]": "'{x}'", "jsonb": "'{}'", "integer": "1", "uuid": "gen_random_uuid()",
    "bigint": "1", "uuid[]": "'{}'", "bytea": "null", "boolean": "false", "real": "0.5",
    "double precision": "0.5", "vector": "'[1,0,0]'", "vector[]": "'{}'", "interval": "'0'",
    "timestamp with time zone": "null", "jsonpath": "null",
}  # fmt: skip
# they wait, they ask the whole server, or what they are given is meant to be a pattern
LEFT_OUT = {"allow_http"}


@pytest.fixture(scope="module")
def writer(db: Database) -> Iterator[Connection]:
    """A writer with a collection and a document."""
    factory = RoleFactory(db)
    connection = db.connect(factory(["rag_writer"], "writer"))
    connection.execute("select rag.create_collection('x', model => 'none')")
    connection.execute("select rag.ingest('x', 'The red valve.', 'x')")
    yield connection
    db.close()
    factory.drop_all()


def _calls(root: Connection) -> Iterator[str]:
    """A call of each function for each of its texts, with a place for that."""
    for name, kind, names, types, defaults in root.execute(FUNCTIONS).fetchall():
        if name in LEFT_OUT or kind == "p":
            continue
        needed = len(types) - defaults
        for at, type_name in enumerate(types):
            if type_name not in ("text", "text[]", "jsonb", "name"):
                continue
            arguments = []
            for other, other_type in enumerate(types):
                if other == at:
                    given = {
                        "text[]": "array[%(it)s]",
                        "jsonb": "jsonb_build_object('source', %(it)s::text, %(it)s::text, 1)",
                    }.get(type_name, "%(it)s")
                    arguments.append(f"{names[other]} => {given}")
                elif other < needed or names[other] in ("collection", "query"):
                    arguments.append(f"{names[other]} => {PLAIN[other_type]}")
            yield f"select * from rag.{name}({', '.join(arguments)})"


def test_no_text_becomes_a_statement(db: Database, writer: Connection) -> None:
    root = db.connect()
    tried = 0
    for query in _calls(root):
        for number, text in enumerate(HOSTILE):
            # an administrator, too, meets its own functions with each of them
            for connection in (writer, root) if number == 0 else (writer,):
                with connection.transaction(force_rollback=True):
                    try:
                        with connection.transaction():
                            connection.execute(query.encode(), {"it": text})
                    except psycopg.Error as error:
                        assert error.sqlstate not in BROKEN, (query, text, str(error))
                tried += 1
    assert tried > 300
    assert root.execute("select count(*) from rag.document").fetchone() == (1,)
