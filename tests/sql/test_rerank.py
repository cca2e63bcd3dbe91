"""Rerankers: how they are registered, what they say of texts, and what a search makes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql.models import ModelChoice
from ragsql_engine.rerank.scoring import sigmoid
from support import Database, RoleFactory, as_role, throws_ok
from support.cross_encoder import KNOWN, make_cross_encoder, models_from
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    embedding_server,
    failing,
    relevance_of,
    slow,
)

Connection = psycopg.Connection[Any]

QUERY = "close the valve"
TEXTS = ["open the valve", "soup", "close the valve", "the pump"]
RANKED = "select rank, index, score from rag.rerank(%s, %s, %s)"


@pytest.fixture(scope="module")
def models(short_dir: Path, model: ModelChoice) -> Iterator[Path]:
    """A folder of models with a cross-encoder and the embedding model."""
    folder = short_dir / "rerank-models"
    make_cross_encoder(folder, model.directory)
    shutil.copytree(model.directory, folder / model.directory.name)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def judge() -> Iterator[EmbeddingServer]:
    """A rerank endpoint."""
    with embedding_server() as server:
        yield server


@pytest.fixture
def root(conn: Connection, models: Path, judge: EmbeddingServer) -> Iterator[Connection]:
    """A superuser without any reranker, whose session finds its models in `models`."""
    conn.execute("delete from rag_internal.reranker")
    judge.always, judge.script, judge.words = Reply(), [], {}
    judge.requests.clear()
    with models_from(conn, models):
        yield conn


def add(connection: Connection, name: str, provider: str = "fastembed", **options: Any) -> None:
    connection.execute("select rag.add_reranker(%s, %s, %s)", (name, provider, json.dumps(options)))


def add_judge(root: Connection, judge: EmbeddingServer, **options: Any) -> None:
    root.execute("select rag.allow_http(%s)", [[judge.host]])
    add(root, "judge", "http", **{"endpoints": [{"url": judge.url}]} | options)


def names(connection: Connection) -> list[tuple[str, bool]]:
    return connection.execute("select name, is_default from rag.reranker order by name").fetchall()


# the registry ------------------------------------------------------------------------------------
def test_the_first_one_is_the_default(root: Connection) -> None:
    add(root, "a")
    add(root, "b")
    assert names(root) == [("a", True), ("b", False)]
    add(root, "b", is_default=True)
    assert names(root) == [("a", False), ("b", True)]
    add(root, "b", max_tokens=128)  # what is left out stays
    assert names(root) == [("a", False), ("b", True)]
    root.execute("select rag.drop_reranker('b')")
    assert names(root) == [("a", False)]
    throws_ok(root, "select * from rag.rerank('x', '{y}')", "55000", "no default reranker")
    throws_ok(root, "select rag.drop_reranker('b')", "P0002", 'no reranker is named "b"')


def test_what_is_registered(root: Connection, judge: EmbeddingServer) -> None:
    add(root, "local", revision="r1")
    add_judge(root, judge, max_tokens=512)
    rows = root.execute(
        "select name, provider, revision, max_tokens, scores, endpoints from rag.reranker "
        "order by name"
    ).fetchall()
    assert rows == [
        ("judge", "http", "", 512, "probability", [{"url": judge.url}]),
        ("local", "fastembed", "r1", None, "logit", []),
    ]
    add(root, "judge", "http", scores="logit", max_tokens=None)
    row = root.execute(
        "select max_tokens, scores from rag.reranker where name = 'judge'"
    ).fetchone()
    assert row == (None, "logit")


BAD = [
    ("null, 'http'", "22023", "visible"),
    ("' '", "22023", "visible"),
    ("'none'", "22023", "named none"),
    ("'default'", "22023", "named default"),
    ("'..'", "22023", "named"),
    ("repeat('x', 201)", "22023", "200"),
    ("'x', 'openai'", "22023", "unknown provider"),
    ("'x', 'http'", "22023", "no endpoint"),
    ("'x', options => '[]'", "22023", "not a JSON object"),
    ("""'x', options => '{"metric": "l2"}'""", "22023", "unknown option: metric"),
    ("""'x', options => '{"max_tokens": 63}'""", "22023", "max_tokens is not"),
    ("""'x', options => '{"max_tokens": 64.0}'""", "22023", "max_tokens is not"),
    ("""'x', options => '{"max_tokens": "64"}'""", "22023", "max_tokens is not"),
    ("""'x', options => '{"scores": "rank"}'""", "22023", "scores is not"),
    ("""'x', options => '{"scores": null}'""", "22023", "scores is not"),
    ("""'x', options => '{"is_default": "yes"}'""", "22023", "is_default is not"),
    ("""'x', options => '{"endpoints": ["http://x"]}'""", "22023", "endpoints is not"),
    ("""'x', options => '{"endpoints": [{"url": "http://x"}]}'""", "22023", "has no endpoints"),
    ("""'x', 'http', '{"endpoints": [{"url": "http://x"}]}'""", "42501", "not allowed"),
]


@pytest.mark.parametrize(("arguments", "sqlstate", "told"), BAD)
def test_what_cannot_be_registered(
    root: Connection, arguments: str, sqlstate: str, told: str
) -> None:
    throws_ok(root, f"select rag.add_reranker({arguments})", sqlstate, told)
    assert names(root) == []


def test_who_may(root: Connection, judge: EmbeddingServer, role_factory: RoleFactory) -> None:
    add_judge(root, judge)
    reader, admin = role_factory(), role_factory(["rag_admin"])
    with as_role(root, reader):
        rows = root.execute("select name, endpoints from rag.reranker").fetchall()
        assert rows == [("judge", None)]
        assert len(root.execute(RANKED, (QUERY, TEXTS, None)).fetchall()) == 4
        throws_ok(root, "select rag.add_reranker('x')", "42501")
        throws_ok(root, "select rag.drop_reranker('judge')", "42501")
        throws_ok(root, "select * from rag_internal.reranker", "42501")
        throws_ok(root, "select rag_internal.rerank_passages('x', '{y}', null)", "42501")
    with as_role(root, role_factory(["rag_writer"])):
        throws_ok(root, "select rag.add_reranker('x')", "42501")
    with as_role(root, admin):
        rows = root.execute("select endpoints from rag.reranker").fetchall()
        assert rows == [([{"url": judge.url}],)]
        root.execute("select rag.drop_reranker('judge')")


def test_doctor_tells_of_them(
    root: Connection, judge: EmbeddingServer, role_factory: RoleFactory, models: Path
) -> None:
    add(root, KNOWN)
    add(root, "own/missing")
    add_judge(root, judge)
    told = "select name, status, detail from rag.doctor() where name ~ '^reranker '"
    rows = {name: (status, detail) for name, status, detail in root.execute(told)}
    assert rows[f"reranker {KNOWN}"][0] == "ok"
    assert rows["reranker own/missing"][0] == "fail"
    assert rows["reranker judge"][0] == "ok"
    assert str(models) in rows[f"reranker {KNOWN}"][1]
    with as_role(root, role_factory()):
        details = [detail for _, _, detail in root.execute(told)]
        assert len(details) == 3
        assert not any(str(models) in detail or judge.host in detail for detail in details)


# rag.rerank --------------------------------------------------------------------------------------
def test_a_cross_encoder_in_the_server(root: Connection) -> None:
    add(root, KNOWN)
    rows = root.execute(RANKED, (QUERY, TEXTS, None)).fetchall()
    logits = {1: 8 * 2 / 3 - 4, 2: -4, 3: 4, 4: 8 * 1 / 3 - 4}
    assert [row[:2] for row in rows] == [(1, 3), (2, 1), (3, 4), (4, 2)]
    for _, index, score in rows:
        assert score == pytest.approx(sigmoid(logits[index]), abs=1e-5)


def test_an_endpoint(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    rows = root.execute(RANKED, (QUERY, TEXTS, "judge")).fetchall()
    assert {index: score for _, index, score in rows} == pytest.approx(
        {number: relevance_of(QUERY, text) for number, text in enumerate(TEXTS, 1)}
    )


def test_equal_scores_keep_their_order(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    texts = ["soup", "valve a", None, "valve b", " ", "valve a"]
    rows = root.execute(RANKED, ("valve", texts, None)).fetchall()
    assert rows == [(1, 2, 1), (2, 4, 1), (3, 6, 1), (4, 1, 0), (5, 3, 0), (6, 5, 0)]


def test_nothing_to_rank(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    assert root.execute(RANKED, (QUERY, [], None)).fetchall() == []
    assert root.execute(RANKED, (QUERY, None, None)).fetchall() == []
    assert judge.requests == []


def test_arguments_that_are_refused(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    for query in (None, "", " "):
        throws_ok(root, RANKED, "22023", "visible", (query, TEXTS, None))
    throws_ok(root, RANKED, "22023", "1001 passages", (QUERY, ["x"] * 1001, None))
    throws_ok(root, RANKED, "22023", "dimension", (QUERY, [["x"], ["y"]], None))
    throws_ok(root, RANKED, "55000", 'no reranker is named "other"', (QUERY, TEXTS, "other"))
    assert judge.requests == []


def test_what_fails_says_so(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    judge.always = failing(500)
    error = throws_ok(root, RANKED, "55000", "failed", (QUERY, TEXTS, None))
    assert "valve" not in f"{error.diag.message_primary} {error.diag.message_detail}"
    add(root, "own/missing", is_default=True)
    error = throws_ok(root, RANKED, "55000", "not on the server", (QUERY, TEXTS, None))
    assert "rerank => 'none'" in str(error.diag.message_hint)


def test_it_can_be_cancelled(root: Connection, judge: EmbeddingServer) -> None:
    add_judge(root, judge)
    judge.always = slow(30)
    root.execute("set statement_timeout = '300ms'")
    throws_ok(root, RANKED, "57014", None, (QUERY, TEXTS, None))
    root.execute("reset statement_timeout")


def test_by_token(root: Connection, judge: EmbeddingServer, role_factory: RoleFactory) -> None:
    add_judge(root, judge)
    with as_role(root, role_factory()):
        throws_ok(root, "select * from rag.rerank('x', '{y}', token => 'forged')", "28000")


# within a search ---------------------------------------------------------------------------------
FOUND = "select source, rerank_score, degraded from rag.search(%s, rerank => %s, top_k => 3{})"


@pytest.fixture
def library(root: Connection, db: Database) -> Iterator[Connection]:
    for number, text in enumerate([*TEXTS, "a valve is closed by hand", "the valve"]):
        root.execute(
            "select rag.ingest(content => %s, source => %s, collection => 'lib')",
            (text, str(number)),
        )
    yield root
    root.execute("select rag.drop_collection('lib')")


def test_a_search_is_reranked(library: Connection, judge: EmbeddingServer) -> None:
    add_judge(library, judge)
    rows = library.execute(FOUND.format(""), (QUERY, "default")).fetchall()
    assert rows[0][0] == "2"
    assert {source for source, _, _ in rows[1:]} == {"0", "5"}
    for source, score, degraded in rows:
        text = {"2": TEXTS[2], "0": TEXTS[0], "5": "the valve"}[source]
        assert score == pytest.approx(relevance_of(QUERY, text))
        assert degraded is None
    assert library.execute(FOUND.format(""), (QUERY, "judge")).fetchall() == rows
    judge.requests.clear()
    plain = library.execute(FOUND.format(""), (QUERY, "none")).fetchall()
    assert judge.requests == []
    assert [row[1] for row in plain] == [None] * 3


def test_a_search_by_a_cross_encoder_in_the_server(library: Connection) -> None:
    add(library, KNOWN)
    rows = library.execute(FOUND.format(""), (QUERY, KNOWN)).fetchall()
    assert rows[0][0] == "2"
    assert rows[0][1] == pytest.approx(sigmoid(4), abs=1e-5)


def test_a_search_whose_reranker_fails(library: Connection, judge: EmbeddingServer) -> None:
    add_judge(library, judge)
    judge.always = failing(500)
    throws_ok(library, FOUND.format(""), "55000", "failed", (QUERY, "judge"))
    throws_ok(library, FOUND.format(""), "55000", "no reranker is named", (QUERY, "other"))
    plain = library.execute(FOUND.format(""), (QUERY, "none")).fetchall()
    for name in ("judge", "other"):
        rows = library.execute(FOUND.format(", rerank_optional => true"), (QUERY, name)).fetchall()
        assert [row[0] for row in rows] == [row[0] for row in plain]
        assert all(row[1] is None and row[2] for row in rows)


PAGE = """
select source, rerank_score from rag.search(%s, '{{lib}}', top_k => 2, skip => %s,
                                            strategy => %s, rerank => 'judge'{})
