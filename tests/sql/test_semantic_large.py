"""The semantic leg over more passages than it scans exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pytest

from support import Database, throws_ok
from support.vectors import Vectors, add_model, ask, literal, near, place, unit

Connection = psycopg.Connection[Any]

DIMENSIONS = 24
COUNT = 20_000
FEW = 400
"""2 % of them."""
MOST = 12_400
"""Numbers below: FEW for one reader, the rest for another; those above nobody but an owner sees."""
SETTINGS = "hnsw.ef_search hnsw.iterative_scan enable_seqscan enable_bitmapscan enable_sort jit"


class Many(NamedTuple):
    owner: Connection
    reader_of_few: Connection
    reader_of_most: Connection
    vectors: Vectors
    question: Vectors


@pytest.fixture(scope="module")
def many(db: Database) -> Iterator[Many]:
    """A question, and about it only passages that the readers do not see."""
    owner = db.connect(autocommit=True)
    add_model(owner, "m", dimensions=DIMENSIONS)
    owner.execute("select rag.create_collection('many', model => 'm')")
    readers = []
    for name in ("few", "most"):
        role = f"{db.name}_{name}"
        owner.execute(f'create role "{role}" login in role rag_reader'.encode())
        owner.execute("select rag.create_collection(%s, readers => %s)", [name, [role]])
        readers.append(role)
    question = near(1, DIMENSIONS, 99)[0]
    noise = np.random.default_rng(3).normal(size=(COUNT - MOST, DIMENSIONS)) * 0.2
    vectors = np.vstack([near(MOST, DIMENSIONS, 1), unit(question + noise)])
    readers_of = ["few"] * FEW + ["most"] * (MOST - FEW) + ["many"] * (COUNT - MOST)
    place(owner, "many", vectors, model="m", readers_of=readers_of)
    yield Many(owner, *(db.connect(role) for role in readers), vectors, question)
    for role in readers:
        owner.execute(f'drop owned by "{role}" cascade'.encode())


def near_to(vector: Vectors) -> Vectors:
    """A question like those that a passage answers."""
    return unit(vector + np.random.default_rng(11).normal(size=DIMENSIONS) * 0.1)


def share_found(found: list[tuple[str, float]], scores: Vectors) -> float:
    """recall@k: how many are among the exactly best, as far as halfvec tells them apart."""
    worst = np.sort(scores)[::-1][len(found) - 1]
    return sum(scores[int(source)] >= worst - 1e-3 for source, _ in found) / len(found)


def settings(conn: Connection) -> list[Any]:
    return [conn.execute(f"show {name}".encode()).fetchone() for name in SETTINGS.split()]


@pytest.mark.parametrize("top_k", [10, 200, 1500, 11_000])
def test_e05_k_means_k_beyond_what_the_index_gives_at_once(many: Many, top_k: int) -> None:
    question = near_to(many.vectors[FEW + 5])
    found = ask(many.owner, question, ["many"], top_k)
    assert len({source for source, _ in found}) == top_k
    scores = many.vectors @ question
    assert [s for _, s in found] == pytest.approx([scores[int(n)] for n, _ in found], abs=2e-3)
    assert share_found(found, scores) >= 0.9
    assert found[:5] == ask(many.owner, question, ["many"], top_k + 5)[:5]


def test_e04_ten_of_the_two_percent_that_a_reader_sees(many: Many) -> None:
    found = ask(many.reader_of_few, many.question, ["many"])
    scores = many.vectors[:FEW] @ many.question
    assert len(found) == 10
    assert all(int(source) < FEW for source, _ in found)
    assert share_found(found, scores) == 1


@pytest.mark.parametrize("top_k", [10, 300])
def test_e04_ten_where_the_nearest_are_hidden_and_the_index_is_used(many: Many, top_k: int) -> None:
    found = ask(many.reader_of_most, many.question, ["many"], top_k)
    assert len(found) == top_k
    assert all(FEW <= int(source) < MOST for source, _ in found)
    scores = np.where(np.arange(MOST) < FEW, -2, many.vectors[:MOST] @ many.question)
    assert share_found(found, scores) >= 0.8


@pytest.mark.parametrize("filter_path", ["$.number < 11000", "$.number >= 19990", "$.number == 3"])
def test_k_means_k_under_a_filter(many: Many, filter_path: str) -> None:
    found = many.owner.execute(
        "select source from rag.semantic_search(null, '{many}', 8, filter_path => %s::jsonpath,"
        " query_vector => %s)",
        [filter_path, literal(many.question)],
    ).fetchall()
    wanted = {"$.number < 11000": (8, range(11_000)), "$.number >= 19990": (8, range(19_990, COUNT)),
              "$.number == 3": (1, range(3, 4))}[filter_path]  # fmt: skip
    assert len(found) == wanted[0]
    assert all(int(source) in wanted[1] for (source,) in found)


def plans(conn: Connection, query: str, parameters: list[Any]) -> str:
    """The plans of every statement inside a query."""
    told: list[str] = []

    def listen(diagnostic: psycopg.errors.Diagnostic) -> None:
        told.append(diagnostic.message_primary or "")

    conn.add_notice_handler(listen)
    conn.execute("load 'auto_explain'")
    for name, value in {
        "log_min_duration": "0",
        "log_nested_statements": "on",
        "log_level": "warning",  # the search itself holds back what is less
    }.items():
        conn.execute(f"set auto_explain.{name} = {value}".encode())
    try:
        conn.execute(query.encode(), parameters)
    finally:
        conn.execute("set auto_explain.log_min_duration = -1")
        conn.remove_notice_handler(listen)
    return "\n".join(told)


@pytest.mark.parametrize(("top_k", "uses_index"), [(10, True), (200, True), (11_000, False)])
def test_many_candidates_are_found_by_the_index(many: Many, top_k: int, uses_index: bool) -> None:
    query = "select * from rag.semantic_search(null, '{many}', %s, query_vector => %s)"
    with_index = "_hnsw on embedding_"
    found = plans(many.owner, query, [top_k, literal(many.question)])
    assert "nearest" in found or not uses_index
    assert (with_index in found) == uses_index
    # sessions that forbid or prefer something change no plan
    many.owner.execute("set enable_indexscan = off; set enable_seqscan = off")
    found = plans(many.owner, query, [top_k, literal(many.question)])
    many.owner.execute("reset enable_indexscan; reset enable_seqscan")
    assert (with_index in found) == uses_index


def test_no_setting_of_the_leg_reaches_the_session(many: Many) -> None:
    before = settings(many.owner)
    with many.owner.transaction():
        assert len(ask(many.owner, many.question, ["many"], 300)) == 300
        assert settings(many.owner) == before
        many.owner.execute("select rag.check_recall('many', 3)")
        assert settings(many.owner) == before
        throws_ok(
            many.owner,
            "select * from rag.semantic_search(null, '{many}', 300, query_vector => %s,"
            " filter_path => '$.number.double() < 1')",
            "22023",
            None,
            [literal(many.question)],
        )
        assert settings(many.owner) == before


def test_recall_is_measured_over_what_the_caller_sees(many: Many) -> None:
    for conn in (many.owner, many.reader_of_most, many.reader_of_few):
        row = conn.execute("select (rag.check_recall('many', 10)).*").fetchone()
        assert row is not None
        queries, recall, at = row
        assert (queries, at) == (10, 10)
        assert 0.6 <= recall <= 1


def test_recall_tells_a_poor_graph_from_a_good_one(many: Many) -> None:
    def recall() -> float:
        row = many.owner.execute("select (rag.check_recall('many', 20)).recall").fetchone()
        assert row is not None
        return float(row[0])

    assert recall() >= 0.9
    with many.owner.transaction(force_rollback=True):
        add_model(many.owner, "m", dimensions=DIMENSIONS, m=2, ef_construction=4)
        assert recall() <= 0.8


def test_recall_has_its_bounds(many: Many) -> None:
    for n in ("0", "-1", "10001", "null"):
        throws_ok(many.owner, f"select rag.check_recall('many', {n})", "22023", "must be 1 to")
    throws_ok(many.owner, "select rag.check_recall('nowhere')", "P0002")
    many.owner.execute("select rag.create_collection('plain', model => 'none')")
    throws_ok(many.owner, "select rag.check_recall('plain')", "55000", "has no embedding model")
    row = many.owner.execute("select (rag.check_recall('few')).*").fetchone()
    assert row == (0, None, 10)
    with many.owner.transaction():
        many.owner.execute("set transaction read only")
        assert many.owner.execute("select rag.check_recall('many', 1)").fetchone() is not None


def test_a_binary_index_ranks_by_the_stored_vectors(many: Many) -> None:
    with many.owner.transaction(force_rollback=True):
        many.owner.execute(
            "select rag.add_model('m', 'external', %s, %s)",
            [DIMENSIONS, json.dumps({"quantization": "binary"})],
        )
        question = near_to(many.vectors[FEW + 5])
        found = ask(many.owner, question, ["many"], 100)
        scores = many.vectors @ question
        assert len(found) == 100
        assert [s for _, s in found] == pytest.approx([scores[int(n)] for n, _ in found], abs=2e-3)
        assert share_found(found[:10], scores) >= 0.5
        query = "select * from rag.semantic_search(null, '{many}', 10, query_vector => %s)"
        assert "_hnsw on embedding_" in plans(many.owner, query, [literal(question)])


def test_a_search_reads_no_vectors_but_those_it_compares(many: Many) -> None:
    with many.owner.transaction():
        hits = many.owner.execute(
            "select from rag.semantic_search(null, '{many}', query_vector => %s)",
            [literal(many.question)],
        ).fetchall()
        whole = many.owner.execute(
            r"select relname from pg_stat_xact_all_tables"
            r" where relname like 'embedding\_%%' and seq_tup_read > 1000"
        ).fetchall()
    assert len(hits) == 10
    assert whole == []
