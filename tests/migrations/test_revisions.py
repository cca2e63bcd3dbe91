"""Up, down and up again; what a revision replays; SQL for an administrator."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from support import throws_ok
from support.catalog import definitions, dump, everything
from support.database import Database

THING = "create schema rag; create table rag.thing (id bigint primary key);"
ANSWER = """\
create or replace function rag.answer() returns text language sql set search_path = pg_catalog
as $$ select '{0}' $$;
"""


def psql(cluster: Cluster, database: Database, script: str) -> None:
    """Runs a script as an administrator would."""
    subprocess.run(
        [cluster.installation.bindir / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-",
         database.dsn],
        input=script, text=True, check=True, capture_output=True,
    )  # fmt: skip


def answer(database: Database) -> Any:
    row = database.connect().execute("select rag.answer()").fetchone()
    assert row is not None
    return row[0]


def test_up_down_up_gives_the_same_schema_and_base_is_empty(
    empty: Database, cluster: Cluster
) -> None:
    before = everything(empty.connect())
    migration.upgrade(empty.dsn)
    first = definitions(empty.connect()), dump(cluster.installation.bindir, empty.dsn)
    assert len(first[0]) > 100
    migration.downgrade(empty.dsn, "base")
    assert everything(empty.connect()) == before
    migration.upgrade(empty.dsn)
    assert (definitions(empty.connect()), dump(cluster.installation.bindir, empty.dsn)) == first


def test_base_keeps_extensions_that_were_there_before(empty: Database) -> None:
    connection = empty.connect()
    connection.execute("create extension pg_trgm")
    before = everything(connection)
    migration.upgrade(empty.dsn)
    migration.downgrade(empty.dsn, "base")
    assert everything(connection) == before


def test_base_keeps_an_extension_that_others_use_by_then(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;")
    toy.upgrade(empty)
    empty.connect().execute("create table public.mine (v vector(3))")
    assert "kept extension vector: other objects use it" in toy.downgrade(empty, "base")
    rows = empty.connect().execute("select extname from pg_extension order by 1").fetchall()
    assert rows == [("plpgsql",), ("vector",)]


def test_objects_of_others_in_our_schema_stop_the_removal(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;")
    toy.upgrade(empty)
    empty.connect().execute("create operator rag_internal.@@@ (rightarg = int, function = int4abs)")
    with pytest.raises(migration.MigrationError, match=r"operator rag_internal\.@@@") as failure:
        toy.downgrade(empty, "base")
    assert failure.value.sqlstate == "2BP01"
    empty.connect().execute("drop operator rag_internal.@@@ (none, int)")
    assert toy.downgrade(empty, "base") == ["at base"]


def test_percent_signs_and_colons_survive(empty: Database, toy: Any) -> None:
    body = "select format('%s %% :x :\"y\" %(z)s', $1) || ' ' || '{a,b}'::text[]::text"
    function = f"create or replace function rag.f(text) returns text language sql as $$ {body} $$;"
    toy.add("0001_one", up=THING, down="drop schema rag cascade;", f=function)
    toy.upgrade(empty)
    source = "select prosrc from pg_proc where proname = 'f'"
    assert empty.connect().execute(source).fetchone() == (f" {body} ",)


def test_a_downgrade_replays_the_previous_copy(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;", answer=ANSWER.format("one"))
    toy.add("0002_two", up="create table rag.two ();", down="drop table rag.two;")
    toy.add(
        "0003_three",
        up="alter table rag.thing add column three int;",
        down="drop function rag.fresh(); alter table rag.thing drop column three;",
        answer=ANSWER.format("three"),
        fresh=ANSWER.format("fresh").replace("answer", "fresh"),
    )
    toy.upgrade(empty, "0002_two")
    second = definitions(empty.connect())
    assert answer(empty) == "one"
    toy.upgrade(empty)
    assert answer(empty) == "three"
    toy.downgrade(empty, "0002_two")
    assert definitions(empty.connect()) == second
    assert answer(empty) == "one"


def test_a_downgrade_brings_a_removed_file_back(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;", answer=ANSWER.format("one"))
    toy.add("0002_two", up="drop function rag.answer();")
    toy.set_order("0002_two", [])
    toy.upgrade(empty)
    throws_ok(empty.connect(), "select rag.answer()", "42883")
    toy.downgrade(empty, "0001_one")
    assert answer(empty) == "one"


def test_a_failing_revision_leaves_the_ones_before(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;")
    toy.add("0002_two", up="create table rag.two ();", f="select 1;\nselect no_such_column;\n")
    with pytest.raises(migration.MigrationError) as failure:
        toy.upgrade(empty)
    message = failure.value.format_message()
    assert "0002_two failed in 0002_two/sql/f.sql, line 2" in message
    assert "no_such_column" in message
    assert failure.value.sqlstate == "42703"
    assert migration.status(empty.dsn, folder=toy.migrations) == ("0001_one", "0002_two")
    throws_ok(empty.connect(), "select from rag.two", "42P01")


def test_a_failing_first_revision_leaves_nothing(empty: Database, toy: Any) -> None:
    before = everything(empty.connect())
    toy.add("0001_one", up=THING + "select 1 / 0;")
    with pytest.raises(migration.MigrationError, match="division by zero"):
        toy.upgrade(empty)
    assert everything(empty.connect()) == before


def test_each_revision_runs_with_pinned_settings(empty: Database, toy: Any) -> None:
    empty.connect().execute(
        f"alter database {empty.name} set search_path = public, pg_catalog;"
        f"alter database {empty.name} set statement_timeout = '30s';"
        f"alter database {empty.name} set default_transaction_isolation = 'serializable'"
    )
    toy.add(
        "0001_one",
        up="create schema rag; create table rag.seen as select name, setting from "
        "pg_settings where name in ('search_path', 'lock_timeout', 'statement_timeout', "
        "'transaction_isolation');",
    )
    toy.upgrade(empty, lock_timeout=4.5)
    rows = empty.connect().execute("select name, setting from rag.seen").fetchall()
    assert dict(rows) == {
        "search_path": "pg_catalog, pg_temp",
        "lock_timeout": "4500",
        "statement_timeout": "0",
        "transaction_isolation": "read committed",
    }


def test_a_database_of_a_newer_ragsql_is_refused(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING)
    toy.upgrade(empty)
    empty.connect().execute("update rag_internal.alembic_version set version_num = '0009_later'")
    with pytest.raises(migration.MigrationError, match="0009_later"):
        toy.upgrade(empty)


def test_unknown_and_backward_revisions_are_refused(empty: Database, toy: Any) -> None:
    toy.add("0001_one", up=THING)
    toy.add("0002_two")
    with pytest.raises(migration.MigrationError, match="choose one of: base, 0001_one, 0002_two"):
        toy.upgrade(empty, "0003_three")
    toy.upgrade(empty)
    with pytest.raises(migration.MigrationError, match="downgrade 0001_one"):
        toy.upgrade(empty, "0001_one")
    toy.downgrade(empty, "0001_one")
    with pytest.raises(migration.MigrationError, match="upgrade 0002_two"):
        toy.downgrade(empty, "0002_two")


def test_downgrade_of_an_empty_database_does_nothing(empty: Database) -> None:
    before = everything(empty.connect())
    migration.downgrade(empty.dsn, "base")
    assert everything(empty.connect()) == before


def test_offline_sql_gives_the_same_schema(
    make_database: Callable[..., Database], cluster: Cluster
) -> None:
    online, offline = make_database(), make_database()
    before = everything(offline.connect())
    migration.upgrade(online.dsn)
    psql(cluster, offline, migration.offline_sql())
    bindir = cluster.installation.bindir
    assert dump(bindir, offline.dsn) == dump(bindir, online.dsn)
    assert definitions(offline.connect()) == definitions(online.connect())
    assert migration.status(offline.dsn) == migration.status(online.dsn)
    tables = ("rag_internal.alembic_version", "rag_internal.created_extension")
    for table in tables:
        query = f"table {table}"
        ours = offline.connect().execute(query).fetchall()
        assert ours == online.connect().execute(query).fetchall()
    psql(cluster, offline, migration.offline_sql("head:base"))
    assert everything(offline.connect()) == before


def test_offline_sql_of_one_step_checks_where_it_starts(
    empty: Database, toy: Any, cluster: Cluster
) -> None:
    toy.add("0001_one", up=THING, down="drop schema rag cascade;", answer=ANSWER.format("one"))
    toy.add("0002_two", answer=ANSWER.format("two"))
    script = migration.offline_sql("0001_one:0002_two", folder=toy.migrations)
    with pytest.raises(subprocess.CalledProcessError):
        psql(cluster, empty, script)
    toy.upgrade(empty, "0001_one")
    psql(cluster, empty, script)
    assert answer(empty) == "two"
    with pytest.raises(subprocess.CalledProcessError) as failure:
        psql(cluster, empty, script)
    assert "the database is at revision 0002_two, this part starts at 0001_one" in (
        failure.value.stderr
    )
    psql(cluster, empty, migration.offline_sql("0002_two:0001_one", folder=toy.migrations))
    assert answer(empty) == "one"


def test_offline_sql_refuses_an_extension_elsewhere(
    empty: Database, toy: Any, cluster: Cluster
) -> None:
    toy.add("0001_one", up=THING)
    empty.connect().execute("create schema extensions; create extension vector schema extensions")
    with pytest.raises(subprocess.CalledProcessError) as failure:
        psql(cluster, empty, migration.offline_sql(folder=toy.migrations))
    assert "--extension-schema vector=extensions" in failure.value.stderr
    schemas = {"vector": "extensions"}
    psql(cluster, empty, migration.offline_sql(folder=toy.migrations, extension_schemas=schemas))
    assert migration.status(empty.dsn, folder=toy.migrations).current == "0001_one"


def test_the_folder_is_found(tmp_path: Path) -> None:
    from ragsql.migration.environment import Chain, migrations_folder

    folder = migrations_folder()
    assert (folder / "replay.py").is_file()
    assert Chain(folder).revisions[0] == "0001_core"
