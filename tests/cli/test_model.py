"""`ragsql model`: registering models, listing and dropping them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from ragsql.cluster import Cluster
from ragsql.fastembed_models import described, fetch_model, server_models
from ragsql.manifest import is_complete
from ragsql.models import KnownModel, ModelChoice, ModelError
from ragsql.settings import Settings
from support.database import Database, RoleFactory
from support.model_command import model_command, row
from support.stub import Stub

# of fastembed's models one whose weights lie in two files below a folder
LARGE = "google/embeddinggemma-300m"


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
