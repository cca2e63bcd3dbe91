"""Models behind HTTP, when the server or the way to it fails: in an ingest, a search, the queue."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.embedding_server import (
    Reply,
    embedding_server,
    failing,
    fewer,
    hanging_up,
    malformed,
    of_dimensions,
    slow,
    too_many,
)
from support.stub import Status, Stub

Connection = psycopg.Connection[Any]


def _not_allowed(stub: Stub) -> None:
    stub.run("select rag.allow_http(array['127.0.0.1:1'])")


def _refused(stub: Stub) -> None:
    with embedding_server() as gone:
        pass
    _point_to(stub, gone.url, gone.host)


def _point_to(stub: Stub, url: str, host: str) -> None:
    stub.run("select rag.allow_http(%s)", [host])
    options = json.dumps({"endpoints": [{"url": url}]})
    stub.run("select rag.add_model('stub', 'openai', 8, %s)", options)


def _always(reply: Reply) -> Callable[[Stub], None]:
    def answer(stub: Stub) -> None:
        stub.server.always = reply

    return answer


FAULTS = {
    "429": (_always(too_many("60")), "429"),
    "500": (_always(failing(500)), "500"),
    "401": (_always(failing(401, code="bad_key")), "401"),
    "wrong dimension": (_always(of_dimensions(5)), "5.*8|8.*5"),
    "malformed": (_always(malformed()), "JSON"),
    "hangs up": (_always(hanging_up()), ""),
    "refused": (_refused, ""),
    "not allowed": (_not_allowed, "allow"),
}


@pytest.fixture(params=FAULTS.values(), ids=FAULTS.keys())
def fault(request: pytest.FixtureRequest) -> tuple[Callable[[Stub], None], str]:
    """What makes the provider fail, and what the error tells of it."""
    arranged: tuple[Callable[[Stub], None], str] = request.param
    return arranged


@pytest.fixture(autouse=True)
def recover(stub: Stub) -> Iterator[None]:
    """The way to the server is open again after each test."""
    yield
    _heal(stub)


def _heal(stub: Stub) -> None:
    stub.server.script.clear()
    stub.server.always = Reply()
    _point_to(stub, stub.server.url, stub.server.host)


def _tables(stub: Stub) -> list[Any]:
    return [
        stub.run(f"select t::text from rag_internal.{table} t order by 1")
        for table in ("document", "chunk", "embedding", "embedding_task", "job", "pending")
    ]


def test_an_ingest_fails_whole(stub: Stub, fault: tuple[Callable[[Stub], None], str]) -> None:
    stub.ingest("a", "a blue valve")
    before = _tables(stub)
    arrange, pattern = fault
    arrange(stub)
    error = throws_ok(stub.root, "select rag.ingest('c', 'a secret pump', 'a')", "55000", pattern)
    assert "embed => 'later'" in (error.diag.message_hint or "")
    assert "secret" not in str(error.diag.message_primary)
    assert _tables(stub) == before
    assert stub.ingest("c", "a blue valve").job_id is None  # its vector is known
    _heal(stub)
    stub.ingest("b", "a secret pump")
    stub.assert_whole()


def test_a_search_fails_or_does_without(
    stub: Stub, fault: tuple[Callable[[Stub], None], str]
) -> None:
    stub.ingest("a", "a blue valve")
    arrange, pattern = fault
    arrange(stub)
    throws_ok(stub.root, "select rag.search('secret valve')", "55000", pattern)
    ((source, (degraded,)),) = stub.run(
        "select source, degraded from rag.search('secret valve', allow_degraded => true)"
    )
    assert source == "a"
    assert re.search(f"^semantic: .*({pattern})", degraded)
    assert stub.run("select source from rag.search('valve', strategy => 'bm25')") == ["a"]


def test_the_queue_waits(stub: Stub, fault: tuple[Callable[[Stub], None], str]) -> None:
    job_id = stub.passages("a", ["one valve", "two valves", "three valves"])
    arrange, pattern = fault
    arrange(stub)
    stub.work()
    asked = len(stub.server.requests)
    stub.work()
    assert len(stub.server.requests) == asked
    assert stub.tasks("attempts, claim_id, is_dead") == [(0, None, False)] * 3
    assert stub.status(job_id) == Status("running", 3, 0, 3, 0)
    ((reason, error),) = stub.run(
        "select reason, error from rag_internal.provider_pause, rag.job_status"
    )
    assert reason == error
    assert re.search(pattern, reason)
    _heal(stub)
    stub.pass_time()
    stub.work()
    assert stub.status(job_id) == Status("done", 3, 3, 0, 0)
    stub.assert_whole()


@pytest.mark.parametrize(
    "script",
    [
        [failing(500)],
        [failing(503), failing(502)],
        [hanging_up()],
        [too_many("0")],
        [too_many("1")],
    ],
)
def test_it_fails_and_then_succeeds(stub: Stub, script: list[Reply]) -> None:
    stub.server.script[:] = script
    assert stub.ingest("a", "a blue valve").job_id is None
    assert len(stub.server.requests) == len(script) + 1
    stub.server.script[:] = script
    assert stub.found("another valve") == ["a"]
    stub.server.script[:] = script
    job_id = stub.ingest("b", "a red lantern", embed="later").job_id
    stub.work()
    assert stub.status(job_id).status == "done"
    stub.assert_whole()


@pytest.mark.parametrize("seconds", [60, 3600])
def test_retry_after_is_honoured(stub: Stub, seconds: int) -> None:
    stub.passages("a", ["one", "two"])
    stub.server.script[:] = [too_many(str(seconds))]
    stub.work()
    assert len(stub.server.requests) == 1
    assert stub.tasks("attempts, is_dead") == [(0, False)] * 2
    waits = (
        "select extract(epoch from until - now()) between %s - 60 and %s + 1"
        " from rag_internal.provider_pause"
    )
    assert stub.run(waits, seconds, seconds) == [True]
    stub.work()
    assert len(stub.server.requests) == 1
    stub.pass_time()
    stub.work()
    assert stub.run("select * from rag_internal.provider_pause") == []
    stub.assert_whole()


def test_an_answer_under_way_does_not_end_a_pause(stub: Stub) -> None:
    stub.passages("a", ["one", "two"])
    first, second = stub.claim(1), stub.claim(1)
    stub.server.script[:] = [too_many("60")]
    assert stub.embed(first) == 0
    assert stub.embed(second) == 1  # claimed before
    assert stub.claim() is None
    stub.pass_time()
    stub.work()
    stub.assert_whole()


def test_a_pause_is_of_one_model(stub: Stub) -> None:
    stub.collection("second", model="other")
    stub.ingest("a", "one", embed="later")
    stub.ingest("b", "two", "second", embed="later")
    stub.server.script[:] = [too_many("60")]
    stub.work()
    assert stub.server.texts == ["one", "other: two"]
    stub.assert_whole(missing=["one"])


def test_a_batch_of_too_few_vectors_is_embedded_singly(stub: Stub) -> None:
    stub.server.script[:] = [fewer()]
    assert stub.passages("a", ["one", "two", "three"], embed="now") is None
    stub.server.script[:] = [fewer()]
    job_id = stub.passages("b", ["four", "five", "six"])
    stub.work()
    assert stub.status(job_id).status == "done"
    stub.assert_whole()


CALLS = {
    "ingest": "select rag.ingest('c', 'a red lantern', 'b')",
    "search": "select rag.search('lantern', allow_degraded => true)",
    "embed": "select rag.embed('{lantern}', 'stub')",
    "run_jobs": "call rag.run_jobs()",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("how", ["statement_timeout", "pg_cancel_backend"])
def test_a_slow_answer_is_not_waited_for(stub: Stub, db: Database, call: str, how: str) -> None:
    stub.ingest("z", "an old pump")
    waiting = stub.ingest("a", "a blue valve", embed="later")
    before = _tables(stub)[:3]
    session = db.connect()
    session.execute("select rag.search('warm')")
    stub.server.requests.clear()
    stub.server.always = slow(600)
    if how == "statement_timeout":
        session.execute("set statement_timeout = '500ms'")
    else:
        threading.Thread(target=_cancel_when_asked, args=(stub, session.info.backend_pid)).start()
    throws_ok(session, call, "57014")
    assert len(stub.server.requests) == 1
    assert _tables(stub)[:3] == before
    session.execute("set statement_timeout = 0")
    stub.server.always = Reply()
    stub.pass_time()
    session.execute(call.encode())  # the session goes on
    session.close()
    stub.pass_time()
    stub.work()
    assert stub.status(waiting.job_id) == Status("done", 1, 1, 0, 0)
    stub.assert_whole()


def _cancel_when_asked(stub: Stub, pid: int) -> None:
    while not stub.server.requests:
        threading.Event().wait(0.01)
    with psycopg.connect(stub.database.dsn, autocommit=True) as connection:
        connection.execute("select pg_cancel_backend(%s)", [pid])


def test_the_next_endpoint_takes_over(stub: Stub) -> None:
    with embedding_server() as backup:
        stub.run("select rag.allow_http(%s)", [stub.server.host, backup.host])
        options = json.dumps({"endpoints": [{"url": stub.server.url}, {"url": backup.url}]})
        stub.run("select rag.add_model('stub', 'openai', 8, %s)", options)
        stub.server.always = failing(503)
        stub.ingest("a", "a blue valve")
        job_id = stub.ingest("b", "a red lantern", embed="later").job_id
        stub.work()
        assert stub.status(job_id).status == "done"
        assert backup.texts == ["a blue valve", "a red lantern"]
        stub.assert_whole()


def test_a_host_counts_at_once_in_all_sessions(stub: Stub, db: Database) -> None:
    session = db.connect()
    session.execute("select rag.embed('{one}', 'stub')")
    stub.run("select rag.allow_http('{}')")
    throws_ok(session, "select rag.embed('{two}', 'stub')", "55000", "allow")
    stub.run("select rag.allow_http(%s)", [stub.server.host])
    session.execute("select rag.embed('{two}', 'stub')")
    session.close()
