"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from docs.api_table import documented, in_catalog
from docs.transcripts import normalised, replay, transcripts, typed
from ragsql.cluster import Cluster
from support import CHECKOUT, Database, RoleFactory

README = CHECKOUT / "README.md"
REWRITE = bool(os.environ.get("RAGSQL_REWRITE_EXPECTED"))
ROLES = ("alice", "bob")


@pytest.fixture
def no_roles(db: Database) -> Iterator[None]:
    """Drops the roles that the transcripts make."""
    yield
    with db.connect() as connection:
        for role in ROLES:
            connection.execute(f"drop role if exists {role}")


def code_blocks(language: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_transcripts_are_what_psql_shows(cluster: Cluster, db: Database, no_roles: None) -> None:
    psql = cluster.installation.bindir / "psql"
    shown = transcripts(README.read_text(encoding="utf-8"))
    assert len(shown) == 3
    for before in shown:
        after = replay(psql, db.dsn, db.name, typed(before))
        if REWRITE and normalised(after) != normalised(before):
            text = README.read_text(encoding="utf-8")
            README.write_text(text.replace(before, after), encoding="utf-8")
        else:
            assert normalised(after) == normalised(before)


def test_a_wrong_transcript_is_noticed(cluster: Cluster, db: Database) -> None:
    psql = cluster.installation.bindir / "psql"
    shown = "ragsql=# select 1 as one;\n one\n-----\n   2\n(1 row)\n"
    after = replay(psql, db.dsn, db.name, typed(shown))
    assert after == shown.replace("   2\n", "   1\n")


def test_api_table_is_complete_and_agrees_with_the_catalog(
    conn: psycopg.Connection[Any],
) -> None:
    conn.execute("set local search_path = public")  # the type vector is written without a schema
    table = documented(README.read_text(encoding="utf-8"))
    assert sorted(table) == sorted(in_catalog(conn))


def test_set_up_of_an_existing_server(conn: psycopg.Connection[Any]) -> None:
    for block in code_blocks("sql"):
        conn.execute(block)
    names = conn.execute("select name from rag_internal.setting order by 1").fetchall()
    assert names == [("model_path",), ("python_path",)]


def test_example_of_an_application(db: Database, role_factory: RoleFactory) -> None:
    (example,) = code_blocks("python")
    reader = role_factory(name="app")
    with db.connect() as connection:
        connection.execute(
            "select from rag.ingest('example', 'Backups are restored by the operations team.', "
            "source => 'backups.md', readers => array[%s])",
            [f"role:{reader}"],
        )
    result = subprocess.run(
        [sys.executable, "-c", example],
        env={**os.environ, "DATABASE_URL": f"{db.dsn} user={reader}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "Backups are restored by the operations team.\n    -- backups.md, " in result.stdout
