"""Where a benchmark measures: a database of its own, in a private cluster of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ragsql import migration
from ragsql.cluster import Cluster
from ragsql.server import choose_installation

NAME = "ragsql_bench"
MODELS = Path(__file__).resolve().parents[2] / ".ragsql/models"

Connection = psycopg.Connection[Any]


@contextmanager
def database(server: str | None = None, folder: Path | None = None) -> Iterator[str]:
    """DSN of a fresh, migrated database that is gone afterwards.

    It lies in the server with the DSN `server`, else in a new cluster with the settings that
    `ragsql up` makes, in a temporary folder below `folder`. Its user is a superuser.
    """
    for name in list(os.environ):
        if name.startswith(("PG", "RAGSQL_")):
            del os.environ[name]
    if server is not None:
        with _fresh(server) as dsn:
            yield dsn
        return
    home = Path(tempfile.mkdtemp(prefix="ragsql-bench-", dir=folder or "/tmp"))
    home.chmod(0o755)
    cluster = Cluster(home / "home", models=MODELS, options=_libraries())
    try:
        cluster.create()
        cluster.start()
        with _fresh(cluster.dsn) as dsn:
            yield dsn
    finally:
        cluster.stop()
        shutil.rmtree(home, ignore_errors=True)


def connect(dsn: str, role: str | None = None) -> Connection:
    """A session that commits by itself, logged in as `role` where one is given."""
    return psycopg.connect(dsn if role is None else make_conninfo(dsn, user=role), autocommit=True)


@contextmanager
def copied(dsn: str) -> Iterator[str]:
    """DSN of a copy of the database, gone afterwards; nobody else may be connected to it."""
    copy = sql.Identifier(f"{NAME}_copy")
    drop = sql.SQL("drop database if exists {} with (force)").format(copy)
    create = sql.SQL("create database {} template {}").format(copy, sql.Identifier(NAME))
    with connect(make_conninfo(dsn, dbname="postgres")) as connection:
        connection.execute(drop)
        connection.execute(create)
        try:
            yield make_conninfo(dsn, dbname=f"{NAME}_copy")
        finally:
            connection.execute(drop)


def seconds(connection: Connection, work: Callable[[], object]) -> float:
    """Processor time that the session's backend spends on `work`, else the time that passes.

    The former where the server is on this machine: it is the same on a busy one.
    """
    began, spent = time.perf_counter(), _processor_time(connection.info.backend_pid)
    work()
    after = _processor_time(connection.info.backend_pid)
    if spent is None or after is None:
        return time.perf_counter() - began
    return after - spent


def _processor_time(pid: int) -> float | None:
    """Seconds of a process of PostgreSQL; None where there is no such process here."""
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        if "(postgres" not in name:
            return None
        with suppress(OSError):  # to the nanosecond, where the kernel counts so
            return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return None
    user, system = rest.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def has_textsearch() -> bool:
    """Whether the newest installed server has pg_textsearch."""
    return _textsearch(choose_installation(None, None, Path()).major).is_file()


def _textsearch(major: int) -> Path:
    return Path(f"/usr/share/postgresql/{major}/extension/pg_textsearch.control")


def _libraries() -> dict[str, str]:
    return {"shared_preload_libraries": "pg_textsearch"} if has_textsearch() else {}


@contextmanager
def _fresh(server: str) -> Iterator[str]:
    name = sql.Identifier(NAME)
    drop = sql.SQL("drop database if exists {} with (force)").format(name)
    with connect(make_conninfo(server, dbname="postgres")) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("create database {} template template0").format(name))
    dsn = make_conninfo(server, dbname=NAME)
    try:
        migration.upgrade(dsn)
        yield dsn
    finally:
        with connect(make_conninfo(server, dbname="postgres")) as connection:
            connection.execute(drop)
