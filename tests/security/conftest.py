"""Fixtures of the tests on access."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support import LOG_ROW

Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(conn: Connection) -> Connection:
    """A superuser's session with the collection docs: two documents, a row of the log, a job."""
    conn.execute("select rag.ingest('docs', 'Close the red valve.', 'a.md')")
    conn.execute("select rag.ingest('docs', 'Open the blue valve.', 'b.md')")
    conn.execute(LOG_ROW)
    conn.execute("insert into rag_internal.job (kind) values ('embed')")
    return conn
