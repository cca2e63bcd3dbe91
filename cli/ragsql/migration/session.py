"""Connections that migrations work on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg import errors

UNLIMITED = ["statement_timeout", "idle_in_transaction_session_timeout"]
SINCE_17 = ["transaction_timeout"]


def connect(dsn: str) -> psycopg.Connection:
    """A connection for migrating: named, UTF-8, read committed, without limits of time.

    The server looks every second whether this process still lives: a killed run then does not
    keep its locks until a long statement ends.
    """
    connection = psycopg.connect(
        dsn, application_name="ragsql migrate", client_encoding="utf8", autocommit=True
    )
    for name in unlimited(connection):
        connection.execute(f"set {name} = 0")
    with suppress(errors.InvalidParameterValue):  # raised where the platform cannot tell
        connection.execute("set client_connection_check_interval = 1000")
    connection.autocommit = False
    connection.prepare_threshold = None
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    return connection


def unlimited(connection: psycopg.Connection) -> list[str]:
    """Settings that would end a long or an idle transaction."""
    return UNLIMITED + (SINCE_17 if connection.info.server_version >= 170_000 else [])


def applied(connection: psycopg.Connection) -> list[str] | None:
    """Revisions that the version table names; None where there is no version table."""
    with connection.transaction():
        row = connection.execute(
            "select 1 from pg_catalog.pg_class c "
            "join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
            "where n.nspname = 'rag_internal' and c.relname = 'alembic_version'"
        ).fetchone()
        if row is None:
            return None
        rows = connection.execute("select version_num from rag_internal.alembic_version order by 1")
        return [version for (version,) in rows]


@contextmanager
def short_transaction(dsn: str, lock_timeout: float) -> Iterator[psycopg.Connection]:
    """A connection with one transaction, committed at the end, for work beside the guard."""
    with connect(dsn) as connection, connection.transaction():
        connection.execute("set local search_path = pg_catalog, pg_temp")
        connection.execute(f"set local lock_timeout = {max(1, round(lock_timeout * 1000))}")
        yield connection
