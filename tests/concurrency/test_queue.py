"""The queue beside whoever changes the passages that it works on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest

from concurrency.cast import Cast
from concurrency.stage import REPEATABLE_READ, Session
from support import Database
from support.embedding_server import Data, EmbeddingServer, Reply, embedding_server
from support.stub import Status, Stub

CLAIM = "select rag.claim_job()"
EMBED = "select rag.embed_claimed(%s)"


class Gate:
    """An answer of the server that comes when the test says so."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        self.reply = Reply(change=self._pass)

    def _pass(self, data: Data) -> Data:
        self.entered.set()
        assert self.opened.wait(30)
        return data


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture(scope="module")
def stub_of_module(db: Database, endpoint: EmbeddingServer) -> Stub:
    return Stub(db, endpoint)


@pytest.fixture
def stub(cast: Cast, stub_of_module: Stub) -> Stub:
    """The collections c and d of the owner's, searched by model stub; alice reads c."""
    stub_of_module.reset()
    cast.owner.run(
        "select rag.create_collection('c', model => 'stub', readers => %s)",
        [f"role:{cast.roles['alice']}"],
    )
    cast.owner.run("select rag.create_collection('d', model => 'other')")
    return stub_of_module


def _owned(stub: Stub, cast: Cast, source: str = "a") -> str:
    """A document of the owner's that waits for its vector."""
    return cast.owner.ingest(source, f"the valve of {source}", embed="later")


_MOVE = """
update rag_internal.document set {} = (select k.{} from rag_internal.collection k
                                       where k.name = 'd') where source = 'a'
"""
CHANGES: dict[str, tuple[str, str | None]] = {
    "ingest": ("select rag.ingest('c', 'a new pump', 'a', embed => 'later')", "a new pump"),
    "plain SQL": (
        "update rag_internal.document set content = 'a new pump' where source = 'a'",
        "a new pump",
    ),
    "passage": (
        "update rag_internal.chunk set content = 'a new pump' where document_id = '{id}'",
        "a new pump",
    ),
    "delete": ("select rag.delete_document('{id}')", None),
    "readers": ("select rag.grant_read(document_id => '{id}', reader => 'public')", ""),
    "class": (_MOVE.format("acl_id", "acl_id"), ""),
    "collection": (_MOVE.format("collection_id", "collection_id"), "other: the valve of a"),
}


@pytest.fixture(params=CHANGES.values(), ids=CHANGES.keys())
def change(request: pytest.FixtureRequest) -> tuple[str, str | None]:
    """What happens to document a, and the text that then waits: none, or '' for the same."""
    chosen: tuple[str, str | None] = request.param
    return chosen


def test_a_document_changes_while_it_is_embedded(
    stub: Stub, cast: Cast, change: tuple[str, str | None]
) -> None:
    document_id = _owned(stub, cast)
    _owned(stub, cast, "b")
    statement, text = change
    gate, worker = Gate(), cast.another()
    stub.server.script[:] = [gate.reply]
    (claim,) = worker.run(CLAIM)
    working = worker.start(EMBED, claim)
    assert gate.entered.wait(30)
    cast.root.run(statement.format(id=document_id))
    gate.opened.set()
    assert working.result() == [2 if text == "" else 1]
    stub.assert_whole(missing=[text] if text else [])
    stub.work()
    stub.assert_whole()
    cast.assert_well()
    assert stub.tasks() == []


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_document_is_being_changed_when_its_vector_comes(
    stub: Stub, cast: Cast, change: tuple[str, str | None], end: str
) -> None:
    document_id = _owned(stub, cast)
    _owned(stub, cast, "b")
    statement, _ = change
    worker, other = cast.another(), cast.another().begin()
    (claim,) = worker.run(CLAIM)
    other.run(statement.format(id=document_id))
    assert worker.run(EMBED, claim) == [1]  # waits for nobody
    asked = len(stub.server.requests)
    stub.work()  # and does not ask again and again
    assert len(stub.server.requests) == asked
    other.run(end)
    stub.pass_time()
    stub.work()
    stub.assert_whole()
    cast.assert_well()
    assert stub.dead() == []


