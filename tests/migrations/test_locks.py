"""A session that keeps a lock on what a revision changes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ragsql import migration
from support import throws_ok
from support.database import Database

THING = "create schema rag; create table rag.thing (id bigint primary key);"
WIDER = "create table rag.before (); alter table rag.thing add column more int;"


@pytest.fixture
def two(toy: Any, empty: Database) -> Any:
    """A database at the first of two revisions; the second alters a table."""
    toy.add("0001_one", up=THING, down="drop schema rag cascade;")
    toy.add("0002_two", up=WIDER, down="alter table rag.thing drop more; drop table rag.before;")
    toy.upgrade(empty, "0001_one")
    return toy


def test_g03_an_open_reader_stops_the_upgrade_in_words(empty: Database, two: Any) -> None:
    reader = empty.connect(autocommit=False)
    reader.execute("select * from rag.thing")
    with pytest.raises(migration.MigrationError) as failure:
        two.upgrade(empty, lock_timeout=1)
    message = failure.value.format_message()
    assert failure.value.sqlstate == "55P03"
    assert "0002_two waited 1 s for a lock" in message
    assert "nothing of it is applied" in message
    assert f"Blocked by pid {reader.info.backend_pid} (role " in message
    assert "idle in transaction, query started 2" in message
    assert "run the command again" in message
    assert migration.status(empty.dsn, folder=two.migrations).current == "0001_one"
    throws_ok(empty.connect(), "table rag.before", "42P01")
    reader.rollback()
    assert two.upgrade(empty)[-1] == "at 0002_two (head)"


def test_g03_other_readers_wait_no_longer_than_the_upgrade(empty: Database, two: Any) -> None:
    reader = empty.connect(autocommit=False)
    reader.execute("select * from rag.thing")
    failures: list[migration.MigrationError] = []

    def upgrade() -> None:
        try:
            two.upgrade(empty, lock_timeout=2)
        except migration.MigrationError as error:
            failures.append(error)

    thread = threading.Thread(target=upgrade)
    thread.start()
    watcher = empty.connect()
    queued = "select from pg_locks where not granted and mode = 'AccessExclusiveLock'"
    while thread.is_alive() and watcher.execute(queued).fetchone() is None:
        pass
    third = empty.connect()
    third.execute("set statement_timeout = '30s'")
    assert third.execute("select count(*) from rag.thing").fetchone() == (0,)
    thread.join()
    assert [error.sqlstate for error in failures] == ["55P03"]


def test_a_downgrade_gives_up_the_same_way(empty: Database, two: Any) -> None:
    two.upgrade(empty)
    reader = empty.connect(autocommit=False)
    reader.execute("select * from rag.thing")
    with pytest.raises(migration.MigrationError, match=f"pid {reader.info.backend_pid}"):
        two.downgrade(empty, "0001_one", lock_timeout=1)
    assert migration.status(empty.dsn, folder=two.migrations).current == "0002_two"
