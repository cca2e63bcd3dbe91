"""A collection goes over to another model while it is searched and written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, RoleFactory, throws_ok
from support.stub import Status, Stub, run

TEXTS = ["a blue valve", "a red lantern", "an old pump"]


def vectors(stub: Stub) -> dict[str, int]:
    """How many there are under each model that has any."""
    rows = stub.run(
        "select m.name, count(*) from rag_internal.embedding join rag_internal.model m"
        " using (model_id) group by 1"
    )
    return dict(rows)


def searched_by(stub: Stub, query: str) -> str:
    """The model that a search asks for the vector of its query."""
    stub.server.requests.clear()
    assert stub.found(query)
    (request,) = stub.server.requests
    return str(request.body["model"])


def prepare(stub: Stub, model: str = "other") -> int | None:
    (job_id,) = stub.run("select rag.prepare_model('c', %s)", model)
    return None if job_id is None else int(job_id)


def set_model(stub: Stub, model: str) -> str:
    """The model of rag.collection_info afterwards."""
    (name,) = stub.run("select model from rag.set_model('c', %s)", model)
    return str(name)


@pytest.fixture
def filled(stub: Stub) -> Stub:
    """Three documents in c, under model stub."""
    for number, text in enumerate(TEXTS):
        stub.ingest(str(number), text)
    return stub


@pytest.fixture
def stranger(db: Database, filled: Stub) -> Iterator[psycopg.Connection[Any]]:
    """A writer who reads c, which is another's."""
    factory = RoleFactory(db)
    role = factory(member_of=["rag_writer", "rag_reader"])
    filled.run("select rag.grant_read('c', %s)", f"role:{role}")
    connection = db.connect(role)
    yield connection
    connection.close()
    filled.reset()
    factory.drop_all()


def test_there_and_back(filled: Stub) -> None:
    error = throws_ok(
        filled.root, "select rag.set_model('c', 'other')", "55000",
        '^3 passages of collection "c" have no vector under model "other"$',
    )  # fmt: skip
    assert "prepare_model" in (error.diag.message_hint or "")
    job_id = prepare(filled)
    assert filled.status(job_id) == Status("queued", 3, 0, 3, 0)
    assert prepare(filled) is None
    filled.work(1)
    throws_ok(filled.root, "select rag.set_model('c', 'other')", "55000", "^2 passages")
    assert searched_by(filled, "valve one") == "stub"
    assert len(filled.found("valve one")) == 3
    filled.work()
    assert filled.status(job_id).status == "done"
    filled.assert_whole()
    assert set_model(filled, "other") == "other"
    assert searched_by(filled, "valve two") == "other"
    assert filled.found("valve two")[0] == "0"
    assert vectors(filled) == {"stub": 3, "other": 3}
    filled.server.requests.clear()
    assert set_model(filled, "stub") == "stub"
    assert set_model(filled, "stub") == "stub"
    assert filled.server.requests == []
    assert searched_by(filled, "valve three") == "stub"
    filled.assert_whole()


def test_what_is_ingested_meanwhile_is_in_both(filled: Stub) -> None:
    prepare(filled)
    filled.server.requests.clear()
    now = filled.ingest("now", "a new valve")
    assert filled.server.texts == ["a new valve"]
    assert filled.status(now.job_id).total == 1
    later = filled.ingest("later", "a newer valve", embed="later")
    assert filled.status(later.job_id).total == 2
    throws_ok(filled.root, "select rag.set_model('c', 'other')", "55000", "^5 passages")
    filled.work()
    assert set_model(filled, "other") == "other"
    assert filled.ingest("then", "the newest valve").job_id is not None
    assert filled.server.texts[-1] == "other: the newest valve"
    throws_ok(filled.root, "select rag.set_model('c', 'stub')", "55000", "^1 passages")
    filled.work()
    filled.assert_whole()
    assert vectors(filled) == {"stub": 6, "other": 6}
    assert set_model(filled, "stub") == "stub"


def test_a_copy_of_a_text_needs_neither(filled: Stub) -> None:
    prepare(filled)
    filled.work()
    filled.server.requests.clear()
    assert filled.ingest("copy", TEXTS[0]).job_id is None
    assert filled.ingest("copy later", TEXTS[1], embed="later").job_id is None
    assert filled.server.requests == []
    filled.assert_whole()


def test_vectors_of_another_collection_are_copied(filled: Stub) -> None:
    filled.collection("second", model="other")
    filled.passages("all", TEXTS, "second", embed="now")
    assert prepare(filled) is None
    assert set_model(filled, "other") == "other"
    filled.assert_whole()


def test_release(filled: Stub) -> None:
    throws_ok(filled.root, "select rag.release_model('c', 'stub')", "55000", "searched by model")
    assert filled.run("select rag.release_model('c', 'other')") == [False]
    job_id = prepare(filled)
    filled.work(1)
    assert filled.run("select rag.release_model('c', 'other')") == [True]
    assert filled.run("select rag.release_model('c', 'other')") == [False]
    assert vectors(filled) == {"stub": 3}
    assert filled.tasks() == []
    (status,) = filled.run("select status from rag_internal.job where job_id = %s", job_id)
    assert status == "done"
    assert filled.ingest("new", "a new valve").job_id is None
    filled.assert_whole()
    throws_ok(filled.root, "select rag.release_model('c', 'nope')", "P0002", "nope")


