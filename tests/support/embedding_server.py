"""A real HTTP server that speaks the OpenAI embeddings API, and misbehaves as told.

    with embedding_server(dimensions=8) as server:
        server.words["qux"] = "nan"             # for every text that holds the word, always:
        server.words["boom"] = "fail"           #   nan, zero, refuse (400) or fail (500)
        server.script = [too_many("1"), failing()]  # the next requests; then it answers again
        server.always = slow(5)                 # every request that no script is for
        ...                                     # model with endpoints [{"url": server.url}]
        assert server.texts == ["one text"]     # of all requests; server.requests tells more

It scores passages, too, in the shape of Jina and Cohere, or of TEI where the body has `texts`:
`relevance_of` says how.

Its url is http://127.0.0.1:PORT/v1, or unix:/path with `socket`. A session may use it once the
settings allow its host, which is `server.host` (127.0.0.1:PORT, or the url of the socket).
Vectors follow from the text alone (`vector_of`); texts that share words are near each other.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket as sockets
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Data = list[dict[str, Any]]


@dataclass(frozen=True)
class Reply:
    """How a request is answered. `body` stands for the vectors, `change` alters their list."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Callable[[Data], Data] = list
    seconds: float = 0
    hangs_up: bool = False


@dataclass
class Recorded:
    """A request as it came; names of headers are lower case. `answered`: the whole answer is sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    answered: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        """What was to be embedded, or to be scored."""
        keys = ("input", "documents", "texts")
        return [text for key in keys for text in self.body.get(key, [])]


def failing(status: int = 500, **error: Any) -> Reply:
    """An error with this status; `error` is its JSON."""
    return Reply(status, body=json.dumps({"error": error}).encode())


def too_many(retry_after: str | None = None) -> Reply:
    """429, with Retry-After in seconds or as an HTTP date."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(429, headers, body=b'{"error": {"code": "rate_limit_exceeded"}}')


def slow(seconds: float) -> Reply:
    """The right answer, late."""
    return Reply(seconds=seconds)


def malformed() -> Reply:
    """The page of some proxy, with 200."""
    return Reply(body=b"<html>welcome</html>")


def huge(size: int = 4_000_000) -> Reply:
    """JSON of that many bytes."""
    return Reply(body=b'{"data": "' + b"x" * size + b'"}')


def fewer() -> Reply:
    """All vectors but the first, numbered anew: as of a server that drops a text."""
    return Reply(change=lambda data: [{**v, "index": n} for n, v in enumerate(data[1:])])


def backwards() -> Reply:
    """All vectors, the last first, each with its index."""
    return Reply(change=lambda data: data[::-1])


def of_dimensions(dimensions: int) -> Reply:
    """Vectors of another length."""
    return Reply(change=lambda data: [{**v, "embedding": [1.0] * dimensions} for v in data])


def redirect(url: str, status: int = 307) -> Reply:
    """An answer that leads to `url`."""
    return Reply(status, {"Location": url}, body=b"")


def hanging_up() -> Reply:
    """No answer: the connection is closed."""
    return Reply(hangs_up=True)


def vector_of(text: str, dimensions: int) -> NDArray[np.float64]:
    """The unit vector of a text: of its words, and a little of itself."""
    parts = [_direction(word, dimensions) for word in text.lower().split()]
    total = np.sum([*parts, 0.1 * _direction(text, dimensions)], axis=0)
    return np.asarray(total / np.linalg.norm(total))


def relevance_of(query: str, passage: str) -> float:
    """The share of the query's words that are in the passage."""
    words = set(query.lower().split())
    return len(words & set(passage.lower().split())) / len(words)


