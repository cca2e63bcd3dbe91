"""Names on a caller's search path change nothing of what our functions do.

A writer shadows, in a schema of its own and among its temporary objects, every function, operator,
table and type that a body of ours could mean. Each shadow raises; nothing must meet one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest

from support import Database, RoleFactory
from support.identities import Connection

SHADOWED = "ZZ001"
FUNCTIONS = """
do $do$
declare
    _found record;
    _made integer := 0;
begin
    for _found in
        select p.proname, pg_get_function_identity_arguments(p.oid) as arguments,
               pg_get_function_result(p.oid) as result
        from pg_proc p
        where p.pronamespace in ('pg_catalog'::regnamespace, 'public'::regnamespace)
          and p.proname in (
              select distinct lower((regexp_matches(f.prosrc, '([a-zA-Z_][a-zA-Z0-9_]*)\\s*\\(', 'g'))[1])
              from pg_proc f
              where f.pronamespace in ('rag'::regnamespace, 'rag_internal'::regnamespace))
    loop
        begin
            execute format(
                'create function pg_temp_shadow.%I(%s) returns %s language plpgsql as '
                '$f$ begin raise exception using errcode = ''ZZ001'', message = %L; end $f$',
                _found.proname, _found.arguments, _found.result, 'shadow of ' || _found.proname);
            _made := _made + 1;
        exception when others then
            null;  -- of pseudo-types
        end;
    end loop;
    for _found in
        select o.oprname, o.oprleft::regtype::text as l, o.oprright::regtype::text as r,
               o.oprresult::regtype::text as result, o.oid, o.oprleft = 0 as is_prefix
        from pg_operator o
        where o.oprnamespace in ('pg_catalog'::regnamespace, 'public'::regnamespace)
          and (o.oprleft, o.oprright) <> (0, 0)
          and not exists (select from pg_type t
                          where t.oid in (o.oprleft, o.oprright)
                            and t.typname ~ '^(box|circle|lseg|line|path|point|polygon|macaddr|inet|'
                                            'money|bit|varbit|xid|cid|tid|pg_lsn|.*range)')
    loop
        begin
            execute format(
                'create function pg_temp_shadow.o%s(%s %s) returns %s language plpgsql as '
                '$f$ begin raise exception using errcode = ''ZZ001'', message = %L; end $f$',
                _found.oid, case when not _found.is_prefix then _found.l || ', ' end, _found.r,
                _found.result, 'shadow of ' || _found.oprname);
            execute format('create operator pg_temp_shadow.%s (%s rightarg = %s, function = %s)',
                           _found.oprname,
                           case when not _found.is_prefix then 'leftarg = ' || _found.l || ',' end,
                           _found.r, 'pg_temp_shadow.o' || _found.oid);
            _made := _made + 1;
        exception when others then
            null;  -- of pseudo-types
        end;
    end loop;
    perform set_config('shadows.made', _made::text, false);
end
$do$
"""
RELATIONS = """
do $do$
declare
    _name text;
begin
    for _name in
        select c.relname from pg_class c
        where c.relnamespace in ('rag'::regnamespace, 'rag_internal'::regnamespace)
          and c.relkind in ('r', 'p', 'v', 'c')
        union
        select c.relname from pg_class c
        where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
          and exists (select from pg_proc f
                      where f.pronamespace = 'rag_internal'::regnamespace
                        and strpos(f.prosrc, c.relname) > 0)
        union
        select unnest(array['text', 'jsonb', 'uuid', 'name', 'bytea', 'vector', 'halfvec', 'regconfig',
                            'tsvector', 'tsquery', 'jsonpath', 'timestamptz', 'oid', 'regclass'])
    loop
        execute format('create temporary table %I (shadow integer)', _name);
    end loop;
