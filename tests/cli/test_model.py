"""`ragsql model`: registering models, and changing a collection from one to another."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.cluster import Cluster
from ragsql.fastembed_models import described, fetch_model, server_models
from ragsql.main import main
from ragsql.manifest import is_complete
from ragsql.models import KnownModel, ModelChoice, ModelError
from ragsql.settings import Settings
from support.database import Database, RoleFactory
from support.embedding_server import failing, slow
from support.programs import running
from support.stub import Stub

# of fastembed's models one whose weights lie in two files below a folder
LARGE = "google/embeddinggemma-300m"


def model_command(database: Database, *arguments: object, role: str | None = None) -> Result:
    """Run `ragsql model` on a database, as a login role where one is given."""
    dsn = make_conninfo(database.dsn, user=role) if role else database.dsn
    return CliRunner().invoke(main, ["model", *map(str, arguments), "--dsn", dsn])


def row(database: Database, name: str) -> dict[str, Any]:
    """A model as `ragsql model list --format json` shows it."""
    listed = json.loads(model_command(database, "list", "--format", "json").stdout)
    found: dict[str, Any] = next(one for one in listed if one["name"] == name)
    return found


def texts(stub: Stub, number: int) -> list[str]:
    """Ingest a document of so many passages into c, embedded now."""
    passages = [f"passage {index}" for index in range(number)]
    stub.passages("a", passages, embed="now")
    stub.server.requests.clear()
    return passages


def test_list_shows_models_and_their_collections(stub: Stub, model: ModelChoice) -> None:
    stub.collection("d")
    result = model_command(stub.database, "list")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        *("name", "provider", "dimensions", "metric", "revision", "is_default", "collections")
    ]
    assert next(line for line in lines if line.startswith("stub ")).endswith("c, d")
    assert row(stub.database, "stub")["collections"] == ["c", "d"]
    assert row(stub.database, "other")["collections"] == []
    found = row(stub.database, model.name)
    assert (found["provider"], found["revision"], found["is_default"]) == (
        "fastembed",
        model.revision,
        True,
    )
    printed = model_command(stub.database, "list", "--format", "csv").stdout
    assert {one["name"] for one in csv.DictReader(io.StringIO(printed))} >= {"stub", "other"}


def test_a_reader_sees_no_more_than_its_models(stub: Stub, role_factory: RoleFactory) -> None:
    result = model_command(stub.database, "list", "--format", "json", role=role_factory())
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    assert result.stderr.startswith("No model: ")


def test_add_an_endpoint(stub: Stub) -> None:
    options = ("--option", "model=text-1", "--option", "timeout=5", "--option", "m=8")
    result = model_command(
        *(stub.database, "add", "served", "--provider", "openai", "--dimensions", 8),
        *("--url", stub.server.url, *options, "--option", "query_prefix=query: "),
        *("--option", "revision=20240101", "--option", "long_input=error"),
    )
    assert result.exit_code == 0, result.output
    assert "Registered served, openai, 8 dimensions." in result.stderr
    found = row(stub.database, "served")
    assert found["endpoints"] == [{"url": stub.server.url, "model": "text-1", "timeout": 5}]
    assert (found["query_prefix"], found["revision"]) == ("query: ", "20240101")
    (built,) = stub.run("select hnsw_m from rag_internal.model where name = 'served'")
    assert built == 8
    again = model_command(
        *(stub.database, "add", "served", "--provider", "openai", "--dimensions", 8),
        *("--option", f'endpoints=[{{"url": "{stub.server.url}"}}]', "--default"),
    )
    assert again.exit_code == 0, again.output
    found = row(stub.database, "served")
    assert (found["endpoints"], found["is_default"]) == ([{"url": stub.server.url}], True)
    assert found["query_prefix"] == "query: "
    assert model_command(stub.database, "drop", "served").exit_code == 0
    assert "served" not in model_command(stub.database, "list").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["m", "--provider", "openai", "--url", "http://127.0.0.1/v1"], "--dimensions"),
        (["m", "--provider", "external"], "--dimensions"),
        (["m", "--provider", "openai", "--dimensions", "8"], "--url"),
        (["m", "--provider", "external", "--dimensions", "8", "--url", "http://h/v1"], "--url"),
        (["m", "--provider", "external", "--dimensions", "8", "--key-variable", "K"], "openai"),
        (["m", "--option", "no value"], "NAME=VALUE"),
        (["m", "--provider", "magic"], "magic"),
    ],
)
def test_wrong_usage(stub: Stub, arguments: list[str], said: str) -> None:
    result = model_command(stub.database, "add", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_the_server_refuses_with_the_next_step(stub: Stub, role_factory: RoleFactory) -> None:
    arguments = ("m", "--provider", "openai", "--dimensions", 8, "--url", "http://192.0.2.1/v1")
    result = model_command(stub.database, "add", *arguments)
    assert result.exit_code == 1
    assert "rag.allow_http" in result.stderr
    result = model_command(
        stub.database, "add", "m", "--provider", "external", "--dimensions", 8, "--option", "x=1"
    )
    assert result.exit_code == 1
    assert "unknown option: x" in result.stderr
    writer = role_factory(["rag_writer"])
    arguments = ("m", "--provider", "external", "--dimensions", 8)
    result = model_command(stub.database, "add", *arguments, role=writer)
    assert result.exit_code == 1
    assert "Hint: " in result.stderr
    for name in ("stub", "nowhere"):
        result = model_command(stub.database, "drop", name)
        assert result.exit_code == 1
        assert name in result.stderr


def test_add_finds_the_files_of_a_known_model(
    db: Database, models_dir: Path, model: ModelChoice
) -> None:
    result = model_command(db, "add", model.name, "--models", models_dir)
    assert result.exit_code == 0, result.output
    assert f"{model.directory} (already there)" in result.stderr
    found = row(db, model.name)
    assert (found["revision"], found["max_tokens"]) == (model.revision, model.known.max_tokens)
    wrong = model_command(db, "add", model.name, "--models", models_dir, "--dimensions", 7)
    assert wrong.exit_code == 1
    assert "has 384 dimensions, not 7" in wrong.stderr
    near = model_command(db, "add", "baai/bge-small-en-v1.5", "--models", models_dir)
    assert near.exit_code == 1
    assert "did you mean BAAI/bge-small-en-v1.5" in near.stderr
    unknown = model_command(db, "add", "text-embedding-3-small", "--models", models_dir)
    assert "--provider openai" in unknown.stderr
    elsewhere = model_command(db, "add", model.name)
    assert elsewhere.exit_code == 1
    assert "--models" in elsewhere.stderr


def test_the_folder_of_the_servers_models(
    stub: Stub, cluster: Cluster, tmp_path: Path, role_factory: RoleFactory
) -> None:
    own = Settings(home=cluster.home)
    assert server_models(own, stub.root) == cluster.home / "models"
    elsewhere = Settings(home=tmp_path)
    with pytest.raises(ModelError):
        server_models(elsewhere, stub.root)
    stub.run("insert into rag_internal.setting values ('model_path', %s)", str(tmp_path))
    try:
        assert server_models(elsewhere, stub.root) == tmp_path
        with pytest.raises(ModelError):
            server_models(elsewhere, stub.database.connect(role_factory(["rag_admin"])))
    finally:
        stub.run("delete from rag_internal.setting where name = 'model_path'")


def test_any_model_of_fastembed_can_be_fetched(tmp_path: Path) -> None:
    known = described(LARGE)
    assert known.additional
    assert all("/" in name for name in known.files[:2])

    def fetch(asked: KnownModel, target: Path) -> None:
        for name in asked.files:
            (target / name).parent.mkdir(exist_ok=True)
            text = '{"model_max_length": 2048}' if name == "tokenizer_config.json" else name
            (target / name).write_text(text)

    fetched = fetch_model(tmp_path, LARGE, fetch=fetch)
    assert fetched.reason == "as asked"
    assert is_complete(fetched.directory, known.files)
    assert fetched.options == {"revision": fetched.revision, "max_tokens": 2048}
    (fetched.directory / known.additional[0]).write_text("damaged")
    assert fetch_model(tmp_path, LARGE, fetch=fetch).reason == "as asked"
    assert fetch_model(tmp_path, LARGE).reason == "already there"


def test_use_makes_the_vectors_and_changes_over(stub: Stub) -> None:
    passages = texts(stub, 40)
    result = model_command(stub.database, "use", "c", "other")
    assert result.exit_code == 0, result.output
    assert "): embedding here." in result.stderr
    assert "c is searched by other now." in result.stderr
    assert "to go back, ragsql model use c stub" in result.stderr
    assert row(stub.database, "other")["collections"] == ["c"]
    assert sorted(stub.server.requests[0].texts + stub.server.requests[1].texts) == sorted(
        f"other: {text}" for text in passages
    )
    stub.assert_whole()
    asked = len(stub.server.requests)
    back = model_command(stub.database, "use", "c", "stub")
    assert back.exit_code == 0, back.output
    assert "Job" not in back.stderr
    assert len(stub.server.requests) == asked
    assert row(stub.database, "stub")["collections"] == ["c"]


def test_use_none_ends_semantic_search(stub: Stub) -> None:
    texts(stub, 2)
    result = model_command(stub.database, "use", "c", "none")
    assert result.exit_code == 0, result.output
    assert row(stub.database, "stub")["collections"] == []


def test_use_leaves_the_collection_as_it_is_until_all_is_there(stub: Stub) -> None:
    texts(stub, 5)
    stub.server.words["passage 3"] = "nan"
    waiting = model_command(stub.database, "use", "c", "other", "--no-work", "--patience", 1)
    assert waiting.exit_code == 1
    assert "waiting for workers elsewhere" in waiting.stderr
    assert "5 passages cannot be embedded now" in waiting.stderr
    assert stub.server.requests == []
    stub.run("update rag_internal.embedding_task set attempts = 4")
    failed = model_command(stub.database, "use", "c", "other")
    assert failed.exit_code == 1
    assert "1 of 5 passages could not be embedded" in failed.stderr
    assert "--allow-failed goes without" in failed.stderr
    assert row(stub.database, "stub")["collections"] == ["c"]
    without = model_command(stub.database, "use", "c", "other", "--allow-failed")
    assert without.exit_code == 0, without.output
    assert row(stub.database, "other")["collections"] == ["c"]


def test_use_of_a_model_that_cannot_be_used(stub: Stub) -> None:
    texts(stub, 3)
    stub.server.always = failing(403)
    result = model_command(stub.database, "use", "c", "other", "--patience", 2)
    assert result.exit_code == 1
    assert "3 passages cannot be embedded now: " in result.stderr
    assert row(stub.database, "stub")["collections"] == ["c"]
    result = model_command(stub.database, "use", "c", "nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_use_of_an_external_model_waits_for_nobody(stub: Stub) -> None:
    texts(stub, 3)
    added = model_command(
        stub.database, "add", "given", "--provider", "external", "--dimensions", 8
    )
    assert added.exit_code == 0, added.output
    result = model_command(stub.database, "use", "c", "given")
    assert result.exit_code == 1
    assert '3 passages of collection "c" have no vector under model "given"' in result.stderr


def test_use_that_is_stopped_goes_on_later(stub: Stub) -> None:
    texts(stub, 100)
    stub.server.always = slow(1)
    options = ("--workers", 1, "--dsn", stub.database.dsn)
    with running("model", "use", "c", "other", *options) as program:
        program.wait_for_line("Making the vectors")
        for _ in range(600):
            if stub.server.requests:
                break
            stub.run("select pg_sleep(0.05)")
        assert program.stop() == 1
        assert "Stopped before the end." in program.text
        assert "Hint: run this again to go on" in program.text
    assert 0 < len(stub.tasks()) < 100
    assert row(stub.database, "stub")["collections"] == ["c"]
    stub.server.always = slow(0)
    assert model_command(stub.database, "use", "c", "other").exit_code == 0
    stub.assert_whole()
