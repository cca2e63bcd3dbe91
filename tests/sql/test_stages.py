"""What rag.search does with the rankings of its legs: fusion, candidates, variety, and its account."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.rows import dict_row

from support import Database, RoleFactory, as_role, throws_ok

Connection = psycopg.Connection[Any]
Hit = dict[str, Any]

WORDS = "valve pump lantern gauge red blue old new open close leak rust steam water".split()
LEGS = ("semantic", "bm25", "fuzzy")
WEIGHTS = {
    "rrf": {"semantic": 0.6, "bm25": 0.3, "fuzzy": 0.1},
    "linear": {"semantic": 0.7, "bm25": 0.3, "fuzzy": 0.0},
    "convex": {"semantic": 0.4, "bm25": 0.6, "fuzzy": 0.0},
}


@pytest.fixture(scope="module")
def filled(db: Database) -> Iterator[Connection]:
    connection = db.connect(autocommit=True)
    texts = [
        " ".join(WORDS[(i * 7 + j * (1 + i % 5)) % len(WORDS)] for j in range(5 + i % 9)) + f" n{i}"
        for i in range(60)
    ]
    documents = [{"content": text, "source": f"{i:03}.md"} for i, text in enumerate(texts)]
    connection.execute("select rag.ingest_many('docs', %s)", [json.dumps(documents)])
    # the same text three times, but for signs and case, and a document of several passages
    for source, text in {
        "twin1": "The lantern was green.",
        "twin2": "the LANTERN was green",
        "twin3": "The lantern: was  green!",
    }.items():
        connection.execute("select rag.ingest('twins', %s, %s)", [text, source])
    texts = [f"lantern passage {i}" for i in range(4)]
    connection.execute(
        "select rag.ingest_chunks('twins', %s, content => %s, source => 'long')",
        [json.dumps([{"content": text} for text in texts]), "\n".join(texts)],
    )
    yield connection
    connection.close()


def search(conn: Connection, query: str | None, **arguments: Any) -> list[Hit]:
    """Hits of rag.search with these arguments, as dictionaries."""
    given = {"query": query, "collections": ["docs"], **arguments}
    given = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in given.items()}
    call = ", ".join(f"{name} => %({name})s" for name in given)
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(f"select * from rag.search({call})".encode(), given).fetchall()


def explain(conn: Connection, query: str, **arguments: Any) -> list[Hit]:
    """Rows of rag.explain_search."""
    given = {"query": query, "collections": ["docs"], **arguments}
    given = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in given.items()}
    call = ", ".join(f"{name} => %({name})s" for name in given)
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            f"select * from rag.explain_search({call})".encode(), given
        ).fetchall()


def fused(hits: list[Hit], fusion: str, weights: Mapping[str, float]) -> list[tuple[float, Any]]:
    """(score, document_id) by the formula, from the ranks and scores of all hits."""
    scores: dict[Any, float] = defaultdict(float)
    for leg in LEGS:
        ranked = [h for h in hits if h[f"{leg}_rank"] is not None]
        values = [h[f"{leg}_score"] for h in ranked]
        for hit in ranked:
            rank, value = hit[f"{leg}_rank"], hit[f"{leg}_score"]
            if fusion == "rrf":
                part = 1 / (60 + rank)
            elif fusion == "linear":
                part = 1 - (rank - 1) / len(ranked)
            elif leg == "semantic":
                part = (value - min(values)) / (max(values) - min(values))
            else:
                part = value / max(values)
            scores[hit["document_id"]] += weights[leg] * part
    return sorted(((s, d) for d, s in scores.items()), key=lambda pair: (-pair[0], pair[1]))


@pytest.mark.parametrize("fusion", WEIGHTS)
@pytest.mark.parametrize("query", ["red pump", "lantern leak n7", "steam watre"])
@pytest.mark.parametrize("given", [{}, {"bm25": 0.5}])
def test_the_score_of_a_fusion(
    filled: Connection, fusion: str, query: str, given: dict[str, float]
) -> None:
    hits = search(filled, query, fusion=fusion, top_k=100, weights=given or None)
    expected = fused(hits, fusion, WEIGHTS[fusion] | given)
    assert len(hits) == 60
    assert [h["score"] for h in hits] == pytest.approx([s for s, _ in expected], rel=1e-12)
    assert [h["document_id"] for h in hits] == [d for _, d in expected]
    assert [h["rank"] for h in hits] == list(range(1, 61))
    assert [
        h["document_id"]
        for h in search(filled, query, fusion=fusion, top_k=5, weights=given or None)
    ] == [d for _, d in expected[:5]]


@pytest.mark.parametrize(
    ("strategy", "names"),
    [
        ("hybrid", ["combined", "rrf"]),
        ("semantic", ["dense", "vector"]),
        ("bm25", ["lexical", "sparse"]),
        ("fuzzy", ["approximate"]),
    ],
)
def test_other_names_of_a_strategy(filled: Connection, strategy: str, names: list[str]) -> None:
    expected = search(filled, "red pump", strategy=strategy)
    assert expected
    for name in names:
        assert search(filled, "red pump", strategy=name) == expected


def test_an_unknown_name_is_told_the_known_ones(filled: Connection) -> None:
    for name in ("bm 25", "Hybrid", ""):
        error = throws_ok(
            filled, "select * from rag.search('x', strategy => %s)", "22023", params=[name]
        )
        assert "hybrid (also combined, rrf)" in str(error)
        assert "approximate" in str(error)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fusion": "sum"}, "rrf, linear or convex"),
        ({"expand": "page"}, "chunk, section or neighbours"),
        ({"candidates": 0}, "1 or more"),
        ({"max_per_document": 0}, "1 or more"),
        ({"max_distance": 3}, "0, 1 or 2"),
        ({"mmr_lambda": 1.5}, "from 0 to 1"),
        ({"mmr_lambda": float("nan")}, "from 0 to 1"),
        ({"min_score": float("nan")}, "no number"),
        ({"gate": 0.5}, "nothing is reranked"),
        ({"min_relevance": 0.5}, "nothing is reranked"),
        ({"min_updated_at": "2024-02-01", "max_updated_at": "2024-01-01"}, "is after"),
        ({"weights": {"semantic": 0, "bm25": 0, "fuzzy": 0, "hyde": 1}}, "hyde_vector"),
    ],
)
def test_arguments_out_of_range(filled: Connection, arguments: Any, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message):
        search(filled, "pump", **arguments)


def test_an_imagined_answer_is_a_further_leg(filled: Connection) -> None:
    imagined = filled.execute("select (rag.embed('{the old gauge leaks}'))[1]::text").fetchone()
    assert imagined is not None
    plain = {h["document_id"]: h["score"] for h in search(filled, "red pump", top_k=60)}
    ranks = {
        h["document_id"]: h["rank"]
        for h in search(filled, None, strategy="semantic", query_vector=imagined[0], top_k=60)
    }
    hits = search(filled, "red pump", hyde_vector=imagined[0], top_k=60)
    for hit in hits:
        document = hit["document_id"]
        assert hit["score"] == pytest.approx(
            plain[document] + 0.6 / (60 + ranks[document]), rel=1e-12
        )
    assert len(hits) == 60
    silent = search(filled, "red pump", hyde_vector=imagined[0], top_k=60, weights={"hyde": 0})
    assert {h["document_id"]: h["score"] for h in silent} == plain


def test_equal_texts_appear_once_where_that_is_asked(filled: Connection) -> None:
    every = search(filled, "green lantern", collections=["twins"])
    assert len(every) == 7
    once = search(filled, "green lantern", collections=["twins"], collapse=True)
    kept = [h for h in every if not h["source"].startswith("twin")]
    first = next(h for h in every if h["source"].startswith("twin"))
    assert {h["citation"] for h in once} == {h["citation"] for h in [first, *kept]}
    assert [h["rank"] for h in once] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("strategy", ["hybrid", "bm25", "semantic", "fuzzy"])
def test_what_is_left_out_makes_room(filled: Connection, strategy: str) -> None:
    given = {"collections": ["twins"], "strategy": strategy, "max_per_document": 1}
    every = search(filled, "lantern", **given, top_k=10)
    assert sorted(h["source"] for h in every) == ["long", "twin1", "twin2", "twin3"]
    for k in range(1, 5):
        page = search(filled, "lantern", **given, top_k=k)
        assert [h["citation"] for h in page] == [h["citation"] for h in every[:k]]
    second = search(filled, "lantern", **given, top_k=2, skip=2)
    assert [h["rank"] for h in second] == [3, 4]
    assert [h["citation"] for h in second] == [h["citation"] for h in every[2:]]


def most_varied(hits: list[Hit], vectors: Mapping[str, Any], trade: float) -> list[str]:
    """Carbonell and Goldstein, SIGIR 1998, a passage at a time."""
    low, high = hits[-1]["score"], hits[0]["score"]
    left, chosen = list(hits), list[Hit]()
    while left:
        best = max(
            left,
            key=lambda h: (
                trade * (h["score"] - low) / (high - low)
                - (1 - trade)
                * max(
                    (float(vectors[h["citation"]] @ vectors[c["citation"]]) for c in chosen),
                    default=0,
                ),
                -h["rank"],
            ),
        )
        left.remove(best)
        chosen.append(best)
    return [h["citation"] for h in chosen]


@pytest.mark.parametrize("trade", [0.0, 0.3, 0.7, 1.0])
def test_variety_is_maximal_marginal_relevance(filled: Connection, trade: float) -> None:
    hits = search(filled, "red pump", top_k=60)
    rows = filled.execute(
        """select c.document_id, e.v::text from rag_internal.chunk c
           join rag_internal.embedding e using (chunk_id)"""
    ).fetchall()
    by_document = {document: np.array(json.loads(v)) for document, v in rows}
    by_document = {document: v / np.linalg.norm(v) for document, v in by_document.items()}
    vectors = {h["citation"]: by_document[h["document_id"]] for h in hits}
    varied = search(filled, "red pump", top_k=60, mmr_lambda=trade, collapse=False)
    assert [h["citation"] for h in varied] == most_varied(hits, vectors, trade)
    assert [h["rank"] for h in varied] == list(range(1, 61))
    page = search(filled, "red pump", top_k=5, mmr_lambda=trade, collapse=False)
    assert [h["citation"] for h in page] == [h["citation"] for h in varied[:5]]


def test_a_clear_lead_by_words_spares_the_vectors(filled: Connection, db: Database) -> None:
    defaults = {"bm25_lead": 1.5}
    filled.execute(
        "select rag.alter_collection('docs', search_defaults => %s)", [json.dumps(defaults)]
    )
    try:
        clear = explain(filled, "n7")
        assert [s["route"] for s in clear if s["step"] == "semantic"] == ["skipped"]
        assert "leads by all" in next(s["why"] for s in clear if s["step"] == "semantic")
        assert search(filled, "n7")[0]["semantic_rank"] is None
        unclear = explain(filled, "red pump valve")
        assert [s["route"] for s in unclear if s["step"] == "semantic"] == ["exact"]
    finally:
        filled.execute("select rag.alter_collection('docs', search_defaults => '{}')")


def test_all_legs_look_for_the_corrected_words_where_asked(filled: Connection) -> None:
    given = {"strategy": "bm25", "top_k": 60}
    assert search(filled, "lantren", **given) == []
    hits = search(filled, "lantren", **given, correct_typos=True)
    meant = search(filled, "lantern", **given)
    assert [h["citation"] for h in hits] == [h["citation"] for h in meant]
    assert {h["corrected_query"] for h in hits} == {"lantern"}
    assert search(filled, "lantren", **given, correct_typos=True, max_distance=0) == []
    quoted = search(filled, '"lantren"', **given, correct_typos=True)
    assert quoted == []


def test_how_far_off_a_word_may_be(filled: Connection) -> None:
    two = search(filled, "lantrxn", strategy="fuzzy")
    assert two
    assert search(filled, "lantrxn", strategy="fuzzy", max_distance=1) == []


def test_the_least_score_is_that_of_the_leg(filled: Connection) -> None:
    for strategy in ("semantic", "bm25", "fuzzy"):
        every = search(filled, "red pump", strategy=strategy, top_k=60)
        bound = every[len(every) // 2]["score"]
        kept = search(filled, "red pump", strategy=strategy, top_k=60, min_score=bound)
        assert [h["citation"] for h in kept] == [
            h["citation"] for h in every if h["score"] >= bound
        ]
    hits = search(filled, "red pump", top_k=60, min_score=0.4)
    assert hits
    assert all(h["semantic_score"] is None or h["semantic_score"] >= 0.4 for h in hits)
    assert any(h["semantic_score"] is None for h in hits)  # found by their words


def test_defaults_of_a_collection(filled: Connection) -> None:
    defaults = {"fusion": "convex", "max_per_document": 1, "highlight": True, "collapse": True}
    filled.execute(
        "select rag.alter_collection('twins', search_defaults => %s)", [json.dumps(defaults)]
    )
    try:
        hits = search(filled, "green lantern", collections=["twins"])
        asked = search(filled, "green lantern", collections=["twins"], **defaults)
        assert hits == asked
        assert len(hits) == 2
        assert all("<mark>" in h["highlight"] for h in hits)
        assert len(search(filled, "green lantern", collections=["twins"], collapse=False)) == 4
    finally:
        filled.execute("select rag.alter_collection('twins', search_defaults => '{}')")


@pytest.mark.parametrize(
    "defaults",
    [{"fusion": "x"}, {"collapse": 1}, {"gate": 0.3}, {"bm25_lead": 0.5}, {"candidates": 1.5},
     {"close_similarity": "1"}, {"rerank": 3}, {"unknown": 1}, {"strategy": "x"}],
)  # fmt: skip
def test_defaults_that_mean_nothing(filled: Connection, defaults: dict[str, Any]) -> None:
    throws_ok(
        filled,
        "select rag.alter_collection('docs', search_defaults => %s)",
        "22023",
        params=[json.dumps(defaults)],
    )


@pytest.mark.parametrize("fusion", WEIGHTS)
def test_the_account_of_a_search_adds_up(filled: Connection, fusion: str) -> None:
    hits = search(filled, "red pump", fusion=fusion, top_k=5)
    rows = explain(filled, "red pump", fusion=fusion, top_k=5)
    for hit in hits:
        own = [r for r in rows if r["step"] == "hit" and r["rank"] == hit["rank"]]
        assert {r["route"] for r in own} == {leg for leg in LEGS if hit[f"{leg}_rank"] is not None}
        assert {(r["document_id"], r["chunk_index"]) for r in own} == {
            (hit["document_id"], hit["chunk_index"])
        }
        assert sum(r["share"] for r in own) == pytest.approx(1)
        for row in own:
            assert row["score"] == hit[f"{row['route']}_score"]
            assert row["detail"]["leg_rank"] == hit[f"{row['route']}_rank"]
            if row["route"] == "bm25":
                terms = row["detail"]["terms"]
                assert {t["term"] for t in terms} <= {"red", "pump"}
                assert sum(t["contribution"] for t in terms) == pytest.approx(row["score"])
    assert rows[-1]["step"] == "result"
    assert (rows[-1]["route"], rows[-1]["passages"]) == ("found", 5)


def test_empty_results_are_told_apart(
    filled: Connection, db: Database, role_factory: RoleFactory
) -> None:
    reader = role_factory()

    def status() -> Any:
        row = filled.execute("select rag.search_status()").fetchone()
        assert row is not None
        return row[0]

    search(filled, "pump")
    assert status() == "found"
    assert search(filled, "zebra", strategy="bm25") == []
    assert status() == "no match"
    with as_role(filled, reader):
        assert status() is None  # that was somebody else
        filled.execute("select * from rag.search('pump')")
        assert status() == "nothing visible"
        rows = filled.execute(
            "select route from rag.explain_search('pump') where step = 'result'"
        ).fetchall()
        assert rows == [("nothing visible",)]
    assert status() is None


def test_matches_are_counted_whatever_the_page(filled: Connection) -> None:
    count = "select rag.count_matches(%s, '{docs}', %s)"
    for strategy in ("bm25", "fuzzy", "semantic", "hybrid"):
        every = search(filled, "red pump", strategy=strategy, top_k=1000)
        assert filled.execute(count, ["red pump", strategy]).fetchone() == (len(every),)
    assert filled.execute(count, ["zebra", "bm25"]).fetchone() == (0,)
    throws_ok(filled, count, "22023", params=["  ", "bm25"])
    throws_ok(filled, count, "22023", params=["pump", "all"])


def test_the_account_counts_what_passes_the_filter(
    filled: Connection, role_factory: RoleFactory
) -> None:
    reader = role_factory()
    filled.execute("select rag.grant_read('docs', %s)", [reader])
    path = "$.source == '007.md' || $.source == 'twin1'".replace("'", '"')
    with as_role(filled, reader):
        rows = filled.execute(
            "select step, route, passages from rag.explain_search('pump', filter_path => %s)"
            " where step in ('sight', 'filter')",
            [path],
        ).fetchall()
    assert rows == [("sight", "by class", 60), ("filter", "counted", 1)]
    filled.execute("select rag.revoke_read('docs', %s)", [reader])


@pytest.mark.parametrize("strategy", ["hybrid", "bm25", "semantic"])
@pytest.mark.parametrize("more", [{}, {"collapse": True}, {"max_per_document": 1}])
def test_pages_of_varied_passages_are_disjoint(
    filled: Connection, strategy: str, more: dict[str, Any]
) -> None:
    given = {"collections": None, "strategy": strategy, "mmr_lambda": 0.3} | more
    every = [h["citation"] for h in search(filled, "lantern red", **given, top_k=60)]
    pages = [
        h["citation"]
        for skip in range(0, 60, 7)
        for h in search(filled, "lantern red", **given, top_k=7, skip=skip)
    ]
    assert pages[: len(every)] == every
    assert len(set(pages)) == len(pages)
    assert [h["citation"] for h in search(filled, "lantern red", **given, top_k=5)] == every[:5]


def test_shares_add_up_where_the_legs_looked_deeper(filled: Connection) -> None:
    texts = [{"content": "The lantern was green.", "source": f"copy{i}"} for i in range(150)]
    filled.execute("select rag.create_collection('copies', model => 'none')")
    filled.execute("select rag.ingest_many('copies', %s)", [json.dumps(texts)])
    try:
        rows = explain(
            filled, "green lantern", collections=["copies", "twins"], collapse=True, top_k=60
        )
        hits = [row for row in rows if row["step"] == "hit"]
        assert hits
        for rank in {row["rank"] for row in hits}:
            assert sum(r["share"] for r in hits if r["rank"] == rank) == pytest.approx(1)
    finally:
        filled.execute("select rag.drop_collection('copies')")


@pytest.mark.parametrize(
    "defaults",
    [{"candidates": 1.5}, {"max_distance": "2"}, {"min_score": "x"}, {"rrf_k": -1},
     {"rerank": "none", "gate": 0.5}],
)  # fmt: skip
def test_defaults_that_no_search_could_use(filled: Connection, defaults: dict[str, Any]) -> None:
    alter = "select rag.alter_collection('docs', search_defaults => %s)"
    throws_ok(filled, alter, "22023", params=[json.dumps(defaults)])


@pytest.mark.parametrize(
    "text", ['{"candidates": 10.0}', '{"max_distance": 1.0}', '{"gate": 1e-400, "rerank": "x"}']
)
def test_numbers_that_are_written_oddly(filled: Connection, text: str) -> None:
    throws_ok(
        filled,
        "select rag.alter_collection('docs', search_defaults => %s)",
        "22023",
        params=[text],
    )


@pytest.mark.parametrize("moment", ["infinity", "294276-12-31", "4713-01-01 BC"])
def test_moments_that_are_none(filled: Connection, moment: str) -> None:
    for call in ("search('pump', ", "bm25_search('pump', ", "count_matches('pump', "):
        throws_ok(filled, f"select rag.{call} as_of => %s)", "22023", params=[moment])


def test_a_vector_alone_has_nothing_to_correct(filled: Connection) -> None:
    vector = filled.execute("select (rag.embed('{pump}'))[1]::text").fetchone()
    assert vector is not None
    assert search(filled, None, strategy="semantic", query_vector=vector[0], correct_typos=True)
