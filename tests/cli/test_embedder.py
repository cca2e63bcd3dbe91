"""`ragsql embedder`: a real process, over a socket and over loopback."""

from __future__ import annotations

import base64
import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from click.testing import CliRunner, Result

from ragsql.cluster import Cluster
from ragsql.main import main
from ragsql.models import ModelChoice
from ragsql.server import server_user
from support.database import Database
from support.programs import Program, running

SECRET = "the merger with Acme"


@pytest.fixture(scope="module")
def served(sockets_dir: Path, models_dir: Path, model: ModelChoice) -> Iterator[Program]:
    """An embedder that runs for all tests of the module."""
    with running("embedder", "--socket", sockets_dir / "e.sock", "--models", models_dir) as program:
        program.wait_for_line("Serving")
        yield program


@pytest.fixture
def client(served: Program, sockets_dir: Path) -> Iterator[httpx.Client]:
    """Talks to that embedder."""
    with socket_client(sockets_dir / "e.sock") as client:
        yield client


def socket_client(path: Path) -> httpx.Client:
    """A client over a socket."""
    transport = httpx.HTTPTransport(uds=str(path))
    return httpx.Client(transport=transport, base_url="http://localhost", timeout=60)


def embed(client: httpx.Client, model: ModelChoice, texts: object, **more: object) -> Any:
    """The answer to a request for embeddings that must succeed."""
    body = {"model": model.name, "input": texts, **more}
    response = client.post("/v1/embeddings", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def misuse(*arguments: object) -> Result:
    """Run `ragsql embedder` with wrong options.

    With right ones it would give up root, and the test's process with it: they take a process.
    """
    return CliRunner().invoke(main, ["embedder", *map(str, arguments)])


def test_vectors_are_those_of_the_engine(
    client: httpx.Client, model: ModelChoice, db: Database
) -> None:
    texts = ["Close the valve.", "Boil the soup for ten minutes.", "x " * 200, "Close the valve."]
    with db.connect() as connection:
        rows = connection.execute(
            "select v::text from unnest(rag.embed(%s)) v", ([texts[0], texts[2]],)
        ).fetchall()
    expected = [np.array(row[0].strip("[]").split(","), np.float32) for row in rows]
    answer = embed(client, model, texts)
    assert [one["index"] for one in answer["data"]] == [0, 1, 2, 3]
    got = [np.array(one["embedding"], np.float32) for one in answer["data"]]
    got = [vector / np.linalg.norm(vector) for vector in got]
    assert np.allclose(got[0], expected[0], atol=2e-3)
    assert np.allclose(got[2], expected[1], atol=2e-3)
    assert np.array_equal(got[0], got[3])
    assert got[0] @ got[1] < 0.9
    assert (answer["object"], answer["model"]) == ("list", model.name)


def test_base64_is_the_same_vector(client: httpx.Client, model: ModelChoice) -> None:
    plain = embed(client, model, "one text")["data"][0]["embedding"]
    packed = embed(client, model, ["one text"], encoding_format="base64")["data"][0]["embedding"]
    assert np.frombuffer(base64.b64decode(packed), "<f4").tolist() == plain


def test_usage_counts_every_input(client: httpx.Client, model: ModelChoice) -> None:
    once = embed(client, model, ["valve valve"])["usage"]
    twice = embed(client, model, ["valve valve", "valve valve"])["usage"]
    assert once == {"prompt_tokens": 4, "total_tokens": 4}  # two words between two special tokens
    assert twice["prompt_tokens"] == 8


def test_models_and_health(client: httpx.Client, model: ModelChoice) -> None:
    embed(client, model, "load it", revision=model.revision, input_type="query")
    listed = client.get("/v1/models").json()["data"]
    found = next(one for one in listed if one["id"] == model.name)
    assert (found["kind"], found["revision"], found["dimensions"], found["loaded"]) == (
        "embedding",
        model.revision,
        model.known.dimensions,
        True,
    )
    assert client.get("/health").json() == {"status": "ok", "loaded": [model.name]}


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("embeddings", {"model": "no/model", "input": SECRET}, 404, "model_not_found"),
        ("embeddings", {"input": SECRET, "revision": "0" * 12}, 409, "revision_mismatch"),
        ("embeddings", {"input": [SECRET, 7]}, 400, "invalid_request"),
        ("embeddings", {"input": [[1, 2, 3]]}, 400, "invalid_request"),
        ("embeddings", {"input": []}, 400, "invalid_request"),
        ("embeddings", {"input": [SECRET, " \n"]}, 400, "invalid_request"),
        ("embeddings", {"input": [SECRET, "\ud800"]}, 400, "invalid_request"),
        ("embeddings", {"input": SECRET, "encoding_format": "hex"}, 400, "invalid_request"),
        ("embeddings", {"input": SECRET, "dimensions": 7}, 400, "invalid_request"),
        ("embeddings", {"input": [SECRET, "word " * 900]}, 400, "context_length_exceeded"),
        ("embeddings", {"input": [SECRET] * 2049}, 413, "request_too_large"),
        ("embeddings", {"input": SECRET * 900_000}, 413, "request_too_large"),
        (
            "rerank",
            {"model": "no/model", "query": SECRET, "documents": ["a"]},
            404,
            "model_not_found",
        ),
        ("rerank", {"query": SECRET, "documents": ["a"]}, 404, "model_not_found"),
        ("rerank", {"query": SECRET, "documents": []}, 400, "invalid_request"),
        ("chat/completions", {"input": SECRET}, 404, "not_found"),
    ],
)
def test_what_cannot_be_done_is_refused(
    client: httpx.Client,
    served: Program,
    model: ModelChoice,
    path: str,
    body: dict[str, Any],
    status: int,
    code: str,
) -> None:
    content = json.dumps({"model": model.name, **body})  # escapes what httpx would refuse to send
    headers = {"content-type": "application/json"}
    response = client.post(f"/v1/{path}", content=content, headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert error["type"] == "invalid_request_error"
    assert SECRET not in response.text
    assert SECRET not in served.text
    assert embed(client, model, "still there")["data"]


def test_bodies_that_are_no_requests(client: httpx.Client) -> None:
    as_form = client.post("/v1/embeddings", content=b"{}", headers={"content-type": "text/plain"})
    assert (as_form.status_code, as_form.json()["error"]["code"]) == (415, "unsupported_media_type")
    for content, code in (
        (b"{", "invalid_json"),
        (b"[" * 9999, "invalid_json"),
        (b"3", "invalid_request"),
    ):
        response = client.post(
            "/v1/embeddings", content=content, headers={"content-type": "application/json"}
        )
        assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert client.get("/v1/embeddings").status_code == 405


def test_ends_cleanly_and_leaves_no_socket(sockets_dir: Path, models_dir: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        path = sockets_dir / "clean.sock"
        with running("embedder", "--socket", path, "--models", models_dir) as program:
            program.wait_for_line("Serving")
            status = path.stat()
            assert status.st_mode & 0o777 == 0o600
            assert status.st_uid == server_user().uid
            program.process.send_signal(number)
            assert program.wait() == 0
            assert program.lines[-1] == "Stopped."
        assert not path.exists()


def test_a_dead_socket_is_replaced_and_a_live_one_is_not(
    sockets_dir: Path, models_dir: Path, served: Program, client: httpx.Client
) -> None:
    with running("embedder", "--socket", sockets_dir / "e.sock", "--models", models_dir) as second:
        assert second.wait() == 1
        assert "already.\nHint: one embedder is enough" in second.text
    assert client.get("/health").status_code == 200
    path = sockets_dir / "dead.sock"
    with running("embedder", "--socket", path, "--models", models_dir) as program:
        program.wait_for_line("Serving")
        program.kill()
    assert path.is_socket()
    with running("embedder", "--socket", path, "--models", models_dir) as program:
        program.wait_for_line("Serving")
        with socket_client(path) as other:
            assert other.get("/health").status_code == 200


def test_addresses_that_are_refused(sockets_dir: Path, models_dir: Path, tmp_path: Path) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org"):
        result = misuse("--port", "0", "--host", host, "--models", models_dir)
        assert (result.exit_code, result.stdout) == (2, ""), host
    assert misuse("--port", "0", "--socket", tmp_path / "x").exit_code == 2
    assert misuse("--socket", tmp_path / "x", "--socket-mode", "rw").exit_code == 2


def test_sockets_that_cannot_be_made(sockets_dir: Path, models_dir: Path) -> None:
    file = sockets_dir / "file"
    file.write_text("kept")
    for path, said in (
        (file, "is no socket"),
        (sockets_dir / "nowhere" / "e.sock", "cannot be used"),
        (sockets_dir / ("long" * 30), "longer than"),
    ):
        with running("embedder", "--socket", path, "--models", models_dir) as program:
            assert program.wait() == 1
            assert said in program.text
            assert "Hint: " in program.text
    assert file.read_text() == "kept"


def test_loopback_and_a_port_in_use(models_dir: Path, model: ModelChoice) -> None:
    with running("embedder", "--port", 0, "--models", models_dir, "--model", model.name) as program:
        url = program.wait_for_line("Serving").rpartition(" on ")[2].partition(";")[0]
        assert url.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=url, trust_env=False) as client:
            assert client.get("/health").json()["loaded"] == [model.name]
        port = url.rpartition(":")[2]
        with running("embedder", "--port", port, "--models", models_dir) as second:
            assert second.wait() == 1
            assert "Hint: another embedder may run already" in second.text
    with running("embedder", "--port", 0, "--models", models_dir, "--model", "no/model") as wrong:
        assert wrong.wait() == 1
        assert "the model no/model is not here" in wrong.text


def test_the_default_socket_is_beside_the_clusters(
    cluster: Cluster, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSQL_HOME", str(cluster.home))
    with running("embedder", "--models", models_dir) as program:
        line = program.wait_for_line("Serving")
        assert f"unix:{cluster.socket_dir}/embedder.sock" in line
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(f"{cluster.socket_dir}/embedder.sock")
