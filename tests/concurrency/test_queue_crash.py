"""Workers and servers that end in the middle of a batch: nothing is lost, nothing is there twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support import Database
from support.embedding_server import Data, EmbeddingServer, Reply, embedding_server
from support.stub import Status, Stub

_PATIENCE = 3_000  # looks, of 20 ms and more each

WORKER = """
import psycopg, sys
with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    while claim := connection.execute("select rag.claim_job(10)").fetchone()[0]:
        connection.execute("select rag.embed_claimed(%s)", [claim])
"""


def _until(condition: Callable[[], object]) -> None:
    for _ in range(_PATIENCE):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it does not come true")


class Held:
    """An answer that does not come before `opened`; `entered` when it was asked for."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        self.reply = Reply(change=self._hold)

    def _hold(self, data: Data) -> Data:
        self.entered.set()
        self.opened.wait(60)
        return data


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


def test_g07_a_worker_is_killed(db: Database, endpoint: EmbeddingServer) -> None:
    stub = Stub(db, endpoint)
    stub.collection()
    texts = [f"text {n}" for n in range(100)]
    job_id = stub.passages("a", texts)
    held = Held()
    endpoint.script[:] = [Reply(), Reply(), Reply(), held.reply]
    worker = subprocess.Popen([sys.executable, "-c", WORKER, db.dsn])
    assert held.entered.wait(60)
    worker.kill()
    worker.wait()
    assert stub.status(job_id) == Status("running", 100, 30, 70, 0)

    def work_with_two() -> None:
        workers = [subprocess.Popen([sys.executable, "-c", WORKER, db.dsn]) for _ in range(2)]
        assert [worker.wait(60) for worker in workers] == [0, 0]

    work_with_two()
    assert stub.status(job_id) == Status("running", 100, 90, 10, 0)
    assert stub.tasks() == [1] * 10
    left = [10]  # before each round: what two meet at is passed over, until its lease is over
    while left[-1] and len(left) <= 5:
        stub.pass_time()
        work_with_two()
        left.append(len(stub.tasks()))
    assert stub.status(job_id) == Status("done", 100, 100, 0, 0)
    held.opened.set()  # what the killed one asked for comes, too late
    _until(
        lambda: stub.run(
            "select count(*) from pg_stat_activity where datname = current_database()"
            " and query like '%%embed_claimed%%' and pid <> pg_backend_pid()"
        ) == [0]
    )  # fmt: skip
    stub.assert_whole()
    assert stub.run("select count(*) from rag_internal.embedding") == [100]
    assert len(stub.server.texts) == 100 + sum(left)
    assert set(stub.server.texts) == set(texts)
    assert [len(r.texts) for r in endpoint.requests[-10:]] == [1] * 10  # alone, the second time


@pytest.fixture(scope="module")
def lasting(short_dir: Path, models_dir: Path) -> Iterator[Cluster]:
    """A running cluster of the module's own, whose commits outlive a process."""
    home = Path(tempfile.mkdtemp(dir=short_dir))
    home.chmod(0o755)
    options = {"shared_buffers": "64MB", "fsync": "off", "full_page_writes": "off"}
    cluster = Cluster(home, options=options, models=models_dir)
    try:
        cluster.create()
        cluster.start()
        migration.upgrade(cluster.dsn)
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def stub(lasting: Cluster, endpoint: EmbeddingServer) -> Stub:
    stub = Stub(Database(lasting.dsn, "ragsql"), endpoint)
    stub.reset()
    stub.collection()
    return stub


def _again(stub: Stub) -> None:
    """Gives the stub a new session when the server has ended the one it has, and is there again."""

    def ended() -> bool:
        try:
            stub.run("select 1")
        except psycopg.OperationalError:
            return True
        return False

    def connected() -> bool:
        try:
            stub.root = stub.database.connect()
        except psycopg.OperationalError:
            return False
        return True

    _until(ended)
    stub.root.close()
    _until(connected)


class Worker:
    """A worker in a thread, which may lose its process in the server."""

    def __init__(self, stub: Stub) -> None:
        self._session = psycopg.connect(stub.database.dsn, autocommit=True)
        self.pid = self._session.info.backend_pid
        self.is_lost = False
        self._thread = threading.Thread(target=self._work)

    def start(self) -> Worker:
        self._thread.start()
        return self

    def _work(self) -> None:
        with self._session:
            try:
                self._session.execute("call rag.run_jobs()")
            except psycopg.OperationalError:
                self.is_lost = True

    def join(self) -> bool:
        """Whether it lost its process."""
        self._thread.join()
        return self.is_lost


def test_the_server_is_stopped_at_once(lasting: Cluster, stub: Stub) -> None:
    texts = [f"text {n}" for n in range(40)]
    job_id = stub.passages("a", texts)
    waiting = stub.ingest("b", "a valve", embed="later").job_id
    held = Held()
    stub.server.script[:] = [Reply(), held.reply]
    worker = Worker(stub).start()
    assert held.entered.wait(60)
    postmaster = int((lasting.data / "postmaster.pid").read_text().split("\n")[0])
    os.kill(postmaster, signal.SIGQUIT)  # as pg_ctl stop --mode immediate
    assert worker.join()
    held.opened.set()
    _until(lambda: not lasting.is_running)
    lasting.start()
    _again(stub)
    assert stub.status(job_id) == Status("running", 40, 32, 8, 0)
    assert stub.found("valve", "bm25_search") == ["b"]
    assert stub.claim() is None
    stub.pass_time()
    stub.work()
    assert stub.status(job_id) == Status("done", 40, 40, 0, 0)
    assert stub.status(waiting).status == "done"
    stub.assert_whole()
    stub.assert_index()
    assert stub.run("select count(*) from rag_internal.embedding") == [41]


def test_a_text_that_kills_its_process_is_tried_alone(stub: Stub) -> None:
    texts = [f"text {n}" for n in range(39)]
    job_id = stub.passages("a", [*texts[:5], "boom", *texts[5:]])
    workers: list[Worker] = []

    def kill(data: Data) -> Data:
        if "boom" in stub.server.requests[-1].texts:
            os.kill(workers[-1].pid, signal.SIGKILL)
        return data

    stub.server.always = Reply(change=kill)
    for attempt in (1, 2):
        workers.append(Worker(stub))
        assert workers[-1].start().join()
        _again(stub)
        assert stub.run("select max(attempts) from rag_internal.embedding_task") == [attempt]
        stub.pass_time()
    while stub.status(job_id).waiting > 1:  # it may have come before others
        workers.append(Worker(stub))
        if workers[-1].start().join():
            _again(stub)
        stub.run(
            "update rag_internal.embedding_task t set run_after = now() from rag_internal.chunk c"
            " where c.chunk_id = t.chunk_id and c.content <> 'boom'"
        )
    asked = [request.texts for request in stub.server.requests if "boom" in request.texts]
    assert len(asked[0]) == 32
    assert asked[1:] == [["boom"]] * len(asked[1:])
    stub.assert_whole(missing=["boom"])
    stub.run("update rag_internal.embedding_task set attempts = 5")
    stub.pass_time()
    stub.work()
    assert [(row[0], row[2]) for row in stub.dead()] == [("a", 5)]
    assert stub.status(job_id) == Status("failed", 40, 39, 0, 1)