class EmbeddingServer:
    """The server while it runs; see the module."""

    def __init__(self, dimensions: int, listener: _Listener, url: str) -> None:
        self.dimensions = dimensions
        self.url = url
        self.host = url.removeprefix("http://").removeprefix("https://").removesuffix("/v1")
        self.words: dict[str, str] = {}
        self.script: list[Reply] = []
        self.always = Reply()
        self.models: set[str] | None = None  # that it knows; None: all
        self.base64 = False
        self.requests: list[Recorded] = []
        self._listener = listener
        self._lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def texts(self) -> list[str]:
        """All texts that were asked for, in order."""
        return [text for request in self.requests for text in request.texts]

    @property
    def port(self) -> int:
        """The TCP port, to start another server on it."""
        return int(self._listener.server_address[1])

    @property
    def connections(self) -> int:
        """How many connections were made."""
        return self._listener.accepted

    def hang_up(self) -> None:
        """Close all connections, as on a restart."""
        self._listener.hang_up()

    def reply(self, request: Recorded) -> tuple[int, dict[str, str], bytes] | None:
        """Status, headers and body for a request; None to hang up."""
        with self._lock:
            self.requests.append(request)
            reply = self.script.pop(0) if self.script else self.always
        self.closing.wait(reply.seconds)
        if reply.hangs_up:
            return None
        if reply.body is None and reply.status == 200:
            return self._vectors(request, reply)
        return reply.status, reply.headers, reply.body or b""

    def _vectors(self, request: Recorded, reply: Reply) -> tuple[int, dict[str, str], bytes]:
        if request.method == "GET":
            return 200, {}, b'{"status": "ok"}'
        known = self.models is None or request.body.get("model") in self.models
        path = request.path.partition("?")[0]
        if not known or not path.endswith(("/embeddings", "/rerank")):
            return 404, {}, b'{"error": {"code": "model_not_found"}}'
        held = {self.words[w] for w in self.words if any(w in text for text in request.texts)}
        if "refuse" in held:
            return 400, {}, b'{"error": {"code": "invalid_input"}}'
        if "fail" in held:
            return 500, {}, b'{"error": {"code": "internal"}}'
        if path.endswith("/rerank"):
            return self._scores(request, reply)
        data: Data = [
            {"object": "embedding", "index": n, "embedding": self._written(self._vector(text))}
            for n, text in enumerate(request.texts)
        ]
        body = {"object": "list", "data": reply.change(data), "model": request.body["model"]}
        return 200, {}, json.dumps(body).encode()

    def _scores(self, request: Recorded, reply: Reply) -> tuple[int, dict[str, str], bytes]:
        key = "score" if "texts" in request.body else "relevance_score"
        query = request.body["query"]
        found: Data = [
            {"index": n, key: np.nan if self._is_spoilt(text) else relevance_of(query, text)}
            for n, text in enumerate(request.texts)
        ]
        found = reply.change(sorted(found, key=lambda one: -one[key]))
        return 200, {}, json.dumps(found if key == "score" else {"results": found}).encode()

    def _is_spoilt(self, text: str) -> bool:
        return any(word in text for word in self.words)

    def _vector(self, text: str) -> NDArray[np.float64]:
        for word, fault in self.words.items():
            if word in text:
                return np.full(self.dimensions, np.nan if fault == "nan" else 0.0)
        return vector_of(text, self.dimensions)

    def _written(self, vector: NDArray[np.float64]) -> list[float] | str:
        if self.base64:
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(number) for number in vector]


@contextmanager
def embedding_server(
    dimensions: int = 8,
    *,
    port: int = 0,
    socket: Path | None = None,
    tls: ssl.SSLContext | None = None,
) -> Iterator[EmbeddingServer]:
    """A server on a free port of 127.0.0.1, on `port`, or on a unix socket that anyone may use."""
    listener = _UnixListener(str(socket)) if socket else _Listener(("127.0.0.1", port))
    url = f"unix:{socket}" if socket else f"http://127.0.0.1:{listener.server_address[1]}/v1"
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True)
        url = url.replace("http://127.0.0.1", "https://localhost")
    server = EmbeddingServer(dimensions, listener, url)
    listener.embedding = server
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        listener.shutdown()
        thread.join()
        listener.hang_up()
        listener.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20  # headers and body at once, or Nagle's algorithm waits 40 ms between them
    server: _Listener

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content else {}
        request = Recorded(self.command, self.path, headers, body)
        reply = self.server.embedding.reply(request)
        if reply is None:
            self.close_connection = True
            return
        status, extra, answer = reply
        with suppress(OSError):  # the client may have gone
            self.send_response(status)
            for name, value in {"Content-Length": str(len(answer)), **extra}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)
            self.wfile.flush()
            request.answered.set()

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    embedding: EmbeddingServer

    def __init__(self, address: Any) -> None:
        self._open: set[sockets.socket] = set()
        self.accepted = 0
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        self.accepted += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(sockets.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what some tests are about."""


class _UnixListener(_Listener):
    address_family = sockets.AF_UNIX

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's wants a host and a port
        os.chmod(str(self.server_address), 0o666)
        self.server_name, self.server_port = "localhost", 0


def _direction(word: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(dimensions)
