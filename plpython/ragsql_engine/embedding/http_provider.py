"""Models behind an HTTP endpoint that speaks the OpenAI embeddings API, or in the embedder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from ragsql_engine.embedding import http_answers
from ragsql_engine.embedding.endpoints import Allowed, Endpoint, embedder_endpoint
from ragsql_engine.embedding.http_caller import SLACK_BYTES, HttpCaller, Question
from ragsql_engine.embedding.http_client import Connections
from ragsql_engine.model import Model

# Of one number in JSON, with room; vectors of other dimensions fit in the slack, and are told apart
# afterwards.
_NUMBER_BYTES = 32


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
        """See HttpCaller."""
        self._model = model
        self._caller = HttpCaller(
            model.name,
            endpoints,
            allowed=allowed,
            environ=environ,
            pause=pause,
            patience=patience,
            connections=connections,
        )

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
        return self._caller.ask(
            Question(
                fields=lambda endpoint: self._fields(endpoint, texts, kind),
                read=lambda body: http_answers.vectors(body, len(texts)),
                texts=texts,
                limit=self._model.dimensions * len(texts) * _NUMBER_BYTES + SLACK_BYTES,
            )
        )

    def health(self, timeout: float = 2.0) -> dict[str, Any]:
        """What GET /health of the embedder says; ProviderUnavailable if nothing comes in time."""
        return self._caller.health(timeout)

    def _fields(self, endpoint: Endpoint, texts: Sequence[str], kind: str) -> dict[str, Any]:
        # Without encoding_format: numbers are what every server gives, and base64 would save 3 ms
        # of what 32 passages of 384 dimensions take.
        fields: dict[str, Any] = {"model": endpoint.model, "input": list(texts)}
        if endpoint.send_dimensions:
            fields["dimensions"] = self._model.dimensions
        if endpoint.input_type or endpoint.trusted:
            fields["input_type"] = kind
        if endpoint.revision:
            fields["revision"] = endpoint.revision
        return fields
