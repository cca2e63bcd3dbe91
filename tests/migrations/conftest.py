"""Fixtures: a small environment of its own whose revisions a test writes itself."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsql import migration
from support import CHECKOUT
from support.database import Database

MIGRATIONS = CHECKOUT / "migrations"

REVISION = '''"""{revision}"""

from replay import replay, undo

revision = "{revision}"
down_revision = {below!r}


def upgrade() -> None:
    replay(revision)


def downgrade() -> None:
    undo(revision)
'''


class Toy:
    """An Alembic environment in a temporary folder, with the real env.py and replay.py."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder
        self.migrations = folder / "migrations"
        self.versions = self.migrations / "versions"
        self.versions.mkdir(parents=True)
        for name in ("env.py", "replay.py", "freeze.py", "script.py.mako", "frozen.sha256"):
            shutil.copy(MIGRATIONS / name, self.migrations / name)
        self._newest: str | None = None

    def add(self, revision: str, up: str = "", down: str = "", **files: str) -> None:
        """Adds a revision on top; files: name without .sql to the SQL of a frozen copy."""
        text = REVISION.format(revision=revision, below=self._newest)
        (self.versions / f"{revision}.py").write_text(text)
        folder = self.versions / revision
        (folder / "sql").mkdir(parents=True)
        (folder / "up.sql").write_text(up)
        (folder / "down.sql").write_text(down)
        known = [] if self._newest is None else self.order(self._newest)
        order = [*known, *(f"{name}.sql" for name in files if f"{name}.sql" not in known)]
        self.set_order(revision, order)
        for name, body in files.items():
            (folder / "sql" / f"{name}.sql").write_text(body)
        self._newest = revision

    def order(self, revision: str) -> list[str]:
        return (self.versions / revision / "order.txt").read_text().split()

    def set_order(self, revision: str, names: list[str]) -> None:
        (self.versions / revision / "order.txt").write_text("".join(f"{n}\n" for n in names))

    def upgrade(self, database: Database, revision: str = "head", **options: Any) -> list[str]:
        """Upgrades and returns the lines of progress."""
        lines: list[str] = []
        migration.upgrade(
            database.dsn, revision, folder=self.migrations, report=lines.append, **options
        )
        return lines

    def downgrade(self, database: Database, revision: str, **options: Any) -> list[str]:
        """Downgrades and returns the lines of progress."""
        lines: list[str] = []
        migration.downgrade(
            database.dsn, revision, folder=self.migrations, report=lines.append, **options
        )
        return lines


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """An empty environment."""
    return Toy(tmp_path)


@pytest.fixture
def empty(make_database: Callable[..., Database]) -> Database:
    """An empty database."""
    return make_database()


@pytest.fixture
def stranger(empty: Database) -> Iterator[str]:
    """A login role without any right, and nothing else; dropped with what it owns."""
    name = "t_stranger_" + hashlib.sha256(empty.name.encode()).hexdigest()[:8]
    with empty.connect() as connection:
        connection.execute(f"create role {name} login")
    yield name
    with psycopg.connect(empty.dsn, autocommit=True) as connection:
        connection.execute(f"drop owned by {name} cascade")
        connection.execute(f"drop role {name}")


@pytest.fixture(scope="session", autouse=True)
def _importable_scripts() -> Iterator[None]:
    """The scripts of the migrations folder import each other by their bare names."""
    sys.path.insert(0, str(MIGRATIONS))
    yield
    sys.path.remove(str(MIGRATIONS))
