"""Runs revisions on a server, under the guard."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psycopg
from alembic import command
from alembic.config import Config
from psycopg import errors
from sqlalchemy import Connection, NullPool, create_engine

from ragsql.migration import guard as guarding
from ragsql.migration import preflight
from ragsql.migration.blocking import BlockWatch, lock_timed_out
from ragsql.migration.environment import Chain, configuration, migrations_folder
from ragsql.migration.errors import MigrationError, describe, line_of
from ragsql.migration.session import applied, connect

LOCK_TIMEOUT = 10.0
"""Seconds that a revision waits for a lock before it gives up."""

ATTEMPTS = 5

_alembic = threading.Lock()
"""alembic's environment is one per process."""


class Status(NamedTuple):
    """Where a database is (None: base, nothing installed) and where it could be."""

    current: str | None
    head: str | None


def report_to_stderr(line: str) -> None:
    """Print one line of progress on stderr."""
    print(line, file=sys.stderr, flush=True)


def status(dsn: str, *, folder: Path | None = None) -> Status:
    """The revision of the database and the newest one; takes no guard and changes nothing.

    Raises MigrationError where this role may not read the version table, and where the database
    is at a revision that this installation does not have.
    """
    chain = Chain(folder or migrations_folder())
    with connect(dsn) as connection:
        try:
            versions = applied(connection) or []
        except errors.InsufficientPrivilege as error:
            raise MigrationError(
                "This role may not read the version table.",
                sqlstate="42501",
                hint="ask with the role that migrates, or see rag.doctor().",
            ) from error
    current = versions[0] if versions else None
    chain.position(current)
    return Status(current, chain.head)


def upgrade(
    dsn: str,
    revision: str = "head",
    *,
    wait: float | None = None,
    lock_timeout: float = LOCK_TIMEOUT,
    extension_schema: str = "public",
    report: Callable[[str], None] = report_to_stderr,
    folder: Path | None = None,
) -> None:
    """Bring the database up to `revision`, one transaction per revision.

    Waits `wait` seconds (None: as long as it takes) for another migration. Extensions that are
    missing are created in `extension_schema`. Raises MigrationError when something is in the way;
    what was applied before stays, nothing is half applied, and the call can be repeated.
    """
    chain = Chain(folder or migrations_folder())
    target = chain.resolve(revision)
    _preflight(dsn)
    with guarding.Guard(dsn, wait=wait, lock_timeout=lock_timeout, report=report) as guard:
        current = guard.revision()
        here, there = chain.position(current), chain.position(target)
        if there < here:
            raise _wrong_way(current, revision, "beyond", "go back, losing data", "downgrade")
        if here == there:
            report(f"already at {current or 'base'}")
            return
        try:
            missing = _preflight(dsn)
            guarding.create_extensions(dsn, missing, extension_schema, lock_timeout, report)
            action = partial(command.upgrade, revision=str(target))
            _run(dsn, chain.folder, lock_timeout, report, action)
        except BaseException:
            _clean_up(guard)
            raise
    report(f"at {target}" + (" (head)" if target == chain.head else ""))


def downgrade(
    dsn: str,
    revision: str,
    *,
    wait: float | None = None,
    lock_timeout: float = LOCK_TIMEOUT,
    report: Callable[[str], None] = report_to_stderr,
    folder: Path | None = None,
) -> None:
    """Take the database back to `revision`; "base" leaves no object behind, roles excepted.

    Roles belong to the whole cluster, and another database may use them. Extensions that an
    upgrade created are dropped again at base, unless other objects use them by then.
    """
    chain = Chain(folder or migrations_folder())
    target = chain.resolve(revision)
    _preflight(dsn)
    with connect(dsn) as connection:
        if applied(connection) is None:
            report("already at base")
            return
    with guarding.Guard(dsn, wait=wait, lock_timeout=lock_timeout, report=report) as guard:
        current = guard.revision()
        here, there = chain.position(current), chain.position(target)
        if there > here:
            raise _wrong_way(current, revision, "before", "go forward", "upgrade")
        if there < here:
            action = partial(command.downgrade, revision=target or "base")
            _run(dsn, chain.folder, lock_timeout, report, action)
        if target is None:
            guarding.remove_traces(guard)
    report(f"at {target or 'base'}")


def _wrong_way(
    current: str | None, revision: str, where: str, purpose: str, verb: str
) -> MigrationError:
    return MigrationError(
        f"The database is at {current or 'base'}, which is {where} {revision}.",
        sqlstate="22023",
        hint=f"to {purpose}: ragsql migrate {verb} {revision}",
    )


def _clean_up(guard: guarding.Guard) -> None:
    """After a failure: a database in which nothing is applied gets back to what it was."""
    try:
        if guard.revision() is None:
            guarding.remove_traces(guard)
    except (psycopg.Error, MigrationError):
        pass  # the failure itself is reported; the next run continues from what is there


def _preflight(dsn: str) -> list[preflight.Extension]:
    with connect(dsn) as connection:
        missing = preflight.check(connection)
        preflight.check_schemas(connection, installed=bool(applied(connection)))
    return missing


def _run(
    dsn: str,
    folder: Path,
    lock_timeout: float,
    report: Callable[[str], None],
    action: Callable[[Config], None],
) -> None:
    """Let alembic do `action` on a connection of its own; roles created elsewhere at the same
    moment (they belong to the cluster) make a revision fail by chance, so it is tried again."""
    engine = create_engine(
        "postgresql+psycopg://",
        creator=partial(connect, dsn),
        poolclass=NullPool,
        isolation_level="READ COMMITTED",
    )
    for attempt in range(1, ATTEMPTS + 1):
        with engine.connect() as connection:
            config = configuration(
                folder,
                connection=connection,
                lock_timeout_ms=max(1, round(lock_timeout * 1000)),
                report=report,
            )
            with BlockWatch(dsn, _backend_pid(connection)) as watch:
                try:
                    with _alembic:
                        action(config)
                    return
                except Exception as error:
                    if attempt < ATTEMPTS and _is_a_race(error.__cause__):
                        continue
                    raise _translate(error, watch.last, lock_timeout) from error


def _backend_pid(connection: Connection) -> int:
    driver = connection.connection.driver_connection
    assert driver is not None
    return int(driver.info.backend_pid)


def _is_a_race(error: BaseException | None) -> bool:
    """Whether another database's migration created or granted the same roles at that moment."""
    if isinstance(error, errors.UniqueViolation):
        return error.diag.schema_name == "pg_catalog"
    if isinstance(error, errors.InternalError_):
        return "concurrently" in str(error)
    return isinstance(error, errors.DeadlockDetected)


def _translate(error: Exception, blockers: str, lock_timeout: float) -> Exception:
    """The failure of a revision in words; an unexpected error stays as it is."""
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error):
        return error
    revision = getattr(error, "revision", "a revision")
    if isinstance(cause, errors.LockNotAvailable):
        return lock_timed_out(revision, lock_timeout, blockers)
    place = getattr(error, "name", "a statement")
    line = line_of(cause, getattr(error, "sql", ""))
    if line is not None:
        place += f", line {line}"
    return MigrationError(
        f"{revision} failed in {place}; it was rolled back and nothing of it is applied.\n"
        f"{describe(cause)}",
        sqlstate=cause.sqlstate or "XX000",
    )
