"""Asks a model behind HTTP endpoints: which of them, how often, and with which key."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ragsql_engine.embedding import http_answers, http_faults
from ragsql_engine.embedding.endpoints import Allowed, Endpoint
from ragsql_engine.embedding.http_client import Answer, Connections, Request, Trouble
from ragsql_engine.embedding.http_faults import Fault
from ragsql_engine.errors import ProviderUnavailable

Result = TypeVar("Result")

SLACK_BYTES = 1 << 20
"""Of an answer, for what nobody asked for: usage, names."""

_TRIES = 3
_STEP = 0.1  # seconds between two looks for a cancel
_REMEMBERED = 30.0  # seconds that the endpoint which stood in is asked first


@dataclass(frozen=True, slots=True)
class Question(Generic[Result]):
    """What to send to an endpoint, and how to read its answer, of at most `limit` bytes.

    `read` raises http_answers.Malformed. `texts` are what errors must not quote.
    """

    fields: Callable[[Endpoint], Mapping[str, Any]]
    read: Callable[[bytes], Result]
    texts: Sequence[str]
    limit: int


class HttpCaller:
    """The endpoints of one model. Keys and texts appear in none of its errors.

    Faults are a ProviderUnavailable, or a TextRefused that any text of the question may have
    caused.
    """

    def __init__(
        self,
        name: str,
        endpoints: Sequence[Endpoint],
        *,
        allowed: Allowed,
        environ: Mapping[str, str],
        pause: Callable[[], None],
        patience: float = 2.0,
        connections: Connections | None = None,
    ) -> None:
        """`name` is the model's. `environ` holds the keys. `pause` raises where one cancels.

        `patience`: seconds that a call may wait for another try, 0 for none. `connections` is kept
        by the session, so that a later caller finds its connection open.
        """
        self._name = name
        self._endpoints = tuple(endpoints)
        self._allowed = allowed
        self._environ = environ
        self._pause = pause
        self._patience = patience
        self._connections = connections or Connections()

    def ask(self, question: Question[Result]) -> Result:
        """The answer of the first endpoint that gives one."""
        for attempt in range(_TRIES):
            faults: list[Fault] = []
            for endpoint in self._by_preference():
                outcome = self._ask(endpoint, question)
                if not isinstance(outcome, Fault):
                    self._remember(endpoint)
                    return outcome
                if not outcome.may_pass:
                    raise outcome.error
                faults.append(outcome)
            delays = [fault.delay(attempt) for fault in faults]
            delay = min((d for d in delays if d is not None), default=None)
            if attempt + 1 == _TRIES or delay is None or delay > self._patience:
                break
            self._wait(delay)
        raise http_faults.merged(faults, self._name)

    def health(self, timeout: float = 2.0) -> dict[str, Any]:
        """What GET /health of the embedder says; ProviderUnavailable if nothing comes in time."""
        endpoint = self._endpoints[0]
        request = Request("GET", "/health", self._headers(endpoint), b"", timeout, SLACK_BYTES)
        answer = self._connections.channel(endpoint).send(request, self._pause)
        if isinstance(answer, Trouble):
            raise http_faults.of_trouble(answer, endpoint, timeout).error
        try:
            parsed = json.loads(answer.body)
        except ValueError:
            parsed = None
        if answer.status != 200 or not isinstance(parsed, dict):
            raise ProviderUnavailable(f"{endpoint.label} is not well ({answer.status})")
        return parsed

    def _ask(self, endpoint: Endpoint, question: Question[Result]) -> Result | Fault:
        self._allowed.require(endpoint)
        key = self._key(endpoint)
        body = json.dumps(question.fields(endpoint), ensure_ascii=False).encode(errors="replace")
        request = Request(
            "POST",
            endpoint.target,
            self._headers(endpoint, key),
            body,
            endpoint.timeout,
            question.limit,
        )
        answer = self._connections.channel(endpoint).send(request, self._pause)
        if isinstance(answer, Trouble):
            return http_faults.of_trouble(answer, endpoint, endpoint.timeout)
        if not 200 <= answer.status < 300:
            return self._fault(answer, endpoint, [*question.texts, key])
        try:
            return question.read(answer.body)
        except http_answers.Malformed as error:
            how = str(error)
        return http_faults.malformed(how, endpoint)

    def _fault(self, answer: Answer, endpoint: Endpoint, private: Sequence[str]) -> Fault:
        code = http_answers.error_code(answer.body, private)
        wait = http_answers.asked_wait(answer.headers)
        return http_faults.of_status(answer.status, code, wait, endpoint)

    def _headers(self, endpoint: Endpoint, key: str = "") -> dict[str, str]:
        headers = {
            "Host": endpoint.authority,
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # else the bound on the answer's size would not hold
            "Content-Type": "application/json",
            "User-Agent": "ragsql",
        }
        if key and endpoint.style == "azure":
            headers["api-key"] = key
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _key(self, endpoint: Endpoint) -> str:
        variable = endpoint.key_variable
        if variable is None:
            return ""
        key = self._environ.get(variable, "").strip()
        if not key:
            raise http_faults.key_missing(variable, "is not set for the database server")
        if not (key.isascii() and key.isprintable()):
            raise http_faults.key_missing(variable, "holds no key: it has characters no key has")
        return key

    def _by_preference(self) -> Iterator[Endpoint]:
        """All endpoints in order, but the one that stood in for the first a moment ago first."""
        standing_in, until = self._connections.working.get(self._endpoints, (None, 0.0))
        if standing_in is not None and time.monotonic() < until:
            yield standing_in
        else:
            standing_in = None
        yield from (endpoint for endpoint in self._endpoints if endpoint != standing_in)

    def _remember(self, endpoint: Endpoint) -> None:
        """Not prolonged by success: the first choice is tried again after 30 s."""
        standing_in, until = self._connections.working.get(self._endpoints, (None, 0.0))
        if standing_in == endpoint and time.monotonic() < until:
            return
        self._connections.working.pop(self._endpoints, None)
        if endpoint != self._endpoints[0]:
            self._connections.working[self._endpoints] = endpoint, time.monotonic() + _REMEMBERED

    def _wait(self, seconds: float) -> None:
        """Sleep, yet notice a cancel; a little longer than asked, so that callers spread out."""
        end = time.monotonic() + seconds * random.uniform(1.0, 1.1)
        while (left := end - time.monotonic()) > 0:
            self._pause()
            time.sleep(min(_STEP, left))
