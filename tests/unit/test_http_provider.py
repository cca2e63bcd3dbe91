"""Models over HTTP, against a real server that misbehaves as told."""

import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragsql_engine.embedding import http_client, http_provider
from ragsql_engine.embedding.endpoints import Allowed, parse_endpoints
from ragsql_engine.embedding.http_answers import asked_wait
from ragsql_engine.embedding.http_client import Connections
from ragsql_engine.embedding.http_provider import HttpProvider
from ragsql_engine.errors import InvalidParameter, ProviderUnavailable, RagError, TextRefused
from ragsql_engine.model import Model
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    backwards,
    embedding_server,
    failing,
    fewer,
    hanging_up,
    huge,
    malformed,
    of_dimensions,
    redirect,
    slow,
    too_many,
    vector_of,
)

SECRET = "sk-c0ffee-0451"
TEXTS = ["the heron waits", "a kettle sings", "rain on slate"]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server(dimensions=8) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff is tested by what is asked again, not by the clock."""
    monkeypatch.setattr("ragsql_engine.embedding.http_faults._BACKOFF", 0.001)


def request_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ragsql http"]


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert not request_threads()


def model_of(*endpoints: dict[str, Any], dimensions: int = 8) -> Model:
    return Model(
        name="quarry/heron",
        revision="",
        dimensions=dimensions,
        query_prefix="",
        passage_prefix="",
        max_tokens=None,
        provider="openai",
        endpoints=endpoints,
    )


def provider_of(
    *endpoints: dict[str, Any],
    hosts: str | None = None,
    variables: str = "HERON_KEY",
    environ: dict[str, str] | None = None,
    pause: Callable[[], None] = lambda: None,
    dimensions: int = 8,
    **more: Any,
) -> HttpProvider:
    """A provider whose endpoints are all allowed, unless `hosts` says which are."""
    model = model_of(*endpoints, dimensions=dimensions)
    parsed = parse_endpoints(model)
    hosts = " ".join(e.place for e in parsed) if hosts is None else hosts
    return HttpProvider(
        model,
        parsed,
        allowed=Allowed.from_settings(hosts, variables),
        environ={"HERON_KEY": SECRET} if environ is None else environ,
        pause=pause,
        **more,
    )


def provider(server: EmbeddingServer, **more: Any) -> HttpProvider:
    return provider_of({"url": server.url}, **more)


def fault(provider: HttpProvider, texts: list[str] = TEXTS) -> ProviderUnavailable:
    """The error of a call, which tells nothing of texts, answers and keys."""
    with pytest.raises(ProviderUnavailable) as caught:
        provider.embed(texts, "passage")
    assert caught.value.sqlstate == "55000"
    assert_tells_nothing(caught.value, texts)
    return caught.value


def assert_tells_nothing(error: RagError, texts: list[str]) -> None:
    assert error.__cause__ is None
    assert error.__context__ is None
    told = repr([error, error.message, error.detail, error.hint, error.args])
    for secret in [*texts, SECRET, "<html>"]:
        assert secret not in told


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# What works


def test_vectors_come_in_the_order_of_the_texts(server: EmbeddingServer) -> None:
    vectors = provider(server).embed(TEXTS, "passage")
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.allclose(vector, vector_of(text, 8))
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "quarry/heron", "input": TEXTS}
    assert "authorization" not in request.headers


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


# What a text does


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


# What the provider does


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
    error = fault(provider_of({"url": server.url, "timeout": 0.2}))
    assert not error.certain
    assert not request_threads()
    assert error.message.endswith("gave no answer within 0.2 s")
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


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for localhost, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key -out both".split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )
    both = folder / "both"
    both.write_text(both.read_text() + (folder / "key").read_text())
    return both


def test_a_certificate_is_verified(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with embedding_server(tls=context) as server:
        endpoint = {"url": server.url, "key_variable": "HERON_KEY"}
        error = fault(provider_of(endpoint))
        assert error.certain
        assert error.detail == "Its certificate is not trusted: self-signed certificate."
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        other = fault(provider_of(endpoint | {"url": server.url.replace("localhost", "127.0.0.1")}))
        assert "not trusted: IP address mismatch" in (other.detail or "")
        assert not server.requests
        asked = provider_of(endpoint)
        asked.embed(["x"], "passage")
        asked.embed(["y"], "passage")
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
        assert server.connections == 1
        server.always = slow(30)
        with pytest.raises(Cancelled):
            provider_of(endpoint, pause=cancel).embed(["z"], "passage")
        assert not request_threads()


def test_a_system_without_certificates_has_certifis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    context = http_client._ssl_context()
    assert context.cert_store_stats()["x509_ca"] > 50
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


# Cancel


class Cancelled(Exception):
    """What a cancel raises in PL/Python."""


def cancel() -> None:
    raise Cancelled


def test_a_cancel_ends_a_slow_call(server: EmbeddingServer) -> None:
    server.always = slow(60)
    calls: list[threading.Event] = []

    def pause() -> None:
        calls.append(threading.Event())
        if len(calls) == 3:
            raise Cancelled

    asked = provider(server, pause=pause)
    with pytest.raises(Cancelled):
        asked.embed(TEXTS, "passage")
    assert not request_threads()
    (request,) = server.requests
    assert not request.answered.is_set()
    assert len(calls) == 3
    server.always = Reply()
    calls.extend(threading.Event() for _ in range(10))
    assert len(asked.embed(TEXTS, "passage")) == 3


def test_a_cancel_ends_a_wait_for_another_try(server: EmbeddingServer) -> None:
    server.always = too_many("1.5")

    with pytest.raises(Cancelled):
        provider(server, pause=cancel).embed(TEXTS, "passage")
    assert len(server.requests) == 1


def test_a_cancel_while_a_connection_is_made_sends_nothing(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server cannot be interrupted: its late answer must lead nowhere."""
    known = threading.Event()
    resolve = socket.getaddrinfo

    def slowly(*arguments: Any, **more: Any) -> Any:
        known.wait(30)
        return resolve(*arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    monkeypatch.setattr(http_client, "_GRACE", 0.01)
    with pytest.raises(Cancelled):
        provider(server, pause=cancel).embed(TEXTS, "passage")
    known.set()
    for thread in request_threads():
        thread.join(30)
    assert not server.requests


def test_signals_go_to_the_sessions_own_thread(server: EmbeddingServer) -> None:
    blocked: dict[str, str] = {}

    def pause() -> None:
        for task in Path("/proc/self/task").iterdir():
            status = (task / "status").read_text()
            blocked[task.name] = status.split("SigBlk:\t")[1].split("\n")[0]
        raise Cancelled

    server.always = slow(30)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    threads = set(os.listdir("/proc/self/task"))
    with pytest.raises(Cancelled):
        provider(server, pause=pause).embed(TEXTS, "passage")
    # the server's handler thread starts after the request's, from a thread with no signal blocked
    masks = {int(blocked[task], 16) for task in set(blocked) - threads}
    everything = [number for number in range(1, 32) if number not in (9, 19)]
    assert any(all(mask >> (n - 1) & 1 for n in everything) for mask in masks)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


# Connections


def test_a_session_keeps_its_connection(server: EmbeddingServer) -> None:
    connections = Connections()
    for _ in range(5):
        provider(server, connections=connections).embed(["x"], "passage")
    assert server.connections == 1
    connections.close()
    provider(server, connections=connections).embed(["x"], "passage")
    assert server.connections == 2


def test_a_restarted_server_is_not_noticed(server: EmbeddingServer) -> None:
    asked = provider(server, patience=0.0)
    asked.embed(["x"], "passage")
    server.hang_up()
    asked.embed(["y"], "passage")
    assert server.texts == ["x", "y"]


def test_a_connection_closed_as_it_is_used_is_made_anew_once(server: EmbeddingServer) -> None:
    asked = provider(server, patience=0.0)
    asked.embed(["x"], "passage")
    server.script = [hanging_up()]
    asked.embed(["y"], "passage")
    assert server.texts == ["x", "y", "y"]
    server.script = [hanging_up(), hanging_up(), hanging_up()]
    assert not fault(asked).certain
    assert len(server.script) == 1


def test_a_reset_is_tried_again(server: EmbeddingServer) -> None:
    server.script = [hanging_up(), hanging_up()]
    assert len(provider(server).embed(TEXTS, "passage")) == 3
    server.script = [hanging_up()] * 9
    error = fault(provider(server))
    assert error.message.endswith("broke the connection off")
    assert not error.certain


def test_sessions_do_not_share_connections(server: EmbeddingServer) -> None:
    """Several threads stand for several backends, some of which meet a restart."""
    failures: list[BaseException] = []

    def session(number: int) -> None:
        asked = provider(server)
        try:
            for turn in range(5):
                (vector,) = asked.embed([f"text {number} {turn}"], "passage")
                assert np.allclose(vector, vector_of(f"text {number} {turn}", 8))
        except BaseException as error:  # noqa: BLE001 - shown by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=session, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    server.hang_up()
    for thread in threads:
        thread.join()
    assert not failures


# Several endpoints


@pytest.mark.parametrize("reply", [failing(500), slow(30), too_many("60"), hanging_up()])
def test_the_next_endpoint_stands_in(server: EmbeddingServer, reply: Reply) -> None:
    with embedding_server() as first:
        first.always = reply
        asked = provider_of({"url": first.url, "timeout": 0.3}, {"url": server.url})
        asked.embed(["x"], "passage")
        asked.embed(["y"], "passage")
        assert server.texts == ["x", "y"]
        assert first.texts == ["x"]


def test_the_first_endpoint_is_tried_again_in_time(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Success of the one that stands in does not put that off."""
    connections = Connections()
    start, later = time.monotonic(), 0.0
    # only the provider's own clock: the connection's would close it
    monkeypatch.setattr(
        http_provider, "time", SimpleNamespace(monotonic=lambda: start + later, sleep=time.sleep)
    )
    with embedding_server() as first:
        first.script = [failing(500)]
        for text, later in [("a", 0.0), ("b", 20.0), ("c", 31.0), ("d", 32.0)]:  # noqa: B007
            asked = provider_of({"url": first.url}, {"url": server.url}, connections=connections)
            asked.embed([text], "passage")
        assert first.texts == ["a", "c", "d"]
        assert server.texts == ["a", "b"]


def test_all_endpoints_down_is_certain() -> None:
    urls = [f"http://127.0.0.1:{free_port()}/v1" for _ in range(2)]
    error = fault(provider_of(*({"url": url} for url in urls)))
    assert error.certain
    assert error.message == "no endpoint of model quarry/heron can be used now"
    assert (error.detail or "").count("cannot be reached") == 2


def test_one_endpoint_down_and_one_failing_is_not_certain(server: EmbeddingServer) -> None:
    server.always = failing(500)
    down = {"url": f"http://127.0.0.1:{free_port()}/v1"}
    assert not fault(provider_of(down, {"url": server.url})).certain
    server.always = too_many("40")
    error = fault(provider_of(down, {"url": server.url}))
    assert (error.certain, error.retry_after) == (True, 40)


def test_a_wrong_key_is_not_hidden_by_the_next_endpoint(server: EmbeddingServer) -> None:
    with embedding_server() as first:
        first.always = failing(401)
        assert fault(provider_of({"url": first.url}, {"url": server.url})).certain
    assert not server.requests


# Keys


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_variable(server: EmbeddingServer, status: int) -> None:
    server.always = failing(status, message=f"Incorrect API key {SECRET}", code="invalid_api_key")
    asked = provider_of({"url": server.url, "key_variable": "HERON_KEY"})
    error = fault(asked)
    assert error.certain
    assert f"refuses the key in HERON_KEY ({status} [invalid_api_key])" in error.message
    assert SECRET not in repr(asked) + repr(vars(asked)["_endpoints"])
    assert "wants a key" in fault(provider(server)).message


@pytest.mark.parametrize("value", [None, "", "  \n", f"{SECRET}\nX: y", f"{SECRET}é"])
def test_a_key_that_cannot_be_sent(server: EmbeddingServer, value: str | None) -> None:
    environ = {} if value is None else {"HERON_KEY": value}
    error = fault(provider_of({"url": server.url, "key_variable": "HERON_KEY"}, environ=environ))
    assert error.certain
    assert "the environment variable HERON_KEY" in error.message
    assert not server.requests


def test_blanks_around_a_key_are_no_part_of_it(server: EmbeddingServer) -> None:
    endpoint = {"url": server.url, "key_variable": "HERON_KEY"}
    provider_of(endpoint, environ={"HERON_KEY": f" {SECRET}\n"}).embed(["x"], "passage")
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_variable_has_to_be_allowed(server: EmbeddingServer) -> None:
    endpoint = {"url": server.url, "key_variable": "PGPASSWORD"}
    error = fault(provider_of(endpoint, environ={"PGPASSWORD": SECRET}))
    assert error.certain
    assert error.message == ("the environment variable PGPASSWORD is not allowed to hold a key")
    assert not server.requests


@pytest.mark.parametrize("url", ["http://api.example.com/v1", "http://127.0.0.1.example.com"])
def test_a_key_is_not_sent_in_the_clear(url: str) -> None:
    with pytest.raises(InvalidParameter, match="unencrypted"):
        parse_endpoints(model_of({"url": url, "key_variable": "HERON_KEY"}))
    parse_endpoints(model_of({"url": url}))
    for good in ("https://api.example.com", "http://[::1]:1", "http://localhost", "unix:/run/x"):
        parse_endpoints(model_of({"url": good, "key_variable": "HERON_KEY"}))


def test_a_key_in_place_of_a_variable_is_not_told() -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_endpoints(model_of({"url": "https://x.example", "key_variable": SECRET}))
    assert_tells_nothing(caught.value, [])


def test_proxies_of_the_environment_are_ignored(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        provider(server).embed(["x"], "passage")
        assert not proxy.requests
    assert server.texts == ["x"]


# Hosts


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://allowed/v1", "allowed"),
        ("http://ALLOWED/v1", "allowed"),
        ("http://allowed/v1", "other, ALLOWED"),
        ("https://allowed/v1", "allowed"),
        ("https://allowed:443", "allowed"),
        ("http://allowed:8080", "allowed:8080"),
        ("http://allowed", "allowed:80"),
        ("http://[::1]/v1", "::1"),
        ("http://[0:0:0:0:0:0:0:1]:11434/v1", "[::1]:11434"),
        ("http://[::1]:11434/v1", "[0::1]:11434"),
        ("unix:/run/heron.sock", "unix:/run/heron.sock"),
    ],
)
def test_allowed(url: str, hosts: str) -> None:
    (endpoint,) = parse_endpoints(model_of({"url": url}))
    Allowed.from_settings(hosts, None).check(endpoint)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://allowed/v1", None),
        ("http://allowed/v1", ""),
        ("http://allowed/v1", "*"),
        ("http://a.allowed/v1", "allowed *.allowed .allowed"),
        ("http://allowed.evil/v1", "allowed"),
        ("http://allowed:8080/v1", "allowed"),
        ("http://allowed:443/v1", "allowed"),
        ("https://allowed:80/v1", "allowed"),
        ("https://allowed/v1", "allowed:80"),
        ("http://evil/allowed", "allowed"),
        ("http://127.1/v1", "127.0.0.1"),
        ("http://0x7f000001/v1", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/v1", "127.0.0.1 ::1"),
        ("http://[::1]:80/v1", "[::1]:8080"),
        ("http://localhost/v1", "unix:/run/x.sock 127.0.0.1"),
        ("unix:/run/y.sock", "unix:/run/x.sock localhost"),
        ("unix:/run/../run/x.sock", "unix:/run/x.sock"),
    ],
)
def test_not_allowed(url: str, hosts: str | None) -> None:
    (endpoint,) = parse_endpoints(model_of({"url": url}))
    allowed = Allowed.from_settings(hosts, None)
    with pytest.raises(RagError, match="is not allowed") as caught:
        allowed.check(endpoint)
    assert caught.value.sqlstate == "42501"
    error = fault(provider_of({"url": url}, hosts=hosts or ""))
    assert error.certain
    assert "rag.allow_http" in (error.hint or "")


@pytest.mark.parametrize(
    "url",
    [
        "http://allowed@evil/",
        "http://allowed:80@evil/",
        "http://evil\\@allowed/",
        "http://allowed\\.evil/",
        "http://allowed./v1",
        "http://allowed..x/",
        "http://.allowed/",
        "http://al%6cowed/",
        "http://allowed/v1?x=@evil",
        "http://allowed/v1#@evil",
        "http://allowed /v1",
        "http://allowed/v1\n",
        "http://allowed/v1\r\nX-Y: z",
        "http://al\tlowed/",
        "http://allowéd/",
        "http://allowed。evil/",
        "http://[::1/",
        "http://[::1]evil/",
        "http://[fe80::1%eth0]/",
        "http://[:::]/",
        "http://allowed:/",
        "http://allowed:0/",
        "http://allowed:65536/",
        "http://allowed:٣/",
        "http:///v1",
        "//allowed/v1",
        "allowed/v1",
        "ftp://allowed/",
        "file:///etc/passwd",
        "gopher://allowed/",
        "unix:relative",
        "unix://allowed/x",
        "unix:/a b",
        "unix:/x\x00y",
        "",
    ],
)
def test_a_url_that_could_be_read_in_two_ways(url: str) -> None:
    with pytest.raises(InvalidParameter, match="url"):
        parse_endpoints(model_of({"url": url}))


@pytest.mark.parametrize(
    "more",
    [
        {"api_key": SECRET},
        {"timeout": 0},
        {"timeout": 601},
        {"timeout": "60"},
        {"timeout": True},
        {"timeout": float("nan")},
        {"send_dimensions": "yes"},
        {"input_type": 1},
        {"model": 3},
        {"style": "bedrock"},
        {"api_version": "1&x=y"},
        {"key_variable": ""},
        {"url": 1},
    ],
)
def test_settings_of_an_endpoint_that_cannot_be(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_endpoints(model_of({"url": "http://allowed"} | more))
    assert_tells_nothing(caught.value, [])


@pytest.mark.parametrize("endpoints", [(), ("http://allowed",), ({},), (None,)])
def test_a_model_needs_an_endpoint(endpoints: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter):
        parse_endpoints(model_of(*endpoints))
