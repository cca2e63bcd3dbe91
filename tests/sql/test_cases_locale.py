"""Cases of a database whose locale knows nothing beyond ASCII, and whose accents are elsewhere."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from ragsql import migration
from ragsql.cluster import Cluster
from support import Database
from support.database import Server

Connection = psycopg.Connection[Any]

BUILT_IN = """
    select md5(string_agg(p::text, '' order by oid)) from pg_proc p where oid < 16384
"""


def found(conn: Connection, query: str, leg: str = "bm25") -> list[str]:
    """Sources found, in their order."""
    rows = conn.execute(f"select source from rag.{leg}_search(%s) order by rank", [query])
    return [source for (source,) in rows]


@pytest.fixture
def plain(server: Server, cluster: Cluster) -> Any:
    """A migrated database with lc_ctype C and the extension unaccent in a schema of its own."""
    database = Database(server.dsn, "ctype_c")
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        admin.execute(
            sql.SQL("create database {} template template0 lc_ctype 'C' lc_collate 'C'").format(
                sql.Identifier(database.name)
            )
        )
    with database.connect() as owner:
        owner.execute("create schema extensions")
        owner.execute("create extension unaccent schema extensions")
        before = owner.execute(BUILT_IN).fetchone()
        migration.upgrade(database.dsn)
        assert owner.execute(BUILT_IN).fetchone() == before, "a built-in function was altered"
        assert owner.execute(
            "select datctype from pg_database where datname = current_database()"
        ).fetchone() == ("C",)
        owner.execute("select rag.create_collection('texts', model => 'none')")
        owner.execute("select rag.ingest('texts', 'ПРИВЕТ ＦＵＬＬ', 'hello')")
        owner.execute("select rag.ingest('texts', 'Привет café', 'cafe')")
        owner.execute("select rag.ingest('texts', 'nothing of that', 'other')")
    yield database
    server.drop_database(database)


def assert_folded(conn: Connection) -> None:
    assert sorted(found(conn, "привет")) == ["cafe", "hello"]
    assert sorted(found(conn, "ПРИВЕТ")) == ["cafe", "hello"]
    assert found(conn, "full") == ["hello"]
    assert found(conn, "Full café")[0] in ("cafe", "hello")
    assert found(conn, "CAFE") == ["cafe"]
    assert sorted(found(conn, "Превет", "fuzzy")) == ["cafe", "hello"]
    assert found(conn, "cafè", "fuzzy") == ["cafe"]
    assert found(conn, "каша", "fuzzy") == []


def test_c13_c18_h04_neither_locale_nor_schema_matters(
    plain: Database,
    make_database: Callable[..., Database],
    cluster: Cluster,
) -> None:
    with plain.connect() as conn:
        assert_folded(conn)
        conn.execute("call rag.maintain()")
        assert_folded(conn)
    restored = make_database()
    bindir = cluster.installation.bindir
    dump = subprocess.run([bindir / "pg_dump", plain.dsn], check=True, capture_output=True)
    command: list[str | Path] = [bindir / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", restored.dsn]
    subprocess.run(command, input=dump.stdout, check=True, capture_output=True)
    with restored.connect() as conn:
        assert_folded(conn)
