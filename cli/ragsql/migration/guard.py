"""The guard: one migration at a time, on a lock that no role without rights can take.

A connection of its own holds `share update exclusive` on rag_internal.alembic_version in an open
transaction for the whole run. That mode conflicts with itself but not with alembic's own writes,
no plain role has a privilege on the table, and the server drops the lock with the connection: a
killed run never blocks the next one. (An advisory lock could be taken, and kept, by anybody.)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

import psycopg
from psycopg import errors, sql

from ragsql.migration import preflight
from ragsql.migration.blocking import describe_blockers, naming_blockers
from ragsql.migration.errors import MigrationError
from ragsql.migration.session import applied, connect, short_transaction, unlimited

Report = Callable[[str], None]

GONE = (errors.UndefinedTable, errors.InvalidSchemaName)
RACES = (
    errors.UniqueViolation,  # two sessions insert the same catalog row
    errors.DuplicateSchema,
    errors.DuplicateTable,
    errors.InternalError_,  # tuple concurrently updated, relation vanished while it was locked
    *GONE,
)
ATTEMPTS = 20
PAUSE = 0.05

CREATED_EXTENSION = (
    """\
create table if not exists rag_internal.created_extension (
    name text collate "C" not null,
    constraint created_extension_pkey primary key (name)
)""",
    """\
comment on table rag_internal.created_extension is
    'Extensions that the migration created itself; a downgrade to base drops them again.'""",
)
# alembic_version has the columns and the constraint name that alembic itself would give it.
BOOTSTRAP = (
    "create schema if not exists rag_internal",
    """\
create table if not exists rag_internal.alembic_version (
    version_num varchar(32) not null,
    constraint alembic_version_pkc primary key (version_num)
)""",
    *CREATED_EXTENSION,
)


class Guard:
    """Holds the guard from `with` to its end; `wait` seconds at most, None without limit."""

    def __init__(
        self, dsn: str, *, wait: float | None, lock_timeout: float, report: Report
    ) -> None:
        self.dsn = dsn
        self.wait = wait
        self.lock_timeout = lock_timeout
        self.report = report
        self.connection = connect(dsn)

    def __enter__(self) -> Self:
        try:
            self._acquire()
        except BaseException:
            self.connection.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.connection.close()

    def revision(self) -> str | None:
        """The revision that the database is at; None is base."""
        versions = self.connection.execute(
            "select version_num from rag_internal.alembic_version order by 1"
        ).fetchall()
        if len(versions) > 1:
            raise MigrationError(
                f"The version table holds {len(versions)} rows; there must be one.",
                sqlstate="55000",
                hint="see which revision the database is at and delete the other rows from "
                "rag_internal.alembic_version.",
            )
        return versions[0][0] if versions else None

    def _acquire(self) -> None:
        last: psycopg.Error | None = None
        for _ in range(ATTEMPTS):
            try:
                self._bootstrap()
                self._lock()
                return
            except RACES as error:
                self.connection.rollback()
                last = error
                time.sleep(PAUSE)
        raise MigrationError(
            f"The version table cannot be had, another session creates and drops it: {last}",
            sqlstate="55000",
            hint="run the command again when the other migration is done.",
        ) from last

    def _bootstrap(self) -> None:
        """Create the version table where it is missing; a committed transaction of its own."""
        if applied(self.connection) is not None:
            return
        with self._naming_blockers("Creating the version table"), self.connection.transaction():
            self.settings(self.lock_timeout)
            for statement in BOOTSTRAP:
                self.connection.execute(statement)

    def _lock(self) -> None:
        lock = "lock table rag_internal.alembic_version in share update exclusive mode"
        self.settings(None)
        try:
            self.connection.execute(f"{lock} nowait")
        except errors.LockNotAvailable:
            self.connection.rollback()
            self.report(f"waiting for another migration: {self._holders()}")
            self.settings(self.wait)
            try:
                self.connection.execute(lock)
            except errors.LockNotAvailable:
                self.connection.rollback()
                raise MigrationError(
                    f"Another migration still runs after {self.wait:g} s: {self._holders()}.",
                    sqlstate="55P03",
                    hint="run the command again when it is done.",
                ) from None
        self._drain()

    def _drain(self) -> None:
        """Wait for a revision whose process was killed: its backend may be committing still."""
        lock = "lock table rag_internal.alembic_version in share row exclusive mode"
        self.settings(self.lock_timeout)
        self.connection.execute("savepoint drain")
        try:
            self.connection.execute(f"{lock} nowait")
        except errors.LockNotAvailable:
            self.connection.execute("rollback to savepoint drain")
            with self._naming_blockers("Reading the version table"):
                self.connection.execute(lock)
        self.connection.execute("rollback to savepoint drain")
        self.settings(None)

    def _naming_blockers(self, what: str) -> AbstractContextManager[None]:
        return naming_blockers(self.dsn, self.connection, what, self.lock_timeout)

    def settings(self, lock_timeout: float | None) -> None:
        """Settings of the guard's transaction, which sits idle while the revisions run."""
        for name in unlimited(self.connection):
            self.connection.execute(f"set local {name} = 0")
        milliseconds = 0 if lock_timeout is None else max(1, round(lock_timeout * 1000))
        self.connection.execute(f"set local lock_timeout = {milliseconds}")
        self.connection.execute("set local search_path = pg_catalog, pg_temp")

    def _holders(self) -> str:
        rows = self.connection.execute(
            "select distinct l.pid from pg_catalog.pg_locks l "
            "where l.relation = pg_catalog.to_regclass('rag_internal.alembic_version') "
            "and l.database = (select oid from pg_catalog.pg_database "
            "where datname = pg_catalog.current_database()) "
            "and l.granted and l.mode in ('ShareUpdateExclusiveLock', 'ShareLock', "
            "'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"
        ).fetchall()
        text = describe_blockers(self.connection, [pid or 0 for (pid,) in rows])
        self.connection.rollback()
        return text or "it has just finished"


