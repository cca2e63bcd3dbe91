"""Several endpoints in order of preference."""

import time
from types import SimpleNamespace

import pytest

from ragsql_engine.embedding import http_caller
from ragsql_engine.embedding.http_client import Connections
from support.embedding_server import (
    EmbeddingServer,
    Reply,
    embedding_server,
    failing,
    hanging_up,
    slow,
    too_many,
)
from unit.http.calls import fault, free_port, provider_of


@pytest.mark.parametrize("reply", [failing(500), slow(30), too_many("60"), hanging_up()])
def test_the_next_endpoint_stands_in(server: EmbeddingServer, reply: Reply) -> None:
    with embedding_server() as first:
        first.always = reply
        asked = provider_of({"url": first.url, "timeout": 0.3}, {"url": server.url})
        asked.embed(["x"], "passage")
        asked.embed(["y"], "passage")
        assert server.texts == ["x", "y"]
        assert first.texts == ["x"]


def test_the_first_endpoint_is_tried_again_in_time(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Success of the one that stands in does not put that off."""
    connections = Connections()
    start, clock = time.monotonic(), SimpleNamespace(later=0.0)
    # only the caller's own clock: the connection's would close it
    monkeypatch.setattr(
        http_caller,
        "time",
        SimpleNamespace(monotonic=lambda: start + clock.later, sleep=time.sleep),
    )
    with embedding_server() as first:
        first.script = [failing(500)]
        for text, clock.later in [("a", 0.0), ("b", 20.0), ("c", 31.0), ("d", 32.0)]:
            asked = provider_of({"url": first.url}, {"url": server.url}, connections=connections)
            asked.embed([text], "passage")
        assert first.texts == ["a", "c", "d"]
        assert server.texts == ["a", "b"]


def test_all_endpoints_down_is_certain() -> None:
    urls = [f"http://127.0.0.1:{free_port()}/v1" for _ in range(2)]
    error = fault(provider_of(*({"url": url} for url in urls)))
    assert error.certain
    assert error.message == "no endpoint of model quarry/heron can be used now"
    assert (error.detail or "").count("cannot be reached") == 2


def test_one_endpoint_down_and_one_failing_is_not_certain(server: EmbeddingServer) -> None:
    server.always = failing(500)
    down = {"url": f"http://127.0.0.1:{free_port()}/v1"}
    assert not fault(provider_of(down, {"url": server.url})).certain
    server.always = too_many("40")
    error = fault(provider_of(down, {"url": server.url}))
    assert (error.certain, error.retry_after) == (True, 40)


def test_a_wrong_key_is_not_hidden_by_the_next_endpoint(server: EmbeddingServer) -> None:
    with embedding_server() as first:
        first.always = failing(401)
        assert fault(provider_of({"url": first.url}, {"url": server.url})).certain
    assert not server.requests
