"""Fixtures of the commands that embed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.database import Database
from support.embedding_server import embedding_server
from support.stub import Stub


@pytest.fixture(scope="module")
def stub_of_module(db: Database) -> Iterator[Stub]:
    """The module's database with its models at a scripted server."""
    with embedding_server() as server:
        yield Stub(db, server)


@pytest.fixture
def stub(stub_of_module: Stub) -> Stub:
    """A database without documents but with an empty collection c, searched by model stub."""
    stub_of_module.reset()
    stub_of_module.collection()
    return stub_of_module
