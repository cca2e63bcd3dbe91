"""Names the sessions that block a migration."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import psycopg

from ragsql.migration.errors import MigrationError

INTERVAL = 0.25
"""Seconds between two looks; a lock_timeout is far longer."""


def describe_blockers(connection: psycopg.Connection, pids: list[int]) -> str:
    """pid, role, state and start of each session, in words; 0 is a prepared transaction."""
    parts = []
    for pid in sorted(set(pids)):
        if pid == 0:
            parts.append("a prepared transaction (see pg_prepared_xacts)")
            continue
        row = connection.execute(
            "select usename, application_name, state, query_start::timestamptz(0)::text "
            "from pg_catalog.pg_stat_activity where pid = %s",
            [pid],
        ).fetchone()
        if row is None:
            parts.append(f"pid {pid}")
            continue
        role, application, state, started = row
        words = [f"role {role or '?'}"]
        if application:
            words.append(f"application {application}")
        words.append(f"{state or 'state unknown'}, query started {started or 'at an unknown time'}")
        parts.append(f"pid {pid} ({', '.join(words)})")
    return "; ".join(parts)


class BlockWatch:
    """Watches from a thread who blocks backend `pid`; `last` is the latest sighting in words."""

    def __init__(self, dsn: str, pid: int) -> None:
        self.last = ""
        self._pid = pid
        self._connection = psycopg.connect(dsn, autocommit=True, application_name="ragsql migrate")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._connection.close()

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL):
            try:
                row = self._connection.execute(
                    "select pg_catalog.pg_blocking_pids(%s)", [self._pid]
                ).fetchone()
                if row and row[0]:
                    self.last = describe_blockers(self._connection, row[0])
            except psycopg.Error:
                return  # a lost watch must not end the migration; the message just says less


def lock_timed_out(what: str, lock_timeout: float, blockers: str) -> MigrationError:
    """The error for `what` having waited `lock_timeout` seconds for a lock."""
    who = f"\nBlocked by {blockers}." if blockers else ""
    return MigrationError(
        f"{what} waited {lock_timeout:g} s for a lock that another session holds; "
        f"it was rolled back and nothing of it is applied.{who}",
        sqlstate="55P03",
        hint="wait until that session is done, or end it with pg_terminate_backend(pid), then "
        "run the command again; --lock-timeout waits longer.",
    )


@contextmanager
def naming_blockers(
    dsn: str, connection: psycopg.Connection, what: str, lock_timeout: float
) -> Iterator[None]:
    """Says who was in the way when `what`, done on `connection`, hits its lock_timeout."""
    with BlockWatch(dsn, connection.info.backend_pid) as watch:
        try:
            yield
        except psycopg.errors.LockNotAvailable as error:
            raise lock_timed_out(what, lock_timeout, watch.last) from error
