"""Which versions and which moments a search looks at: every leg, before any cut."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from support import throws_ok
from support.database import Server
from support.vectors import add_model, literal, near
from support.versions import Asked, any_asked, considered, fill, stored

Connection = psycopg.Connection[Any]

DIMENSIONS = 6
COUNT = 120


def found(
    conn: Connection, query: str | None = "valve", top_k: int = 1000, **given: Any
) -> list[tuple[str, float]]:
    """(document_id, score) of a search's hits, in order."""
    named = "".join(f", {name} => %s" for name in given)
    rows = conn.execute(
        "select h.document_id::text, h.score"
        f" from rag.search(%s, top_k => %s{named}) h order by h.rank".encode(),
        [query, top_k, *given.values()],
    )
    return rows.fetchall()


def ingest(conn: Connection, content: str, source: str = "a.md", **given: Any) -> str:
    named = "".join(f", {name} => %s" for name in given)
    row = conn.execute(
        f"select (rag.ingest('docs', %s, source => %s{named})).document_id::text".encode(),
        [content, source, *given.values()],
    ).fetchone()
    assert row is not None
    return str(row[0])


def ids(hits: list[tuple[str, float]]) -> list[str]:
    return [document for document, _ in hits]


@pytest.fixture(scope="module")
def world(server: Server, template: str) -> Iterator[Connection]:
    """Documents of all ages, some pending, some in segments."""
    database = server.create_database(template)
    owner = database.connect()
    add_model(owner, "given", dimensions=DIMENSIONS)
    rng = random.Random(5)
    for name in "ab":
        owner.execute("select rag.create_collection(%s, model => 'given')", [name])
    fill(owner, rng, near(COUNT, DIMENSIONS, 1))
    owner.execute("select rag_internal.build_segment('english')")
    fill(owner, rng, near(COUNT // 2, DIMENSIONS, 2))
    yield owner
    server.drop_database(database)


@pytest.mark.parametrize("strategy", ["bm25", "fuzzy", "semantic", "hybrid"])
def test_what_is_considered_is_found_and_nothing_else(world: Connection, strategy: str) -> None:
    rng = random.Random(strategy)
    documents = stored(world)
    question = literal(near(1, DIMENSIONS, 9)[0])
    sizes = set()
    for _ in range(60):
        asked = any_asked(rng)
        given: dict[str, Any] = {"strategy": strategy, **asked.given}
        if strategy in ("semantic", "hybrid"):
            given["query_vector"] = question
        scope = rng.choice([None, ["a"], ["a", "b"]])
        if scope:
            given["collections"] = scope
        everything = found(world, **given)
        expected = considered(
            (d for d in documents if scope is None or d.collection in scope),
            asked,
            datetime.now(UTC),
        )
        assert set(ids(everything)) == expected, asked
        assert len(everything) == len(expected)
        sizes.add(len(expected))
        k = rng.randint(1, 20)
        if strategy != "hybrid":  # there a deeper leg adds more
            assert found(world, top_k=k, **given) == everything[:k]
        else:
            assert len(found(world, top_k=k, **given)) == min(k, len(expected))
    assert len(sizes) > 5


def test_filters_go_with_freshness(world: Connection) -> None:
    rng = random.Random(7)
    n = dict(
        world.execute("select document_id::text, (metadata ->> 'n')::integer from rag.document")
    )
    question = literal(near(1, DIMENSIONS, 9)[0])
    for _ in range(20):
        asked, number = any_asked(rng), rng.randrange(3)
        expected = {
            d for d in considered(stored(world), asked, datetime.now(UTC)) if n[d] == number
        }
        for given in (
            {"strategy": "bm25", "filter": f'{{"n": {number}}}'},
            {"strategy": "fuzzy", "filter_path": f"$.n == {number}"},
            {"strategy": "semantic", "filter": f'{{"n": {number}}}', "query_vector": question},
            {"strategy": "semantic", "filter_path": f"$.n == {number}", "query_vector": question},
        ):
            assert set(ids(found(world, **given, **asked.given))) == expected, (asked, given)


@pytest.mark.parametrize("route", ["exact", "index"])
def test_both_ways_to_the_nearest_leave_old_versions_out(world: Connection, route: str) -> None:
    question = literal(near(1, DIMENSIONS, 11)[0])
    for asked in (
        Asked(),
        Asked(include_archived=True),
        Asked(as_of=datetime(2025, 1, 1, tzinfo=UTC)),
    ):
        rows = world.execute(
            """
            select h.document_id::text
            from rag_internal.model m,
                 lateral rag_internal.semantic_leg(
                     %s, m, jsonb_populate_record(null::rag_internal.scope, jsonb_build_object(
                         'acl_ids', (select array_agg(a.acl_id) from rag_internal.acl a),
                         'collection_ids', (select array_agg(k.collection_id)
                                            from rag_internal.collection k),
                         'as_of', %s::timestamptz, 'include_archived', %s::boolean)),
                     '{}', 200, %s) l,
                 unnest(l.hits) h
            where m.name = 'given'
            order by h.rank""",
            [question, asked.as_of, asked.include_archived, route],
        ).fetchall()
        expected = considered(stored(world), asked, datetime.now(UTC))
        assert {document for (document,) in rows} == expected
        assert len(rows) == len(expected)


def test_the_index_holds_archived_documents(world: Connection) -> None:
    for name in "ab":
        assert world.execute("select * from rag.verify_index(%s)", [name]).fetchall() == []


def test_versions_take_turns(conn: Connection) -> None:
    conn.execute("select rag.create_collection('docs', model => 'none')")
    first = ingest(conn, "The valve is red.", version="1")
    assert ids(found(conn, strategy="bm25")) == [first]
    second = ingest(conn, "The valve is blue.", version="2", valid_from="2020-01-01")
    for _ in range(2):  # pending, then built
        assert ids(found(conn, strategy="bm25")) == [second]
        assert ids(found(conn, strategy="fuzzy")) == [second]
        assert ids(found(conn, strategy="bm25", as_of="2019-12-31")) == [first]
        conn.execute("select rag_internal.build_segment('english')")
    conn.execute("select rag.update_document(%s, status => 'archived')", [second])
    assert ids(found(conn, strategy="bm25")) == [first]
    assert set(ids(found(conn, strategy="bm25", include_archived=True))) == {first, second}
    conn.execute("select rag.update_document(%s, status => 'active')", [second])
    assert ids(found(conn, strategy="bm25")) == [second]
    conn.execute("select rag.update_document(%s, valid_until => '2021-01-01')", [second])
    assert ids(found(conn, strategy="bm25")) == [first]
    assert ids(found(conn, strategy="bm25", as_of="2020-06-01")) == [second]
    conn.execute("select rag.delete_document(%s)", [second])
    assert ids(found(conn, strategy="bm25", include_archived=True)) == [first]


def test_the_same_name_elsewhere_is_another_source(conn: Connection) -> None:
    conn.execute("select rag.create_collection('docs', model => 'none')")
    conn.execute("select rag.create_collection('others', model => 'none')")
    one = ingest(conn, "The valve is red.", version="1")
    row = conn.execute(
        "select (rag.ingest('others', 'A valve.', source => 'a.md', version => '2'))"
        ".document_id::text"
    ).fetchone()
    assert row is not None
    assert set(ids(found(conn, strategy="bm25"))) == {one, row[0]}


def test_many_old_versions_make_room(conn: Connection) -> None:
    """The best hundred passages are all of old versions; as many come as are wanted."""
    conn.execute("select rag.create_collection('docs', model => 'none')")
    for source in range(5):
        for version in range(60):
            words = "valve " * (60 - version) + "pump"
            ingest(conn, words, f"{source}.md", version=f"{version:02}")
    for strategy in ("bm25", "fuzzy"):
        hits = conn.execute(
            "select h.version, h.source from rag.search('valve', top_k => 5, strategy => %s) h",
            [strategy],
        ).fetchall()
        assert sorted(hits) == [("59", f"{source}.md") for source in range(5)]


def test_statistics_are_of_all_that_is_valid(conn: Connection) -> None:
    """As with a filter, what is left out for a newer version moves no score."""
    conn.execute("select rag.create_collection('docs', model => 'none')")
    ingest(conn, "The valve is red.", version="1")
    new = ingest(conn, "The valve is blue.", version="2")
    gone = ingest(conn, "The valve is gone.", "b.md")
    conn.execute("select rag.update_document(%s, status => 'archived')", [gone])
    row = conn.execute("select n, df from rag.explain_bm25('valve', %s, 0)", [new]).fetchone()
    assert row == (2, 2)


def test_moments_are_read_under_any_style_of_dates(conn: Connection) -> None:
    conn.execute("select rag.create_collection('docs', model => 'none')")
    first = ingest(conn, "The valve is red.", version="1", valid_from="2020-01-01 00:00+00")
    second = ingest(conn, "The valve is blue.", version="2", valid_from="2020-06-07 12:00+00")
    conn.execute("set local timezone = 'Asia/Kolkata'")  # IST, which is read as Israel's
    for style in ("Postgres, DMY", "SQL, DMY", "German", "ISO, MDY"):
        conn.execute("select set_config('datestyle', %s, true)", [style])
        for strategy in ("bm25", "fuzzy"):
            for moment, expected in (("11:59", first), ("12:00", second)):
                hits = conn.execute(
                    "select h.document_id::text from rag.search('valve', strategy => %s,"
                    f" as_of => timestamptz '2020-06-07T{moment}Z') h".encode(),
                    [strategy],
                ).fetchall()
                assert hits == [(expected,)], (style, moment)


@pytest.mark.parametrize("moment", ["infinity", "-infinity"])
def test_a_moment_without_end_is_refused(conn: Connection, moment: str) -> None:
    conn.execute("select rag.create_collection('docs', model => 'none')")
    throws_ok(
        conn, "select rag.search('valve', strategy => 'bm25', as_of => %s)", "22023",
        "must be a moment", [moment],
    )  # fmt: skip


def test_what_waits_for_its_vector_counts_where_it_is_considered(conn: Connection) -> None:
    """An old version without a vector is no reason to call a search degraded."""
    add_model(conn, "later", dimensions=2)
    conn.execute("select rag.create_collection('docs', model => 'later')")
    sql = "select rag.ingest_chunks('docs', %s, source => 'a.md', version => %s, embed => 'later')"
    conn.execute(sql, ['[{"content": "old"}]', "1"])
    search = "select h.degraded from rag.semantic_search(null, query_vector => '[1,0]'{}) h"
    conn.execute(sql, ['[{"content": "new", "embedding": [1, 0]}]', "2"])
    assert conn.execute(search.format("").encode()).fetchall() == [(None,)]
    both = conn.execute(search.format(", include_archived => true").encode()).fetchall()
    assert both == [(["semantic: some passages have no vector"],)]
