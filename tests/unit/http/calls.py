"""Calls of models over HTTP, and what every failure of them must keep to."""

import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from ragsql_engine.embedding.endpoints import Allowed, parse_endpoints
from ragsql_engine.embedding.http_provider import HttpProvider
from ragsql_engine.errors import ProviderUnavailable, RagError
from ragsql_engine.model import Model
from support.embedding_server import EmbeddingServer

SECRET = "sk-c0ffee-0451"
TEXTS = ["the heron waits", "a kettle sings", "rain on slate"]


def request_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ragsql http"]


def model_of(*endpoints: dict[str, Any], dimensions: int = 8) -> Model:
    return Model(
        name="quarry/heron",
        revision="",
        dimensions=dimensions,
        query_prefix="",
        passage_prefix="",
        max_tokens=None,
        provider="openai",
        endpoints=endpoints,
    )


def provider_of(
    *endpoints: dict[str, Any],
    hosts: str | None = None,
    variables: str = "HERON_KEY",
    environ: dict[str, str] | None = None,
    pause: Callable[[], None] = lambda: None,
    dimensions: int = 8,
    **more: Any,
) -> HttpProvider:
    """A provider whose endpoints are all allowed, unless `hosts` says which are."""
    model = model_of(*endpoints, dimensions=dimensions)
    parsed = parse_endpoints(model)
    hosts = " ".join(e.place for e in parsed) if hosts is None else hosts
    return HttpProvider(
        model,
        parsed,
        allowed=Allowed.from_settings(hosts, variables),
        environ={"HERON_KEY": SECRET} if environ is None else environ,
        pause=pause,
        **more,
    )


def provider(server: EmbeddingServer, **more: Any) -> HttpProvider:
    return provider_of({"url": server.url}, **more)


def fault(provider: HttpProvider, texts: list[str] = TEXTS) -> ProviderUnavailable:
    """The error of a call, which tells nothing of texts, answers and keys."""
    with pytest.raises(ProviderUnavailable) as caught:
        provider.embed(texts, "passage")
    assert caught.value.sqlstate == "55000"
    assert_tells_nothing(caught.value, texts)
    return caught.value


def assert_tells_nothing(error: RagError, texts: list[str]) -> None:
    assert error.__cause__ is None
    assert error.__context__ is None
    told = repr([error, error.message, error.detail, error.hint, error.args])
    for secret in [*texts, SECRET, "<html>"]:
        assert secret not in told


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cancelled(Exception):
    """What a cancel raises in PL/Python."""


def cancel() -> None:
    raise Cancelled
