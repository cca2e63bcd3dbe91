"""After rag.scrub() nothing of what was erased is in the data files, nor in planner statistics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support import Database, RoleFactory, as_role, throws_ok
from support.remains import canary, files_with, filler, statistics_with, tables_with

Connection = psycopg.Connection[Any]

_PATIENCE = 3_000  # looks, of 10 ms and more each


@pytest.fixture
def root(db: Database) -> Iterator[Connection]:
    """A superuser's session that commits; what it stored is gone after the test."""
    connection = db.connect()
    yield connection
    connection.execute("delete from rag_internal.collection")
    for table in ("word", "search_log", "ingest_log"):
        connection.execute(f"delete from rag_internal.{table}")
    connection.close()


def ingest(connection: Connection, source: str, content: str, **options: Any) -> None:
    names = "".join(f", {name} => %s" for name in options)
    connection.execute(
        f"select rag.ingest('docs', %s, %s{names})", [content, source, *options.values()]
    )


def settle(connection: Connection) -> None:
    """What is to be written to files is written."""
    connection.execute("analyze")
    connection.execute("checkpoint")


def first_vector(connection: Connection) -> bytes:
    """Bytes that a stored vector has in a file."""
    row = connection.execute("select v::text from rag_internal.embedding limit 1").fetchone()
    assert row is not None
    return np.array(row[0].strip("[]").split(","), np.float16).astype("<f2").tobytes()[:64]


# what is gone -----------------------------------------------------------------------------------


def test_canaries_are_in_files_before_and_nowhere_after(root: Connection, cluster: Cluster) -> None:
    places = (
        "small",
        "toasted",
        "title",
        "metadata",
        "source",
        "tag",
        "question",
        "load",
        "merged",
    )
    words = {place: canary(place) for place in places}
    ingest(root, "small.md", f"The valve {words['small']} is closed.", embed="now")
    root.execute("select rag.create_collection('plain', model => 'none')")
    root.execute(
        "select rag.ingest('plain', %s, 'toasted.md')",
        [filler("before", 3000) + f" {words['toasted']} " + filler("after", 3000)],
    )
    ingest(root, "merged.md", f"The pump {words['merged']}.", embed="later")
    root.execute("select rag_internal.build_segment('english')")
    ingest(
        root, f"{words['source']}.md", "The valve.", title=words["title"],
        tags=[words["tag"]], metadata=f'{{"by": "{words["metadata"]}"}}', embed="later",
    )  # fmt: skip
    ingest(root, "stays.md", "The fan is off.", embed="now")
    root.execute("call rag.maintain()")
    root.execute(
        "insert into rag_internal.search_log (role_name, source, strategy, query, document_ids,"
        " chunk_indexes, steps) values ('x', 'x', 'bm25', %s, '{}', '{}', '[]')",
        [words["question"]],
    )
    root.execute(
        "select rag.log_ingest(gen_random_uuid(), 'docs', 'x', 'failed', detail => %s)",
        [words["load"]],
    )
    vector = first_vector(root)
    settle(root)
    needles = {place: word.encode() for place, word in words.items()} | {"vector": vector}
    before = files_with(cluster.data, needles.values())
    assert {place for place, needle in needles.items() if not before[needle]} == set()
    # the vector and its index
    assert len(before[vector]) == 2

    pattern = "|".join(words.values())
    root.execute("select rag.erase_content(%s, 'regex')", [pattern])
    for needle in needles.values():
        assert tables_with(root, needle) == []
    root.execute("call rag.scrub()")
    settle(root)
    after = files_with(cluster.data, needles.values())
    assert {needle: files for needle, files in after.items() if files} == {}
    for word in words.values():
        assert statistics_with(root, word) == []
    assert [s for (s,) in root.execute("select source from rag_internal.document")] == ["stays.md"]
    for collection in ("docs", "plain"):
        assert not root.execute("select * from rag.verify_index(%s)", [collection]).fetchall()


_REMOVE = {
    "deleted": "select rag.delete_source('docs', 'a.md')",
    "dropped": "select rag.drop_collection('docs')",
    "by hand": "delete from rag_internal.document",
}


