"""The semantic leg over given vectors: no engine but to read what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest

from support import throws_ok
from support.vectors import Found, Vectors, add_model, ask, collection, literal, near

Connection = psycopg.Connection[Any]

DIMENSIONS = 8


def by_route(conn: Connection, vector: Vectors, name: str, cut: int, route: str) -> Found:
    """What a route of the leg finds in a collection, for one who sees everything."""
    return conn.execute(
        """select d.source, h.score
           from rag_internal.collection k join rag_internal.model m using (model_id),
                lateral rag_internal.semantic_leg(
                    %s, m, jsonb_populate_record(null::rag_internal.scope, jsonb_build_object(
                        'acl_ids', (select array_agg(acl_id) from rag_internal.acl),
                        'collection_ids', array[k.collection_id])),
                    '{}', %s, %s) l,
                unnest(l.hits) h
           join rag_internal.document d using (document_id)
           where k.name = %s
           order by h.rank""",
        [literal(vector), cut, route, name],
    ).fetchall()


def score(metric: str, vectors: Vectors, question: Vectors) -> Vectors:
    """The similarity of unit vectors to a question, by definition."""
    unit = question / np.linalg.norm(question)
    scores: Vectors = vectors @ unit
    if metric == "l2":
        scores = 1 / (1 + np.linalg.norm(vectors - unit, axis=1))
    return scores


def is_ranking(found: Found, scores: Vectors, top_k: int, tolerance: float) -> None:
    """Expects the top_k best of `scores`, as far as the stored precision tells them apart."""
    best = np.sort(scores)[::-1][:top_k]
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)
    assert len(found) == len(best)
    assert [scores[int(source)] for source, _ in found] == pytest.approx(best, abs=tolerance)
    for source, given in found:
        assert given == pytest.approx(scores[int(source)], abs=tolerance)


@pytest.mark.parametrize("metric", ["cosine", "l2", "inner_product"])
@pytest.mark.parametrize(("storage", "tolerance"), [("halfvec", 2e-3), ("vector", 1e-6)])
def test_the_nearest_by_every_metric(
    conn: Connection, metric: str, storage: str, tolerance: float
) -> None:
    vectors = collection(conn, "docs", "m", metric=metric, storage=storage)
    question = near(1, DIMENSIONS, 99)[0]
    for top_k in (1, 10, 40, 100):
        found = ask(conn, question, ["docs"], top_k)
        is_ranking(found, score(metric, vectors, question), top_k, tolerance)
        assert found == ask(conn, question * 1024, ["docs"], top_k), "scaled to length 1"
    # the halves of a float cannot hold this one
    assert ask(conn, question * 2.0**100, ["docs"]) == ask(conn, question, ["docs"])


@pytest.mark.parametrize(
    ("dimensions", "options"),
    [
        (64, {}),
        (64, {"storage": "vector", "metric": "l2"}),
        (2100, {"storage": "vector"}),
        (2100, {"storage": "vector", "metric": "inner_product"}),
        (64, {"quantization": "binary"}),
        (64, {"quantization": "binary", "storage": "vector", "metric": "l2"}),
        (4200, {"quantization": "binary"}),
        (4200, {}),
    ],
)
def test_every_form_of_index_finds_and_ranks_by_the_stored_vectors(
    conn: Connection, dimensions: int, options: dict[str, Any]
) -> None:
    vectors = collection(conn, "docs", "m", 60, dimensions=dimensions, **options)
    question = near(1, dimensions, 99)[0]
    exact = by_route(conn, question, "docs", 10, "exact")
    tolerance = 1e-5 if options.get("storage") == "vector" else 2e-3
    is_ranking(exact, score(options.get("metric", "cosine"), vectors, question), 10, tolerance)
    assert by_route(conn, question, "docs", 10, "index") == exact
    assert by_route(conn, question, "docs", 10, "auto") == exact


def test_the_query_may_be_left_out_where_a_vector_stands_for_it(conn: Connection) -> None:
    vectors = collection(conn, "docs", "m")
    for query in (None, "", "\u200b"):
        found = conn.execute(
            "select source from rag.search(%s, '{docs}', 1, 'semantic', query_vector => %s)",
            [query, literal(vectors[3])],
        ).fetchall()
        assert found == [("000003",)]
        for strategy in ("hybrid", "bm25", "fuzzy", None):
            throws_ok(
                conn,
                "select * from rag.search(%s, '{docs}', 1, %s, query_vector => %s)",
                "22023",
                "query has no visible character",
                [query, strategy, literal(vectors[3])],
            )
        throws_ok(conn, "select * from rag.semantic_search(%s, '{docs}')", "22023", None, [query])


def test_words_and_a_vector_go_together(conn: Connection) -> None:
    """The vector says what is near; phrases and exclusions of the query still hold."""
    vectors = collection(conn, "docs", "m")
    question = "select source from rag.semantic_search(%s, '{docs}', 40, query_vector => %s)"
    found = conn.execute(question, ["-word3", literal(vectors[3])]).fetchall()
    assert {int(source) % 7 for (source,) in found} == {0, 1, 2, 4, 5, 6}
    found = conn.execute(question, ["anything at all", literal(vectors[3])]).fetchall()
    assert found[0] == ("000003",)
    assert len(found) == 40
    found = conn.execute(
        "select source, semantic_rank from rag.search('anything', '{docs}', 1, query_vector => %s)",
        [literal(vectors[5])],
    ).fetchall()
    assert found == [("000005", 1)]


def test_a_vector_that_does_not_fit_is_refused(conn: Connection) -> None:
    vectors = collection(conn, "docs", "m")
    collection(conn, "others", "n", seed=2)
    collection(conn, "wide", "w", dimensions=9)
    conn.execute("select rag.create_collection('plain', model => 'none')")
    question = "select * from rag.semantic_search(null, %s, query_vector => %s)"
    one = literal(vectors[0])
    throws_ok(
        conn,
        question,
        "22023",
        'for "docs" has 2 dimensions, but model "m" has 8',
        [["docs"], "[1,2]"],
    )
    throws_ok(conn, question, "22023", "has length zero", [["docs"], literal(np.zeros(DIMENSIONS))])
    throws_ok(
        conn, question, "22023", "has length zero", [["docs"], literal(np.full(DIMENSIONS, 1e-9))]
    )
    throws_ok(
        conn,
        question,
        "22023",
        "has 8 dimensions, but models of this search have: m 8, n 8",
        [["docs", "others"], one],
    )
    throws_ok(
        conn,
        question,
        "22023",
        "has 8 dimensions, but models of this search have: m 8, n 8, w 9",
        [None, one],
    )
    throws_ok(conn, question, "55000", "no collection of this search has", [["plain"], one])
    assert conn.execute(question, [["docs", "plain"], one]).fetchone() is not None
    assert conn.execute(question, [[], one]).fetchall() == []
    # a hybrid is not answered by its other legs instead
    throws_ok(
        conn,
        "select * from rag.search('word', '{docs}', query_vector => '[1,2]', allow_degraded => true)",
        "22023",
        "2 dimensions",
    )  # fmt: skip


def test_an_external_model_needs_the_vector_of_the_query(conn: Connection) -> None:
    collection(conn, "docs", "m")
    error = throws_ok(
        conn,
        "select * from rag.semantic_search('word', '{docs}')",
        "55000",
        'model "m" come with the calls',
    )
    assert "query_vector" in (error.diag.message_hint or "")
    # a hybrid search says so, and goes on: one who shares such a collection ends nobody's searches
    conn.execute("select rag.ingest('docs', 'A word.', 'w', embed => 'later')")
    conn.execute("select rag.create_collection('ours')")
    conn.execute("select rag.ingest('ours', 'Our word.', 'o')")
    for collections, note in (["docs"], "come with the calls"), (None, "needs query_vector"):
        found = conn.execute(
            "select source, semantic_rank, degraded from rag.search('word', %s)", [collections]
        ).fetchall()
        assert {source for source, _, _ in found} == ({"w"} if collections else {"w", "o"})
        assert all(note in " ".join(degraded) for _, _, degraded in found)
    # the vector asks the model of its dimensions, the words the others
    rank = dict(
        conn.execute(
            "select source, semantic_rank from rag.search('word', null, 100, query_vector => %s)",
            [literal(near(1, 8, 1)[0])],
        ).fetchall()
    )
    assert rank["o"] is not None
    assert len(rank) > 2
    for quiet in ("strategy => 'bm25'", "strategy => 'fuzzy'", """weights => '{"semantic": 0}'"""):
        conn.execute(f"select * from rag.search('word', '{{docs}}', {quiet})".encode())
    # where no passage could be found, no vector is needed
    add_model(conn, "n")
    conn.execute("select rag.create_collection('empty', model => 'n')")
    assert conn.execute("select * from rag.search('word', '{empty}')").fetchall() == []
