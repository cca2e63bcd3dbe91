"""`ragsql reranker`, and rerankers in the embedder that serves all sessions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from ragsql.fastembed_models import ensure_reranker
from ragsql.main import main
from ragsql.models import KnownModel, ModelChoice, ModelError
from ragsql_engine.rerank.scoring import sigmoid
from support.cross_encoder import KNOWN, make_cross_encoder, models_from
from support.database import Database, RoleFactory
from support.embedding_server import embedding_server
from support.programs import running


def command(database: Database, *arguments: object, role: str | None = None) -> Result:
    """Run `ragsql reranker` on a database."""
    dsn = make_conninfo(database.dsn, user=role) if role else database.dsn
    return CliRunner().invoke(main, ["reranker", *map(str, arguments), "--dsn", dsn])


def row(database: Database, name: str) -> dict[str, Any]:
    listed = json.loads(command(database, "list", "--format", "json").stdout)
    found: dict[str, Any] = next(one for one in listed if one["name"] == name)
    return found


def test_an_endpoint(db: Database, role_factory: RoleFactory) -> None:
    empty = command(db, "list")
    assert (empty.exit_code, empty.stderr.partition(":")[0]) == (0, "No reranker")
    arguments = ("add", "judge", "--provider", "http", "--option", "style=tei", "--url")
    with embedding_server() as server:
        refused = command(db, *arguments, server.url)
        assert refused.exit_code == 1
        assert "rag.allow_http" in refused.stderr
        with db.connect() as connection:
            connection.execute("select rag.allow_http(%s)", ([server.host],))
        added = command(db, *arguments, server.url, "--option", "max_tokens=512", "--default")
        assert added.exit_code == 0, added.output
        found = row(db, "judge")
        assert found["endpoints"] == [{"url": server.url, "style": "tei"}]
        assert (found["max_tokens"], found["is_default"]) == (512, True)
        assert (found["provider"], found["scores"]) == ("http", "probability")
        assert command(db, "list").stdout.splitlines()[-1].split()[:2] == ["judge", "http"]
        with db.connect() as connection:
            scores = connection.execute(
                "select index, score from rag.rerank('a valve', array['soup', 'a valve'])"
            ).fetchall()
        assert scores == [(2, 1), (1, 0)]
    writer = role_factory(["rag_writer"])
    assert command(db, "drop", "judge", role=writer).exit_code == 1
    assert command(db, "drop", "judge").exit_code == 0
    again = command(db, "drop", "judge")
    assert again.exit_code == 1
    assert 'no reranker is named "judge"' in again.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["m", "--provider", "http"], "--url"),
        (["m", "--url", "http://127.0.0.1/v1"], "--provider http"),
        (["m", "--key-variable", "K"], "--provider http"),
        (["m", "--option", "no value"], "NAME=VALUE"),
        (["m", "--provider", "openai"], "openai"),
    ],
)
def test_wrong_usage(db: Database, arguments: list[str], said: str) -> None:
    result = command(db, "add", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_files_that_are_there(db: Database, model: ModelChoice, tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path, model.directory)
    make_cross_encoder(tmp_path, model.directory, "own/by-hand")
    result = command(db, "add", KNOWN, "--models", tmp_path)
    assert result.exit_code == 0, result.output
    assert f"{folder} (already there)" in result.stderr
    assert len(row(db, KNOWN)["revision"]) == 12
    assert command(db, "add", "own/by-hand", "--models", tmp_path).exit_code == 0
    assert row(db, "own/by-hand")["revision"] == ""
    missing = command(db, "add", "own/other", "--models", tmp_path)
    assert missing.exit_code == 1
    assert KNOWN in missing.stderr
    assert "--provider http" in missing.stderr
    for name in (KNOWN, "own/by-hand"):
        assert command(db, "drop", name).exit_code == 0


def test_files_are_fetched(tmp_path: Path, model: ModelChoice) -> None:
    make_cross_encoder(tmp_path / "source", model.directory)
    (source,) = (tmp_path / "source").iterdir()
    asked: list[str | None] = []

    def fetch(known: KnownModel, target: Path) -> None:
        asked.append(known.repository)
        shutil.copytree(source, target, dirs_exist_ok=True)

    directory, reason, revision = ensure_reranker(tmp_path / "models", KNOWN, fetch=fetch)
    assert (reason, asked) == ("as asked", [KNOWN])
    assert (directory / "onnx" / "model.onnx").is_file()
    again = ensure_reranker(tmp_path / "models", KNOWN, fetch=fetch)
    assert again == (directory, "already there", revision)
    assert len(asked) == 1
    with pytest.raises(ModelError, match="no reranker named"):
        ensure_reranker(tmp_path / "models", "own/other", fetch=fetch)


def test_the_embedder_serves_it_to_the_sessions(
    make_database: Callable[..., Database],
    template: str,
    sockets_dir: Path,
    short_dir: Path,
    model: ModelChoice,
) -> None:
    database = make_database(template)
    models = short_dir / "attached-models"
    make_cross_encoder(models, model.directory, window=64)
    assert command(database, "add", KNOWN, "--models", models).exit_code == 0
    path = sockets_dir / "rerank.sock"
    options = ("--socket", path, "--models", models, "--attach", "--dsn", database.dsn)
    # of this the server itself sees no file: it estimates lengths
    long = "soup and bread " * 60 + "close the valve"
    asked = ("close the valve", ["soup", "open the valve", "close the valve", long])
    ask = "select index, score from rag.rerank(%s, %s) order by index"
    with database.connect() as root:
        root.execute("select rag.add_reranker(%s, options => '{\"max_tokens\": 64}')", (KNOWN,))
    expected = [sigmoid(logit) for logit in (-4, 8 * 2 / 3 - 4, 4, 4)]
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        with database.connect() as root:
            scores = root.execute(ask, asked).fetchall()
        assert [score for _, score in scores] == pytest.approx(expected, abs=1e-5)
        program.wait_for_line(f"Loaded {KNOWN}")
        assert program.stop() == 0
    with database.connect() as root, models_from(root, models):
        alone = root.execute(ask, asked).fetchall()
    assert [score for _, score in alone] == pytest.approx(expected, abs=1e-5)
    shutil.rmtree(models)
