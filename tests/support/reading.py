"""What a connection can read, in a word."""

from __future__ import annotations

from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

LOG_ROW = "select rag.log_ingest(gen_random_uuid(), 'c', 's', 'failed')"


def sources(connection: Connection, query: str = "valve", strategy: str = "hybrid") -> list[str]:
    """Sources of the hits, sorted."""
    rows = connection.execute(
        "select source from rag.search(%s, strategy => %s)", [query, strategy]
    )
    return sorted(source for (source,) in rows)


def count(connection: Connection, table: str) -> int:
    """Rows that the connection sees of a view of schema rag."""
    row = connection.execute(f"select count(*) from rag.{table}").fetchone()
    assert row is not None
    return int(row[0])
