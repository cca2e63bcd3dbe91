"""Rerank endpoints of the kinds there are, and what goes wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragsql_engine.errors import InvalidParameter
from ragsql_engine.rerank.endpoints import parse_endpoints
from ragsql_engine.rerank.reranker import Reranker
from ragsql_engine.session import Engine
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    backwards,
    embedding_server,
    failing,
    fewer,
    hanging_up,
    malformed,
    relevance_of,
    too_many,
)
from unit.stand_ins import FakePlpy, SqlError

SECRET = "sk-c0ffee-0451"
QUERY = "close the valve"
TEXTS = ["open the valve", "soup", "close the valve", "the pump"]
EXPECTED = [relevance_of(QUERY, text) for text in TEXTS]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


def row(*endpoints: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "quarry/judge",
        "provider": "http",
        "revision": "",
        "max_tokens": None,
        "endpoints": json.dumps(endpoints),
        "scores": "probability",
    } | more


def engine(server: EmbeddingServer, **settings: str) -> Engine:
    return Engine(FakePlpy(**{"http_hosts": server.host} | settings), None)


@pytest.mark.parametrize("style", [None, "jina", "cohere", "tei"])
def test_the_kinds_of_endpoints(server: EmbeddingServer, style: str | None) -> None:
    where = {"url": server.url, "model": "judge-2", "style": style}
    assert engine(server).rerank(QUERY, TEXTS, row(where)) == pytest.approx(EXPECTED)
    (request,) = server.requests
    assert request.path == "/v1/rerank"
    body = request.body
    assert body.pop("query") == QUERY
    texts = body.pop("texts" if style == "tei" else "documents")
    assert sorted(texts) == sorted(TEXTS)
    if style == "tei":
        assert body == {"raw_scores": False, "truncate": False}
    else:
        assert body.pop("model") == "judge-2"
        assert body == ({} if style == "cohere" else {"return_documents": False})


def test_scores_come_in_any_order(server: EmbeddingServer) -> None:
    server.always = backwards()
    found = engine(server).rerank(QUERY, TEXTS, row({"url": server.url}))
    assert found == pytest.approx(EXPECTED)


def test_other_shapes_of_answers(server: EmbeddingServer) -> None:
    """Voyage says data; scores may be whole numbers."""
    server.always = Reply(body=b'{"data": [{"index": 0, "relevance_score": 1}]}')
    assert engine(server).rerank(QUERY, ["x"], row({"url": server.url})) == [1]


def test_logits_of_an_endpoint(server: EmbeddingServer) -> None:
    server.always = Reply(body=b'[{"index": 0, "score": 0}]')
    judge = row({"url": server.url, "style": "tei"}, scores="logit")
    assert engine(server).rerank(QUERY, ["x"], judge) == [0.5]
    assert server.requests[0].body["raw_scores"] is True


def test_the_key_goes_along(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", SECRET)
    where = {"url": server.url, "key_variable": "JUDGE_KEY"}
    with pytest.raises(SqlError, match="JUDGE_KEY is not allowed"):
        engine(server).rerank(QUERY, TEXTS, row(where))
    assert server.requests == []
    engine(server, http_key_variables="JUDGE_KEY").rerank(QUERY, TEXTS, row(where))
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_batches(server: EmbeddingServer) -> None:
    texts = [f"valve {number}" for number in range(70)]
    found = engine(server).rerank("valve", texts, row({"url": server.url}))
    assert found == [1.0] * 70
    assert sorted(len(request.texts) for request in server.requests) == [6, 32, 32]


def test_a_batch_that_is_refused_goes_one_by_one(server: EmbeddingServer) -> None:
    server.script = [failing(413)]
    found = engine(server).rerank(QUERY, TEXTS, row({"url": server.url}))
    assert found == pytest.approx(EXPECTED)
    assert [len(request.texts) for request in server.requests] == [4, 1, 1, 1, 1]


FAULTS = {
    "429": (too_many("60"), "429"),
    "500": (failing(500), "500"),
    "401": (failing(401), "wants a key"),
    "404": (failing(404), "does not know model"),
    "refused": (failing(422), "refuses a text"),
    "malformed": (malformed(), "JSON of a rerank API"),
    "fewer": (fewer(), "0 scores for 1"),
    "hangs up": (hanging_up(), "broke"),
    "other indexes": (
        Reply(change=lambda data: [{**one, "index": 7} for one in data]),
        "indexes",
    ),
    "no number": (
        Reply(change=lambda data: [{**one, "relevance_score": "1"} for one in data]),
        "no number",
    ),
    "not finite": (
        Reply(change=lambda data: [{**one, "relevance_score": float("nan")} for one in data]),
        "no number",
    ),
    "beyond": (
        Reply(change=lambda data: [{**one, "relevance_score": 3.2} for one in data]),
        "no probability",
    ),
}


@pytest.mark.parametrize(("reply", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_told_without_the_texts(
    server: EmbeddingServer, reply: Reply, told: str
) -> None:
    server.always = reply
    with pytest.raises(SqlError, match=told) as caught:
        engine(server).rerank(QUERY, TEXTS, row({"url": server.url}))
    assert caught.value.sqlstate == "55000"
    words = f"{caught.value} {caught.value.detail} {caught.value.hint}"
    assert not any(text in words for text in [QUERY, *TEXTS])


def test_a_spoilt_passage(server: EmbeddingServer) -> None:
    server.words["pump"] = "refuse"
    with pytest.raises(SqlError, match="refuses a text") as caught:
        engine(server).rerank(QUERY, TEXTS, row({"url": server.url}))
    assert "max_tokens" in str(caught.value.hint)


def test_hosts_are_allowed_by_name(server: EmbeddingServer) -> None:
    closed = Engine(FakePlpy(), None)
    judge = row({"url": server.url})
    with pytest.raises(SqlError, match="is not allowed") as caught:
        closed.check_reranker(judge)
    assert caught.value.sqlstate == "42501"
    with pytest.raises(SqlError, match="is not allowed") as caught:
        closed.rerank(QUERY, TEXTS, judge)
    assert caught.value.sqlstate == "55000"
    assert closed.reranker_status(judge)["present"] is False
    assert server.requests == []
    engine(server).check_reranker(judge)
    assert engine(server).reranker_status(judge)["present"] is True


def test_the_next_endpoint_stands_in(server: EmbeddingServer) -> None:
    with embedding_server() as gone:
        pass
    judge = row({"url": gone.url}, {"url": server.url})
    found = engine(server, http_hosts=f"{gone.host} {server.host}").rerank(QUERY, TEXTS, judge)
    assert found == pytest.approx(EXPECTED)


def test_the_embedder_scores_for_all(tmp_path: Path) -> None:
    with embedding_server(socket=tmp_path / "e.sock") as server:
        judge = row(provider="fastembed", scores="logit", revision="r7")
        attached = Engine(FakePlpy(embedder=server.url), str(tmp_path))
        # its answers are probabilities, whatever the model gives
        assert attached.rerank(QUERY, TEXTS, judge) == pytest.approx(EXPECTED)
        assert attached.reranker_status(judge)["present"] is True
    (request, *_) = server.requests
    assert request.path == "/v1/rerank"
    assert request.body["model"] == "quarry/judge"
    assert request.body["revision"] == "r7"


BAD = [
    [],
    [{"model": "x"}],
    [{"url": "ftp://x"}],
    [{"url": "http://user@x"}],
    [{"url": "https://x", "style": "openai"}],
    [{"url": "https://x", "send_dimensions": True}],
    [{"url": "https://x", "timeout": 0}],
    [{"url": "http://x.example", "key_variable": "JUDGE_KEY"}],
    [{"url": "https://x", "key_variable": SECRET}],
]


@pytest.mark.parametrize("endpoints", BAD)
def test_endpoints_that_cannot_be(endpoints: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_endpoints(Reranker.from_row(row(*endpoints)))
    assert SECRET not in f"{caught.value} {caught.value.hint}"
    with pytest.raises(SqlError) as told:
        Engine(FakePlpy(), None).check_reranker(row(*endpoints))
    assert told.value.sqlstate == "22023"


@pytest.mark.parametrize(
    ("url", "style", "target"),
    [
        ("https://api.example/v2", "cohere", "/v2/rerank"),
        ("https://api.example/v1/rerank/", None, "/v1/rerank"),
        ("http://127.0.0.1:8080", "tei", "/rerank"),
        ("unix:/run/judge.sock", None, "/v1/rerank"),
        ("unix:/run/judge.sock", "tei", "/rerank"),
    ],
)
def test_where_a_url_leads(url: str, style: str | None, target: str) -> None:
    (endpoint,) = parse_endpoints(Reranker.from_row(row({"url": url, "style": style})))
    assert endpoint.target == target


def test_a_fastembed_model_has_no_endpoints() -> None:
    with pytest.raises(SqlError, match="has no endpoints"):
        Engine(FakePlpy(), None).check_reranker(row({"url": "https://x"}, provider="fastembed"))
