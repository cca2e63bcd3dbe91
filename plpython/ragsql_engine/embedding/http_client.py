"""HTTP from within a database session: one connection for each endpoint, and always stoppable.

A request runs in a thread, while the session's own thread looks for a cancel every 100 ms. This
stands on httpcore, not on the httpx around it: what httpx adds (redirects, proxies from the
environment, cookies) is what must not happen here, and costs each session 100 ms and 11 MB.
"""

import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpcore

from ragsql_engine.embedding.endpoints import Endpoint

Pause = Callable[[], None]

# Seconds.
_STEP = 0.1  # between two looks for a cancel
_CONNECT = 10.0
_IDLE = 60.0  # a connection that waits longer is closed before the next request
_GRACE = 1.0  # a thread whose socket is shut ends at once, unless it looks up a name
_NO_CONNECTION = "no connection in time"
_CONNECTED = (
    "connection.connect_tcp.complete",
    "connection.connect_unix_socket.complete",
    "connection.start_tls.complete",
)
_ERROR_BYTES = 65536  # of an answer that is no success, only the error's code is read


@dataclass(frozen=True, slots=True)
class Request:
    """What to send, seconds to wait for the whole answer, and the bytes it may have."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    timeout: float
    limit: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status. Names of headers are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there is no answer. A value, not an exception: no text or key hangs on a traceback.

    `kind` is 'unreachable', 'timeout', 'broken' (the connection) or 'too large' (the answer).
    """

    kind: str
    reason: str = ""


class Connections:
    """The connections of one session, and which endpoints were found to work."""

    def __init__(self) -> None:
        self._channels: dict[tuple[str, str], Channel] = {}
        self.working: dict[tuple[Endpoint, ...], tuple[Endpoint, float]] = {}

    def channel(self, endpoint: Endpoint) -> "Channel":
        """The connection that requests to the endpoint's host share."""
        key = endpoint.scheme, endpoint.place
        if key not in self._channels:
            self._channels[key] = Channel(endpoint)
        return self._channels[key]

    def close(self) -> None:
        """Close all; the next request connects anew."""
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()


class Channel:
    """A connection to one host that is kept alive between requests."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._line: _Line | None = None

    def send(self, request: Request, pause: Pause) -> Answer | Trouble:
        """Send and wait. Whatever `pause` raises ends the request and comes through."""
        for _ in range(2):
            exchange = _Exchange(self._open_line(), self._endpoint, request)
            outcome = self._wait_for(exchange, request.timeout, pause)
            if isinstance(outcome, Answer):
                return outcome
            # The server may have closed an idle connection the very moment it was used again.
            if exchange.is_connected_anew or outcome.kind != "broken":
                break
        return outcome

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._line is not None:
            self._line.pool.close()
            self._line = None

    def _open_line(self) -> "_Line":
        if self._line is None:
            pool = httpcore.ConnectionPool(
                ssl_context=_ssl_context() if self._endpoint.scheme == "https" else None,
                max_connections=1,
                keepalive_expiry=_IDLE,
                uds=self._endpoint.socket,
            )
            self._line = _Line(pool)
        return self._line

    def _wait_for(self, exchange: "_Exchange", timeout: float, pause: Pause) -> Answer | Trouble:
        deadline = time.monotonic() + timeout
        thread = threading.Thread(target=exchange.run, name="ragsql http", daemon=True)
        try:
            # The server's signal handlers must never run in a thread that is not its own.
            with _signals_blocked():
                thread.start()
            thread.join(min(_STEP, timeout))
            while thread.is_alive() and time.monotonic() < deadline:
                pause()
                thread.join(min(_STEP, max(0.0, deadline - time.monotonic())))
        finally:
            if thread.is_alive():
                exchange.stop()
                thread.join(_GRACE)
                self.close()
        if exchange.unforeseen is not None:
            raise exchange.unforeseen
        late = Trouble("timeout") if exchange.is_sent else Trouble("unreachable", _NO_CONNECTION)
        return exchange.outcome or late


@dataclass(slots=True)
class _Line:
    """A pool of one connection, and the stream of that."""

    pool: httpcore.ConnectionPool
    stream: Any = None


class _Exchange:
    """One request in its thread. `outcome` is None until it ends by itself."""

    def __init__(self, line: _Line, endpoint: Endpoint, request: Request) -> None:
        self.outcome: Answer | Trouble | None = None
        self.unforeseen: BaseException | None = None
        self.is_connected_anew = False
        self.is_sent = False
        self._is_stopped = False
        self._line = line
        self._endpoint = endpoint
        self._request = request

    def run(self) -> None:
        """Send the request and read its answer."""
        try:
            outcome = self._answer()
        except _Stopped:
            return
        except (httpcore.ConnectError, httpcore.ConnectTimeout, UnicodeError) as error:
            outcome = Trouble("unreachable", _reason(error))
        except httpcore.TimeoutException:
            outcome = Trouble("timeout")
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError):
            outcome = Trouble("broken")
        except BaseException as error:  # noqa: BLE001  raised again in the session's thread
            self.unforeseen = error
            return
        if not self._is_stopped:
            self.outcome = outcome

    def stop(self) -> None:
        """End the request from another thread."""
        self._is_stopped = True
        stream = self._line.stream
        # Closing a socket does not wake the thread that reads from it; shutting it down does.
        if stream is not None and (sock := stream.get_extra_info("socket")) is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # closed already

    def _answer(self) -> Answer | Trouble:
        request, endpoint = self._request, self._endpoint
        url = httpcore.URL(
            scheme=endpoint.scheme, host=endpoint.host, port=endpoint.port, target=request.target
        )
        connect = min(_CONNECT, request.timeout)
        timeouts = dict.fromkeys(("read", "write", "pool"), request.timeout) | {"connect": connect}
        with self._line.pool.stream(
            request.method,
            url,
            headers=[(k.encode(), v.encode()) for k, v in request.headers.items()],
            content=request.body,
            extensions={"timeout": timeouts, "trace": self._follow},
        ) as response:
            headers = {
                k.decode("latin-1").lower(): v.decode("latin-1") for k, v in response.headers
            }
            is_success = 200 <= response.status < 300
            limit = request.limit if is_success else _ERROR_BYTES
            body = bytearray()
            for part in response.iter_stream():
                body += part
                if len(body) > limit:
                    break
        if is_success and len(body) > limit:
            return Trouble("too large", f"{limit} bytes")
        return Answer(response.status, headers, bytes(body[:limit]))

    def _follow(self, event: str, info: dict[str, Any]) -> None:
        """httpcore tells each step, in the thread of the request."""
        if event in _CONNECTED:
            self.is_connected_anew = True
            self._line.stream = info["return_value"]
        if event.endswith(".send_request_headers.started"):
            self.is_sent = True
        if self._is_stopped and event.endswith((".started", ".complete")):
            raise _Stopped


class _Stopped(Exception):
    """Ends the thread of a request that nobody waits for."""


@contextmanager
def _signals_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ssl_context() -> ssl.SSLContext:
    """Verifies with the system's certificates, or certifi's where the system has none."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or (paths.capath and any(os.scandir(paths.capath))):
        return ssl.create_default_context()
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _reason(error: BaseException) -> str:
    """The operating system's or TLS's words for it; they never hold what was sent."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "it does not speak TLS as expected"
        if isinstance(cause, socket.gaierror):
            return "its name is not known"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return _NO_CONNECTION if isinstance(error, httpcore.ConnectTimeout) else "no connection"
