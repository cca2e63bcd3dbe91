"""rag.bm25_search over more passages than it asks for at once, or than an entry holds in one piece."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from support.bm25 import assert_ranking, passages, scores, search

Connection = psycopg.Connection[Any]


@pytest.fixture(params=[False, True], ids=["pending", "built"])
def settle(request: pytest.FixtureRequest, conn: Connection) -> Callable[[], None]:
    """Builds what is pending, where the test is to find it in segments."""

    def build() -> None:
        if request.param:
            while conn.execute("select rag_internal.build_segment('english')").fetchone() != (0,):
                pass

    return build


def test_k_means_k_below_many_passages_that_a_filter_leaves_out(
    conn: Connection, settle: Callable[[], None]
) -> None:
    rows = [
        {"source": str(number), "content": "valve " * (5 - number % 3), "tags": ["no"]}
        for number in range(400)
    ] + [
        {"source": f"y{n}", "content": f"one valve {'among much else ' * (5 + n)}", "tags": ["yes"]}
        for n in range(14)
    ]
    conn.execute("select rag.create_collection('many', model => 'none')")
    conn.execute("select rag.ingest_many('many', %s)", [json.dumps(rows)])
    settle()
    everything = search(conn, "valve")
    assert len(everything) == 414
    wanted = [hit for hit in everything if hit.source.startswith("y")]
    assert everything[-14:] == wanted
    for k in (1, 10, 14, 15):
        for contained, path in (('{"tags": ["yes"]}', None), (None, '$.tags[*] == "yes"')):
            hits = search(conn, "valve", top_k=k, filter=contained, filter_path=path)
            assert hits == wanted[:k]
    assert search(conn, 'valve "much else"')[0].score > wanted[0].score
    for query in ('valve "much else"', "valve -quagga"):
        assert search(conn, query, top_k=9) == search(conn, query)[:9]
    assert len(search(conn, '"one valve"', top_k=13)) == 13


def test_a_document_of_several_thousand_passages(
    conn: Connection, settle: Callable[[], None]
) -> None:
    """Its entry is in two pieces."""
    conn.execute(
        "select rag.create_collection('huge', model => 'none', chunk_size => 2, overlap => 0)"
    )
    text = " ".join(f"valve{number % 9} part{number}" for number in range(4300))
    row = conn.execute(
        "select chunks_created from rag.ingest('huge', %s, 'huge')", [text]
    ).fetchone()
    assert row is not None
    passage_count = row[0]
    assert passage_count > 4096
    settle()
    query = "valve4 part17 part4299"
    assert_ranking(search(conn, query), scores(conn, passages(conn), query))
    assert search(conn, "part4299")[0].chunk_index == passage_count - 1
    explained = conn.execute(
        "select term, df, n from rag.document d, rag.explain_bm25('part4299', d.document_id, %s)",
        [passage_count - 1],
    ).fetchall()
    assert explained == [("part4299", 1, passage_count)]
    conn.execute("select rag.delete_document(document_id) from rag.document")
    assert search(conn, "valve4") == []
