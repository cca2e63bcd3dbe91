"""`ragsql embedder --attach`: the sessions of a database use it while it runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo

from ragsql.main import main
from ragsql.models import ModelChoice
from support.database import Database, RoleFactory
from support.loading import load, query, write_files
from support.programs import running

SESSIONS = 24


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


def test_a_worker_has_it_do_the_bulk(
    make_database: Callable[..., Database],
    template: str,
    sockets_dir: Path,
    models_dir: Path,
    model: ModelChoice,
    tmp_path: Path,
) -> None:
    database = make_database(template)
    write_files(tmp_path / "docs", 12)
    loaded = load(database, tmp_path / "docs", "--collection", "c", "--embed", "later")
    assert loaded.exit_code == 0, loaded.output
    path = sockets_dir / "bulk.sock"
    options = ("--socket", path, "--models", models_dir, "--attach", "--dsn", database.dsn)
    with running("embedder", *options) as program:
        program.wait_for_line("Serving")
        worked = CliRunner().invoke(main, ["worker", "--once", "--dsn", database.dsn])
        assert worked.exit_code == 0, worked.output
        program.wait_for_line(f"Loaded {model.name}")
    # what the sessions make by themselves is the same to half a precision
    query(database, "delete from rag_internal.setting where name = 'embedder' returning name")
    (worst,) = query(
        database,
        "select max(e.v::vector <=> (rag.embed(array[coalesce(c.embed_text, c.content)]))[1]) "
        "from rag_internal.chunk c join rag_internal.embedding e using (chunk_id)",
    )
    assert query(database, "select count(*) from rag_internal.embedding") == [12]
    assert worst < 0.001