def test_a_document_is_changed_when_its_vector_is_being_written(
    stub: Stub, cast: Cast, change: tuple[str, str | None]
) -> None:
    document_id = _owned(stub, cast)
    statement, _ = change
    worker, other = cast.another(), cast.another()
    (claim,) = worker.run(CLAIM)
    worker.begin()
    assert worker.run(EMBED, claim) == [1]
    changing = other.start(statement.format(id=document_id))
    cast.stage.await_wait(other, worker)
    worker.commit()
    changing.result()
    stub.work()
    stub.assert_whole()
    cast.assert_well()


@pytest.mark.parametrize("name", ["readers", "class", "collection", "ingest", "plain SQL"])
def test_it_is_changed_from_an_older_snapshot(stub: Stub, cast: Cast, name: str) -> None:
    document_id = _owned(stub, cast)
    other = cast.another().begin(REPEATABLE_READ)
    stub.work()
    try:
        other.run(CHANGES[name][0].format(id=document_id))
        other.commit()
    except psycopg.errors.SerializationFailure:
        other.rollback()
    stub.work()
    stub.assert_whole()
    cast.assert_well()


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_two_workers_finish_a_job_together(stub: Stub, cast: Cast, end: str) -> None:
    job_id = stub.passages("a", ["one", "two"])
    one, other, listener = cast.another(), cast.another(), cast.another()
    listener.run(f'listen "ragsql_job_{job_id}"')
    claims = [worker.run("select rag.claim_job(1)")[0] for worker in (one, other)]
    one.begin()
    assert one.run(EMBED, claims[0]) == [1]
    finishing = other.start(EMBED, claims[1])
    cast.stage.await_wait(other, one)
    one.run(end)
    assert finishing.result() == [1]
    if end == "rollback":
        assert stub.status(job_id) == Status("running", 2, 1, 1, 0)
        stub.pass_time()
        stub.work()
    assert stub.run("select status from rag_internal.job") == ["done"]
    listener.run("select 1")
    told = [n.payload for n in listener.connection.notifies(timeout=0)]
    listener.run("unlisten *")
    assert told == ["done"]
    stub.assert_whole()


def test_a_job_is_cancelled_while_it_is_embedded(stub: Stub, cast: Cast) -> None:
    job_id = stub.passages("a", ["one", "two"])
    gate, worker = Gate(), cast.another()
    stub.server.script[:] = [gate.reply]
    (claim,) = worker.run(CLAIM)
    working = worker.start(EMBED, claim)
    assert gate.entered.wait(30)
    assert stub.run("select rag.cancel_job(%s)", job_id) == [True]
    gate.opened.set()
    assert working.result() == [0]
    assert stub.status(job_id).status == "cancelled"
    assert stub.tasks() == []
    assert stub.run("select count(*) from rag_internal.embedding") == [0]


def test_a_job_is_cancelled_while_it_is_claimed(stub: Stub, cast: Cast) -> None:
    job_id = stub.passages("a", ["one", "two"])
    worker, other = cast.another().begin(), cast.another()
    (claim,) = worker.run(CLAIM)
    cancelling = other.start("select rag.cancel_job(%s)", job_id)
    cast.stage.await_wait(other, worker)
    worker.commit()
    assert cancelling.result() == [True]
    assert worker.run(EMBED, claim) == [0]
    assert stub.server.requests == []
    assert stub.tasks() == []


