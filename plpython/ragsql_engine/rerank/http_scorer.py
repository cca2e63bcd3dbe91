"""Rerankers behind an HTTP endpoint, or in the embedder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragsql_engine.embedding.endpoints import Allowed, Endpoint, embedder_endpoint
from ragsql_engine.embedding.http_caller import SLACK_BYTES, HttpCaller, Question
from ragsql_engine.embedding.http_client import Connections
from ragsql_engine.rerank import http_answers
from ragsql_engine.rerank.reranker import LOGIT, PROBABILITY, Reranker

_ENTRY_BYTES = 256  # of a score in JSON, with room
_ESCAPED = 6  # bytes of a character that JSON escapes: some endpoints send the passages back


class HttpScorer:
    """A reranker that is reached over HTTP. Keys and texts appear in none of its errors.

    Faults are a ProviderUnavailable, or a TextRefused that any passage may have caused.
    """

    # As much as servers take by default: text-embeddings-inference has 32 texts, 16,384 tokens.
    batch_texts = 32
    batch_tokens = 8192

    def __init__(
        self,
        reranker: Reranker,
        endpoints: Sequence[Endpoint],
        *,
        allowed: Allowed,
        environ: Mapping[str, str],
        pause: Callable[[], None],
        scores: str | None = None,
        patience: float = 2.0,
        connections: Connections | None = None,
    ) -> None:
        """See HttpCaller. `scores`: what it gives, where that is not what is registered."""
        self.scores = scores or reranker.scores
        self._caller = HttpCaller(
            reranker.name,
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
        reranker: Reranker,
        url: str,
        *,
        pause: Callable[[], None],
        connections: Connections | None = None,
    ) -> "HttpScorer":
        """The embedder at `url`, a superuser's setting, which needs no other permission."""
        return cls(
            reranker,
            [embedder_endpoint(url, reranker.model, "rerank")],
            allowed=Allowed(),
            environ={},
            pause=pause,
            scores=PROBABILITY,
            connections=connections,
        )

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """A raw score for each passage, in order."""
        letters = sum(map(len, passages))
        return self._caller.ask(
            Question(
                fields=lambda endpoint: self._fields(endpoint, query, passages),
                read=lambda body: http_answers.scores(body, len(passages)),
                texts=[query, *passages],
                limit=letters * _ESCAPED + len(passages) * _ENTRY_BYTES + SLACK_BYTES,
            )
        )

    def health(self, timeout: float = 2.0) -> dict[str, Any]:
        """What GET /health of the embedder says; ProviderUnavailable if nothing comes in time."""
        return self._caller.health(timeout)

    def _fields(self, endpoint: Endpoint, query: str, passages: Sequence[str]) -> dict[str, Any]:
        if endpoint.style == "tei":
            raw = self.scores == LOGIT
            return {"query": query, "texts": list(passages), "raw_scores": raw, "truncate": False}
        fields: dict[str, Any] = {
            "model": endpoint.model,
            "query": query,
            "documents": list(passages),
        }
        if endpoint.style == "jina":
            fields["return_documents"] = False
        if endpoint.revision:
            fields["revision"] = endpoint.revision
        return fields
