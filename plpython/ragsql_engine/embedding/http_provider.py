"""Models behind an HTTP endpoint that speaks the OpenAI embeddings API, or in the embedder."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from ragsql_engine.embedding import http_answers, http_faults
from ragsql_engine.embedding.endpoints import Allowed, Endpoint, embedder_endpoint
from ragsql_engine.embedding.http_client import Answer, Connections, Request, Trouble
from ragsql_engine.embedding.http_faults import Fault
from ragsql_engine.errors import ProviderUnavailable
from ragsql_engine.model import Model

_TRIES = 3
_STEP = 0.1  # seconds between two looks for a cancel
_REMEMBERED = 30.0  # seconds that the endpoint which stood in is asked first
_NUMBER_BYTES = 32  # of one number in JSON, with room
_SLACK_BYTES = 1 << 20  # for usage, names, and vectors of other dimensions, which are told apart


class HttpProvider:
    """A model that is reached over HTTP. Keys and texts appear in none of its errors.

    Faults are a ProviderUnavailable, or a TextRefused that any text of the batch may have caused.
    """

    # As much as servers take by default: text-embeddings-inference has 32 texts, 16,384 tokens.
    batch_texts = 32
    batch_tokens = 8192

    def __init__(
        self,
        model: Model,
        endpoints: Sequence[Endpoint],
        *,
        allowed: Allowed,
        environ: Mapping[str, str],
        pause: Callable[[], None],
        patience: float = 2.0,
        connections: Connections | None = None,
    ) -> None:
        """`environ` holds the keys. `pause` raises where the caller cancels.

        `patience`: seconds that a call may wait for another try, 0 for none. `connections` is kept
        by the session, so that a later provider finds its connection open.
        """
        self._model = model
        self._endpoints = tuple(endpoints)
        self._allowed = allowed
        self._environ = environ
        self._pause = pause
        self._patience = patience
        self._connections = connections or Connections()

    @classmethod
    def of_embedder(
        cls,
        model: Model,
        url: str,
        *,
        pause: Callable[[], None],
        patience: float = 2.0,
        connections: Connections | None = None,
    ) -> "HttpProvider":
        """The embedder at `url`, a superuser's setting, which needs no other permission."""
        return cls(
            model,
            [embedder_endpoint(url, model)],
            allowed=Allowed(),
            environ={},
            pause=pause,
            patience=patience,
            connections=connections,
        )

    def embed(self, texts: Sequence[str], kind: str) -> list[NDArray[Any]]:
        """Vectors of `texts` as they came, in order; the number of them is checked, not more."""
        for attempt in range(_TRIES):
            faults: list[Fault] = []
            for endpoint in self._by_preference():
                outcome = self._ask(endpoint, texts, kind)
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
        raise http_faults.merged(faults, self._model)

    def health(self, timeout: float = 2.0) -> dict[str, Any]:
        """What GET /health of the embedder says; ProviderUnavailable if nothing comes in time."""
        endpoint = self._endpoints[0]
        request = Request("GET", "/health", self._headers(endpoint), b"", timeout, _SLACK_BYTES)
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

    def _ask(
        self, endpoint: Endpoint, texts: Sequence[str], kind: str
    ) -> list[NDArray[Any]] | Fault:
        self._allowed.require(endpoint)
        key = self._key(endpoint)
        request = Request(
            "POST",
            endpoint.target,
            self._headers(endpoint, key),
            self._body(endpoint, texts, kind),
            endpoint.timeout,
            self._model.dimensions * len(texts) * _NUMBER_BYTES + _SLACK_BYTES,
        )
        answer = self._connections.channel(endpoint).send(request, self._pause)
        if isinstance(answer, Trouble):
            return http_faults.of_trouble(answer, endpoint, endpoint.timeout)
        if not 200 <= answer.status < 300:
            return self._fault(answer, endpoint, [*texts, key])
        try:
            return http_answers.vectors(answer.body, len(texts))
        except http_answers.Malformed as error:
            how = str(error)
        return http_faults.malformed(how, endpoint)

    def _fault(self, answer: Answer, endpoint: Endpoint, private: Sequence[str]) -> Fault:
        code = http_answers.error_code(answer.body, private)
        wait = http_answers.asked_wait(answer.headers)
        return http_faults.of_status(answer.status, code, wait, endpoint)

    def _body(self, endpoint: Endpoint, texts: Sequence[str], kind: str) -> bytes:
        # Without encoding_format: numbers are what every server gives, and base64 would save 3 ms
        # of what 32 passages of 384 dimensions take.
        fields: dict[str, Any] = {"model": endpoint.model, "input": list(texts)}
        if endpoint.send_dimensions:
            fields["dimensions"] = self._model.dimensions
        if endpoint.input_type or endpoint.trusted:
            fields["input_type"] = kind
        if endpoint.revision:
            fields["revision"] = endpoint.revision
        return json.dumps(fields, ensure_ascii=False).encode(errors="replace")

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
