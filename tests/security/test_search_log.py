"""The record of searches, and how a search is explained."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support import Database, RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]


@pytest.fixture
def docs(conn: Connection) -> Connection:
    conn.execute("select rag.create_collection('docs', model => 'none', readers => '{public}')")
    conn.execute("select rag.ingest('docs', 'The fox is quick.', 'a.md')")
    conn.execute("select rag.ingest('docs', 'The fox is slow.', 'b.md')")
    return conn


def records(conn: Connection, columns: str) -> list[tuple[Any, ...]]:
    return conn.execute(f"select {columns} from rag.search_log order by searched_at").fetchall()


def test_who_asked_and_what_was_shown(docs: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    with as_role(docs, reader):
        shown = docs.execute(
            "select document_id, chunk_index from rag.bm25_search('fox', '{docs}')"
        ).fetchall()
        throws_ok(docs, "select from rag.search_log", "42501")
    row = docs.execute("select * from rag.search_log").fetchone()
    assert row is not None
    (
        at,
        role,
        identity,
        tenant,
        source,
        strategy,
        collections,
        query,
        hashed,
        ids,
        chunks,
        steps,
    ) = row
    assert (role, identity, tenant, source) == (reader, f"role:{reader}", "", "database role")
    assert (strategy, collections, query) == ("bm25", ["docs"], None)
    assert list(zip(ids, chunks, strict=True)) == shown
    assert [step["step"] for step in steps] == ["scope", "bm25", "fusion", "passages"]
    assert all(step["milliseconds"] >= 0 for step in steps)
    assert at is not None
    # a plain hash of a query could be looked up
    assert len(hashed) == 32
    assert hashed != hashlib.sha256(b"fox").digest()
    docs.execute("select from rag.bm25_search('fox')")
    assert [h for (h,) in records(docs, "query_hash")] == [hashed, hashed]


@pytest.mark.parametrize(
    "call",
    [
        "rag.search('fox')",
        "rag.bm25_search('fox')",
        "rag.fuzzy_search('fox')",
        "rag.search('fox', strategy => 'fuzzy')",
    ],
)
def test_every_way_to_search_is_recorded(docs: Connection, call: str) -> None:
    docs.execute(f"select * from {call}")
    assert len(records(docs, "1")) == 1


def test_text_hash_or_nothing(docs: Connection, role_factory: RoleFactory) -> None:
    docs.execute("select rag.configure_search_log('text')")
    docs.execute("select rag.add_redaction_rule('docs', 'mail', detector => 'email')")
    docs.execute("select from rag.search('mail of ann@example.com', '{docs}')")
    docs.execute("select rag.configure_search_log('off')")
    docs.execute("select from rag.search('fox')")
    docs.execute("select rag.configure_search_log('hash', 7)")
    docs.execute("select from rag.search('fox')")
    assert records(docs, "query") == [("mail of [redacted]",), (None,)]
    for call in ("'loud'", "'hash', 0"):
        throws_ok(docs, f"select rag.configure_search_log({call})", "22023")
    with as_role(docs, role_factory(member_of=["rag_writer"])):
        throws_ok(docs, "select rag.configure_search_log('off')", "42501")


def test_old_records_go(docs: Connection) -> None:
    docs.execute("select from rag.search('fox')")
    docs.execute("update rag_internal.search_log set searched_at = now() - interval '40 days'")
    docs.execute("select from rag.search('fox')")
    assert docs.execute("select rag.prune_search_log()").fetchone() == (0,)
    assert docs.execute("select rag.prune_search_log('50 days')").fetchone() == (0,)
    docs.execute("select rag.configure_search_log(days => 30)")
    while docs.execute("select rag.maintain_step()").fetchone() == (True,):
        pass
    assert len(records(docs, "1")) == 1


def test_a_transaction_that_can_only_read_is_answered(db: Database) -> None:
    """And leaves its line in the server's log, as does one that is rolled back."""
    conn = db.connect()
    conn.execute("select rag.create_collection('readonly', model => 'none')")
    conn.execute("select rag.ingest('readonly', 'The heron is quick.', 'a.md')")
    log = server_log(conn)
    before = log.read_text(errors="replace").count("ragsql search ")
    conn.execute("begin read only")
    assert conn.execute("select source from rag.search('heron', '{readonly}')").fetchall() == [
        ("a.md",)
    ]
    conn.execute("commit")
    conn.execute("begin")
    conn.execute("select from rag.search('heron', '{readonly}')")
    conn.execute("rollback")
    assert (
        conn.execute("select from rag.search_log where 'readonly' = any (collections)").fetchall()
        == []
    )
    assert log.read_text(errors="replace").count("ragsql search ") == before + 2
    conn.execute("select rag.drop_collection('readonly')")


def server_log(conn: Connection) -> Path:
    row = conn.execute("select pg_read_file('postmaster.pid')").fetchone()
    assert row is not None
    return Path(row[0].splitlines()[1]).parent / "log" / "server.log"


def test_the_steps_of_a_search(docs: Connection, role_factory: RoleFactory) -> None:
    reader = role_factory()
    steps = "select step, route, why, passages from rag.explain_search('fox', strategy => %s)"
    with as_role(docs, reader):
        rows = docs.execute(steps, ["bm25"]).fetchall()
        assert [step for step, *_ in rows] == [
            "identity", "sight", "scope", "bm25", "fusion", "passages", "hit", "hit", "result"
        ]  # fmt: skip
        assert rows[0][1] == "database role"
        assert reader in rows[0][2]
        assert rows[3][1] == "postings"
        assert rows[1][3] == rows[3][3] == rows[4][3] == rows[5][3] == 2
        hybrid = {row[0]: row for row in docs.execute(steps, ["hybrid"]).fetchall()}
        assert hybrid["semantic"][1] in ("left out", "none")  # no collection here has a model
        assert hybrid["fusion"][1] == "rrf"
        throws_ok(docs, "select from rag.explain_search('fox', '{hidden}')", "P0002")
        throws_ok(docs, "select from rag.explain_search('')", "22023")
    assert records(docs, "1") == []


def test_nobody_is_told(docs: Connection, role_factory: RoleFactory) -> None:
    told: list[str] = []
    docs.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    with as_role(docs, role_factory(member_of=["rag_reader", "rag_service"])):
        assert docs.execute("select from rag.bm25_search('fox')").fetchall() == []
    assert any("nobody is asking" in message for message in told)
    assert records(docs, "identity, source") == [(None, "nobody")]
