"""What is looked at before anything is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ragsql import migration
from ragsql.migration import preflight
from ragsql.migration.preflight import Extension
from support.catalog import everything
from support.database import Database


def refused(dsn: str) -> tuple[str, str]:
    """SQLSTATE and message of an upgrade that is refused."""
    with pytest.raises(migration.MigrationError) as failure:
        migration.upgrade(dsn, report=lambda line: None)
    return failure.value.sqlstate, failure.value.format_message()


def test_g04_a_plain_owner_is_told_what_is_needed(empty: Database, stranger: str) -> None:
    owner = empty.connect()
    owner.execute(f"alter database {empty.name} owner to {stranger}")
    owner.execute("create extension vector; create extension pg_trgm")
    before = everything(owner)
    sqlstate, message = refused(make_conninfo(empty.dsn, user=stranger))
    assert sqlstate == "42501"
    assert f"role {stranger} is no superuser" in message
    assert "no mode without PL/Python" in message
    assert "not created yet: create extension plpython3u;" in message
    assert "extension vector" not in message
    assert everything(owner) == before
    owner.execute(f"alter database {empty.name} owner to current_user")


def test_g04_every_missing_extension_is_named_at_once(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        preflight,
        "EXTENSIONS",
        (
            Extension("vector", "postgresql-{major}-pgvector", oldest=(99, 1)),
            Extension("no_such_one", "postgresql-one-{major}"),
            Extension("no_such_two", "postgresql-two-{major}"),
        ),
    )
    before = everything(empty.connect())
    sqlstate, message = refused(empty.dsn)
    major = empty.connect().info.server_version // 10_000
    assert sqlstate == "0A000"
    assert "nothing was changed" in message
    for name in ("one", "two"):
        assert f"install the package postgresql-{name}-{major}" in message
        assert f"create extension no_such_{name};" in message
    assert f"99.1 or newer is needed: install a newer postgresql-{major}-pgvector" in message
    assert everything(empty.connect()) == before


def test_an_old_version_in_the_database_is_named(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.connect().execute("create extension vector")
    vector = Extension("vector", "postgresql-{major}-pgvector", oldest=(99,))
    monkeypatch.setattr(preflight, "EXTENSIONS", (vector,))
    assert "alter extension vector update;" in refused(empty.dsn)[1]


def test_versions_are_compared_as_numbers() -> None:
    versions = ["0.8.0", "0.10.0", "1.0", "1.0.1"]
    assert sorted(versions, key=preflight._version) == versions


@pytest.mark.parametrize("search_path", ["app", "''"])
def test_g05_extensions_may_live_in_another_schema(empty: Database, search_path: str) -> None:
    connection = empty.connect()
    connection.execute(
        'create schema "Ext tensions";'
        'create extension vector schema "Ext tensions";'
        'create extension pg_trgm schema "Ext tensions";'
        f"alter database {empty.name} set search_path = {search_path}"
    )
    before = everything(connection)
    migration.upgrade(empty.dsn)
    installed = "select extname from pg_extension where extnamespace = 'pg_catalog'::regnamespace"
    assert ("plpython3u",) in connection.execute(installed).fetchall()
    migration.downgrade(empty.dsn, "base")
    assert everything(connection) == before


def test_missing_extensions_go_where_they_are_asked_to(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up="create schema rag; create table rag.t (v @extschema:vector@.vector);")
    empty.connect().execute("create schema extensions")
    toy.upgrade(empty, extension_schema="extensions")
    row = empty.connect().execute(
        "select format_type(atttypid, -1) from pg_attribute "
        "where attrelid = 'rag.t'::regclass and attnum = 1"
    )
    assert row.fetchone() == ("extensions.vector",)


def test_a_read_only_server_is_refused_in_words(empty: Database) -> None:
    sqlstate, message = refused(
        make_conninfo(empty.dsn, options="-c default_transaction_read_only=on")
    )
    assert sqlstate == "25006"
    assert "set default_transaction_read_only = off" in message


def test_another_encoding_is_refused(make_database: Callable[..., Database]) -> None:
    near = make_database()
    name = f"{near.name}_latin"
    with psycopg.connect(near.dsn, autocommit=True) as connection:
        connection.execute(
            f"create database {name} encoding 'LATIN1' locale 'C' template template0"
        )
        try:
            sqlstate, message = refused(make_conninfo(near.dsn, dbname=name))
        finally:
            connection.execute(f"drop database {name} with (force)")
    assert sqlstate == "0A000"
    assert "encoding LATIN1" in message