end
$do$
"""


class Pair(NamedTuple):
    """Sessions of one writer: without shadows, and with them."""

    plain: Connection
    shadowed: Connection
    document: str


@pytest.fixture(scope="module")
def pair(db: Database) -> Iterator[Pair]:
    factory = RoleFactory(db)
    writer = factory(["rag_writer", "rag_reader"], "writer")
    root = db.connect()
    root.execute(f'create schema shadow authorization "{writer}"')
    root.execute(f'grant temporary on database "{db.name}" to "{writer}"')
    root.execute("select rag.add_model('given', 'external', 3)")
    plain, shadowed = db.connect(writer), db.connect(writer)
    row = plain.execute(
        "select document_id::text from rag.ingest('mine', 'Close the red valve of pump ZK-7310.',"
        " 'a.md', 'Valves', '{x}', '{\"n\": 1}')"
    ).fetchone()
    assert row is not None
    plain.execute(
        "select rag.ingest('mine', 'Open the blue valve.', 'b.md', readers => '{public}')"
    )
    plain.execute("select rag.ingest('waiting', 'A gasket waits.', 'c.md', embed => 'later')")
    shadowed.execute(FUNCTIONS.replace("pg_temp_shadow", "shadow"))
    made = shadowed.execute("select current_setting('shadows.made')::int").fetchone()
    assert made is not None
    assert made[0] > 500, "nothing is shadowed: the test does not test"
    shadowed.execute(RELATIONS)
    shadowed.execute("set search_path = pg_temp, shadow, public, pg_catalog")
    yield Pair(plain, shadowed, row[0])
    db.close()
    factory.drop_all()


def test_the_shadows_are_met_by_who_names_them(pair: Pair) -> None:
    for query in ("select lower('A')", "select 1 + 1", "select 'a' || 'b'::pg_catalog.text"):
        with pytest.raises(psycopg.Error) as error:
            pair.shadowed.execute(query.encode())
        assert error.value.sqlstate == SHADOWED, query
    with pytest.raises(psycopg.errors.UndefinedColumn):
        pair.shadowed.execute("select document_id from document")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        pair.shadowed.execute("select rolname from pg_roles")


READS = [
    "rag.search('red valve')",
    (
        "rag.search('red valve', '{mine}', strategy => 'hybrid', filter => '{\"n\": 1}',"
        " filter_path => '$.n == 1 && $.source starts with \"a\"')"
    ),
    "rag.semantic_search('red valve')",
    "rag.bm25_search('\"red valve\" -blue pump*')",
    "rag.fuzzy_search('vlave pmup')",
    "rag.correct_query('vlave')",
    "rag.explain_bm25('valve', '{document}', 0)",
    "rag.whoami()",
    "rag.list_collections()",
    "rag.describe_collection('mine')",
    "rag.get_document('{document}')",
    "rag.get_chunks('{document}')",
    "rag.check_recall('mine')",
    "rag.chunk_quality(collection => 'mine')",
    "rag.analyze('The valves of ZK-7310')",
    "rag.chunk_text('The valves are closed. They stay so.')",
    "rag.detect_document_type('# Valves\n\nThey are closed.')",
    "rag.predict_chunk_value('The valves are closed.')",
    "rag.rrf('{\"a\": [\"x\"]}')",
    "rag.embed(array['valve'])",
    "rag.cosine_similarity('[1, 0]', '[1, 0]')",
    "rag.similarity(0.5, 'cosine')",
    "rag.model_progress('mine')",
    "rag.verify_index('mine')",
    "rag.list_readers('mine')",
    *(f"rag.{view}" for view in (
        "document", "chunk", "collection", "principal", "model", "job_status", "dead_letter",
        "ingest_log")),
]  # fmt: skip


@pytest.mark.parametrize("call", READS)
def test_what_is_read_is_the_same(pair: Pair, call: str) -> None:
    query = "select * from " + call.replace("{document}", pair.document)
    plain, shadowed = (_outcome(session, query) for session in pair[:2])
    assert isinstance(plain, list), plain
    assert shadowed == plain


WRITES = [
    "status from rag.ingest('mine', 'A third valve.', 'd.md', readers => '{public}')",
    "status from rag.ingest('new', 'A first valve.')",
    "status from rag.ingest_many('mine', '[{\"content\": \"More valves.\"}]')",
    "status from rag.ingest_chunks('mine', '[{\"content\": \"Even more.\"}]')",
    "status from rag.update_document('{document}', title => 'Old valves', status => 'archived')",
    "name from rag.create_collection('other', readers => '{public}', model => 'given')",
    "name from rag.alter_collection('mine', description => 'x', title_weight => 3)",
    "rag.rename_collection('mine', 'yours')",
    "rag.grant_read('mine', 'public')",
    "rag.grant_read(document_id => '{document}', reader => 'group:staff')",
    "rag.revoke_read('mine', 'public')",
    "rag.set_readers('mine', '{public}', security_level => 2)",
    "rag.set_readers(document_id => '{document}', readers => '{user:ann}')",
    "rag.grant_write('mine', 'user:ann')",
    "rag.revoke_write('mine', 'user:ann')",
    "rag.log_ingest('00000000-0000-0000-0000-000000000001', 'mine', 'x', 'skipped')",
    "rag.rebuild_index('mine')",
    "rag.maintain_step()",
    "rag.prepare_model('mine', 'given') is null",
    "name from rag.set_model('mine', 'none')",
    "rag.claim_job() is null",
    "rag.delete_document('{document}')",
    "rag.drop_collection('mine')",
]  # fmt: skip


@pytest.mark.parametrize("call", WRITES)
def test_what_is_written_is_the_same(pair: Pair, call: str) -> None:
    query = "select " + call.replace("{document}", pair.document)
    plain, shadowed = (_outcome(session, query, undone=True) for session in pair[:2])
    assert isinstance(plain, list), plain
    assert shadowed == plain


def test_who_shadows_for_others_is_not_met(db: Database, pair: Pair) -> None:
    """Also not by a superuser whose search path holds the schema."""
    root = db.connect()
    root.execute("set search_path = shadow, public, pg_catalog")
    for query in ("select * from rag.search('red valve')", "select * from rag.doctor()"):
        assert isinstance(_outcome(root, query), list)
    rows = _outcome(
        root, "select status from rag.ingest('root', 'A valve.', readers => '{}')", True
    )
    assert rows == [("created",)]


def _outcome(connection: Connection, query: str, undone: bool = False) -> Any:
    """The rows, or the error."""
    try:
        with connection.transaction(force_rollback=undone):
            return connection.execute(query.encode()).fetchall()
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary
