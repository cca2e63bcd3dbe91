"""Awkward searches by several legs that users met, by the id of the case."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest

from support import Database, throws_ok
from support.vectors import add_model

Connection = psycopg.Connection[Any]
Given = tuple[str, Sequence[float] | None]
"""A passage and its vector."""

STRATEGIES = ("hybrid", "semantic", "bm25", "fuzzy")
UNIT_WEIGHTS = '{"semantic": 1, "bm25": 1, "fuzzy": 0}'


def add_collection(conn: Connection, name: str = "docs", dimensions: int = 2) -> None:
    """An empty collection whose passages are given their vectors."""
    add_model(conn, f"m-{name}", dimensions=dimensions)
    conn.execute("select rag.create_collection(%s, model => %s)", [name, f"m-{name}"])


def add(
    conn: Connection, source: str, *given: Given, collection: str = "docs", **more: Any
) -> None:
    """A document of these passages; those without a vector wait for one."""
    chunks = [
        {"content": text} | ({} if vector is None else {"embedding": list(vector)})
        for text, vector in given
    ]
    names = "".join(f", {name} => %s" for name in more)
    conn.execute(
        f"select rag.ingest_chunks(%s, %s, source => %s, embed => 'later'{names})".encode(),
        [collection, json.dumps(chunks), source, *more.values()],
    )


def ask(conn: Connection, query: str | None, columns: str = "source", **more: Any) -> list[Any]:
    """Hits in their order; a single column without its tuple."""
    arguments = "".join(f", {name} => %s" for name in more)
    rows = conn.execute(
        f"select {columns} from rag.search(%s{arguments}) order by rank".encode(),
        [query, *more.values()],
    ).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


def fused(conn: Connection, rankings: dict[str, list[str]], **more: Any) -> list[tuple[str, float]]:
    """What rag.rrf makes of rankings, rounded to four places."""
    arguments = "".join(f", {name} => %s" for name in more)
    rows = conn.execute(
        f"select id, round(score::numeric, 4) from rag.rrf(%s{arguments}) order by rank".encode(),
        [json.dumps(rankings), *more.values()],
    )
    return [(item, float(score)) for item, score in rows]


GOLDEN: list[tuple[dict[str, list[str]], dict[str, Any], list[tuple[str, float]]]] = [
    # the worked example: 1/61, 1/62 + 1/61, 1/62
    ({"x": ["a", "b"], "y": ["b", "c"]}, {}, [("b", 0.0325), ("a", 0.0164), ("c", 0.0161)]),
    # a small constant: 1/3 + 1/2, 1/4 + 1/3, 1/2, 1/5 + 1/4, 1/5
    (
        {"words": ["4", "3", "2", "1"], "meaning": ["3", "2", "1", "5"]},
        {"rrf_k": 1},
        [("3", 0.8333), ("2", 0.5833), ("4", 0.5), ("1", 0.45), ("5", 0.2)],
    ),
    # 1/1 and 1/2: k = 0 divides by the rank alone
    ({"x": ["a", "b"]}, {"rrf_k": 0}, [("a", 1.0), ("b", 0.5)]),
    # weights: 0.6/61 + 0.3/62, 0.3/61 + 0.6/62, and 0.1/61 by itself
    (
        {"semantic": ["a", "b"], "bm25": ["b", "a"], "fuzzy": ["c"]},
        {"weights": '{"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1}'},
        [("a", 0.0147), ("b", 0.0146), ("c", 0.0016)],
    ),
    # equal scores: by id; named twice, a passage counts where it comes first
    ({"x": ["b", "b"], "y": ["a"]}, {}, [("a", 0.0164), ("b", 0.0164)]),
    # three rankings that agree: 3/61
    ({"x": ["a"], "y": ["a"], "z": ["a"]}, {}, [("a", 0.0492)]),
]


@pytest.mark.parametrize(("rankings", "more", "expected"), GOLDEN)
def test_golden_vectors_of_reciprocal_rank_fusion(
    conn: Connection,
    rankings: dict[str, list[str]],
    more: dict[str, Any],
    expected: list[tuple[str, float]],
) -> None:
    assert fused(conn, rankings, **more) == expected


def test_the_worked_example_by_a_search(conn: Connection) -> None:
    """a is found by its vector, b by both, c by its words."""
    add_collection(conn)
    add(conn, "a", ("dawn", [1, 0]))
    add(conn, "b", ("lamp lamp oil", [0.8, 0.6]))
    add(conn, "c", ("the lamp and much else that is said of other things", None))
    hits = ask(
        conn,
        "lamp",
        "source, round(score::numeric, 4)::float8, semantic_rank, bm25_rank",
        query_vector="[1, 0]",
        weights=UNIT_WEIGHTS,
    )
    assert hits == [("b", 0.0325, 2, 1), ("a", 0.0164, 1, None), ("c", 0.0161, None, 2)]


def test_d02_a_missing_leg_adds_nothing(conn: Connection) -> None:
    add_collection(conn)
    add(conn, "words.md", ("a lamp", None))
    for number in range(3):
        add(conn, f"meaning{number}.md", ("nothing of the kind", [1, number]))
    hits = ask(
        conn, "lamp", "source, score", query_vector="[1, 0]",
        weights='{"semantic": 0.1, "bm25": 1, "fuzzy": 0}',
    )  # fmt: skip
    assert hits[0] == ("words.md", 1 / 61)
    assert [source for source, _ in hits[1:]] == [f"meaning{number}.md" for number in range(3)]
    assert all(0 < score <= 1 / 61 for _, score in hits)


def test_d03_ties_do_not_move(make_database: Callable[..., Database], template: str) -> None:
    with make_database(template).connect() as conn:
        add_collection(conn, "ties")
        for number in range(20):
            add(conn, f"{number}.md", ("the same words", [1, 0]), collection="ties")
        conn.execute("select rag.create_collection('others', model => 'none')")
        conn.execute("select rag.ingest('others', 'unrelated', 'u.md')")

        def ask_fifty_times(strategy: str) -> list[Any]:
            asked = {"collections": ["ties"], "top_k": 20, "query_vector": "[1, 0]"}
            answers = [
                ask(conn, "words", "document_id, chunk_index", strategy=strategy, **asked)
                for _ in range(50)
            ]
            assert all(answer == answers[0] for answer in answers)
            return answers[0]

        first = {strategy: ask_fifty_times(strategy) for strategy in STRATEGIES}
        for hits in first.values():
            assert len(hits) == 20
            assert hits == sorted(hits)
        conn.execute("update rag_internal.document set title = 'x' where source = 'u.md'")
        conn.execute("vacuum rag_internal.document, rag_internal.chunk, rag_internal.embedding")
        for setting in (
            "max_parallel_workers_per_gather = 4", "parallel_setup_cost = 0",
            "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0",
        ):  # fmt: skip
            conn.execute(f"set {setting}".encode())
        assert {strategy: ask_fifty_times(strategy) for strategy in STRATEGIES} == first


def test_d03_the_vector_index_is_used_all_the_same(conn: Connection) -> None:
    add_collection(conn)
    for number in range(20):
        add(conn, f"{number}.md", ("the same words", [1, 0]))
    statement = """
        select array(select h.document_id from unnest(l.hits) h order by h.rank), (l.step).route,
               pg_stat_get_xact_numscans(
                   format('rag_internal.embedding_%%s_hnsw', m.model_id)::regclass)
        from rag_internal.collection k join rag_internal.model m using (model_id),
             lateral rag_internal.semantic_leg(
                 '[1, 0]', m, jsonb_populate_record(null::rag_internal.scope, jsonb_build_object(
                     'acl_ids', array[k.acl_id], 'collection_ids', array[k.collection_id])),
                 '{}', 20, %s) l
        where k.name = 'docs'
    """
    ((exact, route, scans),) = conn.execute(statement, ["exact"]).fetchall()
    assert (len(exact), route, scans) == (20, "exact", 0)
    assert exact == sorted(exact)
    assert conn.execute(statement, ["index"]).fetchone() == (exact, "hnsw", 1)


def test_d04_top_k(conn: Connection) -> None:
    add_collection(conn)
    for number in range(3):
        add(conn, f"{number}.md", ("a lamp", [1, number]))
    for strategy in STRATEGIES:
        asked = {"strategy": strategy, "query_vector": "[1, 0]"}
        for bad in (0, -1):
            statement = "select rag.search('lamp', top_k => %s, strategy => %s)"
            throws_ok(conn, statement, "22023", "top_k", [bad, strategy])
        for top_k, expected in ((1, 1), (100_000, 3), (2_147_483_647, 3)):
            assert len(ask(conn, "lamp", top_k=top_k, **asked)) == expected
            assert len(ask(conn, "lamp", top_k=top_k, skip=2_147_483_647, **asked)) == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_d05_a_query_without_words_is_no_error(conn: Connection, strategy: str) -> None:
    conn.execute("select rag.ingest('real', 'A lamp stands on the table.', 'lamp.md')")
    hits = ask(conn, "???", strategy=strategy)
    assert hits == ([] if strategy in ("bm25", "fuzzy") else ["lamp.md"])


def test_d05_without_any_vector_words_are_found(conn: Connection) -> None:
    for source in ("a.md", "b.md"):
        text = f"A lamp of {source} stands on the table."
        conn.execute("select rag.ingest('real', %s, %s, embed => 'later')", [text, source])
    hits = ask(conn, "lamp", "source, degraded, semantic_rank")
    assert sorted(source for source, *_ in hits) == ["a.md", "b.md"]
    for _, degraded, semantic_rank in hits:
        assert degraded == ["semantic: some passages have no vector"]
        assert semantic_rank is None
    assert ask(conn, "lamp", strategy="semantic") == []


def test_d05_without_the_files_of_the_model_words_are_found(conn: Connection) -> None:
    conn.execute("select rag.ingest('real', 'A lamp stands on the table.', 'lamp.md')")
    conn.execute("update rag_internal.model set name = 'gone/model', revision = 'r2'")
    ((source, degraded),) = ask(conn, "lamp", "source, degraded", allow_degraded=True)
    assert source == "lamp.md"
    assert degraded[0].startswith("semantic: ")
    for strategy in ("semantic", "dense", "vector"):
        throws_ok(
            conn,
            "select rag.search('lamp', strategy => %s, allow_degraded => true)",
            "55000",
            params=[strategy],
        )


def test_d06_one_document_does_not_crowd_out_others(conn: Connection) -> None:
    add_collection(conn)
    words = "the lamp of the north tower is filled with oil each evening before the fog comes in"
    parts = words.split()
    overlapping: list[Given] = [
        (" ".join(parts[start : start + 5]) + " lamp", [1, start / 100]) for start in range(12)
    ]
    add(conn, "crowd.md", *overlapping)
    add(conn, "second.md", ("a lamp is kept in the cellar", [1, 0.5]))
    add(conn, "third.md", ("who carries a lamp", [1, 0.6]))
    columns = "source, document_id, chunk_index"
    for strategy in STRATEGIES:
        asked = {"strategy": strategy, "query_vector": "[1, 0]"}
        everything = ask(conn, "lamp", columns, top_k=100, **asked)
        assert len(everything) == len(set(everything)) == 14
        for most in (1, 2, 3):
            hits = ask(conn, "lamp", columns, top_k=5, max_per_document=most, **asked)
            sources = [source for source, *_ in hits]
            assert len(hits) == min(5, most + 2)
            assert sources.count("crowd.md") == most
            assert {"second.md", "third.md"} <= set(sources)
            # the best of each document, in their order
            best = [hit for hit in everything if hit in hits]
            assert hits == best
    assert set(ask(conn, "lamp", top_k=5, strategy="semantic", query_vector="[1, 0]")) == {
        "crowd.md"
    }


def test_d07_a_threshold_means_what_its_leg_measures(conn: Connection) -> None:
    add_collection(conn)
    add(conn, "near.md", ("dawn", [0.8, 0.6]))
    add(conn, "far.md", ("dusk", [0.1, 0.9949874]))
    add(conn, "named.md", ("lamp", [-1, 0]))
    add(conn, "unlike.md", ("a lmap that others say a good deal of", [-0.9, -0.43589]))
    asked = {"query_vector": "[1, 0]", "min_score": 0.3}
    columns = "source, score, semantic_score, bm25_score, fuzzy_score"

    ((source, score, *_),) = ask(conn, "lamp", columns, strategy="semantic", **asked)
    assert (source, score) == ("near.md", pytest.approx(0.8, abs=1e-3))
    for strategy, leg in (("bm25", 3), ("fuzzy", 4)):
        hits = ask(conn, "lamp", columns, strategy=strategy, query_vector="[1, 0]")
        kept = ask(conn, "lamp", columns, strategy=strategy, **asked)
        assert kept == [hit for hit in hits if hit[leg] >= 0.3]
        best = max(hit[leg] for hit in hits)
        above = {"strategy": strategy, "query_vector": "[1, 0]", "min_score": best + 0.01}
        assert ask(conn, "lamp", **above) == []

    # before the fusion, on similarity: what words find stays, however small its fused score
    hits = ask(conn, "lamp", columns, **asked)
    assert {source for source, *_ in hits} == {"near.md", "named.md"} | {
        source for source, *_, fuzzy in hits if fuzzy is not None
    }
    assert all(score < 0.05 for _, score, *_ in hits)
    by_source = {source: rest for source, *rest in hits}
    assert by_source["near.md"][1] == pytest.approx(0.8, abs=1e-3)
    assert by_source["named.md"][1] is None
    assert by_source["named.md"][2] > 0


@pytest.mark.parametrize("is_indexed", [True, False])
def test_d08_k_means_k_under_a_filter(conn: Connection, is_indexed: bool) -> None:
    add_collection(conn)
    for document in range(5):
        common: list[Given] = [("lamp oil lamp", [1, 0.0001 * n]) for n in range(399)]
        add(conn, f"common{document}.md", *common)
        rare = "lamp " + "and what else there is to be said of it " * 20
        add(conn, f"rare{document}.md", (rare, [-1, 0.1 * document]), tags=["rare"])
    if not is_indexed:
        conn.execute(
            "do $$ begin execute (select format('drop index rag_internal.embedding_%s_hnsw',"
            " model_id) from rag_internal.model where name = 'm-docs'); end $$"
        )
    for strategy in STRATEGIES:
        asked = {"strategy": strategy, "query_vector": "[1, 0]", "top_k": 5}
        assert not any(source.startswith("rare") for source in ask(conn, "lamp oil", **asked))
        for filtered in ({"filter": '{"tags": ["rare"]}'}, {"filter_path": '$.tags[*] == "rare"'}):
            hits = ask(conn, "lamp oil", **asked, **filtered)
            assert sorted(hits) == [f"rare{document}.md" for document in range(5)]


def test_d10_a_passage_without_its_vector_is_found_by_a_word(conn: Connection) -> None:
    for number in range(5):
        text = f"The harbour office keeps the book of ships number {number}."
        conn.execute("select rag.ingest('real', %s, %s)", [text, f"{number}.md"])
    text = "The quarantine flag is yellow."
    conn.execute("select rag.ingest('real', %s, 'new.md', embed => 'later')", [text])
    hits = ask(conn, "quarantine", "source, semantic_rank, bm25_rank, degraded")
    assert ("new.md", None, 1, ["semantic: some passages have no vector"]) in hits
    conn.execute("select rag.ingest('real', %s, 'new.md')", [text])


@pytest.mark.parametrize(
    ("weights", "rrf_k"),
    [
        ([0, 0, 0], 60),
        ([-1, 1, 1], 60),
        (["NaN", 1, 1], 60),
        (["Infinity", 1, 1], 60),
        ([1e308, 1, 1], 60),  # a sum of such weights would overflow
        ([1, 1, 1], -60),
        ([1, 1, 1], -1),
    ],
)
def test_d11_weights_and_constants_without_a_meaning(
    conn: Connection, weights: list[Any], rrf_k: int
) -> None:
    conn.execute("select rag.ingest('real', 'A lamp stands on the table.', 'lamp.md')")
    given = json.dumps(dict(zip(("semantic", "bm25", "fuzzy"), weights, strict=True)))
    statement = "select rag.search('lamp', weights => %s, rrf_k => %s)"
    throws_ok(conn, statement, "22023", params=[given, rrf_k])


def test_d11_weights_and_constants_with_one(conn: Connection) -> None:
    add_collection(conn)
    add(conn, "meaning.md", ("dawn", [1, 0]))
    add(conn, "words.md", ("lamp", None))
    asked = {"query_vector": "[1, 0]", "columns": "source, score"}
    only = {"weights": '{"semantic": 1, "bm25": 0, "fuzzy": 0}'}
    assert ask(conn, "lamp", **asked, **only) == [("meaning.md", 1 / 61)]
    assert ask(conn, "lamp", **asked, **only, rrf_k=0) == [("meaning.md", 1.0)]
    assert ask(conn, "lamp", **asked, **only, rrf_k=None) == [("meaning.md", 1 / 61)]
    huge = ask(conn, "lamp", **asked, weights='{"semantic": 1e300, "bm25": 1, "fuzzy": 0}')
    assert huge == [("meaning.md", 1e300 / 61), ("words.md", 1 / 61)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_d12_blank_and_long_queries(conn: Connection, strategy: str) -> None:
    conn.execute("select rag.ingest('real', 'The pump stands still.', 'pump.md')")
    for blank in ("", "   ", "\u200b"):
        statement = "select rag.search(%s, strategy => %s)"
        throws_ok(conn, statement, "22023", "query", [blank, strategy])
    assert ask(conn, "pump " * 20_000, strategy=strategy) == ["pump.md"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_d13_pages_have_neither_holes_nor_doubles(conn: Connection, strategy: str) -> None:
    add_collection(conn)
    for number in range(100):
        text = "lamp " * (1 + number % 7) + f"and {'more ' * (number % 11)}of it"
        tags = ["kept"] if number % 5 < 3 else []
        add(conn, f"{number}.md", (text, [1, (number * 37 % 100) / 50]), tags=tags)
    asked = {"strategy": strategy, "query_vector": "[1, 0]", "filter": '{"tags": ["kept"]}'}
    columns = "rank, document_id, chunk_index, score"
    whole = ask(conn, "lamp", columns, top_k=60, **asked)
    assert [rank for rank, *_ in whole] == list(range(1, 61))
    assert ask(conn, "lamp", columns, top_k=1000, **asked) == whole
    pages = [ask(conn, "lamp", columns, top_k=10, skip=skip, **asked) for skip in range(0, 100, 10)]
    assert [len(page) for page in pages] == [10] * 6 + [0] * 4
    assert [hit for page in pages for hit in page] == whole
