"""What the semantic leg looks at: current models, what a caller sees, what has a vector."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest

from support import RoleFactory, as_role, throws_ok
from support.vectors import add_model, ask, collection, literal, near, place

Connection = psycopg.Connection[Any]

DIMENSIONS = 8


def test_a_collection_is_searched_by_its_current_model_alone(conn: Connection) -> None:
    vectors = collection(conn, "docs", "m")
    add_model(conn, "further", dimensions=3)
    conn.execute(
        """insert into rag_internal.collection_model select k.collection_id, m.model_id
           from rag_internal.collection k, rag_internal.model m where m.name = 'further'"""
    )
    conn.execute(
        """insert into rag_internal.embedding
               (model_id, chunk_id, acl_id, collection_id, embed_hash, v)
           select m.model_id, e.chunk_id, e.acl_id, e.collection_id, e.embed_hash, '[0,0,1]'
           from rag_internal.embedding e, rag_internal.model m where m.name = 'further'"""
    )
    assert ask(conn, vectors[0], ["docs"], 1)[0][0] == "000000"
    throws_ok(
        conn,
        "select * from rag.semantic_search(null, '{docs}', query_vector => '[0,0,1]')",
        "22023",
        'has 3 dimensions, but model "m" has 8',
    )
    use = "update rag_internal.collection set model_id = (select model_id from rag_internal.model where %s)"
    conn.execute(use.replace("%s", "name = 'further'").encode())
    assert [s for _, s in ask(conn, np.array([0.0, 0.0, 1.0]), ["docs"])] == [1.0] * 10
    # the query is not embedded for models that only keep vectors: m and further could not
    conn.execute(use.replace("%s", "is_default").encode())
    row = conn.execute(
        "select count(semantic_rank), count(degraded) from rag.search('word3', '{docs}')"
    ).fetchone()
    assert row == (0, 0)


def test_a_note_says_that_passages_wait_for_their_vector(
    conn: Connection, role_factory: RoleFactory
) -> None:
    reader = role_factory()
    vectors = collection(conn, "docs", "m", 4)
    conn.execute("select rag.create_collection('hidden', model => 'm')")
    place(conn, "docs", near(4, DIMENSIONS, 5), model="m", readers_of=["hidden"] * 4, first=4)
    conn.execute("select rag.grant_read('docs', %s)", [reader])
    conn.execute(
        "insert into rag_internal.job (kind, created_by) values ('embed', 'postgres')"
    )  # fmt: skip
    question = "select distinct degraded from rag.search(%s, '{docs}', 9, %s, query_vector => %s)"
    note = [(["semantic: some passages have no vector"],)]

    def notes(strategy: str = "semantic") -> list[Any]:
        return conn.execute(question, ["word1", strategy, literal(vectors[0])]).fetchall()

    def lose(source: str, dead: bool) -> None:
        conn.execute(
            """with lost as (delete from rag_internal.embedding e
                             using rag_internal.chunk c join rag_internal.document d using (document_id)
                             where e.chunk_id = c.chunk_id and d.source = %s returning e.*)
               insert into rag_internal.embedding_task
                   (model_id, chunk_id, job_id, acl_id, collection_id, is_dead, error)
               select l.model_id, l.chunk_id, j.job_id, l.acl_id, l.collection_id, %s, 'not finite'
               from lost l, rag_internal.job j""",
            [source, dead],
        )

    assert notes() == [(None,)]
    lose("000006", dead=False)
    assert notes() == note
    assert notes("bm25") in ([], [(None,)]), "words are not concerned"
    with as_role(conn, reader):
        assert notes() == [(None,)], "a hidden passage is not spoken of"
    lose("000002", dead=True)
    with as_role(conn, reader):
        assert notes() == note
    # what waits for a model that the collection is not searched by is no lack
    add_model(conn, "other")
    conn.execute(
        "update rag_internal.embedding_task set model_id ="
        " (select model_id from rag_internal.model where name = 'other')"
    )
    assert notes() == [(None,)]


def test_hidden_passages_change_nothing(conn: Connection, role_factory: RoleFactory) -> None:
    """Every column of the leg, and its errors, as if they were not there."""
    reader = role_factory()
    collection(conn, "docs", "m", 0)
    collection(conn, "closed", "closed model", 50, seed=3, dimensions=5)
    vectors = near(200, DIMENSIONS, 1)
    owners = ["docs" if i % 4 == 0 else "closed" for i in range(200)]
    place(conn, "docs", vectors, model="m", readers_of=owners)
    conn.execute("select rag.grant_read('docs', %s)", [reader])
    calls = [
        ("select * from rag.semantic_search(null, null, 100, query_vector => %s)", [literal(v)])
        for v in near(8, DIMENSIONS, 77)
    ] + [("select * from rag.semantic_search('-word1', '{docs}', 30, skip => 5, query_vector => %s)",
          [literal(vectors[1])])]  # fmt: skip

    def seen() -> list[Any]:
        with as_role(conn, reader):
            found = [conn.execute(query.encode(), values).fetchall() for query, values in calls]
            errors = [
                throws_ok(conn, query, state).diag.message_primary
                for query, state in (
                    ("select * from rag.semantic_search('word')", "55000"),
                    ("select * from rag.search('word', query_vector => '[1,2]')", "22023"),
                )
            ]
            recall = conn.execute("select rag.check_recall('docs')").fetchone()
        return [found, errors, recall]

    before = seen()
    assert len(before[0][0]) == 50
    conn.execute(
        "delete from rag_internal.document d using rag_internal.collection k"
        " where k.name = 'closed' and d.acl_id = k.acl_id"
    )
    assert seen() == before


def test_e12_a_query_is_embedded_as_one_and_never_from_an_older_model(conn: Connection) -> None:
    row = conn.execute("select name from rag_internal.model where is_default").fetchone()
    assert row is not None
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    add_model(conn, row[0], "fastembed", 384, **prefixes)
    same = conn.execute(
        "select rag.embed('{rusty valve}', kind => 'query') = rag.embed('{rusty valve}')"
    ).fetchone()
    assert same == (False,)
    conn.execute("select rag.ingest('docs', 'Close the red valve before the pump starts.')")

    def found() -> Any:
        return conn.execute("select semantic_score from rag.search('rusty valve')").fetchone()

    first = found()
    add_model(conn, row[0], "fastembed", 384, query_prefix="who sells it? ")
    second = found()
    assert second != first
    add_model(conn, row[0], "fastembed", 384, query_prefix="query: ")
    assert found() == first
    direct = conn.execute(
        "select score from rag.search(null, strategy => 'semantic',"
        " query_vector => (rag.embed('{rusty valve}', kind => 'query'))[1])"
    ).fetchone()
    assert direct == first


def test_e08_no_component_overflows(conn: Connection) -> None:
    """Vectors are scaled to length one before they are stored with 16 bits."""
    collection(conn, "docs", "m", 0)
    chunks = [{"content": "one", "embedding": [70000.0] + [1.0] * 7}]
    conn.execute("select rag.ingest_chunks('docs', %s, source => 'a')", [json.dumps(chunks)])
    assert ask(conn, np.array([70000.0] + [1.0] * 7), ["docs"]) == [("a", pytest.approx(1))]
    chunks = [{"content": "two", "embedding": [1e-9] * 8}]
    throws_ok(
        conn,
        "select rag.ingest_chunks('docs', %s, source => 'b')",
        "22023",
        "length zero",
        [json.dumps(chunks)],
    )


def test_an_empty_collection_of_another_model_asks_nothing(conn: Connection) -> None:
    vectors = collection(conn, "docs", "m")
    add_model(conn, "n")
    conn.execute("select rag.create_collection('empty', model => 'n')")
    hits = conn.execute(
        "select degraded from rag.semantic_search(null, query_vector => %s)", [literal(vectors[0])]
    ).fetchall()
    assert set(hits) == {(None,)}
