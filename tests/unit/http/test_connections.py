"""Connections that are kept, broken or encrypted."""

import ssl
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from ragsql_engine.embedding import http_client
from ragsql_engine.embedding.http_client import Connections
from support.embedding_server import EmbeddingServer, embedding_server, hanging_up, slow, vector_of
from unit.http.calls import (
    SECRET,
    TEXTS,
    Cancelled,
    cancel,
    fault,
    provider,
    provider_of,
    request_threads,
)


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
