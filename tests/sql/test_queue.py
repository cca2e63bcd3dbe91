"""The queue of passages that wait for a vector: jobs, claims, attempts, and whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, RoleFactory, throws_ok
from support.embedding_server import failing, too_many
from support.stub import Status, Stub, ingest, run

Connection = psycopg.Connection[Any]


def notified(connection: Connection) -> list[tuple[str, str]]:
    """Channel and payload of what has come for this session."""
    run(connection, "select 1")  # a notification comes with an answer
    return [(n.channel, n.payload) for n in connection.notifies(timeout=0)]


@pytest.fixture
def listener(db: Database) -> Iterator[Connection]:
    """A session of its own."""
    connection = db.connect()
    yield connection
    connection.close()


@pytest.fixture
def writers(db: Database, stub: Stub) -> Iterator[list[Connection]]:
    """Sessions of two writers and an administrator, and of a reader."""
    factory = RoleFactory(db)
    groups = [["rag_writer", "rag_reader"]] * 2 + [["rag_admin"], ["rag_reader"]]
    connections = [db.connect(factory(member_of=group)) for group in groups]
    yield connections
    for connection in connections:
        connection.close()
    stub.reset()
    factory.drop_all()


def test_who_waits_is_told(stub: Stub, listener: Connection) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    run(listener, f'listen "ragsql_job_{job_id}"')
    assert run(listener, "select rag.wait_for(%s, '0')", job_id) == ["queued"]
    stub.work(2)
    assert stub.status(job_id) == Status("running", 3, 2, 1, 0)
    assert run(listener, "select rag.wait_for(%s, '10 ms')", job_id) == ["running"]
    assert notified(listener) == []
    stub.work()
    assert run(listener, "select rag.wait_for(%s)", job_id) == ["done"]
    assert notified(listener) == [(f"ragsql_job_{job_id}", "done")]


def test_a_job_of_this_transaction_is_not_waited_for(stub: Stub) -> None:
    with stub.root.transaction():
        job_id = stub.ingest("a", "one", embed="later").job_id
        error = throws_ok(
            stub.root, "select rag.wait_for(%s)", "55000", "made in this transaction", [job_id]
        )
        assert "Commit" in (error.diag.message_hint or "")


def test_a_job_of_a_savepoint_of_this_transaction_is_not_waited_for(stub: Stub) -> None:
    with stub.root.transaction():
        with stub.root.transaction():
            job_id = stub.ingest("a", "one", embed="later").job_id
        throws_ok(stub.root, "select rag.wait_for(%s)", "55000", "made in this", [job_id])


def test_no_job_is_done(stub: Stub) -> None:
    assert stub.run("select rag.wait_for(null)") == ["done"]


@pytest.mark.parametrize(
    "call",
    ["rag.claim_job()", "rag.embed_claimed(gen_random_uuid())", "rag.wait_for(1)"],
)
def test_an_older_snapshot_is_refused(stub: Stub, call: str) -> None:
    stub.run("begin isolation level repeatable read")
    error = throws_ok(stub.root, f"select {call}", "25001", "read committed")
    stub.run("rollback")
    assert error.diag.message_hint


@pytest.mark.parametrize("most", [0, -1, None])
def test_a_claim_of_nothing_is_refused(stub: Stub, most: int | None) -> None:
    throws_ok(stub.root, "select rag.claim_job(%s)", "22023", "max_passages", [most])


def test_run_jobs_does_so_many(stub: Stub) -> None:
    job_id = stub.passages("a", [f"text {n}" for n in range(50)])
    stub.work(0)
    assert stub.server.requests == []
    stub.work(3)
    assert stub.status(job_id) == Status("running", 50, 3, 47, 0)
    stub.work(40)
    assert stub.status(job_id) == Status("running", 50, 43, 7, 0)
    assert [len(request.texts) for request in stub.server.requests] == [3, 32, 8]
    stub.work()
    assert stub.status(job_id) == Status("done", 50, 50, 0, 0)
    assert sorted(stub.server.texts) == sorted(f"text {n}" for n in range(50))
    stub.assert_whole()


def test_run_jobs_is_called_outside_a_transaction(stub: Stub) -> None:
    stub.passages("a", ["one"])
    with stub.root.transaction():
        throws_ok(stub.root, "call rag.run_jobs()", "2D000")


def test_the_oldest_come_first(stub: Stub) -> None:
    stub.passages("a", ["one", "two"])
    stub.passages("b", ["three"])
    stub.passages("c", ["four", "five"])
    stub.work(3)
    assert sorted(stub.server.texts) == ["one", "three", "two"]


def test_a_claim_holds_until_its_lease_ends(stub: Stub) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    first, second, none = stub.claim(2), stub.claim(2), stub.claim(2)
    assert first is not None
    assert second is not None
    assert none is None
    assert stub.status(job_id) == Status("running", 3, 0, 3, 0)
    stub.pass_time()
    again = [stub.claim(2) for _ in range(4)]  # what was tried before goes alone
    assert [claim is not None for claim in again] == [True, True, True, False]
    assert [stub.embed(first), stub.embed(second)] == [0, 0]
    assert stub.server.texts == []
    assert [stub.embed(claim) for claim in again[:3]] == [1, 1, 1]
    assert stub.embed(again[0]) == 0
    assert stub.status(job_id) == Status("done", 3, 3, 0, 0)
    assert sorted(stub.server.texts) == ["one", "three", "two"]
    stub.assert_whole()


def test_models_are_claimed_one_at_a_time(stub: Stub) -> None:
    stub.collection("second", model="other")
    stub.passages("a", ["one", "two"])
    stub.passages("b", ["one", "two"], "second")
    stub.work()
    assert [sorted(request.texts) for request in stub.server.requests] == [
        ["one", "two"],
        ["other: one", "other: two"],
    ]


def test_cancel(stub: Stub, listener: Connection) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    run(listener, f'listen "ragsql_job_{job_id}"')
    stub.work(1)
    assert stub.run("select rag.cancel_job(%s)", job_id) == [True]
    assert notified(listener) == [(f"ragsql_job_{job_id}", "cancelled")]
    assert stub.status(job_id).status == "cancelled"
    assert run(listener, "select rag.wait_for(%s)", job_id) == ["cancelled"]
    assert stub.run("select rag.cancel_job(%s)", job_id) == [False]
    stub.work()
    assert len(stub.server.texts) == 1
    assert {error for *_, error in stub.dead()} == {"its job was cancelled"}
    assert stub.found("one", "bm25_search") == ["a"]
    (again,) = stub.run("select rag.prepare_model('c')")
    assert stub.status(again).total == 2
    stub.work()
    stub.assert_whole()


def test_a_cancelled_job_can_be_taken_up_again(stub: Stub) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    stub.work(1)
    assert stub.run("select rag.cancel_job(%s)", job_id) == [True]
    status = stub.status(job_id)
    assert (status.total, status.done, status.failed) == (3, 1, 2)
    assert stub.run("select rag.retry_job(%s)", job_id) == [2]
    stub.work()
    assert stub.status(job_id).status == "done"
    stub.assert_whole()


def test_cancel_after_the_claim(stub: Stub) -> None:
    job_id = stub.passages("a", ["one", "two"])
    claim = stub.claim()
    assert stub.run("select rag.cancel_job(%s)", job_id) == [True]
    assert stub.embed(claim) == 0
    assert stub.server.texts == []
    assert stub.tasks() == []


def test_an_ended_job_keeps_its_dead_letters_when_it_is_cancelled(stub: Stub) -> None:
    stub.server.words["qux"] = "zero"
    job_id = stub.ingest("a", "a qux").job_id
    assert stub.run("select rag.cancel_job(%s)", job_id) == [False]
    assert len(stub.dead()) == 1


def test_prepare_model_asks_again_for_what_was_given_up(stub: Stub) -> None:
    stub.server.words["qux"] = "zero"
    first = stub.passages("a", ["a qux", "another qux", "one"], embed="now")
    assert len(stub.dead()) == 2
    stub.server.words.clear()
    (again,) = stub.run("select rag.prepare_model('c')")
    assert stub.dead() == []
    assert stub.status(again) == Status("queued", 2, 0, 2, 0)
    assert stub.run("select rag.prepare_model('c')") == [None]
    stub.work()
    assert stub.status(again).status == "done"
    assert stub.status(first).failed == 0
    stub.assert_whole()


def test_documents_that_are_gone_are_done(stub: Stub, listener: Connection) -> None:
    document_id, _, job_id = stub.ingest("a", "one", embed="later")
    run(listener, f'listen "ragsql_job_{job_id}"')
    stub.run("select rag.delete_document(%s)", document_id)
    assert stub.status(job_id) == Status("done", 1, 1, 0, 0)
    assert run(listener, "select rag.wait_for(%s)", job_id) == ["done"]
    stub.work()
    assert notified(listener) == [(f"ragsql_job_{job_id}", "done")]
    assert stub.server.texts == []


def test_an_answer_after_the_lease_is_kept(stub: Stub) -> None:
    stub.passages("a", ["one", "two"])
    late = stub.claim()
    stub.pass_time()
    again = stub.claim(1)
    assert again != late
    assert stub.embed(late) >= 1
    stub.pass_time()
    stub.work()
    stub.assert_whole()


def test_a_wait_of_no_time_is_not_believed(stub: Stub) -> None:
    stub.server.always = too_many("0")
    stub.ingest("a", "one", embed="later")
    stub.work()
    assert stub.run("select until > clock_timestamp() from rag_internal.provider_pause") == [True]
    asked = len(stub.server.requests)
    stub.work()
    assert len(stub.server.requests) == asked


def test_prepare_model_looks_at_that_model_alone(stub: Stub) -> None:
    stub.server.words["qux"] = "zero"
    stub.passages("a", ["a qux", "one"], embed="now")
    assert len(stub.dead()) == 1
    stub.run("select rag.add_model('external', 'external', 8)")
    assert stub.run("select rag.prepare_model('c', 'external')") == [None]
    assert len(stub.dead()) == 1
    assert stub.run("select * from rag.model_progress('c')") == [
        ("stub", True, 2, 1, 0, 1),
        ("external", False, 2, 0, 2, 0),
    ]


def test_a_poisonous_text_is_given_up_while_the_rest_lands(stub: Stub) -> None:
    stub.server.words["qux"] = "refuse"
    job_id = stub.passages("a", [f"text {n}" for n in range(19)] + ["a qux"])
    for attempt in range(1, 5):
        stub.work()
        assert stub.tasks() == [attempt]
        assert stub.status(job_id) == Status("running", 20, 19, 1, 0)
        assert stub.claim() is None  # before its time
        stub.pass_time()
    stub.work()
    ((source, index, attempts, error),) = stub.dead()
    assert (source, index, attempts) == ("a", 19, 5)
    assert "400" in error
    assert stub.status(job_id) == Status("failed", 20, 19, 0, 1)
    assert stub.run("select rag.wait_for(%s)", job_id) == ["failed"]
    assert stub.run("select until from rag_internal.provider_pause") == []
    stub.assert_whole(missing=["a qux"])


def test_attempts_come_later_and_later(stub: Stub) -> None:
    stub.server.words["qux"] = "refuse"
    stub.ingest("a", "a qux", embed="later")
    for attempt in range(1, 5):
        stub.work()
        # between half and three halves of 5, 10, 20 and 40 seconds after it failed
        assert stub.run(
            "select (extract(epoch from run_after - failed_at) / (5 * 2 ^ (%s - 1)))::numeric"
            " between 0.49 and 1.51 from rag_internal.embedding_task",
            attempt,
        ) == [True]
        stub.pass_time()


def test_a_fault_of_the_provider_charges_nobody_and_pauses(stub: Stub) -> None:
    stub.server.always = failing(503)
    job_id = stub.passages("a", ["one", "two"])
    waits = []
    for failures in range(1, 4):
        stub.work()
        asked = len(stub.server.requests)
        stub.work()  # does not ask
        assert len(stub.server.requests) == asked
        assert stub.tasks("attempts, is_dead") == [(0, False)] * 2
        ((found, seconds),) = stub.run(
            "select failures, extract(epoch from until - now()) from rag_internal.provider_pause"
        )
        assert found == failures
        waits.append(float(seconds))
        ((status, error),) = stub.run("select status, error from rag.job_status")
        assert status == "running"
        assert "503" in error
        stub.pass_time()
    assert all(0 < wait <= 30 for wait in waits)
    stub.server.always = type(stub.server.always)()
    stub.work()
    assert stub.status(job_id) == Status("done", 2, 2, 0, 0)
    assert stub.run("select * from rag_internal.provider_pause") == []
    stub.assert_whole()


def test_a_worker_that_ends_five_times(stub: Stub) -> None:
    job_id = stub.passages("a", ["one", "two"])
    stub.claim()
    for _ in range(4):
        stub.pass_time()
        assert stub.claim() is not None
        assert stub.claim() is not None
    stub.pass_time()
    stub.work()
    assert [(row[2], row[3]) for row in stub.dead()] == [
        (5, "its worker ended before it was embedded")
    ] * 2
    assert stub.status(job_id) == Status("failed", 2, 0, 0, 2)


def test_jobs_belong_to_who_asked(stub: Stub, writers: list[Connection]) -> None:
    anna, bert, admin, reader = writers
    for number, writer in enumerate((anna, bert)):
        name = f"mine {number}"
        run(writer, "select rag.create_collection(%s, model => 'stub')", name)
    one = ingest(anna, "a", "anna's text", "mine 0", embed="later").job_id
    other = ingest(bert, "b", "bert's text", "mine 1", embed="later").job_id
    jobs = "select job_id from rag.job_status order by created_at"
    assert [run(who, jobs) for who in writers] == [[one], [other], [one, other], []]
    for call in ("cancel_job", "retry_job", "wait_for"):
        error = throws_ok(anna, f"select rag.{call}(%s)", "P0002", "not yours", [other])
        assert throws_ok(anna, f"select rag.{call}(0)", "P0002").sqlstate == error.sqlstate
    throws_ok(reader, "select rag.wait_for(%s)", "P0002", "not yours", [one])
    for call in ("rag.claim_job()", "rag.cancel_job(1)", "rag.embed_claimed(gen_random_uuid())"):
        throws_ok(reader, f"select {call}", "42501")

    run(anna, "call rag.run_jobs()")
    assert stub.server.texts == ["anna's text"]
    (claim,) = run(bert, "select rag.claim_job()")
    assert run(anna, "select rag.embed_claimed(%s)", claim) == [0]
    assert stub.server.texts == ["anna's text"]
    assert run(admin, "select rag.wait_for(%s)", one) == ["done"]
    assert run(admin, "select rag.embed_claimed(%s)", claim) == [1]
    stub.assert_whole()


def test_dead_letters_belong_to_who_asked_and_may_read(
    stub: Stub, writers: list[Connection]
) -> None:
    anna = writers[0]
    stub.server.words["qux"] = "nan"
    run(anna, "select rag.create_collection('mine', model => 'stub')")
    made = ingest(anna, "a", "a qux", "mine", readers=["public"])
    letters = "select count(*) from rag.dead_letter"
    assert [run(who, letters) for who in writers] == [[1], [0], [1], [0]]
    stub.run(
        "update rag_internal.document set acl_id = rag_internal.intern_readers('{}', '', 0::smallint)"
    )
    assert [run(who, letters) for who in writers] == [[0], [0], [1], [0]]
    assert run(anna, "select rag.retry_job(%s)", made.job_id) == [1]


def test_a_reader_finds_what_it_may_read_while_it_waits(
    stub: Stub, writers: list[Connection]
) -> None:
    anna, _, _, reader = writers
    run(anna, "select rag.create_collection('mine', model => 'stub')")
    ingest(anna, "open", "a valve", "mine", readers=["public"], embed="later")
    ingest(anna, "closed", "another valve", "mine", embed="later")
    found = "select source from rag.{}('valve') order by 1"
    assert run(reader, found.format("bm25_search")) == ["open"]
    assert run(reader, found.format("search")) == ["open"]
    assert run(reader, found.format("semantic_search")) == []
    stub.work()
    assert run(reader, found.format("semantic_search")) == ["open"]
    assert run(reader, found.format("search")) == ["open"]
    assert run(anna, found.format("semantic_search")) == ["closed", "open"]
