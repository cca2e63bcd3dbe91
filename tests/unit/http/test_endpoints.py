"""Which hosts and keys an endpoint may use."""

from typing import Any

import pytest

from ragsql_engine.embedding.endpoints import Allowed, parse_endpoints
from ragsql_engine.errors import InvalidParameter, RagError
from support.embedding_server import EmbeddingServer, embedding_server, failing
from unit.http.calls import SECRET, assert_tells_nothing, fault, model_of, provider, provider_of


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_variable(server: EmbeddingServer, status: int) -> None:
    server.always = failing(status, message=f"Incorrect API key {SECRET}", code="invalid_api_key")
    asked = provider_of({"url": server.url, "key_variable": "HERON_KEY"})
    error = fault(asked)
    assert error.certain
    assert f"refuses the key in HERON_KEY ({status} [invalid_api_key])" in error.message
    assert SECRET not in repr(asked) + repr(vars(vars(asked)["_caller"])["_endpoints"])
    assert "wants a key" in fault(provider(server)).message


@pytest.mark.parametrize("value", [None, "", "  \n", f"{SECRET}\nX: y", f"{SECRET}é"])
def test_a_key_that_cannot_be_sent(server: EmbeddingServer, value: str | None) -> None:
    environ = {} if value is None else {"HERON_KEY": value}
    error = fault(provider_of({"url": server.url, "key_variable": "HERON_KEY"}, environ=environ))
    assert error.certain
    assert "the environment variable HERON_KEY" in error.message
    assert not server.requests


def test_blanks_around_a_key_are_no_part_of_it(server: EmbeddingServer) -> None:
    endpoint = {"url": server.url, "key_variable": "HERON_KEY"}
    provider_of(endpoint, environ={"HERON_KEY": f" {SECRET}\n"}).embed(["x"], "passage")
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_variable_has_to_be_allowed(server: EmbeddingServer) -> None:
    endpoint = {"url": server.url, "key_variable": "PGPASSWORD"}
    error = fault(provider_of(endpoint, environ={"PGPASSWORD": SECRET}))
    assert error.certain
    assert error.message == ("the environment variable PGPASSWORD is not allowed to hold a key")
    assert not server.requests


@pytest.mark.parametrize("url", ["http://api.example.com/v1", "http://127.0.0.1.example.com"])
def test_a_key_is_not_sent_in_the_clear(url: str) -> None:
    with pytest.raises(InvalidParameter, match="unencrypted"):
        parse_endpoints(model_of({"url": url, "key_variable": "HERON_KEY"}))
    parse_endpoints(model_of({"url": url}))
    for good in ("https://api.example.com", "http://[::1]:1", "http://localhost", "unix:/run/x"):
        parse_endpoints(model_of({"url": good, "key_variable": "HERON_KEY"}))


def test_a_key_in_place_of_a_variable_is_not_told() -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_endpoints(model_of({"url": "https://x.example", "key_variable": SECRET}))
    assert_tells_nothing(caught.value, [])


def test_proxies_of_the_environment_are_ignored(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        provider(server).embed(["x"], "passage")
        assert not proxy.requests
    assert server.texts == ["x"]


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://allowed/v1", "allowed"),
        ("http://ALLOWED/v1", "allowed"),
        ("http://allowed/v1", "other, ALLOWED"),
        ("https://allowed/v1", "allowed"),
        ("https://allowed:443", "allowed"),
        ("http://allowed:8080", "allowed:8080"),
        ("http://allowed", "allowed:80"),
        ("http://[::1]/v1", "::1"),
        ("http://[0:0:0:0:0:0:0:1]:11434/v1", "[::1]:11434"),
        ("http://[::1]:11434/v1", "[0::1]:11434"),
        ("unix:/run/heron.sock", "unix:/run/heron.sock"),
    ],
)
def test_allowed(url: str, hosts: str) -> None:
    (endpoint,) = parse_endpoints(model_of({"url": url}))
    Allowed.from_settings(hosts, None).check(endpoint)


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://allowed/v1", None),
        ("http://allowed/v1", ""),
        ("http://allowed/v1", "*"),
        ("http://a.allowed/v1", "allowed *.allowed .allowed"),
        ("http://allowed.evil/v1", "allowed"),
        ("http://allowed:8080/v1", "allowed"),
        ("http://allowed:443/v1", "allowed"),
        ("https://allowed:80/v1", "allowed"),
        ("https://allowed/v1", "allowed:80"),
        ("http://evil/allowed", "allowed"),
        ("http://127.1/v1", "127.0.0.1"),
        ("http://0x7f000001/v1", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/v1", "127.0.0.1 ::1"),
        ("http://[::1]:80/v1", "[::1]:8080"),
        ("http://localhost/v1", "unix:/run/x.sock 127.0.0.1"),
        ("unix:/run/y.sock", "unix:/run/x.sock localhost"),
        ("unix:/run/../run/x.sock", "unix:/run/x.sock"),
    ],
)
def test_not_allowed(url: str, hosts: str | None) -> None:
    (endpoint,) = parse_endpoints(model_of({"url": url}))
    allowed = Allowed.from_settings(hosts, None)
    with pytest.raises(RagError, match="is not allowed") as caught:
        allowed.check(endpoint)
    assert caught.value.sqlstate == "42501"
    error = fault(provider_of({"url": url}, hosts=hosts or ""))
    assert error.certain
    assert "rag.allow_http" in (error.hint or "")


@pytest.mark.parametrize(
    "url",
    [
        "http://allowed@evil/",
        "http://allowed:80@evil/",
        "http://evil\\@allowed/",
        "http://allowed\\.evil/",
        "http://allowed./v1",
        "http://allowed..x/",
        "http://.allowed/",
        "http://al%6cowed/",
        "http://allowed/v1?x=@evil",
        "http://allowed/v1#@evil",
        "http://allowed /v1",
        "http://allowed/v1\n",
        "http://allowed/v1\r\nX-Y: z",
        "http://al\tlowed/",
        "http://allowéd/",
        "http://allowed。evil/",
        "http://[::1/",
        "http://[::1]evil/",
        "http://[fe80::1%eth0]/",
        "http://[:::]/",
        "http://allowed:/",
        "http://allowed:0/",
        "http://allowed:65536/",
        "http://allowed:٣/",
        "http:///v1",
        "//allowed/v1",
        "allowed/v1",
        "ftp://allowed/",
        "file:///etc/passwd",
        "gopher://allowed/",
        "unix:relative",
        "unix://allowed/x",
        "unix:/a b",
        "unix:/x\x00y",
        "",
    ],
)
def test_a_url_that_could_be_read_in_two_ways(url: str) -> None:
    with pytest.raises(InvalidParameter, match="url"):
        parse_endpoints(model_of({"url": url}))


@pytest.mark.parametrize(
    "more",
    [
        {"api_key": SECRET},
        {"timeout": 0},
        {"timeout": 601},
        {"timeout": "60"},
        {"timeout": True},
        {"timeout": float("nan")},
        {"send_dimensions": "yes"},
        {"input_type": 1},
        {"model": 3},
        {"style": "bedrock"},
        {"api_version": "1&x=y"},
        {"key_variable": ""},
        {"url": 1},
    ],
)
def test_settings_of_an_endpoint_that_cannot_be(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_endpoints(model_of({"url": "http://allowed"} | more))
    assert_tells_nothing(caught.value, [])


@pytest.mark.parametrize("endpoints", [(), ("http://allowed",), ({},), (None,)])
def test_a_model_needs_an_endpoint(endpoints: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter):
        parse_endpoints(model_of(*endpoints))