def test_release_leaves_other_collections(filled: Stub) -> None:
    filled.collection("second", model="other")
    filled.ingest("a", "one", "second")
    filled.ingest("b", "two", "second", embed="later")
    prepare(filled)
    assert filled.run("select rag.release_model('c', 'other')") == [True]
    filled.work()
    filled.assert_whole()
    assert vectors(filled) == {"stub": 3, "other": 2}


def test_what_was_given_up(filled: Stub) -> None:
    filled.server.words["lantern"] = "refuse"
    job_id = prepare(filled)
    for _ in range(5):
        filled.work()
        filled.pass_time()
    assert filled.status(job_id) == Status("failed", 3, 2, 0, 1)
    error = throws_ok(filled.root, "select rag.set_model('c', 'other')", "55000", "^1 passages")
    assert error.diag.message_detail == "1 of them were given up."
    assert filled.run("select (rag.set_model('c', 'other', allow_failed => true)).model") == [
        "other"
    ]
    assert "1" not in filled.found("a red one")
    filled.ingest("more", "one more", embed="later")
    filled.work()
    assert set_model(filled, "stub") == "stub"
    throws_ok(filled.root, "select rag.set_model('c', 'other')", "55000", "^1 passages")
    filled.server.words.clear()
    assert prepare(filled) is not None
    filled.work()
    filled.assert_whole()
    assert set_model(filled, "other") == "other"


def test_what_waits_is_not_given_up(filled: Stub) -> None:
    prepare(filled)
    throws_ok(
        filled.root, "select rag.set_model('c', 'other', allow_failed => true)", "55000",
        "^3 passages",
    )  # fmt: skip


def test_none_and_back(filled: Stub) -> None:
    assert set_model(filled, "none") == "none"
    throws_ok(filled.root, "select * from rag.semantic_search('valve', '{c}')", "55000")
    filled.ingest("new", "a new valve")
    throws_ok(filled.root, "select rag.set_model('c', 'stub')", "55000", "^1 passages")
    filled.work()
    assert set_model(filled, "stub") == "stub"
    filled.assert_whole()


def test_an_empty_collection_goes_over_at_once(stub: Stub) -> None:
    assert set_model(stub, "other") == "other"
    stub.ingest("a", "one")
    assert "other: one" in stub.server.texts
    stub.work()
    stub.assert_whole()


def test_passages_below_min_value_are_not_missed(stub: Stub) -> None:
    stub.collection("picky", min_value=1)
    stub.ingest("a", "a blue valve", "picky")
    assert stub.run("select model from rag.set_model('picky', 'other')") == ["other"]


def test_an_external_model_is_filled_from_outside(filled: Stub) -> None:
    filled.run("select rag.add_model('outside', 'external', 3)")
    assert prepare(filled, "outside") is None
    throws_ok(filled.root, "select rag.set_model('c', 'outside')", "55000", "^3 passages")
    for (document_id,) in filled.root.execute("select document_id from rag.document").fetchall():
        filled.run(
            "select rag.set_embeddings(%s, array['[3,4,0]'::public.vector], 'outside')",
            document_id,
        )
    assert set_model(filled, "outside") == "outside"
    assert filled.run(
        "select count(*) from rag.semantic_search(null, query_vector => '[3,4,0]')"
    ) == [3]
    # later, or with vectors: the database does not guess
    throws_ok(filled.root, "select rag.ingest('c', 'text', 'x')", "55000", "outside")
    assert filled.ingest("x", "text", embed="later").job_id is not None  # under stub
    assert filled.run("select rag.release_model('c', 'stub')") == [True]
    chunks = json.dumps([{"content": "more", "embedding": [0, 0, 1]}])
    filled.run("select rag.ingest_chunks('c', %s, source => 'y')", chunks)
    assert filled.run(
        "select source from rag.semantic_search(null, query_vector => '[0,0,1]', top_k => 1)"
    ) == ["y"]


@pytest.mark.parametrize("call", ["prepare_model", "set_model", "release_model"])
def test_who_may(filled: Stub, stranger: psycopg.Connection[Any], call: str) -> None:
    throws_ok(stranger, f"select rag.{call}('c', 'other')", "42501", "somebody else")
    throws_ok(stranger, f"select rag.{call}('nowhere', 'other')", "P0002")
    assert filled.run("select count(*) from rag_internal.collection_model") == [0]
    assert run(stranger, "select count(*) from rag.job_status") == [0]


@pytest.mark.parametrize("call", ["prepare_model", "set_model"])
def test_a_model_that_is_not_there(filled: Stub, call: str) -> None:
    throws_ok(filled.root, f"select rag.{call}('c', 'nope')", "P0002", "nope")
    filled.run("select rag.allow_http('{}')")
    throws_ok(filled.root, f"select rag.{call}('c', 'other')", "55000", "cannot be reached")
    filled.run("select rag.allow_http(%s)", [filled.server.host])
