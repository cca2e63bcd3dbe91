"""Fixtures: a private test cluster, a migrated template, a database per module."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql import migration
from ragsql.cluster import Cluster
from ragsql.commands.up import register_model
from ragsql.models import ModelChoice, ensure_model
from support.database import Database, RoleFactory, Server
from support.paths import CHECKOUT, SHARED

TEST_OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "256MB",
    "autovacuum_naptime": "1s",  # a test waits for it
}


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> None:
    """The caller's own servers and settings take no part in the tests."""
    for name in list(os.environ):
        if name.startswith(("PG", "RAGSQL_")):
            del os.environ[name]


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The checkout's model files; fetched on first use, then kept."""
    return (CHECKOUT / ".ragsql").resolve() / "models"


@pytest.fixture(scope="session")
def model(models_dir: Path) -> ModelChoice:
    """The embedding model that the tests use."""
    return ensure_model(models_dir)


@pytest.fixture(scope="session")
def short_dir() -> Iterator[Path]:
    """A folder with a short path that the server's user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="ragsql-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster(short_dir: Path, models_dir: Path) -> Iterator[Cluster]:
    """A running cluster of the test session's own."""
    cluster = Cluster(short_dir / "home", options=TEST_OPTIONS, models=models_dir)
    try:
        cluster.create()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def server(cluster: Cluster) -> Iterator[Server]:
    """Makes databases in the test cluster."""
    server = Server(cluster.dsn)
    yield server
    server.close()


@pytest.fixture(scope="session")
def template(server: Server, model: ModelChoice) -> str:
    """Name of a database with all migrations and a registered model, to copy from."""
    database = server.create_database(prefix="template")
    migration.upgrade(database.dsn)
    register_model(database.dsn, model)
    return database.name


@pytest.fixture(scope="module")
def db(server: Server, template: str) -> Iterator[Database]:
    """A migrated database with a model, of the test module's own."""
    database = server.create_database(template)
    yield database
    server.drop_database(database)


@pytest.fixture
def make_database(server: Server) -> Iterator[Callable[..., Database]]:
    """Makes databases for one test: make_database() an empty one, make_database(template) a copy."""
    made: list[Database] = []

    def make(template: str | None = None) -> Database:
        made.append(server.create_database(template))
        return made[-1]

    yield make
    for database in made:
        server.drop_database(database)


@pytest.fixture
def conn(db: Database) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's session in one transaction that is rolled back after the test."""
    connection = db.connect(autocommit=False)
    yield connection
    connection.rollback()
    connection.close()


@pytest.fixture
def role_factory(db: Database, conn: psycopg.Connection[Any]) -> Iterator[RoleFactory]:
    """Makes login roles for one test: role_factory() or role_factory(member_of=[...])."""
    factory = RoleFactory(db)
    yield factory
    conn.rollback()  # its grants would keep the roles from being dropped
    factory.drop_all()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data sets and cases; skips the test where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder `shared` is not beside the checkout")
    return SHARED
