"""What embedding could tell one owner of another's texts, or make of them."""

from __future__ import annotations

from typing import Any

import psycopg

from support import RoleFactory, as_role

Connection = psycopg.Connection[Any]

SECRET = "The merger is announced on Monday."


def test_whether_a_text_is_known_is_not_told_to_another_owner(
    conn: Connection, role_factory: RoleFactory
) -> None:
    with as_role(conn, role_factory(member_of=["rag_writer"])):
        conn.execute("select rag.ingest('board', %s, 'a')", [SECRET])
        assert _queued(conn, "notes", SECRET) is False  # its own second copy
    with as_role(conn, role_factory(member_of=["rag_writer"])):
        assert _queued(conn, "guesses", SECRET) is True


def test_a_given_vector_does_not_become_anothers(
    conn: Connection, role_factory: RoleFactory
) -> None:
    with as_role(conn, role_factory(member_of=["rag_writer"])):
        conn.execute("select rag.ingest('bait', %s, 'a', embed => 'later')", [SECRET])
        conn.execute(
            "select rag.set_embeddings(d.document_id, rag.embed(array['bananas'])) from rag.document d"
        )
    with as_role(conn, role_factory(member_of=["rag_writer"])):
        conn.execute("select rag.ingest('board', %s, 'a')", [SECRET])
        row = conn.execute("select score from rag.semantic_search(%s)", [SECRET]).fetchone()
        assert row is not None
        assert row[0] > 0.99


def _queued(conn: Connection, collection: str, content: str) -> bool:
    row = conn.execute(
        "select job_id is not null from rag.ingest(%s, %s, 'a', embed => 'later')",
        [collection, content],
    ).fetchone()
    assert row is not None
    return bool(row[0])
