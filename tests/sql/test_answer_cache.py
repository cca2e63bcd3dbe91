"""Answers that are kept: when they are given again, and when not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, as_role

Connection = psycopg.Connection[Any]
Hits = list[tuple[Any, ...]]

QUERY = "how do I close the pump"
KEEP = {"cache": {"ttl": 3600, "similarity": 0.9}}


@pytest.fixture
def docs(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    texts = {
        "close.md": "Close the pump by turning the valve to the right.",
        "open.md": "Open the pump by turning the valve to the left.",
        "5001.md": "ERR_5001 says that the pump is closed.",
        "cats.md": "Cats sleep all day.",
    }
    documents = [{"source": source, "content": content} for source, content in texts.items()]
    connection.execute("select rag.ingest_many('docs', %s)", [json.dumps(documents)])
    keep(connection)
    connection.execute("select rag.create_collection('others')")
    yield connection
    connection.execute("select rag.drop_collection(name) from rag.list_collections()")
    connection.execute("delete from rag_internal.cached_answer")
    connection.close()


def keep(conn: Connection, **defaults: Any) -> None:
    conn.execute(
        "select rag.alter_collection('docs', search_defaults => %s)",
        [json.dumps(KEEP | defaults)],
    )


def ask(conn: Connection, query: str = QUERY, **arguments: Any) -> Hits:
    arguments = {"collections": ["docs"]} | arguments
    call = "".join(f", {name} => %({name})s" for name in arguments)
    return conn.execute(
        f"select * from rag.search(%(query)s{call})".encode(), {"query": query, **arguments}
    ).fetchall()


def route(conn: Connection, query: str = QUERY, **arguments: Any) -> str | None:
    arguments = {"collections": ["docs"]} | arguments
    call = "".join(f", {name} => %({name})s" for name in arguments)
    row = conn.execute(
        f"select route from rag.explain_search(%(query)s{call}) where step = 'cache'".encode(),
        {"query": query, **arguments},
    ).fetchone()
    return None if row is None else row[0]


def kept(conn: Connection) -> int:
    row = conn.execute("select count(*) from rag_internal.cached_answer").fetchone()
    assert row is not None
    return int(row[0])


def test_nothing_is_kept_unless_the_collection_says_so(docs: Connection) -> None:
    docs.execute("select rag.alter_collection('docs', search_defaults => '{}')")
    ask(docs)
    assert route(docs) is None
    assert kept(docs) == 0


def test_the_same_question_has_the_same_answer(docs: Connection) -> None:
    assert route(docs) == "miss"
    first = ask(docs)
    assert kept(docs) == 1
    assert route(docs) == "exact"
    assert ask(docs) == first
    assert kept(docs) == 1
    for other in ({"top_k": 3}, {"strategy": "semantic"}, {"skip": 1}, {"highlight": True}):
        assert route(docs, **other) == "miss"
    marked = ask(docs, highlight=True)
    assert ask(docs, highlight=True) == marked


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (QUERY, "how can I close the pump", "similar"),
        (QUERY, "where do cats sleep", "miss"),
        (QUERY, "how do I not close the pump", "miss"),
        (QUERY, 'how do I "close the pump"', "miss"),
        (QUERY, "how do I close the pump -valve", "miss"),
        ("what does ERR_5001 mean", "what does ERR_5001 say", "similar"),
        ("what does ERR_5001 mean", "what does ERR_5002 mean", "miss"),
        ("pump version 2", "pump version 3", "miss"),
    ],
)
def test_a_question_that_means_the_same(
    docs: Connection, first: str, second: str, expected: str
) -> None:
    answer = ask(docs, first)
    assert route(docs, second) == expected
    if expected == "similar":
        assert ask(docs, second) == answer


def test_only_the_same_one_where_no_similarity_is_set(docs: Connection) -> None:
    docs.execute(
        """select rag.alter_collection('docs', search_defaults => '{"cache": {"ttl": 60}}')"""
    )
    ask(docs)
    assert route(docs) == "exact"
    assert route(docs, "how can I close the pump") == "miss"


@pytest.mark.parametrize(
    "change",
    [
        "select rag.ingest('docs', 'How I close the pump.', 'new.md')",
        "select rag.ingest('docs', 'Something else.', 'close.md')",
        "select rag.delete_source('docs', 'close.md')",
        "select rag.update_document(document_id, tags => '{x}') from rag.document where source = 'close.md'",
        "select rag.update_document(document_id, status => 'archived') from rag.document where source = 'close.md'",
        "select rag.grant_read('docs', 'user:somebody')",
        "update rag_internal.document set title = 'Another' where source = 'close.md'",
        "delete from rag_internal.embedding",
    ],
)
def test_any_change_ends_it(docs: Connection, change: str) -> None:
    ask(docs)
    assert route(docs) == "exact"
    docs.execute(change.encode())
    assert route(docs) == "miss"
    answer = ask(docs)
    docs.execute("delete from rag_internal.cached_answer")
    assert ask(docs) == answer


def test_changes_elsewhere_do_not(docs: Connection) -> None:
    ask(docs)
    docs.execute("select rag.ingest('others', 'How I close the pump.', 'new.md')")
    assert route(docs) == "exact"


def test_it_ends_by_itself(docs: Connection) -> None:
    ask(docs)
    docs.execute("update rag_internal.cached_answer set expires_at = clock_timestamp()")
    assert route(docs) == "miss"
    ask(docs)
    assert kept(docs) == 1  # what had ended is gone
    assert route(docs) == "exact"


def test_a_document_whose_time_is_over_is_not_given(docs: Connection) -> None:
    docs.execute(
        "select rag.ingest('docs', %s, 'soon.md', valid_until => clock_timestamp() + interval '1s')",
        ["How I close the pump, for a second."],
    )
    before = ask(docs)
    docs.execute("select pg_sleep_until(valid_until) from rag.document where source = 'soon.md'")
    after = ask(docs)
    assert len(after) == len(before) - 1
    assert "soon.md" not in str(after)


def test_no_identity_is_given_the_answer_of_another(docs: Connection) -> None:
    docs.execute("select rag.grant_read('docs', 'public')")
    one, other = "rag_test_cache_one", "rag_test_cache_other"
    for role in (one, other):
        docs.execute(f"create role {role} in role rag_reader".encode())
    try:
        with as_role(docs, one):
            answer = ask(docs)
            assert route(docs) == "exact"
        with as_role(docs, other):
            assert route(docs) == "miss"
            assert [hit[2] for hit in ask(docs)] == [hit[2] for hit in answer]
            assert route(docs) == "exact"
        assert kept(docs) == 2
        # users of one service, in one session
        docs.execute(f"grant rag_service to {one}".encode())
        with as_role(docs, one):
            for user in ("alice", "bob"):
                docs.execute("begin")
                docs.execute("select rag.set_user(%s)", [user])
                assert route(docs) == "miss"
                ask(docs)
                assert route(docs) == "exact"
                docs.execute("commit")
    finally:
        for role in (one, other):
            docs.execute(f"drop owned by {role}; drop role {role}".encode())


def test_what_is_hidden_meanwhile_is_not_given(docs: Connection) -> None:
    docs.execute("create role rag_test_cache_reader in role rag_reader")
    try:
        docs.execute("select rag.grant_read('docs', 'rag_test_cache_reader')")
        with as_role(docs, "rag_test_cache_reader"):
            assert len(ask(docs)) == 4
        docs.execute(
            """select rag.set_readers(document_ids => array[document_id], readers => '{role:rag_admin}')
               from rag.document where source = 'cats.md'"""
        )
        with as_role(docs, "rag_test_cache_reader"):
            assert len(ask(docs)) == 3
        # even a key that did not know of it
        docs.execute(
            """update rag_internal.cached_answer set key = (
                   select a.key from rag_internal.cached_answer a
                   where cardinality(a.ranking) = 3)"""
        )
        docs.execute("delete from rag_internal.cached_answer where cardinality(ranking) = 3")
        with as_role(docs, "rag_test_cache_reader"):
            assert len(ask(docs)) == 3
    finally:
        docs.execute("drop owned by rag_test_cache_reader; drop role rag_test_cache_reader")


def test_erasure_leaves_nothing(docs: Connection) -> None:
    ask(docs)
    assert kept(docs) == 1
    docs.execute("select rag.erase_content('Cats%')")
    assert kept(docs) == 0


def test_who_can_only_read_keeps_nothing(docs: Connection) -> None:
    docs.execute("begin read only")
    answer = ask(docs)
    assert len(answer) == 4
    docs.execute("commit")
    assert kept(docs) == 0
    docs.execute("begin")
    ask(docs)
    docs.execute("rollback")
    assert kept(docs) == 0


def test_what_had_to_be_done_without_is_not_kept(docs: Connection) -> None:
    docs.execute("delete from rag_internal.embedding")
    docs.execute("select rag.ingest('docs', 'A pump.', 'late.md', embed => 'later')")
    hits = docs.execute("select degraded from rag.search('pump', '{docs}')").fetchall()
    assert hits[0][0]
    assert kept(docs) == 0


def test_off_and_on_again_begins_anew(docs: Connection) -> None:
    ask(docs)
    docs.execute("select rag.alter_collection('docs', search_defaults => '{}')")
    docs.execute("select rag.ingest('docs', 'How I close the pump.', 'new.md')")
    keep(docs)
    assert "new.md" in str(ask(docs))


def test_other_weights_of_titles_end_it(docs: Connection) -> None:
    ask(docs)
    docs.execute("select rag.alter_collection('docs', title_weight => 0)")
    assert route(docs) == "miss"


def test_what_was_corrected_is_not_kept(docs: Connection) -> None:
    hits = ask(docs, "clsoe the pump", correct_typos=True, highlight=True)
    assert "close the pump" in str(hits)
    assert ask(docs, "clsoe the pump", correct_typos=True, highlight=True) == hits
    assert kept(docs) == 0


def test_the_status_is_that_of_the_search(docs: Connection) -> None:
    docs.execute(
        "select rag.ingest('others', 'A gasket.', 'g', valid_until => clock_timestamp() + '1s')"
    )
    docs.execute("select rag.alter_collection('others', search_defaults => %s)", [json.dumps(KEEP)])
    given = {"collections": ["others"], "weights": '{"fuzzy": 0, "semantic": 0}'}
    assert len(ask(docs, "gasket", **given)) == 1
    docs.execute("select pg_sleep_until(valid_until) from rag.document where source = 'g'")
    assert ask(docs, "gasket", **given) == []
    row = docs.execute("select rag.search_status()").fetchone()
    assert row is not None
    assert row[0] in ("no match", "nothing visible")


def test_a_vector_alone_is_not_kept(docs: Connection) -> None:
    vector = docs.execute("select (rag.embed('{pump}'))[1]::text").fetchone()
    assert vector is not None
    query = "select count(*) from rag.semantic_search(null, '{docs}', query_vector => %s)"
    assert docs.execute(query, vector).fetchone() == docs.execute(query, vector).fetchone()
    assert kept(docs) == 0


def test_serializable_transactions_do_without(docs: Connection) -> None:
    docs.execute("begin isolation level serializable")
    assert len(ask(docs)) == 4
    docs.execute("commit")
    assert kept(docs) == 0


def test_upkeep_removes_what_has_ended(docs: Connection) -> None:
    ask(docs)
    docs.execute("update rag_internal.cached_answer set expires_at = clock_timestamp()")
    docs.execute("call rag.maintain()")
    assert kept(docs) == 0


@pytest.mark.parametrize(
    "other", ["Is the pump closed, or not?", "Isn't the pump closed?", "Isn’t the pump closed?"]
)
def test_a_negation_is_another_question(docs: Connection, other: str) -> None:
    ask(docs, "Is the pump closed?")
    assert route(docs, other) == "miss"
