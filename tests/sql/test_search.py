"""rag.search and its legs against references computed here."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok

Connection = psycopg.Connection[Any]

WORDS = "valve pump lantern gauge red blue old new open close leak rust steam water".split()
COUNT = 60


def text_of(i: int) -> str:
    """A passage drawn without chance: its words and length differ from its neighbours'."""
    return (
        " ".join(WORDS[(i * 7 + j * (1 + i % 5)) % len(WORDS)] for j in range(5 + i % 9)) + f" n{i}"
    )


@pytest.fixture(scope="module")
def filled(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    documents = [
        {
            "content": text_of(i),
            "source": f"{i:03}.md",
            "tags": ["even" if i % 2 == 0 else "odd"],
            "metadata": {"number": i},
        }
        for i in range(COUNT)
    ]
    for name, part in (("first", documents[:40]), ("second", documents[40:])):
        connection.execute("select rag.ingest_many(%s, %s)", [name, json.dumps(part)])
    yield connection
    connection.close()


def bm25(conn: Connection, query: str, collections: list[str]) -> list[tuple[float, Any]]:
    """The formula over rag_internal.chunk.tsv, in plain Python: (score, document_id), best first."""
    rows = conn.execute(
        """select c.document_id, l.lexeme, cardinality(l.positions)
           from rag_internal.chunk c join rag_internal.document d using (document_id)
           join rag_internal.collection k using (collection_id), unnest(c.tsv) l
           where k.name = any (%s)""",
        [collections],
    ).fetchall()
    frequencies: dict[Any, Counter[str]] = defaultdict(Counter)
    for document, lexeme, count in rows:
        frequencies[document][lexeme] = count
    n = len(frequencies)
    average = sum(sum(f.values()) for f in frequencies.values()) / n
    terms = conn.execute("select tsvector_to_array(rag.analyze(%s))", [query]).fetchone()
    assert terms is not None
    scores = []
    for document, frequency in frequencies.items():
        score = 0.0
        for term in terms[0]:
            df = sum(1 for f in frequencies.values() if f[term])
            tf = frequency[term]
            if tf:
                length = sum(frequency.values())
                idf = math.log((n - df + 0.5) / (df + 0.5) + 1)
                score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))
        if score:
            scores.append((score, document))
    return sorted(scores, key=lambda s: (-s[0], s[1]))


@pytest.mark.parametrize("query", ["red pump", "lantern", "steam water leak n7", "valve valve old"])
@pytest.mark.parametrize("collections", [["first"], ["first", "second"]])
def test_bm25_equals_the_formula(filled: Connection, query: str, collections: list[str]) -> None:
    expected = bm25(filled, query, collections)
    hits = filled.execute(
        "select score, document_id, rank, bm25_rank from rag.bm25_search(%s, %s, 1000)",
        [query, collections],
    ).fetchall()
    assert len(hits) == len(expected)
    assert [rank for _, _, rank, _ in hits] == list(range(1, len(hits) + 1))
    for (score, document, rank, leg_rank), (reference, _) in zip(hits, expected, strict=True):
        assert score == pytest.approx(reference, rel=1e-12)
        assert rank == leg_rank
        assert {d: s for s, d in expected}[document] == pytest.approx(score, rel=1e-12)


def test_a_filter_moves_no_statistic(filled: Connection) -> None:
    everything = dict(
        filled.execute(
            "select document_id, score from rag.bm25_search('red pump', top_k => 1000)"
        ).fetchall()
    )
    even = filled.execute(
        "select document_id, score from rag.bm25_search('red pump', top_k => 1000,"
        """ filter => '{"tags": ["even"]}')"""
    ).fetchall()
    assert 0 < len(even) < len(everything)
    assert all(everything[document] == score for document, score in even)


def test_semantic_is_the_exact_order_by_cosine(filled: Connection) -> None:
    row = filled.execute(
        "select (rag.embed(array['rusty pump'], kind => 'query'))[1]::text"
    ).fetchone()
    assert row is not None
    query = json.loads(row[0])
    vectors = filled.execute(
        "select c.document_id, e.v::text from rag_internal.embedding e join rag_internal.chunk c using (chunk_id)"
    ).fetchall()
    expected = {
        d: sum(a * b for a, b in zip(query, json.loads(v), strict=True)) for d, v in vectors
    }
    hits = filled.execute(
        "select document_id, score from rag.semantic_search('rusty pump', top_k => 1000)"
    ).fetchall()
    assert len(hits) == COUNT
    assert [s for _, s in hits] == sorted((s for _, s in hits), reverse=True)
    for document, score in hits:
        assert score == pytest.approx(expected[document], abs=2e-3)  # halfvec keeps 11 bits


