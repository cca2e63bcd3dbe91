"""A server for each test, and a look at what a call leaves behind."""

from collections.abc import Iterator

import pytest

from support.embedding_server import EmbeddingServer, embedding_server
from unit.http.calls import request_threads


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server(dimensions=8) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff is tested by what is asked again, not by the clock."""
    monkeypatch.setattr("ragsql_engine.embedding.http_faults._BACKOFF", 0.001)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert not request_threads()