def test_a_job_is_cancelled_while_its_vectors_are_written(stub: Stub, cast: Cast) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    worker, other = cast.another(), cast.another()
    (claim,) = worker.run("select rag.claim_job(2)")
    worker.begin()
    assert worker.run(EMBED, claim) == [2]
    cancelling = other.start("select rag.cancel_job(%s)", job_id)
    cast.stage.await_wait(other, worker)
    worker.commit()
    assert cancelling.result() == [True]
    assert stub.status(job_id).status == "cancelled"
    assert stub.tasks() == []
    assert stub.run("select count(*) from rag_internal.embedding") == [2]


@pytest.mark.parametrize("call", ["cancel_job", "retry_job"])
def test_a_job_ends_while_its_document_is_replaced(stub: Stub, cast: Cast, call: str) -> None:
    job_id = stub.passages("a", ["one", "two", "three"])
    if call == "retry_job":
        stub.run("update rag_internal.embedding_task set is_dead = true, error = 'x'")
    other = cast.another().begin()
    other.run("select rag.ingest('c', 'a new pump', 'a', embed => 'later')")
    stub.run(f"select rag.{call}(%s)", job_id)  # waits for nobody
    other.commit()
    stub.work()
    stub.assert_whole()
    assert stub.dead() == []


# switching models -----------------------------------------------------------------------------
def _in_flight(stub: Stub, cast: Cast, call: str) -> tuple[Session, Callable[[], object]]:
    """An ingest into c that is not committed, and a call that waits for it."""
    writer, other = cast.another("owner").begin(), cast.another()
    writer.ingest("b", "the newest valve")
    waiting = other.start(f"select rag.{call}('c', 'other')")
    cast.stage.await_wait(other, writer)
    return writer, waiting.result


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_set_model_waits_for_an_ingest(stub: Stub, cast: Cast, end: str) -> None:
    cast.owner.ingest("a", "an old valve")
    stub.run("select rag.prepare_model('c', 'other')")
    stub.work()
    writer, result = _in_flight(stub, cast, "set_model")
    writer.run(end)
    if end == "commit":
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match=r"^1 passages"):
            result()
        stub.work()
        stub.run("select rag.set_model('c', 'other')")
    else:
        result()
    assert stub.run("select model from rag.list_collections() where name = 'c'") == ["other"]
    stub.assert_whole()


@pytest.mark.parametrize("call", ["prepare_model", "release_model"])
def test_other_changes_wait_for_an_ingest(stub: Stub, cast: Cast, call: str) -> None:
    cast.owner.ingest("a", "an old valve")
    if call == "release_model":
        stub.run("select rag.prepare_model('c', 'other')")
    writer, result = _in_flight(stub, cast, call)
    writer.commit()
    result()
    stub.work()
    stub.assert_whole()
    assert len([text for text in stub.server.texts if text.startswith("other:")]) == (
        2 if call == "prepare_model" else 0
    )


def test_an_ingest_waits_for_set_model(stub: Stub, cast: Cast) -> None:
    switching, writer = cast.another().begin(), cast.another("owner")
    switching.run("select rag.set_model('c', 'other')")
    ingesting = writer.start("select (rag.ingest('c', 'the newest valve', 'b')).job_id")
    cast.stage.await_wait(writer, switching)
    switching.commit()
    (job_id,) = ingesting.result()
    assert stub.server.texts == ["other: the newest valve"]
    stub.assert_whole(missing=["the newest valve"])  # under the model it had
    stub.work()
    assert stub.status(job_id).status == "done"
    stub.assert_whole()


def test_a_model_is_released_while_it_is_embedded(stub: Stub, cast: Cast) -> None:
    cast.owner.ingest("a", "an old valve")
    stub.run("select rag.prepare_model('c', 'other')")
    gate, worker = Gate(), cast.another()
    stub.server.script[:] = [gate.reply]
    (claim,) = worker.run(CLAIM)
    working = worker.start(EMBED, claim)
    assert gate.entered.wait(30)
    assert stub.run("select rag.release_model('c', 'other')") == [True]
    gate.opened.set()
    assert working.result() == [0]
    stub.assert_whole()