@pytest.mark.parametrize("how", ["replaced", *_REMOVE])
def test_scrubbing_reaches_what_was_removed_otherwise(
    root: Connection, cluster: Cluster, how: str
) -> None:
    word = canary(how)
    ingest(root, "a.md", f"The valve {word}.", title=word, embed="now")
    root.execute("select rag_internal.build_segment('english')")
    vector = first_vector(root)
    if how == "replaced":
        ingest(root, "a.md", "The pump.", embed="now")
    else:
        root.execute(_REMOVE[how])
    assert tables_with(root, word) == ["posting", "word"]
    settle(root)
    assert all(files_with(cluster.data, [word.encode(), vector]).values())
    root.execute("call rag.scrub()")
    settle(root)
    assert tables_with(root, word) == []
    assert files_with(cluster.data, [word.encode(), vector]) == {word.encode(): [], vector: []}


def test_statistics_hold_no_text_and_no_vector(root: Connection) -> None:
    word = canary("statistics")
    for number in range(50):
        ingest(
            root, f"{word}{number}", f"The valve {word}.", title=word, tags=[word],
            metadata=f'{{"by": "{word}"}}', version=word, embed="later",
        )  # fmt: skip
    root.execute("create table public.control as select content from rag_internal.document")
    root.execute("call rag.maintain()")
    root.execute("analyze")
    assert statistics_with(root, word) == ["control"]
    root.execute("drop table public.control")


_KEPT = {"kind", "outcome", "status", "tenant", "text_config"}
"""Columns of few values, which are no texts of anybody."""
_NO_CONTENT = {
    "acl", "allowed_source", "collection", "model", "principal", "restricted_tenant", "role_rule",
    "ticket_key",
}  # fmt: skip
_TARGETS = """
select c.relname, a.attname
from pg_class c
join pg_attribute a on a.attrelid = c.oid
join pg_type t on t.oid = a.atttypid
where c.relnamespace = 'rag_internal'::regnamespace and c.relowner = 'rag_owner'::regrole
  and c.relkind in ('r', 'p', 'i') and a.attnum > 0 and not a.attisdropped
  and t.typname in ('text', '_text', 'jsonb', 'bytea', 'tsvector', 'halfvec', 'vector', 'bit')
  and coalesce(a.attstattarget, -1) <> 0
  and (c.relkind <> 'i' or (select i.indkey::smallint[] from pg_index i
                            where i.indexrelid = c.oid)[a.attnum - 1] = 0)
"""


def test_columns_with_texts_have_no_statistics(root: Connection) -> None:
    root.execute("select rag.add_model('another', 'external', 8)")
    kept = [
        f"{table}.{column}"
        for table, column in root.execute(_TARGETS)
        if column not in _KEPT and table not in _NO_CONTENT
    ]
    assert kept == []
    root.execute("select rag.drop_model('another')")


# by hand, since an older database does not work with the engine of today
_BEFORE = """
set session_replication_role = replica;
insert into rag_internal.document
    (collection_id, source, title, content, content_hash, attributes, indexed_as, acl_id,
     text_config)
select 1, w.word || n, w.word, w.word, '\\x00', '{}', '{}', 1, 'english'
from (select %s) w (word), generate_series(1, 9) n;
insert into rag_internal.word select title from rag_internal.document;
reset session_replication_role;
"""


def test_statistics_of_before_go_with_the_upgrade(make_database: Any) -> None:
    """Up to 0004 texts got in; what rag.scrub() finds of them it says."""
    word = canary("upgrade")
    database = make_database()
    migration.upgrade(database.dsn, "0004_embedding")
    connection = database.connect()
    connection.execute(_BEFORE.replace("%s", f"'{word}'::text"))
    connection.execute("analyze")
    assert statistics_with(connection, word) == ["rag_internal.document", "rag_internal.word"]
    migration.upgrade(database.dsn)
    connection.execute("analyze")
    assert statistics_with(connection, word) == []
    warned: list[str] = []
    connection.add_notice_handler(lambda notice: warned.append(str(notice.message_primary)))
    connection.execute("call rag.scrub()")
    assert [text for text in warned if "statistics" in text] == []
    connection.execute("alter table rag_internal.document alter column title set statistics 100")
    connection.execute("analyze")
    connection.execute("call rag.scrub()")
    assert [text for text in warned if "statistics" in text] == [
        "the planner's statistics hold texts of: document.title"
    ]


# how it works -----------------------------------------------------------------------------------

_FILES = """
select c.relname, pg_relation_filenode(c.oid)
from pg_class c
where c.relnamespace = 'rag_internal'::regnamespace and c.relowner = 'rag_owner'::regrole
  and c.relkind in ('r', 'i') and c.relname not like 'scrub%' and c.relname not like 'ticket%'
"""
_SCHEMA = """
select indexrelid::regclass::text, indisclustered, pg_get_indexdef(indexrelid)
from pg_index join pg_class c on c.oid = indrelid
where c.relnamespace = 'rag_internal'::regnamespace order by 1
"""


