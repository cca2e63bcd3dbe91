"""Where an HTTP model is reached, and what a superuser allows of that."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ragsql_engine.errors import InvalidParameter, ProviderUnavailable, RagError
from ragsql_engine.model import Model

# Stricter than the standard, so that no two readers of a URL can disagree on its host: no user
# before an @, no backslash, no percent or dot at the end of a host, no query, no fragment.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[a-z0-9._~!$&'()*+,;=:@%-]*)*)",
    re.ASCII | re.IGNORECASE,
)
_SOCKET = re.compile(r"unix:(?P<path>/[!-+\--.0-~][!-+\--~]*)")  # printable, no comma
_PLACE = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)
_PORTS = {"http": 80, "https": 443}
_TIMEOUT, _LONGEST_TIMEOUT = 60.0, 600
_ALLOW = (
    "A superuser allows hosts and names of variables with rag.allow_http: host for the usual "
    "port, host:port for another one, unix:/path for a socket."
)
_KEYS = {
    "url": str,
    "model": str,
    "key_variable": str,
    "style": str,
    "api_version": str,
    "send_dimensions": bool,
    "input_type": bool,
    "timeout": (int, float),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address that speaks the API of `style`. `timeout` is in seconds.

    `host` has no brackets and no capitals; `target` is the path with the query. For a unix socket
    `socket` is its path. `trusted` marks the embedder, which is set by a superuser itself.
    """

    scheme: str
    host: str
    port: int
    target: str
    model: str
    socket: str | None = None
    key_variable: str | None = None
    style: str = "openai"
    send_dimensions: bool = False
    input_type: bool = False
    timeout: float = _TIMEOUT
    trusted: bool = False
    revision: str | None = None  # sent to the embedder, which refuses another one

    @property
    def place(self) -> str:
        """What `Allowed` compares: host:port, or unix:/path."""
        return f"unix:{self.socket}" if self.socket else f"{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """The host as the Host header gives it, with a port that is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def label(self) -> str:
        """How errors call it. Readers see them, so a socket's folder is left out."""
        name = self.socket.rpartition("/")[2] if self.socket else self.authority
        return f"the embedder at {name}" if self.trusted else f"the endpoint {name}"

    @property
    def is_local(self) -> bool:
        """Whether what is sent stays on this host."""
        return self.socket is not None or _is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Hosts and names of environment variables that the settings let models use."""

    hosts: frozenset[str] = frozenset()
    key_variables: frozenset[str] = frozenset()

    @classmethod
    def from_settings(cls, http_hosts: str | None, http_key_variables: str | None) -> "Allowed":
        """Read lists separated by commas or blanks. What is no host and port allows nothing."""
        hosts = (_place(entry) for entry in _entries(http_hosts))
        return cls(frozenset(filter(None, hosts)), frozenset(_entries(http_key_variables)))

    def check(self, endpoint: Endpoint) -> None:
        """42501 if the endpoint's host or its key's variable is not allowed: for add_model."""
        if refusal := self._refusal(endpoint):
            raise RagError(refusal, sqlstate="42501", hint=_ALLOW)

    def require(self, endpoint: Endpoint) -> None:
        """A certain ProviderUnavailable where `check` fails: for a call."""
        if refusal := self._refusal(endpoint):
            raise ProviderUnavailable(refusal, hint=_ALLOW)

    def _refusal(self, endpoint: Endpoint) -> str | None:
        if endpoint.trusted:
            return None
        by_default = not endpoint.socket and endpoint.port == _PORTS[endpoint.scheme]
        if endpoint.place not in self.hosts and not (by_default and endpoint.host in self.hosts):
            return f"{endpoint.label} is not allowed"
        if endpoint.key_variable and endpoint.key_variable not in self.key_variables:
            return f"the environment variable {endpoint.key_variable} is not allowed to hold a key"
        return None


def parse_endpoints(model: Model) -> list[Endpoint]:
    """The endpoints of a model, in its order of preference; 22023 where one cannot be."""
    if not model.endpoints:
        raise InvalidParameter(
            f"model {model.name} has no endpoint",
            hint="""Give one: endpoints => '[{"url": "http://127.0.0.1:11434/v1"}]'.""",
        )
    return [_endpoint(settings, model) for settings in model.endpoints]


def embedder_endpoint(url: str, model: Model, leaf: str = "embeddings") -> Endpoint:
    """The embedder of this host, for `model`; 22023 for a url that leaves the host."""
    address = address_of(url, leaf) | {"target": f"/v1/{leaf}"}
    endpoint = Endpoint(**address, model=model.name, revision=model.revision, trusted=True)
    if endpoint.scheme == "https" or not endpoint.is_local:
        raise InvalidParameter(
            "the setting embedder is not on this host",
            hint="It is unix:/path of a socket, or http://127.0.0.1:port.",
        )
    return endpoint


def _endpoint(settings: Any, model: Model) -> Endpoint:
    check_types(settings, model.name, _KEYS)
    name = settings.get("model") or model.name
    style = settings.get("style") or "openai"
    if style not in ("openai", "azure"):
        raise InvalidParameter(f"style {style} of an endpoint is not known: openai or azure")
    if style == "azure" and name in (".", ".."):
        raise InvalidParameter(f"{name} is no name of a deployment")
    path = f"/openai/deployments/{quote(name, safe='')}" if style == "azure" else ""
    address = address_of(settings["url"], "embeddings")
    if path and "/openai/deployments/" not in address["target"]:
        address["target"] = address["target"].removesuffix("/embeddings") + f"{path}/embeddings"
    if version := settings.get("api_version"):
        if not _VERSION.fullmatch(version):
            raise InvalidParameter("api_version of an endpoint is not like 2024-10-21")
        address["target"] += f"?api-version={version}"
    endpoint = Endpoint(
        **address,
        model=name,
        key_variable=settings.get("key_variable"),
        style=style,
        send_dimensions=settings.get("send_dimensions") or False,
        input_type=settings.get("input_type") or False,
        timeout=settings.get("timeout") or _TIMEOUT,
    )
    check_key(endpoint)
    return endpoint


def check_types(settings: Any, model: str, known: Mapping[str, Any]) -> None:
    """22023 for settings of an endpoint with keys or types that `known` does not name."""
    if not isinstance(settings, Mapping) or not settings.get("url"):
        raise InvalidParameter(f"an endpoint of model {model} has no url")
    for key, value in settings.items():
        expected: Any = known.get(key)
        if expected is None:
            raise InvalidParameter(
                f"an endpoint of model {model} has an unknown key",
                hint=f"Known are {', '.join(known)}. A key for the service is not stored: "
                "key_variable names the environment variable that holds it.",
            )
        if value is None:
            continue
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            raise InvalidParameter(f"{key} of an endpoint has the wrong type")
        if key == "timeout" and not 0 < value <= _LONGEST_TIMEOUT:
            raise InvalidParameter(f"timeout of an endpoint must be 0 to {_LONGEST_TIMEOUT} s")


def check_key(endpoint: Endpoint) -> None:
    """22023 for a key's variable that is none, or a key that would travel in the clear."""
    if endpoint.key_variable is None:
        return
    if not _VARIABLE.fullmatch(endpoint.key_variable):
        # not told: who mistakes the field writes the key itself there
        raise InvalidParameter(
            "key_variable of an endpoint is no name of an environment variable",
            hint="It names the variable that holds the key; the key itself is never stored.",
        )
    if endpoint.scheme == "http" and not endpoint.is_local:
        raise InvalidParameter(
            f"{endpoint.label} would get its key unencrypted",
            hint="Use https, or an endpoint on this host.",
        )