def create_extensions(
    dsn: str, missing: list[preflight.Extension], schema: str, lock_timeout: float, report: Report
) -> None:
    """Create what is missing and note it, so that a downgrade to base can take it back."""
    if not missing:
        return
    with (
        short_transaction(dsn, lock_timeout) as connection,
        naming_blockers(dsn, connection, "Creating the extensions", lock_timeout),
    ):
        for item in missing:
            statement = sql.SQL("create extension {} with schema {}").format(
                sql.Identifier(item.name), sql.Identifier(item.schema or schema)
            )
            connection.execute(statement)
            connection.execute(
                "insert into rag_internal.created_extension (name) values (%s) "
                "on conflict do nothing",
                [item.name],
            )
    report("created extensions: " + ", ".join(item.name for item in missing))


def remove_traces(guard: Guard) -> None:
    """At base: drop the version table, the extensions we created and the schemas, and commit."""
    with naming_blockers(guard.dsn, guard.connection, "Removing the schemas", guard.lock_timeout):
        guard.settings(guard.lock_timeout)
        rows = guard.connection.execute("select name from rag_internal.created_extension")
        names = sorted(name for (name,) in rows)
        _drop_schemas(guard.connection)
        for name in names:
            _drop_extension(guard, name)
        guard.connection.commit()


def _drop_schemas(connection: psycopg.Connection) -> None:
    connection.execute("drop table rag_internal.alembic_version, rag_internal.created_extension")
    try:
        for schema in preflight.SCHEMAS:
            connection.execute(sql.SQL("drop schema if exists {}").format(sql.Identifier(schema)))
    except errors.DependentObjectsStillExist as error:
        raise MigrationError(
            f"{error.diag.message_primary}\nDetail: {error.diag.message_detail}",
            sqlstate="2BP01",
            hint="drop these objects or move them to another schema, then run the command again.",
        ) from error


def _drop_extension(guard: Guard, name: str) -> None:
    try:
        with guard.connection.transaction():
            guard.connection.execute(
                sql.SQL("drop extension if exists {}").format(sql.Identifier(name))
            )
    except errors.DependentObjectsStillExist:
        guard.report(f"kept extension {name}: other objects use it")
