"""Fixtures of the tests on sessions that work at the same time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from concurrency.cast import Cast
from concurrency.stage import READ_COMMITTED, REPEATABLE_READ, Stage
from support.database import Database, RoleFactory

_EMPTY = """
truncate rag_internal.acl, rag_internal.collection, rag_internal.document, rag_internal.segment,
         rag_internal.pending, rag_internal.tombstone, rag_internal.word cascade
"""


@pytest.fixture(scope="module")
def roles(db: Database) -> Iterator[dict[str, str]]:
    """Login roles of the module: owner, alice and bob."""
    factory = RoleFactory(db)
    made = {name: factory(name=name) for name in ("alice", "bob")}
    made["owner"] = factory(member_of=["rag_writer", "rag_reader"], name="owner")
    yield made
    db.close()
    factory.drop_all()


@pytest.fixture(scope="module")
def stage(db: Database, roles: dict[str, str]) -> Iterator[Stage]:
    """Sessions of the module."""
    stage = Stage(db)
    yield stage
    stage.close()


@pytest.fixture
def cast(stage: Stage, roles: dict[str, str]) -> Iterator[Cast]:
    """Sessions on a database without documents; the collection c, that alice and bob may read."""
    stage.root.run(_EMPTY)
    cast = Cast(stage, roles)
    cast.collection()
    yield cast
    stage.end_test()


@pytest.fixture(params=[READ_COMMITTED, REPEATABLE_READ])
def isolation(request: pytest.FixtureRequest) -> str:
    """The level at which a writer or a reader works."""
    level: str = request.param
    return level
