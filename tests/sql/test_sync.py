"""Passages, lexemes and vectors stay those of their documents when plain SQL changes them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from support import Database
from support.stub import Status, Stub

_SET = "update rag_internal.document set {} where source = %s"
_STATE = """
select d.source, d.title, d.content, d.tags, d.metadata, d.attributes - 'created_at' - 'updated_at',
       d.status, c.chunk_index, c.content, c.start_offset, c.end_offset, c.tsv::text, e.v::text,
       k.name, array(select p.name from rag_internal.acl_reader ar
                     join rag_internal.principal p using (principal_id)
                     where ar.acl_id = d.acl_id order by 1)
from rag_internal.document d
join rag_internal.collection k using (collection_id)
left join rag_internal.chunk c using (document_id)
left join rag_internal.embedding e using (chunk_id)
order by k.name, d.source, c.chunk_index
"""


def assert_in_step(stub: Stub) -> None:
    """Expects all vectors after the queue is done, and a right index before and after."""
    stub.assert_index()
    stub.work()
    stub.assert_whole()
    assert stub.tasks() == []
    stub.assert_index()


def test_content(stub: Stub) -> None:
    stub.ingest("a", "a blue valve")
    stub.ingest("b", "a red lantern")
    stub.server.requests.clear()
    stub.run(_SET.format("content = 'a green pump'"), "a")
    assert stub.found("valve", "bm25_search") == []
    assert stub.found("pump", "bm25_search") == ["a"]
    assert stub.found("pump") == ["b"]
    assert stub.run("select total from rag.job_status") == [1]
    assert_in_step(stub)
    assert stub.server.texts == ["pump", "a green pump"]
    assert stub.found("green pump") == ["a", "b"]
    assert stub.ingest("a", "a green pump").status == "unchanged"


def test_content_that_is_known_is_embedded_at_once(stub: Stub) -> None:
    stub.ingest("a", "a blue valve")
    stub.ingest("b", "a red lantern")
    stub.server.requests.clear()
    stub.run(_SET.format("content = 'a red lantern'"), "a")
    assert stub.run("select * from rag.job_status") == []
    stub.assert_whole()
    assert_in_step(stub)
    assert stub.server.requests == []


def test_content_of_many_at_once(stub: Stub) -> None:
    for n in range(5):
        stub.ingest(str(n), f"valve number {n}")
    stub.run("update rag_internal.document set content = 'pump number ' || source, title = 'Pump'")
    assert stub.run("select count(*) from rag_internal.embedding") == [0]
    assert sorted(stub.found("pump", "bm25_search")) == ["0", "1", "2", "3", "4"]
    assert_in_step(stub)


def test_content_changes_before_its_first_vector(stub: Stub) -> None:
    stub.ingest("a", "a blue valve", embed="later")
    stub.run(_SET.format("content = 'a green pump'"), "a")
    assert_in_step(stub)
    assert stub.server.texts == ["a green pump"]


def test_title_and_metadata_need_no_vectors(stub: Stub) -> None:
    stub.ingest("a", "a blue valve", title="Old", metadata=json.dumps({"kind": "old"}))
    stub.server.requests.clear()
    stub.run(_SET.format("title = 'New', metadata = '{\"kind\": \"new\"}', tags = '{x}'"), "a")
    assert stub.found("new", "bm25_search") == ["a"]
    assert stub.found("old", "bm25_search") == []
    by_kind = "select source from rag.semantic_search('valve', filter => %s)"
    assert stub.run(by_kind, json.dumps({"kind": "new"})) == ["a"]
    assert stub.run(by_kind, json.dumps({"kind": "old"})) == []
    assert_in_step(stub)
    assert stub.server.texts == ["valve"]


@pytest.mark.parametrize("embed", ["now", "later"])
def test_readers(stub: Stub, embed: str) -> None:
    stub.ingest("a", "a blue valve", readers=["public"], embed=embed)
    stub.run(_SET.format("acl_id = rag_internal.intern_readers('{}', '', 0::smallint)"), "a")
    assert_in_step(stub)
    assert len(stub.server.texts) == 1


def test_a_collection_of_the_same_model(stub: Stub) -> None:
    stub.collection("second")
    stub.ingest("a", "a blue valve")
    stub.passages("b", ["one", "two"])
    stub.run(
        "update rag_internal.document set collection_id = (select collection_id"
        " from rag_internal.collection where name = 'second')"
    )
    assert stub.run("select source from rag.semantic_search('valve', '{second}')") == ["a"]
    assert_in_step(stub)
    assert len(stub.server.texts) == 4


@pytest.mark.parametrize(("name", "texts"), [("other", ["other: a blue valve"]), ("none", [])])
@pytest.mark.parametrize("embed", ["now", "later"])
def test_a_collection_of_another_model(stub: Stub, embed: str, name: str, texts: list[str]) -> None:
    stub.collection("second", model=name)
    stub.ingest("a", "a blue valve", embed=embed)
    stub.server.requests.clear()
    stub.run(
        "update rag_internal.document set collection_id = (select collection_id"
        " from rag_internal.collection where name = 'second')"
    )
    assert_in_step(stub)
    assert stub.server.texts == texts


def test_a_passage(stub: Stub) -> None:
    stub.passages("a", ["one valve", "two pumps"], embed="now")
    stub.server.requests.clear()
    stub.run("update rag_internal.chunk set content = 'three lanterns' where chunk_index = 0")
    assert stub.found("lantern", "bm25_search") == ["a"]
    assert stub.found("valve", "bm25_search") == []
    assert_in_step(stub)
    assert stub.server.texts == ["three lanterns"]


def test_the_text_that_a_passage_is_embedded_as(stub: Stub) -> None:
    stub.ingest("a", "a blue valve")
    stub.server.requests.clear()
    stub.run("update rag_internal.chunk set embed_text = 'about valves'")
    assert_in_step(stub)
    stub.run("update rag_internal.chunk set content = 'a green valve'")
    assert_in_step(stub)
    assert stub.server.texts == ["about valves"]
    stub.run("update rag_internal.chunk set embed_text = null")
    assert_in_step(stub)
    assert stub.server.texts == ["about valves", "a green valve"]


def test_a_heading_needs_no_vector(stub: Stub) -> None:
    stub.ingest("a", "a blue valve")
    stub.server.requests.clear()
    stub.run("update rag_internal.chunk set heading = '{Lanterns}'")
    assert stub.found("lantern", "bm25_search") == ["a"]
    stub.assert_whole()
    assert_in_step(stub)
    assert stub.server.requests == []


def test_all_passages_at_once(stub: Stub) -> None:
    stub.passages("a", [f"valve {n}" for n in range(6)], embed="now")
    stub.run("update rag_internal.chunk set content = 'pump ' || chunk_index")
    assert_in_step(stub)
    assert stub.found("pump", "bm25_search") == ["a"] * 6


@pytest.mark.parametrize("embed", ["now", "later"])
def test_delete(stub: Stub, embed: str) -> None:
    stub.passages("a", ["one", "two"], embed=embed)
    stub.ingest("b", "three", embed=embed)
    stub.run("delete from rag_internal.chunk where chunk_index = 1")
    stub.run("delete from rag_internal.document where source = 'b'")
    assert stub.run("select count(*) from rag_internal.embedding") == [1 if embed == "now" else 0]
    stub.work()
    stub.assert_whole()
    stub.run("delete from rag_internal.document")
    for table in ("chunk", "embedding", "embedding_task", "indexed_document"):
        assert stub.run(f"select count(*) from rag_internal.{table}") == [0]
    assert_in_step(stub)


def test_it_is_undone_with_its_transaction(stub: Stub) -> None:
    stub.ingest("a", "a blue valve")
    before = stub.run(_STATE)
    stub.run("begin")
    stub.run(_SET.format("content = 'a green pump'"), "a")
    stub.run("rollback")
    assert stub.run(_STATE) == before
    assert_in_step(stub)


def _words(draw: random.Random) -> str:
    return " ".join(draw.choices(["blue", "valve", "red", "pump", "lantern", "oil"], k=6)) + "."


def _text(draw: random.Random) -> str:
    return "\n\n".join(_words(draw) for _ in range(draw.randint(1, 4)))


def _change(stub: Stub, draw: random.Random) -> None:
    source = str(draw.randrange(6))
    match draw.randrange(9):
        case 0 | 1:
            stub.ingest(source, _text(draw), draw.choice(["c", "second"]),
                        embed=draw.choice(["now", "later"]))  # fmt: skip
        case 2 | 3:
            stub.run(_SET.format("content = %s"), _text(draw), source)
        case 4:
            stub.run(_SET.format("title = %s, tags = %s"), _words(draw), ["x"], source)
        case 5:
            readers = draw.choice([[], ["public"]])
            principals = "array(select rag_internal.principal_for(r, '') from unnest(%s::text[]) r)"
            stub.run(_SET.format(f"acl_id = rag_internal.intern_readers({principals}, '', 0::smallint)"),
                     readers, source)  # fmt: skip
        case 6:
            stub.run("delete from rag_internal.document where source = %s and random() < 0.5",
                     source)  # fmt: skip
        case 7:
            stub.run(_SET.format("content = %s, title = %s, metadata = %s"), _text(draw),
                     _words(draw), json.dumps({"n": draw.randrange(9)}), source)  # fmt: skip
        case _:
            stub.work(draw.randint(1, 3))


def _hits(stub: Stub, query: str, how: str) -> list[Any]:
    return stub.run(
        "select source, chunk_index, round(score::numeric, 4)"
        f" from rag.{how}(%s, top_k => 100) order by 3 desc, 1, 2",
        query,
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_leave_what_a_fresh_load_has(
    stub: Stub, make_database: Callable[..., Database], template: str, seed: int
) -> None:
    draw = random.Random(seed)
    settings: dict[str, Any] = {"strategy": "paragraph"}
    stub.collection("second", **settings)
    for _ in range(40):
        _change(stub, draw)
    assert_in_step(stub)
    fresh = Stub(make_database(template), stub.server)
    fresh.collection()
    fresh.collection("second", **settings)
    for row in stub.run(
        "select d.source, d.content, k.name, d.title, d.tags, d.metadata::text,"
        " array(select p.name from rag_internal.acl_reader ar"
        " join rag_internal.principal p using (principal_id) where ar.acl_id = d.acl_id)"
        " from rag_internal.document d join rag_internal.collection k using (collection_id)"
    ):
        source, content, name, title, tags, metadata, readers = row
        fresh.ingest(
            source, content, name, title=title, tags=tags, metadata=metadata, readers=readers
        )
    assert stub.run(_STATE) == fresh.run(_STATE)
    for how in ("bm25_search", "semantic_search"):
        for query in ("blue valve", "lantern", "red oil pump"):
            assert _hits(stub, query, how) == _hits(fresh, query, how)


def test_status_of_a_job_whose_text_changed(stub: Stub) -> None:
    job_id = stub.passages("a", ["one", "two"])
    stub.run("update rag_internal.document set content = 'three'")
    assert stub.status(job_id) == Status("done", 2, 2, 0, 0)
    assert_in_step(stub)