"""


@pytest.mark.parametrize("strategy", ["bm25", "semantic", "hybrid"])
@pytest.mark.parametrize(
    "more", ["", ", mmr_lambda => 0.5", ", min_relevance => 0.3", ", rerank_candidates => 3"]
)
def test_pages_of_a_reranked_search_are_disjoint(
    library: Connection, judge: EmbeddingServer, strategy: str, more: str
) -> None:
    for number in range(12):
        library.execute(
            "select rag.ingest('lib', %s, %s)",
            (f"the valve {'is ' * (number % 4)}closed {'x' * number}", f"more{number}"),
        )
    add_judge(library, judge)
    pages = [
        library.execute(PAGE.format(more), (QUERY, skip, strategy)).fetchall()
        for skip in range(0, 24, 2)
    ]
    found = [source for page in pages for source, _ in page]
    assert len(found) == len(set(found)) >= 12
    ends = [len(page) for page in pages]
    assert ends == sorted(ends, reverse=True), "a page in between has a hole"
    if "min_relevance" in more:
        assert all(score >= 0.3 for page in pages for _, score in page)


def test_a_gate_closes_on_a_poor_result(library: Connection, judge: EmbeddingServer) -> None:
    add_judge(library, judge)
    query = "select count(*) from rag.search('soup', '{lib}', rerank => 'judge', gate => %s)"
    assert library.execute(query, [0.99]).fetchone() == (0,)
    assert library.execute("select rag.search_status()").fetchone() == ("abstained",)
    assert library.execute(query, [0.0]).fetchone() != (0,)
    defaults = "select rag.alter_collection('lib', search_defaults => %s)"
    library.execute(defaults, ['{"rerank": "judge", "gate": 0.99}'])
    assert library.execute("select count(*) from rag.search('soup', '{lib}')").fetchone() == (0,)
    without = "select count(*) from rag.search('soup', '{lib}', rerank => 'none')"
    assert library.execute(without).fetchone() != (0,)
    library.execute(defaults, ["{}"])