def address_of(url: str, leaf: str) -> dict[str, Any]:
    """Where `url` leads: its path ends in `leaf`, which is added where it does not.

    A socket's url cannot name a path, so it has the usual one.
    """
    if found := _SOCKET.fullmatch(url):
        socket = found["path"]
        return {
            "scheme": "http",
            "host": "localhost",
            "port": 80,
            "target": f"/v1/{leaf}",
            "socket": socket,
        }
    found = _URL.fullmatch(url)
    port = int(found["port"] or _PORTS[found["scheme"].lower()]) if found else 0
    host = _host(found["host"]) if found else None
    if not found or not host or not 0 < port < 65536:
        raise InvalidParameter(
            "the url of an endpoint cannot be used",
            hint="It is http://host:port/path, https://host/path or unix:/path, without a user, "
            "a query or a fragment; a host beyond ASCII is written in its xn-- form.",
        )
    path = found["path"].rstrip("/")
    target = path if path.endswith(f"/{leaf}") else f"{path}/{leaf}"
    return {"scheme": found["scheme"].lower(), "host": host, "port": port, "target": target}


def _host(text: str) -> str | None:
    """A host in the one form that is compared; None if it is no IPv6 address within brackets."""
    if not text.startswith("["):
        return text.lower()
    try:
        return ipaddress.IPv6Address(text[1:-1]).compressed
    except ValueError:
        return None


def _place(entry: str) -> str | None:
    """An allowed host as `Endpoint.host` or `Endpoint.place` writes it."""
    if _SOCKET.fullmatch(entry):
        return entry
    found = _PLACE.fullmatch(entry.lower())
    if not found:
        return _host(f"[{entry}]")
    host = _host(found["host"])
    return f"{host}:{int(found['port'])}" if host and found["port"] else host


def _entries(setting: str | None) -> Iterable[str]:
    return re.split(r"[\s,]+", setting or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
