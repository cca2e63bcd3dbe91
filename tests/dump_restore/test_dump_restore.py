"""G06, F17: a dump restores into a fresh database, with the same rows, rights and answers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support import Database
from support.catalog import definitions

TABLES = (
    "collection",
    "document",
    "chunk",
    "principal",
    "acl",
    "ingest_log",
    "embedding",
    "acl_reader",
)
SEARCH = "select h.* from rag.search('red valve', top_k => 100) h"


def answers(connection: psycopg.Connection[Any], reader: str) -> dict[str, Any]:
    """What the database holds, and what the owner and a reader are told."""
    found = {
        t: connection.execute(f"select count(*) from rag_internal.{t}").fetchone() for t in TABLES
    }
    found["owner"] = connection.execute(SEARCH).fetchall()
    connection.execute(f'set role "{reader}"')
    found["reader"] = connection.execute(SEARCH).fetchall()
    connection.execute("reset role")
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_restored_database_answers_the_same(
    db: Database,
    make_database: Callable[..., Database],
    cluster: Cluster,
    tmp_path: Path,
    jobs: int,
) -> None:
    reader = f"{db.name}_reader_{jobs}"
    restored = make_database()
    with db.connect(autocommit=True) as connection:
        connection.execute(f'create role "{reader}" in role rag_reader')
        for i in range(20):
            connection.execute(
                "select rag.ingest(%s, %s, %s)",
                [f"docs{i % 2}", f"The red valve number {i}.", f"{i}.md"],
            )
        connection.execute("select rag.grant_read('docs1', %s)", [reader])
        before, schema = answers(connection, reader), definitions(connection)
    assert len(before["owner"]) == 20
    assert len(before["reader"]) == 10

    bindir, archive = cluster.installation.bindir, tmp_path / "archive"
    subprocess.run([bindir / "pg_dump", "-Fd", "-f", archive, db.dsn], check=True)
    command = [
        bindir / "pg_restore",
        "--exit-on-error",
        f"--jobs={jobs}",
        "-d",
        restored.dsn,
        archive,
    ]
    subprocess.run(command, check=True)

    with restored.connect(autocommit=True) as connection:
        assert answers(connection, reader) == before
        assert definitions(connection) == schema
    migration.downgrade(restored.dsn, "base")
    with restored.connect(autocommit=True) as connection:
        assert definitions(connection) == {}
    with db.connect(autocommit=True) as connection:
        connection.execute("select rag.drop_collection(name) from rag.list_collections()")
    for database in (db, restored):
        with database.connect(autocommit=True) as connection:
            connection.execute(f'drop owned by "{reader}"')
    with db.connect(autocommit=True) as connection:
        connection.execute(f'drop role "{reader}"')
