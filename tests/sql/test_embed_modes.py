"""When an ingest embeds, and what is not embedded again."""

from __future__ import annotations

import json

import psycopg
import pytest

from support import throws_ok
from support.stub import Status, Stub


@pytest.mark.parametrize("embed", [{}, {"embed": "now"}])
def test_ingest_embeds_at_once(stub: Stub, embed: dict[str, str]) -> None:
    assert stub.ingest("a", "a blue valve", **embed).job_id is None
    assert stub.server.texts == ["a blue valve"]
    stub.assert_whole()
    assert stub.run("select * from rag.job_status") == []


def test_ingest_later_is_found_by_words_at_once_and_by_meaning_when_embedded(stub: Stub) -> None:
    stub.ingest("z", "a red lantern")
    stub.server.requests.clear()
    job_id = stub.ingest("a", "a blue valve", embed="later").job_id
    assert stub.server.texts == []
    assert stub.status(job_id) == Status("queued", 1, 0, 1, 0)
    assert stub.found("valve", "bm25_search") == ["a"]
    assert sorted(stub.found("blue valve", "search")) == ["a", "z"]
    assert stub.found("blue valve") == ["z"]
    stub.work()
    assert stub.status(job_id) == Status("done", 1, 1, 0, 0)
    assert stub.found("blue valve") == ["a", "z"]
    stub.assert_whole()


def test_ingest_many_later_is_one_job(stub: Stub) -> None:
    documents = [{"content": f"valve {n}", "source": str(n)} for n in range(3)]
    jobs = stub.run(
        "select job_id from rag.ingest_many('c', %s, embed => 'later')", json.dumps(documents)
    )
    assert len(jobs) == 3
    (job_id,) = set(jobs)
    assert stub.status(job_id) == Status("queued", 3, 0, 3, 0)
    assert stub.server.texts == []
    stub.work()
    assert len(stub.server.requests) == 1
    assert stub.status(job_id) == Status("done", 3, 3, 0, 0)
    stub.assert_whole()


def test_ingest_many_embeds_now(stub: Stub) -> None:
    documents = [{"content": f"valve {n}", "source": str(n)} for n in range(3)]
    assert stub.run("select job_id from rag.ingest_many('c', %s)", json.dumps(documents)) == [
        None, None, None,
    ]  # fmt: skip
    stub.assert_whole()


def test_ingest_chunks_now_and_later(stub: Stub) -> None:
    assert stub.passages("a", ["one", "two"], embed="now") is None
    assert sorted(stub.server.texts) == ["one", "two"]
    job_id = stub.passages("b", ["two", "three", "four"])
    assert stub.status(job_id) == Status("queued", 2, 0, 2, 0)
    stub.work()
    assert stub.status(job_id) == Status("done", 2, 2, 0, 0)
    assert sorted(stub.server.texts) == ["four", "one", "three", "two"]
    stub.assert_whole()


def test_ingest_chunks_with_vectors_asks_nobody(stub: Stub) -> None:
    chunks = [{"content": "one", "embedding": [2, 0, 0, 0, 0, 0, 0, 0]}, {"content": "two"}]
    (job_id,) = stub.run(
        "select job_id from rag.ingest_chunks('c', %s, embed => 'later')", json.dumps(chunks)
    )
    assert stub.status(job_id).total == 1
    stub.work()
    assert stub.server.texts == ["two"]
    assert "[1,0,0,0,0,0,0,0]" in stub.run("select v::text from rag_internal.embedding")


@pytest.mark.parametrize("embed", ["never", "", "NOW", None])
@pytest.mark.parametrize(
    "call",
    [
        "rag.ingest('c', 'text', embed => %s)",
        "rag.ingest_many('c', '[{\"content\": \"x\"}]', embed => %s)",
        "rag.ingest_chunks('c', '[{\"content\": \"x\"}]', embed => %s)",
    ],
)
def test_another_word_is_refused(stub: Stub, call: str, embed: str | None) -> None:
    throws_ok(stub.root, f"select * from {call}", "22023", "must be now or later", [embed])


def test_there_is_no_job_where_there_is_nothing_to_embed(stub: Stub) -> None:
    stub.run("select rag.add_model('outside', 'external', 8)")
    stub.collection("plain", model="none")
    stub.collection("outside", model="outside")
    stub.ingest("a", "a blue valve")
    assert stub.ingest("a", "a blue valve", "plain", embed="later").job_id is None
    assert stub.ingest("b", "a blue valve", embed="later").job_id is None
    assert stub.ingest("a", "a blue valve", embed="later").status == "unchanged"
    assert stub.ingest("a", "a blue valve", "outside", embed="later").job_id is None
    assert stub.run("select * from rag.job_status") == []


def test_a_passage_below_min_value_is_not_embedded(stub: Stub) -> None:
    stub.collection("picky", min_value=1)
    assert stub.ingest("a", "a blue valve", "picky", embed="later").job_id is None
    assert stub.ingest("b", "a red valve", "picky").job_id is None
    assert stub.server.texts == []
    stub.assert_whole()


