"""5. upgrade: a released database with data in it becomes one like a fresh one, and works."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql import migration
from ragsql.commands.up import register_model
from ragsql.models import ModelChoice
from support.catalog import definitions
from support.database import Database
from support.identities import sign

DATA = Path(__file__).parent / "data"
PUBLIC = """
    select d.source from rag_internal.document d join rag_internal.acl_reader r using (acl_id)
    join rag_internal.principal p using (principal_id) where p.kind = 'public'"""
KEYS = "To rotate an API key, open Settings, then Keys. Old keys work for one more day."
MODELS = "INSERT INTO rag_internal.model "
ARABIC = "قال المُدِيرُ: أُغلقت الصمّامات في المدينة القديمة. هل وصلت الرسالة؟"

Connection = psycopg.Connection[Any]


def test_every_older_revision_has_data(_importable_scripts: None) -> None:
    import freeze

    tree = freeze.Tree()
    released = set(tree.released_revisions())
    with_data = {path.stem for path in DATA.glob("*.sql")}
    # the newest may have some: the next revision begins with it
    assert released - {tree.chain()[0]} <= with_data <= released


@pytest.fixture(params=[path.stem for path in sorted(DATA.glob("*.sql"))])
def upgraded(
    request: pytest.FixtureRequest, make_database: Callable[..., Database], model: ModelChoice
) -> Database:
    database = make_database()
    migration.upgrade(database.dsn, request.param)
    data = (DATA / f"{request.param}.sql").read_text("utf-8")
    if MODELS not in data:
        register_model(database.dsn, model)
    with database.connect(autocommit=True) as connection:
        connection.execute(data.encode())
    migration.upgrade(database.dsn)
    return database


def test_an_upgraded_database_is_like_a_fresh_one(
    upgraded: Database, make_database: Callable[..., Database], template: str, model: ModelChoice
) -> None:
    fresh = make_database(template)
    with upgraded.connect() as connection:
        # the index of a model that was there stays as it was built, until somebody asks for more
        connection.execute(
            "select rag.add_model(%s, options => '{\"ef_construction\": 128}')", [model.name]
        )
    with upgraded.connect() as after, fresh.connect() as before:
        _copy_models(after, before)
        assert definitions(after) == definitions(before)


def test_an_upgraded_database_answers_and_takes_documents(upgraded: Database) -> None:
    with upgraded.connect(autocommit=True) as connection:
        assert _sources(connection, "how do I replace my API key")[0] == "keys.md"
        assert _sources(connection, "invoises")[0] == "billing.md"
        # folded otherwise since: the same word without marks, and with another last letter
        assert "arabic.txt" in _sources(connection, "المدير")
        assert "arabic.txt" in _sources(connection, "المدينه")
        ingest = (
            "select status from rag.ingest(%s, %s, %s, title => %s, tags => %s, metadata => %s)"
        )
        for collection, content, source, title, tags, metadata in [
            ("handbook", KEYS, "keys.md", "API keys", ["security"], '{"owner": "ops"}'),
            ("letters", ARABIC, "arabic.txt", "رسالة إلى المدينة", [], "{}"),
        ]:
            row = connection.execute(ingest, [collection, content, source, title, tags, metadata])
            assert row.fetchone() == ("unchanged",)
        connection.execute("select rag.alter_collection('letters', strategy => 'semantic')")
        row = connection.execute(
            "select status, chunks_created from rag.ingest('letters', %s, 'arabic.txt')", [ARABIC]
        )
        assert row.fetchone() == ("updated", 1)


@pytest.mark.parametrize("upgraded", ["0004_embedding"], indirect=True)
def test_vectors_and_those_that_are_waited_for_come_along(upgraded: Database) -> None:
    with upgraded.connect(autocommit=True) as connection:
        nearest = "select source from rag.semantic_search(null, '{drawings}', query_vector => %s)"
        assert connection.execute(nearest, ["[0.6, 0.8, 0, 0]"]).fetchall() == [
            ("gears.svg",),
            ("valve.svg",),
        ]
        waiting = "select sum(total), sum(done), sum(waiting), sum(failed) from rag.job_status"
        assert connection.execute(waiting).fetchone() == (8, 2, 5, 1)
        dead = connection.execute("select source, attempts from rag.dead_letter")
        assert dead.fetchall() == [("misprint.md", 5)]
        connection.execute("call rag.run_jobs()")  # those of the model that can be reached
        assert connection.execute(waiting).fetchone() == (8, 3, 4, 1)
        given = (
            "select rag.set_embeddings(document_id, '{\"[0, 1, 0, 0]\"}')"
            " from rag.document where source = 'bearing.svg'"
        )
        assert connection.execute(given).fetchone() == (1,)
        assert len(connection.execute(nearest, ["[0, 1, 0, 0]"]).fetchall()) == 3


@pytest.mark.parametrize("upgraded", ["0004_embedding"], indirect=True)
def test_readers_come_along(upgraded: Database) -> None:
    plans = {"bridge.md", "misprint.md", "tunnel.md"}
    drawings = {"valve.svg", "gears.svg", "bearing.svg"}
    expected = {
        "pg_monitor": {"audit.md"} | plans | drawings,  # it has the rights of the other two
        "pg_read_all_settings": {"gears.svg"},
        "pg_read_all_stats": {"tunnel.md"},
    }
    with upgraded.connect(autocommit=False) as connection:
        public = {source for (source,) in connection.execute(PUBLIC)}
        for role, sources in expected.items():
            _become(connection, role, "rag_reader")
            assert _seen(connection) - public == sources, role
            connection.rollback()


@pytest.mark.parametrize("upgraded", ["0005_access"], indirect=True)
def test_what_is_said_of_readers_comes_along(upgraded: Database) -> None:
    with upgraded.connect(autocommit=False) as connection:
        claims = {"sub": "alice", "iss": "https://login.example.com", "aud": "ragsql"}
        token = sign(claims, key="thirty-two bytes, and for tests alone", kid="kept")
        found = connection.execute(
            "select source from rag.search('turbine', strategy => 'bm25', token => %s)", [token]
        )
        assert {source for (source,) in found} == {"tuesday.md", "wednesday.md"}
        _become(connection, "pg_signal_backend", "rag_service, rag_writer")
        connection.execute("select rag.set_user('bob', '{engineers}', 'acme')")
        assert _seen(connection) == {"tuesday.md"}
        writes = "select status from rag.ingest('user:alice/diary', 'It ran again.', 'friday.md')"
        assert connection.execute(writes).fetchone() == ("created",)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):  # its tenant may only search it
            connection.execute("select rag.ingest('guide', 'It ran again.', 'friday.md')")
        connection.rollback()

        desk = "select content from rag.search('desk', '{contacts}', strategy => 'bm25')"
        for role, shown in (("settings", "[redacted]"), ("stats", "desk@example.com")):
            _become(connection, f"pg_read_all_{role}", "rag_reader")
            ((content,),) = connection.execute(desk).fetchall()
            assert shown in content
            connection.rollback()

        log = (
            "select strategy, query, cardinality(document_ids) from rag.search_log order by 1, 2, 3"
        )
        assert connection.execute(log).fetchall() == [
            ("bm25", "taxis", 2),
            ("bm25", "turbine", 1),
            ("bm25", None, 1),
            ("hybrid", None, 7),
        ]


def _copy_models(source: Connection, target: Connection) -> None:
    """Gives one database the models that another one has beside it, with their tables."""
    known = [name for (name,) in target.execute("select name from rag_internal.model")]
    models = source.execute(
        "select to_jsonb(m) from rag_internal.model m where name <> all(%s)", [known]
    )
    target.execute("set role rag_owner")
    for (row,) in models.fetchall():
        target.execute(
            "with copied as (insert into rag_internal.model overriding system value"
            " select m.* from jsonb_populate_record(null::rag_internal.model, %s) m returning *)"
            " select rag_internal.add_embedding_partition(c::rag_internal.model) from copied c",
            [json.dumps(row)],
        )
    target.execute("reset role")


def _become(connection: Connection, role: str, groups: str) -> None:
    """Takes a role that PostgreSQL brings along, and so has the same oid everywhere."""
    connection.execute(f"grant {groups} to {role}")
    connection.execute(f"set local role {role}")


def _seen(connection: Connection) -> set[str]:
    return {source for (source,) in connection.execute("select source from rag.document")}


def _sources(connection: Connection, query: str) -> list[str]:
    rows = connection.execute(
        "select source from rag.search(%s, '{handbook, letters}') order by rank", [query]
    )
    return [source for (source,) in rows]