def test_hybrid_is_reciprocal_rank_fusion_of_its_legs(filled: Connection) -> None:
    query = "red pump lantren"
    legs = {
        leg: dict(
            filled.execute(
                f"select document_id, rank from rag.{leg}_search(%s, top_k => 100)", [query]
            ).fetchall()
        )
        for leg in ("semantic", "bm25", "fuzzy")
    }
    weights = {"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1}
    expected: dict[Any, float] = defaultdict(float)
    for leg in sorted(legs):
        for document, rank in legs[leg].items():
            expected[document] += weights[leg] / (60 + rank)
    order = sorted(expected, key=lambda d: (-expected[d], d))[:20]
    hits = filled.execute(
        "select document_id, score, semantic_rank, bm25_rank, fuzzy_rank from rag.search(%s, top_k => 20)",
        [query],
    ).fetchall()
    assert [d for d, *_ in hits] == order
    for document, score, *ranks in hits:
        assert score == pytest.approx(expected[document], rel=1e-12)
        assert ranks == [legs[leg].get(document) for leg in ("semantic", "bm25", "fuzzy")]


def test_d02_a_missing_leg_adds_nothing(filled: Connection) -> None:
    row = filled.execute(
        'select score from rag.search(\'n7\', weights => \'{"semantic": 0, "bm25": 1, "fuzzy": 0}\')'
    ).fetchone()
    assert row == (pytest.approx(1 / 61, rel=1e-15),)


@pytest.mark.parametrize("strategy", ["hybrid", "semantic", "bm25", "fuzzy"])
def test_d03_order_is_stable_and_pages_are_disjoint(filled: Connection, strategy: str) -> None:
    def page(top_k: int, skip: int = 0) -> list[Any]:
        return filled.execute(
            "select rank, document_id, chunk_index, score"
            " from rag.search('red pump', top_k => %s, skip => %s, strategy => %s)",
            [top_k, skip, strategy],
        ).fetchall()

    ten = page(10)
    assert page(5) == ten[:5]
    assert page(5) + page(5, 5) == ten
    filled.execute("update rag_internal.document set updated_at = updated_at")
    filled.execute("vacuum rag_internal.document")
    assert page(10) == ten


def test_d13_deep_pages_are_cut_from_one_ranking(db: Database) -> None:
    """Also where a page reaches beyond the first tier of the fusion (100 places)."""
    with db.connect(autocommit=False) as connection:
        documents = [{"content": text_of(i), "source": f"deep{i}"} for i in range(130)]
        connection.execute("select rag.ingest_many('deep', %s)", [json.dumps(documents)])

        def page(top_k: int, skip: int = 0) -> list[Any]:
            return connection.execute(
                "select rank, source, score from rag.search('red pump lantern', '{deep}', %s, skip => %s)",
                [top_k, skip],
            ).fetchall()

        everything = page(1000)
        assert [rank for rank, _, _ in everything] == list(range(1, 131))
        assert len({source for _, source, _ in everything}) == 130
        for top_k in (1, 10, 60, 99, 100, 101, 129):
            assert page(top_k) == everything[:top_k]
        assert [row for skip in range(0, 130, 10) for row in page(10, skip)] == everything
        connection.rollback()


def test_search_defaults_of_the_collections_count_where_they_agree(conn: Connection) -> None:
    defaults = '{"strategy": "bm25", "rrf_k": 1}'
    for name in ("one", "two"):
        conn.execute("select rag.create_collection(%s, search_defaults => %s)", [name, defaults])
        conn.execute("select rag.ingest(%s, 'The red valve.', %s)", [name, name])
    query = "select bool_and(semantic_rank is null) from rag.search('valve', %s"
    assert conn.execute(query + ")", [["one", "two"]]).fetchone() == (True,)
    assert conn.execute(query + ", strategy => 'semantic')", [["one"]]).fetchone() == (False,)
    row = conn.execute(
        "select score from rag.search('valve', '{one}', strategy => 'hybrid')"
    ).fetchone()
    assert row == (pytest.approx(1 / 2),)
    conn.execute("select rag.alter_collection('two', search_defaults => '{}')")
    assert conn.execute(query + ")", [["one", "two"]]).fetchone() == (False,)
    for bad in ('{"topk": 1}', '{"strategy": "x"}', '{"rrf_k": -1}', '{"rrf_k": "1"}', '{"rrf_k": 60.5}', '{"rrf_k": 1e10}', "[]",
                '{"weights": {"bm25": -1}}'):  # fmt: skip
        throws_ok(
            conn, "select rag.alter_collection('one', search_defaults => %s)", "22023", None, [bad]
        )
        throws_ok(
            conn, "select rag.create_collection('x', search_defaults => %s)", "22023", None, [bad]
        )


def test_d03_ties_break_by_document_and_chunk(conn: Connection) -> None:
    for i in range(20):
        conn.execute("select rag.ingest('same', 'identical words here', %s)", [f"{i}.md"])
    for strategy in ("hybrid", "semantic", "bm25", "fuzzy"):
        hits = conn.execute(
            "select document_id from rag.search('identical words', '{same}', 20, %s)", [strategy]
        ).fetchall()
        assert hits == sorted(hits)
        assert len(hits) == 20


def test_d04_top_k(filled: Connection) -> None:
    for bad in ("0", "-1", "null"):
        throws_ok(filled, f"select * from rag.search('pump', top_k => {bad})", "22023", "top_k")
    throws_ok(filled, "select * from rag.search('pump', skip => -1)", "22023", "skip")
    for k, expected in ((1, 1), (100000, COUNT), (2147483647, COUNT)):
        hits = filled.execute("select * from rag.search('pump', top_k => %s)", [k]).fetchall()
        assert len(hits) == expected


@pytest.mark.parametrize("strategy", ["hybrid", "semantic", "bm25", "fuzzy"])
def test_d08_k_means_k_under_a_filter(filled: Connection, strategy: str) -> None:
    rare = "$.number == 3 || $.number == 17 || $.number == 58"
    hits = filled.execute(
        "select source from rag.search('valve pump lantern gauge red blue old', strategy => %s, top_k => 3,"
        " filter_path => %s::jsonpath)",
        [strategy, rare],
    ).fetchall()
    assert sorted(hits) == [("003.md",), ("017.md",), ("058.md",)]


@pytest.mark.parametrize(
    "weights",
    [
        '{"semantic": 0, "bm25": 0, "fuzzy": 0}',
        '{"semantic": -1}',
        '{"semantic": "NaN"}',
        '{"semantic": null}',
        '{"semantic": 1e-400, "bm25": 0, "fuzzy": 0}',
        '{"dense": 1}',
        "[1, 2]",
        "3",
    ],
)
def test_d11_bad_weights_are_refused(filled: Connection, weights: str) -> None:
    throws_ok(filled, "select * from rag.search('pump', weights => %s)", "22023", params=[weights])


def test_d11_weights_switch_legs_off_and_rrf_k_is_checked(filled: Connection) -> None:
    row = filled.execute(
        "select count(semantic_rank), count(fuzzy_rank), count(bm25_rank) > 0"
        """ from rag.search('red pump', weights => '{"semantic": 0, "fuzzy": 0}', top_k => 100)"""
    ).fetchone()
    assert row == (0, 0, True)
    for bad in ("-1", "-60"):
        throws_ok(filled, f"select * from rag.search('pump', rrf_k => {bad})", "22023", "rrf_k")
    assert filled.execute("select score from rag.search('pump', rrf_k => 0)").fetchone() is not None


@pytest.mark.parametrize("query", ["", "   ", "\u200b", "\ufeff\n", None])
def test_d12_a_blank_query_is_refused(filled: Connection, query: str | None) -> None:
    for function in ("search", "semantic_search", "bm25_search", "fuzzy_search"):
        throws_ok(filled, f"select * from rag.{function}(%s)", "22023", "query", [query])


def test_d12_a_very_long_query_works(filled: Connection) -> None:
    hits = filled.execute("select source from rag.search(%s)", ["pump " * 20000]).fetchall()
    assert len(hits) == 10
    throws_ok(filled, "select * from rag.search(%s)", "22023", "bytes", ["pump " * 200000])
    many = " ".join(f"w{i}" for i in range(1001))
    throws_ok(filled, "select * from rag.search(%s)", "22023", "1001 distinct words", [many])


def test_unknown_strategies_and_bad_filters_are_refused(filled: Connection) -> None:
    throws_ok(filled, "select * from rag.search('pump', strategy => 'magic')", "22023", "magic")
    throws_ok(filled, "select * from rag.search('pump', filter => '[1]')", "22023", "JSON object")
    throws_ok(filled, "select * from rag.search('pump', vars => '1')", "22023", "JSON object")
    for path in (
        "$.number", "$.source like_regex \"^a\"", "$.number.double() == 1",
        "$.at.datetime() < \"2020-01-01\".datetime()", "$.number.keyvalue().key == \"a\"",
        "exists($.* ? (@.ceiling() == 1))", "$.number == $missing",
    ):  # fmt: skip
        throws_ok(
            filled,
            "select * from rag.search('pump', filter_path => %s::jsonpath)",
            "22023",
            None,
            [path],
        )
    row = filled.execute(
        "select count(*) from rag.search('pump', top_k => 100,"
        """ filter_path => '$.number < $limit && $.source != ".datetime() like_regex"', vars => '{"limit": 5}')"""
    ).fetchone()
    assert row == (5,)


def test_a_collection_that_is_not_there(filled: Connection) -> None:
    throws_ok(
        filled,
        "select * from rag.search('pump', '{nowhere}')",
        "P0002",
        '"nowhere" does not exist or',
    )
    throws_ok(filled, "select * from rag.search('pump', '{first, nowhere}')", "P0002")
    throws_ok(filled, "select * from rag.search('pump', array[null])", "P0002")
    assert filled.execute("select * from rag.search('pump', '{}')").fetchall() == []


def test_rrf_by_itself(conn: Connection) -> None:
    rows = conn.execute(
        """select rank, id, score, ranks from rag.rrf('{"a": ["x", "y", "x"], "b": ["y", "z"], "off": ["q"]}',
                                                     '{"off": 0, "b": 2}')"""
    ).fetchall()
    assert rows == [
        (1, "y", pytest.approx(1 / 62 + 2 / 61, rel=1e-15), {"a": 2, "b": 1}),
        (2, "z", pytest.approx(2 / 62, rel=1e-15), {"b": 2}),
        (3, "x", pytest.approx(1 / 61, rel=1e-15), {"a": 1}),
    ]
    assert conn.execute("select * from rag.rrf('{}')").fetchall() == []
    throws_ok(conn, """select * from rag.rrf('{"a": ["x"]}', '{"c": 1}')""", "22023")
    throws_ok(conn, """select * from rag.rrf('{"a": ["x"]}', rrf_k => -1)""", "22023")
    for bad in ("[]", '{"a": 1}', "3", "null"):
        throws_ok(conn, "select * from rag.rrf(%s)", "22023", None, [bad])


def test_search_works_in_a_read_only_transaction(db: Database, filled: Connection) -> None:
    """G11: a replica answers."""
    with db.connect(autocommit=True) as connection:
        connection.execute("set default_transaction_read_only = on")
        assert connection.execute("select count(*) from rag.search('pump')").fetchone() == (10,)
        throws_ok(connection, "select rag.ingest('first', 'text')", "25006")


def test_a_citation_names_document_content_and_span(filled: Connection) -> None:
    row = filled.execute(
        """select h.citation = format('%s/%s@%s.%s:%s-%s', h.document_id, h.chunk_index,
                                      left(encode(sha256(convert_to(d.content, 'UTF8')), 'hex'), 16),
                                      left(encode(sha256(convert_to(h.content, 'UTF8')), 'hex'), 16),
                                      h.start_offset, h.end_offset),
                  h.content = substr(d.content, h.start_offset + 1, h.end_offset - h.start_offset)
           from rag.search('pump', top_k => 1) h join rag_internal.document d using (document_id)"""
    ).fetchone()
    assert row == (True, True)
