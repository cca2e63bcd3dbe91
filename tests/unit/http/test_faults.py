"""What goes wrong at an endpoint."""

import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ragsql_engine.embedding.http_answers import asked_wait
from ragsql_engine.errors import ProviderUnavailable
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    embedding_server,
    failing,
    fewer,
    huge,
    malformed,
    redirect,
    slow,
    too_many,
)
from unit.http.calls import TEXTS, fault, free_port, provider, provider_of, request_threads


def test_500_then_success(server: EmbeddingServer) -> None:
    server.script = [failing(500), failing(503)]
    assert len(provider(server).embed(TEXTS, "passage")) == 3
    assert len(server.requests) == 3


def test_a_lasting_500_may_be_a_texts_doing(server: EmbeddingServer) -> None:
    server.always = failing(500, code="internal")
    error = fault(provider(server))
    assert (error.certain, error.retry_after) == (False, None)
    assert error.message == f"the endpoint {server.host} failed (500 [internal])"
    assert len(server.requests) == 3


def test_without_patience_nothing_is_tried_again(server: EmbeddingServer) -> None:
    server.script = [failing(500)]
    assert not fault(provider(server, patience=0.0)).certain
    assert len(server.requests) == 1


def test_429_with_a_short_wait_then_success(server: EmbeddingServer) -> None:
    server.script = [too_many("0.1")]
    assert len(provider(server).embed(TEXTS, "passage")) == 3
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("7", 7, 7),
        ("86400", 3600, 3600),
        (None, 5, 30),
        ("soon", 5, 30),
        ("-1", 5, 30),
        ("nan", 5, 30),
    ],
)
def test_429_tells_how_long_to_wait(
    server: EmbeddingServer, header: str | None, least: float, most: float
) -> None:
    server.always = too_many(header)
    error = fault(provider(server))
    assert error.certain
    assert error.retry_after is not None
    assert least <= error.retry_after <= most
    assert len(server.requests) == 1


def test_retry_after_as_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=600)
    assert asked_wait({"retry-after": format_datetime(later, usegmt=True)}) == pytest.approx(
        600, abs=60
    )
    assert asked_wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert asked_wait({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}) == 3600
    assert asked_wait({}) is None


@pytest.mark.parametrize(
    "reply",
    [
        malformed(),
        fewer(),
        Reply(change=lambda data: [*data, data[0]]),
        Reply(change=lambda data: [{**v, "index": 0} for v in data]),
        Reply(change=lambda data: [{**v, "index": str(v["index"])} for v in data]),
        Reply(change=lambda data: [{"index": v["index"]} for v in data]),
        Reply(change=lambda data: [{**v, "embedding": ["1"] * 8} for v in data]),
        Reply(change=lambda data: [{**v, "embedding": [[1.0]] * 8} for v in data]),
        Reply(change=lambda data: [{**v, "embedding": [10**400]} for v in data]),
        Reply(change=lambda data: [{**v, "embedding": "not base64!"} for v in data]),
        Reply(change=lambda data: [{**v, "embedding": "AAA="} for v in data]),
        Reply(body=b"\xff\xfe"),
        Reply(body=b"[" * 100_000),
        Reply(body=b"[]"),
        Reply(body=b'{"data": {"0": []}}'),
        Reply(body=b'{"data": [1, 2, 3]}'),
        huge(),
    ],
)
def test_an_answer_that_cannot_be_used(server: EmbeddingServer, reply: Reply) -> None:
    server.script = [reply]
    error = fault(provider(server))
    assert not error.certain
    assert error.message.startswith(f"the endpoint {server.host} gave ")
    assert len(provider(server).embed(TEXTS, "passage")) == 3


def test_fewer_vectors_are_counted(server: EmbeddingServer) -> None:
    server.script = [fewer()]
    assert fault(provider(server)).message.endswith("gave 2 vectors for 3 texts")


def test_the_size_of_an_answer_is_bounded(server: EmbeddingServer) -> None:
    server.script = [huge(1 << 21)]
    assert "more than" in fault(provider(server)).message
    server.script = [huge(1 << 21)]
    with pytest.raises(ProviderUnavailable, match="not the JSON"):
        provider(server, dimensions=2048).embed(["x"] * 32, "passage")


def test_the_text_of_a_huge_error_is_not_read(server: EmbeddingServer) -> None:
    server.script = [Reply(404, body=b"x" * 50_000_000)]
    assert fault(provider(server)).certain
    (request,) = server.requests
    assert not request.answered.wait(0.3)


def test_redirects_are_not_followed(server: EmbeddingServer) -> None:
    with embedding_server() as other:
        server.script = [redirect(f"{other.url}/embeddings", status) for status in (301, 307)]
        for _ in range(2):
            error = fault(provider(server, hosts=f"{server.host} {other.host}"))
            assert error.certain
            assert "leads elsewhere" in error.message
        assert not other.requests


def test_an_unknown_model_is_named(server: EmbeddingServer) -> None:
    server.models = {"quarry/other"}
    error = fault(provider(server))
    assert error.certain
    assert "does not know model quarry/heron (404 [model_not_found])" in error.message
    server.script = [failing(400, code="model_not_found")]
    assert fault(provider(server)).certain


@pytest.mark.parametrize("status", [402, 405, 409, 410])
def test_any_other_refusal_is_certain(server: EmbeddingServer, status: int) -> None:
    server.always = failing(status)
    assert fault(provider(server)).certain
    assert len(server.requests) == 1


def test_a_slow_endpoint(server: EmbeddingServer) -> None:
    server.always = slow(30)
    error = fault(provider_of({"url": server.url, "timeout": 0.5}))
    assert not error.certain
    assert not request_threads()
    assert error.message.endswith("gave no answer within 0.5 s")
    (request,) = server.requests
    assert not request.answered.is_set()


def test_an_endpoint_that_drips_is_slow() -> None:
    """Each byte comes in time, the whole does not."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        port = listener.getsockname()[1]
        error = fault(provider_of({"url": f"http://127.0.0.1:{port}", "timeout": 0.5}))
        stop.set()
        thread.join()
    assert "gave no answer within 0.5 s" in error.message


def test_connection_refused() -> None:
    port = free_port()
    error = fault(provider_of({"url": f"http://127.0.0.1:{port}/v1"}))
    assert error.certain
    assert error.message == f"the endpoint 127.0.0.1:{port} cannot be reached"
    assert error.detail == "Connection refused."


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64 + ".invalid"])
def test_a_name_that_nobody_knows(host: str) -> None:
    assert fault(provider_of({"url": f"http://{host}/v1"})).certain


def test_https_wants_a_certificate(server: EmbeddingServer) -> None:
    url = server.url.replace("http:", "https:")
    error = fault(provider_of({"url": url, "key_variable": "HERON_KEY"}))
    assert error.certain
    assert error.detail == "It does not speak TLS as expected."
    assert not server.requests
