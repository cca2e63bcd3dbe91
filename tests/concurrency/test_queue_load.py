"""Workers, writers and administrators all at once: no deadlock, and everything in its place."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from support import Database
from support.embedding_server import EmbeddingServer, embedding_server
from support.stub import Stub, run

SECONDS = 5
WORDS = "blue red valve pump lantern oil steam gauge".split()
Connection = psycopg.Connection[Any]
Act = Callable[[Connection, random.Random], None]

_PASS_TIME = """
update rag_internal.embedding_task t set run_after = now()
from (select model_id, chunk_id from rag_internal.embedding_task
      where not is_dead and claim_id is null for update skip locked) g
where t.model_id = g.model_id and t.chunk_id = g.chunk_id
"""

# what others may have done in the meantime
MAY_HAPPEN = (
    psycopg.errors.NoDataFound,
    psycopg.errors.ObjectNotInPrerequisiteState,
    psycopg.errors.SerializationFailure,
    psycopg.errors.LockNotAvailable,  # plain SQL beside who changes a collection
)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def stub(db: Database, endpoint: EmbeddingServer) -> Stub:
    stub = Stub(db, endpoint)
    stub.collection(strategy="paragraph")
    stub.collection("d", model="other", strategy="paragraph")
    return stub


def _text(draw: random.Random) -> str:
    return "\n\n".join(" ".join(draw.choices(WORDS, k=5)) + "." for _ in range(draw.randint(1, 6)))


def _some_document(connection: Connection, draw: random.Random) -> str:
    ids = run(connection, "select document_id::text from rag_internal.document order by 1")
    return str(draw.choice(ids)) if ids else "00000000-0000-0000-0000-000000000000"


def _some_job(connection: Connection, draw: random.Random) -> int:
    return int(draw.choice(run(connection, "select job_id from rag_internal.job") or [0]))


def work(connection: Connection, draw: random.Random) -> None:
    (claim,) = run(connection, "select rag.claim_job(%s)", draw.choice([1, 4, 32]))
    run(connection, "select rag.embed_claimed(%s)", claim)
    run(connection, _PASS_TIME)


def ingest(connection: Connection, draw: random.Random) -> None:
    for _ in range(3):
        run(connection, "select rag.ingest(%s, %s, %s, embed => %s)", draw.choice("cd"),
            _text(draw), str(draw.randrange(8)), draw.choice(["now", "later"]))  # fmt: skip


def change(connection: Connection, draw: random.Random) -> None:
    document_id = _some_document(connection, draw)
    statement = draw.choice(
        [
            "select rag.delete_document(%s)",
            "select rag.grant_read(document_id => %s, reader => 'public')",
            "select rag.revoke_read(document_id => %s, reader => 'public')",
            "select rag.update_document(%s, title => 'Valves')",
        ]
    )
    run(connection, statement, document_id)


def change_by_sql(connection: Connection, draw: random.Random) -> None:
    document_id = _some_document(connection, draw)
    run(connection, "update rag_internal.document set content = %s where document_id = %s",
        _text(draw), document_id)  # fmt: skip


def administer(connection: Connection, draw: random.Random) -> None:
    collection, model = draw.choice("cd"), draw.choice(["stub", "other"])
    call = draw.choice(["prepare_model", "set_model", "set_model", "release_model"])
    run(connection, f"select rag.{call}(%s, %s)", collection, model)


def end_jobs(connection: Connection, draw: random.Random) -> None:
    call = draw.choice(["cancel_job", "retry_job"])
    run(connection, f"select rag.{call}(%s)", _some_job(connection, draw))


def search(connection: Connection, draw: random.Random) -> None:
    run(connection, "select rag.search(%s)", draw.choice(WORDS))


class Players:
    """Threads that act until time is over or somebody fails."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._over = threading.Event()
        self.failures: list[str] = []
        self.acts = 0

    def play(self, acts: list[Act], seconds: float) -> None:
        threads = [
            threading.Thread(target=self._play, args=(act, number))
            for number, act in enumerate(acts)
        ]
        for thread in threads:
            thread.start()
        self._over.wait(seconds)
        self._over.set()
        for thread in threads:
            thread.join()

    def _play(self, act: Act, seed: int) -> None:
        draw = random.Random(seed)
        with psycopg.connect(self._database.dsn, autocommit=True) as connection:
            connection.execute("set lock_timeout = '20s'")
            while not self._over.is_set():
                try:
                    act(connection, draw)
                    self.acts += 1
                except MAY_HAPPEN:
                    time.sleep(0.01)
                except psycopg.Error as error:
                    process = connection.info.backend_pid
                    self.failures.append(f"{act.__name__}, {process}: {error}")
                    self._over.set()


def test_nobody_waits_in_a_circle_and_all_is_right(stub: Stub, db: Database) -> None:
    stub.server.words["gauge red"] = "refuse"
    players = Players(db)
    players.play(
        [work, work, ingest, ingest, change, change_by_sql, administer, end_jobs, search], SECONDS
    )
    assert not players.failures, "\n".join(players.failures)
    assert players.acts > 0
    stub.server.words.clear()
    stub.work()
    stub.assert_index()
    for name in "cd":
        stub.run("select rag.prepare_model(%s)", name)
    stub.pass_time()
    stub.work()
    stub.pass_time()
    stub.work()
    stub.assert_whole()
    assert stub.tasks() == []
    assert stub.dead() == []
    stub.assert_index()
    assert set(stub.run("select status from rag.job_status")) <= {"done", "failed", "cancelled"}
