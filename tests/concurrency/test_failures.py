"""Work that ends half way leaves everything as it was."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from concurrency.cast import Cast
from concurrency.reference import assert_whole, places
from concurrency.stage import Session, Stage
from ragsql import migration
from ragsql.cluster import Cluster
from support.database import Database

WORK = [
    "select rag_internal.build_segment('english')",
    "select rag_internal.merge_segments('english', 65536)",
    "select rag.rebuild_index('c')",
    "call rag.maintain()",
]
SOURCES = [f"{n:02}" for n in range(7)]


def _fill(session: Session) -> list[str]:
    ids = []
    for number, source in enumerate(SOURCES):
        ids.append(session.ingest(source, f"The valve of pump {number} is closed."))
        if number in (2, 5):
            session.build()
    return ids


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("stop", ["pg_cancel_backend", "pg_terminate_backend"])
def test_it_is_stopped_half_way(cast: Cast, work: str, stop: str) -> None:
    ids = _fill(cast.root)
    before = places(cast.root)
    worker, holder = cast.another(), cast.another().begin()
    holder.run("lock table rag_internal.posting in share mode")
    running = worker.start(work)
    cast.stage.await_wait(worker, holder)
    assert cast.alice.find() == SOURCES
    cast.root.run(f"select {stop}(%s)", worker.pid)
    assert isinstance(running.exception(), psycopg.OperationalError)
    if stop == "pg_terminate_backend":
        cast.stage.await_end(worker)
        worker.connection.close()
    assert places(cast.root) == before
    holder.rollback()
    cast.assert_well()

    cast.revoke(cast.owner, ids[0], "bob")
    cast.owner.run("call rag.maintain()")
    assert cast.bob.find() == SOURCES[1:]
    cast.assert_well()
    if stop == "pg_cancel_backend":
        cast.owner.ingest("another", "A valve more.")
        worker.run(work)
        cast.assert_well()


def test_documents_change_while_it_waits_and_is_cancelled(cast: Cast) -> None:
    ids = _fill(cast.root)
    worker, holder = cast.another(), cast.another().begin()
    holder.run("lock table rag_internal.posting in share mode")
    running = worker.start(WORK[1])
    cast.stage.await_wait(worker, holder)
    cast.owner.delete(ids[0])
    cast.revoke(cast.owner, ids[1], "bob")
    cast.owner.ingest(SOURCES[3], "Open the valve.")
    cast.root.run("select pg_cancel_backend(%s)", worker.pid)
    assert isinstance(running.exception(), psycopg.errors.QueryCanceled)
    holder.rollback()
    assert cast.bob.find() == SOURCES[2:]
    cast.assert_well()


def test_a_statement_that_fails_after_a_build(cast: Cast) -> None:
    _fill(cast.root)
    before = places(cast.root)
    with pytest.raises(psycopg.errors.DivisionByZero):
        cast.root.run("select 1 / (rag_internal.build_segment('english') - 1)")
    assert places(cast.root) == before
    cast.assert_well()


@pytest.fixture
def lasting(short_dir: Path, models_dir: Path) -> Iterator[Cluster]:
    """A running cluster of the test's own, whose commits outlive a process."""
    home = Path(tempfile.mkdtemp(dir=short_dir))
    home.chmod(0o755)
    options = {"shared_buffers": "64MB", "fsync": "off", "full_page_writes": "off"}
    cluster = Cluster(home, options=options, models=models_dir)
    try:
        cluster.create()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _after_recovery(database: Database) -> Stage:
    for _ in range(3_000):
        try:
            return Stage(database)
        except psycopg.OperationalError:
            time.sleep(0.02)
    raise AssertionError("the server does not come back")


def test_a_process_of_the_server_is_killed(lasting: Cluster) -> None:
    migration.upgrade(lasting.dsn)
    database = Database(lasting.dsn, "ragsql")
    stage = Stage(database)
    stage.root.run("select rag.create_collection('c', model => 'none')")
    ids = _fill(stage.root)
    stage.root.delete(ids[0])
    before = places(stage.root)
    worker, holder = stage.session(), stage.session().begin()
    holder.run("lock table rag_internal.posting in share mode")
    running = worker.start(WORK[1])
    stage.await_wait(worker, holder)
    os.kill(worker.pid, signal.SIGKILL)
    assert isinstance(running.exception(), psycopg.OperationalError)
    with pytest.raises(psycopg.OperationalError):  # the server ends all sessions, and recovers
        holder.run("select pg_sleep(60)")
    stage.close()

    stage = _after_recovery(database)
    assert places(stage.root) == before
    assert stage.root.find() == SOURCES[1:]
    assert_whole(stage.root)
    stage.root.run("call rag.maintain()")
    assert stage.root.find() == SOURCES[1:]
    assert_whole(stage.root)
    stage.close()