def test_every_table_and_index_gets_new_files_and_the_schema_stays(root: Connection) -> None:
    ingest(root, "a.md", "The valve.", embed="now")
    files, schema = dict(root.execute(_FILES).fetchall()), root.execute(_SCHEMA).fetchall()
    assert {"document", "embedding_1_hnsw", "access_change", "word"} <= files.keys()
    root.execute("call rag.scrub()")
    again = dict(root.execute(_FILES).fetchall())
    assert [name for name, number in again.items() if number == files.get(name)] == []
    assert root.execute(_SCHEMA).fetchall() == schema
    assert root.execute("select count(*) from rag_internal.document").fetchone() == (1,)


def test_an_administrator_may_and_nobody_else(db: Database, role_factory: RoleFactory) -> None:
    admin = db.connect(role_factory(["rag_admin"]))
    admin.execute("call rag.scrub()")
    admin.execute("begin")
    throws_ok(admin, "call rag.scrub()", "2D000")
    admin.execute("rollback")
    admin.close()
    throws_ok(db.connect(role_factory(["rag_writer"])), "call rag.scrub()", "42501")


@pytest.mark.parametrize("superuser", [True, False])
def test_an_older_snapshot_is_told_of_and_waited_for(
    db: Database, root: Connection, role_factory: RoleFactory, superuser: bool
) -> None:
    role = None if superuser else role_factory(["rag_admin"])
    reader, scrubber = db.connect(autocommit=False), db.connect(role)
    ingest(root, "a.md", "The valve.", embed="later")
    reader.execute("set transaction isolation level repeatable read")
    reader.execute("select 1")
    root.execute("select rag.erase_content('%valve%')")
    error = throws_ok(scrubber, "call rag.scrub(timeout => '0.3 s')", "55000", "older transaction")
    assert f"pid {reader.info.backend_pid} " in str(error.diag.message_detail)
    reader.rollback()
    scrubber.execute("call rag.scrub()")
    for connection in (reader, scrubber):
        connection.close()


def test_a_writer_elsewhere_is_waited_for(db: Database, root: Connection) -> None:
    """Its transaction id is older than what is erased, in whatever database it writes."""
    writer = psycopg.connect(db.dsn, dbname="postgres")
    writer.execute("select pg_current_xact_id()")
    error = throws_ok(root, "call rag.scrub(timeout => '0 s')", "55000")
    assert f"pid {writer.info.backend_pid} " in str(error.diag.message_detail)
    writer.rollback()
    root.execute("call rag.scrub()")
    writer.close()


def test_a_table_in_use_is_told_of(db: Database, root: Connection) -> None:
    reader = db.connect(autocommit=False)
    reader.execute("select 1 from rag_internal.segment")
    error = throws_ok(root, "call rag.scrub()", "55P03", "rag_internal.segment is in use")
    assert f"pid {reader.info.backend_pid}" in str(error.diag.message_detail)
    reader.rollback()
    root.execute("call rag.scrub()")
    reader.close()


def test_a_scrub_that_ends_in_the_middle_is_finished_by_the_next(
    db: Database, root: Connection, cluster: Cluster
) -> None:
    word = canary("middle")
    ingest(root, "a.md", f"The valve {word}.", embed="now")
    ingest(root, "stays.md", "The pump.", embed="now")
    root.execute("select rag_internal.build_segment('english')")
    root.execute("select rag.delete_source('docs', 'a.md')")
    reader = db.connect(autocommit=False)
    for table in ("document", "posting", "word"):
        reader.execute(f"select 1 from rag_internal.{table}")
        scrubber = db.connect()
        scrubber.execute("set client_min_messages = warning")
        pid = scrubber.info.backend_pid
        cursor = scrubber.cursor()
        scrubber.pgconn.send_query(b"call rag.scrub()")
        for _ in range(_PATIENCE):
            row = root.execute("select cardinality(pg_blocking_pids(%s))", [pid]).fetchone()
            if row == (1,):
                break
            time.sleep(0.01)
        else:
            raise AssertionError("it does not wait")
        root.execute("select pg_terminate_backend(%s, 10000)", [pid])
        cursor.close()
        scrubber.close()
        reader.rollback()
        assert not root.execute("select * from rag.verify_index('docs')").fetchall()
    root.execute("call rag.scrub()")
    settle(root)
    assert files_with(cluster.data, [word.encode()]) == {word.encode(): []}
    with as_role(root, "rag_owner"):
        assert root.execute("select count(*) from rag_internal.document").fetchone() == (1,)
