"""Collections: made, changed, renamed, described, dropped."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from support import Database, throws_ok

Connection = psycopg.Connection[Any]


def test_create_describe_rename_drop(conn: Connection) -> None:
    row = conn.execute(
        "select name, strategy, chunk_size, documents from rag.create_collection('notes',"
        " description => 'What we know', strategy => 'character', chunk_size => 300)"
    ).fetchone()
    assert row == ("notes", "character", 300, 0)
    conn.execute("select rag.ingest('notes', 'Close the red valve.')")
    conn.execute("select rag.rename_collection('notes', 'knowledge')")
    row = conn.execute(
        "select description, documents, chunks, characters from rag.describe_collection('knowledge')"
    ).fetchone()
    assert row == ("What we know", 1, 1, 20)
    assert conn.execute("select name from rag.list_collections()").fetchall() == [("knowledge",)]
    conn.execute("select rag.drop_collection('knowledge')")
    for table in (
        "rag_internal.collection",
        "rag_internal.document",
        "rag_internal.chunk",
        "rag_internal.embedding",
        "rag_internal.acl",
    ):
        assert conn.execute(f"select count(*) from {table}").fetchone() == (0,), table


def test_names_and_settings_are_checked(conn: Connection) -> None:
    conn.execute("select rag.create_collection('notes')")
    throws_ok(conn, "select rag.create_collection('notes')", "42710", "taken")
    throws_ok(conn, "select rag.create_collection(' ')", "22023")
    for name in ("n" * 201, "a\nb", "a\u202eb", "a\u200bb", "\x1b[31m"):
        throws_ok(conn, "select rag.create_collection(%s)", "22023", None, [name])
        throws_ok(conn, "select rag.rename_collection('notes', %s)", "22023", None, [name])
    throws_ok(conn, "select rag.create_collection('a', strategy => 'magic')", "22023", "magic")
    throws_ok(conn, "select rag.create_collection('a', chunk_size => 10, overlap => 10)", "22023")
    throws_ok(conn, "select rag.create_collection('a', chunk_size => 0)", "22023")
    throws_ok(
        conn, "select rag.create_collection('a', text_config => 'klingon')", "42704", "klingon"
    )
    throws_ok(conn, "select rag.create_collection('a', model => 'nope')", "P0002", "nope")
    throws_ok(conn, "select * from rag.describe_collection('a')", "P0002")
    throws_ok(conn, "select rag.drop_collection('a')", "P0002")
    throws_ok(conn, "select rag.rename_collection('notes', '')", "22023")
    conn.execute("select rag.create_collection('other')")
    throws_ok(conn, "select rag.rename_collection('notes', 'other')", "42710", "taken")


def test_a_text_configuration_applies_at_once(conn: Connection) -> None:
    conn.execute("select rag.ingest('notes', 'The children were running.', 'a.md')")
    assert conn.execute("select count(*) from rag.bm25_search('run')").fetchone() == (1,)
    conn.execute("select rag.alter_collection('notes', text_config => 'simple')")
    assert conn.execute("select count(*) from rag.bm25_search('run')").fetchone() == (0,)
    assert conn.execute("select count(*) from rag.bm25_search('running')").fetchone() == (1,)


def test_another_strategy_starts_from_its_own_sizes(conn: Connection) -> None:
    conn.execute("select rag.create_collection('notes', chunk_size => 77, overlap => 7)")
    row = conn.execute(
        "select strategy, chunk_size, overlap from rag.alter_collection('notes', strategy => 'character')"
    ).fetchone()
    assert row == ("character", None, None)


def test_the_model_of_a_filled_collection_stays(conn: Connection) -> None:
    conn.execute("select rag.create_collection('notes')")
    conn.execute("select rag.alter_collection('notes', model => 'none')")
    conn.execute("select rag.ingest('notes', 'Close the red valve.')")
    name = conn.execute("select name from rag_internal.model where is_default").fetchone()
    throws_ok(conn, "select rag.alter_collection('notes', model => %s)", "55000", params=name)


def test_alter_collection_wants_to_see_every_document(db: Database) -> None:
    """An older snapshot would leave what was ingested since as it was."""
    with db.connect(autocommit=True) as connection:
        connection.execute("select rag.ingest('rr', 'The houses are running.', 'a')")
        for level in ("repeatable read", "serializable"):
            connection.execute(f"begin isolation level {level}")
            throws_ok(
                connection, "select rag.alter_collection('rr', text_config => 'simple')", "25001"
            )
            connection.execute("rollback")
        connection.execute("select rag.drop_collection('rr')")


def test_a_text_configuration_alone_splits_nothing_anew(conn: Connection) -> None:
    conn.execute("select rag.ingest('notes', 'The houses are running.', 'a')")
    conn.execute("select rag.alter_collection('notes', text_config => 'simple')")
    row = conn.execute(
        "select status from rag.ingest('notes', 'The houses are running.', 'a')"
    ).fetchone()
    assert row == ("unchanged",)


def test_a_name_is_looked_up_again_once_the_lock_is_there(db: Database) -> None:
    """Else a collection that was renamed away meanwhile would be dropped instead."""
    with (
        db.connect(autocommit=True) as owner,
        db.connect(autocommit=False) as first,
        ThreadPoolExecutor() as pool,
        db.connect(autocommit=True) as second,
    ):
        owner.execute("select rag.ingest('old', 'The red valve.')")
        first.execute("select rag.rename_collection('old', 'kept')")
        waiting = pool.submit(throws_ok, second, "select rag.drop_collection('old')", "P0002")
        query = "select count(*) from pg_stat_activity where pid = %s and wait_event_type = 'Lock'"
        while owner.execute(query, [second.info.backend_pid]).fetchone() == (0,):
            assert not waiting.done() or waiting.result()
            time.sleep(0.01)
        first.commit()
        waiting.result()
        row = owner.execute("select documents from rag.describe_collection('kept')").fetchone()
        assert row == (1,)
        owner.execute("select rag.drop_collection('kept')")
