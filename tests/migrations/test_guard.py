"""Two migrations at once, killed ones, and roles that would like to be in the way."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from ragsql import migration
from support import throws_ok
from support.catalog import definitions, everything
from support.database import Database

THING = "create schema rag; create table rag.thing (id bigint primary key);"
PATIENCE = 60
"""Seconds after which a test that waits for something gives up."""


def start(*arguments: str) -> subprocess.Popen[str]:
    """Starts `ragsql` with these arguments as a process of its own."""
    program = "from ragsql.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stderr=subprocess.PIPE, text=True
    )


def start_toy(toy: Any, database: Database) -> subprocess.Popen[str]:
    """Starts an upgrade with a toy environment as a process of its own."""
    program = (
        "import pathlib, sys; from ragsql import migration; "
        "migration.upgrade(sys.argv[1], folder=pathlib.Path(sys.argv[2]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, database.dsn, str(toy.migrations)],
        stderr=subprocess.PIPE,
        text=True,
    )


def until(database: Database, condition: str) -> None:
    """Waits until a query of the database yields a row."""
    deadline = time.monotonic() + PATIENCE
    with database.connect() as connection:
        while connection.execute(condition).fetchone() is None:
            assert time.monotonic() < deadline, f"never came true: {condition}"
            time.sleep(0.05)


SLEEPING = (
    "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
)


def test_g01_four_upgrades_at_once_all_succeed(
    make_database: Callable[..., Database],
) -> None:
    alone, together = make_database(), make_database()
    migration.upgrade(alone.dsn)
    for _ in ("on an empty database", "at head"):
        processes = [start("migrate", "upgrade", "--dsn", together.dsn) for _ in range(4)]
        outputs = [process.communicate(timeout=PATIENCE)[1] for process in processes]
        assert [process.returncode for process in processes] == [0, 0, 0, 0], outputs
    versions = together.connect().execute("select version_num from rag_internal.alembic_version")
    assert versions.fetchall() == [(migration.status(alone.dsn).head,)]
    assert definitions(together.connect()) == definitions(alone.connect())


def test_g01_a_killed_upgrade_does_not_block_the_next(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING + "select pg_sleep(600);")
    process = start_toy(toy, empty)
    until(empty, SLEEPING)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (toy.versions / "0001_one" / "up.sql").write_text(THING)
    toy.upgrade(empty)
    assert migration.status(empty.dsn, folder=toy.migrations).current == "0001_one"


def test_the_second_says_whom_it_waits_for(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING + "select pg_sleep(600);")
    first = start_toy(toy, empty)
    until(empty, SLEEPING)
    with pytest.raises(migration.MigrationError, match=r"still runs after 0\.2 s: pid \d+") as late:
        toy.upgrade(empty, wait=0.2)
    assert late.value.sqlstate == "55P03"
    second = start_toy(toy, empty)
    waiting = "select from pg_locks where not granted and mode = 'ShareUpdateExclusiveLock'"
    until(empty, waiting)
    query = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'"
    (toy.versions / "0001_one" / "up.sql").write_text(THING)
    empty.connect().execute(query)
    _, first_output = first.communicate(timeout=PATIENCE)
    _, second_output = second.communicate(timeout=PATIENCE)
    assert first.returncode != 0, first_output
    assert second.returncode == 0, second_output
    assert "waiting for another migration: pid " in second_output
    assert migration.status(empty.dsn, folder=toy.migrations).current == "0001_one"


def test_a_commit_still_under_way_is_waited_for(empty: Database, toy: Any) -> None:
    """The server process of a killed upgrade may commit after the next one has the guard."""
    toy.add("0001_one", up=THING)
    toy.upgrade(empty)
    toy.add("0002_two", up="create table rag.two ();")
    orphan = empty.connect(autocommit=False)
    orphan.execute("lock table rag_internal.alembic_version in row exclusive mode")
    orphan.execute("create table rag.two ()")
    orphan.execute("update rag_internal.alembic_version set version_num = '0002_two'")
    late = threading.Timer(0.5, orphan.commit)
    late.start()
    assert toy.upgrade(empty) == ["already at 0002_two"]
    late.join()


def test_an_upgrade_and_a_downgrade_at_once(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="select pg_sleep(1); drop schema rag cascade;")
    toy.upgrade(empty)
    down = threading.Thread(target=toy.downgrade, args=(empty, "base"))
    down.start()
    until(empty, SLEEPING)
    lines = toy.upgrade(empty)
    down.join()
    assert lines[0].startswith("waiting for another migration: pid ")
    assert lines[-1] == "at 0001_one (head)"
    assert empty.connect().execute("select count(*) from rag.thing").fetchone() == (0,)


def test_databases_of_one_cluster_share_roles(
    make_database: Callable[..., Database], toy: Any
) -> None:
    databases = [make_database(), make_database()]
    role = f"t_race_{databases[0].name}"
    toy.add(
        "0001_one",
        up=f"do $$ begin if not exists (select from pg_roles where rolname = '{role}') then "
        f"create role {role}; perform pg_sleep(1); end if; end $$;",
    )
    processes = [start_toy(toy, database) for database in databases]
    outputs = [process.communicate(timeout=PATIENCE)[1] for process in processes]
    databases[0].connect().execute(f"drop role {role}")
    assert [process.returncode for process in processes] == [0, 0], outputs


def test_a_plain_role_cannot_block(empty: Database, toy: Any, stranger: str) -> None:
    toy.add("0001_one", up=THING)
    toy.add("0002_two", up="create table rag.two ();")
    toy.upgrade(empty, "0001_one")
    session = empty.connect(stranger)
    for mode in ("access share", "share update exclusive", "access exclusive"):
        lock = f"lock table rag_internal.alembic_version in {mode} mode"
        throws_ok(session, f"begin; {lock}", "42501")
        session.rollback()
    session.execute("select pg_advisory_lock(key) from generate_series(-500, 500) key")
    session.execute("select pg_advisory_lock_shared(1, key) from generate_series(0, 500) key")
    assert toy.upgrade(empty) == ["upgrading to 0002_two", "at 0002_two (head)"]


def test_the_guard_is_the_only_lock(empty: Database, toy: Any) -> None:
    toy.add(
        "0001_one",
        up="create schema rag; create table rag.seen as select l.locktype, l.mode, "
        "l.relation::regclass::text as relation, l.pid = pg_backend_pid() as own "
        "from pg_locks l where l.database = (select oid from pg_database where datname = "
        "current_database());",
    )
    toy.upgrade(empty)
    seen = empty.connect().execute("select * from rag.seen").fetchall()
    assert ("relation", "ShareUpdateExclusiveLock", "rag_internal.alembic_version", False) in seen
    assert {row for row in seen if row[0] == "advisory"} == set()


def test_short_session_limits_do_not_end_the_guard(empty: Database, toy: Any) -> None:
    empty.connect().execute(
        f"alter database {empty.name} set idle_in_transaction_session_timeout = '100ms';"
        f"alter database {empty.name} set statement_timeout = '300ms'"
    )
    toy.add("0001_one", up=THING + "select pg_sleep(1);")
    assert toy.upgrade(empty)[-1] == "at 0001_one (head)"


@pytest.mark.parametrize("schema", ["rag", "rag_internal"])
def test_a_schema_of_a_stranger_is_refused(
    empty: Database, toy: Any, stranger: str, schema: str
) -> None:
    toy.add("0001_one", up=THING)
    empty.connect().execute(f"create schema {schema} authorization {stranger}")
    before = everything(empty.connect())
    with pytest.raises(migration.MigrationError, match=f"Schema {schema} belongs to role") as error:
        toy.upgrade(empty)
    assert error.value.sqlstate == "42501"
    assert f"alter schema {schema} rename to" in error.value.format_message()
    assert everything(empty.connect()) == before


def test_a_schema_of_our_name_is_not_taken_over(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING)
    empty.connect().execute("create schema rag")
    with pytest.raises(migration.MigrationError, match="was not made by ragsql"):
        toy.upgrade(empty)


def test_a_schema_being_created_does_not_block_for_ever(
    empty: Database, toy: Any, stranger: str
) -> None:
    toy.add("0001_one", up=THING)
    empty.connect().execute(f"grant create on database {empty.name} to {stranger}")
    session = empty.connect(stranger, autocommit=False)
    session.execute("create schema rag_internal")
    with pytest.raises(migration.MigrationError, match=f"(?s)waited 1 s.*role {stranger}") as error:
        toy.upgrade(empty, lock_timeout=1)
    assert error.value.sqlstate == "55P03"
    session.rollback()
    assert toy.upgrade(empty)[-1] == "at 0001_one (head)"
