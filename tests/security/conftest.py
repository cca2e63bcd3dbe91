"""Fixtures of the tests on access."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support import LOG_ROW, RoleFactory, as_role
from support.redaction import House

Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(conn: Connection) -> Connection:
    """A superuser's session with the collection docs: two documents, a row of the log, a job."""
    conn.execute("select rag.ingest('docs', 'Close the red valve.', 'a.md')")
    conn.execute("select rag.ingest('docs', 'Open the blue valve.', 'b.md')")
    conn.execute(LOG_ROW)
    conn.execute("insert into rag_internal.job (kind) values ('embed')")
    return conn


@pytest.fixture
def house(conn: Connection, role_factory: RoleFactory) -> House:
    """A collection of an owner who is no superuser, and a reader of it."""
    owner, reader = role_factory(["rag_writer"], "owner"), role_factory(name="reader")
    with as_role(conn, owner):
        conn.execute("select rag.create_collection('docs', readers => %s)", [[reader]])
    return House(conn, owner, reader)