def test_what_is_not_embedded_again(stub: Stub) -> None:
    text = "a blue valve"
    stub.ingest("a", text, readers=["public"])
    stub.ingest("a", text)  # unchanged
    stub.ingest("a", text, title="Valves", tags=["new"])
    stub.ingest("renamed", text)
    stub.ingest("copy", text, readers=[])
    stub.ingest("a", text, version="2")
    stub.collection("second")
    stub.ingest("a", text, "second")
    assert stub.ingest("b", text, "second", embed="later").job_id is None
    assert stub.server.texts == [text]
    stub.assert_whole()


def test_only_the_changed_passage_is_embedded(stub: Stub) -> None:
    stub.passages("a", ["one", "two", "three"], embed="now")
    stub.server.requests.clear()
    stub.passages("a", ["one", "two", "four"], embed="now")
    assert stub.server.texts == ["four"]
    stub.assert_whole()


def test_equal_texts_of_a_call_collapse(stub: Stub) -> None:
    stub.passages("a", ["one", "one", "two", "one"], embed="now")
    assert sorted(stub.server.texts) == ["one", "two"]
    job_id = stub.passages("b", ["three", "three", "four  five", "four five"])
    stub.work()
    assert stub.status(job_id) == Status("done", 4, 4, 0, 0)
    assert len(stub.server.texts) == 4  # three, and one of the two that differ by a blank
    ((one,),) = [
        {json.loads(v)[0] for v in stub.run(
            "select v::text from rag_internal.embedding join rag_internal.chunk using (chunk_id)"
            " where content like 'four%%'")}
    ]  # fmt: skip
    assert one


def test_another_model_has_vectors_of_its_own(stub: Stub) -> None:
    stub.collection("second", model="other")
    stub.ingest("a", "a blue valve")
    stub.ingest("a", "a blue valve", "second")
    assert stub.server.texts == ["a blue valve", "other: a blue valve"]
    stub.assert_whole()


def test_what_the_model_refuses_now_is_a_dead_letter_and_the_rest_is_stored(stub: Stub) -> None:
    stub.server.words["qux"] = "nan"
    notices: list[str | None] = []

    def note(notice: psycopg.errors.Diagnostic) -> None:
        notices.append(notice.message_primary)

    stub.root.add_notice_handler(note)
    job_id = stub.passages("a", ["one valve", "a qux", "two valves"], embed="now")
    stub.root.remove_notice_handler(note)
    assert stub.status(job_id) == Status("failed", 1, 0, 0, 1)
    ((source, index, attempts, error),) = stub.dead()
    assert (source, index, attempts) == ("a", 1, 1)
    assert "finite" in error
    assert notices == ['passages of "a" that could not be embedded: 1']
    assert stub.found("qux", "bm25_search") == ["a"]
    stub.assert_whole(missing=["a qux"])

    stub.server.words.clear()
    assert stub.run("select rag.retry_job(%s)", job_id) == [1]
    stub.work()
    assert stub.status(job_id) == Status("done", 1, 1, 0, 0)
    assert stub.dead() == []
    stub.assert_whole()


def test_a_new_text_replaces_a_dead_letter(stub: Stub) -> None:
    stub.server.words["qux"] = "refuse"
    failed = stub.ingest("a", "a qux").job_id
    assert [row[0] for row in stub.dead()] == ["a"]
    assert stub.ingest("a", "a valve").job_id is None
    assert stub.dead() == []
    assert stub.status(failed).failed == 0
    stub.assert_whole()


def test_now_makes_what_waits_and_leaves_the_rest(stub: Stub) -> None:
    document_id, _, job_id = stub.ingest("a", "one", embed="later")
    stub.run("select rag.add_model('given', 'external', 3)")
    stub.run("select rag.prepare_model('c', 'given')")
    stub.run("select rag.set_embeddings(%s, '{\"[1,0,0]\"}', 'given')", document_id)
    again = stub.ingest("a", "one")
    assert (again.status, again.job_id) == ("unchanged", None)
    assert stub.found("one") == ["a"]
    assert stub.status(job_id).status == "done"
    assert stub.run("select embedded from rag.model_progress('c')") == [1, 1]


def test_now_makes_what_was_cancelled(stub: Stub) -> None:
    job_id = stub.ingest("a", "one", embed="later").job_id
    stub.run("select rag.cancel_job(%s)", job_id)
    stub.ingest("a", "one")
    assert stub.found("one") == ["a"]
    stub.assert_whole()


def test_the_same_chunks_again_change_nothing(stub: Stub) -> None:
    chunks = """[{"content": "one", "embedding": [1, 0, 0, 0, 0, 0, 0, 0]}, {"content": "two"}]"""
    ingest = "select status, job_id from rag.ingest_chunks('c', %s, source => 'a', title => %s)"
    assert stub.run(ingest, chunks, "A") == [("created", None)]
    before = stub.run("select chunk_id, v::text from rag_internal.embedding order by 1")
    assert stub.run(ingest, chunks, "A") == [("unchanged", None)]
    assert stub.run(ingest, chunks, "B") == [("updated", None)]
    assert stub.run("select chunk_id, v::text from rag_internal.embedding order by 1") == before
