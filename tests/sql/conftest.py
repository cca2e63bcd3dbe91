"""Fixtures of the tests on embedding."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support import Database
from support.embedding_server import EmbeddingServer, embedding_server
from support.stub import Stub


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddingServer]:
    """A scripted embeddings server of the module's own, of 8 dimensions."""
    with embedding_server() as server:
        yield server


@pytest.fixture(scope="module")
def stub_of_module(db: Database, endpoint: EmbeddingServer) -> Stub:
    """The module's database with its models at the server."""
    return Stub(db, endpoint)


@pytest.fixture
def stub(stub_of_module: Stub) -> Stub:
    """A database without documents but with an empty collection c, searched by model stub."""
    stub_of_module.reset()
    stub_of_module.collection()
    return stub_of_module
