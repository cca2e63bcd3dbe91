"""5. upgrade: a released database with data in it becomes one like a fresh one, and works."""

from __future__ import annotations

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

DATA = Path(__file__).parent / "data"
KEYS = "To rotate an API key, open Settings, then Keys. Old keys work for one more day."
ARABIC = "قال المُدِيرُ: أُغلقت الصمّامات في المدينة القديمة. هل وصلت الرسالة؟"

Connection = psycopg.Connection[Any]


def test_every_older_revision_has_data(_importable_scripts: None) -> None:
    import freeze

    tree = freeze.Tree()
    older = set(tree.released_revisions()) - {tree.chain()[0]}
    assert {path.stem for path in DATA.glob("*.sql")} == older


@pytest.fixture(params=[path.stem for path in sorted(DATA.glob("*.sql"))])
def upgraded(
    request: pytest.FixtureRequest, make_database: Callable[..., Database], model: ModelChoice
) -> Database:
    database = make_database()
    migration.upgrade(database.dsn, request.param)
    register_model(database.dsn, model)
    with database.connect(autocommit=True) as connection:
        connection.execute((DATA / f"{request.param}.sql").read_text("utf-8"))
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


def _sources(connection: Connection, query: str) -> list[str]:
    rows = connection.execute("select source from rag.search(%s) order by rank", [query])
    return [source for (source,) in rows]
