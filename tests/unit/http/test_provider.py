"""What an endpoint is asked, and what a text makes of it."""

from pathlib import Path

import numpy as np
import pytest

from ragsql_engine.embedding.http_provider import HttpProvider
from ragsql_engine.errors import InvalidParameter, ProviderUnavailable, TextRefused
from ragsql_engine.model import Model
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    backwards,
    embedding_server,
    failing,
    of_dimensions,
    vector_of,
)
from unit.http.calls import (
    SECRET,
    TEXTS,
    assert_tells_nothing,
    fault,
    free_port,
    provider,
    provider_of,
)


def test_vectors_come_in_the_order_of_the_texts(server: EmbeddingServer) -> None:
    vectors = provider(server).embed(TEXTS, "passage")
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.allclose(vector, vector_of(text, 8))
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "quarry/heron", "input": TEXTS}
    assert "authorization" not in request.headers
    assert request.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("text", ["鍵は青い箱", 'quote " and \\', "\x01\u2028", "🪶"])
def test_any_text_arrives_as_it_is(server: EmbeddingServer, text: str) -> None:
    provider(server).embed([text], "passage")
    assert server.texts == [text]


def test_index_and_not_position_says_whose_vector_it_is(server: EmbeddingServer) -> None:
    server.script = [backwards()]
    vectors = provider(server).embed(TEXTS, "passage")
    assert np.allclose(vectors, [vector_of(text, 8) for text in TEXTS])


def test_vectors_without_an_index_come_in_order(server: EmbeddingServer) -> None:
    server.script = [Reply(change=lambda data: [{"embedding": v["embedding"]} for v in data])]
    vectors = provider(server).embed(TEXTS, "passage")
    assert np.allclose(vectors, [vector_of(text, 8) for text in TEXTS])


def test_base64_is_read(server: EmbeddingServer) -> None:
    server.base64 = True
    vectors = provider(server).embed(TEXTS, "passage")
    assert np.allclose(vectors, [vector_of(text, 8) for text in TEXTS], atol=1e-6)


def test_nan_zero_and_null_are_for_the_caller_to_judge(server: EmbeddingServer) -> None:
    server.words = {"heron": "nan", "kettle": "zero"}
    nan, zero, good = provider(server).embed(TEXTS, "passage")
    assert np.isnan(nan).all()
    assert not zero.any()
    assert np.linalg.norm(good) == pytest.approx(1)
    server.script = [Reply(change=lambda data: [{**v, "embedding": [None] * 8} for v in data])]
    assert np.isnan(provider(server).embed(["x"], "passage")).all()


def test_wrong_dimensions_come_through(server: EmbeddingServer) -> None:
    server.script = [of_dimensions(1536)]
    assert [v.size for v in provider(server).embed(TEXTS, "passage")] == [1536] * 3


def test_options_of_an_endpoint_are_sent(server: EmbeddingServer) -> None:
    endpoint = {
        "url": server.url + "/embeddings/",
        "model": "heron-3",
        "send_dimensions": True,
        "input_type": True,
        "key_variable": "HERON_KEY",
    }
    provider_of(endpoint).embed(["x"], "query")
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "heron-3",
        "input": ["x"],
        "dimensions": 8,
        "input_type": "query",
    }
    assert request.headers["authorization"] == f"Bearer {SECRET}"


def test_azure_has_a_header_and_a_path_of_its_own(server: EmbeddingServer) -> None:
    base = server.url.removesuffix("/v1")
    endpoint = {
        "url": base,
        "model": "our-deployment",
        "style": "azure",
        "api_version": "2024-10-21",
        "key_variable": "HERON_KEY",
    }
    provider_of(endpoint).embed(["x"], "passage")
    provider_of(endpoint | {"url": f"{base}/openai/deployments/other"}).embed(["x"], "passage")
    first, second = server.requests
    expected = "/openai/deployments/our-deployment/embeddings?api-version=2024-10-21"
    assert first.path == expected
    assert second.path == expected.replace("our-deployment", "other")
    assert first.headers["api-key"] == SECRET
    assert "authorization" not in first.headers


def test_a_unix_socket(short_dir: Path) -> None:
    path = short_dir / "heron.sock"
    with embedding_server(socket=path) as server:
        vectors = provider(server).embed(TEXTS, "passage")
        assert np.allclose(vectors, [vector_of(text, 8) for text in TEXTS])
    error = fault(provider(server))
    assert error.message == "the endpoint heron.sock cannot be reached"
    assert str(short_dir) not in repr([error.message, error.detail, error.hint])


def test_the_embedder_is_asked_for_model_revision_and_kind(server: EmbeddingServer) -> None:
    model = Model("quarry/heron", "abc123", 8, "", "", 256)
    url = server.url.removesuffix("/v1")
    embedder = HttpProvider.of_embedder(model, url, pause=lambda: None)
    embedder.embed(["x"], "query")
    assert embedder.health() == {"status": "ok"}
    request, health = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "quarry/heron",
        "input": ["x"],
        "input_type": "query",
        "revision": "abc123",
    }
    assert health.path == "/health"


def test_a_missing_embedder_is_named_with_what_to_do() -> None:
    model = Model("quarry/heron", "", 8, "", "", 256)
    url = f"http://127.0.0.1:{free_port()}"
    embedder = HttpProvider.of_embedder(model, url, pause=lambda: None)
    error = fault(embedder)
    assert error.message == f"the embedder at {url[7:]} does not answer"
    assert error.certain
    assert "ragsql embedder --attach" in (error.hint or "")
    with pytest.raises(ProviderUnavailable, match=r"the embedder at .* does not answer"):
        embedder.health()


@pytest.mark.parametrize("url", ["http://10.0.0.1:80", "https://127.0.0.1", "http://localhost.x"])
def test_the_embedder_is_on_this_host(url: str) -> None:
    model = Model("quarry/heron", "", 8, "", "", 256)
    with pytest.raises(InvalidParameter, match="not on this host"):
        HttpProvider.of_embedder(model, url, pause=lambda: None)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_text_is_no_fault_of_the_provider(server: EmbeddingServer, status: int) -> None:
    server.script = [failing(status, message=f"bad: {TEXTS[0]}", code="invalid_input")]
    with pytest.raises(TextRefused, match=rf"refuses a text \({status} \[invalid_input\]\)") as e:
        provider(server).embed(TEXTS, "passage")
    assert e.value.sqlstate == "22000"
    assert_tells_nothing(e.value, TEXTS)
    assert len(server.requests) == 1


def test_words_make_a_text_fail_always(server: EmbeddingServer) -> None:
    server.words = {"kettle": "refuse", "slate": "fail"}
    with pytest.raises(TextRefused):
        provider(server).embed([TEXTS[1]], "passage")
    assert not fault(provider(server), [TEXTS[2]]).certain
    assert len(provider(server).embed([TEXTS[0]], "passage")) == 1


@pytest.mark.parametrize("quoted", ["heron", SECRET, f"bad_{SECRET}", "sk-c0ffee", "a b", "<html>"])
def test_a_code_that_quotes_or_says_more_is_not_told(server: EmbeddingServer, quoted: str) -> None:
    server.always = failing(500, message=TEXTS[0], code=quoted, type=quoted)
    endpoint = {"url": server.url, "key_variable": "HERON_KEY"}
    error = fault(provider_of(endpoint), TEXTS)
    assert error.message.endswith("failed (500)")
