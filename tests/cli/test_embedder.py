"""`ragsql embedder`: a real process, over a socket and over loopback."""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.cluster import Cluster
from ragsql.main import main
from ragsql.models import ModelChoice
from ragsql.server import server_user
from support.database import Database, RoleFactory
from support.programs import Program, running

SECRET = "the merger with Acme"
SESSIONS = 24


@pytest.fixture(scope="module")
def sockets_dir(short_dir: Path) -> Path:
    """A folder for sockets that only the server's user can enter."""
    folder = short_dir / "sockets"
    folder.mkdir(mode=0o700)
    user = server_user()
    os.chown(folder, user.uid, user.gid)
    return folder


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


def setting(database: Database) -> str | None:
    """The setting `embedder` of a database."""
    with database.connect() as connection:
        row = connection.execute(
            "select value from rag_internal.setting where name = 'embedder'"
        ).fetchone()
    return row[0] if row else None


def test_attached_it_embeds_for_the_sessions(
    make_database: Callable[..., Database],
    template: str,
    sockets_dir: Path,
    models_dir: Path,
    model: ModelChoice,
) -> None:
    database = make_database(template)
    with database.connect() as connection:
        alone = connection.execute("select (rag.embed(array['Close the valve.']))[1]").fetchone()
    path = sockets_dir / "attached.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", database.dsn)
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        assert f'Attached to database "{database.name}".' in program.text
        assert setting(database) == f"unix:{path}"
        with database.connect() as connection:
            through = connection.execute(
                "select ((rag.embed(array['Close the valve.']))[1] <=> %s) < 0.001", alone
            ).fetchone()
        assert through == (True,)
        program.wait_for_line(f"Loaded {model.name}")
        assert program.stop() == 0
    assert setting(database) is None


def test_many_sessions_share_its_model(
    make_database: Callable[..., Database],
    template: str,
    sockets_dir: Path,
    models_dir: Path,
    model: ModelChoice,
) -> None:
    database = make_database(template)
    path = sockets_dir / "shared.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", database.dsn)
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        connections = [database.connect() for _ in range(SESSIONS)]

        def ask(number: int) -> Any:
            # each its own question: a session remembers those it asked
            return (
                connections[number]
                .execute(
                    "select v::text from unnest(rag.embed(array[%s, 'the same'], kind => 'query')) v",
                    (f"question {number}",),
                )
                .fetchall()
            )

        with ThreadPoolExecutor(SESSIONS) as threads:
            answers = list(threads.map(ask, range(SESSIONS)))
        assert len({answer[0] for answer in answers}) == SESSIONS
        assert len({answer[1] for answer in answers}) == 1
        for connection in connections:
            maps = Path(f"/proc/{connection.info.backend_pid}/maps").read_text()
            assert "onnxruntime" not in maps
        assert program.text.count(f"Loaded {model.name}") == 1


def test_a_session_says_that_the_embedder_is_gone(
    make_database: Callable[..., Database], template: str, sockets_dir: Path, models_dir: Path
) -> None:
    database = make_database(template)
    path = sockets_dir / "killed.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", database.dsn)
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        program.kill()
    with database.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute("select (rag.embed(array['Close the valve.']))[1]")
    assert caught.value.sqlstate == "55000"
    assert "does not answer" in (caught.value.diag.message_primary or "")
    assert "ragsql embedder --attach" in (caught.value.diag.message_hint or "")


def test_it_takes_back_only_what_is_its_own(
    make_database: Callable[..., Database], template: str, sockets_dir: Path, models_dir: Path
) -> None:
    database = make_database(template)
    path = sockets_dir / "own.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", database.dsn)
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        with database.connect() as connection:
            connection.execute("update rag_internal.setting set value = 'unix:/run/other.sock'")
        assert program.stop() == 0
    assert setting(database) == "unix:/run/other.sock"


def test_only_a_superuser_attaches(
    db: Database, role_factory: RoleFactory, models_dir: Path, sockets_dir: Path
) -> None:
    dsn = make_conninfo(db.dsn, user=role_factory(["rag_admin"]))
    path = sockets_dir / "refused.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", dsn)
    with running("embedder", *options) as program:
        assert program.wait() == 1
        assert "may not attach an embedder" in program.text
    assert not path.exists()
    assert setting(db) is None


def test_the_default_socket_is_beside_the_clusters(
    cluster: Cluster, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSQL_HOME", str(cluster.home))
    with running("embedder", "--models", models_dir) as program:
        line = program.wait_for_line("Serving")
        assert f"unix:{cluster.socket_dir}/embedder.sock" in line
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(f"{cluster.socket_dir}/embedder.sock")
